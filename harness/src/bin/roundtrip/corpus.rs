//! `roundtrip corpus check`: every entry of a corpus, replayed.

use std::path::PathBuf;

use anyhow::{Context, bail};
use harness::case::DEFAULT_FUEL;
use harness::path::Path;
use harness::record::{self, Entry, Expected};
use harness::report::{Checked, count};
use serde_json::json;

use crate::check::check_loaded;
use crate::planted::Plant;
use crate::select::PathOptions;
use crate::source::{InputForm, RunOptions, Source};
use crate::status::Status;
use crate::terminal::{Format, Terminal};

/// Work with a corpus of programs
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Check(CheckArgs),
}

/// Replay every entry: is its verdict still the one that its folder names?
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  roundtrip corpus check corpus
  roundtrip corpus check corpus/findings --paths 'lab/*,llvm/*'

The nearest folder with a verdict's name says what is expected: agree, disagree, invalid, crash, hang, inconclusive;
known-bugs (of other versions) agree; a folder in findings/ has its verdict in finding.json.
Exit status: 0 all as expected, 1 an entry that is not, 2 an entry that can't be used, or none at all.")]
struct CheckArgs {
    /// A corpus, or a folder within one
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    paths: PathOptions,
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
    let paths = args.paths.select(terminal)?;
    let paths: Vec<&dyn Path> = paths.iter().map(|path| &**path).collect();
    let folder = args.folder.display();
    let entries = record::entries(&args.folder).with_context(|| format!("cannot read {folder}"))?;
    if entries.is_empty() {
        bail!("{folder} holds no program: nothing was checked");
    }
    let mut status = Status::Good;
    let mut unexpected = 0;
    for entry in &entries {
        let ended = replay(entry, &paths, args.format, terminal).or_else(|error| {
            terminal.fail(&error);
            anyhow::Ok(Status::of_error(&error))
        })?;
        unexpected += usize::from(ended != Status::Good);
        status = status.max(ended);
    }
    terminal.note(match unexpected {
        0 => format!("{}, all as expected", count(entries.len(), "program")),
        n => format!("{}, {n} not as expected", count(entries.len(), "program")),
    });
    Ok(status)
}

fn replay(entry: &Entry, paths: &[&dyn Path], format: Format, terminal: &Terminal) -> anyhow::Result<Status> {
    let file = entry.file.display();
    let expected = entry.expected.as_ref().map_err(|why| anyhow::anyhow!("{file}: {why}"))?;
    let options = RunOptions { inputs: Vec::new(), fuel: DEFAULT_FUEL };
    let loaded = Source::read(&entry.file, &InputForm { input_form: None, dialect: None })?.load(&options, terminal)?;
    let checked = check_loaded(loaded, &taking_part(expected, paths));
    let as_expected = is_as_expected(expected, &checked);
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
            if checked.report.verdict.is_finding() {
                terminal.line(checked.text(terminal.color))?;
            }
        }
    }
    Ok(if as_expected { Status::Good } else { Status::Finding })
}

/// A finding's own paths; all of them for another entry, or when none of its paths is left.
fn taking_part<'a>(expected: &Expected, paths: &[&'a dyn Path]) -> Vec<&'a dyn Path> {
    let took_part = |path: &&&dyn Path| expected.paths.contains(&path.id().short());
    let chosen: Vec<_> = paths.iter().filter(took_part).copied().collect();
    if chosen.is_empty() { paths.to_vec() } else { chosen }
}

/// A finding must be the same finding: its signature counts, not its verdict alone.
fn is_as_expected(expected: &Expected, checked: &Checked) -> bool {
    let signature = checked.report.signature.as_ref().map(|signature| signature.0.as_str());
    expected.verdict == checked.report.verdict.name()
        && expected.signature.as_deref().is_none_or(|expected| Some(expected) == signature)
}
