//! `roundtrip known-bugs rediscover`: fuzzing from nothing, on a version that is known to be wrong, until it is.
//!
//! The program that shows the bug takes no part: `roundtrip fuzz` generates, and only the path that is known to be
//! wrong runs, beside the interpreters that it is held against. It goes on until one of its findings is this very bug
//! ([`Same`]).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use harness::case::{DEFAULT_FUEL, Form};
use harness::compare::NOT_MINIMIZED;
use harness::dialect::Dialect;
use harness::path::PathId;
use harness::path::installed::Version;
use harness::record;
use harness::record::known_bugs::{Claim, KnownBug};
use harness::report::{count, table};
use serde_json::{Value, json};

use super::replay::not_installed;
use super::same::Same;
use crate::planted::Plant;
use crate::source::{InputForm, RunOptions, Source};
use crate::status::Status;
use crate::terminal::{Format, Terminal};
use crate::workers::LimitOptions;

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
    #[command(flatten)]
    limits: LimitOptions,
    #[command(flatten)]
    plant: Plant,
}

/// A known bug on a version that is wrong.
struct Target {
    /// The name of its file.
    file: String,
    form: Form,
    dialect: Dialect,
    /// The path that is wrong.
    path: PathId,
    /// What it is recognised by.
    same: Same,
}

/// The share of the programs that become machine code where what LLVM's optimizer made is interpreted: most of LLVM's
/// bugs here are its passes', and code costs as much as they do.
const MACHINE_CODE: &str = "10";
/// How often to look at what was found.
const LOOK: Duration = Duration::from_millis(100);

/// Looking for a target from one seed.
struct Search {
    seed: u64,
    /// The program that shows it, minimized.
    found: Option<String>,
    /// Other bugs that were found on the way.
    others: usize,
    programs: u64,
    seconds: f64,
}

