//! What came of checking one program, laid out like a compiler's diagnostic.

use std::collections::BTreeSet;
use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};

use crate::compare::{Report, Run, Signature, Verdict};
use crate::op::{End, Outcome};
use crate::parting::Parting;
use crate::path::{PathId, Stage, Unsupported};
use crate::report::{count, parting, values};
use crate::structure::Structure;

/// Lines of the program that are shown.
const EXCERPT_LINES: usize = 24;
/// Differing runs, and faults, that are shown; the rest is counted.
const SHOWN: usize = 6;
/// Paths of one compiler that are named one by one in a class.
const SINGLE: usize = 8;
/// Columns for a list of paths.
const LIST_WIDTH: usize = 96;

/// An outcome that the file says is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// The index of the run.
    pub run: usize,
    /// What it should give.
    pub expected: Outcome,
    /// Where the file says so.
    pub span: Range<usize>,
}

/// A program that was checked, with what its own file expects of it.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The file's name, as messages have it.
    pub file: String,
    /// The program's text.
    pub text: String,
    /// What comparing found. An outcome that is not the file's makes an agreement a `disagree` of its own.
    pub report: Report,
    /// What the file expects.
    pub expectations: Vec<Expectation>,
    /// Where what is wrong parts from what is right, if that could be told.
    pub parting: Option<Parting>,
}

impl Checked {
    /// Judges a report by the file's expectations as well.
    pub fn new(file: &str, text: &str, report: Report, expectations: Vec<Expectation>) -> Checked {
        let mut checked = Checked { file: file.into(), text: text.into(), report, expectations, parting: None };
        if !checked.report.verdict.is_finding() && checked.unmet().next().is_some() {
            checked.report.verdict = Verdict::Disagree;
            checked.report.signature = Some(Signature("disagree.expected".into()));
        } else if checked.report.verdict == Verdict::Agree
            && let Some(cut) = checked.expectations.iter().find(|expectation| checked.is_cut_short(expectation))
        {
            let why = format!("out of fuel where the file expects {}", cut.expected);
            checked.report.verdict = Verdict::Inconclusive(why);
        }
        checked
    }

    /// With what is known about where executions part.
    pub fn with_parting(self, parting: Option<Parting>) -> Checked {
        Checked { parting, ..self }
    }

    /// Whether the run of an expectation did not end within the fuel, though it should.
    fn is_cut_short(&self, expectation: &Expectation) -> bool {
        let run = self.report.runs.get(expectation.run);
        run.is_some_and(|run| run.right.end == End::OutOfFuel && expectation.expected.end != End::OutOfFuel)
    }

    /// The expectations that the right outcome does not meet. Of a run that does not end within the fuel nothing is known.
    pub fn unmet(&self) -> impl Iterator<Item = (&Expectation, &Run)> {
        self.expectations
            .iter()
            .filter_map(|expectation| Some((expectation, self.report.runs.get(expectation.run)?)))
            .filter(|(expectation, run)| run.right.end != End::OutOfFuel && run.right != expectation.expected)
    }

    /// The report for people: a line when there is nothing to say, a diagnostic when there is. Quality stands below.
    pub fn text(&self, color: bool) -> String {
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        let mut text = match &self.report.verdict {
            Verdict::Agree => format!("{}: agree ({})", self.file, self.extent()),
            Verdict::Inconclusive(reason) => format!("{}: inconclusive: {reason}", self.file),
            Verdict::Known(issues) => {
                let signature = self.report.signature.as_ref().map_or("", |signature| &signature.0);
                format!("{}: known: {issues} ({signature})", self.file)
            }
            _ => {
                let parting = self.parting.iter().map(parting::note);
                renderer.render(&[self.diagnostic()].into_iter().chain(parting).collect::<Vec<_>>())
            }
        };
        for (signature, (relation, broken)) in self.report.quality() {
            let title = format!("{}: {}", relation.description(), quality(&broken));
            let note = Level::NOTE.primary_title(title).id(signature.0.as_str());
            text.push('\n');
            text.push_str(&renderer.render(&[Group::with_title(note)]));
        }
        text
    }

