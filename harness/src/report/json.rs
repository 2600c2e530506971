//! The objects of `--format json`. Programs rely on these keys: add to them freely, change none.

use serde_json::{Value, json};

use crate::compare::{Class, Run, Verdict};
use crate::op::Outcome;
use crate::report::Checked;

/// The object that `roundtrip check --format json` prints for a program.
pub fn check_object(checked: &Checked) -> Value {
    let report = &checked.report;
    let mut object = json!({
        "file": checked.file,
        "verdict": report.verdict.name(),
        "runs": report.runs.iter().enumerate().map(|(index, run)| run_object(checked, index, run)).collect::<Vec<_>>(),
        "faults": report.faults.iter().map(|fault| json!({
            "path": fault.path.to_string(),
            "stage": fault.stage.name(),
            "message": fault.message,
        })).collect::<Vec<_>>(),
        "unsupported": report.unsupported.iter().map(|(path, unsupported)| json!({
            "path": path.to_string(),
            "stage": unsupported.stage.name(),
            "reason": unsupported.reason,
        })).collect::<Vec<_>>(),
        "notes": report.notes.iter().map(|(path, note)| json!({
            "path": path.to_string(),
            "stage": note.stage.name(),
            "pass": note.pass,
            "message": note.message,
        })).collect::<Vec<_>>(),
        "structure": report.structure.iter().map(|structure| json!({
            "path": structure.path.to_string(),
            "parameters": structure.params,
            "yardstick": structure.yardstick,
            "quality": structure.broken().first().map(|&relation| structure.signature(relation)),
        })).collect::<Vec<_>>(),
    });
    object["quality"] = report.quality().keys().map(|signature| signature.0.as_str()).collect();
    if let Some(signature) = &report.signature {
        object["signature"] = signature.0.as_str().into();
    }
    if let Verdict::Inconclusive(reason) = &report.verdict {
        object["reason"] = reason.as_str().into();
    }
    if let Verdict::Known(issues) = &report.verdict {
        object["known"] = issues.as_str().into();
    }
    object
}

fn run_object(checked: &Checked, index: usize, run: &Run) -> Value {
    let expected = checked.expectations.iter().filter(|expectation| expectation.run == index);
    json!({
        "inputs": run.inputs,
        "right": run.right.to_string(),
        "expected": expected.map(|expectation| expectation.expected.to_string()).collect::<Vec<_>>(),
        "classes": run.classes.iter().map(|class| class_object(class, &run.right)).collect::<Vec<_>>(),
    })
}

/// A path stands once in a class, however many of its stages gave this outcome; in a wrong class the stages are told.
fn class_object(class: &Class, right: &Outcome) -> Value {
    let mut paths: Vec<String> = class.sources.iter().map(|source| source.path.to_string()).collect();
    paths.dedup();
    let mut object = json!({"outcome": class.outcome.to_string(), "paths": paths});
    if class.outcome != *right {
        let stages = class.sources.iter().map(|source| json!([source.path.to_string(), source.stage.name()]));
        object["stages"] = stages.collect();
    }
    object
}
