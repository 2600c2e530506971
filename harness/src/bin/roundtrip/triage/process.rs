//! Starting a step of triage in a fresh process, and what becomes of it: the parent's side.

use std::ffi::OsString;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;
use harness::triage::Death;

/// After this a process hangs, whatever it is doing.
const PATIENCE: Duration = Duration::from_secs(120);
/// How often it is looked at.
const GLANCE: Duration = Duration::from_millis(5);

/// What a process said, and how it ended if it did not end well.
pub struct Ended {
    /// Its standard output.
    pub printed: String,
    /// Its end.
    pub death: Option<Death>,
}

/// Runs this very program with other arguments to its end, or to the end of patience. Its output goes to files: a pipe
/// fills up, and the child reads back what its compiler prints.
pub fn run(arguments: &[OsString]) -> anyhow::Result<Ended> {
    let program = std::env::current_exe().context("cannot find the program itself")?;
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let (out, err) = (folder.path().join("out"), folder.path().join("err"));
    let mut child = Command::new(&program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(fs::File::create(&out)?)
        .stderr(fs::File::create(&err)?)
        .spawn()
        .with_context(|| format!("cannot start {}", program.display()))?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if start.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            break None;
        }
        std::thread::sleep(GLANCE);
    };
    let death = how(status).map(|how| Death { how, said: read(&err) });
    Ok(Ended { printed: read(&out), death })
}

/// A compiler may print what is no text.
fn read(path: &Path) -> String {
    fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

/// How a process that did not end well ended.
fn how(status: Option<ExitStatus>) -> Option<String> {
    let Some(status) = status else {
        return Some(format!("it did not end within {} s", PATIENCE.as_secs()));
    };
    match (status.success(), status.signal()) {
        (true, _) => None,
        (false, Some(signal)) => Some(format!("signal {signal}")),
        (false, None) => Some(format!("exit status {}", status.code().unwrap_or(-1))),
    }
}
