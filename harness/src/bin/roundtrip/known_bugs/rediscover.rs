//! `roundtrip known-bugs rediscover`: fuzzing from nothing, on a version that is known to be wrong, until it is.
//!
//! The program that shows the bug takes no part: `roundtrip fuzz` generates, and only the path that is known to be wrong
//! runs, beside the interpreters that it is held against. What is found must be right on the version that is linked in,
//! or it may be another bug.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, anyhow, bail};
use harness::case::Form;
use harness::dialect::Dialect;
use harness::path::PathId;
use harness::path::installed::Version;
use harness::record;
use harness::record::known_bugs::{Claim, KnownBug};
use harness::report::{count, table};
use serde_json::{Value, json};

use super::replay::not_installed;
use crate::source::{InputForm, Source};
use crate::status::Status;
use crate::terminal::{Format, Terminal};

/// Look for known bugs from scratch: how many programs and how long does it take to find each?
///
/// Only the path that is known to be wrong takes part, on one installed version that is, on one processor.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  roundtrip known-bugs rediscover
  roundtrip known-bugs rediscover --bug sdiv --seeds 10 --minutes 1

Exit status: 0 each bug was found from nine of ten seeds, 1 one was not, 2 a file or a shared object that can't be used,
or nothing to look for.")]
pub struct Args {
    /// A folder of programs
    #[arg(value_name = "DIR", default_value = "corpus/known-bugs")]
    folder: PathBuf,
    /// Only the bugs whose file's name has this in it
    #[arg(long, value_name = "WORDS")]
    bug: Option<String>,
    /// How long to look for each from each seed
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    minutes: u64,
    /// From how many seeds to look for each
    #[arg(long, value_name = "K", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// The first seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The folder of the programs that others are spliced with
    #[arg(long, value_name = "DIR", default_value = "corpus/agree")]
    splice: PathBuf,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// A known bug on a version that is wrong.
struct Target {
    /// The name of its file.
    file: String,
    form: Form,
    dialect: Dialect,
    /// The path that is wrong.
    path: PathId,
}

/// The share of the programs that become machine code where what LLVM's optimizer made is interpreted: most of LLVM's
/// bugs here are its passes', and code costs as much as they do.
const MACHINE_CODE: &str = "10";

/// Looking for a target from one seed.
struct Search {
    seed: u64,
    /// The program that shows it, minimized.
    found: Option<String>,
    programs: u64,
    seconds: f64,
}

/// Looks for each bug.
pub fn run(args: &Args, terminal: &Terminal) -> anyhow::Result<Status> {
    let (targets, missing) = targets(args, terminal)?;
    for [file, versions] in &missing {
        terminal.warn(format!("{file}: not looked for on versions that are not installed: {versions}"));
    }
    if targets.is_empty() {
        bail!("no version that is known to be wrong is installed: scripts/toolchain add nightly-set");
    }
    let mut good = true;
    let mut rows = Vec::new();
    for target in &targets {
        let mut searches = Vec::new();
        for seed in args.seed..args.seed + args.seeds {
            let search = target.look(seed, args)?;
            terminal.note(format!("{}, seed {seed}: {}", target.file, search.text()));
            searches.push(search);
        }
        let found = searches.iter().filter(|search| search.found.is_some()).count();
        good &= found * 10 >= searches.len() * 9;
        if args.format == Format::Json {
            terminal.json(&target.object(&searches))?;
        }
        rows.push(target.row(&searches));
    }
    if args.format == Format::Text {
        terminal.line(table(["bug", "path", "found", "programs", "seconds", "slowest"], rows))?;
    }
    Ok(if good { Status::Good } else { Status::Finding })
}

/// The bugs that a version is installed for, and what is not.
fn targets(args: &Args, terminal: &Terminal) -> anyhow::Result<(Vec<Target>, Vec<[String; 2]>)> {
    let entries = record::entries(&args.folder).with_context(|| format!("cannot read {}", args.folder.display()))?;
    let (versions, errors) = Version::all();
    if let Some(error) = errors.into_iter().next() {
        bail!(error);
    }
    let (mut targets, mut missing) = (Vec::new(), Vec::new());
    for entry in &entries {
        let source = Source::read(&entry.file, &InputForm { input_form: None, dialect: None })?;
        if args.bug.as_ref().is_some_and(|words| !source.name.contains(words)) {
            continue;
        }
        let bug = KnownBug::parse(&source.text).map_err(|error| source.error(&error, terminal))?;
        let dialect = Dialect::of(&source.text).map_err(|error| source.error(&error, terminal))?;
        let mut path = None;
        for claim in bug.claims.iter().filter(|claim| claim.wrong) {
            path = path.or(wrong_path(claim, &versions)?);
        }
        match path {
            Some(path) => targets.push(Target { file: source.name.clone(), form: source.form, dialect, path }),
            None => missing.extend(not_installed(&source.name, &bug, &versions)),
        }
    }
    Ok((targets, missing))
}

/// The first path of a claim on the first version that is wrong.
fn wrong_path(claim: &Claim, versions: &[Version]) -> anyhow::Result<Option<PathId>> {
    for version in versions.iter().filter(|it| it.compiler == claim.compiler && claim.contains(&it.version)) {
        for variant in &claim.variants {
            if let Some(path) = version.path(variant).map_err(|reason| anyhow!(reason))? {
                return Ok(Some(path.id()));
            }
        }
    }
    Ok(None)
}

impl Target {
    /// Fuzzes until something is found, and makes sure of it.
    fn look(&self, seed: u64, args: &Args) -> anyhow::Result<Search> {
        let corpus = tempfile::tempdir().context("cannot make a folder")?;
        let paths = format!("tiny/eval,lab/tac,{}", globset::escape(&self.path.to_string()));
        let (seed_text, time) = (seed.to_string(), format!("{}m", args.minutes));
        let start = Instant::now();
        let output = roundtrip(&["fuzz", "--findings", "1", "--no-minimize", "--jobs", "1", "--quiet"])?
            .args(["--seed", &seed_text, "--time", &time, "--paths", &paths, "--schedule", "*=100%"])
            .args(["--form", self.form.extension(), "--dialect", &self.dialect.to_string(), "--format", "json"])
            .args(["--machine-code", MACHINE_CODE])
            .arg("--splice")
            .arg(&args.splice)
            .arg("--corpus")
            .arg(corpus.path())
            .output()?;
        let seconds = start.elapsed().as_secs_f64();
        let said = || String::from_utf8_lossy(&output.stderr).into_owned();
        let last = String::from_utf8_lossy(&output.stdout).lines().last().unwrap_or_default().to_string();
        let summary: Value = serde_json::from_str(&last).with_context(said)?;
        let programs = summary["summary"]["programs"].as_u64().with_context(said)?;
        let found = match summary["summary"]["findings"].as_u64() {
            Some(0) | None => None,
            Some(_) => Some(self.confirmed(corpus.path(), &paths).with_context(|| format!("seed {seed}"))?),
        };
        Ok(Search { seed, found, programs, seconds })
    }

