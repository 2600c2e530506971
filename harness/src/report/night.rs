//! `summary.md`: a long run at a glance, as Markdown for people and for GitHub's job summary.

use std::fmt::Write;

use crate::record::coverage::Lines;
use crate::record::night::Night;
use crate::record::part;
use crate::report::{count, matrix_markdown, self_test};

/// The most findings, artifacts and entries that are shown; the folder has them all.
const MOST: usize = 50;

/// The most lines of a program that are shown.
const LINES: usize = 40;

/// The page.
pub fn summary(night: &Night) -> String {
    let status = night.status();
    let verdict = part::name(status).unwrap_or("unknown");
    let mut text = format!("# Long run: {verdict}\n\n");
    let _ = writeln!(
        text,
        "{} compared, {}, exit status {status}.",
        count(night.verdicts.programs() as usize, "program"),
        count(night.findings.len(), "finding"),
    );
    for sentence in night.shortfalls() {
        let _ = write!(text, "\n> **Falls short**: {sentence}\n");
    }
    findings(night, &mut text);
    quality(night, &mut text);
    parts(night, &mut text);
    corpus(night, &mut text);
    versions(night, &mut text);
    planted(night, &mut text);
    coverage(night, &mut text);
    reproduce(night, &mut text);
    text
}

fn findings(night: &Night, text: &mut String) {
    if night.findings.is_empty() && night.artifacts.is_empty() {
        return;
    }
    text.push_str("\n## Findings\n");
    for finding in night.findings.iter().take(MOST) {
        let program: Vec<&str> = finding.program.lines().take(LINES).collect();
        let _ = write!(text, "\n### `{}`\n\n{}\n\n", finding.identity, indented(&program.join("\n")));
        if let Some(triage) = &finding.triage {
            let at = [triage.stage.as_ref(), triage.pass.as_ref()].into_iter().flatten().map(String::as_str);
            let at = at.collect::<Vec<_>>().join(", ");
            let (accused, confidence) = (&triage.accused.group, &triage.confidence);
            let _ = write!(text, "Accused: {accused}, at {at}; confidence {confidence}. {}\n\n", triage.why);
        }
        let _ = writeln!(text, "    roundtrip check {}", finding.file.display());
    }
    more(night.findings.len(), text);
    if !night.artifacts.is_empty() {
        text.push_str("\nInputs that a fuzz target failed on, `cargo fuzz run -s none TARGET FILE` for each:\n\n");
        for artifact in night.artifacts.iter().take(MOST) {
            let _ = writeln!(text, "- `{}`", artifact.display());
        }
        more(night.artifacts.len(), text);
    }
}

fn quality(night: &Night, text: &mut String) {
    if !night.quality.is_empty() {
        text.push_str("\n## Quality\n\nConstructed SSA that is worse than the lab's; no failure.\n\n");
        for finding in night.quality.iter().take(MOST) {
            let _ = writeln!(text, "- `{}`: `roundtrip check {}`", finding.identity, finding.file.display());
        }
        more(night.quality.len(), text);
    }
}

fn parts(night: &Night, text: &mut String) {
    text.push_str("\n## Parts\n\n| part | result | seconds | of |\n|---|---|--:|--:|\n");
    for part in &night.parts {
        let budget = part.budget.map_or_else(String::new, |budget| budget.to_string());
        let why = part.why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
        let name = part::name(part.status).unwrap_or("unknown");
        let _ = writeln!(text, "| {} | {name}{why} | {} | {budget} |", part.name, part.seconds);
    }
    for name in &night.unfinished {
        let _ = writeln!(text, "| {name} | did not end | | |");
    }
}

fn corpus(night: &Night, text: &mut String) {
    if night.replayed.is_empty() {
        return;
    }
    let unexpected: Vec<_> = night.replayed.iter().filter(|entry| !entry.ok).collect();
    let entries = night.replayed.len();
    let _ = write!(text, "\n## Corpus\n\n{entries} entries, {} not as expected.\n", unexpected.len());
    for entry in unexpected.iter().take(MOST) {
        let _ = write!(text, "\n- `{}`: expected {}, is {}", entry.file, entry.expected, entry.verdict);
    }
    more(unexpected.len(), text);
}

fn versions(night: &Night, text: &mut String) {
    if let Some(matrix) = &night.versions {
        let _ = write!(text, "\n## The corpus on every version\n\n{}", matrix_markdown(matrix));
    }
}

fn planted(night: &Night, text: &mut String) {
    for (title, faults) in
        [("Planted faults", &night.planted), ("Planted faults, each from many seeds", &night.identities)]
    {
        if !faults.is_empty() {
            let _ = write!(text, "\n## {title}\n\n{}", self_test::markdown(faults));
        }
    }
}

fn coverage(night: &Night, text: &mut String) {
    if night.coverage.is_empty() {
        return;
    }
    text.push_str("\n## Coverage of the harness's own code\n\n");
    text.push_str("| module | lines | executed | percent |\n|---|--:|--:|--:|\n");
    let mut all = Lines::default();
    night.coverage.values().for_each(|lines| all.add(*lines));
    for (module, lines) in night.coverage.iter().map(|(module, lines)| (module.as_str(), *lines)).chain([("all", all)])
    {
        let _ = writeln!(text, "| {module} | {} | {} | {:.1} |", lines.count, lines.covered, lines.percent());
    }
}

fn reproduce(night: &Night, text: &mut String) {
    text.push_str("\n## To do a part again\n\n");
    for part in &night.parts {
        let _ = write!(text, "- {}\n\n{}\n\n", part.name, indented(&indented(&part.command)));
    }
}

/// A block of code, as Markdown has it.
fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

fn more(number: usize, text: &mut String) {
    if number > MOST {
        let _ = write!(text, "\n… and {} more.\n", number - MOST);
    }
}
