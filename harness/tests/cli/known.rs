//! Known issues: what is filed is no finding, and what is fixed is not known any longer.

use std::path::Path;

use crate::{OWN_PATHS, Ran, ran, roundtrip, words};

/// Shown by every subtraction; its signature is `disagree.execute.tac`.
const FAULT: &str = "tac-swap-sub";

/// A corpus that knows the fault's issue, and a program that shows it.
fn corpus(signature: &str) -> tempfile::TempDir {
    let corpus = tempfile::tempdir().unwrap();
    std::fs::create_dir(corpus.path().join("known")).unwrap();
    let entry = format!(
        "summary = 'subtraction'\nlink = 'https://example.org/1'\nsignature = '{signature}'\ncompiler = 'lab'\n\
         versions = '*'\nform = 'tiny'\nprogram = '''\ninput x, y;\n# run: 3, 1 => return 2\nreturn x - y\n'''\n"
    );
    std::fs::write(corpus.path().join("known/subtraction.toml"), entry).unwrap();
    std::fs::write(corpus.path().join("program.tiny"), "input x;\n# run: 5 => return 3\nreturn x - 2\n").unwrap();
    corpus
}

fn with(corpus: &Path, line: &str) -> Ran {
    let line = line.replace("DIR", corpus.to_str().unwrap());
    ran(roundtrip().args(words(&line)).args(["--paths", OWN_PATHS]))
}

#[test]
fn a_known_issue_is_no_finding() {
    let corpus = corpus("disagree.execute.t*");
    let check = with(corpus.path(), &format!("check DIR/program.tiny --corpus DIR --plant {FAULT}"));
    assert_eq!(check.status, 4, "{}{}", check.stdout, check.stderr);
    assert!(check.stdout.contains("known: subtraction (disagree.execute.tac)"), "{}", check.stdout);
    let json = with(corpus.path(), &format!("check DIR/program.tiny --corpus DIR --plant {FAULT} --format json"));
    let object: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((&object["verdict"], &object["known"]), (&"known".into(), &"subtraction".into()));
    // Nothing is wrong, so nothing is known.
    assert_eq!(with(corpus.path(), "check DIR/program.tiny --corpus DIR").status, 0);
    // Where nobody knows it, it is a finding.
    assert_eq!(with(corpus.path(), &format!("check DIR/program.tiny --corpus DIR/no --plant {FAULT}")).status, 1);

    let fuzz = with(corpus.path(), &format!("fuzz --seed 1 --programs 20 --corpus DIR --plant {FAULT}"));
    assert_eq!(fuzz.status, 4, "{}{}", fuzz.stdout, fuzz.stderr);
    assert!(!corpus.path().join("findings").exists());
    assert!(fuzz.stdout.lines().any(|line| line.starts_with("known ") && !line.ends_with(" 0")), "{}", fuzz.stdout);
}

#[test]
fn an_issue_that_does_not_show_any_more_fails_the_corpus() {
    let corpus = corpus("disagree.execute.tac");
    std::fs::remove_file(corpus.path().join("program.tiny")).unwrap();
    let with_fault = with(corpus.path(), &format!("corpus check DIR --plant {FAULT}"));
    assert_eq!(with_fault.status, 0, "{}{}", with_fault.stdout, with_fault.stderr);
    assert!(with_fault.stdout.contains("subtraction.toml: known, as expected"), "{}", with_fault.stdout);
    let without = with(corpus.path(), "corpus check DIR");
    assert_eq!(without.status, 1, "{}", without.stdout);
    assert!(without.stderr.contains("take the entry out"), "{}", without.stderr);

    // An entry that is not as expected because of a known issue, and one that can't be read.
    std::fs::create_dir(corpus.path().join("agree")).unwrap();
    std::fs::write(corpus.path().join("agree/a.tiny"), "input x;\n# run: 5 => return 3\nreturn x - 2\n").unwrap();
    let agree = with(corpus.path(), &format!("corpus check DIR --plant {FAULT}"));
    assert_eq!(agree.status, 4, "{}{}", agree.stdout, agree.stderr);
    std::fs::write(corpus.path().join("known/bad.toml"), "summary = 1\n").unwrap();
    let bad = with(corpus.path(), "corpus check DIR");
    assert!(bad.status == 2 && bad.stderr.contains("bad.toml"), "{}", bad.stderr);
}

/// All of a compiler's passes have one signature, so an issue of one must hide none of another.
#[cfg(feature = "llvm")]
#[test]
fn an_issue_of_a_pass_is_of_that_pass_alone() {
    let corpus = corpus("disagree.execute.tac");
    let program = "# run: 3 => return 2\ninput a;\nwhile a { if b { c = 2; } b = 1; a = a - 1; }\nreturn c\n";
    std::fs::write(corpus.path().join("program.tiny"), program).unwrap();
    let status_if_known_of = |pass: &str| {
        let entry = format!(
            "summary = 's'\nlink = 'l'\nsignature = 'disagree.optimize.*'\ncompiler = 'llvm'\nversions = '*'\n\
             pass = '{pass}'\nform = 'tiny'\nprogram = ''\n"
        );
        std::fs::write(corpus.path().join("known/pass.toml"), entry).unwrap();
        let line = "check DIR/program.tiny --corpus DIR --plant llvm-pass-phi-entries --paths tiny/eval,lab/tac,llvm/steps-mid";
        ran(roundtrip().args(words(&line.replace("DIR", corpus.path().to_str().unwrap())))).status
    };
    assert_eq!(status_if_known_of("gvn"), 4);
    assert_eq!(status_if_known_of("g*"), 4);
    assert_eq!(status_if_known_of("licm"), 1);
}
