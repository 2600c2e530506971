//! The run log (`harness::record::run_log`) of a run. A log that can't be written does not end the run: it is said
//! once, and counts as a shortfall.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use harness::compare::Signature;
use harness::path::PathId;
use harness::record::run_log::{Event, PathTotals, Totals, Writer};

use crate::fuzz::tally::Tally;
use crate::terminal::Terminal;

/// How often the log says where the run is.
const EVERY: Duration = Duration::from_secs(5);

/// The log, if one is wanted.
pub struct Log {
    writer: Option<Writer>,
    name: String,
    last: Instant,
    /// Why it is not whole.
    pub shortfall: Option<String>,
}

impl Log {
    /// Opens it.
    pub fn open(file: Option<&Path>) -> anyhow::Result<Log> {
        let name = file.map(|file| file.display().to_string()).unwrap_or_default();
        let writer = file.map(Writer::open).transpose().with_context(|| format!("cannot write the log {name}"))?;
        Ok(Log { writer, name, last: Instant::now(), shortfall: None })
    }

    /// Writes a line.
    pub fn write(&mut self, event: Event, terminal: &Terminal) {
        let Some(writer) = &mut self.writer else { return };
        if let Err(error) = writer.write(event) {
            let why = format!("cannot write the log {}: {error}", self.name);
            terminal.warn(&why);
            self.shortfall = Some(why);
            self.writer = None;
        }
    }

    /// Writes where the run is, if it is time for it.
    pub fn progress(&mut self, totals: impl FnOnce() -> Totals, terminal: &Terminal) {
        if self.writer.is_some() && self.last.elapsed() >= EVERY {
            self.last = Instant::now();
            self.write(Event::Progress(totals()), terminal);
        }
    }
}

/// The run's counts as the log has them.
pub fn totals(
    tally: &Tally,
    ids: &[PathId],
    signatures: &BTreeMap<Signature, u64>,
    deaths: u64,
    elapsed: Duration,
) -> Totals {
    let path = |(id, path): (&PathId, &crate::fuzz::tally::PathTally)| PathTotals {
        path: id.to_string(),
        programs: path.programs,
        runs: path.executions(),
        wrong: path.wrong,
        unsupported: path.unsupported,
        faults: path.faults,
        seconds: (path.observe + path.judge).as_secs_f64(),
    };
    Totals {
        programs: tally.programs,
        verdicts: tally.verdicts,
        signatures: signatures.iter().map(|(signature, programs)| (signature.to_string(), *programs)).collect(),
        paths: ids.iter().zip(&tally.paths).map(path).collect(),
        deaths,
        seconds: elapsed.as_secs_f64(),
    }
}
