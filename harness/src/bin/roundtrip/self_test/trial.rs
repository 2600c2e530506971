//! One fault looked for from one seed, in a process of its own.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use harness::case::DEFAULT_FUEL;
use harness::judge;
use harness::plant::Fault;
use serde_json::Value;

use super::expected::{Expected, options};
use crate::source::{InputForm, RunOptions, Source};
use crate::status::Status;
use crate::terminal::Terminal;

/// Programs to look at before a fault counts as missed.
const PROGRAMS: u64 = 20_000;
/// The largest minimized program, in statements.
const STATEMENTS: usize = 10;
/// A line of TAC does less than a statement of Tiny.
const LINES: usize = 20;

/// What came of it.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The seed.
    pub seed: u64,
    /// The programs that it took.
    pub programs: u64,
    /// The seconds until all of it was recorded.
    pub seconds: f64,
    /// The size of the minimized program, in statements or lines.
    pub statements: Option<usize>,
    /// The identity that the finding got, or what the harness says of itself.
    pub named: String,
    /// What is wrong: not found, too large, named wrongly, recorded badly.
    pub wrong: Option<String>,
}

/// What the process of a trial left.
struct Ended {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Trial {
    /// Looks for a fault. `None` if the time was up before anything came of it.
    pub fn run(fault: Fault, seed: u64, deadline: Option<Instant>) -> Option<Trial> {
        let start = Instant::now();
        let mut trial = Trial { seed, programs: 0, seconds: 0.0, statements: None, named: String::new(), wrong: None };
        match trial.look(fault, deadline) {
            Ok(true) => {}
            Ok(false) => return None,
            Err(why) => trial.wrong = Some(format!("{why:#}")),
        }
        trial.seconds = start.elapsed().as_secs_f64();
        Some(trial)
    }

    /// `false`: the time was up.
    fn look(&mut self, fault: Fault, deadline: Option<Instant>) -> anyhow::Result<bool> {
        let corpus = tempfile::tempdir().context("cannot make a folder")?;
        let (programs, seed) = (PROGRAMS.to_string(), self.seed.to_string());
        let mut command = Command::new(std::env::current_exe().context("where is this program?")?);
        command.args(["fuzz", "--findings", "1", "--jobs", "1", "--quiet", "--format", "json"]);
        command.args(["--programs", &programs, "--seed", &seed, "--plant", fault.name()]).args(options(fault));
        command.arg("--corpus").arg(corpus.path());
        let Some(ended) = end(command, corpus.path(), deadline)? else { return Ok(false) };
        let found = self.found(&ended, corpus.path(), fault);
        match Expected::of(fault) {
            Expected::Finding(names) => {
                found?;
                if !names.iter().any(|name| self.named.starts_with(name)) {
                    bail!("it is called {}, not {}", self.named, names.join(" or "));
                }
            }
            Expected::Notice(words) => {
                let said = match found {
                    Ok(()) => bail!("nothing was noticed"),
                    Err(why) => format!("{why:#}\n{}", ended.stderr),
                };
                if !said.contains(words) {
                    bail!("no word of {words:?}, but: {said}");
                }
                // Not all of it, which has places and numbers.
                self.named = words.to_string();
            }
        }
        Ok(true)
    }

    /// Reads what the run says and what it recorded: found, small, and recorded so that it can be had again.
    fn found(&mut self, ended: &Ended, corpus: &Path, fault: Fault) -> anyhow::Result<()> {
        let last = ended.stdout.lines().last().unwrap_or_default();
        let summary: Value = serde_json::from_str(last).unwrap_or_default();
        // A run that fails has no summary, but says at which program.
        self.programs = summary["summary"]["programs"].as_u64().or_else(|| at_program(&ended.stderr)).unwrap_or(0);
        let identity = summary["summary"]["identities"].as_object().and_then(|all| all.keys().next().cloned());
        let Some(identity) = identity.filter(|_| ended.code == Some(Status::Finding.code().into())) else {
            bail!("exit status {:?} after {} programs\n{}", ended.code, self.programs, ended.stderr);
        };
        self.named = identity;
        let findings = fs::read_dir(corpus.join("findings")).context("nothing was recorded")?.flatten();
        // Cranelift's quality, which the first program may show, is no fault of ours.
        let mut folders = findings.filter(|entry| !entry.file_name().as_encoded_bytes().starts_with(b"quality."));
        let (Some(folder), None) = (folders.next(), folders.next()) else { bail!("not one finding was recorded") };
        let folder = folder.path();
        let [tiny, tac] = ["min.tiny", "min.tac"].map(|name| folder.join(name));
        let (file, most) = if tac.exists() { (tac, LINES) } else { (tiny, STATEMENTS) };
        let text = recorded(&folder, &file)?;
        self.statements = Some(text.0);
        if text.0 > most {
            bail!("it was left with {} statements\n{}", text.0, text.1);
        }
        again(&file, corpus, fault)
    }

