//! What a night leaves behind, made for tests: real findings of planted faults, many copies of one, hostile ones, a
//! log.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use harness::case::Form;
use harness::path::Toolchain;
use harness::record::Toolchained;
use harness::record::run_log::{End, Event, Limit, PathTotals, Start, Totals, Verdicts, Writer};

/// Text that does harm where it is not escaped.
pub const HOSTILE: &str = "</script><script>window.harmed=1</script><img src=x onerror=window.harmed=2>\"'<!--";

/// A folder with two real findings, a triaged and drafted one among them, and the log of a run.
pub fn night() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let corpus = folder.path().join("corpus");
    for fault in ["tac-swap-sub", "lab-if-same-arm"] {
        find(fault, &corpus);
    }
    let triaged = corpus.join("findings").read_dir().unwrap().map(|entry| entry.unwrap().path()).max().unwrap();
    let triage = r#"{"accused": {"group": "tac", "why": "it alone"}, "stage": "construct", "confidence": "high",
        "versions": {"note": "all of them", "wrong": []}, "why": "each run shows it"}"#;
    fs::write(triaged.join("triage.json"), triage).unwrap();
    fs::write(triaged.join("draft.md"), "# A draft for a person to file\n").unwrap();
    write_log(&folder.path().join("tiny.jsonl"), true);
    folder
}

/// Fuzzes with a fault planted until the first finding.
fn find(fault: &str, corpus: &Path) {
    let paths = "tiny/eval,lab/{naive,pruned,phi,tac}";
    let output = Command::new(env!("CARGO_BIN_EXE_roundtrip"))
        .args(["fuzz", "--seed", "1", "--programs", "60", "--findings", "1", "--paths", paths, "--plant", fault])
        .arg("--corpus")
        .arg(corpus)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Adds copies of a night's findings under other signatures, of paths `many/0` to `many/9` in turn.
pub fn add_many(folder: &Path, count: usize) {
    let findings = folder.join("corpus/findings");
    let sample = findings.read_dir().unwrap().map(|entry| entry.unwrap().path()).min().unwrap();
    let record: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(sample.join("finding.json")).unwrap()).unwrap();
    for index in 0..count {
        let mut record = record.clone();
        record["signature"] = format!("disagree.copy.{index:04}").into();
        record["original"] = serde_json::Value::Null;
        let copy = findings.join(format!("disagree.copy.{index:04}"));
        write_finding(&copy, &record.to_string().replace("\"compiler\":\"lab\"", "\"compiler\":\"many\""), &sample);
    }
}

/// Adds a finding of which every text is hostile.
pub fn add_hostile(folder: &Path) {
    let findings = folder.join("corpus/findings");
    let sample = findings.read_dir().unwrap().map(|entry| entry.unwrap().path()).min().unwrap();
    let hostile = findings.join("hostile");
    let run = serde_json::json!({"inputs": [], "right": {"end": {"Return": 1}, "emitted": []},
        "classes": [{"outcome": {"end": {"Return": 2}, "emitted": []}, "sources": [
        {"path": {"compiler": HOSTILE, "version": null, "variant": HOSTILE}, "stage": "construct", "group": HOSTILE}]}]});
    let fault = serde_json::json!({"path": {"compiler": "c", "version": null, "variant": HOSTILE}, "group": HOSTILE,
        "stage": "construct", "kind": "invalid", "message": HOSTILE});
    let toolchain = serde_json::json!({"description": HOSTILE, "group": HOSTILE, "unavailable": null});
    let record = serde_json::json!({
        "signature": HOSTILE, "verdict": HOSTILE, "origin": HOSTILE, "host": HOSTILE, "roundtrip": HOSTILE, "command": HOSTILE,
        "paths": [{"path": "c/none", "toolchain": toolchain}],
        "minimized": {"runs": [run], "faults": [fault]},
    });
    write_finding(&hostile, &record.to_string(), &sample);
    fs::write(hostile.join("min.tiny"), format!("# {HOSTILE}\nreturn 1\n")).unwrap();
    fs::write(hostile.join("draft.md"), HOSTILE).unwrap();
    fs::write(hostile.join("triage.json"), serde_json::json!({"why": HOSTILE, "versions": [HOSTILE]}).to_string())
        .unwrap();
    fs::write(hostile.join("ir/c-none.clif"), HOSTILE).unwrap();
}

fn write_finding(folder: &Path, record: &str, sample: &Path) {
    fs::create_dir_all(folder.join("ir")).unwrap();
    fs::write(folder.join("finding.json"), record).unwrap();
    fs::copy(sample.join("min.tiny"), folder.join("min.tiny")).unwrap();
    for text in sample.join("ir").read_dir().unwrap().map(|entry| entry.unwrap()) {
        fs::copy(text.path(), folder.join("ir").join(text.file_name())).unwrap();
    }
}

/// The log of a run of four minutes; `ends` says whether it got to its end.
pub fn write_log(file: &Path, ends: bool) {
    let mut log = Writer::open(file).unwrap();
    let toolchain = Toolchain { description: "made up".into(), group: "lab".into(), unavailable: None };
    let paths = ["lab/naive", "lab/tac"].map(|path| Toolchained { path: path.into(), toolchain: toolchain.clone() });
    let start = Start {
        roundtrip: "0.1.0".into(),
        seed: 7,
        from: 0,
        form: Form::Tiny,
        jobs: 2,
        limit: Limit::Seconds(240.0),
        paths: paths.to_vec(),
    };
    log.write(Event::Start(start)).unwrap();
    for minute in 0..=24 {
        log.write(Event::Progress(totals(minute))).unwrap();
    }
    if ends {
        let shortfalls = vec!["lab/tac executed nothing".into()];
        log.write(Event::End(End { totals: totals(25), shortfalls, exit: 1 })).unwrap();
    }
}

fn totals(at: u64) -> Totals {
    let programs = at * 900 + at * at * 7;
    let verdicts =
        Verdicts { agree: programs, disagree: at / 4, crash: at / 9, inconclusive: at * 3, ..Verdicts::default() };
    let path = |path: &str, wrong| PathTotals {
        path: path.into(),
        programs,
        runs: programs * 4,
        wrong,
        seconds: at as f64 * 3.0,
        ..PathTotals::default()
    };
    Totals {
        programs: verdicts.programs(),
        verdicts,
        paths: vec![path("lab/naive", 0), path("lab/tac", at / 4)],
        seconds: at as f64 * 10.0,
        ..Totals::default()
    }
}

/// Runs `roundtrip report` on a folder; gives the page's place.
pub fn report(folder: &Path) -> PathBuf {
    let page = folder.join("report.html");
    let output = Command::new(env!("CARGO_BIN_EXE_roundtrip"))
        .arg("report")
        .arg(folder)
        .arg("--html")
        .arg(&page)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    page
}