    /// How much ran.
    fn extent(&self) -> String {
        let sources = self.report.runs.iter().flat_map(|run| run.classes.iter().flat_map(|class| &class.sources));
        let mut paths: Vec<_> = sources.map(|source| &source.path).collect();
        paths.sort_unstable();
        paths.dedup();
        let ended = self.report.runs.iter().filter(|run| run.right.end != End::OutOfFuel).count();
        let out_of_fuel = match self.report.runs.len() - ended {
            0 => String::new(),
            n => format!(", {n} out of fuel"),
        };
        format!("{} on {}{out_of_fuel}{}", count(ended, "run"), count(paths.len(), "path"), self.unsupported())
    }

    /// What some paths could not take: agreement says nothing of it.
    fn unsupported(&self) -> String {
        // Some paths are for other languages.
        let taken = |(_, what): &&(PathId, Unsupported)| what.stage != Stage::Lower;
        let unsupported: Vec<_> = self.report.unsupported.iter().filter(taken).collect();
        let paths: BTreeSet<&PathId> = unsupported.iter().map(|(path, _)| path).collect();
        unsupported.first().map_or(String::new(), |(path, first)| {
            let paths = count(paths.len(), "path");
            format!("; {paths} did not take all of it: {path}, {}: {}", first.stage, first.reason)
        })
    }

    fn diagnostic(&self) -> Group<'_> {
        let mut title = Level::ERROR.primary_title(self.title());
        if let Some(signature) = &self.report.signature {
            title = title.id(signature.0.as_str());
        }
        let mut group = title.element(self.excerpt());
        for message in self.messages() {
            group = group.element(Level::NOTE.message(message));
        }
        group
    }

    fn title(&self) -> String {
        let first = self.report.faults.first();
        let path = first.map(|fault| fault.path.to_string()).unwrap_or_default();
        match self.report.verdict {
            Verdict::Invalid => format!("{path}: invalid output"),
            Verdict::Crash => format!("{path}: crash"),
            Verdict::Hang => format!("{path}: hang"),
            _ if self.differing().next().is_some() => "executions differ".into(),
            _ if first.is_some() => format!("{path}: validators differ"),
            _ => "the outcome is not what the file expects".into(),
        }
    }

    /// The program's first lines. Marked are the lines that expect something else, and the statement in which
    /// executions part.
    fn excerpt(&self) -> Snippet<'_, Annotation<'_>> {
        let end = self.text.split_inclusive('\n').take(EXCERPT_LINES).map(str::len).sum();
        let shown = self.text[..end].trim_end();
        let marks = self.unmet().filter(|(expectation, _)| expectation.span.end <= shown.len()).map(|(e, run)| {
            let label = format!("expected {:#}, right is {:#}", e.expected, run.right);
            AnnotationKind::Primary.span(e.span.clone()).label(label)
        });
        let parts = self.parting.iter().filter_map(|parting| {
            let span = parting.source.clone().filter(|span| span.end <= shown.len())?;
            let label = format!(
                "{} in {}, but {} in {}",
                parting.right.happens, parting.right.form, parting.wrong.happens, parting.wrong.form
            );
            Some(AnnotationKind::Primary.span(span).label(label))
        });
        // An excerpt shows the lines that carry an annotation; this one keeps the whole of it in sight.
        let all = AnnotationKind::Visible.span(0..shown.len());
        Snippet::source(shown)
            .path(self.file.as_str())
            .fold(false)
            .annotation(all)
            .annotations(marks)
            .annotations(parts)
    }

    fn differing(&self) -> impl Iterator<Item = &Run> {
        self.report.runs.iter().filter(|run| run.classes.iter().any(|class| class.outcome != run.right))
    }

    fn messages(&self) -> Vec<String> {
        let mut messages: Vec<String> = self.differing().take(SHOWN).map(describe_run).collect();
        messages.extend(more(self.differing().count(), "runs that differ"));
        messages.extend(self.differing().find_map(first_emitted));
        messages.extend(self.differing().find_map(first_wrong));
        for fault in self.report.faults.iter().take(SHOWN) {
            messages.push(format!("{}, {}: {}", fault.path, fault.stage, fault.message));
        }
        messages.extend(more(self.report.faults.len(), "faults"));
        for (path, note) in self.report.notes.iter().take(SHOWN) {
            messages.push(format!("{path}, {}: {}", note.stage, note.message));
        }
        messages.extend(more(self.report.notes.len(), "notes"));
        messages
    }
}