    /// The trial in a line.
    pub fn text(&self) -> String {
        match (&self.wrong, self.statements) {
            (Some(why), _) => format!("FAILED: {why}"),
            (None, Some(size)) => {
                format!("{} after {} programs, {:.1} s, {size} statements", self.named, self.programs, self.seconds)
            }
            (None, None) => format!("noticed after {:.1} s: {}", self.seconds, self.named),
        }
    }
}

/// Runs a command to its end, or kills it when the time is up.
fn end(mut command: Command, folder: &Path, deadline: Option<Instant>) -> anyhow::Result<Option<Ended>> {
    // Into files, because a full pipe would stop it.
    let [stdout, stderr] = ["stdout", "stderr"].map(|name| folder.join(name));
    command.stdin(Stdio::null()).stdout(File::create(&stdout)?).stderr(File::create(&stderr)?);
    let mut child = command.spawn().context("cannot start roundtrip")?;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let read = |file| anyhow::Ok(String::from_utf8_lossy(&fs::read(file)?).into_owned());
    Ok(Some(Ended { code: status.code(), stdout: read(&stdout)?, stderr: read(&stderr)? }))
}

/// How many programs there were up to `program N of seed ..`.
fn at_program(said: &str) -> Option<u64> {
    let (_, rest) = said.split_once("program ")?;
    let number: u64 = rest.split(' ').next()?.parse().ok()?;
    Some(number + 1)
}

/// A record is complete and its right outcomes are those of its language's interpreter, which has no fault in this
/// process. Gives the program's size and text.
fn recorded(folder: &Path, file: &Path) -> anyhow::Result<(usize, String)> {
    for name in ["finding.json", "README.md"] {
        if fs::read(folder.join(name)).context("the record is not complete")?.is_empty() {
            bail!("{name} is empty");
        }
    }
    if fs::read_dir(folder.join("ir")).context("it has no IR texts")?.count() < 2 {
        bail!("it does not have the IR texts of both sides");
    }
    let options = RunOptions { inputs: Vec::new(), fuel: DEFAULT_FUEL };
    let source = Source::read(file, &InputForm { input_form: None, dialect: None })?;
    let loaded = source.load(&options, &Terminal::silent())?;
    let text = &loaded.source.text;
    let own = judge::reference(&loaded.case);
    if loaded.expectations.len() != own.len() {
        bail!("{} of {} runs have an outcome\n{text}", loaded.expectations.len(), own.len());
    }
    for expectation in &loaded.expectations {
        let outcome = &own[expectation.run].outcome;
        if expectation.expected != *outcome {
            bail!("recorded as right: {}; its own interpreter gives {outcome}\n{text}", expectation.expected);
        }
    }
    Ok((loaded.case.program.statements(), text.clone()))
}

/// The record alone shows the fault again, in a new process, which knows of no issues of compilers that it may look
/// like.
fn again(file: &Path, corpus: &Path, fault: Fault) -> anyhow::Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["check", "--plant", fault.name(), "--quiet", "--corpus"]).arg(corpus).arg(file);
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    if status.code() != Some(Status::Finding.code().into()) {
        bail!("its record does not show it again: exit status {:?}", status.code());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_run_that_fails_says_at_which_program() {
        assert_eq!(super::at_program("internal error: the generator's program 16 of seed 1 is rejected"), Some(17));
        assert_eq!(super::at_program("no such thing"), None);
    }
}
