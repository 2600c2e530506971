//! `roundtrip triage`: where a finding comes from, and what a person would file about it.
//!
//! Compilers run in processes of their own ([`process`] starts them, [`step`] is what they do); what they gave is put
//! together here, judged by `harness::triage`, and written beside the finding ([`files`]).

mod files;
mod process;
pub mod step;
mod target;

use std::ffi::OsString;
use std::path::{Path as FilePath, PathBuf};

use anyhow::{Context, bail};
use harness::compare::Report;
use harness::op::Outcome;
use harness::path::PathId;
use harness::path::installed::Version;
use harness::report::draft::llvm::Repro;
use harness::report::draft::{self, Subject};
use harness::triage::{self, Death, Replays, Triage, Trial, Trials, accuse, versions};

use crate::planted::Plant;
use crate::select;
use crate::status::Status;
use crate::terminal::{Format, Terminal};
use step::Step;
use target::Target;

/// Find where a finding comes from, and write its corpus entry and a draft of an issue
///
/// FILE is replayed in fresh processes, from its text alone. Then the accused compiler's path is taken apart: LLVM's
/// pass by pass, Cranelift's option by option; the lab's forms are walked in their order.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  roundtrip triage corpus/findings/disagree.optimize.llvm~
  roundtrip triage finding.tiny --out triaged

Into the finding's folder, or --out, go triage.json (for programs), draft.md with what it refers to (repro.clif, repro.ll,
repro.rs), and entry.*, the program with its right outcomes, ready for corpus/agree when the fault is gone. A person
reads the draft, searches for duplicates, and files it.
Exit status: 0 when there is a triage, 2 when FILE can't be used or is no finding.")]
pub struct Args {
    /// A program that is a finding, or a finding's folder
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Where to write; by default the finding's folder, or FILE.triage
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Comma-separated globs over path names; by default the paths that the finding was recorded with, else all
    #[arg(long, value_name = "GLOBS")]
    paths: Option<String>,
    /// In how many fresh processes to replay
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    replays: u16,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    #[command(flatten)]
    plant: Plant,
}

/// Triages a finding.
pub fn run(args: &Args, terminal: &Terminal) -> anyhow::Result<Status> {
    // The lab's forms are walked in this process.
    args.plant.apply();
    let target = Target::find(&args.file)?;
    let globs = args.paths.clone().or_else(|| target.globs());
    let runner = Runner { plant: args.plant.arguments() };

    let minimized = target.minimized(&runner, globs.as_deref(), terminal)?;
    let file = minimized.file.as_path();
    let case = target::case(file, terminal)?;
    let (report, replays) = replay(&runner, file, globs.as_deref(), args.replays.into())?;
    let Some(signature) = report.signature.as_ref().filter(|_| report.verdict.is_finding()) else {
        let name = target.program.display();
        match report.quality().keys().next() {
            Some(quality) => bail!("{name}: {quality} is a matter of quality and says itself which construction it is"),
            None => bail!("{name} is no finding: its verdict is {}", report.verdict),
        }
    };
    if let Some(recorded) = target.signature.as_ref().filter(|recorded| **recorded != signature.0) {
        terminal.warn(format!("recorded as {recorded}, it shows {signature} now"));
    }

    let suspect = accuse::suspect(&report);
    let trials = match suspect {
        Some(path) => runner.taken_apart(file, path, &accuse::right(&report))?,
        None => Trials::default(),
    };
    if let Some(death) = &trials.death {
        terminal.note(format!(
            "taking {} apart ended early: {}",
            suspect.map(PathId::to_string).unwrap_or_default(),
            death.how
        ));
    }
    // Of the program as it was given: a smaller one may be another version's alone.
    let versions = match suspect {
        Some(path) => versions::of(&runner.report(&target.program, Some(&all_versions(path, terminal)))?, suspect),
        None => versions::of(&report, None),
    };
    let triage = triage::triage(&case, &report, suspect, &trials, replays, versions);
    let toolchain = suspect.and_then(toolchain).unwrap_or_default();
    let repro = runner.repro(file, &triage, &report, &trials, &toolchain)?;
    let mut subject = Subject {
        triage: &triage,
        case: &case,
        report: &report,
        trials: &trials,
        toolchain: &toolchain,
        entry: &files::entry(&triage, &case, &report),
        repro: repro.as_ref(),
        filetest: None,
    };
    let filetest = runner.filetest(&subject)?;
    subject.filetest = filetest.as_ref();
    let folder = args.out.clone().unwrap_or_else(|| target.folder());
    let written = files::write_all(&folder, &subject)?;
    match args.format {
        Format::Json => terminal.json(&serde_json::to_value(&triage)?)?,
        Format::Text => terminal.print(&harness::report::triage_text(&triage))?,
    }
    terminal.note(format!("written to {}: {}", folder.display(), written.join(", ")));
    Ok(Status::Good)
}

