//! What happens to a finding, shown with faults planted in the harness's own lowerings.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use assert_cmd::cargo::cargo_bin;

use crate::{OWN_PATHS, Ran, ran, roundtrip, run, words};

/// A fault that nearly every program shows.
const FAULT: &str = "tac-swap-sub";

/// What tells it from others, and names its folder.
const IDENTITY: &str = "disagree.execute.lab-tac.sub";

fn planted(options: &str, corpus: &Path) -> Ran {
    let mut command = roundtrip();
    command.args(["fuzz", "--plant", FAULT, "--paths", OWN_PATHS, "--corpus"]).arg(corpus);
    ran(command.args(words(options)))
}

/// The one folder of findings.
fn only_finding(corpus: &Path) -> PathBuf {
    let folders: Vec<_> = corpus.join("findings").read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(folders.len(), 1, "{folders:?}");
    folders[0].clone()
}

#[test]
fn a_finding_is_announced_minimized_and_recorded_once() {
    let corpus = tempfile::tempdir().unwrap();
    let first = planted("--seed 1 --programs 40", corpus.path());
    assert_eq!(first.status, 1, "{}", first.stderr);
    assert!(first.stdout.contains("error[disagree.execute.tac]: executions differ"), "{}", first.stdout);
    assert!(first.stdout.contains("WRONG  lab/tac"), "{}", first.stdout);

    let folder = only_finding(corpus.path());
    assert_eq!(folder.file_name().unwrap(), IDENTITY);
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    assert!(read("min.tiny").lines().count() < read("original.tiny").lines().count());
    assert!(
        read("min.tiny").starts_with("# run: ") && read("min.tiny").contains(" => return "),
        "{}",
        read("min.tiny")
    );
    assert!(read("README.md").contains("roundtrip check min.tiny"), "{}", read("README.md"));
    assert!(read("ir/lab-tac.tac").contains("sub"), "the wrong side's IR");
    let finding: serde_json::Value = serde_json::from_str(&read("finding.json")).unwrap();
    assert_eq!((&finding["verdict"], &finding["signature"]), (&"disagree".into(), &"disagree.execute.tac".into()));
    assert_eq!(finding["identity"], IDENTITY);
    assert_eq!(finding["paths"].as_array().unwrap().len(), 5);

    // The right outcomes are right: without the fault the program is a test that passes, with it the finding is back.
    let min = folder.join("min.tiny");
    assert_eq!(run(["check", min.to_str().unwrap()]).status, 0);
    assert_eq!(run(["check", min.to_str().unwrap(), "--plant", FAULT, "--paths", OWN_PATHS]).status, 1);

    let before = read("finding.json");
    let second = planted("--seed 2 --programs 10", corpus.path());
    assert!(second.status == 1 && second.stderr.contains("recorded before"), "{}", second.stderr);
    only_finding(corpus.path());
    assert_eq!(read("finding.json"), before);
}

/// Cranelift's `SSABuilder` breaks relations that the lab keeps (`harness/src/structure.rs`).
#[test]
#[cfg(feature = "cranelift")]
fn quality_is_recorded_once_and_told_apart_and_no_verdict() {
    const NAME: &str = "quality.construct.cranelift.trivial";
    const PATHS: &str = "lab/*,cranelift/none-single_pass";
    let corpus = tempfile::tempdir().unwrap();
    let fuzz = |seed: &str| {
        let words = ["fuzz", "--form", "tac", "--seed", seed, "--programs", "320", "--paths", PATHS];
        let words = words.into_iter().chain(["--schedule", "*=100%", "--format", "json", "--corpus"]);
        ran(roundtrip().args(words).arg(corpus.path()))
    };
    let first = fuzz("1");
    assert_eq!(first.status, 0, "{}", first.stderr);
    assert!(first.stderr.contains(&format!("note: {NAME}: recorded in ")), "{}", first.stderr);
    let summary: serde_json::Value = serde_json::from_str(first.stdout.lines().last().unwrap()).unwrap();
    let counts = &summary["summary"];
    assert_eq!((&counts["findings"], &counts["signatures"]), (&0.into(), &serde_json::json!({})));
    assert!(counts["quality"][NAME]["programs"].as_u64().unwrap() > 0, "{counts}");

    let folder = corpus.path().join("findings").join(NAME);
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    assert!(read("min.tac").lines().count() < read("original.tac").lines().count().min(9), "{}", read("min.tac"));
    assert!(read("README.md").contains("/none-single_pass has 1 parameter, the lab 0"), "{}", read("README.md"));
    let finding: serde_json::Value = serde_json::from_str(&read("finding.json")).unwrap();
    assert_eq!((&finding["verdict"], &finding["signature"]), (&"quality".into(), &NAME.into()));
    assert_eq!(finding["minimized"]["structure"][0]["params"], 1);
    let texts = folder.join("ir").read_dir().unwrap().count();
    assert!(texts > 1, "both forms' texts");

    let check = run(["check", folder.join("min.tac").to_str().unwrap(), "--paths", PATHS]);
    assert!(check.status == 0 && check.stdout.contains(&format!("note[{NAME}]: ")), "{}", check.stdout);
    assert_eq!(ran(roundtrip().args(["corpus", "check"]).arg(corpus.path())).status, 0);
    let ours = ran(roundtrip().args(["corpus", "check", "--paths", "lab/*"]).arg(corpus.path()));
    assert_eq!(ours.status, 1, "no path is left that shows it\n{}", ours.stdout);

    let again = fuzz("2");
    assert!(again.status == 0 && again.stderr.contains(&format!("{NAME}: recorded before")), "{}", again.stderr);
}

