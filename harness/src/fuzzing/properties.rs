//! What the lesson proves and what the texts promise, as properties that panic when they do not hold.

use crate::case::{Case, Program};
use crate::lab::{self, theorems};
use crate::{directives, tac, tiny};

/// Fuel of traced runs: a trace keeps every step.
const TRACE_FUEL: u64 = 2_000;

/// Fuel of runs that are repeated for each parameter that pruning removes.
const PRUNING_FUEL: u64 = 500;

/// A property of the parsers: any text gives a program or an error, and what a program prints is that program.
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
        // Entries may come in any order and are printed in that of the blocks.
        let printed = function.to_string();
        assert_eq!(lab::parse_phi(&printed).map(|function| function.to_string()), Ok(printed));
    }
    for directive in directives::parse(&text).into_iter().flatten() {
        let printed = directives::parse(&directive.to_string()).expect("a printed directive parses");
        assert_eq!((&printed[0].vector, &printed[0].expected), (&directive.vector, &directive.expected));
    }
}

/// The property of functions, valid or not, that the validators find what the definitions forbid (Theorem 8.4.8).
pub fn validator_is_definition(case: &Case) {
    holds(match &case.program {
        Program::Ssa(function) => theorems::validator_is_definition(function),
        Program::Phi(function) => theorems::phi_validator_is_definition(function),
        Program::Tiny(_) | Program::Tac(_) => Ok(()),
    });
}

/// The property of valid functions that both directions of Algorithm 8.4.6 undo each other and keep the behavior
/// (Theorem 8.4.10), once the edges that Lemma 8.4.11 names are split.
pub fn phi_args(case: &Case) {
    for vector in &case.vectors {
        match &case.program {
            Program::Ssa(function) if lab::validate(function).is_empty() => {
                holds(theorems::splitting_restores_the_correspondence(function, vector, TRACE_FUEL));
                let phi = lab::args_to_phi(&lab::split_conflicts(function));
                holds(theorems::phis_round_trip(&phi, vector, TRACE_FUEL));
            }
            Program::Phi(function) if lab::validate_phi(function).is_empty() => {
                holds(theorems::phis_round_trip(function, vector, TRACE_FUEL));
            }
            _ => {}
        }
    }
}

/// The property of programs that the constructions give valid functions that behave the same (Theorem 8.4.9), and that
/// pruning these keeps it so (Proposition 8.4.12).
pub fn construct(case: &Case) {
    for vector in &case.vectors {
        let constructed = match &case.program {
            Program::Tiny(program) => {
                holds(theorems::construction_keeps_the_program(program, vector, TRACE_FUEL));
                holds(theorems::constructions_from_tac_agree(&tac::lower(program), vector, TRACE_FUEL));
                lab::construct_naive(program)
            }
            Program::Tac(program) => {
                holds(theorems::constructions_from_tac_agree(program, vector, TRACE_FUEL));
                lab::construct_maximal(&tac::cfg(program))
            }
            Program::Ssa(_) | Program::Phi(_) => continue,
        };
        holds(theorems::pruning_keeps_the_behavior(&constructed, vector, PRUNING_FUEL));
    }
}

fn holds(theorem: theorems::Checked) {
    if let Err(message) = theorem {
        panic!("{message}");
    }
}
