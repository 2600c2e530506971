//! The progress bar, on a terminal only.

use std::cell::Cell;
use std::fmt::Write;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::terminal::Terminal;

/// Programs, programs a second, and verdicts so far.
pub struct Progress {
    bar: ProgressBar,
    agree: Cell<u64>,
    findings: Cell<u64>,
    inconclusive: Cell<u64>,
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
        Progress { bar, agree: Cell::new(0), findings: Cell::new(0), inconclusive: Cell::new(0) }
    }

    /// One more program agrees.
    pub fn agrees(&self) {
        self.count(&self.agree);
    }

    /// One more program is inconclusive.
    pub fn inconclusive(&self) {
        self.count(&self.inconclusive);
    }

    /// One more program is a finding.
    pub fn finding(&self) {
        self.count(&self.findings);
    }

    fn count(&self, counter: &Cell<u64>) {
        counter.set(counter.get() + 1);
        self.bar.inc(1);
        if self.bar.position().is_multiple_of(64) || !std::ptr::eq(counter, &self.agree) {
            self.show_counts();
        }
    }

    fn show_counts(&self) {
        let (agree, findings, inconclusive) = (self.agree.get(), self.findings.get(), self.inconclusive.get());
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
