//! The page of a finding that a person reads first.

use std::fmt::Write;

use crate::compare::{Report, Verdict};
use crate::record::Finding;
use crate::record::case_text;
use crate::record::finding::right;

/// `README.md`: the program, what each side says of it, the versions, and one command to see it again.
pub fn readme(finding: &Finding, program: &str) -> String {
    let (case, report) = finding.minimized;
    let mut text = format!("# {}\n\n{}\n\n", finding.signature, sentence(report));
    let _ = write!(text, "```\n{}```\n\n", case_text(case, &right(report)));
    let _ = write!(text, "To see it again, in this folder:\n\n    roundtrip check {program}{}\n\n", finding.options);
    for run in &report.runs {
        let inputs: Vec<String> = run.inputs.iter().map(i64::to_string).collect();
        let inputs = if inputs.is_empty() { "no inputs".into() } else { format!("inputs {}", inputs.join(", ")) };
        let _ = writeln!(text, "- {inputs}; right is `{}`", run.right);
        for class in run.classes.iter().filter(|class| class.outcome != run.right) {
            let paths: Vec<String> =
                class.sources.iter().map(|source| format!("{} ({})", source.path, source.stage)).collect();
            let _ = writeln!(text, "  - `{}`: {}", class.outcome, paths.join(", "));
        }
    }
    for fault in &report.faults {
        let _ =
            writeln!(text, "- {}, {}: {}", fault.path, fault.stage, fault.message.lines().next().unwrap_or_default());
    }
    let _ = write!(text, "\nFirst seen in {} (`original.{}`). Toolchains:\n\n", finding.origin, {
        finding.original.0.program.form().extension()
    });
    let mut toolchains: Vec<&str> = finding.paths.iter().map(|path| path.toolchain.description.as_str()).collect();
    toolchains.dedup();
    for toolchain in toolchains {
        let _ = writeln!(text, "- {toolchain}");
    }
    text.push_str("\nThe IR of each side is in `ir/`; everything for programs is in `finding.json`.\n");
    text
}

fn sentence(report: &Report) -> &'static str {
    match report.verdict {
        Verdict::Invalid => "A path's output fails its validator.",
        Verdict::Crash => "A compiler panics or aborts, or compiled code faults.",
        Verdict::Hang => "A compiler, or compiled code, outruns its limit.",
        Verdict::Disagree if !report.faults.is_empty() => "A validator's judgement is not what the map of rules has.",
        _ => "Executions of one program differ.",
    }
}
