//! Validators against each other under a fuzzing engine: a function, valid or not, is judged by all.

use std::path::Path;
use std::sync::OnceLock;

use crate::case::Case;
use crate::compare::{Identity, Report};
use crate::fuzzing::properties::validator_is_definition;
use crate::path::{self, Validator};
use crate::{minimize, record, report, validators};

/// A property of functions, valid or not: every validator rejects what the map says that it rejects and accepts all
/// else, and the lab's finds what the definitions forbid, fault by fault (Theorem 8.4.8). A finding goes to `corpus`,
/// if that folder exists.
///
/// # Panics
///
/// With the signature of the finding, if it is one.
pub fn validate(case: &Case, corpus: &Path) {
    if let Some(report) = finding(case) {
        panic!("{}", found(case, &report, corpus));
    }
    validator_is_definition(case);
}

/// The validators of this build.
fn judges() -> &'static [Validator] {
    static JUDGES: OnceLock<Vec<Validator>> = OnceLock::new();
    JUDGES.get_or_init(path::validators)
}

/// The report, if it is a finding.
fn finding(case: &Case) -> Option<Report> {
    validators::check(case, judges()).filter(|report| report.verdict.is_finding())
}

/// Minimizes a finding, writes it down, shows it and gives its signature.
fn found(case: &Case, original: &Report, corpus: &Path) -> String {
    let mut same = |case: &Case| finding(case).is_some_and(|report| report.signature == original.signature);
    let minimized = match minimize::minimize(case, &mut same, &mut |_| {}) {
        Ok(minimized) => minimized.case,
        Err(error) => {
            eprintln!("not minimized: {error}");
            case.clone()
        }
    };
    // Nothing of this runs.
    let minimized = Case { vectors: Vec::new(), ..minimized };
    let report = finding(&minimized).unwrap_or_else(|| original.clone());
    let Some(signature) = report.signature.clone() else { return String::new() };
    if corpus.is_dir() {
        let finding = record::Finding {
            identity: &Identity(signature.0.clone()),
            signature: &signature,
            original: (case, original),
            minimized: (&minimized, &report),
            origin: "a fuzz target".into(),
            paths: judges().iter().map(toolchained).collect(),
            options: String::new(),
        };
        match record::record(corpus, &finding) {
            Ok(recorded) => eprintln!("recorded in {}", recorded.folder().display()),
            Err(error) => eprintln!("not recorded in {}: {error}", corpus.display()),
        }
    }
    let name = format!("minimized.{}", minimized.program.form().extension());
    let text = record::program_text(&minimized.program);
    eprintln!("{}", report::Checked::new(&name, &text, report, Vec::new()).text(false));
    signature.0
}

fn toolchained(judge: &Validator) -> record::Toolchained {
    record::Toolchained { path: judge.path.to_string(), toolchain: judge.toolchain.clone() }
}
