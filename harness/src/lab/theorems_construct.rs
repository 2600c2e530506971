//! What the lesson proves about construction and pruning, as checks of one program on one input vector: Theorem 8.4.9,
//! Proposition 8.4.12, and that the fast ways agree with the slow ones. Tests and fuzz targets call them; an error says
//! what does not hold.

use super::{
    Function, construct_live, construct_maximal, construct_naive, prune_dead, prune_trivial, remove_first_trivial, run,
    validate,
};
use crate::op::{Execution, Outcome};
use crate::{tac, tiny};

/// Theorem 8.4.9: the output of Algorithm 8.4.7 is valid and runs as the program does, with the same number of steps.
pub fn theorem_8_4_9(program: &tiny::Program, inputs: &[i64], fuel: u64) -> Result<(), String> {
    let function = construct_naive(program);
    valid_and_runs_as(&function, tiny::eval(program, inputs, fuel), inputs, fuel)
}

/// Proposition 8.4.12 on a valid function: still valid and the same behaviour without the dead parameters, and then
/// after the removal of each single trivial parameter; and [`prune_trivial`] ends where these removals end.
pub fn proposition_8_4_12(function: &Function, inputs: &[i64], fuel: u64) -> Result<(), String> {
    let expected = run(function, inputs, fuel);
    let mut slow = function.clone();
    prune_dead(&mut slow);
    valid_and_runs_as(&slow, expected, inputs, fuel)?;

    let mut fast = slow.clone();
    prune_trivial(&mut fast);
    while let Some(next) = remove_first_trivial(&slow) {
        valid_and_runs_as(&next, expected, inputs, fuel)?;
        slow = next;
    }
    same_text("trivial parameters, pruned in any order", &fast, "one by one", &slow)
}

/// The constructions from TAC: maximal SSA is valid and has the program's outcome, and building it with its live
/// parameters only is the same as pruning the dead ones.
pub fn constructions_from_tac(program: &tac::Program, inputs: &[i64], fuel: u64) -> Result<(), String> {
    let cfg = tac::cfg(program);
    let mut function = construct_maximal(&cfg);
    let run = run(&function, inputs, fuel);
    valid_and_runs_as(&function, run, inputs, fuel)?;
    // The block form counts its steps otherwise.
    let expected = tac::eval(program, inputs, fuel).outcome;
    if run.outcome != expected && run.outcome != Outcome::OutOfFuel && expected != Outcome::OutOfFuel {
        return Err(format!("maximal SSA ends with {}, its TAC with {expected}\n{function}", run.outcome));
    }
    prune_dead(&mut function);
    same_text("maximal SSA without dead parameters", &function, "SSA built from liveness", &construct_live(&cfg))
}

fn valid_and_runs_as(function: &Function, expected: Execution, inputs: &[i64], fuel: u64) -> Result<(), String> {
    if let Some(violation) = validate(function).first() {
        return Err(format!("{violation}\n{function}"));
    }
    let actual = run(function, inputs, fuel);
    if actual != expected {
        return Err(format!("runs as {actual:?}, expected {expected:?}\n{function}"));
    }
    Ok(())
}

fn same_text(left_name: &str, left: &Function, right_name: &str, right: &Function) -> Result<(), String> {
    let (left, right) = (left.to_string(), right.to_string());
    if left != right {
        return Err(format!("{left_name}:\n{left}\n{right_name}:\n{right}"));
    }
    Ok(())
}
