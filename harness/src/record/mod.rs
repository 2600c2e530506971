//! Writing findings down, and reading the corpus back.
//!
//! A corpus is a folder of program texts. The nearest folder with a verdict's name says what is expected of what lies in
//! it: `agree/loop.tiny`, `known-bugs/indvars.tiny` (real bugs of other versions: today's agree), and
//! `findings/SIGNATURE/min.tiny`, whose verdict stands in `finding.json`.

mod corpus;
mod finding;
pub mod known_bugs;
mod readme;

pub use corpus::{Entry, Expected, entries};
pub use finding::{Finding, Recorded, Toolchained, record, recorded, right};

use crate::case::{Case, Program};
use crate::directives::Directive;
use crate::op::Outcome;

/// A case as a file: the run directives, with the right outcomes where they are known, and the program.
pub fn case_text(case: &Case, right: &[Outcome]) -> String {
    let mut text = String::new();
    for (index, vector) in case.vectors.iter().enumerate() {
        let expected = right.get(index).copied().filter(|outcome| *outcome != Outcome::OutOfFuel);
        let directive = Directive { vector: vector.clone(), expected, span: 0..0 };
        text.push_str(&format!("{directive}\n"));
    }
    text + &program_text(&case.program)
}

/// A program's text in its own language, ending with a line end.
pub fn program_text(program: &Program) -> String {
    let mut text = match program {
        Program::Tiny(program) => program.to_string(),
        Program::Tac(program) => program.to_string(),
        Program::Ssa(function) => function.to_string(),
        Program::Phi(function) => function.to_string(),
    };
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}