#[test]
fn findings_do_not_depend_on_the_jobs() {
    let run = |jobs: u32| {
        let corpus = tempfile::tempdir().unwrap();
        let ran = planted(&format!("--seed 4 --programs 40 --jobs {jobs}"), corpus.path());
        let min = std::fs::read_to_string(only_finding(corpus.path()).join("min.tiny")).unwrap();
        (min, ran.stdout.replace(corpus.path().to_str().unwrap(), "DIR"))
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn corpus_check_replays_every_entry() {
    let corpus = tempfile::tempdir().unwrap();
    planted("--seed 1 --programs 10", corpus.path());
    let agree = corpus.path().join("agree/deeper");
    std::fs::create_dir_all(&agree).unwrap();
    std::fs::write(agree.join("a.tiny"), "# run: => return 1\nreturn 1\n").unwrap();
    let check = |plant: &[&str]| ran(roundtrip().args(["corpus", "check"]).arg(corpus.path()).args(plant));

    let with = check(&["--plant", FAULT]);
    assert_eq!(with.status, 0, "{}{}", with.stdout, with.stderr);
    assert_eq!(with.stdout.matches(", as expected\n").count(), 2, "{}", with.stdout);

    let without = check(&[]);
    assert_eq!(without.status, 1);
    assert!(without.stdout.contains("expected disagree (disagree.execute.tac), is agree"), "{}", without.stdout);

    let json = check(&["--format", "json"]).stdout;
    let oks = json.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["ok"] == true);
    assert_eq!(oks.collect::<Vec<_>>(), [true, false]);

    std::fs::write(corpus.path().join("agree/wrong.tiny"), "# run: => return 2\nreturn 1\n").unwrap();
    assert_eq!(check(&["--plant", FAULT]).status, 1);
    std::fs::write(corpus.path().join("nowhere.tiny"), "return 1\n").unwrap();
    let nowhere = check(&[]);
    assert!(nowhere.status == 2 && nowhere.stderr.contains("nowhere.tiny"), "{}", nowhere.stderr);
}

#[test]
fn a_finding_is_told_when_it_cannot_be_written() {
    let corpus = tempfile::tempdir().unwrap();
    std::fs::write(corpus.path().join("findings"), "in the way").unwrap();
    let ran = planted("--seed 1 --programs 5", corpus.path());
    assert_eq!(ran.status, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("cannot record {IDENTITY}")), "{}", ran.stderr);
    assert!(ran.stdout.contains("executions differ") && ran.stdout.contains("verdict"), "{}", ran.stdout);
}

#[test]
fn a_folder_without_its_finding_is_filled() {
    let corpus = tempfile::tempdir().unwrap();
    let folder = corpus.path().join("findings").join(IDENTITY);
    std::fs::create_dir_all(&folder).unwrap();
    assert_eq!(planted("--seed 1 --programs 5", corpus.path()).status, 1);
    assert!(folder.join("finding.json").is_file());
}

