//! `roundtrip minimize`: the smallest program with the same signature.

use std::collections::BTreeSet;
use std::path::{Path as FilePath, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use harness::case::{Case, Form};
use harness::compare::Report;
use harness::fuzzing;
use harness::minimize::{self, Progress, shape};
use harness::path::{Detail, Path, Stage};
use harness::record;
use harness::report::Checked;
use indicatif::ProgressBar;

use crate::planted::Plant;
use crate::select::PathOptions;
use crate::source::{InputForm, Loaded, RunOptions, Source, form_of, read_bytes};
use crate::status::Status;
use crate::terminal::Terminal;
use crate::workers::{Checker, LimitOptions, Pace};

/// Find the smallest program that fails in the same way
///
/// The result has the same signature: kind, first stage that is wrong, and which paths are. FILE may be an artifact of
/// libFuzzer: bytes that are no Tiny text are taken as the generator's choices.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  roundtrip minimize finding.tiny
  roundtrip minimize finding.tac --out small.tac
  roundtrip minimize fuzz/artifacts/roundtrip/crash-0123abcd

Exit status: 0 when there is a minimized program, 2 when FILE can't be used or is no finding.")]
pub struct Args {
    /// A program that is a finding; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    input_form: InputForm,
    #[command(flatten)]
    options: RunOptions,
    #[command(flatten)]
    paths: PathOptions,
    #[command(flatten)]
    limits: LimitOptions,
    /// Where to write the program; without it, it is printed
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    plant: Plant,
}

/// Minimizes the program of a file.
pub fn run(args: &Args, terminal: &Terminal) -> anyhow::Result<Status> {
    args.plant.apply();
    let Loaded { source: Source { name, text, .. }, case, expectations } = read(args, terminal)?;
    let selected = args.paths.select_for([text.as_str()].into_iter(), terminal)?;
    let paths = selected.of(&text)?;
    let checker = Checker::new(&paths, &args.plant, &args.limits);
    let report = checker.check(&case, &paths, Detail::default())?;
    let Some(signature) = report.signature.clone() else {
        let verdict = report.verdict.clone();
        let all_met = Checked::new(&name, &text, report, expectations).unmet().next().is_none();
        let but = if all_met { "" } else { ", though not on what the file expects" };
        bail!("{name} is no finding: its verdict is {verdict}{but}");
    };
    let bar = if terminal.shows_progress() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
    bar.enable_steady_tick(Duration::from_millis(200));
    let step = |progress: &Progress| bar.set_message(format!("{signature}: {}", describe(progress)));
    let smallest = smallest(&case, &report, &paths, &checker, &|| false, &step);
    bar.finish_and_clear();
    let case = smallest.with_context(|| name.clone())?.case;
    let report = checker.check(&case, &paths, Detail::default())?;
    let text = record::finding_text(&case, &report);
    match &args.out {
        Some(out) => std::fs::write(out, &text).with_context(|| format!("cannot write {}", out.display()))?,
        None => terminal.print(&text)?,
    }
    let checked = Checked::new(&name, &text, report, Vec::new());
    terminal.write(&if terminal.quiet { String::new() } else { checked.text(terminal.error_color()) + "\n" });
    Ok(Status::Good)
}

/// A program's file, or an artifact of libFuzzer, whose name has no ending of ours.
fn read(args: &Args, terminal: &Terminal) -> anyhow::Result<Loaded> {
    let file: &FilePath = &args.file;
    if form_of(file).is_some() || file.as_os_str() == "-" {
        return Source::read(file, &args.input_form)?.load(&args.options, terminal);
    }
    let name = file.display().to_string();
    let form = args.input_form.input_form.unwrap_or(Form::Tiny);
    let mut case = Case { fuel: args.options.fuel, ..fuzzing::from_bytes(form, &read_bytes(file)?) };
    terminal.note(format!("{name} is read as the fuzz targets read it: .{} text, or else choices", form.extension()));
    if let Some(vectors) = args.options.vectors(&name, &case.program)? {
        case.vectors = vectors;
    }
    let source = Source { name, text: String::new(), form, dialect: args.input_form.dialect };
    Ok(Loaded { source, case, expectations: Vec::new() })
}

/// A minimized finding.
pub struct Smallest {
    /// The case.
    pub case: Case,
    /// What it is made of (`harness::minimize::shape`).
    pub shape: String,
}

/// The smallest case with a report's signature, or why there is none. `is_over` ends the search with what it has.
///
/// Checking on all paths at every step would cost a compiler's slowest pipelines hundreds of times, and waiting for
/// what hangs would take minutes. The signature depends on which groups are wrong and split, so one path of each side
/// of each group nearly always shows the same; what is wrong as constructed is so without machine code; and what hangs,
/// hangs soon.
pub fn smallest(
    case: &Case,
    report: &Report,
    paths: &[&dyn Path],
    checker: &Checker,
    is_over: &dyn Fn() -> bool,
    step: &dyn Fn(&Progress),
) -> anyhow::Result<Smallest> {
    let signature = report.signature.as_ref().context("it is no finding")?;
    let full = Detail::default();
    let few = witnesses(report, paths);
    let mut lost = false;
    let ways = [
        (&few[..], Detail { construct_only: true, ..full }, Pace::Hasty),
        (&few, full, Pace::Hasty),
        (paths, full, Pace::Hasty),
        (paths, full, Pace::Patient),
    ];
    for (paths_of_way, detail, pace) in ways {
        let keeps = |case: &Case| checker.keeps(case, paths_of_way, detail, signature, pace);
        if !keeps(case)? {
            continue;
        }
        let small = search(case, &keeps, is_over, step)?;
        if checker.keeps(&small, paths, full, signature, Pace::Patient)? {
            let shape = asking(&keeps, is_over, |interesting| shape::shape(&small, interesting))?;
            return Ok(Smallest { case: small, shape });
        }
        lost = true;
    }
    if lost {
        bail!("the smallest program no longer shows the finding: the minimizer lost it on the way");
    }
    Err(minimize::NotReducible::OriginalNotInteresting.into())
}

/// How far the search is.
pub fn describe(progress: &Progress) -> String {
    format!("{} of {} nodes left after {} tests", progress.nodes, progress.original_nodes, progress.tests)
}

/// A smallest case for which `is_interesting` holds.
pub fn search(
    case: &Case,
    is_interesting: &dyn Fn(&Case) -> anyhow::Result<bool>,
    is_over: &dyn Fn() -> bool,
    step: &dyn Fn(&Progress),
) -> anyhow::Result<Case> {
    let mut progress = |progress: &Progress| step(progress);
    let minimize = |interesting: &mut dyn FnMut(&Case) -> bool| minimize::minimize(case, interesting, &mut progress);
    Ok(asking(is_interesting, is_over, minimize)??.case)
}

/// Does what asks whether cases are interesting. None is any more when the search is over, or when a question fails.
fn asking<T>(
    is_interesting: &dyn Fn(&Case) -> anyhow::Result<bool>,
    is_over: &dyn Fn() -> bool,
    search: impl FnOnce(&mut dyn FnMut(&Case) -> bool) -> T,
) -> anyhow::Result<T> {
    let mut failed = None;
    let found = search(&mut |case| {
        !is_over()
            && failed.is_none()
            && is_interesting(case).unwrap_or_else(|error| {
                failed = Some(error);
                false
            })
    });
    failed.map_or(Ok(found), Err)
}

/// For each group, its first path that is wrong and its first that is right, in the order of the paths; of those that
/// raise what they construct, and of the others.
fn witnesses<'a>(report: &Report, paths: &[&'a dyn Path]) -> Vec<&'a dyn Path> {
    let mut wrong = BTreeSet::new();
    let mut raises = BTreeSet::new();
    for (run, class) in report.runs.iter().flat_map(|run| run.classes.iter().map(move |class| (run, class))) {
        let constructed = class.sources.iter().filter(|source| source.stage == Stage::Construct);
        raises.extend(constructed.map(|source| &source.path));
        if class.outcome != run.right {
            wrong.extend(class.sources.iter().map(|source| &source.path));
        }
    }
    wrong.extend(report.faults.iter().map(|fault| &fault.path));
    let mut sides = BTreeSet::new();
    let is_first = |path: &&&dyn Path| {
        let id = path.id();
        sides.insert((path.toolchain().group, wrong.contains(&id), raises.contains(&id)))
    };
    paths.iter().filter(is_first).copied().collect()
}
