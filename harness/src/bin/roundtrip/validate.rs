//! `roundtrip validate`: S0–S4 for `.ssa`, Definition 8.4.3 for `.phi`.

use std::path::PathBuf;

use anyhow::bail;
use harness::case::{Form, Program};
use harness::lab;
use serde_json::json;

use crate::source::{InputForm, Source};
use crate::status::Status;
use crate::terminal::{Format, Terminal};

/// Judge functions by the rules of their form: a line a fault, nothing for a valid one
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  roundtrip validate function.ssa function.phi
  roundtrip convert function.phi --to ssa | roundtrip validate - --input-form ssa

Exit status: 0 all valid, 1 a fault (a text that does not parse is a fault of S0), 2 a file that can't be read.")]
pub struct Args {
    /// `.ssa` or `.phi` files; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    input_form: InputForm,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// Validates each file; one that can't be read does not keep the others from being judged.
pub fn run(args: &Args, terminal: &Terminal) -> anyhow::Result<Status> {
    let mut status = Status::Good;
    for file in &args.files {
        let outcome = Source::read(file, &args.input_form).and_then(|source| validate(&source, args.format, terminal));
        status = status.max(outcome.unwrap_or_else(|error| {
            terminal.fail(&error);
            Status::of_error(&error)
        }));
    }
    Ok(status)
}

fn validate(source: &Source, format: Format, terminal: &Terminal) -> anyhow::Result<Status> {
    if !matches!(source.form, Form::Ssa | Form::Phi) {
        bail!("{}: only .ssa and .phi functions have rules to validate", source.name);
    }
    let faults = match source.parse() {
        Ok(program) => violations(&program),
        Err(error) => {
            let (line, column) = error.line_column(&source.text);
            if format == Format::Text && !terminal.quiet {
                terminal.fail(&source.error(&error, terminal));
            }
            vec![format!("S0: line {line}, column {column}: {error}")]
        }
    };
    match format {
        Format::Json => terminal.json(&json!({
            "file": source.name,
            "verdict": if faults.is_empty() { "valid" } else { "invalid" },
            "faults": faults,
        }))?,
        Format::Text => {
            for fault in &faults {
                terminal.line(format!("{}: {fault}", source.name))?;
            }
        }
    }
    Ok(if faults.is_empty() { Status::Good } else { Status::Finding })
}

/// The violations of a function's form, a line each. The other languages have none: they are valid when they parse.
pub fn violations(program: &Program) -> Vec<String> {
    match program {
        Program::Ssa(function) => lab::validate(function).iter().map(ToString::to_string).collect(),
        Program::Phi(function) => lab::validate_phi(function).iter().map(ToString::to_string).collect(),
        Program::Tiny(_) | Program::Tac(_) => Vec::new(),
    }
}
