//! The harness itself on trial: `roundtrip self-test` on a few planted faults, one in each part. The nightly job tries
//! all of them, from many seeds.

use std::process::Command;

/// Construction, conversion, validation, TAC, both compilers, an optimizer, raising; and what watches the harness's own
/// work.
const FAULTS: &str = "lab-if-same-arm,lab-break-stale-values,lab-phi-swap-entries,lab-accepts-twice,tac-or-polarity,clif-narrow-sign,\
                      llvm-phi-swap,llvm-emit-is-pure,llvm-array-short,llvm-pass-adds-flag,clif-raise-sub,tiny-parse-else,compare-one-trap,\
                      record-drops-run";

/// Runs it; gives its exit status, what it says of each fault, and its errors.
fn self_test(options: &[&str]) -> (Option<i32>, Vec<serde_json::Value>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_roundtrip"))
        .args(["self-test", "--format", "json"])
        .args(options)
        .output()
        .unwrap();
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let objects = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (output.status.code(), objects, String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn planted_faults_are_found_minimized_recorded_and_named() {
    let (status, objects, said) = self_test(&["--fault", FAULTS]);
    assert_eq!(status, Some(0), "{said}");
    let (summary, faults) = objects.split_last().unwrap();
    assert_eq!(faults.len(), FAULTS.split(',').count());
    assert_eq!(summary["summary"]["failed"], 0);
    for fault in faults {
        let trial = &fault["trials"][0];
        assert!(fault["ok"] == true && trial["called"] != "", "{fault}");
    }
}

#[test]
fn a_fault_is_one_finding_or_two_and_no_two_faults_are_one() {
    // Faults of one lowering, which have one signature.
    let faults = ["clif-lt-is-le", "clif-rem-sign", "clif-stale-variable"];
    let (status, objects, said) = self_test(&["--seeds", "2", "--fault", &faults.join(",")]);
    assert_eq!(status, Some(0), "{said}");
    assert!(objects[..3].iter().all(|fault| fault["trials"].as_array().unwrap().len() == 2), "{objects:?}");
}

#[test]
fn what_is_not_tried_is_no_success() {
    let (status, objects, _) = self_test(&["--minutes", "0", "--fault", "clif-lt-is-le"]);
    assert_eq!(status, Some(3));
    assert_eq!(objects[1]["summary"]["tried"], 0);
    assert_eq!(self_test(&["--fault", "no-such-fault"]).0, Some(2));
}
