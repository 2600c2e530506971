//! What happens to a finding: announced, minimized, recorded, once for each identity (`harness::compare::Identity`).
//!
//! A signature's first findings are minimized, then every one at growing distances, so that a frequent fault neither
//! shadows a rare one of the same signature nor takes the run's time; and at once each that lacks something which all
//! known faults of its signature need. What is minimized depends on the order of the programs alone.
//!
//! Minimizing takes time, and the process may be killed: so a finding is recorded as it is before anything is said of
//! it, under a provisional name.

use std::collections::BTreeMap;
use std::path::Path as FilePath;
use std::sync::atomic::Ordering;
use std::time::Instant;

use harness::case::Case;
use harness::compare::{Identity, NOT_MINIMIZED, Report, Signature};
use harness::minimize::shape;
use harness::op::End;
use harness::path::{Detail, Path, PathId};
use harness::record::run_log::Found as Logged;
use harness::record::{self, Finding, Recorded, Toolchained};
use harness::report::{self, Checked};

use crate::check::parting_of;
use crate::fuzz::closer;
use crate::fuzz::job::Found;
use crate::fuzz::progress::Progress;
use crate::fuzz::{Args, INTERRUPTED, limits};
use crate::minimize::{self, Smallest};
use crate::panics::InternalFault;
use crate::source::{InputForm, Loaded, RunOptions, Source};
use crate::terminal::{Format, Terminal};
use crate::workers::Checker;

/// Identities after which a signature's findings are only counted: it tells nothing apart any more.
const MOST_IDENTITIES: usize = 16;
/// The same where all of a shape counts.
const MOST_WHOLE: usize = 256;

/// What a minimized finding is.
enum Identified {
    /// The first with its identity.
    New(Logged),
    /// One of those that were told.
    Seen,
    /// None.
    Nothing,
}

