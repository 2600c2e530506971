//! `roundtrip run`: one path's outcome.

use std::path::PathBuf;

use anyhow::{anyhow, bail};
use harness::case::{Case, Form};
use harness::judge;
use harness::op::{End, Outcome};
use harness::path::interpreters::Interpreter;
use harness::path::{Detail, Path};
use harness::report::{self, count};
use serde_json::json;

use crate::planted::Plant;
use crate::select;
use crate::source::{InputForm, RunOptions, Source};
use crate::status::Status;
use crate::terminal::{Format, Terminal};
use crate::validate::violations;
use crate::workers::{Checker, LimitOptions};

/// Run a program on one path and print its outcome
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  roundtrip run program.tiny --inputs 10,3
  roundtrip run program.tiny --path lab/phi --steps
  roundtrip run program.tiny --path cranelift/speed --inputs -9223372036854775808

Without --inputs, the file's `# run:` lines say what to run; with several runs each outcome follows its inputs.
A trap is an outcome (exit status 0); `out of fuel` is inconclusive (3).")]
pub struct Args {
    /// A program; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    input_form: InputForm,
    /// The path that runs it; by default the interpreter of the program's language
    #[arg(long, value_name = "ID")]
    path: Option<String>,
    #[command(flatten)]
    options: RunOptions,
    #[command(flatten)]
    limits: LimitOptions,
    /// Add a line with the interpreter's steps
    #[arg(long)]
    steps: bool,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    #[command(flatten)]
    plant: Plant,
}

/// What one vector came to; only interpreters count steps.
struct Ran {
    inputs: Vec<i64>,
    outcome: Outcome,
    steps: Option<u64>,
}

/// Runs every vector and prints its outcome.
pub fn run(args: &Args, terminal: &Terminal) -> anyhow::Result<Status> {
    args.plant.apply();
    let source = Source::read(&args.file, &args.input_form)?;
    let program = source.program(terminal)?;
    if let Some(fault) = violations(&program).first() {
        bail!("{}: {fault}; only a valid function runs", source.name);
    }
    let Some(runs) = source.runs(&program, &args.options, terminal)? else {
        let inputs = count(program.inputs(), "input");
        bail!("{} takes {inputs}: give --inputs, or a line `# run: 1, 2` in the file", source.name);
    };
    let path = match &args.path {
        Some(name) => select::by_name(name)?,
        None => Box::new(default_path(program.form())),
    };
    let case = Case { program, vectors: runs.vectors, fuel: args.options.fuel };
    let ran = match Interpreter::from_id(&path.id()) {
        Some(interpreter) => interpret(interpreter, &case)?,
        None if args.steps => bail!("{} counts no steps; interpreters do", path.id()),
        None => match compiled(args, &*path, &case, terminal)? {
            Ok(ran) => ran,
            Err(status) => return Ok(status),
        },
    };
    print(args, &ran, terminal)?;
    let ran_out = ran.iter().any(|ran| ran.outcome.end == End::OutOfFuel);
    Ok(if ran_out { Status::Inconclusive } else { Status::Good })
}

/// The interpreter of a language.
fn default_path(form: Form) -> Interpreter {
    match form {
        Form::Tiny => Interpreter::Tiny,
        Form::Tac => Interpreter::Tac,
        Form::Ssa => Interpreter::Naive,
        Form::Phi => Interpreter::Phi,
    }
}

fn interpret(interpreter: Interpreter, case: &Case) -> anyhow::Result<Vec<Ran>> {
    let run = |inputs: &Vec<i64>| {
        let execution = interpreter.execute(&case.program, inputs, case.fuel).map_err(|reason| anyhow!(reason))?;
        Ok(Ran { inputs: inputs.clone(), outcome: execution.outcome, steps: Some(execution.steps) })
    };
    case.vectors.iter().map(run).collect()
}

/// Runs compiled code on the vectors that end within the fuel, or says why there is nothing to run.
fn compiled(
    args: &Args,
    path: &dyn Path,
    case: &Case,
    terminal: &Terminal,
) -> anyhow::Result<Result<Vec<Ran>, Status>> {
    let reference = judge::reference(case);
    let ends: Vec<bool> = reference.iter().map(|execution| execution.outcome.end != End::OutOfFuel).collect();
    let ending = case.vectors.iter().zip(&ends).filter(|(_, ends)| **ends).map(|(vector, _)| vector.clone());
    let ending = Case { vectors: ending.collect(), ..case.clone() };
    let observation = Checker::new(&[path], &args.plant, &args.limits).observe(&ending, path, Detail::default())?;
    for fault in &observation.faults {
        terminal.warn(format!("{}, {}: {}", path.id(), fault.stage, fault.message));
    }
    if !observation.faults.is_empty() {
        return Ok(Err(Status::Finding));
    }
    if let (true, Some(unsupported)) = (observation.outcomes.is_empty(), observation.unsupported.first()) {
        terminal.warn(format!("inconclusive: {} does not take this: {}", path.id(), unsupported.reason));
        return Ok(Err(Status::Inconclusive));
    }
    let mut outcomes = observation.outcomes.into_iter().flatten();
    let mut ran = Vec::with_capacity(case.vectors.len());
    for (inputs, ends) in case.vectors.iter().zip(ends) {
        let outcome = if ends { outcomes.next() } else { Some(End::OutOfFuel.into()) };
        let outcome = outcome.ok_or_else(|| anyhow!("{} executes nothing itself", path.id()))?;
        ran.push(Ran { inputs: inputs.clone(), outcome, steps: None });
    }
    Ok(Ok(ran))
}

fn print(args: &Args, ran: &[Ran], terminal: &Terminal) -> anyhow::Result<()> {
    for Ran { inputs, outcome, steps } in ran {
        let steps = steps.filter(|_| args.steps);
        if args.format == Format::Json {
            let mut object = json!({"inputs": inputs, "outcome": outcome.to_string()});
            if let Some(steps) = steps {
                object["steps"] = steps.into();
            }
            terminal.json(&object)?;
            continue;
        }
        match ran.len() {
            1 => terminal.line(outcome)?,
            _ => terminal.line(format!("{} => {outcome}", report::values(inputs)))?,
        }
        if let Some(steps) = steps {
            terminal.line(format!("{steps} steps"))?;
        }
    }
    Ok(())
}
