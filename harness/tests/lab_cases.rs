//! The lab against the right answers of an independent implementation: the cases in `cases/ssa` and `cases/phi`.
//!
//! The answers that come from pruning (`ssa-live`, `ssa-pruned`) are checked where pruning is.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use harness::dialect::Dialect;
use harness::lab::{self, Function, PhiFunction, Violation};
use harness::op::{End, Execution};
use serde_json::Value as Json;

/// Calls `check` with each case's name, text and answers.
fn each_case(form: &str, mut check: impl FnMut(&str, &str, &Json)) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(form);
    let mut count = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == form) {
            let answers = fs::read_to_string(path.with_extension("json")).unwrap();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            check(&name, &fs::read_to_string(&path).unwrap(), &serde_json::from_str(&answers).unwrap());
            count += 1;
        }
    }
    assert!(count > 10, "{} holds the cases", folder.display());
}

/// The rules that are violated, sorted.
fn rules(violations: &[Violation]) -> Vec<String> {
    let rules: BTreeSet<_> = violations.iter().map(|violation| violation.rule).collect();
    rules.into_iter().map(|rule| rule.to_string()).collect()
}

fn strings(json: &Json) -> Vec<String> {
    json.as_array().unwrap().iter().map(|item| item.as_str().unwrap().to_owned()).collect()
}

/// Every run of a case gives its outcome in its number of steps.
fn check_runs(name: &str, answers: &Json, run: impl Fn(&[i64], u64) -> Execution) {
    let fuel = answers["fuel"].as_u64().unwrap();
    for expected in answers["runs"].as_array().unwrap() {
        let inputs: Vec<i64> = strings(&expected["inputs"]).iter().map(|input| input.parse().unwrap()).collect();
        let Execution { outcome, steps } = run(&inputs, fuel);
        assert_eq!(outcome.to_string(), expected["outcome"].as_str().unwrap(), "{name} on {inputs:?}");
        assert_eq!(steps, expected["steps"].as_u64().unwrap(), "{name} on {inputs:?}");
    }
}

/// `[source, branch, target]` of the critical edges; on demand only of those that pass arguments.
fn critical_edges(function: &Function, only_with_arguments: bool) -> Json {
    let edges = lab::critical_edges(function).into_iter().filter(|edge| edge.passes_arguments || !only_with_arguments);
    let name = |block: lab::Block| function.block_names.get(block.0).to_string();
    edges.map(|edge| serde_json::json!([name(edge.source), edge.branch, name(edge.target)])).collect()
}

#[test]
fn ssa() {
    each_case("ssa", |name, text, answers| {
        let expected = strings(&answers["rules"]);
        let Ok(function) = lab::parse_ssa(text) else { return assert_eq!(expected, ["S0"], "{name}") };
        assert_eq!(rules(&lab::validate(&function)), expected, "{name}");
        if expected.is_empty() {
            check_valid_ssa(name, &function, answers);
        }
    });
}

fn check_valid_ssa(name: &str, function: &Function, answers: &Json) {
    assert_eq!(function.to_string(), answers["forms"]["ssa"].as_str().unwrap(), "{name}");
    check_runs(name, answers, |inputs, fuel| lab::run(function, inputs, fuel));

    let conflicts = lab::conflicts(function).into_iter().map(|block| function.block_names.get(block.0).to_string());
    assert_eq!(conflicts.collect::<Vec<_>>(), strings(&answers["conflicts"]), "{name}");
    assert_eq!(critical_edges(function, false), answers["critical_edges"], "{name}");
    assert_eq!(critical_edges(function, true), answers["critical_edges_with_args"], "{name}");

    let split = lab::split_conflicts(function);
    assert_eq!(split.to_string(), answers["split"].as_str().unwrap(), "{name}");
    let phi = lab::args_to_phi(&split);
    assert_eq!(phi.to_string(), answers["phi"].as_str().unwrap(), "{name}");
    assert_eq!(lab::validate_phi(&phi), [], "{name}");
}

/// A dialect that is given counts, whatever the text says of itself.
#[test]
fn texts_are_read_in_the_dialect_that_is_given() {
    let ssa = "ssa(a)\nB:\n  x = add.s8 a, 1\n  ret x\n";
    let phi = ssa.replacen("ssa", "phi", 1);
    for says in ["", "# dialect: core\n", "# dialect: plus\n"] {
        let (ssa, phi) = (format!("{says}{ssa}"), format!("{says}{phi}"));
        assert_eq!(
            lab::run(&lab::parse_ssa_in(&ssa, Dialect::Plus).unwrap(), &[127], 9).outcome,
            End::Return(-128).into()
        );
        assert_eq!(
            lab::run_phi(&lab::parse_phi_in(&phi, Dialect::Plus).unwrap(), &[127], 9).outcome,
            End::Return(-128).into()
        );
        assert!(lab::parse_ssa_in(&ssa, Dialect::Core).is_err() && lab::parse_phi_in(&phi, Dialect::Core).is_err());
    }
}

#[test]
fn phi() {
    each_case("phi", |name, text, answers| {
        // The labels P0–P4 of the answers correspond to the rules S0–S4.
        let expected: Vec<String> = strings(&answers["rules"]).iter().map(|label| label.replace('P', "S")).collect();
        let function = lab::parse_phi(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(rules(&lab::validate_phi(&function)), expected, "{name}");
        if expected.is_empty() {
            check_well_formed_phi(name, &function, answers);
        }
    });
}

fn check_well_formed_phi(name: &str, function: &PhiFunction, answers: &Json) {
    assert_eq!(function.to_string(), answers["phi"].as_str().unwrap(), "{name}");
    check_runs(name, answers, |inputs, fuel| lab::run_phi(function, inputs, fuel));

    let ssa = lab::phi_to_args(function);
    assert_eq!(ssa.to_string(), answers["ssa"].as_str().unwrap(), "{name}");
    assert_eq!(rules(&lab::validate(&ssa)), strings(&answers["ssa_rules"]), "{name}");
}
