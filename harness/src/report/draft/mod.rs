//! Drafts of issues, for a person to read, complete and file.
//!
//! A draft says what was seen, what is right and why, how to see it again, and how sure all that is; and it asks to
//! search for duplicates. Cranelift's follows its project's template for bugs
//! (`.github/ISSUE_TEMPLATE/clif-bug-report.md`), LLVM's its bug-reporting guide
//! (<https://llvm.org/docs/HowToSubmitABug.html>); for the harness's own faults there is a test.

pub mod cranelift;
mod harness;
pub mod links;
pub mod llvm;

use std::fmt::Write;

use crate::case::Case;
use crate::compare::{Report, Run, Verdict};
use crate::op::{End, Outcome};
use crate::path::{PathId, Stage};
use crate::report::values;
use crate::triage::{DRAFT, Triage, Trials};
use llvm::Repro;

/// Everything that a draft is written from.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The triage.
    pub triage: &'a Triage,
    /// The minimized program.
    pub case: &'a Case,
    /// Its report, with texts.
    pub report: &'a Report,
    /// The accused path, taken apart.
    pub trials: &'a Trials,
    /// The accused path's toolchain, as a report names it.
    pub toolchain: &'a str,
    /// The program with its right outcomes.
    pub entry: &'a str,
    /// The LLVM IR that shows it, if it is LLVM's.
    pub repro: Option<&'a Repro>,
    /// What Cranelift's interpreter says of the test file, if it was asked.
    pub filetest: Option<&'a Result<usize, String>>,
}

/// The draft and the files that it refers to: their names and texts.
pub fn draft(subject: &Subject<'_>) -> Vec<(String, String)> {
    let compiler = subject.compiler().map_or("", |path| path.compiler.as_str());
    let (body, file) = match compiler {
        "cranelift" => cranelift::draft(subject),
        "llvm" => llvm::draft(subject),
        _ => harness::draft(subject),
    };
    vec![(DRAFT.into(), preface(subject, compiler) + &body), file]
}

impl<'a> Subject<'a> {
    /// The compiler's path that is at fault; none if it is the harness itself.
    fn compiler(&self) -> Option<&'a PathId> {
        let is_own = self.triage.accused.is_harness() || [Stage::Lower.name(), "raise"].contains(&&*self.triage.stage);
        self.triage.path.as_ref().filter(|_| !is_own)
    }

    /// The first run in which something is wrong, and what the accused path gave there.
    fn wrong(&self) -> Option<(&'a Run, Option<&'a Outcome>)> {
        let is_accused = |path: &PathId| self.triage.path.as_ref().is_none_or(|accused| accused == path);
        let wrong = self.report.runs.iter().find_map(|run| {
            let classes = run.classes.iter().filter(|class| class.outcome != run.right);
            let class =
                classes.into_iter().find(|class| class.sources.iter().any(|source| is_accused(&source.path)))?;
            Some((run, Some(&class.outcome)))
        });
        wrong.or_else(|| Some((self.report.runs.iter().find(|run| run.right.end != End::OutOfFuel)?, None)))
    }

    /// What is wrong, in a word or two.
    fn what(&self) -> &'static str {
        match self.report.verdict {
            Verdict::Crash => "crash",
            Verdict::Invalid => "invalid output",
            Verdict::Hang => "endless loop",
            _ => "wrong result",
        }
    }

    /// What was seen instead of the right outcome: another one, or the first fault's message.
    fn actual(&self) -> String {
        let fault = self.report.faults.iter().find(|fault| Some(&fault.path) == self.triage.path.as_ref());
        let fault = fault.or(self.report.faults.first()).map(|fault| format!("{}: {}", fault.stage, fault.message));
        let outcome = self.wrong().and_then(|(_, outcome)| outcome).map(|outcome| outcome.to_string());
        outcome.or(fault).unwrap_or_else(|| self.report.verdict.to_string())
    }

    /// What should have been seen.
    fn expected(&self) -> String {
        match self.wrong() {
            Some((run, _)) if run.inputs.is_empty() => format!("`{}`", run.right),
            Some((run, _)) => format!("`{}` for the inputs {}", run.right, values(&run.inputs)),
            None => "a program that the verifier accepts".into(),
        }
    }

    /// The accused path's text of this name.
    fn text(&self, name: &str) -> Option<&'a str> {
        let texts = self.report.texts.iter();
        let mut own = texts.filter(|(path, text, _)| Some(path) == self.triage.path.as_ref() && text == name);
        own.next().map(|(_, _, text)| text.as_str())
    }
}

/// What a person reads before filing: this part is not to be filed.
fn preface(subject: &Subject<'_>, compiler: &str) -> String {
    let Triage { signature, accused, confidence, why, versions, .. } = subject.triage;
    let mut text =
        format!("> **A draft by roundtrip {}, to be read and filed by a person.**\n>\n", env!("CARGO_PKG_VERSION"));
    let mut line = |label: &str, what: &str| {
        let _ = writeln!(text, "> - {label}: {what}");
    };
    line("signature", &format!("`{signature}`"));
    line("accused", &format!("{} ({})", accused.group, accused.why));
    line("how sure", &format!("{}: {why}", confidence.name()));
    line("versions", &versions.note);
    if let Some(search) = links::search(compiler, subject.triage) {
        line("search for duplicates first", &search);
    }
    line(
        "then",
        "check it on the compiler's newest version, take this part out, and say in your own words what you saw",
    );
    text + "\n"
}

/// The program in its own language, and what each side makes of it.
fn extra(subject: &Subject<'_>) -> String {
    let form = subject.case.program.form().extension();
    let mut text =
        format!("The program, in the language `{form}` of the harness that found it:\n\n```\n{}```\n\n", subject.entry);
    for run in &subject.report.runs {
        for class in &run.classes {
            let mark = if class.outcome == run.right { "right" } else { "wrong" };
            let inputs =
                if run.inputs.is_empty() { String::new() } else { format!("inputs {}: ", values(&run.inputs)) };
            let _ = writeln!(text, "- {inputs}`{}` ({mark}): {}", class.outcome, run.side(class).join(", "));
        }
    }
    text
}
