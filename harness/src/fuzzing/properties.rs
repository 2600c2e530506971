//! What the lesson proves and what the texts promise, as properties that panic when they do not hold.

use std::collections::BTreeSet;

use crate::case::{Case, Program};
use crate::fuzzing::definition;
use crate::lab::{self, Function, Rule};
use crate::{tac, tiny};

/// Fuel of traced runs: a trace keeps every step.
const TRACE_FUEL: u64 = 2_000;

/// A property that every parser has: any text gives a program or an error, and what a program prints is that program.
pub fn parse(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Ok(program) = tiny::parse(&text) {
        assert_eq!(tiny::parse(&program.to_string()), Ok(program));
    }
    if let Ok(program) = tac::parse(&text) {
        assert_eq!(tac::parse(&program.to_string()), Ok(program));
    }
    if let Ok(function) = lab::parse_ssa(&text) {
        assert_eq!(lab::parse_ssa(&function.to_string()), Ok(function));
    }
    if let Ok(function) = lab::parse_phi(&text) {
        assert_eq!(lab::parse_phi(&function.to_string()), Ok(function));
    }
    // Directives are read from any text, so that must not panic either.
    let _ = crate::directives::parse(&text);
}

/// The property of functions, valid or not, that the validator finds what the definition forbids (Theorem 8.4.8).
pub fn validate(case: &Case) {
    let Program::Ssa(function) = &case.program else { return };
    let found: BTreeSet<Rule> = lab::validate(function).into_iter().map(|violation| violation.rule).collect();
    assert_eq!(found, definition::violated(function), "Theorem 8.4.8\n{function}");
}

/// The property of valid functions that both directions of Algorithm 8.4.6 undo each other and keep the behaviour
/// (Theorem 8.4.10), after splitting what Lemma 8.4.11 says must be.
pub fn phi_args(case: &Case) {
    let Program::Ssa(function) = &case.program else { return };
    if !lab::validate(function).is_empty() {
        return;
    }
    let split = lab::split_conflicts(function);
    assert!(lab::conflicts(&split).is_empty() && lab::validate(&split).is_empty(), "Lemma 8.4.11\n{split}");
    assert_eq!(lab::conflicts(function).is_empty(), split == *function, "Lemma 8.4.11\n{function}");

    let phi = lab::args_to_phi(&split);
    assert!(lab::validate_phi(&phi).is_empty(), "Theorem 8.4.10\n{phi}");
    assert_eq!(lab::phi_to_args(&phi), split, "Theorem 8.4.10\n{split}");
    assert_eq!(lab::args_to_phi(&lab::phi_to_args(&phi)), phi, "Theorem 8.4.10\n{phi}");
    for vector in &case.vectors {
        let (execution, trace) = lab::trace(&split, vector, TRACE_FUEL);
        assert_eq!((execution, trace), lab::trace_phi(&phi, vector, TRACE_FUEL), "Theorem 8.4.10, {vector:?}\n{split}");
        same_outcome(function, &split, vector);
    }
}

/// Splitting an edge adds a step to it and changes nothing else.
fn same_outcome(function: &Function, split: &Function, vector: &[i64]) {
    let before = lab::run(function, vector, TRACE_FUEL);
    let after = lab::run(split, vector, 2 * TRACE_FUEL);
    if before.outcome != crate::op::Outcome::OutOfFuel {
        assert_eq!(before.outcome, after.outcome, "Lemma 8.4.11, {vector:?}\n{function}");
    }
}
