//! The LLVM paths against the right answers of the cases, and against LLVM's own ways to complain.
#![cfg(feature = "llvm")]

mod common;

use common::{Case as Answers, End, cases};
use harness::case::{Case, Program};
use harness::directives;
use harness::lab;
use harness::path::llvm::paths;
use harness::path::{Detail, Observation, Path, Stage};
use harness::tac::{self, Perturbation};
use harness::tiny;

/// The path of a variant.
fn path(variant: &str) -> Box<dyn Path> {
    paths().into_iter().find(|path| path.id().variant == variant).unwrap()
}

/// The case, less the runs that have no end, with the outcomes of the others.
fn case(answers: &Answers, program: Program) -> (Case, Vec<String>) {
    let runs = answers.runs().into_iter().map(|run| (run.inputs, End::of(run.answers).outcome));
    let (vectors, outcomes) = runs.filter(|(_, outcome)| outcome != "out of fuel").unzip();
    (Case { program, vectors, fuel: answers.fuel() }, outcomes)
}

/// Every variant runs every case of a folder to its outcome, and so does what it raised. Gives the number of functions
/// that were raised.
fn conforms(folder: &str, program: impl Fn(&Answers) -> Option<Program>, variants: &[&str]) -> usize {
    let mut raised = 0;
    for variant in variants {
        let path = path(variant);
        for answers in cases(folder) {
            let Some(program) = program(&answers) else { continue };
            let (case, outcomes) = case(&answers, program);
            let observation = path.observe(&case, Detail::default());
            let name = format!("{} by {variant}", answers.name);
            assert_eq!((&observation.faults, &observation.unsupported), (&vec![], &vec![]), "{name}");
            let executed: Vec<_> =
                observation.outcomes.iter().map(|outcome| outcome.as_ref().unwrap().to_string()).collect();
            assert_eq!(executed, outcomes, "{name}");
            for raised in &observation.raised {
                assert_eq!(lab::validate(&raised.function), [], "{name}\n{}", raised.function);
                let run = |inputs: &Vec<i64>| lab::run(&raised.function, inputs, 100_000_000).outcome.to_string();
                let interpreted: Vec<_> = case.vectors.iter().map(run).collect();
                assert_eq!(interpreted, outcomes, "{name}\n{}", raised.function);
            }
            for (stage, interpreted) in &observation.interpreted {
                let interpreted: Vec<_> =
                    interpreted.iter().map(|outcome| outcome.as_ref().unwrap().to_string()).collect();
                assert_eq!(interpreted, outcomes, "{name}, {stage}: {:?}", observation.notes);
            }
            // Every pipeline's output is run as it stands.
            let optimizes = !["-O0", "-O0-cg2"].iter().any(|level| variant.ends_with(level));
            assert_eq!(!observation.interpreted.is_empty(), optimizes, "{name}");
            raised += observation.raised.len();
        }
    }
    raised
}

fn tiny(answers: &Answers) -> Option<Program> {
    Some(Program::Tiny(tiny::parse(&answers.text).unwrap()))
}

fn tac(answers: &Answers) -> Option<Program> {
    Some(Program::Tac(tac::parse(&answers.text).unwrap()))
}

const FAST: [&str; 10] = [
    "phi-O0",
    "phi-mid",
    "phi-narrow-O0",
    "phi-narrow-mid",
    "alloca-O0",
    "alloca-mid",
    "mem2reg-O0",
    "mem2reg-mid",
    "sroa-O0",
    "sroa-mid",
];
const SLOW: [&str; 15] = [
    "steps-mid",
    "steps-O2",
    "phi-O0-cg2",
    "phi-mid-cg2",
    "phi-O1",
    "phi-O2",
    "phi-O2-cg0",
    "phi-narrow-O0-cg2",
    "phi-narrow-O1",
    "phi-narrow-O2",
    "alloca-O2",
    "alloca-O3",
    "mem2reg-Os",
    "sroa-O1",
    "sroa-O2",
];

