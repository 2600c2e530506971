//! The harness survives what a compiler can do to its process, and accounts for all of it: a path of its own
//! (`path/chaos.rs`) aborts, panics, hangs, faults, overflows its stack, eats its memory, writes rubbish to wherever it
//! can, and exits, on programs that are known beforehand.
//!
//! `ROUNDTRIP_CHAOS=full cargo test --release --test chaos` is the long trial, for every night: 10,000 programs, 1% of
//! them hit.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use harness::case::{Case, Form, Program};
use harness::generate::{self, Policy};
use harness::path::chaos::Mishap;
use harness::record::run_log::{self, End, Event};
use harness::tiny;
use serde_json::Value;

const SEED: u64 = 1;

fn roundtrip(command: &str, arguments: &str) -> Command {
    let mut roundtrip = Command::new(env!("CARGO_BIN_EXE_roundtrip"));
    roundtrip.arg(command).args(arguments.split_whitespace());
    // On a busy machine even a death takes its time.
    roundtrip.args(["--hang-after", "1500ms", "--memory", "2048"]);
    roundtrip
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What is to happen on the programs of a run, by what it will be called.
fn expected(programs: u64, permille: u32) -> BTreeMap<Mishap, u64> {
    let mut expected = BTreeMap::new();
    for number in 0..programs {
        let case = generate::case(SEED, number, Form::Tiny, &Policy::default());
        if let Some(mishap) = Mishap::on(&case.program, permille) {
            *expected.entry(mishap).or_insert(0) += 1;
        }
    }
    expected
}

/// A message as signatures have it, as far as it is sure.
fn slug(message: &str) -> String {
    let words = message.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| word.len() > 1);
    let mut slug = words.filter(|word| word.parse::<u64>().is_err()).collect::<Vec<_>>().join("-").to_lowercase();
    slug.truncate(40);
    slug
}

/// The programs with this mishap's signatures.
fn found(signatures: &Value, mishap: Mishap) -> u64 {
    let is_its = |name: &str| name.split('.').nth(2) == Some("chaos") && name.contains(&slug(mishap.message()));
    let counts = signatures.as_object().unwrap().iter().filter(|(name, _)| is_its(name));
    counts.map(|(_, count)| count.as_u64().unwrap()).sum()
}