/// Looks for each bug.
pub fn run(args: &Args, terminal: &Terminal) -> anyhow::Result<Status> {
    args.plant.apply();
    let Some(end) = args.seed.checked_add(args.seeds) else {
        bail!("seeds end at {}: take a smaller --seed", u64::MAX - 1);
    };
    let seeds = args.seed..end;
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
        for seed in seeds.clone() {
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
        terminal.line(table(["bug", "path", "found", "programs", "seconds", "slowest", "others"], rows))?;
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
    let (mut targets, mut missing, mut named) = (Vec::new(), Vec::new(), false);
    for entry in &entries {
        let source = Source::read(&entry.file, &InputForm { input_form: None, dialect: None })?;
        let name = entry.file.file_name().unwrap_or_default().to_string_lossy();
        if args.bug.as_ref().is_some_and(|words| !name.contains(words)) {
            continue;
        }
        named = true;
        let bug = KnownBug::parse(&source.text).map_err(|error| source.error(&error, terminal))?;
        let dialect = Dialect::of(&source.text).map_err(|error| source.error(&error, terminal))?;
        let mut path = None;
        for claim in bug.claims.iter().filter(|claim| claim.wrong) {
            path = path.or(wrong_path(claim, &versions)?);
        }
        match path {
            Some(path) => {
                let (file, form, id) = (source.name.clone(), source.form, path.id());
                let same = Same::learn(source, &bug, (path, &versions), (&args.plant, &args.limits), terminal)?;
                targets.push(Target { file, form, dialect, path: id, same });
            }
            None => missing.extend(not_installed(&source.name, &bug, &versions)),
        }
    }
    if let (Some(words), false) = (&args.bug, named) {
        bail!("no program of {} has {words:?} in its file's name", args.folder.display());
    }
    Ok((targets, missing))
}

/// The first path of a claim on the newest version that is wrong, beside what is linked in: the older ones have more
/// other bugs, which a search meets first.
fn wrong_path(claim: &Claim, versions: &[Version]) -> anyhow::Result<Option<Box<dyn harness::path::Path>>> {
    for version in versions.iter().rev().filter(|it| it.compiler == claim.compiler && claim.contains(&it.version)) {
        for variant in &claim.variants {
            let path = version.path(variant).map_err(|reason| anyhow!(reason))?;
            if let Some(path) = path.filter(|path| path.toolchain().unavailable.is_none()) {
                return Ok(Some(path));
            }
        }
    }
    Ok(None)
}

impl Target {
    /// Fuzzes until it is found or the time is up.
    fn look(&self, seed: u64, args: &Args) -> anyhow::Result<Search> {
        let corpus = tempfile::tempdir().context("cannot make a folder")?;
        let said_file = corpus.path().join("said");
        let start = Instant::now();
        let mut fuzzing = Fuzzing(self.fuzz(seed, corpus.path(), &said_file, args)?);
        let mut seen = BTreeSet::new();
        loop {
            // First whether it has ended, so that what it found last is looked at too.
            let ended = fuzzing.0.try_wait()?;
            let seconds = start.elapsed().as_secs_f64();
            for folder in findings(corpus.path())? {
                if !seen.insert(folder.clone()) {
                    continue;
                }
                if let Some((program, text)) = self.shown_in(&folder).with_context(|| format!("seed {seed}"))? {
                    return Ok(Search {
                        seed,
                        found: Some(text),
                        others: seen.len() - 1,
                        programs: program + 1,
                        seconds,
                    });
                }
            }
            if let Some(status) = ended {
                let said = std::fs::read_to_string(&said_file)?;
                let last: Value = serde_json::from_str(said.lines().last().unwrap_or_default()).unwrap_or_default();
                let programs = last["summary"]["programs"].as_u64();
                let errors = || std::fs::read_to_string(said_file.with_extension("errors")).unwrap_or_default();
                let programs = programs.with_context(|| format!("roundtrip fuzz ended with {status}\n{}", errors()))?;
                return Ok(Search { seed, found: None, others: seen.len(), programs, seconds });
            }
            sleep(LOOK);
        }
    }

    /// Starts `roundtrip fuzz`, which says what it did in a file.
    fn fuzz(&self, seed: u64, corpus: &Path, said: &Path, args: &Args) -> anyhow::Result<Child> {
        let paths = format!("tiny/eval,lab/tac,{}", globset::escape(&self.path.to_string()));
        let (seed, time) = (seed.to_string(), format!("{}m", args.minutes));
        let mut command = Command::new(std::env::current_exe().context("where is this program?")?);
        command
            .args(["fuzz", "--jobs", "1", "--quiet", "--whole-shapes", "--format", "json", "--schedule", "*=100%"])
            .args(["--seed", &seed, "--time", &time, "--paths", &paths, "--machine-code", MACHINE_CODE])
            .args(["--form", self.form.extension(), "--dialect", &self.dialect.to_string()])
            .args(args.plant.arguments().split_whitespace())
            .args(["--hang-after", &format!("{}ms", args.limits.hang_after.as_millis())])
            .args(["--memory", &args.limits.memory.to_string()])
            .arg("--splice")
            .arg(&args.splice)
            .arg("--corpus")
            .arg(corpus);
        let errors = std::fs::File::create(said.with_extension("errors"))?;
        let said = std::fs::File::create(said)?;
        command.stdin(Stdio::null()).stdout(said).stderr(errors).spawn().context("cannot start roundtrip")
    }

    /// The number and the text of a finding's program, if it shows this bug.
    fn shown_in(&self, folder: &Path) -> anyhow::Result<Option<(u64, String)>> {
        let file = folder.join("min").with_extension(self.form.extension());
        let source = Source::read(&file, &InputForm { input_form: None, dialect: None })?;
        let text = source.text.clone();
        let case = source.load(&RunOptions { inputs: Vec::new(), fuel: DEFAULT_FUEL }, &Terminal::silent())?.case;
        let json: Value = serde_json::from_slice(&std::fs::read(folder.join("finding.json"))?)?;
        if !self.same.shows_in(&case, json["identity"].as_str().unwrap_or_default())? {
            return Ok(None);
        }
        let origin = json["origin"].as_str().unwrap_or_default();
        let program = origin.split(' ').nth(1).and_then(|number| number.parse().ok());
        Ok(Some((program.with_context(|| format!("no program's number in {origin:?}"))?, text)))
    }

    fn row(&self, searches: &[Search]) -> [String; 7] {
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
            searches.iter().map(|search| search.others).sum::<usize>().to_string(),
        ]
    }

    fn object(&self, searches: &[Search]) -> Value {
        let searches = searches.iter().map(|search| {
            json!({
                "seed": search.seed,
                "programs": search.programs,
                "seconds": search.seconds.round(),
                "found": search.found,
                "others": search.others,
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
            None => format!("NOT FOUND in {took}; other bugs: {}", self.others),
        }
    }
}

/// A run of `roundtrip fuzz`, ended with what looks at it.
struct Fuzzing(Child);

impl Drop for Fuzzing {
    fn drop(&mut self) {
        // One that has ended already can't be killed, and that is all that can fail.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The findings that are recorded under their own names. How good Cranelift's construction is, is none.
fn findings(corpus: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let Ok(folders) = std::fs::read_dir(corpus.join("findings")) else { return Ok(Vec::new()) };
    let is_one = |name: &str| !name.starts_with('.') && !name.starts_with("quality.") && !name.ends_with(NOT_MINIMIZED);
    let folders = folders.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()?;
    Ok(folders.into_iter().filter(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(is_one)).collect())
}
