//! What is to be triaged: a program's file, a finding's folder, or the minimized program in one.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use harness::case::{Case, DEFAULT_FUEL, Form};
use harness::path::{self, PathId, installed};
use harness::record;
use harness::record::read::StoredRecord;

use super::Runner;
use crate::source::{InputForm, RunOptions, Source};
use crate::terminal::Terminal;

/// What is to be triaged.
pub struct Target {
    /// The program.
    pub program: PathBuf,
    /// The recorded finding's folder, if it is one.
    finding: Option<PathBuf>,
    /// The signature that it was recorded with.
    pub signature: Option<String>,
    /// The paths that it was recorded with.
    paths: Vec<String>,
}

/// A program that is as small as it gets.
pub struct Minimized {
    /// Its file.
    pub file: PathBuf,
    /// The folder that holds it and goes away, if it was made for this.
    _folder: Option<tempfile::TempDir>,
}

impl Target {
    /// Finds what a file or folder stands for.
    pub fn find(file: &Path) -> anyhow::Result<Target> {
        let program = if file.is_dir() { minimized_in(file)? } else { file.to_path_buf() };
        let is_minimized = program.file_stem().is_some_and(|stem| stem == "min");
        let beside = program.parent().map(Path::to_path_buf).filter(|_| is_minimized);
        let Some(folder) = beside.filter(|folder| folder.join(record::RECORD).is_file()) else {
            return Ok(Target { program, finding: None, signature: None, paths: Vec::new() });
        };
        let file = folder.join(record::RECORD);
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let recorded: StoredRecord =
            serde_json::from_str(&text).with_context(|| format!("{} is no finding's record", file.display()))?;
        let paths = recorded.paths.into_iter().map(|path| path.path).collect();
        Ok(Target { program, finding: Some(folder), signature: Some(recorded.signature), paths })
    }

    /// The recorded paths that there still are: of the version that they were recorded with, or else of the one that is
    /// linked in.
    pub fn globs(&self) -> Option<String> {
        let linked_in: Vec<PathId> = path::registry().iter().map(|path| path.id()).collect();
        let installed = installed::found();
        let name = |recorded: &String| {
            let (compiler, variant) = recorded.split_once('/')?;
            let (compiler, version) = compiler.split_once('@').map_or((compiler, None), |(c, v)| (c, Some(v)));
            let id = PathId::new(compiler, version, variant);
            let of_its_own = path::custom(compiler, variant).map(|path| path.id());
            let is_linked_in = linked_in.contains(&id) || of_its_own.as_ref() == Some(&id);
            let is_here = is_linked_in || installed.iter().any(|found| found.holds(&id));
            let is_like = || of_its_own.is_some() || linked_in.iter().any(|other| other.short() == id.short());
            let name = if is_here { recorded.clone() } else { is_like().then(|| id.short())? };
            Some(globset::escape(&name))
        };
        let names: Vec<String> = self.paths.iter().filter_map(name).collect();
        (!names.is_empty()).then(|| names.join(","))
    }

    /// Where the triage belongs.
    pub fn folder(&self) -> PathBuf {
        match &self.finding {
            Some(folder) => folder.clone(),
            None => {
                let mut name = self.program.clone().into_os_string();
                name.push(".triage");
                name.into()
            }
        }
    }

    /// The smallest program with the same signature. A recorded finding is that already; one that can't be minimized is
    /// taken as it is.
    pub fn minimized(&self, runner: &Runner, globs: Option<&str>, terminal: &Terminal) -> anyhow::Result<Minimized> {
        let given = Minimized { file: self.program.clone(), _folder: None };
        if self.finding.is_some() {
            return Ok(given);
        }
        let Some(extension) = self.program.extension() else { return Ok(given) };
        let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
        let out = folder.path().join("min").with_extension(extension);
        let ended = runner.run(&["minimize", "--out", &out.to_string_lossy()], &self.program, globs)?;
        if out.is_file() {
            return Ok(Minimized { file: out, _folder: Some(folder) });
        }
        let said = ended.death.map(|death| death.said).unwrap_or_default();
        terminal.note(format!("not minimized: {}", said.trim_end().lines().last().unwrap_or("nothing was written")));
        Ok(given)
    }
}

/// A finding's minimized program.
fn minimized_in(folder: &Path) -> anyhow::Result<PathBuf> {
    let files = Form::ALL.map(|form| folder.join("min").with_extension(form.extension()));
    match files.into_iter().find(|file| file.is_file()) {
        Some(file) => Ok(file),
        None => bail!("{} is no finding's folder: it holds no min.tiny, min.tac, min.ssa or min.phi", folder.display()),
    }
}

/// The case of a file, with its own runs.
pub fn case(file: &Path, terminal: &Terminal) -> anyhow::Result<Case> {
    let options = RunOptions { inputs: Vec::new(), fuel: DEFAULT_FUEL };
    Ok(Source::read(file, &InputForm { input_form: None, dialect: None })?.load(&options, terminal)?.case)
}

/// Writes a file beside and renames it.
pub fn write(folder: &Path, name: &str, text: &str) -> anyhow::Result<()> {
    let file = folder.join(name);
    record::write(&file, text).with_context(|| format!("cannot write {}", file.display()))
}

/// Makes a folder, if there is none.
pub fn make(folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))
}