/// Every version of a path that is linked in or installed, and the harness's own paths to hold them against. A shared
/// object that can't be used is left out and told, a version that doesn't take the path's passes is left out.
fn all_versions(path: &PathId, terminal: &Terminal) -> String {
    let (versions, errors) = Version::all();
    errors.iter().for_each(|error| terminal.warn(error));
    let of_this = versions.iter().filter(|version| version.compiler == path.compiler);
    let paths = of_this.filter_map(|version| version.path(&path.variant).ok()?);
    let usable = paths.filter(|path| path.toolchain().unavailable.is_none());
    let mut names: Vec<String> = usable.map(|path| globset::escape(&path.id().to_string())).collect();
    if names.is_empty() {
        names.push(globset::escape(&path.to_string()));
    }
    format!("tiny/*,lab/*,{}", names.join(","))
}

/// What stands behind a path.
fn toolchain(id: &PathId) -> Option<String> {
    select::by_name(&id.to_string()).ok().map(|path| path.toolchain().description)
}

/// Replays a program from its text, in a fresh process each time. The first report counts; the others must have its
/// signature.
fn replay(runner: &Runner, file: &FilePath, globs: Option<&str>, times: usize) -> anyhow::Result<(Report, Replays)> {
    let mut first: Option<Report> = None;
    let mut same = 0;
    for _ in 0..times {
        let report = runner.report(file, globs)?;
        same += usize::from(first.as_ref().is_none_or(|first| first.signature == report.signature));
        first.get_or_insert(report);
    }
    let report = first.context("nothing was replayed")?;
    Ok((report, Replays { made: times, same }))
}

/// Starts this program's own commands with the same fault planted, if one is.
struct Runner {
    plant: String,
}

impl Runner {
    fn run(&self, words: &[&str], file: &FilePath, globs: Option<&str>) -> anyhow::Result<process::Ended> {
        let mut arguments: Vec<OsString> = words.iter().map(OsString::from).collect();
        arguments.push(file.into());
        arguments.extend(globs.iter().flat_map(|globs| ["--paths".into(), OsString::from(globs)]));
        arguments.extend(self.plant.split_whitespace().map(OsString::from));
        process::run(&arguments)
    }

    /// The report of a program.
    fn report(&self, file: &FilePath, globs: Option<&str>) -> anyhow::Result<Report> {
        let ended = self.run(&["triage-step", Step::Report.name()], file, globs)?;
        if let Some(Death { how, said }) = ended.death {
            let said = said.trim_end().lines().last().unwrap_or_default();
            bail!("replaying {} ended the process ({how}): {said}", file.display());
        }
        Ok(serde_json::from_str(&ended.printed)?)
    }

    /// What came of taking a path apart, once.
    fn trials(&self, file: &FilePath, path: &PathId, stop_after: Option<u32>) -> anyhow::Result<Trials> {
        let limit = stop_after.map(|passes| format!("--stop-after={passes}"));
        let words: Vec<&str> =
            ["triage-step", Step::Trials.name()].into_iter().chain(limit.iter().map(String::as_str)).collect();
        let ended = self.run(&words, file, Some(&globset::escape(&path.to_string())))?;
        let lines = ended.printed.lines().map_while(|line| serde_json::from_str(line).ok());
        Ok(Trials { trials: lines.collect(), death: ended.death })
    }

