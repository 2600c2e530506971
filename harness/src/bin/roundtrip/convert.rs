//! `roundtrip convert`: Algorithm 8.4.6 either way.

use std::path::PathBuf;

use anyhow::bail;
use harness::case::{Form, Program};
use harness::lab;
use harness::report::count;

use crate::source::{InputForm, Source};
use crate::status::Status;
use crate::terminal::Terminal;
use crate::validate::violations;

/// Convert a function between block arguments and phis (Algorithm 8.4.6)
///
/// A `cbr` that passes different arguments to one block is split first (Lemma 8.4.11); standard error says so.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  roundtrip convert function.ssa --to phi
  roundtrip lower program.tiny --form phi | roundtrip convert - --input-form phi --to ssa")]
pub struct Args {
    /// A `.ssa` or `.phi` file; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    input_form: InputForm,
    /// The form to convert to: ssa, phi
    #[arg(long, value_name = "FORM")]
    to: To,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum To {
    Ssa,
    Phi,
}

/// Prints the converted text. A function that is already in that form is printed anew.
pub fn run(args: &Args, terminal: &Terminal) -> anyhow::Result<Status> {
    let source = Source::read(&args.file, &args.input_form)?;
    if !matches!(source.form, Form::Ssa | Form::Phi) {
        bail!("{}: only .ssa and .phi functions convert; `roundtrip lower` prints a program's forms", source.name);
    }
    let program = source.program(terminal)?;
    if let Some(fault) = violations(&program).first() {
        bail!("{}: {fault}; only a valid function converts", source.name);
    }
    match (program, args.to) {
        (Program::Ssa(function), To::Phi) => {
            let conflicts = lab::conflicts(&function);
            if !conflicts.is_empty() {
                let n = count(conflicts.len(), "conflicting multi-edge");
                terminal.note(format!("{}: {n} split first (Lemma 8.4.11)", source.name));
            }
            terminal.print(&lab::args_to_phi(&lab::split_conflicts(&function)).to_string())?;
        }
        (Program::Phi(function), To::Ssa) => {
            let converted = lab::phi_to_args(&function);
            terminal.print(&converted.to_string())?;
            // Phi form lets the entry block have predecessors; what comes of it is no ssa form.
            let faults = lab::validate(&converted);
            for fault in &faults {
                terminal.warn(format!("{}: the ssa text is not valid: {fault}", source.name));
            }
            return Ok(if faults.is_empty() { Status::Good } else { Status::Finding });
        }
        (Program::Ssa(function), To::Ssa) => terminal.print(&function.to_string())?,
        (Program::Phi(function), To::Phi) => terminal.print(&function.to_string())?,
        (Program::Tiny(_) | Program::Tac(_), _) => {}
    }
    Ok(Status::Good)
}
