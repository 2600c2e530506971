//! `roundtrip fuzz`: the main job on generated programs.
//!
//! [`pool`] has worker processes do programs ([`job`]) and brings their results back in order; [`run`] tallies each
//! ([`tally`]), has findings minimized and recorded as they come ([`findings`]), and ends with tables ([`summary`]),
//! with the books ([`accounts`]), and with what the run fell short of ([`limits`]). Findings of [`quality`] come last.
//! [`log`] writes all of it down.

mod accounts;
mod closer;
mod findings;
pub mod job;
mod limits;
mod log;
mod pipelines;
mod pool;
mod progress;
mod quality;
mod run;
mod schedule;
mod summary;
pub mod tally;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, bail};
use harness::case::{Case, Form};
use harness::dialect::Dialect;
use harness::generate::{self, Policy};
use harness::path::{Detail, Path, PathId};
use harness::record::known;

use crate::duration;
use crate::planted::Plant;
use crate::select::PathOptions;
use crate::splice::SpliceOptions;
use crate::status::Status;
use crate::terminal::{Format, Terminal};
use crate::workers::{Checker, LimitOptions};
use job::Programs;
use pipelines::Sequences;
use progress::Progress;
use run::{Running, Setting};

/// Run generated programs through every path, validate what the paths make, and compare
///
/// The programs depend on the seed alone, and so do the results, whatever the number of jobs. A finding is minimized,
/// keeping its signature, recorded in the corpus, and the run goes on; of a signature that was seen before, fewer and
/// fewer are minimized to see whether they are new ones.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  roundtrip fuzz
  roundtrip fuzz --seed 7 --programs 10000 --corpus corpus
  roundtrip fuzz --time 10m --jobs 4 --paths 'tiny/*,lab/*,llvm/*'
  roundtrip fuzz --dialect plus --time 10m
  roundtrip fuzz --time 8h --log night.jsonl --hang-after 30s
  roundtrip fuzz --splice corpus/agree --time 10m
  roundtrip fuzz --paths 'llvm/*' --schedule '*=100%' --machine-code 10
  roundtrip fuzz --form tac --schedule 'llvm/*-O2=20%,cranelift/*=50%'

Paths run in worker processes: what aborts, hangs, faults or eats its memory is a finding with its program.
Ctrl-C ends the run with the summary of what was found so far.
Issues that the corpus's known/*.toml list are counted apart. Constructed SSA that is worse than the lab's is a finding
of kind `quality`: looked for on one of 16 programs, recorded, shown apart, and no part of the exit status.
Exit status: 0 all agree, 1 findings, 2 usage, 3 too much was inconclusive, or a path ran nothing,
was switched off, or died in a way that did not happen again; 4 known issues only; 70 a fault of roundtrip itself.")]
pub struct Args {
    /// Where the programs come from
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// How many programs to run
    #[arg(long, value_name = "N", conflicts_with = "time")]
    programs: Option<u64>,
    /// How long to run: 60s, 10m, 2h
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration)]
    time: Duration,
    /// The number of the first program
    #[arg(long, value_name = "N", default_value_t = 0)]
    from: u64,
    /// How many worker processes at once; by default one for each processor
    #[arg(long, value_name = "J")]
    jobs: Option<usize>,
    #[command(flatten)]
    paths: PathOptions,
    /// Where findings are recorded
    #[arg(long, value_name = "DIR", default_value = "corpus")]
    corpus: PathBuf,
    /// End the run after so many different findings
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    findings: Option<u64>,
    /// Record findings as they are, without looking for smaller programs
    #[arg(long)]
    no_minimize: bool,
    /// Tell findings of one pass of LLVM apart by what their programs are made of, too, and those at less than 64 bits by
    /// their operations: one bug may be several then
    #[arg(long)]
    whole_shapes: bool,
    /// The language of the programs: tiny, tac
    #[arg(long, value_name = "FORM", default_value = "tiny")]
    form: GeneratedForm,
    /// The dialect of the programs' operations: core, plus
    #[arg(long, value_name = "DIALECT", default_value_t = Dialect::Core)]
    dialect: Dialect,
    /// Shares of the programs that expensive paths run on: `GLOB=N%`, comma-separated
    #[arg(long, value_name = "SHARES", help = format!("Shares of the programs that paths run on, GLOB=N%, comma-separated; \
        the first that fits counts, and after them these: {}", schedule::DEFAULT))]
    schedule: Option<String>,
    /// How many random sequences of LLVM's passes run beside the fixed pipelines, unless --paths says what runs: the
    /// best on the seed's first programs of three times as many
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(..=1000))]
    pipelines: u64,
    /// The share of the programs that become machine code on paths that interpret what LLVM's optimizer made anyway.
    /// Passes are looked at on nearly twice as many programs at 0, code generation only where nothing was interpreted
    #[arg(long, value_name = "PERCENT", default_value_t = 100, value_parser = clap::value_parser!(u32).range(..=100))]
    machine_code: u32,
    #[command(flatten)]
    splice: SpliceOptions,
    /// A file to append what the run does to, as JSON lines
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    #[command(flatten)]
    limits: LimitOptions,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    #[command(flatten)]
    plant: Plant,
}