#[test]
fn a_corpus_without_programs_is_a_failure() {
    let empty = tempfile::tempdir().unwrap();
    for folder in [empty.path(), Path::new("nowhere")] {
        let ran = ran(roundtrip().args(["corpus", "check"]).arg(folder));
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""));
        assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
    }
}

#[test]
fn minimize_keeps_the_signature() {
    let folder = tempfile::tempdir().unwrap();
    let (program, out) = (folder.path().join("a.tiny"), folder.path().join("small.tiny"));
    std::fs::write(&program, "# run: 5, 3\ninput x, y;\nz = x * 2;\nwhile z > 9 { z = z - y; }\nreturn z - y\n")
        .unwrap();
    let minimize = |extra: &[&str]| {
        let mut command = roundtrip();
        ran(command.args(["minimize", "--paths", OWN_PATHS]).arg(&program).args(extra).arg("--out").arg(&out))
    };
    let ran = minimize(&["--plant", FAULT]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let small = std::fs::read_to_string(&out).unwrap();
    assert!(small.lines().count() <= 3 && small.contains('-'), "{small}");
    let check = run(["check", out.to_str().unwrap(), "--plant", FAULT, "--paths", OWN_PATHS, "--format", "json"]);
    assert!(check.stdout.contains("\"disagree.execute.tac\""), "{}", check.stdout);

    std::fs::remove_file(&out).unwrap();
    let nothing = minimize(&[]);
    assert!(nothing.status == 2 && nothing.stderr.contains("is no finding"), "{}", nothing.stderr);
    assert!(!out.exists());
}

#[test]
fn interrupting_a_run_ends_it_with_the_summary() {
    let corpus = tempfile::tempdir().unwrap();
    let mut child = Command::new(cargo_bin!("roundtrip"))
        .args(["fuzz", "--time", "1h", "--plant", FAULT, "--paths", OWN_PATHS, "--corpus"])
        .arg(corpus.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap();
    // The first finding's report is on standard output when it has been recorded.
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut printed = String::new();
    stdout.read_line(&mut printed).unwrap();
    // As a terminal does, to the whole group; the workers are not to hear of it.
    // SAFETY: sends a signal to processes that this test started and has not waited for.
    unsafe { libc::kill(-(child.id() as i32), libc::SIGINT) };
    stdout.read_to_string(&mut printed).unwrap();
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{said}");
    assert!(printed.contains("verdict ") && said.contains("interrupted"), "{printed}{said}");
    only_finding(corpus.path());
}

#[test]
fn minimize_reads_what_a_fuzz_target_left() {
    // No ending of ours: text if it parses, else the generator's choices, as the target itself took it.
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in [("crash-text", b"input x, y;\nreturn x - y\n".to_vec()), ("crash-bytes", vec![0xa5; 300])] {
        let artifact = folder.path().join(name);
        std::fs::write(&artifact, bytes).unwrap();
        let ran = run(["minimize", artifact.to_str().unwrap(), "--plant", FAULT, "--paths", OWN_PATHS]);
        assert!(ran.stderr.contains("as the fuzz targets read it"), "{name}: {}", ran.stderr);
        assert!(ran.status == 0 || name == "crash-bytes", "{name}: {}", ran.stderr);
        assert!(ran.status == 2 || ran.stdout.contains("# run: "), "{name}: {}", ran.stdout);
    }
}

#[test]
fn a_finding_with_another_signature_that_is_one_seen_before_leaves_nothing_behind() {
    let corpus = tempfile::tempdir().unwrap();
    let paths = "tiny/*,lab/*,llvm/phi-mid,llvm/mem2reg-mid --schedule llvm/*=50%";
    let options = format!("fuzz --seed 1 --programs 40 --plant llvm-pass-adds-flag --paths {paths}");
    let ran = run(words(&format!("{options} --corpus {}", corpus.path().display())));
    assert_eq!(ran.status, 1, "{}", ran.stderr);
    let signatures = ran.stdout.lines().filter(|line| line.starts_with("disagree.optimize.l")).count();
    let folders = corpus.path().join("findings").read_dir().unwrap();
    let names: Vec<String> = folders.map(|folder| folder.unwrap().file_name().into_string().unwrap()).collect();
    let unfinished = names.iter().filter(|name| name.ends_with(".not-minimized")).count();
    assert!(signatures > names.len() && unfinished == 0, "{names:?}\n{}", ran.stdout);
}
