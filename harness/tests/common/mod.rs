//! The cases of `tests/cases` with their right answers (`tests/cases/*/NAME.json`).

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

/// A text and what is known about it.
pub struct Case {
    /// The file's name without its ending.
    pub name: String,
    /// The text.
    pub text: String,
    /// The right answers; `null` for a folder of bad texts.
    pub answers: Value,
}

/// A run of a case.
pub struct Run<'a> {
    /// One value for each input.
    pub inputs: Vec<i64>,
    /// How it ends: see [`End::of`].
    pub answers: &'a Value,
}

/// An outcome and its number of steps.
#[derive(Debug, PartialEq, Eq)]
pub struct End {
    /// As `harness::op::Outcome` prints it.
    pub outcome: String,
    /// Steps taken.
    pub steps: u64,
}

/// The cases of a folder, in order of their names.
pub fn cases(folder: &str) -> Vec<Case> {
    let extension = folder.trim_end_matches("_bad");
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(folder);
    let mut cases: Vec<Case> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .map(|path| Case {
            name: path.file_stem().unwrap().to_str().unwrap().into(),
            text: fs::read_to_string(&path).unwrap(),
            answers: fs::read(path.with_extension("json"))
                .map_or(Value::Null, |json| serde_json::from_slice(&json).unwrap()),
        })
        .collect();
    assert!(!cases.is_empty(), "{} holds no cases", folder.display());
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    cases
}

impl Case {
    /// The fuel of its runs.
    pub fn fuel(&self) -> u64 {
        self.answers["fuel"].as_u64().unwrap()
    }

    /// Its runs.
    pub fn runs(&self) -> Vec<Run<'_>> {
        let runs = self.answers["runs"].as_array().unwrap();
        runs.iter()
            .map(|answers| Run {
                inputs: strings(&answers["inputs"]).iter().map(|value| value.parse().unwrap()).collect(),
                answers,
            })
            .collect()
    }
}

impl End {
    /// The right end under a key of a run: `tac`, `tac_ssa`, or the run itself.
    pub fn of(answers: &Value) -> End {
        End { outcome: answers["outcome"].as_str().unwrap().into(), steps: answers["steps"].as_u64().unwrap() }
    }
}

impl From<harness::op::Execution> for End {
    fn from(execution: harness::op::Execution) -> End {
        End { outcome: execution.outcome.to_string(), steps: execution.steps }
    }
}

/// The strings of an array.
pub fn strings(array: &Value) -> Vec<String> {
    array.as_array().unwrap().iter().map(|value| value.as_str().unwrap().to_owned()).collect()
}
