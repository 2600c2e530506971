//! A step of triage in a fresh process, which a compiler may end: the child's side, `roundtrip triage-step`.
//!
//! What came of it stands on standard output, a line of JSON for each trial, written as it comes.

use std::path::{Path as FilePath, PathBuf};

use anyhow::{Context, anyhow};
use harness::case::Case;
use harness::judge;
use harness::op::{End, Execution};
use harness::path::installed::{self, Found};
use harness::path::{self, Detail, PathId};
use harness::triage::Trial;

use crate::planted::Plant;
use crate::select::PathOptions;
use crate::source::{InputForm, RunOptions, Source};
use crate::status::Status;
use crate::terminal::Terminal;
use crate::workers::{Checker, LimitOptions};

/// A step of `triage`, for its own use
#[derive(clap::Args)]
pub struct Args {
    /// What to do
    step: Step,
    /// A program; for `filetest` a test file
    file: PathBuf,
    #[command(flatten)]
    options: RunOptions,
    #[command(flatten)]
    paths: PathOptions,
    #[command(flatten)]
    limits: LimitOptions,
    /// For `trials` of LLVM: after so many passes; without it, after all
    #[arg(long)]
    stop_after: Option<u32>,
    /// For `ir`: the module
    #[arg(long)]
    module: Option<PathBuf>,
    /// For `ir`: the passes
    #[arg(long)]
    passes: Option<String>,
    #[command(flatten)]
    plant: Plant,
}

/// What a process is started for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Step {
    /// Check the program, and give the report with all texts.
    Report,
    /// Take the one path apart: stop after a pass, or change each option.
    Trials,
    /// Run a module of LLVM IR before and after passes.
    Ir,
    /// Hold a test file against Cranelift's interpreter.
    Filetest,
}

impl Step {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Step::Report => "report",
            Step::Trials => "trials",
            Step::Ir => "ir",
            Step::Filetest => "filetest",
        }
    }
}

/// Does the step.
pub fn run(args: &Args, terminal: &Terminal) -> anyhow::Result<Status> {
    args.plant.apply();
    if args.step == Step::Filetest {
        let text = read(&args.file)?;
        terminal.line(serde_json::to_string(&path::check_filetest(&text))?)?;
        return Ok(Status::Good);
    }
    let source = Source::read(&args.file, &InputForm { input_form: None, dialect: None })?;
    let selected = args.paths.select_for([source.text.as_str()].into_iter(), terminal)?;
    let paths = selected.of(&source.text)?;
    let case = source.load(&args.options, terminal)?.case;
    match args.step {
        Step::Report => {
            let checker = Checker::new(&paths, &args.plant, &args.limits);
            let report = checker.check(&case, &paths, Detail { texts: true, structure: true, ..Detail::default() })?;
            terminal.line(serde_json::to_string(&report)?)?;
        }
        Step::Trials => trials(args, &paths[0].id(), case, terminal)?,
        Step::Ir => ir(args, &paths[0].id(), case, terminal)?,
        Step::Filetest => {}
    }
    Ok(Status::Good)
}

/// The shared object that holds a path, if the program itself does not.
fn installed(id: &PathId) -> Option<Found> {
    let is_linked_in = path::registry().iter().any(|path| path.id().version == id.version);
    installed::found().into_iter().find(|found| !is_linked_in && found.holds(id))
}

fn read(file: &FilePath) -> anyhow::Result<String> {
    std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
}

/// The vectors that end within the fuel, and how they end.
fn ending(case: &mut Case) -> Vec<Execution> {
    let (vectors, ended): (Vec<Vec<i64>>, Vec<Execution>) = (case.vectors.iter().cloned())
        .zip(judge::reference(case))
        .filter(|(_, execution)| execution.outcome.end != End::OutOfFuel)
        .unzip();
    case.vectors = vectors;
    ended
}

/// Runs a module before and after its passes.
fn ir(args: &Args, id: &PathId, mut case: Case, terminal: &Terminal) -> anyhow::Result<()> {
    let file = args.module.as_ref().context("needs --module")?;
    let text = read(file)?;
    let ended = ending(&mut case);
    let passes = args.passes.as_deref();
    let observations = match installed(id) {
        Some(object) => object.run_text(&text, passes, &case).map_err(|why| anyhow!(why))?,
        None => path::run_llvm_text(&text, passes, &case).context("this build has no LLVM")?,
    };
    for (what, observation) in ["before", "after"].into_iter().zip(observations) {
        terminal.line(serde_json::to_string(&Trial::new(what, observation, id, &case, &ended))?)?;
    }
    Ok(())
}

/// Takes a path apart.
fn trials(args: &Args, id: &PathId, mut case: Case, terminal: &Terminal) -> anyhow::Result<()> {
    let ended = ending(&mut case);
    let forms = match installed(id) {
        Some(object) => object.take_apart(&id.variant, &case, args.stop_after),
        None => path::take_apart(id, &case, args.stop_after),
    };
    for (what, observation) in forms.map_err(|why| anyhow!(why))? {
        terminal.line(serde_json::to_string(&Trial::new(&what, observation, id, &case, &ended))?)?;
    }
    Ok(())
}
