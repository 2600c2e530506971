//! A finding becomes a folder: `findings/SIGNATURE/` with everything that a person needs to see it again.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::case::Case;
use crate::compare::{Report, Signature, Source};
use crate::op::Outcome;
use crate::path::{PathId, Toolchain};
use crate::record::{case_text, readme};

/// A finding to write down.
pub struct Finding<'a> {
    /// What is wrong. Its signature names the folder.
    pub signature: &'a Signature,
    /// The program that showed it first, and its report.
    pub original: (&'a Case, &'a Report),
    /// The smallest program that shows it, and its report with the IR texts.
    pub minimized: (&'a Case, &'a Report),
    /// Where the original came from: `seed 7, program 12`, a file's name.
    pub origin: String,
    /// The paths that took part.
    pub paths: Vec<Toolchained>,
    /// Options that a command to reproduce it needs, each with a blank before it.
    pub options: String,
}

/// A path with what stands behind it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Toolchained {
    /// The path.
    pub path: String,
    /// Its toolchain.
    pub toolchain: Toolchain,
}

/// Where a finding lies now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// Written just now.
    New(PathBuf),
    /// A finding of this signature was there already; nothing was written.
    Known(PathBuf),
}

impl Recorded {
    /// The folder.
    pub fn folder(&self) -> &Path {
        match self {
            Recorded::New(folder) | Recorded::Known(folder) => folder,
        }
    }
}

/// What `finding.json` holds.
#[derive(Serialize)]
struct Record<'a> {
    signature: &'a Signature,
    verdict: &'static str,
    origin: &'a str,
    roundtrip: &'static str,
    host: String,
    paths: &'a [Toolchained],
    program: String,
    minimized: Shown<'a>,
    original: Shown<'a>,
}

/// A report without its texts, which have files of their own.
#[derive(Serialize)]
struct Shown<'a> {
    runs: &'a [crate::compare::Run],
    faults: &'a [crate::compare::PathFault],
}

impl<'a> Shown<'a> {
    fn of(report: &'a Report) -> Shown<'a> {
        Shown { runs: &report.runs, faults: &report.faults }
    }
}

/// Writes a finding below `corpus`, whole or not at all: into a folder beside, which then takes the name. Of two
/// processes with one finding, one writes it.
pub fn record(corpus: &Path, finding: &Finding) -> io::Result<Recorded> {
    let findings = corpus.join("findings");
    let folder = findings.join(folder_name(finding.signature));
    if folder.is_dir() {
        return Ok(Recorded::Known(folder));
    }
    fs::create_dir_all(&findings)?;
    let beside = tempfile::Builder::new().prefix(".new-").tempdir_in(&findings)?;
    write(beside.path(), finding)?;
    open_to_all(beside.path())?;
    match fs::rename(beside.path(), &folder) {
        Ok(()) => {
            // The folder has its name now; there is nothing left to delete.
            let _ = beside.keep();
            Ok(Recorded::New(folder))
        }
        Err(_) if folder.is_dir() => Ok(Recorded::Known(folder)),
        Err(error) => Err(error),
    }
}

/// A signature as a folder's name: no separators, nothing hidden.
fn folder_name(signature: &Signature) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || ".,~+_-".contains(c) { c } else { '-' };
    signature.0.chars().map(safe).collect::<String>().trim_start_matches('.').to_owned()
}

/// A temporary folder is its owner's alone; a corpus is everybody's.
fn open_to_all(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))
}

fn write(folder: &Path, finding: &Finding) -> io::Result<()> {
    let (case, report) = finding.minimized;
    let extension = case.program.form().extension();
    let program = format!("min.{extension}");
    fs::write(folder.join(&program), case_text(case, &right(report)))?;
    let (original, original_report) = finding.original;
    let original_name = format!("original.{}", original.program.form().extension());
    fs::write(folder.join(original_name), case_text(original, &right(original_report)))?;
    write_texts(folder, report)?;
    let record = Record {
        signature: finding.signature,
        verdict: report.verdict.name(),
        origin: &finding.origin,
        roundtrip: env!("CARGO_PKG_VERSION"),
        host: format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
        paths: &finding.paths,
        program: program.clone(),
        minimized: Shown::of(report),
        original: Shown::of(original_report),
    };
    fs::write(folder.join("finding.json"), serde_json::to_string_pretty(&record)? + "\n")?;
    fs::write(folder.join("README.md"), readme::readme(finding, &program))
}

/// The right outcome of each vector.
pub fn right(report: &Report) -> Vec<Outcome> {
    report.runs.iter().map(|run| run.right).collect()
}

/// The IR of each side: that of every path that is wrong, and of the first path of each group that is right.
fn write_texts(folder: &Path, report: &Report) -> io::Result<()> {
    let is_right = |outcome, run: &crate::compare::Run| outcome == run.right;
    let sources = |wanted: bool| {
        let classes = report
            .runs
            .iter()
            .flat_map(move |run| run.classes.iter().filter(move |class| is_right(class.outcome, run) == wanted));
        classes.flat_map(|class| &class.sources)
    };
    let mut sides: BTreeSet<&PathId> = report.faults.iter().map(|fault| &fault.path).collect();
    sides.extend(sources(false).map(|source| &source.path));
    let mut groups = BTreeSet::new();
    let has_text = |path: &PathId| report.texts.iter().any(|(owner, ..)| owner == path);
    for Source { path, group, .. } in sources(true) {
        if has_text(path) && groups.insert(group) {
            sides.insert(path);
        }
    }
    let mut seen = BTreeSet::new();
    for (path, name, text) in report.texts.iter().filter(|(path, ..)| sides.contains(path)) {
        if !seen.insert((name, text)) {
            continue;
        }
        fs::create_dir_all(folder.join("ir"))?;
        let file: String = format!("{path}.{name}").chars().map(|c| if "/<>".contains(c) { '-' } else { c }).collect();
        fs::write(folder.join("ir").join(file), text)?;
    }
    Ok(())
}
