//! What must hold of the structure of constructed SSA (`harness/src/structure.rs`), over generated programs.

use harness::case::Form;
use harness::generate::{self, Policy};
use harness::path::{self, Detail, Path};

const PROGRAMS: u64 = 200;

/// LLVM has never more phis than the yardstick, Cranelift only trivial ones and equal constants; and that is no finding of another kind.
#[test]
fn constructions_keep_to_the_yardstick() {
    let all = path::registry();
    let measured = ["none", "none-single_pass", "mem2reg-O0", "sroa-O0"];
    let of_interest = |path: &&dyn Path| measured.contains(&path.id().variant.as_str());
    let paths: Vec<&dyn Path> = all.iter().map(|path| path.as_ref()).filter(of_interest).collect();
    let (mut seen, mut fewer, mut trivial) = (0, 0, 0);
    for (form, index) in [Form::Tiny, Form::Tac].into_iter().flat_map(|form| (0..PROGRAMS).map(move |n| (form, n))) {
        let mut case = generate::case(1, index, form, &Policy::default());
        case.vectors.truncate(1);
        let report = harness::check(&case, &paths, Detail { structure: true, ..Detail::default() });
        assert!(!report.verdict.is_finding(), "{form:?} {index}: {:?}", report.signature);
        for structure in report.structure {
            seen += 1;
            fewer += u32::from(structure.compared().is_lt());
            match structure.quality().as_deref() {
                None => {}
                Some("quality.construct.cranelift.constants") => {}
                Some("quality.construct.cranelift.trivial") => trivial += 1,
                Some(_) => panic!("{form:?} {index}: {structure:?}"),
            }
        }
    }
    let compilers = cfg!(feature = "cranelift") || cfg!(feature = "llvm");
    assert_eq!(compilers, seen >= 2 * PROGRAMS);
    assert!(fewer > 0 || cfg!(not(feature = "llvm")), "nothing is ever better than the yardstick");
    assert!(trivial > 0 || cfg!(not(feature = "cranelift")), "Cranelift has learned it: state the stronger relation");
}
