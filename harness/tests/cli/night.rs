//! `part` and `summarize`: a long run's parts noted down and summed up.

use std::fs;
use std::path::Path;

use crate::{OWN_PATHS, Ran, run, words};

fn part(folder: &Path, options: &str, command: &str) -> Ran {
    let folder = folder.to_str().unwrap();
    let options = words(options);
    run(["part", folder].into_iter().chain(options.iter().map(String::as_str)).chain(["--", command]))
}

fn summarize(folder: &Path) -> Ran {
    run(["summarize", folder.to_str().unwrap(), "--annotations"])
}

/// Some programs compared, so that a run is not empty.
fn compare(folder: &Path) {
    let log = folder.join("results.jsonl");
    let arguments = ["fuzz", "--programs", "3", "--paths", OWN_PATHS, "--corpus", folder.to_str().unwrap(), "--log"];
    let ran = run(arguments.into_iter().chain([log.to_str().unwrap()]));
    assert_eq!(ran.status, 0, "{}", ran.stderr);
}

#[test]
fn a_run_whose_parts_are_good_is_good() {
    let folder = tempfile::tempdir().unwrap();
    compare(folder.path());
    assert_eq!(part(folder.path(), "--name tiny --exit 0 --seconds 9 --budget 10", "roundtrip fuzz").status, 0);
    let ran = summarize(folder.path());
    assert_eq!((ran.status, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
    let summary = fs::read_to_string(folder.path().join("summary.md")).unwrap();
    assert!(summary.starts_with("# Long run: agree\n\n3 programs compared, 0 findings, exit status 0.\n"), "{summary}");
    assert!(summary.contains("| tiny | agree | 9 | 10 |\n"), "{summary}");
    assert!(summary.contains("- tiny\n\n        roundtrip fuzz\n"), "{summary}");
}

#[test]
fn the_heaviest_part_counts_and_everything_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    compare(folder.path());
    part(folder.path(), "--name tiny --exit 3 --seconds 1", "a");
    part(folder.path(), "--name planted --exit 101 --failure 70 --seconds 1", "cargo test 'x & <y>'");
    let finding = folder.path().join("findings/crash.execute.llvm");
    fs::create_dir_all(&finding).unwrap();
    fs::create_dir(folder.path().join("logs")).unwrap();
    fs::write(finding.join("finding.json"), r#"{"verdict": "crash", "signature": "crash.execute.llvm"}"#).unwrap();
    fs::write(finding.join("min.tiny"), "return 1 < 2 && 3\n").unwrap();
    let entry = r#"{"file": "corpus/agree/a.tiny", "expected": "agree", "verdict": "hang", "ok": false}"#;
    fs::write(folder.path().join("logs/corpus.log"), format!("{entry}\n")).unwrap();

    let ran = summarize(folder.path());
    assert_eq!(ran.status, 70, "{}", ran.stderr);
    for annotation in [
        "::error title=crash.execute.llvm::return 1 < 2 && 3%0A\n",
        "::error file=corpus/agree/a.tiny,title=not as expected::expected agree, is hang\n",
        "::error title=planted%3A a fault of the harness::its command failed with status 101\n",
        "::error title=falls short::the part corpus did not end\n",
    ] {
        assert!(ran.stdout.contains(annotation), "{annotation}{}", ran.stdout);
    }

    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let summary = read("summary.md");
    assert!(summary.contains("### `crash.execute.llvm`\n\n    return 1 < 2 && 3\n"), "{summary}");
    assert!(summary.contains("- `corpus/agree/a.tiny`: expected agree, is hang"), "{summary}");
    let report = quick_junit::Report::deserialize_from_str(&read("junit.xml")).unwrap();
    let suites: Vec<_> = report.test_suites.iter().map(|suite| (suite.name.as_str(), suite.tests)).collect();
    assert_eq!(suites, [("parts", 3), ("findings", 1), ("corpus", 1)]);
    assert_eq!((report.failures, report.errors), (2, 3));
}

#[test]
fn a_run_that_compared_nothing_fails() {
    let folder = tempfile::tempdir().unwrap();
    part(folder.path(), "--name tiny --exit 0 --seconds 0", "true");
    let ran = summarize(folder.path());
    assert_eq!(ran.status, 3);
    assert!(ran.stdout.contains("::error title=falls short::no program was compared"), "{}", ran.stdout);
}

#[test]
fn a_folder_that_is_not_there_is_said() {
    let nowhere = Path::new("nowhere/at/all");
    for ran in [summarize(nowhere), part(nowhere, "--name x --exit 0 --seconds 0", "true")] {
        assert_eq!(ran.status, 2);
        assert!(ran.stderr.contains("nowhere/at/all"), "{}", ran.stderr);
    }
}
