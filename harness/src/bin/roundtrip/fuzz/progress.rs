//! The progress bar, on a terminal only.

use std::cell::Cell;
use std::fmt::Write;
use std::time::Duration;

use harness::record::run_log::Verdicts;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::terminal::Terminal;

/// Programs, programs a second, and verdicts so far.
pub struct Progress {
    bar: ProgressBar,
    verdicts: Cell<Verdicts>,
}

impl Progress {
    /// A bar for so many programs, or without an end.
    pub fn new(programs: Option<u64>, terminal: &Terminal) -> Progress {
        let bar = match (terminal.shows_progress(), programs) {
            (false, _) => ProgressBar::hidden(),
            (true, Some(programs)) => ProgressBar::new(programs),
            (true, None) => ProgressBar::no_length(),
        };
        let template = match programs {
            Some(_) => "{elapsed} {wide_bar} {pos}/{len} programs, {rate}, {msg}",
            None => "{spinner} {elapsed} {pos} programs, {rate}, {msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.with_key("rate", |state: &ProgressState, out: &mut dyn Write| {
                // There is nowhere to say that writing to the bar failed.
                let _ = write!(out, "{:.0} programs/s", state.per_sec());
            }));
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Progress { bar, verdicts: Cell::default() }
    }

    /// Some more programs are done.
    pub fn add(&self, verdicts: &Verdicts) {
        let mut so_far = self.verdicts.get();
        so_far.merge(verdicts);
        self.verdicts.set(so_far);
        self.bar.inc(verdicts.programs());
        let (agree, findings, inconclusive) = (so_far.agree, so_far.findings(), so_far.inconclusive);
        self.bar.set_message(format!("{agree} agree, {findings} findings, {inconclusive} inconclusive"));
    }

    /// Says what takes so long.
    pub fn busy(&self, what: String) {
        self.bar.set_message(what);
    }

    /// Prints something with the bar out of the way.
    pub fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
