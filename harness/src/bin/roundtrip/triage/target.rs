//! What is to be triaged: a program's file, a finding's folder, or the minimized program in one.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use harness::case::{Case, DEFAULT_FUEL, Form};
use harness::path;
use harness::record;

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
    /// The paths that it was recorded with, without versions.
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
        let recorded = record::expected(&folder).map_err(|why| anyhow::anyhow!(why))?;
        Ok(Target { program, finding: Some(folder), signature: recorded.signature, paths: recorded.paths })
    }

    /// The recorded paths that there still are, in all of their versions: all are asked which version is wrong.
    pub fn globs(&self) -> Option<String> {
        let there: Vec<String> = path::registry().iter().map(|path| path.id().short()).collect();
        let known: Vec<String> = self
            .paths
            .iter()
            .filter(|path| there.contains(path))
            .map(|name| format!("{{{}}}", globset::escape(name)))
            .collect();
        (!known.is_empty()).then(|| known.join(","))
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
    Ok(Source::read(file, &InputForm { input_form: None })?.load(&options, terminal)?.case)
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
