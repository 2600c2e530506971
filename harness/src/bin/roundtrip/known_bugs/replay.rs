//! `roundtrip known-bugs replay`: are the compilers wrong that are known to be, and the others right?

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Context, anyhow, bail};
use harness::case::DEFAULT_FUEL;
use harness::compare::Standing;
use harness::path::installed::Version;
use harness::path::{Detail, Path, PathId, registry};
use harness::record;
use harness::record::known_bugs::KnownBug;
use harness::report::{self, count};
use serde_json::json;

use crate::planted::Plant;
use crate::select;
use crate::source::{InputForm, RunOptions, Source};
use crate::status::Status;
use crate::terminal::{Format, Terminal};
use crate::workers::{Checker, LimitOptions};

/// Run every known bug on every version that is installed: is who is known to be wrong wrong, and everybody else right?
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  roundtrip known-bugs replay
  roundtrip known-bugs replay my-bugs --format json

A program's comments say who is wrong: `# wrong: llvm 13..=19 phi:loop(indvars)`. All other versions must be right on
these paths; `# right: llvm phi-O2` names paths that are right on all versions. What is named and isn't installed is
listed as not tried: scripts/toolchain adds it. `# pass: indvars` says which pass is wrong: a path that runs pass by pass,
`steps-`, must name it.
Exit status: 0 all as known, 1 a deviation, 2 a file or a shared object that can't be used, or nothing to try.")]
pub struct Args {
    /// A folder of programs
    #[arg(value_name = "DIR", default_value = "corpus/known-bugs")]
    folder: PathBuf,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    #[command(flatten)]
    limits: LimitOptions,
    #[command(flatten)]
    plant: Plant,
}

/// What one path was expected to be on one program, and is.
struct Trial {
    file: String,
    path: PathId,
    wrong: bool,
    standing: Standing,
    /// The pass that had to be named, and the one that was, where the path runs pass by pass.
    pass: Option<(String, Option<String>)>,
}

impl Trial {
    /// Whether it is as expected: a path that doesn't run is neither wrong nor right.
    fn holds(&self) -> bool {
        let is_named = self.pass.as_ref().is_none_or(|(wrong, named)| named.as_ref() == Some(wrong));
        is_named && matches!((self.wrong, &self.standing), (true, Standing::Wrong(_)) | (false, Standing::Right))
    }
}

/// Replays.
pub fn run(args: &Args, terminal: &Terminal) -> anyhow::Result<Status> {
    args.plant.apply();
    let entries = record::entries(&args.folder).with_context(|| format!("cannot read {}", args.folder.display()))?;
    if entries.is_empty() {
        bail!("{} holds no program: nothing was replayed", args.folder.display());
    }
    let (versions, usable) = select::versions(terminal);
    let (mut trials, mut missing) = (Vec::new(), Vec::new());
    for entry in &entries {
        let source = Source::read(&entry.file, &InputForm { input_form: None, dialect: None })?;
        let bug = KnownBug::parse(&source.text).map_err(|error| source.error(&error, terminal))?;
        missing.extend(not_installed(&source.name, &bug, &versions));
        let (named, unavailable) = named(&source.name, &bug, &versions)?;
        missing.extend(unavailable);
        trials.extend(replay(args, source, &bug, &named, terminal)?);
    }
    print(&trials, &missing, args.format, terminal)?;
    if !trials.iter().any(|trial| trial.wrong) {
        bail!("no version that is known to be wrong is installed: scripts/toolchain add nightly-set");
    }
    Ok(usable.max(if trials.iter().all(Trial::holds) { Status::Good } else { Status::Finding }))
}

/// Tries a program on these paths, each of which must be wrong or right.
fn replay(
    args: &Args,
    source: Source,
    bug: &KnownBug,
    named: &[(Box<dyn Path>, bool)],
    terminal: &Terminal,
) -> anyhow::Result<Vec<Trial>> {
    let name = source.name.clone();
    let loaded = source.load(&RunOptions { inputs: Vec::new(), fuel: DEFAULT_FUEL }, terminal)?;
    let own: Vec<Box<dyn Path>> = registry().into_iter().filter(|path| path.id().version.is_none()).collect();
    let all: Vec<&dyn Path> = own.iter().chain(named.iter().map(|(path, _)| path)).map(|path| &**path).collect();
    let checker = Checker::new(&all, &args.plant, &args.limits);
    let mut trials = Vec::new();
    for (path, wrong) in named {
        let paths: Vec<&dyn Path> = own.iter().chain([path]).map(|path| &**path).collect();
        let report = checker.check(&loaded.case, &paths, Detail::default())?;
        // What the program's own comments say is right decides; the interpreters must agree with it.
        for expectation in &loaded.expectations {
            let right = &report.runs[expectation.run].right;
            if *right != expectation.expected {
                bail!("{name} expects {} where its meaning is {right}", expectation.expected);
            }
        }
        let standing = report.standing(&path.id());
        let named = || report.notes.iter().find_map(|(id, note)| note.pass.clone().filter(|_| *id == path.id()));
        let steps = *wrong && path.id().variant.starts_with("steps-");
        let pass = bug.pass.clone().filter(|_| steps).map(|pass| (pass, named()));
        trials.push(Trial { file: name.clone(), path: path.id(), wrong: *wrong, standing, pass });
    }
    Ok(trials)
}

