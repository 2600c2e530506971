//! `roundtrip fuzz`: the main job on generated programs.
//!
//! [`workers`] runs programs on threads and brings their results back in order; each is tallied ([`tally`]), findings
//! are minimized and recorded as they come ([`findings`]), and the run ends with tables ([`summary`]) and with what it
//! fell short of ([`limits`]).

mod findings;
mod limits;
mod progress;
mod schedule;
mod summary;
mod tally;
mod workers;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use harness::case::{Case, Form};
use harness::compare::Report;
use harness::dialect::Dialect;
use harness::generate::{self, Policy};
use harness::path::{Detail, Path, PathId};
use harness::record::program_text;
use harness::{Spent, tac, tiny};

use crate::panics::InternalFault;
use crate::planted::Plant;
use crate::select::PathOptions;
use crate::status::Status;
use crate::terminal::{Format, Terminal};
use findings::Findings;
use progress::Progress;
use schedule::Schedule;
use tally::Tally;

/// Run generated programs through every path, validate what the paths make, and compare
///
/// The programs depend on the seed alone, and so do the results, whatever the number of jobs. A finding is minimized,
/// keeping its signature, recorded in the corpus, and the run goes on; a signature that was seen before is only counted.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  roundtrip fuzz
  roundtrip fuzz --seed 7 --programs 10000 --corpus corpus
  roundtrip fuzz --time 10m --jobs 4 --paths 'tiny/*,lab/*,llvm/*'
  roundtrip fuzz --dialect plus --time 10m
  roundtrip fuzz --form tac --schedule 'llvm/*-O2=20%,cranelift/*=50%'

Ctrl-C ends the run with the summary of what was found so far.
Exit status: 0 all agree, 1 findings, 2 usage, 3 too much was inconclusive or a path ran nothing.")]
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
    /// How many threads; by default one for each processor
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

/// One of so many programs is looked at more closely: is it its own text's program, what traits does it have, how many
/// parameters does each construction leave?
const CLOSER_LOOK: u64 = 16;

/// A program's result on its way from a worker. Only what is not plain agreement carries data.
enum Done {
    Agrees,
    Inconclusive,
    Finding(Box<Found>),
    Rejected(String),
}

/// A finding as a worker saw it.
pub struct Found {
    /// The program.
    pub case: Case,
    /// What is wrong.
    pub report: Report,
    /// The paths that took part.
    pub took_part: Vec<usize>,
}

/// What every worker needs to know.
struct Job<'a> {
    seed: u64,
    from: u64,
    form: Form,
    policy: Policy,
    paths: &'a [&'a dyn Path],
    ids: Vec<PathId>,
    schedule: Schedule,
}

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
    let selected = args.paths.select(terminal)?;
    let paths = taking(args.form.into(), &selected, terminal)?;
    let job = Job {
        seed: args.seed,
        from: args.from,
        form: args.form.into(),
        policy: Policy { dialect: args.dialect, ..Policy::default() },
        paths: &paths,
        ids: paths.iter().map(|path| path.id()).collect(),
        schedule: Schedule::new(args.schedule.as_deref(), &paths)?,
    };
    terminal.note(format!("schedule: {}; what is not named runs always", job.schedule.text()));
    end_on_interrupt()?;

    let start = Instant::now();
    let enough = AtomicBool::new(false);
    let is_over = || {
        INTERRUPTED.load(Ordering::Relaxed)
            || enough.load(Ordering::Relaxed)
            || (args.programs.is_none() && start.elapsed() >= args.time)
    };
    let progress = Progress::new(args.programs, terminal);
    let mut findings = Findings::new(args, &job.ids, &paths, terminal, &progress);
    let each = |nth: u64, done: Done| {
        let index = args.from.wrapping_add(nth);
        match done {
            Done::Agrees => progress.agrees(),
            Done::Inconclusive => progress.inconclusive(),
            // What other threads have finished meanwhile is more than was asked for.
            Done::Finding(_) if enough.load(Ordering::Relaxed) => {}
            Done::Finding(found) => {
                findings.add(index, &found)?;
                let different = findings.counts().len() as u64;
                enough.store(args.findings.is_some_and(|wanted| different >= wanted), Ordering::Relaxed);
            }
            Done::Rejected(why) => {
                let program = format!("the generator's program {index} of seed {}", args.seed);
                return Err(InternalFault(format!("{program} is rejected: {why}")).into());
            }
        }
        Ok(())
    };
    let state = || Tally::new(job.paths.len());
    let end = args.programs.unwrap_or(u64::MAX);
    let tallies = workers::in_order(jobs, end, &is_over, &state, &|nth, tally| work(&job, nth, tally), each)?;
    progress.finish();
    let mut tally = state();
    tallies.iter().for_each(|worker| tally.merge(worker));

    summary::print(&tally, &job.ids, findings.counts(), args.format, terminal)?;
    summary::print_times(&tally, &job.ids, start.elapsed(), jobs, terminal);
    if INTERRUPTED.load(Ordering::Relaxed) {
        terminal.note("interrupted; this is what was found so far");
    }
    let on: Vec<usize> = (0..job.paths.len()).filter(|&path| job.schedule.is_on(path)).collect();
    let shortfalls = limits::shortfalls(&tally, &job.ids, &on);
    shortfalls.iter().for_each(|shortfall| terminal.warn(shortfall));
    Ok(match (tally.findings, shortfalls.is_empty()) {
        (0, true) => Status::Good,
        (0, false) => Status::Inconclusive,
        _ => Status::Finding,
    })
}

