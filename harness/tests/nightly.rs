//! `scripts/nightly` with stand-ins for what it runs: parts kept apart, budgets, seeds, being interrupted.

#[path = "common/executable.rs"]
mod executable;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use harness::record::night::Night;

/// The real command notes parts down and sums up; a run of `fuzz` compares one program, or never ends; a self-test
/// fails if it is to, and one from many seeds never has the time for all.
const ROUNDTRIP: &str = r#"#!/bin/bash
case $1 in
part | summarize) exec "$REAL" "$@" ;;
fuzz)
    log=${*: -1}
    echo '{"event":"start","roundtrip":"","seed":1,"from":0,"form":"tiny","jobs":1,"limit":{"programs":1},"paths":[],"time":1}' >>"$log"
    [[ $3 != "$STUCK" ]] || exec sleep 600
    echo '{"event":"end","programs":1,"verdicts":{"agree":1},"signatures":{},"paths":[],"deaths":0,"seconds":1,"shortfalls":[],"exit":0,"time":1}' >>"$log"
    ;;
corpus) exit "${CORPUS:-0}" ;;
self-test)
    [[ $* != *--seeds* ]] || exit 3
    [[ ! $PLANTED ]] || exit 1
    ;;
known-bugs) exit "${KNOWN_BUGS:-0}" ;;
versions) echo '{"versions":["llvm@14.0.6"],"rows":[{"program":"a.tiny","cells":[{"verdict":"known","right":1,"others":[]}]}]}' >"$3" ;;
esac
"#;

/// Foreign commands do nothing.
const CARGO: &str = "#!/bin/sh\n";

/// A project with nothing in it but the script and the stand-ins.
fn project() -> tempfile::TempDir {
    let project = tempfile::tempdir().unwrap();
    let script = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/nightly")).unwrap();
    for (name, text) in [
        ("scripts/nightly", script.as_str()),
        ("scripts/setup", "#!/bin/sh\n"),
        ("scripts/coverage", "#!/bin/sh\n"),
        ("scripts/toolchain", "#!/bin/sh\n"),
        ("target/release/roundtrip", ROUNDTRIP),
        ("bin/cargo", CARGO),
    ] {
        executable::write(&project.path().join(name), text);
    }
    project
}

fn nightly(project: &Path, arguments: &str, environment: &[(&str, &str)]) -> Child {
    let path = format!("{}:{}", project.join("bin").display(), std::env::var("PATH").unwrap());
    let mut command = Command::new(project.join("scripts/nightly"));
    command.args(arguments.split_whitespace()).args(["--out", "out"]).envs(environment.iter().copied());
    command.env("PATH", path).env("REAL", env!("CARGO_BIN_EXE_roundtrip")).env_remove("GITHUB_ACTIONS");
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn ended(child: Child) -> (i32, String) {
    let Output { status, stderr, .. } = child.wait_with_output().unwrap();
    (status.code().unwrap_or(-1), String::from_utf8(stderr).unwrap())
}

fn status_of(night: &Night, name: &str) -> u8 {
    let part = night.parts.iter().find(|part| part.name == name);
    part.unwrap_or_else(|| panic!("no part {name}: {:?}", night.parts)).status
}

#[test]
fn a_part_that_fails_keeps_none_from_running() {
    let project = project();
    let run =
        nightly(project.path(), "--seed 7 --programs 5", &[("CORPUS", "4"), ("PLANTED", "1"), ("KNOWN_BUGS", "1")]);
    let (status, said) = ended(run);
    assert_eq!(status, 70, "{said}");
    let night = Night::read(&project.path().join("out")).unwrap();
    let named = |name: &str| status_of(&night, name);
    let names = ["corpus", "planted", "identities", "tiny", "tac", "libfuzzer-parse", "cmin-parse"];
    assert_eq!(names.map(named), [4, 70, 0, 0, 0, 0, 0]);
    assert_eq!(["build-toolchains", "known-bugs", "versions", "compare-llvm"].map(named), [0, 1, 0, 0]);
    let summary = fs::read_to_string(project.path().join("out/summary.md")).unwrap();
    assert!(summary.contains("| `a.tiny` | 🟡 known 0 |"), "{summary}");
    assert_eq!((night.verdicts.programs(), night.unfinished.len()), (2, 0));
    // Without a clock, and with what was asked for.
    assert!(night.parts.iter().all(|part| part.budget.is_none()));
    let tiny = &night.parts.iter().find(|part| part.name == "tiny").unwrap().command;
    assert!(tiny.contains("--seed 7 --programs 5"), "{tiny}");
}

#[test]
fn budgets_share_the_time_that_was_asked_for() {
    let project = project();
    let (status, said) = ended(nightly(project.path(), "--minutes 10", &[]));
    assert_eq!(status, 0, "{said}");
    let night = Night::read(&project.path().join("out")).unwrap();
    // What a part does not use goes to those after it: each gets more than its first share, and none too much.
    let budgets: Vec<u64> = night.parts.iter().filter_map(|part| part.budget).collect();
    assert!(budgets.len() > 15 && budgets.iter().all(|&budget| (4..=600).contains(&budget)), "{budgets:?}");
    assert!(*budgets.last().unwrap() > 200, "{budgets:?}");
}

#[test]
fn what_is_interrupted_is_summed_up() {
    let project = project();
    let run = nightly(project.path(), "--minutes 10", &[("STUCK", "tac")]);
    let out = project.path().join("out");
    while !out.join("logs/tac.log").exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
    let killed = Command::new("kill").arg(run.id().to_string()).status().unwrap();
    assert!(killed.success());
    let (status, said) = ended(run);
    assert_eq!(status, 3, "{said}");
    let night = Night::read(&out).unwrap();
    assert_eq!((status_of(&night, "tiny"), status_of(&night, "tac")), (0, 3));
    assert!(night.parts.last().is_some_and(|part| part.name == "tac"), "nothing runs after it: {:?}", night.parts);
    let summary = fs::read_to_string(out.join("summary.md")).unwrap();
    assert!(summary.contains("1 program compared") && summary.contains("| tac | inconclusive: it had to be ended |"));
}

#[test]
fn a_folder_of_another_run_is_not_written_to() {
    let project = project();
    fs::create_dir(project.path().join("out")).unwrap();
    fs::write(project.path().join("out/results.jsonl"), "").unwrap();
    let (status, said) = ended(nightly(project.path(), "--minutes 10", &[]));
    assert_eq!(status, 2);
    assert!(said.contains("out holds another run"), "{said}");
}

#[test]
fn what_it_does_not_understand_it_says() {
    let project = project();
    for arguments in ["--minutes 0", "--minutes ten", "--programs", "--speed 3"] {
        let (status, _) = ended(nightly(project.path(), arguments, &[]));
        assert_eq!(status, 2, "{arguments}");
    }
}
