//! `roundtrip self-test`: would this harness find a fault? It is planted in the harness itself, and the main job has to
//! find it, make it small, record it, and name the part that is wrong.
//!
//! Planting is for a whole process, so each trial is one of its own ([`trial`]): `roundtrip fuzz --plant NAME`.
//! [`expected`] says what each fault has to be called, [`outcome`] what the trials of one fault come to.

mod expected;
mod outcome;
mod trial;

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use harness::plant::Fault;
use harness::record;
use harness::record::self_test::Planted;
use harness::report::self_test;
use serde_json::json;

use crate::status::Status;
use crate::terminal::{Format, Terminal};
use outcome::Outcome;
use trial::Trial;

/// Plant faults in the harness itself, one after the other, and see whether it finds them
///
/// There are faults in every part: parsers, interpreters, constructions, pruning, conversion, validators, both
/// compilers' lowerings and passes, raising, comparing, minimizing, recording. Each is looked for from scratch.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  roundtrip self-test
  roundtrip self-test --minutes 10 --format json
  roundtrip self-test --fault clif-lt-is-le,llvm-phi-swap
  roundtrip self-test --seeds 20            is each fault one finding or two, and no two faults the same?

Exit status: 0 every fault was found, small, and named rightly; 1 one was not, or two are told as one; 3 the time was up
before all were tried.")]
pub struct Args {
    /// Try no more faults after so many minutes; a fraction will do
    #[arg(long, value_name = "N", value_parser = minutes)]
    minutes: Option<Duration>,
    /// Look for each fault from so many seeds
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// The first seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Only these faults
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = fault)]
    fault: Vec<Fault>,
    /// How many trials at once; by default one for each processor
    #[arg(long, value_name = "J")]
    jobs: Option<usize>,
    /// Write what came of them to a file too; one of a long run's folder is shown in its reports
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// The fault of a name.
pub fn fault(name: &str) -> Result<Fault, String> {
    Fault::from_name(name).ok_or_else(|| {
        let names: Vec<_> = Fault::ALL.iter().map(|fault| fault.name()).collect();
        format!("no such fault; there are {}", names.join(", "))
    })
}

/// So many minutes, at most a million.
fn minutes(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "not a number of minutes".to_string())?;
    if (0.0..=1e6).contains(&number) {
        Ok(Duration::from_secs_f64(60.0 * number))
    } else {
        Err("from 0 to 1000000".into())
    }
}

/// Tries the faults.
pub fn run(args: &Args, terminal: &Terminal) -> anyhow::Result<Status> {
    let faults = if args.fault.is_empty() { Fault::ALL } else { &args.fault };
    let deadline = args.minutes.map(|minutes| Instant::now() + minutes);
    let jobs = args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, Into::into));
    if jobs == 0 {
        bail!("--jobs 0 would try nothing");
    }
    let outcomes = Outcome::of(faults, &trials(args, faults, (jobs, deadline), terminal));
    print(&outcomes, args, terminal)?;
    Ok(if outcomes.iter().any(|outcome| !outcome.wrong.is_empty()) {
        Status::Finding
    } else if outcomes.iter().any(|outcome| outcome.trials.len() < args.seeds as usize) {
        Status::Inconclusive
    } else {
        Status::Good
    })
}

/// The trials of each fault: every fault from the first seed, then from the next.
fn trials(
    args: &Args,
    faults: &[Fault],
    (jobs, deadline): (usize, Option<Instant>),
    terminal: &Terminal,
) -> Vec<Vec<Trial>> {
    let trials = Mutex::new(vec![Vec::new(); faults.len()]);
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let (turn, at) = ((number / faults.len()) as u64, number % faults.len());
            let seed = args.seed.checked_add(turn).filter(|_| turn < args.seeds);
            let Some(seed) = seed.filter(|_| deadline.is_none_or(|deadline| Instant::now() < deadline)) else {
                return;
            };
            let fault = faults[at];
            let Some(trial) = Trial::run(fault, seed, deadline) else { return };
            terminal.note(format!("{}, seed {}: {}", fault.name(), trial.seed, trial.text()));
            if let Ok(mut trials) = trials.lock() {
                trials[at].push(trial);
            }
        }
    };
    std::thread::scope(|scope| (0..jobs).for_each(|_| _ = scope.spawn(work)));
    trials.into_inner().unwrap_or_default()
}

fn print(outcomes: &[Outcome], args: &Args, terminal: &Terminal) -> anyhow::Result<()> {
    let planted: Vec<Planted> = outcomes.iter().map(Outcome::planted).collect();
    if let Some(file) = &args.out {
        let text = serde_json::to_string_pretty(&planted)?;
        record::write(file, &text).with_context(|| format!("cannot write {}", file.display()))?;
    }
    if args.format == Format::Json {
        planted.iter().try_for_each(|fault| terminal.json(&json!(fault)))?;
        let tried = planted.iter().filter(|fault| !fault.trials.is_empty()).count();
        let failed = planted.iter().filter(|fault| !fault.wrong.is_empty()).count();
        let summary = json!({"faults": planted.len(), "tried": tried, "failed": failed});
        return terminal.json(&json!({ "summary": summary }));
    }
    terminal.line(self_test::text(&planted))?;
    for fault in &planted {
        for why in &fault.wrong {
            terminal.warn(format!("{} ({}): {why}", fault.fault, fault.description));
        }
    }
    terminal.note(self_test::counts(&planted));
    Ok(())
}
