//! What happens to a finding: announced, minimized, recorded, once for each signature.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use harness::case::Case;
use harness::compare::{Report, Signature};
use harness::path::{Detail, Path, PathId};
use harness::record::{self, Finding, Recorded, Toolchained};
use harness::report::{self, Checked};

use crate::check::check_case;
use crate::fuzz::progress::Progress;
use crate::fuzz::{Args, Found, INTERRUPTED};
use crate::minimize;
use crate::terminal::{Format, Terminal};

/// The findings of a run so far.
pub struct Findings<'a> {
    args: &'a Args,
    ids: &'a [PathId],
    paths: &'a [&'a dyn Path],
    terminal: &'a Terminal,
    progress: &'a Progress,
    seen: BTreeMap<Signature, u64>,
}

impl<'a> Findings<'a> {
    /// None yet.
    pub fn new(
        args: &'a Args,
        ids: &'a [PathId],
        paths: &'a [&'a dyn Path],
        terminal: &'a Terminal,
        progress: &'a Progress,
    ) -> Findings<'a> {
        Findings { args, ids, paths, terminal, progress, seen: BTreeMap::new() }
    }

    /// How often each signature was seen.
    pub fn counts(&self) -> &BTreeMap<Signature, u64> {
        &self.seen
    }

    /// Takes in a finding. The first of its signature is minimized and recorded, unless an earlier run did that.
    pub fn add(&mut self, index: u64, found: &Found) -> anyhow::Result<()> {
        self.progress.finding();
        let Some(signature) = &found.report.signature else { return Ok(()) };
        let count = self.seen.entry(signature.clone()).or_insert(0);
        *count += 1;
        if *count > 1 {
            return Ok(());
        }
        let origin = format!("program {index} of seed {}", self.args.seed);
        self.progress.aside(|| self.terminal.note(format!("{signature}: {origin}")));
        if let Some(folder) = record::recorded(&self.args.corpus, signature) {
            return self
                .progress
                .aside(|| self.announce(index, (&found.case, &found.report), Some(&Recorded::Known(folder))));
        }
        let paths: Vec<&dyn Path> = found.took_part.iter().map(|&path| self.paths[path]).collect();
        let step = |step: &_| self.progress.busy(format!("minimizing {signature}: {}", minimize::describe(step)));
        let is_over = || INTERRUPTED.load(Ordering::Relaxed);
        let minimized = minimize::smallest(&found.case, &found.report, &paths, &is_over, &step);
        let case = minimized.unwrap_or_else(|why| {
            self.progress.aside(|| self.terminal.warn(format!("{signature}: not minimized: {why}")));
            found.case.clone()
        });
        let report = check_case(&case, &paths, Detail { texts: true, ..Detail::default() });
        let finding = Finding {
            signature,
            original: (&found.case, &found.report),
            minimized: (&case, &report),
            origin,
            paths: paths.iter().map(|&path| Toolchained::of(path)).collect(),
            options: self.options(&found.took_part),
        };
        let corpus = &self.args.corpus;
        // A corpus that can't be written loses no finding: the report, with the program, goes out all the same.
        let recorded = record::record(corpus, &finding);
        if let Err(error) = &recorded {
            let why = format!("cannot record {signature} in {}: {error}", corpus.display());
            self.progress.aside(|| self.terminal.warn(why));
        }
        self.progress.aside(|| self.announce(index, finding.minimized, recorded.as_ref().ok()))
    }

    /// Prints a program's report, and where its finding lies.
    fn announce(
        &self,
        index: u64,
        (case, report): (&Case, &Report),
        recorded: Option<&Recorded>,
    ) -> anyhow::Result<()> {
        let text = record::case_text(case, &record::right(report));
        let extension = case.program.form().extension();
        let file = match recorded {
            Some(Recorded::New(folder)) => folder.join(format!("min.{extension}")).display().to_string(),
            Some(Recorded::Known(_)) | None => format!("<program {index} of seed {}>", self.args.seed),
        };
        let checked = Checked::new(&file, &text, report.clone(), Vec::new());
        if self.args.format == Format::Json {
            let mut object = report::check_object(&checked);
            object["seed"] = self.args.seed.into();
            object["program"] = index.into();
            object["text"] = text.into();
            return self.terminal.json(&object);
        }
        self.terminal.line(checked.text(self.terminal.color))?;
        match recorded {
            Some(Recorded::New(folder)) => self.terminal.note(format!("recorded in {}", folder.display())),
            Some(Recorded::Known(folder)) => {
                self.terminal.note(format!("recorded before in {}", folder.display()));
            }
            None => {}
        }
        Ok(())
    }

    /// The options of a command that repeats this run's check with the paths which took part.
    pub fn options(&self, took_part: &[usize]) -> String {
        let plant = self.args.plant.arguments();
        if took_part.len() == self.ids.len() && self.args.paths.paths.is_none() {
            return plant;
        }
        let names: Vec<String> = took_part.iter().map(|&path| self.ids[path].to_string()).collect();
        format!(" --paths '{}'{plant}", names.join(","))
    }
}
