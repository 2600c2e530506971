//! What happens to a finding: announced, minimized, recorded, once for each identity (`harness::compare::Identity`).
//!
//! A signature's first findings are minimized, then every one at growing distances, so that a frequent fault neither
//! shadows a rare one of the same signature nor takes the run's time; and at once each that lacks something which all
//! known faults of its signature need. What is minimized depends on the order of the programs alone.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use harness::case::Case;
use harness::compare::{Identity, Report, Signature};
use harness::minimize::shape;
use harness::path::{Detail, Path, PathId};
use harness::record::{self, Finding, Recorded, Toolchained};
use harness::report::{self, Checked};

use crate::check::check_case;
use crate::fuzz::progress::Progress;
use crate::fuzz::{Args, Found, INTERRUPTED};
use crate::minimize::{self, Smallest};
use crate::terminal::{Format, Terminal};

/// Identities after which a signature's findings are only counted: it tells nothing apart any more.
const MOST_IDENTITIES: usize = 16;

/// The findings of a run so far.
pub struct Findings<'a> {
    args: &'a Args,
    ids: &'a [PathId],
    paths: &'a [&'a dyn Path],
    /// The paths that are to run at all.
    on: Vec<usize>,
    terminal: &'a Terminal,
    progress: &'a Progress,
    counts: Counts,
    /// For each signature the shapes that its minimized findings have.
    shapes: BTreeMap<Signature, Vec<String>>,
}

/// How often everything was seen.
#[derive(Default)]
pub struct Counts {
    /// Programs of each signature.
    pub signatures: BTreeMap<Signature, u64>,
    /// Minimized programs of each identity.
    pub identities: BTreeMap<Identity, u64>,
}

impl<'a> Findings<'a> {
    /// None yet.
    pub fn new(
        args: &'a Args,
        (ids, paths, on): (&'a [PathId], &'a [&'a dyn Path], Vec<usize>),
        terminal: &'a Terminal,
        progress: &'a Progress,
    ) -> Findings<'a> {
        let (counts, shapes) = (Counts::default(), BTreeMap::new());
        Findings { args, ids, paths, on, terminal, progress, counts, shapes }
    }

    /// How often everything was seen.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Takes in a finding: counts it, and minimizes it if it may be a new one.
    pub fn add(&mut self, index: u64, found: &Found) -> anyhow::Result<()> {
        self.progress.finding();
        let Some(signature) = &found.report.signature else { return Ok(()) };
        let count = self.counts.signatures.entry(signature.clone()).or_insert(0);
        *count += 1;
        let shapes = self.shapes.entry(signature.clone()).or_default();
        let is_another = shapes.iter().all(|known| !shape::has(&found.case, known));
        if shapes.len() >= MOST_IDENTITIES || !(is_another || is_round(*count)) {
            return Ok(());
        }
        let origin = format!("program {index} of seed {}", self.args.seed);
        if *count == 1 {
            self.progress.aside(|| self.terminal.note(format!("{signature}: {origin}")));
        }
        let Smallest { case, shape } = self.minimized(signature, found);
        if !shapes_of(&mut self.shapes, signature).contains(&shape) {
            shapes_of(&mut self.shapes, signature).push(shape.clone());
        }
        self.identify(index, origin, found, (&case, &shape))
    }

    fn minimized(&self, signature: &Signature, found: &Found) -> Smallest {
        let paths: Vec<&dyn Path> = found.took_part.iter().map(|&path| self.paths[path]).collect();
        let step = |step: &_| self.progress.busy(format!("minimizing {signature}: {}", minimize::describe(step)));
        let is_over = || INTERRUPTED.load(Ordering::Relaxed);
        minimize::smallest(&found.case, &found.report, &paths, &is_over, &step).unwrap_or_else(|why| {
            self.progress.aside(|| self.terminal.warn(format!("{signature}: not minimized: {why}")));
            Smallest { case: found.case.clone(), shape: "not-minimized".into() }
        })
    }

    /// Sees what all paths say of a minimized finding, and records it if that makes it a new one.
    fn identify(
        &mut self,
        index: u64,
        origin: String,
        found: &Found,
        (case, shape): (&Case, &str),
    ) -> anyhow::Result<()> {
        let texts = Detail { texts: true, ..Detail::default() };
        let looked = |took_part: &[usize]| {
            let paths: Vec<&dyn Path> = took_part.iter().map(|&path| self.paths[path]).collect();
            (check_case(case, &paths, texts), took_part.to_vec())
        };
        // What nobody can see again is told as it was seen.
        let (mut report, mut took_part) = looked(&self.on);
        if !report.verdict.is_finding() {
            (report, took_part) = looked(&found.took_part);
        }
        let (Some(signature), Some(identity)) = (&report.signature, Identity::of(&report, self.ids, shape)) else {
            self.progress.aside(|| self.terminal.warn(format!("{origin} is no finding when it is run again")));
            return self.progress.aside(|| self.announce(index, (&found.case, &found.report), None));
        };
        let seen = self.counts.identities.entry(identity.clone()).or_insert(0);
        *seen += 1;
        if *seen > 1 {
            return Ok(());
        }
        if let Some(folder) = record::recorded(&self.args.corpus, &identity) {
            return self.progress.aside(|| self.announce(index, (case, &report), Some(&Recorded::Known(folder))));
        }
        let finding = Finding {
            identity: &identity,
            signature,
            original: (&found.case, &found.report),
            minimized: (case, &report),
            origin,
            paths: took_part.iter().map(|&path| Toolchained::of(self.paths[path])).collect(),
            options: self.options(&took_part),
        };
        let corpus = &self.args.corpus;
        // A corpus that can't be written loses no finding: the report, with the program, goes out all the same.
        let recorded = record::record(corpus, &finding);
        if let Err(error) = &recorded {
            let why = format!("cannot record {identity} in {}: {error}", corpus.display());
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

fn shapes_of<'s>(shapes: &'s mut BTreeMap<Signature, Vec<String>>, signature: &Signature) -> &'s mut Vec<String> {
    shapes.entry(signature.clone()).or_default()
}

/// 1, 2, 3, 4, 6, 8, 12, 16, ..: numbers of at most two binary digits that are not 0, at the front.
fn is_round(count: u64) -> bool {
    count.trailing_zeros() + 2 >= u64::BITS - count.leading_zeros()
}

#[cfg(test)]
mod tests {
    #[test]
    fn distances_grow() {
        let round: Vec<u64> = (1..50).filter(|&count| super::is_round(count)).collect();
        assert_eq!(round, [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48]);
    }
}