/// How the first of the paths that break a relation compares with the lab, and how many others do.
fn quality(broken: &[&Structure]) -> String {
    let others = match broken.len() {
        0 | 1 => String::new(),
        n => format!(", and {} more", count(n - 1, "path")),
    };
    broken.first().map(|first| first.to_string()).unwrap_or_default() + &others
}

fn more(count: usize, what: &str) -> Option<String> {
    (count > SHOWN).then(|| format!("… and {} more {what}", count - SHOWN))
}

fn inputs(vector: &[i64]) -> String {
    if vector.is_empty() { "the run".into() } else { format!("inputs {}", values(vector)) }
}

/// A run's classes: the outcome, whether it is right, who gave it.
fn describe_run(run: &Run) -> String {
    let width = run.classes.iter().map(|class| format!("{:#}", class.outcome).len()).max().unwrap_or(0);
    let mut text = format!("{}:", inputs(&run.inputs));
    for class in &run.classes {
        let mark = if class.outcome == run.right { "right" } else { "WRONG" };
        let head = format!("\n  {:width$}  {mark}  ", format!("{:#}", class.outcome));
        let indent = " ".repeat(head.len() - 1);
        text.push_str(&head);
        text.push_str(&wrapped(&shortened(run.side(class)), &indent));
    }
    text
}

/// The first emitted value that is wrong in a run.
fn first_emitted(run: &Run) -> Option<String> {
    run.classes.iter().find_map(|class| class.outcome.emitted_difference(&run.right))
}

/// What is wrong first in a run, if it is SSA that the lab has run or what was made of such: the path that is wrong at
/// the earliest stage, and up to where it was right.
fn first_wrong(run: &Run) -> Option<String> {
    let of = |is_wrong: bool| {
        let classes = run.classes.iter().filter(move |class| (class.outcome != run.right) == is_wrong);
        classes.flat_map(|class| &class.sources)
    };
    let first = of(true).min_by_key(|source| source.stage)?;
    let right_before = of(false).filter(|source| source.path == first.path && source.stage < first.stage);
    let before = right_before.map(|source| source.stage).max();
    let state = |stage: Stage| if stage == Stage::Construct { "as constructed" } else { "once optimized" };
    Some(match (first.stage, before) {
        (Stage::Construct, _) => format!("wrong first: {} as constructed, in the lab's interpreter", first.path),
        (Stage::Optimize, Some(before)) => {
            format!("wrong first: {} once optimized, in the lab's interpreter; right {}", first.path, state(before))
        }
        (_, Some(before)) => {
            format!("wrong first: {} when executed; right {}, in the lab's interpreter", first.path, state(before))
        }
        _ => return None,
    })
}

/// Of more paths of one compiler than [`SINGLE`], the first few stand for all.
fn shortened(side: Vec<String>) -> Vec<String> {
    let compiler = |path: &String| path.split('/').next().unwrap_or_default().to_owned();
    let mut shown = Vec::new();
    for paths in side.chunk_by(|a, b| compiler(a) == compiler(b)) {
        let kept = if paths.len() > SINGLE { SINGLE / 2 } else { paths.len() };
        shown.extend_from_slice(&paths[..kept]);
        if kept < paths.len() {
            shown.push(format!("{} more of {}", paths.len() - kept, compiler(&paths[0])));
        }
    }
    shown
}

