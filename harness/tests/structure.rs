//! What must hold of the structure of constructed SSA (`harness/src/structure.rs`), over generated programs.

use harness::case::Form;
#[cfg(feature = "cranelift")]
use harness::case::{Case, DEFAULT_FUEL, Program};
#[cfg(feature = "cranelift")]
use harness::compare::Verdict;
use harness::generate::{self, Policy};
use harness::path::{self, Detail, Path};
use harness::structure::Relation;

const PROGRAMS: u64 = 200;

/// LLVM has never more phis than the yardstick, Cranelift only trivial ones and equal constants; and that is no finding
/// of another kind.
#[test]
fn constructions_keep_to_the_yardstick() {
    let all = path::registry();
    let measured = ["none", "none-single_pass", "mem2reg-O0", "sroa-O0"];
    let of_interest = |path: &&dyn Path| measured.contains(&path.id().variant.as_str());
    let paths: Vec<&dyn Path> = all.iter().map(|path| path.as_ref()).filter(of_interest).collect();
    let (mut seen, mut fewer, mut trivial, mut self_defined) = (0, 0, 0, 0);
    for (form, index) in [Form::Tiny, Form::Tac].into_iter().flat_map(|form| (0..PROGRAMS).map(move |n| (form, n))) {
        let mut case = generate::case(1, index, form, &Policy::default());
        case.vectors.truncate(1);
        let report = harness::check(&case, &paths, Detail { structure: true, ..Detail::default() });
        assert!(!report.verdict.is_finding(), "{form:?} {index}: {:?}", report.signature);
        for structure in report.structure {
            seen += 1;
            fewer += u32::from(structure.compared().is_lt());
            for relation in structure.broken() {
                match relation {
                    Relation::Constants | Relation::Trivial if structure.group == "cranelift" => trivial += 1,
                    Relation::SelfDefined if structure.group == "cranelift" && form == Form::Tac => self_defined += 1,
                    _ => panic!("{form:?} {index}: {relation:?} {structure:?}"),
                }
            }
        }
    }
    let compilers = cfg!(feature = "cranelift") || cfg!(feature = "llvm");
    assert_eq!(compilers, seen >= 2 * PROGRAMS);
    assert!(fewer > 0 || cfg!(not(feature = "llvm")), "nothing is ever better than the yardstick");
    assert!(trivial > 0 || cfg!(not(feature = "cranelift")), "Cranelift has learned it: state the stronger relation");
    assert!(
        self_defined > 0 || cfg!(not(feature = "cranelift")),
        "Cranelift has learned it: state the stronger relation"
    );
}

/// A program for what wasmtime issue 5022 shows. If this fails with a newer Cranelift, the issue is closed: say so in
/// `docs/ARCHITECTURE.md`.
#[test]
#[cfg(feature = "cranelift")]
fn unreachable_cycles_define_values_by_themselves_in_cranelift_alone() {
    let text = include_str!("../../corpus/agree/unreachable_cycles.tac");
    let program = Program::Tac(harness::tac::parse(text).unwrap());
    let case = Case { program, vectors: vec![vec![5], vec![0]], fuel: DEFAULT_FUEL };
    let paths = path::registry();
    let paths: Vec<&dyn Path> = paths.iter().map(|path| &**path).collect();
    let report = harness::check(&case, &paths, Detail { structure: true, ..Detail::default() });
    assert_eq!(report.verdict, Verdict::Agree);
    let quality: Vec<String> = report.quality().into_keys().map(|signature| signature.0).collect();
    assert_eq!(quality, ["quality.construct.cranelift.self-defined"]);
}