    /// The program, minimized, if it is right on the version that is linked in.
    fn confirmed(&self, corpus: &Path, paths: &str) -> anyhow::Result<String> {
        let findings = std::fs::read_dir(corpus.join("findings")).context("nothing was recorded")?.flatten();
        let name = format!("min.{}", self.form.extension());
        let file = findings.map(|entry| entry.path().join(&name)).find(|file| file.is_file());
        let file = file.context("nothing was recorded")?;
        let small = corpus.join(&name);
        let mut minimize = roundtrip(&["minimize", "--quiet", "--paths", paths])?;
        let minimized = minimize.arg(&file).arg("--out").arg(&small).output()?;
        let program = if minimized.status.success() { small } else { file };
        let text = std::fs::read_to_string(&program)?;
        let own = globset::escape(&PathId { version: None, ..self.path.clone() }.to_string());
        let paths = format!("tiny/eval,lab/tac,{own}");
        let now = roundtrip(&["check", "--quiet", "--paths", &paths])?.arg(&program).output()?.status;
        // A path that the newest version doesn't have says nothing.
        if now.code() == Some(Status::Finding.code().into()) {
            bail!("the version that is linked in is wrong too, so this is another bug:\n{text}");
        }
        Ok(text)
    }

    fn row(&self, searches: &[Search]) -> [String; 6] {
        let found = searches.iter().filter(|search| search.found.is_some()).count();
        let mut seconds: Vec<f64> = searches.iter().map(|search| search.seconds).collect();
        let mut programs: Vec<u64> = searches.iter().map(|search| search.programs).collect();
        seconds.sort_unstable_by(f64::total_cmp);
        programs.sort_unstable();
        [
            self.file.clone(),
            self.path.to_string(),
            format!("{found}/{}", searches.len()),
            programs[programs.len() / 2].to_string(),
            format!("{:.0}", seconds[seconds.len() / 2]),
            format!("{:.0}", seconds.last().copied().unwrap_or_default()),
        ]
    }

    fn object(&self, searches: &[Search]) -> Value {
        let searches = searches.iter().map(|search| {
            json!({
                "seed": search.seed,
                "programs": search.programs,
                "seconds": search.seconds.round(),
                "found": search.found,
            })
        });
        json!({ "bug": self.file, "path": self.path.to_string(), "searches": searches.collect::<Vec<_>>() })
    }
}

impl Search {
    fn text(&self) -> String {
        let took = format!("{} and {:.0} s", count(self.programs as usize, "program"), self.seconds);
        match &self.found {
            Some(text) => format!("found after {took}\n{text}"),
            None => format!("NOT FOUND in {took}"),
        }
    }
}

/// This program again.
fn roundtrip(arguments: &[&str]) -> anyhow::Result<Command> {
    let mut command = Command::new(std::env::current_exe().context("where is this program?")?);
    command.args(arguments).stdin(Stdio::null());
    Ok(command)
}