#[test]
fn every_mishap_is_accounted_for_and_every_other_program_compared() {
    let (programs, permille, paths, jobs) = match std::env::var("ROUNDTRIP_CHAOS").as_deref() {
        Ok("full") => (10_000, 10, "tiny/*,lab/*,cranelift/*,llvm/*,chaos/*", [2, 2]),
        _ => (400, 60, "tiny/eval,lab/{naive,tac},chaos/*", [1, 3]),
    };
    let expected = expected(programs, permille);
    assert_eq!(expected.len(), Mishap::ALL.len(), "every kind of mishap happens: {expected:?}");
    let hit: u64 = expected.values().sum();
    let folder = tempfile::tempdir().unwrap();
    let run = |jobs: u32| {
        let log = folder.path().join(format!("{jobs}.jsonl"));
        let mut command =
            roundtrip("fuzz", &format!("--seed {SEED} --programs {programs} --jobs {jobs} --no-minimize"));
        command.args(["--format", "json", "--paths", paths, "--chaos", &permille.to_string()]);
        command.arg("--log").arg(&log).arg("--corpus").arg(folder.path().join(format!("corpus{jobs}")));
        (command.output().unwrap(), log)
    };
    let (output, log) = run(jobs[0]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let stdout = String::from_utf8(output.stdout.clone()).unwrap();
    let summary = &serde_json::from_str::<Value>(stdout.lines().last().unwrap()).unwrap()["summary"];
    for (&mishap, &count) in &expected {
        assert_eq!(found(&summary["signatures"], mishap), count, "{mishap:?}: {summary}");
    }
    // A program may run out of fuel besides.
    let others = ["agree", "inconclusive"].map(|verdict| summary[verdict].as_u64().unwrap());
    assert_eq!((&summary["findings"], others.iter().sum()), (&hit.into(), programs - hit), "{summary}");
    let monkey = summary["paths"].as_array().unwrap().last().unwrap();
    assert_eq!((&monkey["programs"], &monkey["faults"]), (&programs.into(), &hit.into()));
    assert!(said(&output).contains(&format!("accounts: {programs} programs out and back")), "{}", said(&output));

    // A panic costs no worker; everything else that is believed has cost two.
    let log = run_log::read(&log).unwrap();
    let Some(Event::End(End { totals, shortfalls, exit: 1 })) = log.lines.last().map(|line| &line.event) else {
        panic!("{log:?}")
    };
    assert!(shortfalls.is_empty() && totals.verdicts.findings() == hit, "{shortfalls:?}");
    assert!(totals.deaths >= 2 * (hit - expected[&Mishap::Panic]), "{} deaths", totals.deaths);
    let findings = log.lines.iter().filter(|line| matches!(line.event, Event::Finding(_))).count();
    assert_eq!(findings, totals.signatures.len());

    if jobs[1] != jobs[0] {
        let summary_of =
            |output: &Output| String::from_utf8(output.stdout.clone()).unwrap().replace("corpus3", "corpus1");
        assert_eq!(summary_of(&output), summary_of(&run(jobs[1]).0), "the results depend on the jobs");
    }
}

#[test]
fn a_path_that_does_nothing_but_die_is_switched_off_whatever_the_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let run = |jobs: u32| {
        let mut command =
            roundtrip("fuzz", &format!("--seed 1 --programs 60 --jobs {jobs} --no-minimize --chaos 1000"));
        command.args(["--paths", "tiny/eval,lab/tac,chaos/*", "--corpus"]).arg(folder.path());
        command.output().unwrap()
    };
    run(1);
    let [one, three] = [1, 3].map(run);
    assert_eq!(one.status.code(), Some(1));
    assert!(said(&one).contains("chaos/monkey IS SWITCHED OFF after program 19"), "{}", said(&one));
    let stdout = String::from_utf8(one.stdout).unwrap();
    let row = |path: &str| stdout.lines().find(|line| line.starts_with(path)).unwrap().split_whitespace().nth(1);
    assert_eq!((row("tiny/eval"), row("chaos/monkey")), (Some("60"), Some("20")), "{stdout}");
    assert_eq!(stdout, String::from_utf8(three.stdout).unwrap(), "the results depend on the jobs");
}

/// A program on which this happens if all are hit.
fn program_with(mishap: Mishap) -> String {
    let texts = (0..).map(|n| format!("# run: => return {n}\nx = {n};\ny = x;\nreturn x\n"));
    let program = |text: &str| Program::Tiny(tiny::parse(text).unwrap());
    texts.into_iter().find(|text| Mishap::on(&program(text), 1000) == Some(mishap)).unwrap()
}

#[test]
fn check_tells_kinds_of_death_apart() {
    let folder = tempfile::tempdir().unwrap();
    let files = Mishap::ALL.map(|mishap| folder.path().join(format!("{mishap:?}.tiny")));
    for (mishap, file) in Mishap::ALL.into_iter().zip(&files) {
        std::fs::write(file, program_with(mishap)).unwrap();
    }
    let mut command = roundtrip("check", "--format json --chaos 1000 --paths chaos/monkey,tiny/eval,lab/tac");
    let output = command.args(&files).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let stdout = String::from_utf8(output.stdout).unwrap();
    let objects: Vec<Value> = stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(objects.len(), files.len(), "{stdout}");
    for (mishap, object) in Mishap::ALL.into_iter().zip(objects) {
        let verdict = if mishap == Mishap::Hang { "hang" } else { "crash" };
        assert_eq!(object["verdict"], verdict, "{object}");
        let message = object["faults"][0]["message"].as_str().unwrap();
        assert!(message.starts_with(mishap.message()), "{mishap:?}: {message}");
        // The other paths were compared all the same.
        assert_eq!(object["runs"][0]["classes"][0]["paths"].as_array().unwrap().len(), 2, "{object}");
    }
}

