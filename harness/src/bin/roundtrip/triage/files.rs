//! The files that a triage leaves.

use std::path::Path;

use harness::case::Case;
use harness::compare::Report;
use harness::record::finding_text;
use harness::report::draft::{self, Subject};
use harness::triage::Triage;

use super::target::{make, write};

/// Writes `triage.json`, the draft with what it refers to, and the corpus entry; gives their names.
pub fn write_all(folder: &Path, subject: &Subject<'_>) -> anyhow::Result<Vec<String>> {
    make(folder)?;
    let mut files = draft::draft(subject);
    files.push((format!("entry.{}", subject.case.program.form().extension()), subject.entry.to_string()));
    files.push(("triage.json".into(), serde_json::to_string_pretty(subject.triage)? + "\n"));
    for (name, text) in &files {
        write(folder, name, text)?;
    }
    Ok(files.into_iter().map(|(name, _)| name).collect())
}

/// The minimized program as a test for the corpus: what it showed, and what is right.
pub fn entry(triage: &Triage, case: &Case, report: &Report) -> String {
    let pass = triage.pass.as_ref().map(|pass| format!(", {pass}")).unwrap_or_default();
    let path = triage.path.as_ref().map(|path| format!(" ({path})")).unwrap_or_default();
    format!("# {}: {}{pass}{path}\n{}", triage.signature, triage.stage, finding_text(case, report))
}