#[test]
fn tiny_cases() {
    // All constructions but alloca are raised.
    assert_eq!(conforms("tiny", tiny, &FAST), 8 * cases("tiny").len());
}

#[test]
fn tac_cases() {
    assert_eq!(conforms("tac", tac, &FAST), 8 * cases("tac").len());
    conforms("tac", tac, &SLOW);
}

#[test]
fn a_few_tiny_cases_at_the_slow_levels() {
    let few = ["euler1", "gcd", "in_guarded_div", "in_rem", "in_trap_in_loop", "short_circuit_while", "swap_in_if"];
    conforms("tiny", |answers| few.contains(&answers.name.as_str()).then(|| tiny(answers)).flatten(), &SLOW);
}

#[test]
fn functions_in_the_labs_forms() {
    let valid = |answers: &Answers| answers.answers["rules"].as_array().unwrap().is_empty();
    let ssa = |answers: &Answers| valid(answers).then(|| Program::Ssa(lab::parse_ssa(&answers.text).unwrap()));
    let phi = |answers: &Answers| valid(answers).then(|| Program::Phi(lab::parse_phi(&answers.text).unwrap()));
    assert!(conforms("ssa", ssa, &["phi-O0", "phi-mid", "phi-narrow-mid"]) > 10);
    assert!(conforms("phi", phi, &["phi-O0", "phi-mid", "phi-narrow-mid"]) > 10);
}

#[test]
fn switches() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/agree");
    for (name, variants) in [
        ("switch_dense.tac", [FAST.as_slice(), &SLOW].concat()),
        ("switch_sparse.tac", [FAST.as_slice(), &SLOW, &["perturbed-switches", "perturbed-mem2reg-O0"]].concat()),
        ("switch_conflict.ssa", vec!["phi-O0", "phi-mid", "phi-mid-cg2", "phi-narrow-mid"]),
    ] {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        let program = match tac::parse(&text) {
            Ok(program) => Program::Tac(program),
            Err(_) => Program::Ssa(lab::parse_ssa(&text).unwrap()),
        };
        let (vectors, right): (Vec<_>, Vec<_>) =
            directives::parse(&text).unwrap().into_iter().map(|run| (run.vector, run.expected)).unzip();
        let case = Case { program, vectors, fuel: 1000 };
        for variant in variants {
            let Observation { raised, outcomes, faults, unsupported, .. } =
                path(variant).observe(&case, Detail::default());
            assert_eq!((faults, unsupported, &outcomes), (vec![], vec![], &right), "{name} by {variant}");
            for function in raised.into_iter().map(|raised| raised.function) {
                assert_eq!(lab::validate(&function), [], "{name} by {variant}\n{function}");
                let interpreted = case.vectors.iter().map(|inputs| Some(lab::run(&function, inputs, 1000).outcome));
                assert_eq!(interpreted.collect::<Vec<_>>(), right, "{name} by {variant}\n{function}");
            }
        }
    }
}

fn observe(variant: &str, program: Program, detail: Detail) -> Observation {
    path(variant).observe(&Case { program, vectors: vec![vec![]], fuel: 1000 }, detail)
}

fn tiny_program(text: &str) -> Program {
    Program::Tiny(tiny::parse(text).unwrap())
}

#[test]
fn what_a_path_cannot_take_is_said() {
    let function = Program::Ssa(lab::parse_ssa("entry:\n  ret 1\n").unwrap());
    for variant in ["alloca-O0", "mem2reg-O0", "sroa-mid"] {
        let observation = observe(variant, function.clone(), Detail::default());
        assert_eq!(observation, Observation::unsupported("needs a program in Tiny or TAC"));
    }
    let invalid = Program::Ssa(lab::parse_ssa("entry:\n  ret x\n").unwrap());
    let observation = observe("phi-O0", invalid, Detail::default());
    assert_eq!(observation, Observation::unsupported("needs a valid function"));
}