/// Paths, each with whether it must be wrong, and what can't be tried.
pub type Named = (Vec<(Box<dyn Path>, bool)>, Vec<[String; 2]>);

/// The paths that a bug's comments name, of every version that is here.
pub fn named(name: &str, bug: &KnownBug, versions: &[Version]) -> anyhow::Result<Named> {
    let variants: BTreeSet<&String> = bug.claims.iter().flat_map(|claim| &claim.variants).collect();
    let (mut named, mut missing) = (Vec::new(), Vec::new());
    for variant in &variants {
        let mut is_known = false;
        for version in versions {
            let Some(wrong) = bug.expects_wrong(&version.compiler, &version.version, variant) else { continue };
            if let Some(path) = version.path(variant).map_err(|reason| anyhow!(reason))? {
                is_known = true;
                match path.toolchain().unavailable {
                    None => named.push((path, wrong)),
                    Some(why) => missing.push([name.to_string(), format!("{}: {why}", path.id())]),
                }
            }
        }
        if !is_known {
            missing.push([name.to_string(), format!("{variant}: no version that is installed has such a path")]);
        }
    }
    Ok((named, missing))
}

/// The versions that the bug is known in and that are not here.
pub fn not_installed(name: &str, bug: &KnownBug, versions: &[Version]) -> Vec<[String; 2]> {
    let mut missing = Vec::new();
    for claim in bug.claims.iter().filter(|claim| claim.wrong) {
        let is_here = |counted: &String| {
            versions.iter().any(|here| {
                here.compiler == claim.compiler && format!("{}.", here.version).starts_with(&format!("{counted}."))
            })
        };
        let absent: Vec<String> = claim.counted().into_iter().filter(|counted| !is_here(counted)).collect();
        if !absent.is_empty() {
            missing.push([name.to_string(), format!("{} {}", claim.compiler, absent.join(", "))]);
        }
    }
    missing.sort();
    missing.dedup();
    missing
}

fn print(trials: &[Trial], missing: &[[String; 2]], format: Format, terminal: &Terminal) -> anyhow::Result<()> {
    let expected = |trial: &Trial| if trial.wrong { "wrong" } else { "right" };
    if format == Format::Json {
        for trial in trials {
            terminal.json(&json!({
                "file": trial.file,
                "path": trial.path.to_string(),
                "expected": expected(trial),
                "seen": trial.standing,
                "pass": trial.pass.as_ref().map(|(_, named)| named),
                "ok": trial.holds(),
            }))?;
        }
        for [file, versions] in missing {
            terminal.json(&json!({ "file": file, "not_tried": versions }))?;
        }
        return Ok(());
    }
    let rows = trials.iter().map(|trial| {
        let holds = if trial.holds() { "as known" } else { "DEVIATES" };
        let pass = trial.pass.as_ref().map(|(_, named)| named.as_deref().unwrap_or("no pass named"));
        let seen = [trial.standing.to_string().as_str(), pass.unwrap_or_default()].join(if pass.is_some() {
            "; "
        } else {
            ""
        });
        [trial.file.clone(), trial.path.to_string(), expected(trial).into(), seen, holds.into()]
    });
    terminal.line(report::table(["bug", "path", "known", "seen", ""], rows))?;
    for [file, versions] in missing {
        terminal.warn(format!("{file}: not tried, as not installed: {versions}"));
    }
    let deviations = trials.iter().filter(|trial| !trial.holds()).count();
    let deviating = if deviations == 0 { "none deviates".into() } else { format!("{deviations} deviate") };
    terminal.note(format!("{}, {deviating}", count(trials.len(), "trial")));
    Ok(())
}
