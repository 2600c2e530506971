//! The page of a finding that a person reads first.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::compare::Verdict;
use crate::record::finding::finding_text;
use crate::record::{Finding, Toolchained};

/// `README.md`: the program, what each side says of it, the versions, and one command to see it again.
pub fn readme(finding: &Finding, program: &str) -> String {
    let (case, report) = finding.minimized;
    let mut text = format!("# {}\n\n{}\n\n", finding.identity, sentence(finding));
    let _ = write!(text, "```\n{}```\n\n", finding_text(case, report));
    let _ = write!(text, "To see it again, in this folder:\n\n    {}\n\n", command(finding, program));
    let quality = report.quality();
    for structure in quality.get(finding.signature).into_iter().flat_map(|(_, broken)| broken) {
        let _ = writeln!(text, "- {structure}");
    }
    for run in &report.runs {
        let inputs: Vec<String> = run.inputs.iter().map(i64::to_string).collect();
        let inputs = if inputs.is_empty() { "no inputs".into() } else { format!("inputs {}", inputs.join(", ")) };
        let _ = writeln!(text, "- {inputs}; right is `{}`", run.right);
        for class in run.classes.iter().filter(|class| class.outcome != run.right) {
            let _ = writeln!(text, "  - `{}`: {}", class.outcome, run.side(class).join(", "));
        }
    }
    for fault in &report.faults {
        let _ =
            writeln!(text, "- {}, {}: {}", fault.path, fault.stage, fault.message.lines().next().unwrap_or_default());
    }
    for (path, note) in &report.notes {
        let _ = writeln!(text, "- {path}, {}: {}", note.stage, note.message);
    }
    let _ = write!(text, "\nFirst seen in {} (`original.{}`). Toolchains:\n\n", finding.origin, {
        finding.original.0.program.form().extension()
    });
    for (path, toolchain) in toolchains(finding) {
        let _ = writeln!(text, "- {path}: {toolchain}");
    }
    text.push_str("\nThe IR of each side is in `ir/`; all paths' toolchains, and everything else for programs, in `finding.json`.\n");
    text
}

/// The command that shows a finding again, in its folder.
pub fn command(finding: &Finding, program: &str) -> String {
    format!("roundtrip check {program}{}", finding.options)
}

/// The toolchains that matter most: of each compiler, the first path that is wrong, else its first path.
fn toolchains<'a>(finding: &'a Finding<'_>) -> impl Iterator<Item = (&'a str, &'a str)> {
    let report = finding.minimized.1;
    let classes = report.runs.iter().flat_map(|run| run.classes.iter().filter(|class| class.outcome != run.right));
    let mut wrong: Vec<String> =
        classes.flat_map(|class| &class.sources).map(|source| source.path.to_string()).collect();
    wrong.extend(report.faults.iter().map(|fault| fault.path.to_string()));
    let compiler = |path: &str| path.split('/').next().unwrap_or_default().to_string();
    let mut chosen: BTreeMap<String, &Toolchained> = BTreeMap::new();
    let (accused, others): (Vec<_>, Vec<_>) = finding.paths.iter().partition(|path| wrong.contains(&path.path));
    for path in accused.into_iter().chain(others) {
        chosen.entry(compiler(&path.path)).or_insert(path);
    }
    chosen.into_values().map(|path| (path.path.as_str(), path.toolchain.description.as_str()))
}

fn sentence(finding: &Finding) -> String {
    let report = finding.minimized.1;
    if let Some((relation, _)) = report.quality().get(finding.signature) {
        let what = relation.description();
        return format!("Constructed SSA is worse than it need be: {what}. Slower or odd, but nothing is miscompiled.");
    }
    match report.verdict {
        Verdict::Invalid => "A path's output fails its validator.",
        Verdict::Crash => "A compiler panics or aborts, or compiled code faults.",
        Verdict::Hang => "A compiler, or compiled code, outruns its limit.",
        Verdict::Disagree if !report.faults.is_empty() => "A validator's judgement is not what the map of rules has.",
        _ => "Executions of one program differ.",
    }
    .into()
}