/// The findings of a run so far.
pub struct Findings<'a> {
    args: &'a Args,
    ids: &'a [PathId],
    paths: &'a [&'a dyn Path],
    /// The paths that are to run at all.
    on: Vec<usize>,
    checker: &'a Checker,
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
        checker: &'a Checker,
        terminal: &'a Terminal,
        progress: &'a Progress,
    ) -> Findings<'a> {
        let (counts, shapes) = (Counts::default(), BTreeMap::new());
        Findings { args, ids, paths, on, checker, terminal, progress, counts, shapes }
    }

    /// How often everything was seen.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Takes in a finding: counts it, and minimizes it if it may be a new one. A new one is recorded, unless an earlier
    /// run did that, and told for the run's log.
    pub fn add(&mut self, index: u64, found: &Found) -> anyhow::Result<Option<Logged>> {
        let Some(signature) = &found.report.signature else { return Ok(None) };
        let count = self.counts.signatures.entry(signature.clone()).or_insert(0);
        *count += 1;
        let count = *count;
        let shapes = self.shapes.entry(signature.clone()).or_default();
        // What was not minimized has no shape that a program could have.
        let is_another = shapes.iter().all(|known| known != NOT_MINIMIZED && !shape::has(&found.case, known));
        let most = if self.args.whole_shapes { MOST_WHOLE } else { MOST_IDENTITIES };
        if shapes.len() >= most || !(is_another || is_round(count)) {
            return Ok(None);
        }
        let provisional = if count == 1 { self.provisional(index, signature, found) } else { None };
        let Smallest { case, mut shape } = self.minimized(signature, found);
        if self.args.whole_shapes {
            shape = shape::whole(&case, &shape);
        }
        if count > 1 && INTERRUPTED.load(Ordering::Relaxed) {
            // Half minimized, it would look like another.
            return Ok(None);
        }
        let shapes = self.shapes.entry(signature.clone()).or_default();
        if !shapes.contains(&shape) {
            shapes.push(shape.clone());
        }
        let identified = self.identify(index, found, (&case, &shape))?;
        // It has its own name now, or is another one's; if it could not be written, this is what there is of it.
        let is_elsewhere = match &identified {
            Identified::New(logged) => logged.folder.is_some(),
            Identified::Seen => true,
            Identified::Nothing => false,
        };
        if let Some(folder) = provisional.filter(|_| is_elsewhere) {
            let _ = std::fs::remove_dir_all(folder);
        }
        Ok(if let Identified::New(logged) = identified { Some(logged) } else { None })
    }

    /// Records the first of a signature as it is, and says so. Gives the folder, if it was written.
    fn provisional(&self, index: u64, signature: &Signature, found: &Found) -> Option<std::path::PathBuf> {
        let origin = self.origin(index);
        let finding = Finding {
            identity: &Identity(format!("{signature}.{NOT_MINIMIZED}")),
            signature,
            original: (&found.case, &found.report),
            minimized: (&found.case, &found.report),
            origin: origin.clone(),
            paths: self.paths_at(&found.took_part).into_iter().map(Toolchained::of).collect(),
            options: self.options(&self.paths_at(&found.took_part)),
        };
        let recorded = record::record(&self.args.corpus, &finding);
        self.progress.aside(|| self.terminal.note(format!("{signature}: {origin}")));
        if let Ok(Recorded::New(folder)) = recorded { Some(folder) } else { None }
    }

    fn minimized(&self, signature: &Signature, found: &Found) -> Smallest {
        let as_it_is = || Smallest { case: found.case.clone(), shape: NOT_MINIMIZED.into() };
        if self.args.no_minimize {
            return as_it_is();
        }
        let paths = self.paths_at(&found.took_part);
        let step = |step: &_| self.progress.busy(format!("minimizing {signature}: {}", minimize::describe(step)));
        let start = Instant::now();
        let is_over = || INTERRUPTED.load(Ordering::Relaxed) || start.elapsed() >= limits::MINIMIZING;
        match minimize::smallest(&found.case, &found.report, &paths, self.checker, &is_over, &step) {
            Ok(smallest) if is_over() => Smallest { shape: NOT_MINIMIZED.into(), ..smallest },
            Ok(smallest) => smallest,
            Err(why) => {
                self.progress.aside(|| self.terminal.warn(format!("{signature}: not minimized: {why:#}")));
                as_it_is()
            }
        }
    }

    /// Sees what all paths say of a minimized finding, and records it if that makes it a new one.
    fn identify(&mut self, index: u64, found: &Found, (case, shape): (&Case, &str)) -> anyhow::Result<Identified> {
        let texts = Detail { texts: true, ..Detail::default() };
        let looked = |took_part: &[usize]| {
            anyhow::Ok((self.checker.check(case, &self.paths_at(took_part), texts)?, took_part.to_vec()))
        };
        let (mut report, mut took_part) = looked(&self.on)?;
        if !report.verdict.is_finding() {
            (report, took_part) = looked(&found.took_part)?;
        }
        let (mut case, mut shape) = (case, shape);
        if !report.verdict.is_finding() {
            // What nobody can see again is recorded as it was seen.
            let why = format!("{} did not show again in another process; it is recorded as it was", self.origin(index));
            self.progress.aside(|| self.terminal.warn(why));
            (report, took_part) = (found.report.clone(), found.took_part.clone());
            (case, shape) = (&found.case, NOT_MINIMIZED);
        }
        let mut paths = self.paths_at(&took_part);
        let is_over = shape == NOT_MINIMIZED || INTERRUPTED.load(Ordering::Relaxed);
        let further = if is_over { Vec::new() } else { closer::further(case, &report, &paths, self.args)? };
        if !further.is_empty() {
            let usual = paths.iter().copied().filter(|path| !closer::is_sequence(&path.id()));
            let closer: Vec<&dyn Path> = usual.chain(further.iter().map(|path| &**path)).collect();
            let looked = Checker::new(&closer, &self.args.plant, &self.args.limits).check(case, &closer, texts)?;
            let stage = |report: &Report| report.signature.as_ref().and_then(Signature::stage).map(str::to_string);
            if looked.verdict == report.verdict && stage(&looked) == stage(&report) {
                (paths, report) = (closer, looked);
            }
        }
        let identity = Identity::of(&report, self.ids, shape, self.args.whole_shapes);
        let (Some(signature), Some(identity)) = (&report.signature, identity) else {
            return Ok(Identified::Nothing);
        };
        let seen = self.counts.identities.entry(identity.clone()).or_insert(0);
        *seen += 1;
        if *seen > 1 {
            return Ok(Identified::Seen);
        }
        let finding = Finding {
            identity: &identity,
            signature,
            original: (&found.case, &found.report),
            minimized: (case, &report),
            origin: self.origin(index),
            paths: paths.iter().map(|path| Toolchained::of(*path)).collect(),
            options: self.options(&paths),
        };
        let corpus = &self.args.corpus;
        // A corpus that can't be written loses no finding: the report, with the program, goes out all the same.
        let recorded = record::record(corpus, &finding);
        if let Err(error) = &recorded {
            let why = format!("cannot record {identity} in {}: {error}", corpus.display());
            self.progress.aside(|| self.terminal.warn(why));
        }
        let recorded = recorded.ok();
        if let Some(Recorded::New(folder)) = &recorded {
            reads_back(folder, case, &report)?;
        }
        self.progress.aside(|| self.announce(index, (case, &report), recorded.as_ref()))?;
        Ok(Identified::New(logged(index, &finding, recorded.as_ref())))
    }

    fn origin(&self, index: u64) -> String {
        format!("program {index} of seed {}", self.args.seed)
    }

    fn paths_at(&self, took_part: &[usize]) -> Vec<&'a dyn Path> {
        took_part.iter().map(|&path| self.paths[path]).collect()
    }

    /// Prints a program's report, and where its finding lies.
    fn announce(
        &self,
        index: u64,
        (case, report): (&Case, &Report),
        recorded: Option<&Recorded>,
    ) -> anyhow::Result<()> {
        let text = record::finding_text(case, report);
        let extension = case.program.form().extension();
        let file = match recorded {
            Some(Recorded::New(folder)) => folder.join(format!("min.{extension}")).display().to_string(),
            Some(Recorded::Known(_)) | None => format!("<program {index} of seed {}>", self.args.seed),
        };
        let parting = parting_of(case, &text, report);
        let checked = Checked::new(&file, &text, report.clone(), Vec::new()).with_parting(parting);
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

    /// The options of a command that repeats this run's check with these paths.
    pub fn options(&self, paths: &[&dyn Path]) -> String {
        let plant = self.args.plant.arguments();
        // Sequences are no usual paths: the text asks for the one that is wrong.
        let took_part: Vec<PathId> = paths.iter().map(|path| path.id()).collect();
        let is_usual = |id: &&PathId| !closer::is_sequence(id);
        if self.args.paths.paths.is_none() && self.ids.iter().filter(is_usual).all(|id| took_part.contains(id)) {
            return plant;
        }
        let names: Vec<String> = took_part.iter().map(PathId::to_string).collect();
        format!(" --paths '{}'{plant}", names.join(","))
    }
}

/// Reads a record as its user will. It must be the program on its vectors, with the outcomes that are right.
fn reads_back(folder: &FilePath, case: &Case, report: &Report) -> anyhow::Result<()> {
    let file = folder.join(format!("min.{}", case.program.form().extension()));
    let fault = |why: &str| InternalFault(format!("{} is not what was found: {why}", file.display()));
    let read = Source::read(&file, &InputForm { input_form: None, dialect: None })
        .and_then(|source| source.load(&RunOptions { inputs: Vec::new(), fuel: case.fuel }, &Terminal::silent()));
    let Loaded { case: read, expectations, .. } = read.map_err(|error| fault(&format!("{error:#}")))?;
    let expected = |run: usize| expectations.iter().find(|it| it.run == run).map(|it| &it.expected);
    let mut right = record::right(report).into_iter().enumerate();
    if record::program_text(&read.program) != record::program_text(&case.program) {
        Err(fault("it is another program").into())
    } else if read.vectors != case.vectors && !case.vectors.is_empty() {
        Err(fault("it has other input vectors").into())
    } else if right.any(|(run, right)| right.end != End::OutOfFuel && expected(run) != Some(&right)) {
        Err(fault("it has another right outcome").into())
    } else {
        Ok(())
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
