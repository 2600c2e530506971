//! A finding becomes a folder: `findings/IDENTITY/` with everything that a person needs to see it again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::case::Case;
use crate::compare::{Identity, Report, Signature, Source};
use crate::directives::path_line;
use crate::op::Outcome;
use crate::path::{PathId, Toolchain, registry};
use crate::record::{case_text, readme};
use crate::structure::{self, Structure};

/// A finding to write down.
pub struct Finding<'a> {
    /// What makes it one finding. It names the folder.
    pub identity: &'a Identity,
    /// What is wrong, as all of `paths` see the minimized program.
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

impl Toolchained {
    /// A path and its toolchain now.
    pub fn of(path: &dyn crate::path::Path) -> Toolchained {
        Toolchained { path: path.id().to_string(), toolchain: path.toolchain() }
    }
}

/// Where a finding lies now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// Written just now.
    New(PathBuf),
    /// This finding was there already; nothing was written.
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
    identity: &'a Identity,
    signature: &'a Signature,
    verdict: &'a str,
    origin: &'a str,
    command: String,
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
    #[serde(skip_serializing_if = "<[Structure]>::is_empty")]
    structure: &'a [Structure],
}

impl<'a> Shown<'a> {
    fn of(report: &'a Report) -> Shown<'a> {
        Shown { runs: &report.runs, faults: &report.faults, structure: &report.structure }
    }
}

/// What a finding's folder holds for programs.
pub const RECORD: &str = "finding.json";
/// How the name of a folder begins that is being written.
const BESIDE: &str = ".new-";
/// A folder that has been written for so long belongs to a process that was killed.
const LONG: Duration = Duration::from_secs(3600);
/// The folder of its IR texts.
const TEXTS: &str = "ir";

/// The folder of a finding that was recorded before, whole.
pub fn recorded(corpus: &Path, identity: &Identity) -> Option<PathBuf> {
    Some(corpus.join("findings").join(folder_name(identity))).filter(|folder| folder.join(RECORD).is_file())
}

/// Writes a finding below `corpus`, whole or not at all: into a folder beside, which then takes the name. Of two
/// processes with one finding, one writes it.
pub fn record(corpus: &Path, finding: &Finding) -> io::Result<Recorded> {
    if let Some(folder) = recorded(corpus, finding.identity) {
        return Ok(Recorded::Known(folder));
    }
    let findings = corpus.join("findings");
    let folder = findings.join(folder_name(finding.identity));
    fs::create_dir_all(&findings)?;
    sweep(&findings)?;
    let beside = tempfile::Builder::new().prefix(BESIDE).tempdir_in(&findings)?;
    write(beside.path(), finding)?;
    open_to_all(beside.path())?;
    match fs::rename(beside.path(), &folder) {
        Ok(()) => {
            // The folder has its name now; there is nothing left to delete.
            let _ = beside.keep();
            Ok(Recorded::New(folder))
        }
        // Another process was first, or something else lies there.
        Err(error) => recorded(corpus, finding.identity).map(Recorded::Known).ok_or(error),
    }
}

/// Removes what killed processes have left half written.
fn sweep(findings: &Path) -> io::Result<()> {
    for entry in fs::read_dir(findings)? {
        let entry = entry?;
        let is_left = || Ok::<_, io::Error>(entry.metadata()?.modified()?.elapsed().is_ok_and(|age| age > LONG));
        // Another process may have removed it, or given it its name, by now.
        if entry.file_name().as_encoded_bytes().starts_with(BESIDE.as_bytes()) && is_left().unwrap_or(false) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    Ok(())
}

/// An identity as a folder's name: no separators, nothing hidden.
fn folder_name(identity: &Identity) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || ".,~+_-".contains(c) { c } else { '-' };
    identity.0.chars().map(safe).collect::<String>().trim_start_matches('.').to_owned()
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
    fs::write(folder.join(&program), finding_text(case, report))?;
    let (original, original_report) = finding.original;
    let original_name = format!("original.{}", original.program.form().extension());
    fs::write(folder.join(original_name), case_text(original, &right(original_report)))?;
    write_texts(folder, report, finding.signature)?;
    let record = Record {
        identity: finding.identity,
        signature: finding.signature,
        verdict: finding.signature.kind(),
        origin: &finding.origin,
        command: readme::command(finding, &program),
        roundtrip: env!("CARGO_PKG_VERSION"),
        host: format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
        paths: &finding.paths,
        program: program.clone(),
        minimized: Shown::of(report),
        original: Shown::of(original_report),
    };
    fs::write(folder.join(RECORD), serde_json::to_string_pretty(&record)? + "\n")?;
    fs::write(folder.join("README.md"), readme::readme(finding, &program))
}

/// A finding's program as a file, so that the text alone shows it.
pub fn finding_text(case: &Case, report: &Report) -> String {
    further_paths(report) + &case_text(case, &right(report))
}

/// The lines that ask for what is wrong, if it is none of the usual paths: one of each group.
fn further_paths(report: &Report) -> String {
    if report.signature.as_ref().and_then(Signature::stage) == Some("judge") {
        // Validators take part in every check.
        return String::new();
    }
    let usual: Vec<PathId> = registry().iter().map(|path| path.id()).collect();
    let linked_in =
        |id: &PathId| usual.iter().any(|other| other.compiler == id.compiler && other.version == id.version);
    let wrong = report.wrong();
    if wrong.iter().any(|id| usual.contains(id)) {
        return String::new();
    }
    let sources = report.runs.iter().flat_map(|run| &run.classes).flat_map(|class| &class.sources);
    let mut groups: BTreeMap<&PathId, &str> = sources.map(|it| (&it.path, it.group.as_str())).collect();
    groups.extend(report.faults.iter().map(|fault| (&fault.path, fault.group.as_str())));
    let mut told = BTreeSet::new();
    // What goes pass by pass is another path's, which is as wrong.
    let in_steps = |id: &&PathId| id.variant.starts_with("steps-");
    let (steps, whole): (Vec<&PathId>, Vec<&PathId>) = wrong.into_iter().partition(in_steps);
    let first = whole.into_iter().chain(steps).filter(|id| told.insert(groups.get(id)));
    // The version that is linked in goes with this program.
    first.map(|id| path_line(if linked_in(id) { id.short() } else { id.to_string() })).collect()
}

/// The right outcome of each vector.
pub fn right(report: &Report) -> Vec<Outcome> {
    report.runs.iter().map(|run| run.right.clone()).collect()
}

/// The IR of each side: that of every path that is wrong, and of the first path of each group that is right; of a
/// finding of quality, what its first path and the lab constructed.
fn write_texts(folder: &Path, report: &Report, signature: &Signature) -> io::Result<()> {
    let sources = |wanted: bool| {
        let classes = report
            .runs
            .iter()
            .flat_map(move |run| run.classes.iter().filter(move |class| (class.outcome == run.right) == wanted));
        classes.flat_map(|class| &class.sources)
    };
    let mut sides: BTreeSet<&PathId> = report.faults.iter().map(|fault| &fault.path).collect();
    sides.extend(sources(false).map(|source| &source.path));
    let quality = report.quality();
    let yardstick = PathId::new("lab", None, "pruned");
    if let Some((_, broken)) = quality.get(signature) {
        sides.extend(broken.first().map(|structure| &structure.path).into_iter().chain([&yardstick]));
    }
    let mut groups = BTreeSet::new();
    let has_text = |path: &PathId| report.texts.iter().any(|(owner, ..)| owner == path);
    let is_quality = signature.kind() == structure::KIND;
    for Source { path, group, .. } in sources(true).filter(|_| !is_quality) {
        if has_text(path) && groups.insert(group) {
            sides.insert(path);
        }
    }
    let mut seen = BTreeSet::new();
    for (path, name, text) in report.texts.iter().filter(|(path, ..)| sides.contains(path)) {
        if !seen.insert((name, text)) {
            continue;
        }
        fs::create_dir_all(folder.join(TEXTS))?;
        fs::write(folder.join(TEXTS).join(text_file(&path.to_string(), name)), text)?;
    }
    Ok(())
}

/// The name of a text's file in `ir/`.
pub(super) fn text_file(path: &str, name: &str) -> String {
    format!("{path}.{name}").chars().map(|c| if "/<>".contains(c) { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Class, Run, Verdict};
    use crate::op::End;
    use crate::path::Stage;
    use crate::tiny;

    fn case(text: &str) -> Case {
        let program = crate::case::Program::Tiny(tiny::parse(text).unwrap());
        Case { program, vectors: vec![vec![7]], fuel: 100 }
    }

    /// `lab/phi` says 2 where `tiny/eval` says 1, and both have a text.
    fn report() -> Report {
        let class = |n, compiler: &str, variant: &str| Class {
            outcome: End::Return(n).into(),
            sources: vec![Source {
                path: PathId::new(compiler, None, variant),
                stage: Stage::Execute,
                group: compiler.into(),
            }],
        };
        let classes = vec![class(1, "tiny", "eval"), class(2, "lab", "phi")];
        let text = |compiler, variant, text: &str| (PathId::new(compiler, None, variant), "ir".into(), text.into());
        Report {
            verdict: Verdict::Disagree,
            signature: Some(Signature("disagree.execute.lab".into())),
            runs: vec![Run { inputs: vec![7], right: End::Return(1).into(), classes }],
            faults: Vec::new(),
            unsupported: Vec::new(),
            notes: Vec::new(),
            structure: Vec::new(),
            texts: vec![text("tiny", "eval", "tree"), text("lab", "phi", "phis"), text("lab", "naive", "not a side")],
        }
    }

    fn record_in(corpus: &Path, origin: &str) -> Recorded {
        let (original, minimized) = (case("input x;\ny = x;\nreturn y"), case("input x;\nreturn x"));
        let report = report();
        let finding = Finding {
            identity: &Identity("disagree.execute.lab-phi.sub".into()),
            signature: &Signature("disagree.execute.lab".into()),
            original: (&original, &report),
            minimized: (&minimized, &report),
            origin: origin.into(),
            paths: Vec::new(),
            options: " --paths 'lab/*'".into(),
        };
        record(corpus, &finding).unwrap()
    }

    #[test]
    fn a_finding_is_a_folder_with_everything_in_it() {
        let corpus = tempfile::tempdir().unwrap();
        let recorded = record_in(corpus.path(), "seed 1");
        assert_eq!(recorded, Recorded::New(corpus.path().join("findings/disagree.execute.lab-phi.sub")));
        let read = |name: &str| fs::read_to_string(recorded.folder().join(name)).unwrap();
        assert_eq!(read("min.tiny"), "# run: 7 => return 1\ninput x;\nreturn x\n");
        assert_eq!(read("original.tiny"), "# run: 7 => return 1\ninput x;\ny = x;\nreturn y\n");
        assert_eq!((read("ir/tiny-eval.ir").as_str(), read("ir/lab-phi.ir").as_str()), ("tree", "phis"));
        assert!(!recorded.folder().join("ir/lab-naive.ir").exists(), "a path that is on no side");
        assert!(read("README.md").contains("    roundtrip check min.tiny --paths 'lab/*'\n"));
        let record: serde_json::Value = serde_json::from_str(&read("finding.json")).unwrap();
        assert_eq!((&record["verdict"], &record["program"]), (&"disagree".into(), &"min.tiny".into()));
    }

    #[test]
    fn of_many_at_once_one_is_written_and_nothing_is_left_beside() {
        let corpus = tempfile::tempdir().unwrap();
        let start = std::sync::Barrier::new(8);
        let new = std::thread::scope(|scope| {
            let write = || {
                start.wait();
                matches!(record_in(corpus.path(), "seed 1"), Recorded::New(_))
            };
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(write)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).filter(|new| *new).count()
        });
        assert_eq!(new, 1);
        assert_eq!(fs::read_dir(corpus.path().join("findings")).unwrap().count(), 1);
    }

    #[test]
    fn what_a_killed_process_left_is_swept_away_and_what_is_being_written_is_not() {
        let corpus = tempfile::tempdir().unwrap();
        let findings = corpus.path().join("findings");
        let [old, young] = [".new-old", ".new-young"].map(|name| findings.join(name));
        for folder in [&old, &young] {
            fs::create_dir_all(folder).unwrap();
            fs::write(folder.join("min.tiny"), "ret").unwrap();
        }
        let long_ago = std::time::SystemTime::now() - 2 * LONG;
        fs::File::open(&old).unwrap().set_modified(long_ago).unwrap();
        record_in(corpus.path(), "seed 1");
        assert!(!old.exists() && young.exists());
    }

    #[test]
    fn an_identity_is_a_safe_folder_name() {
        let name = |text: &str| folder_name(&Identity(text.into()));
        assert_eq!(name("disagree.execute.lab,llvm~"), "disagree.execute.lab,llvm~");
        assert_eq!(name("../x y"), "-x-y");
    }
}
