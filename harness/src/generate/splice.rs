//! Programs out of pieces of two others: what somebody once wrote down because it is hard, among what nobody thought
//! of.
//!
//! A piece is a few statements in a row, so that a loop mostly comes with what it starts from. Each of its variables
//! becomes one of the program's or a new one: some of what it computes meets what the program computes, and some of it
//! stays as it was.

use super::choices::Choices;
use super::mutate;
use crate::tiny::walk::{expressions, list_mut, lists, variables_mut};
use crate::tiny::{self, Program, Stmt, Var};

/// The most statements of a spliced program.
const MOST_STATEMENTS: usize = 60;
/// The most expressions.
const MOST_EXPRESSIONS: usize = 300;
/// A spliced program's runs take at most so many steps: pieces steer each other's loops, and many would never end.
const MOST_STEPS: u64 = 10_000;

/// One of two programs with pieces of the other in it, normalized; nothing if that became too large.
pub fn splice(first: &Program, second: &Program, choices: &mut impl Choices) -> Option<Program> {
    let (whole, donor) = if choices.chance(50) { (second, first) } else { (first, second) };
    let mut program = whole.clone();
    for _ in 0..choices.between(1, 3) {
        let piece = piece(donor, choices);
        put(piece, donor, &mut program, choices);
    }
    let is_small = program.size() <= MOST_STATEMENTS && expressions(&program).len() <= MOST_EXPRESSIONS;
    program.normalize();
    is_small.then_some(program)
}

/// Whether all runs end soon.
pub fn ends(program: &Program, vectors: &[Vec<i64>]) -> bool {
    vectors.iter().all(|vector| !tiny::eval(program, vector, MOST_STEPS).is_out_of_fuel())
}

/// One to three statements in a row.
fn piece(donor: &Program, choices: &mut impl Choices) -> Vec<Stmt> {
    let Some((n, at)) = mutate::any_statement(donor, choices) else { return Vec::new() };
    let list = lists(donor)[n];
    let end = list.len().min(at + choices.between(1, 3) as usize);
    list[at..end].to_vec()
}

/// Puts a piece somewhere, each of the donor's variables as one of the program's or as a new one.
fn put(mut piece: Vec<Stmt>, donor: &Program, program: &mut Program, choices: &mut impl Choices) {
    let own = program.variables.len() as u32;
    let mut become_of = |_| if own > 0 && choices.chance(50) { Some(Var(choices.below(own))) } else { None };
    let mut renamed: Vec<Option<Var>> = donor.variables.iter().map(&mut become_of).collect();
    variables_mut(&mut piece, &mut |var| {
        *var = *renamed[var.index()].get_or_insert_with(|| mutate::new_variable(program));
    });
    let count = lists(program).len() as u32;
    if let Some(list) = list_mut(program, choices.below(count) as usize) {
        let at = choices.below(list.len() as u32 + 1) as usize;
        list.splice(at..at, piece);
    }
}
