//! Writing findings down, and reading the corpus back.
//!
//! A corpus is a folder of program texts. The nearest folder with a verdict's name says what is expected of what lies
//! in it: `agree/loop.tiny`, `known-bugs/indvars.tiny` (real bugs of other versions: today's agree), and
//! `findings/IDENTITY/min.tiny`, whose verdict stands in `finding.json`. `known/` holds the issues that are filed
//! ([`known`]). [`run_log`] is the diary of a run, [`night`] what a long run of many parts left.

mod corpus;
pub mod coverage;
mod finding;
pub mod known;
pub mod known_bugs;
pub mod night;
pub mod part;
pub mod read;
mod readme;
pub mod run_log;
pub mod self_test;

use std::io::{self, Write};
use std::path::Path;

pub use corpus::{Entry, Expected, entries};
pub use finding::{Finding, RECORD, Recorded, Toolchained, finding_text, record, recorded, right};
pub use part::Part;

use crate::case::{Case, Program};
use crate::directives::Directive;
use crate::op::{End, Outcome};
use crate::plant::{self, Fault};

/// Writes a file beside its place and renames it, so that nobody ever sees half of it.
pub fn write(file: &Path, text: &str) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut beside = tempfile::NamedTempFile::new_in(folder)?;
    beside.write_all(text.as_bytes())?;
    // A temporary file is its owner's alone.
    beside.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
    beside.persist(file).map(|_| ()).map_err(|error| error.error)
}

/// A case as a file: the run directives, with the right outcomes where they are known, and the program.
pub fn case_text(case: &Case, right: &[Outcome]) -> String {
    let mut text = String::new();
    let count = case.vectors.len() - usize::from(plant::on(Fault::RecordDropsRun));
    for (index, vector) in case.vectors.iter().enumerate().take(count) {
        let expected = right.get(index).cloned().filter(|outcome| outcome.end != End::OutOfFuel);
        let expected = if plant::on(Fault::RecordWrongOutcome) { Some(End::Return(-1).into()) } else { expected };
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
