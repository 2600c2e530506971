//! The main job under a fuzzing engine: a finding is minimized, written to the corpus, shown, and ends the process.

use std::path::Path;
use std::sync::OnceLock;

use crate::case::Case;
use crate::compare::{Report, Signature};
use crate::path::{self, Detail};
use crate::{minimize, record, report};

/// A property: every path agrees on the case. A finding goes to `corpus`, if that folder exists.
///
/// # Panics
///
/// With the signature of the finding, if it is one.
pub fn roundtrip(case: &Case, corpus: &Path) {
    static PATHS: OnceLock<Vec<Box<dyn path::Path>>> = OnceLock::new();
    let paths = PATHS.get_or_init(|| {
        path::registry().into_iter().filter(|path| path.toolchain().unavailable.is_none()).collect()
    });
    let paths: Vec<&dyn path::Path> = paths.iter().map(|path| &**path).collect();
    let report = crate::check(case, &paths, Detail::default());
    if let Some(signature) = report.signature.clone().filter(|_| report.verdict.is_finding()) {
        found(case, &report, &signature, &paths, corpus);
        panic!("{signature}");
    }
}

/// Minimizes a finding, writes it down and shows it.
fn found(case: &Case, original: &Report, signature: &Signature, paths: &[&dyn path::Path], corpus: &Path) {
    let mut same = |case: &Case| crate::check(case, paths, Detail::default()).signature.as_ref() == Some(signature);
    let minimized = match minimize::minimize(case, &mut same, &mut |_| {}) {
        Ok(minimized) => minimized.case,
        Err(error) => {
            eprintln!("not minimized: {error}");
            case.clone()
        }
    };
    let report = crate::check(&minimized, paths, Detail { texts: true });
    let finding = record::Finding {
        signature,
        original: (case, original),
        minimized: (&minimized, &report),
        origin: "a fuzz target".into(),
        paths: paths
            .iter()
            .map(|path| record::Toolchained { path: path.id().to_string(), toolchain: path.toolchain() })
            .collect(),
        options: String::new(),
    };
    if corpus.is_dir() {
        match record::record(corpus, &finding) {
            Ok(recorded) => eprintln!("finding: {}", recorded.folder().display()),
            Err(error) => eprintln!("not recorded in {}: {error}", corpus.display()),
        }
    }
    let text = record::case_text(&minimized, &[]);
    let name = format!("minimized.{}", minimized.program.form().extension());
    eprintln!("{}", report::Checked::new(&name, &text, report, Vec::new()).text(false));
}
