//! The command line, as its users see it: output, exit statuses, and what it says to bad input.

mod bad_input;
mod commands;
mod diagnostics;
#[path = "../common/executable.rs"]
mod executable;
mod findings;
mod known;
mod night;
mod programs;
#[cfg(feature = "llvm")]
mod steps;
mod toolchains;

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin_cmd;

/// Five paths that every build has.
const OWN_PATHS: &str = "tiny/eval,lab/{naive,pruned,phi,tac}";

/// The command, without the further versions of compilers that this machine happens to have.
fn roundtrip() -> Command {
    let mut command = cargo_bin_cmd!("roundtrip");
    command.env("ROUNDTRIP_TOOLCHAINS", env!("CARGO_TARGET_TMPDIR"));
    command
}

/// A file of the cases.
fn case(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(name)
}

/// A case's right answers.
fn answers(name: &str) -> serde_json::Value {
    serde_json::from_str(&std::fs::read_to_string(case(name)).unwrap()).unwrap()
}

/// How a command ended.
struct Ran {
    status: i32,
    stdout: String,
    stderr: String,
}

/// Runs the command with these arguments.
fn run<A: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = A>) -> Ran {
    ran(roundtrip().args(arguments))
}

fn ran(command: &mut Command) -> Ran {
    let output = command.output().unwrap();
    Ran {
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The arguments of a command line without blanks in them.
fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// A program in a folder of its own.
fn file(name: &str, text: impl AsRef<[u8]>) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    (folder, path)
}