fn wrapped(items: &[String], indent: &str) -> String {
    let (mut text, mut column) = (String::new(), 0);
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            text.push(',');
            if column + item.len() > LIST_WIDTH {
                text.push('\n');
                text.push_str(indent);
                column = 0;
            } else {
                text.push(' ');
            }
        }
        text.push_str(item);
        column += item.len() + 2;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Class, PathFault, Source};
    use crate::path::FaultKind;

    fn source(compiler: &str, variant: &str, stage: Stage) -> Source {
        Source { path: PathId::new(compiler, None, variant), stage, group: compiler.into() }
    }

    fn report(verdict: Verdict, signature: Option<&str>, classes: Vec<Class>) -> Report {
        Report {
            verdict,
            signature: signature.map(|text| Signature(text.into())),
            runs: vec![Run { inputs: vec![7, -1], right: End::Return(3).into(), classes }],
            faults: Vec::new(),
            unsupported: Vec::new(),
            notes: Vec::new(),
            structure: Vec::new(),
            texts: Vec::new(),
        }
    }

    fn right() -> Class {
        let sources = vec![source("lab", "naive", Stage::Construct), source("tiny", "eval", Stage::Execute)];
        Class { outcome: End::Return(3).into(), sources }
    }

    #[test]
    fn a_difference_reads_like_a_diagnostic() {
        let wrong =
            Class { outcome: End::Return(-20).into(), sources: vec![source("cranelift", "speed", Stage::Execute)] };
        let report = report(Verdict::Disagree, Some("disagree.execute.cranelift"), vec![right(), wrong]);
        let checked = Checked::new("a.tiny", "input x, y;\nreturn x / y", report, Vec::new());
        insta::assert_snapshot!(checked.text(false));
    }

    #[test]
    fn agreement_says_what_it_is_not_of() {
        let mut report = report(Verdict::Agree, None, vec![right()]);
        for variant in ["speed", "none"] {
            let unsupported = Unsupported { stage: Stage::Optimize, reason: "no popcnt.i8".into() };
            report.unsupported.push((PathId::new("c", None, variant), unsupported));
        }
        let checked = Checked::new("a.tiny", "return 3", report, Vec::new());
        let expected =
            "a.tiny: agree (1 run on 2 paths; 2 paths did not take all of it: c/speed, optimize: no popcnt.i8)";
        assert_eq!(checked.text(false), expected);
    }

    #[test]
    fn many_paths_of_one_compiler_are_cut() {
        let paths = |compiler: &str, count: usize| (0..count).map(|at| format!("{compiler}/{at}")).collect::<Vec<_>>();
        let side = [paths("a", 2), paths("b@1.0", 20), paths("c", 8)].concat();
        let shown = shortened(side);
        assert_eq!((shown.len(), shown[6].as_str()), (15, "16 more of b@1.0"));
        assert_eq!(shortened(paths("a", 8)), paths("a", 8));
    }

    #[test]
    fn what_is_wrong_first_is_told_with_how_far_it_was_right() {
        let source = |stage| source("c", "speed", stage);
        let told = |right: &[Stage], wrong: &[Stage]| {
            let class = |n, stages: &[Stage]| Class {
                outcome: End::Return(n).into(),
                sources: stages.iter().map(|&stage| source(stage)).collect(),
            };
            let classes = vec![class(1, right), class(2, wrong)];
            first_wrong(&Run { inputs: vec![], right: End::Return(1).into(), classes })
        };
        use Stage::{Construct, Execute, Optimize};
        let says = |text: &str| Some(format!("wrong first: c/speed {text}"));
        assert_eq!(told(&[], &[Construct, Execute]), says("as constructed, in the lab's interpreter"));
        assert_eq!(
            told(&[Construct], &[Optimize, Execute]),
            says("once optimized, in the lab's interpreter; right as constructed")
        );
        assert_eq!(
            told(&[Construct, Optimize], &[Execute]),
            says("when executed; right once optimized, in the lab's interpreter")
        );
        assert_eq!(told(&[], &[Execute]), None, "nothing of it was raised");
    }

    #[test]
    fn a_fault_names_path_stage_and_message() {
        let mut report = report(Verdict::Invalid, Some("invalid.construct.llvm.s1"), vec![right()]);
        report.faults.push(PathFault {
            path: PathId::new("llvm", Some("22.1.8"), "mem2reg-O0"),
            group: "llvm".into(),
            stage: Stage::Construct,
            kind: FaultKind::Invalid,
            message: "S1: x defined twice".into(),
        });
        let checked = Checked::new("a.tiny", "input x, y;\nreturn x / y", report, Vec::new());
        insta::assert_snapshot!(checked.text(false));
    }

    #[test]
    fn what_the_file_expects_counts() {
        let text = "input x, y;\n# run: 7, -1 => return 4\nreturn x / y";
        let expectation = |expected| vec![Expectation { run: 0, expected, span: 12..36 }];
        let agree = report(Verdict::Agree, None, vec![right()]);
        let met = Checked::new("a.tiny", text, agree.clone(), expectation(End::Return(3).into()));
        assert_eq!(met.text(false), "a.tiny: agree (1 run on 2 paths)");
        let unmet = Checked::new("a.tiny", text, agree, expectation(End::Return(4).into()));
        assert_eq!(unmet.report.verdict, Verdict::Disagree);
        insta::assert_snapshot!(unmet.text(false));
    }
}
