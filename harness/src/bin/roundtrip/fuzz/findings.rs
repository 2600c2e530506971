//! What happens to a finding: announced, minimized, recorded, once for each signature.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::Instant;

use harness::case::Case;
use harness::compare::{Report, Signature};
use harness::path::{Detail, Path, PathId};
use harness::record::run_log::Found as Logged;
use harness::record::{self, Finding, Recorded, Toolchained};
use harness::report::{self, Checked};

use crate::fuzz::job::Found;
use crate::fuzz::progress::Progress;
use crate::fuzz::{Args, INTERRUPTED, limits};
use crate::minimize;
use crate::terminal::{Format, Terminal};
use crate::workers::Checker;

/// The findings of a run so far.
pub struct Findings<'a> {
    args: &'a Args,
    ids: &'a [PathId],
    paths: &'a [&'a dyn Path],
    checker: &'a Checker,
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
        checker: &'a Checker,
        terminal: &'a Terminal,
        progress: &'a Progress,
    ) -> Findings<'a> {
        Findings { args, ids, paths, checker, terminal, progress, seen: BTreeMap::new() }
    }

    /// How often each signature was seen.
    pub fn counts(&self) -> &BTreeMap<Signature, u64> {
        &self.seen
    }

    /// Takes in a finding. The first of its signature is minimized and recorded, unless an earlier run did that, and told
    /// for the run's log. It is recorded as it is before anything is said of it, and again when it is small: whoever is
    /// told of a finding will find it, whatever becomes of this process.
    pub fn add(&mut self, index: u64, found: &Found) -> anyhow::Result<Option<Logged>> {
        let Some(signature) = &found.report.signature else { return Ok(None) };
        let count = self.seen.entry(signature.clone()).or_insert(0);
        *count += 1;
        if *count > 1 {
            return Ok(None);
        }
        let origin = format!("program {index} of seed {}", self.args.seed);
        let mut finding = Finding {
            signature,
            original: (&found.case, &found.report),
            minimized: (&found.case, &found.report),
            origin: origin.clone(),
            paths: found.took_part.iter().map(|&path| Toolchained::of(self.paths[path])).collect(),
            options: self.options(&found.took_part),
        };
        let corpus = &self.args.corpus;
        let recorded = record::record(corpus, &finding);
        self.progress.aside(|| self.terminal.note(format!("{signature}: {origin}")));
        if let Ok(Recorded::Known(_)) = recorded {
            self.progress.aside(|| self.announce(index, finding.minimized, recorded.as_ref().ok()))?;
            return Ok(Some(logged(index, &finding, recorded.as_ref().ok())));
        }
        let paths: Vec<&dyn Path> = found.took_part.iter().map(|&path| self.paths[path]).collect();
        let case = self.smaller(signature, found, &paths);
        let report = self.checker.check(&case, &paths, Detail { texts: true, ..Detail::default() })?;
        if report.signature.as_ref() == Some(signature) {
            finding.minimized = (&case, &report);
        } else {
            let why = format!("{signature}: did not show again in another process; it is recorded as it was");
            self.progress.aside(|| self.terminal.warn(why));
        }
        // A corpus that can't be written loses no finding: the report, with the program, goes out all the same.
        let written = recorded.and_then(|recorded| record::replace(recorded.folder(), &finding).map(|()| recorded));
        if let Err(error) = &written {
            let why = format!("cannot record {signature} in {}: {error}", corpus.display());
            self.progress.aside(|| self.terminal.warn(why));
        }
        self.progress.aside(|| self.announce(index, finding.minimized, written.as_ref().ok()))?;
        Ok(Some(logged(index, &finding, written.as_ref().ok())))
    }

    /// The smallest program that is the same finding, or the one that was found.
    fn smaller(&self, signature: &Signature, found: &Found, paths: &[&dyn Path]) -> Case {
        if self.args.no_minimize {
            return found.case.clone();
        }
        let step = |step: &_| self.progress.busy(format!("minimizing {signature}: {}", minimize::describe(step)));
        let start = Instant::now();
        let is_over = || INTERRUPTED.load(Ordering::Relaxed) || start.elapsed() >= limits::MINIMIZING;
        minimize::smallest(&found.case, &found.report, paths, self.checker, &is_over, &step).unwrap_or_else(|why| {
            self.progress.aside(|| self.terminal.warn(format!("{signature}: not minimized: {why:#}")));
            found.case.clone()
        })
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

/// The finding as the run's log has it.
fn logged(program: u64, finding: &Finding<'_>, recorded: Option<&Recorded>) -> Logged {
    let (case, report) = finding.minimized;
    Logged {
        program,
        signature: finding.signature.to_string(),
        verdict: report.verdict.name().to_owned(),
        folder: recorded.map(|recorded| recorded.folder().display().to_string()),
        new: matches!(recorded, Some(Recorded::New(_))),
        statements: case.program.statements(),
    }
}
