//! `roundtrip corpus check`: every entry of a corpus, replayed, and every known issue.

use std::path::PathBuf;

use anyhow::{Context, bail};
use harness::case::DEFAULT_FUEL;
use harness::compare::{Signature, Verdict};
use harness::path::Path;
use harness::record::known::{self, Known};
use harness::record::{self, Entry, Expected};
use harness::report::{Checked, count};
use harness::structure;
use serde_json::json;

use crate::check::check_loaded;
use crate::planted::Plant;
use crate::select::{PathOptions, Selected};
use crate::source::{InputForm, RunOptions, Source};
use crate::status::Status;
use crate::terminal::{Format, Terminal};
use crate::workers::{Checker, LimitOptions};

/// Work with a corpus of programs
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  roundtrip corpus check corpus")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Check(CheckArgs),
}

/// Replay every entry: is its verdict still the one that its folder names? Does every known issue still show?
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  roundtrip corpus check corpus
  roundtrip corpus check corpus/findings --paths 'lab/*,llvm/*'

The nearest folder with a verdict's name says what is expected: agree, disagree, invalid, crash, hang, inconclusive;
known-bugs (of other versions) agree; a folder in findings/ has its verdict in finding.json; of `quality`, the relation
must still be broken. known/*.toml are issues that are filed: one that does not show any more is not as expected.
Exit status: 0 all as expected, 1 an entry that is not, 2 an entry that can't be used, or none at all, 4 entries that
are not, but for known issues only.")]
struct CheckArgs {
    /// A corpus, or a folder within one
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    paths: PathOptions,
    #[command(flatten)]
    limits: LimitOptions,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    #[command(flatten)]
    plant: Plant,
}

/// Dispatches.
pub fn run(args: &Args, terminal: &Terminal) -> anyhow::Result<Status> {
    let Command::Check(args) = &args.command;
    args.plant.apply();
    let folder = args.folder.display();
    let entries = record::entries(&args.folder).with_context(|| format!("cannot read {folder}"))?;
    // Those of the corpus around a folder are as known there, but it is not them that are to be replayed.
    let (known, own) = (known::around(&args.folder)?, known::read(&args.folder)?);
    // One that can't be read is told when its turn comes.
    let texts: Vec<String> = entries.iter().filter_map(|entry| std::fs::read_to_string(&entry.file).ok()).collect();
    let texts = texts.iter().chain(own.iter().map(|issue| &issue.program));
    let selected = args.paths.select_for(texts.map(String::as_str), terminal)?;
    if entries.is_empty() && own.is_empty() {
        bail!("{folder} holds no program: nothing was checked");
    }
    let steps = known::settling_paths(&known, &selected.all());
    let all: Vec<&dyn Path> = selected.all().into_iter().chain(steps.iter().map(|path| &**path)).collect();
    let checker = Checker::new(&all, &args.plant, &args.limits);
    let mut status = Status::Good;
    let mut unexpected = 0;
    for entry in &entries {
        let ended = replay(entry, (&selected, &checker), &known, args.format, terminal).or_else(|error| {
            terminal.fail(&error);
            anyhow::Ok(Status::of_error(&error))
        })?;
        unexpected += usize::from(ended != Status::Good);
        status = status.max(ended);
    }
    for issue in &own {
        let ended = replay_known((issue, &known), (&selected, &checker), args.format, terminal).or_else(|error| {
            terminal.fail(&error);
            anyhow::Ok(Status::of_error(&error))
        })?;
        unexpected += usize::from(ended != Status::Good);
        status = status.max(ended);
    }
    let replayed = format!("{}, {}", count(entries.len(), "program"), count(own.len(), "known issue"));
    terminal.note(match unexpected {
        0 => format!("{replayed}, all as expected"),
        n => format!("{replayed}, {n} not as expected"),
    });
    Ok(status)
}

/// Replays an entry. What it is expected to be it must be by itself; whatever else it is may be known.
fn replay(
    entry: &Entry,
    (selected, checker): (&Selected, &Checker),
    known: &[Known],
    format: Format,
    terminal: &Terminal,
) -> anyhow::Result<Status> {
    let file = entry.file.display();
    let expected = entry.expected.as_ref().map_err(|why| anyhow::anyhow!("{file}: {why}"))?;
    let options = RunOptions { inputs: Vec::new(), fuel: DEFAULT_FUEL };
    let load = || Source::read(&entry.file, &InputForm { input_form: None, dialect: None })?.load(&options, terminal);
    let loaded = load()?;
    let paths = selected.of(&loaded.source.text).with_context(|| file.to_string())?;
    let paths = taking_part(expected, &paths);
    let mut checked = check_loaded(loaded, &paths, checker, &[])?;
    let mut as_expected = is_as_expected(expected, &checked);
    if !as_expected && checked.report.verdict.is_finding() {
        checked = check_loaded(load()?, &paths, checker, known)?;
        as_expected = expected.or_known && matches!(checked.report.verdict, Verdict::Known(_));
    }
    let now = checked.report.verdict.name();
    match format {
        Format::Json => terminal.json(&json!({
            "file": checked.file,
            "expected": expected.verdict,
            "verdict": now,
            "signature": checked.report.signature,
            "ok": as_expected,
        }))?,
        Format::Text if as_expected => terminal.line(format!("{file}: {now}, as expected"))?,
        Format::Text => {
            let signature = expected.signature.as_ref().map(|text| format!(" ({text})")).unwrap_or_default();
            terminal.line(format!("{file}: expected {}{signature}, is {now}", expected.verdict))?;
            if checked.report.verdict.is_finding() || now == "known" {
                terminal.line(checked.text(terminal.color))?;
            }
        }
    }
    Ok(match checked.report.verdict {
        _ if as_expected => Status::Good,
        Verdict::Known(_) => Status::Known,
        _ => Status::Finding,
    })
}

/// Replays a known issue's program on all paths: it must show the issue, as long as a version that has it takes part.
fn replay_known(
    (issue, known): (&Known, &[Known]),
    (selected, checker): (&Selected, &Checker),
    format: Format,
    terminal: &Terminal,
) -> anyhow::Result<Status> {
    let file = issue.file.display();
    let paths = selected.of(&issue.program).with_context(|| file.to_string())?;
    let concerned = paths.iter().any(|path| issue.concerns(&path.id()));
    let options = RunOptions { inputs: Vec::new(), fuel: DEFAULT_FUEL };
    let source = Source { name: file.to_string(), text: issue.program.clone(), form: issue.form, dialect: None };
    let checked = check_loaded(source.load(&options, terminal)?, &paths, checker, known)?;
    let settled =
        matches!(&checked.report.verdict, Verdict::Known(names) if names.split(", ").any(|name| name == issue.name));
    let shows = settled || issue.is_quality_of(&checked.report);
    let verdict = match (concerned, shows) {
        (_, true) => "known",
        (true, false) => "fixed",
        (false, false) => "no version",
    };
    match (format, verdict) {
        (Format::Json, _) => terminal.json(&json!({
            "file": checked.file,
            "expected": "known",
            "verdict": verdict,
            "signature": issue.signature,
            "ok": verdict != "fixed",
        }))?,
        (_, "known") => terminal.line(format!("{file}: known, as expected: {}", issue.summary))?,
        (_, "fixed") => {
            terminal.line(format!("{file}: expected {}, is {}", issue.signature, checked.report.verdict))?;
            terminal.warn(format!(
                "{file} does not show any more: take the entry out, or bound its versions ({})",
                issue.link
            ));
        }
        _ => terminal.line(format!("{file}: not replayed, no path has a version that it names"))?,
    }
    Ok(if verdict == "fixed" { Status::Finding } else { Status::Good })
}

/// A finding's own paths; all of them for another entry, or when none of its paths is left.
fn taking_part<'a>(expected: &Expected, paths: &[&'a dyn Path]) -> Vec<&'a dyn Path> {
    let took_part = |path: &&&dyn Path| expected.paths.contains(&path.id().short());
    let chosen: Vec<_> = paths.iter().filter(took_part).copied().collect();
    if chosen.is_empty() { paths.to_vec() } else { chosen }
}

/// A finding must be the same finding: its signature counts, not its verdict alone. One of quality is not in the
/// verdict.
fn is_as_expected(expected: &Expected, checked: &Checked) -> bool {
    if expected.verdict == structure::KIND {
        let quality = checked.report.quality();
        return quality.keys().any(|signature| Some(&signature.0) == expected.signature.as_ref());
    }
    let now = checked.report.signature.as_ref();
    let is_same = |expected: &String| now.is_some_and(|now| Signature(expected.clone()).is_kept_by(now));
    expected.verdict == checked.report.verdict.name() && expected.signature.as_ref().is_none_or(is_same)
}