/// The languages that there are generators for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum GeneratedForm {
    /// Structured programs
    Tiny,
    /// Arbitrary control flow
    Tac,
}

impl From<GeneratedForm> for Form {
    fn from(form: GeneratedForm) -> Form {
        match form {
            GeneratedForm::Tiny => Form::Tiny,
            GeneratedForm::Tac => Form::Tac,
        }
    }
}

/// Whether somebody pressed Ctrl-C.
pub static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Runs the programs.
pub fn run(args: &Args, terminal: &Terminal) -> anyhow::Result<Status> {
    args.plant.apply();
    if args.programs == Some(0) {
        bail!("--programs 0 is an empty range: nothing would be checked");
    }
    if args.from.checked_add(args.programs.unwrap_or(0)).is_none() {
        bail!("--from {} and --programs go past the last number there is, {}", args.from, u64::MAX);
    }
    let jobs = args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, Into::into));
    if jobs == 0 {
        bail!("--jobs 0 would run nothing");
    }
    if args.corpus.exists() && !args.corpus.is_dir() {
        bail!("the corpus {} is no folder", args.corpus.display());
    }
    let pieces = args.splice.pieces(args.dialect)?;
    let mut selected = args.paths.select(terminal)?;
    end_on_interrupt()?;
    if args.paths.paths.is_none() {
        selected.extend(sequences(args)?);
    }
    let selected: Vec<&dyn Path> = selected.iter().map(|path| &**path).collect();
    let checker = Checker::new(&selected, &args.plant, &args.limits);
    let paths = taking(&job::probe(args.form.into())?, &selected, &checker, terminal)?;
    let ids: Vec<PathId> = paths.iter().map(|path| path.id()).collect();
    let schedule = args.schedule.clone();
    // The workers read them too.
    let known = known::read(&args.corpus)?;
    let corpus = args.corpus.clone();
    let Args { seed, from, dialect, machine_code, .. } = *args;
    let programs = Programs { seed, from, form: args.form.into(), dialect, schedule, machine_code, pieces, corpus };
    let progress = Progress::new(args.programs, terminal);
    let (programs, paths, ids, known) = (&programs, &*paths, &*ids, &*known);
    let setting = Setting { args, programs, paths, ids, known, jobs, terminal, progress: &progress };
    let mut running = Running::new(setting, &checker)?;
    running.run()?;
    running.end()
}

/// The random sequences of LLVM's passes that are worth most on the seed's first programs.
fn sequences(args: &Args) -> anyhow::Result<Vec<Box<dyn Path>>> {
    let drawn = Sequences::draw(args.seed, args.pipelines);
    if drawn.is_empty() {
        return Ok(Vec::new());
    }
    let checker = Checker::new(&drawn.paths(), &args.plant, &args.limits);
    let policy = Policy { dialect: args.dialect, ..Policy::default() };
    let detail = Detail { texts: true, no_code: true, ..Detail::default() };
    let trial = |index| {
        if INTERRUPTED.load(Ordering::Relaxed) {
            bail!("interrupted before the first program");
        }
        let case = generate::case(args.seed, index, args.form.into(), &policy);
        checker.check(&case, &drawn.paths(), detail)
    };
    let reports = (0..pipelines::TRIALS).map(trial).collect::<anyhow::Result<Vec<_>>>()?;
    Ok(drawn.best(args.pipelines, &reports))
}

/// Leaves out the paths that do not take this language, and says so. A tiny program shows which.
fn taking<'a>(
    probe: &Case,
    selected: &[&'a dyn Path],
    checker: &Checker,
    terminal: &Terminal,
) -> anyhow::Result<Vec<&'a dyn Path>> {
    let report = checker.check(probe, selected, Detail::default())?;
    let ran = |path: &PathId| {
        let mut sources = report.runs.iter().flat_map(|run| run.classes.iter().flat_map(|class| &class.sources));
        sources.any(|source| source.path == *path)
    };
    let mut taking = Vec::with_capacity(selected.len());
    for &path in selected {
        let id = path.id();
        match report.unsupported.iter().find(|(refusing, _)| *refusing == id) {
            Some((_, why)) if !ran(&id) => terminal.note(format!("{id} is left out: {}", why.reason)),
            _ => taking.push(path),
        }
    }
    if taking.is_empty() {
        bail!("no path takes .{} programs", probe.program.form().extension());
    }
    Ok(taking)
}

/// The first Ctrl-C ends the run in good order, the second at once.
fn end_on_interrupt() -> anyhow::Result<()> {
    ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .context("cannot watch for Ctrl-C")
}
