//! Validators against each other: every mutation is rejected and accepted by those that the map names, what is valid is
//! accepted by all that can say it, and a validator that lost a rule is found.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use arbitrary::Unstructured;
use harness::case::{Case, Program};
use harness::generate::breaks::{break_function, break_phi_function};
use harness::generate::function::{valid_function, valid_phi_function};
use harness::generate::{Choices, SplitMix64};
use harness::lab::{self, Clause};
use harness::path::{Judge, Judgement, validators};
use harness::plant::{self, Fault};
use harness::validators::map::{Ruling, ruling};
use harness::{fuzzing, validators as compare};

/// Functions that each mutation is tried on.
const SEEDS: u64 = 300;

fn bytes(seed: u64, stream: u64) -> Vec<u8> {
    let mut choices = SplitMix64::new(seed, stream);
    (0..100).flat_map(|_| choices.bits().to_le_bytes()).collect()
}

/// Functions of both forms that were broken in this way.
fn broken(clause: Clause, seed: u64) -> Vec<Program> {
    let bytes = bytes(seed, 1);
    let mut programs = Vec::new();
    let mut u = Unstructured::new(&bytes);
    let mut function = valid_function(&mut u).unwrap();
    if break_function(&mut function, clause, &mut u).unwrap() {
        programs.push(Program::Ssa(function));
    }
    let mut u = Unstructured::new(&bytes);
    let mut function = valid_phi_function(&mut u).unwrap();
    if break_phi_function(&mut function, clause, &mut u).unwrap() {
        programs.push(Program::Phi(function));
    }
    programs
}

fn assert_on_the_map(program: Program, what: &str) {
    let case = Case { program, vectors: Vec::new(), fuel: 1 };
    let report = compare::check(&case, &validators()).unwrap();
    let text = harness::record::program_text(&case.program);
    assert!(!report.verdict.is_finding(), "{what}\n{text}{:?}: {:#?}", report.signature, report.faults);
}

#[test]
fn every_mutation_is_judged_as_the_map_has_it() {
    let validators = validators();
    for &clause in Clause::ALL {
        let mut seen: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for program in (0..SEEDS).flat_map(|seed| broken(clause, seed)) {
            let touched = compare::touched(&program).unwrap();
            assert!(touched.contains(&clause), "{clause:?} touches {touched:?} in {program:?}");
            // Where nothing else is touched, the clause alone is judged.
            if touched.len() == 1 {
                for validator in &validators {
                    let said = match compare::judge(validator, &program).unwrap() {
                        Judgement::Accepts => Ruling::Accepts,
                        Judgement::Rejects(_) => Ruling::Rejects,
                        Judgement::CannotSay(_) => Ruling::CannotSay,
                        Judgement::Fails(message) => panic!("{clause:?}: {message}"),
                    };
                    *seen.entry((validator.judge.name(), said.name())).or_default() += 1;
                }
            }
            assert_on_the_map(program, clause.name());
        }
        for judge in validators.iter().map(|validator| validator.judge) {
            let named = (judge.name(), ruling(judge, clause).name());
            assert!(seen.get(&named).is_some_and(|&count| count >= 5), "{clause:?}, {named:?}: {seen:?}");
            assert_eq!(seen.keys().filter(|key| key.0 == judge.name()).count(), 1, "{clause:?}: {seen:?}");
        }
    }
}

#[test]
fn what_is_valid_is_accepted() {
    for seed in 0..SEEDS {
        assert_on_the_map(Program::Ssa(valid_function(&mut Unstructured::new(&bytes(seed, 2))).unwrap()), "valid");
        assert_on_the_map(Program::Phi(valid_phi_function(&mut Unstructured::new(&bytes(seed, 3))).unwrap()), "valid");
    }
}

#[test]
fn the_cases_are_judged_as_the_map_has_it() {
    let mut accepted = 0;
    for form in ["ssa", "phi"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(form);
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let text = fs::read_to_string(&path).unwrap();
            let program = match path.extension().and_then(|extension| extension.to_str()) {
                Some("ssa") => lab::parse_ssa(&text).map(Program::Ssa),
                Some("phi") => lab::parse_phi(&text).map(Program::Phi),
                _ => continue,
            };
            // What does not parse (S0) is judged by the parser alone.
            let Ok(program) = program else { continue };
            let touched = compare::touched(&program).unwrap();
            let valid = match &program {
                Program::Ssa(function) => lab::validate(function).is_empty(),
                Program::Phi(function) => lab::validate_phi(function).is_empty(),
                _ => unreachable!("read as one of the two"),
            };
            let all_accept = validators().iter().all(|validator| {
                compare::expected(validator, &touched).0 == Ruling::Accepts
                    && compare::judge(validator, &program) == Some(Judgement::Accepts)
            });
            assert!(valid || !all_accept, "{}", path.display());
            accepted += usize::from(all_accept);
            assert_on_the_map(program, &path.display().to_string());
        }
    }
    assert!(accepted >= 20, "{accepted} cases are accepted by all");
}

#[test]
fn no_compiler_is_missing() {
    let judges: Vec<Judge> = validators().iter().map(|validator| validator.judge).collect();
    let expected = [
        Some(Judge::Lab),
        cfg!(feature = "cranelift").then_some(Judge::Cranelift),
        cfg!(feature = "llvm").then_some(Judge::Llvm),
    ];
    assert_eq!(judges, expected.into_iter().flatten().collect::<Vec<_>>());
}

/// In a process of its own: planting is for all of a process.
#[test]
fn a_validator_that_forgets_dominance_is_found_minimized_and_recorded() {
    const TEST: &str = "a_validator_that_forgets_dominance_is_found_minimized_and_recorded";
    const CORPUS: &str = "VALIDATORS_TEST_CORPUS";
    if let Some(corpus) = std::env::var_os(CORPUS) {
        plant::plant(Some(Fault::LabNoDominanceCheck));
        for seed in 0..10_000 {
            let case = fuzzing::from_bytes(harness::case::Form::Ssa, &bytes(seed, 4));
            fuzzing::validate(&case, Path::new(&corpus));
        }
        return;
    }
    let corpus = tempfile::tempdir().unwrap();
    let program = std::env::current_exe().unwrap();
    let child = Command::new(program).args(["--exact", TEST]).env(CORPUS, corpus.path()).output().unwrap();
    let said = String::from_utf8_lossy(&child.stdout).into_owned() + &String::from_utf8_lossy(&child.stderr);
    assert!(!child.status.success(), "nothing was found\n{said}");
    let signature = "disagree.judge.lab-accepts-undominated";
    assert!(said.contains(signature), "{said}");
    let folder = corpus.path().join("findings").join(signature);
    let found = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{error}: {}\n{said}", folder.display()));
    let minimized = found.map(|entry| entry.unwrap().path()).find(|path| path.file_stem().is_some_and(|s| s == "min"));
    let text = fs::read_to_string(minimized.expect("a minimized function")).unwrap();
    assert!(text.lines().count() <= 10, "{text}");
}
