//! The passes: each a function from a case and a number to the candidate with that number.
//!
//! A pass need not care whether a candidate is smaller or was tested before (the driver does), nor whether the program
//! means the same (the predicate decides). It must only propose programs that their own parser would accept, and end.

mod arrays;
mod constants;
mod operations;
mod ssa;
mod tac;
mod text;
mod tiny;
mod vectors;

use crate::case::{Case, Form, Program};
use crate::{lab, tac as tac_language, tiny as tiny_language};

/// One way to make cases smaller.
pub struct Pass {
    /// Its name in progress reports.
    pub name: &'static str,
    /// The candidate with this number.
    pub attempt: fn(&Case, usize) -> Attempt<Case>,
}

/// What a pass proposes at a number.
pub enum Attempt<T> {
    /// This.
    Candidate(T),
    /// Nothing at this number, but perhaps at the next.
    Nothing,
    /// Nothing at this number nor at any later one.
    End,
}

impl<T> Attempt<T> {
    /// The same with the candidate put into something else.
    fn map<U>(self, wrap: impl FnOnce(T) -> U) -> Attempt<U> {
        match self {
            Attempt::Candidate(candidate) => Attempt::Candidate(wrap(candidate)),
            Attempt::Nothing => Attempt::Nothing,
            Attempt::End => Attempt::End,
        }
    }
}

impl<T> From<Option<T>> for Attempt<T> {
    fn from(candidate: Option<T>) -> Attempt<T> {
        candidate.map_or(Attempt::Nothing, Attempt::Candidate)
    }
}

/// The passes for a form: what makes programs much smaller first, then the finer work.
pub fn groups(form: Form) -> &'static [&'static [Pass]] {
    match form {
        Form::Tiny => &[tiny::COARSE, tiny::FINE],
        Form::Tac => &[tac::COARSE, tac::FINE],
        Form::Ssa | Form::Phi => &[ssa::COARSE, ssa::FINE, text::PASSES],
    }
}

/// The empty program in the case's form, with one run.
pub fn empty(case: &Case) -> Case {
    let parsed = match case.program.form() {
        Form::Tiny => tiny_language::parse("return 0").map(Program::Tiny),
        Form::Tac => tac_language::parse("ret 0").map(Program::Tac),
        Form::Ssa => lab::parse_ssa("entry:\n ret 0").map(Program::Ssa),
        Form::Phi => lab::parse_phi("entry:\n ret 0").map(Program::Phi),
    };
    let program = parsed.expect("the empty program parses");
    Case { program, vectors: vec![Vec::new()], fuel: case.fuel }
}

/// Ranges of a list of this length, to delete: all of it, its halves, its quarters, .., single items.
fn chunks(length: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    let sizes = std::iter::successors(Some(length), |size| Some(size / 2)).take_while(|&size| size > 0);
    sizes.flat_map(move |size| (0..length).step_by(size).map(move |at| at..(at + size).min(length)))
}

#[cfg(test)]
mod tests {
    use super::chunks;

    #[test]
    fn chunks_go_from_everything_to_single_items() {
        assert_eq!(chunks(0).count(), 0);
        assert!(chunks(1).eq(std::iter::once(0..1)));
        assert_eq!(chunks(5).collect::<Vec<_>>(), [0..5, 0..2, 2..4, 4..5, 0..1, 1..2, 2..3, 3..4, 4..5]);
    }
}