    /// A path taken apart: LLVM's by halving its passes until a right form stands before a wrong one, another's at
    /// once.
    fn taken_apart(&self, file: &FilePath, path: &PathId, right: &[Outcome]) -> anyhow::Result<Trials> {
        if path.compiler != "llvm" {
            return self.trials(file, path, None);
        }
        let form = |passes| anyhow::Ok(self.trials(file, path, passes)?.form());
        let first = form(Some(0))?;
        if !first.is_right(right) {
            return Ok(Trials { trials: vec![first], death: None });
        }
        let last = form(None)?;
        let (mut good, mut bad) = (0, last.number().unwrap_or(0));
        let mut trials = vec![first, last];
        while !trials[trials.len() - 1].is_right(right) && bad - good > 1 {
            let middle = good + (bad - good) / 2;
            let trial = form(Some(middle))?;
            let place = if trial.is_right(right) { &mut good } else { &mut bad };
            *place = middle;
            trials.push(trial);
            trials.sort_by_key(|trial| trial.number().unwrap_or(0));
        }
        Ok(Trials { trials, death: None })
    }

    /// What Cranelift's interpreter says of the draft's test, if it is Cranelift's.
    fn filetest(&self, subject: &Subject<'_>) -> anyhow::Result<Option<Result<usize, String>>> {
        if subject.triage.path.as_ref().is_none_or(|path| path.compiler != "cranelift") {
            return Ok(None);
        }
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("repro.clif");
        std::fs::write(&file, draft::cranelift::clif(subject))?;
        let ended = self.run(&["triage-step", Step::Filetest.name()], &file, None)?;
        let died = || Err(ended.death.map(|death| death.how).unwrap_or_default());
        Ok(Some(serde_json::from_str(&ended.printed).unwrap_or_else(|_| died())))
    }

    /// The LLVM IR that shows it by itself: the first candidate that does, or the best one if none does.
    fn repro(
        &self,
        file: &FilePath,
        triage: &Triage,
        report: &Report,
        trials: &Trials,
        toolchain: &str,
    ) -> anyhow::Result<Option<Repro>> {
        let Some(path) = triage.path.as_ref().filter(|path| path.compiler == "llvm") else { return Ok(None) };
        let right = accuse::right(report);
        let wrong = report.runs.iter().find(|run| run.classes.iter().any(|class| class.outcome != run.right));
        let Some(run) = wrong.or(report.runs.first()) else { return Ok(None) };
        let folder = tempfile::tempdir()?;
        let module = folder.path().join("repro.ll");
        let mut candidates = draft::llvm::candidates(triage, trials, toolchain, &run.inputs, &run.right);
        for candidate in &mut candidates {
            std::fs::write(&module, &candidate.text)?;
            let mut words =
                vec!["triage-step".into(), Step::Ir.name().into(), "--module".into(), module.to_string_lossy()];
            words.extend(candidate.passes.iter().flat_map(|passes| ["--passes".into(), passes.into()]));
            let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
            let ended = self.run(&words, file, Some(&globset::escape(&path.to_string())))?;
            let trials: Vec<Trial> = ended.printed.lines().map_while(|line| serde_json::from_str(line).ok()).collect();
            let is_right = |index: usize| trials.get(index).is_some_and(|trial: &Trial| trial.is_right(&right));
            let is_run = trials.iter().flat_map(|trial| &trial.faults).all(|fault| !fault.message.contains("unknown"));
            if is_right(0) && !is_right(1) && is_run {
                candidate.is_verified = true;
                return Ok(Some(candidate.clone()));
            }
        }
        Ok(candidates.into_iter().next())
    }
}