/// Generates, checks and counts one program.
fn work(job: &Job, nth: u64, tally: &mut Tally) -> Done {
    let index = job.from.wrapping_add(nth);
    let start = Instant::now();
    let case = generate::case(job.seed, index, job.form, &job.policy);
    tally.generate += start.elapsed();
    if nth.is_multiple_of(CLOSER_LOOK) {
        if let Err(why) = is_its_text(&case) {
            return Done::Rejected(why);
        }
        tally.profile.add_program(&case.program);
    }
    let took_part = job.schedule.paths(job.seed, index, nth);
    let paths: Vec<&dyn Path> = took_part.iter().map(|&path| job.paths[path]).collect();
    // The paths are observed in their order, so the times come in this order too.
    let mut observed = took_part.iter();
    let mut current = 0;
    let detail = Detail { structure: nth.is_multiple_of(CLOSER_LOOK), ..Detail::default() };
    let report = harness::check_timed(&case, &paths, detail, &mut |spent| match spent {
        Spent::Reference(time) => tally.reference += time,
        Spent::Observe(_, time) => {
            current = observed.next().copied().unwrap_or(current);
            tally.paths[current].observe += time;
        }
        Spent::Judge(_, time) => tally.paths[current].judge += time,
        Spent::Compare(time) => tally.compare += time,
    });
    let start = Instant::now();
    tally.add(index, &report, &job.ids, &took_part);
    tally.compare += start.elapsed();
    match report.verdict {
        harness::compare::Verdict::Agree => Done::Agrees,
        harness::compare::Verdict::Inconclusive(_) => Done::Inconclusive,
        _ => Done::Finding(Box::new(Found { case, report, took_part })),
    }
}

/// A generated program must be the one that its text says: the corpus and every report hold the text.
fn is_its_text(case: &Case) -> Result<(), String> {
    let text = program_text(&case.program);
    let again = match case.program.form() {
        Form::Tiny => tiny::parse(&text).map(harness::case::Program::Tiny),
        _ => tac::parse(&text).map(harness::case::Program::Tac),
    };
    match again {
        Ok(program) if program == case.program => Ok(()),
        Ok(_) => Err(format!("its text is another program:\n{text}")),
        Err(error) => Err(format!("its text does not parse: {error}\n{text}")),
    }
}

/// Leaves out the paths that do not take this language, and says so. A tiny program shows which.
fn taking<'a>(form: Form, selected: &'a [Box<dyn Path>], terminal: &Terminal) -> anyhow::Result<Vec<&'a dyn Path>> {
    let program = match form {
        Form::Tiny => tiny::parse("return 0").map(harness::case::Program::Tiny),
        _ => tac::parse("ret 0").map(harness::case::Program::Tac),
    };
    let probe = Case { program: program.map_err(|error| anyhow::anyhow!(error))?, vectors: vec![vec![]], fuel: 100 };
    let mut taking = Vec::with_capacity(selected.len());
    for path in selected {
        let observation = path.observe(&probe, Detail::default());
        match observation.unsupported.first() {
            Some(why) if observation.outcomes.is_empty() && observation.raised.is_empty() => {
                terminal.note(format!("{} is left out: {}", path.id(), why.reason));
            }
            _ => taking.push(&**path),
        }
    }
    if taking.is_empty() {
        bail!("no path takes .{} programs", form.extension());
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

/// `60s`, `10m`, `2h`, `500ms`; a bare number is seconds.
fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let bad = || format!("{text:?} is not a time like 60s, 10m or 2h");
    let number: f64 = digits.parse().map_err(|_| bad())?;
    let unit = match &text[digits.len()..] {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(bad()),
    };
    Duration::try_from_secs_f64(number * unit).map_err(|_| bad())
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness::case::Program;

    #[test]
    fn a_program_that_is_not_its_text_is_rejected() {
        let mut program = tiny::parse("a = 1\nb = 2\nreturn a - b").unwrap();
        let case = |program| Case { program: Program::Tiny(program), vectors: vec![vec![]], fuel: 10 };
        assert_eq!(is_its_text(&case(program.clone())), Ok(()));
        // Not in order of first occurrence.
        program.variables.push("unused".into());
        assert!(is_its_text(&case(program)).unwrap_err().contains("another program"));
    }

    #[test]
    fn times_have_units() {
        let seconds = |text| duration(text).map(|time| time.as_secs_f64());
        assert_eq!(seconds("500ms"), Ok(0.5));
        assert_eq!((seconds("90"), seconds("60s")), (Ok(90.0), Ok(60.0)));
        assert_eq!((seconds("10m"), seconds("2h")), (Ok(600.0), Ok(7200.0)));
        for bad in ["", "s", "5d", "-1s", "1e400h", "nan"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }
}
