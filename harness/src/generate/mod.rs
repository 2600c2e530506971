//! Arbitrary programs: from a seed, from a fuzzer's bytes, or by changing a program that is there.
//!
//! A case depends on `(seed, index)` and the [`Policy`] alone, so a run is the same whatever the number of threads, and
//! one program of it can be had again by its number. The same generators turn a fuzzer's bytes into programs (through
//! `arbitrary`): see [`Choices`]. The corpus holds program text, never such bytes, because those rot with the
//! generator.
//!
//! ```
//! use harness::case::Form;
//! use harness::generate::{self, Policy};
//!
//! let case = generate::case(7, 0, Form::Tiny, &Policy::default());
//! assert_eq!(case, generate::case(7, 0, Form::Tiny, &Policy::default()));
//! ```

mod arbitrary;
pub mod breaks;
pub mod choices;
pub mod constants;
pub mod function;
mod mutate;
pub mod policy;
pub mod profile;
mod splice;
mod tac;
mod tiny;

pub use choices::{Choices, SplitMix64};
pub use mutate::{mutate, mutate_tac};
pub use policy::{Feature, Features, Policy};
pub use profile::Profile;

use crate::case::{Case, Form, Program};
use crate::lab;
use crate::tac::{Atom, Line};
use crate::tiny::{Expr, Stmt, walk};

/// How many of 100 programs of a run with a corpus are spliced.
const SPLICED: u32 = 25;

/// Program number `index` of a seed, with its input vectors.
///
/// A function in SSA or phi form is a TAC program's, with the parameters that its liveness needs.
pub fn case(seed: u64, index: u64, form: Form, policy: &Policy) -> Case {
    case_from(&mut SplitMix64::new(seed, index), form, policy)
}

/// Case number `index` of a run that has a corpus: in one of four, a Tiny program is spliced with one of these.
pub fn case_of_pieces(seed: u64, index: u64, form: Form, policy: &Policy, corpus: &[crate::tiny::Program]) -> Case {
    let mut choices = SplitMix64::new(seed, index);
    let case = case_from(&mut choices, form, policy);
    let (Program::Tiny(program), false) = (&case.program, corpus.is_empty()) else { return case };
    if !choices.chance(SPLICED) {
        return case;
    }
    let other = &corpus[choices.below(corpus.len() as u32) as usize];
    let Some(program) = splice::splice(program, other, &mut choices) else { return case };
    let own = own_constants(&program);
    let vectors = vectors_near(&mut choices, program.inputs, policy.vectors, own);
    if splice::ends(&program, &vectors) { Case { program: Program::Tiny(program), vectors, ..case } } else { case }
}

/// A case from any source of decisions.
pub fn case_from(choices: &mut impl Choices, form: Form, policy: &Policy) -> Case {
    let (program, own) = match form {
        Form::Tiny => {
            let program = tiny::program(choices, policy);
            let own = own_constants(&program);
            (Program::Tiny(program), own)
        }
        Form::Tac | Form::Ssa | Form::Phi => {
            let program = tac::program(choices, policy);
            let own = own_constants_tac(&program);
            (in_form(program, form), own)
        }
    };
    let vectors = vectors_near(choices, program.inputs(), policy.vectors, own);
    Case { program, vectors, fuel: policy.fuel }
}

/// A TAC program in one of the forms that it can be brought into.
fn in_form(program: crate::tac::Program, form: Form) -> Program {
    let function = || lab::construct_live(&crate::tac::cfg(&program));
    match form {
        Form::Tiny | Form::Tac => Program::Tac(program),
        Form::Ssa => Program::Ssa(function()),
        Form::Phi => Program::Phi(lab::args_to_phi(&lab::split_conflicts(&function()))),
    }
}

/// Input vectors for a program of which nothing else is known.
pub fn vectors(choices: &mut impl Choices, inputs: usize, most: u32) -> Vec<Vec<i64>> {
    vectors_near(choices, inputs, most, Vec::new())
}

/// Input vectors, all different: small numbers, boundaries, and the program's own constants, because a comparison or a
/// division is most likely wrong where its two sides are equal.
fn vectors_near(choices: &mut impl Choices, inputs: usize, most: u32, mut own: Vec<i64>) -> Vec<Vec<i64>> {
    if inputs == 0 {
        return vec![Vec::new()];
    }
    if own.iter().any(|&value| constants::is_boundary(value)) {
        own.retain(|&value| constants::is_boundary(value));
    }
    let count = choices.between(most.min(2), most).max(1);
    let boundaries = choices.pick(&[10, 30, 60]);
    let mut value = || {
        if !own.is_empty() && choices.chance(30) {
            choices.pick(&own).wrapping_add(choices.pick(&[0, 0, 0, 1, -1]))
        } else {
            constants::operand(choices, boundaries)
        }
    };
    let mut vectors: Vec<Vec<i64>> = Vec::with_capacity(count as usize);
    for _ in 0..count {
        let vector = (0..inputs).map(|_| value()).collect();
        if !vectors.contains(&vector) {
            vectors.push(vector);
        }
    }
    vectors
}

/// The literals of a program and its arms' constants.
fn own_constants(program: &crate::tiny::Program) -> Vec<i64> {
    let literal = |expr: &&Expr| if let Expr::Int(value) = expr { Some(*value) } else { None };
    let mut all: Vec<i64> = walk::expressions(program).iter().filter_map(literal).collect();
    for stmt in walk::lists(program).into_iter().flatten() {
        if let Stmt::Switch(_, arms, _) = stmt {
            all.extend(arms.iter().map(|(constant, _)| *constant));
        }
    }
    all
}

/// The constants that a TAC program computes with.
fn own_constants_tac(program: &crate::tac::Program) -> Vec<i64> {
    let constant = |atom: &Atom| if let Atom::Const(value) = atom { Some(*value) } else { None };
    let mut all = Vec::new();
    for line in &program.lines {
        match line {
            Line::Assign(assign) => all.extend(assign.operands().iter().filter_map(constant)),
            Line::Switch { arms, .. } => all.extend(arms.iter().map(|(constant, _)| *constant)),
            _ => {}
        }
    }
    all
}