#[test]
fn a_run_with_the_wrong_number_of_values_is_not_run() {
    let program = tiny_program("input a; return a");
    let observation = observe("phi-O0", program, Detail::default());
    assert!(observation.outcomes.is_empty());
    assert_eq!(observation.unsupported.len(), 1);
}

#[test]
fn texts_come_by_name_when_asked_for() {
    let program = tiny_program("x = 1; while x < 9 { x = x * 2; } return x");
    let names = |variant: &str| {
        let texts = observe(variant, program.clone(), Detail { texts: true, ..Detail::default() }).texts;
        assert!(texts.iter().all(|(_, text)| text.contains(" i64 @f(ptr ")), "{texts:?}");
        texts.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
    };
    assert_eq!(names("phi-O0"), ["llvm"]);
    assert_eq!(names("mem2reg-O0"), ["llvm", "llvm-mem2reg"]);
    assert_eq!(names("sroa-mid"), ["llvm", "llvm-sroa", "llvm-mid"]);
    assert_eq!(names("alloca-O2"), ["llvm", "llvm-O2"]);
    assert!(observe("phi-O0", program, Detail::default()).texts.is_empty());
}

/// `mem2reg` places the phis that pruning leaves: the lesson's §7 counts three for the running example. Without machine
/// code, what the optimizer left is run as it stands; where there is no optimizer, the code is all there is.
#[test]
fn without_code_what_the_optimizer_left_still_runs() {
    let text = "n = 9; s = 0; while n > 0 { s = s + n; n = n - 1 } return s";
    let detail = Detail { no_code: true, ..Detail::default() };
    for (variant, has_code) in [("phi-O0", true), ("phi-O2", false), ("steps-O2", false)] {
        let observation = observe(variant, tiny_program(text), detail);
        assert_eq!((observation.faults.len(), observation.unsupported.len()), (0, 0), "{variant}");
        let optimized = observation.interpreted.iter().any(|(stage, _)| *stage == Stage::Optimize);
        assert_eq!((observation.size.is_some(), optimized), (has_code, !has_code), "{variant}");
        assert_eq!(observation.outcomes.is_empty(), !has_code, "{variant}");
    }
}

#[test]
fn mem2reg_places_the_lessons_phis() {
    let text = cases("tiny").into_iter().find(|case| case.name == "euler1").unwrap().text;
    let observation = observe("mem2reg-O0", tiny_program(&text), Detail { texts: true, ..Detail::default() });
    let (name, text) = &observation.texts[1];
    assert_eq!(name, "llvm-mem2reg");
    assert!(!text.contains("alloca"), "{text}");
    assert_eq!(observation.raised[0].stage, Stage::Construct);
    assert_eq!(observation.raised[0].function.param_count(), 4, "{text}");
}

#[test]
fn every_path_is_there_once_and_names_its_version() {
    let paths = paths();
    let mut names: Vec<_> = paths.iter().map(|path| path.id().to_string()).collect();
    let plain = |names: &[String]| {
        let others = ["/perturbed-", "/steps-", "-narrow-", "-flags"];
        names.iter().filter(|name| !others.iter().any(|other| name.contains(other))).count()
    };
    assert_eq!(plain(&names), 36);
    assert!(names.len() > 36 + Perturbation::ALL.len(), "{names:?}");
    assert!(names.iter().all(|name| name.starts_with("llvm@22.1.")), "{names:?}");
    names.sort();
    names.dedup();
    assert_eq!(names.len(), paths.len());
    for path in paths {
        let toolchain = path.toolchain();
        assert_eq!(toolchain.group, if path.id().variant.starts_with("phi-") { "lab+llvm" } else { "llvm" });
        assert!(toolchain.description.contains("cpu x86-64"), "{}", toolchain.description);
        assert_eq!(toolchain.unavailable, None);
    }
}