#[test]
fn a_crash_survives_minimization() {
    let program = |text: &str| Program::Tiny(tiny::parse(text).unwrap());
    let empty = Mishap::on(&program("return 0"), 1000);
    let mishap = [Mishap::Abort, Mishap::Segfault].into_iter().find(|mishap| Some(*mishap) != empty).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("a.tiny"), folder.path().join("small.tiny"));
    std::fs::write(&file, program_with(mishap)).unwrap();
    let mut command = roundtrip("minimize", "--chaos 1000 --paths chaos/monkey,tiny/eval");
    let output = command.arg(&file).arg("--out").arg(&out).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let small = tiny::parse(&std::fs::read_to_string(&out).unwrap()).unwrap();
    assert!(small.size() < 3, "{small}");
    assert_eq!(Mishap::on(&Program::Tiny(small), 1000), Some(mishap));
}

/// The processes whose parent is this one.
fn children(parent: u32) -> Vec<u32> {
    let is_child = |process: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
        after_name.split_whitespace().nth(1) == Some(&parent.to_string())
    };
    let processes = Path::new("/proc").read_dir().unwrap().flatten();
    processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(is_child).collect()
}

/// Waits for something, but not for ever.
fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what} in vain");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_killed_run_leaves_what_it_announced_and_no_worker() {
    let folder = tempfile::tempdir().unwrap();
    let (corpus, log) = (folder.path().join("corpus"), folder.path().join("log.jsonl"));
    let mut child = roundtrip("fuzz", "--time 1h --jobs 2 --chaos 500 --paths tiny/eval,lab/tac,chaos/*")
        .arg("--corpus")
        .arg(&corpus)
        .arg("--log")
        .arg(&log)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The first finding is announced; it is being minimized now.
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stderr.take().unwrap()));
    let announced =
        lines.find_map(|line| Some(line.unwrap().strip_prefix("note: ")?.split_once(": program ")?.0.to_owned()));
    let signature = announced.expect("a finding");
    let workers = children(child.id());
    assert!(!workers.is_empty());
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until("waited for the workers' end", || {
        // A zombie that nobody reaps is no worker any more.
        let is_alive = |worker: &u32| {
            std::fs::read_to_string(format!("/proc/{worker}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
        };
        !workers.iter().any(is_alive)
    });
    let finding = corpus.join("findings").join(format!("{signature}.not-minimized"));
    let record: Value = serde_json::from_slice(&std::fs::read(finding.join("finding.json")).unwrap()).unwrap();
    assert_eq!(record["signature"], signature.as_str());
    assert!(tiny::parse(&std::fs::read_to_string(finding.join("min.tiny")).unwrap()).is_ok());
    let log = run_log::read(&log).unwrap();
    assert!(matches!(log.lines[0].event, Event::Start(_)) && log.unreadable == 0, "{log:?}");
}

#[test]
fn a_log_that_cannot_be_written_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let fuzz = |log: &str| {
        let mut command = roundtrip("fuzz", "--seed 1 --programs 5 --paths tiny/eval,lab/tac");
        command.arg("--corpus").arg(folder.path()).args(["--log", log]).output().unwrap()
    };
    let full = fuzz("/dev/full");
    assert_eq!(full.status.code(), Some(3), "{}", said(&full));
    assert!(said(&full).contains("cannot write the log /dev/full"), "{}", said(&full));
    let nowhere = fuzz(folder.path().join("nowhere/log").to_str().unwrap());
    assert_eq!(nowhere.status.code(), Some(2), "{}", said(&nowhere));
}

#[test]
fn what_the_monkey_does_depends_on_the_program_alone() {
    let case: Case = generate::case(SEED, 3, Form::Tiny, &Policy::default());
    assert_eq!(Mishap::on(&case.program, 1000), Mishap::on(&case.program.clone(), 1000));
    assert!(Mishap::on(&case.program, 1000).is_some() && Mishap::on(&case.program, 0).is_none());
}

#[test]
fn a_command_that_runs_one_path_survives_it() {
    let folder = tempfile::tempdir().unwrap();
    for mishap in [Mishap::Abort, Mishap::Hang] {
        let file = folder.path().join("program.tiny");
        std::fs::write(&file, program_with(mishap)).unwrap();
        let output = roundtrip("run", "--chaos 1000 --path chaos/monkey").arg(&file).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        assert!(said(&output).contains(mishap.message()), "{mishap:?}: {}", said(&output));
        assert!(output.stdout.is_empty());
    }
}
