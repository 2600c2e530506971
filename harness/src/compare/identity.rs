//! What makes two findings one.
//!
//! A signature says which groups are wrong at which stage. Two faults of one lowering have the same, and one fault has
//! several: which of a group's paths ran on a program is chance, and so is what a large program shows of a fault. So
//! two findings are one when, of their *minimized* programs on *all* paths, these are the same:
//!
//! - the kind, the first stage that is wrong, and what a validator or a crash said;
//! - the **accused**: the first wrong path in the order of the registry, where the plainest comes first. For the lab
//!   that is the first wrong step (`lab-naive`, `lab-pruned`, `lab-phi`), for a compiler the least optimization or the
//!   one perturbation that it takes. A path that executes the right thing from a form that is wrong is not to blame:
//!   what raised the form or interpreted it is (`raised`);
//! - the first **pass** that a path taken apart pass by pass is wrong after, of the accused's compiler; it then stands
//!   for all paths that have it;
//! - the **shape** (`minimize::shape`): what the program is made of, as far as the finding needs it. Where a pass is
//!   named, only whether that is memory or an effect: what brings the pass to do the wrong thing is chance, and the
//!   first bad pass alone is what campaigns against LLVM tell miscompiles apart by.
//!
//! `disagree.construct.cranelift-none.lt`, `disagree.optimize.llvm.gvn`. Chen et al. (*Taming Compiler Fuzzers*, PLDI
//! 2013) rank findings by distances between such features; with programs as small as these, equality does.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::signature::{first_fault, slug};
use super::{Report, Source, Verdict};
use crate::op::End;
use crate::path::{PathId, Stage};

/// The shape of a finding that was not minimized.
pub const NOT_MINIMIZED: &str = "not-minimized";
/// What raises and interprets forms, when it is accused.
const RAISED: &str = "raised";
/// How the words of a shape begin that are memory or effects.
const EFFECTS: [&str; 3] = ["emit", "load", "store"];
/// The words of a shape that say how control flows and what goes along.
const FLOW: [&str; 5] = ["if", "logic", "loop", "assign", "inputs"];

/// What makes two findings one. Its text is fit for a file name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Identity(pub String);

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Identity {
    /// The identity of a finding by its minimized program's report and shape. `order` are the paths, the plainest
    /// first. Nothing if the report is no finding. `whole`: where a pass is named, all of the shape counts too.
    pub fn of(report: &Report, order: &[PathId], shape: &str, whole: bool) -> Option<Identity> {
        let signature = report.signature.as_ref()?;
        let stage = signature.stage()?;
        let fault = first_fault(report).filter(|_| report.verdict != Verdict::Disagree);
        if stage == "judge" {
            // Of validators: what broke, and who judged it wrong, is all said.
            return Some(Identity(signature.0.clone()));
        }
        let (accused, said) = match fault {
            Some(first) => {
                let same = report.faults.iter().filter(|fault| (fault.stage, fault.kind) == (first.stage, first.kind));
                let accused = plainest(same.clone().map(|fault| &fault.path), order)?;
                let message = same.clone().find(|fault| fault.path == *accused).map(|fault| slug(&fault.message));
                (name(accused), message)
            }
            None if wrong(report).any(|source| contradicts_itself(report, source)) => (raised(report), None),
            None => {
                // What never ends, or dies, is wrong too, though it gave no outcome.
                let died = report.faults.iter().map(|fault| &fault.path);
                (name(plainest(wrong(report).map(|source| &source.path).chain(died), order)?), None)
            }
        };
        let pass = first_pass(report, stage, &accused, order);
        let accused = match &*accused {
            // Which pipelines have the pass that is at fault says nothing.
            _ if pass.is_some() => accused.split('-').next().unwrap_or_default(),
            // A perturbed graph is as good a graph: SSA that is invalid is its construction's, or its pruning's.
            "lab-perturbed-live" if report.verdict == Verdict::Invalid => "lab-live",
            "lab-perturbed" if report.verdict == Verdict::Invalid => "lab-pruned",
            accused => accused,
        };
        // One thing raises and interprets the forms of all stages.
        let stage = Some(stage).filter(|_| !accused.starts_with(RAISED));
        let parts = [Some(signature.kind()), stage, Some(accused)].into_iter().flatten().map(String::from);
        let shape = match shape {
            NOT_MINIMIZED => shape.to_string(),
            _ if pass.is_some() && !whole => words(shape, is_effect),
            // A wrong promise is about the values that there were.
            _ if accused.ends_with("-flags") => words(shape, is_effect),
            // What an operation is raised from is the compiler's choice.
            _ if stage.is_none() => words(shape, |word| FLOW.contains(&word)),
            // A validator looks at one edge at a time.
            _ if report.verdict == Verdict::Invalid => words(shape, |word| !FLOW.contains(&word)),
            // What a perturbation moves are edges; whether one goes back says nothing.
            _ if accused.contains("perturbed") => shape.replace("loop", "if"),
            _ => shape.to_string(),
        };
        let shape = Some(shape).filter(|shape| !shape.is_empty());
        Some(Identity(parts.chain(pass).chain(said).chain(shape).collect::<Vec<_>>().join(".")))
    }
}

/// The first wrong pass that a path of the accused's compiler tells, the plainest path first; in what a pass makes.
fn first_pass(report: &Report, stage: &str, accused: &str, order: &[PathId]) -> Option<String> {
    let passes = report.notes.iter().filter(|(path, note)| {
        let is_its = accused.strip_prefix(&path.compiler).is_some_and(|rest| rest.starts_with('-'));
        is_its && note.stage.name() == stage && note.pass.is_some()
    });
    let place = |path: &PathId| order.iter().position(|other| other == path);
    passes
        .min_by_key(|(path, _)| place(path).unwrap_or(order.len()))
        .and_then(|(_, note)| note.pass.as_deref().map(slug))
}

/// Whether a word of a shape is memory or an effect.
fn is_effect(word: &str) -> bool {
    EFFECTS.iter().any(|effect| word.starts_with(effect))
}

/// The words of a shape that count.
fn words(shape: &str, counts: impl Fn(&str) -> bool) -> String {
    shape.split('-').filter(|word| counts(word)).collect::<Vec<_>>().join("-")
}

/// Everything that gave a wrong outcome.
fn wrong(report: &Report) -> impl Iterator<Item = &Source> {
    let classes = report.runs.iter().flat_map(|run| run.classes.iter().filter(|class| class.outcome != run.right));
    classes.flat_map(|class| &class.sources)
}

/// Whether a form of a path is wrong on a run that the path itself executes right, and its compiler executes nothing
/// wrong. Undefined behaviour is no contradiction: a machine does something, and by chance the right thing. Nor is
/// memory that nothing was stored in, which machines of some paths find to be zero and others don't.
fn contradicts_itself(report: &Report, form: &Source) -> bool {
    let executes = |source: &Source| source.path == form.path && source.stage == Stage::Execute;
    let executed = wrong(report).map(|source| (&source.path, source.stage));
    let died = report.faults.iter().map(|fault| (&fault.path, fault.stage));
    let also = |(path, stage): (&PathId, Stage)| path.compiler == form.path.compiler && stage == Stage::Execute;
    form.stage != Stage::Execute
        && !executed.chain(died).any(also)
        && report.runs.iter().any(|run| {
            let is_wrong = |class: &&super::Class| {
                class.outcome != run.right && class.outcome.end != End::Undefined && class.sources.contains(form)
            };
            let right = run.classes.iter().find(|class| class.outcome == run.right);
            run.classes.iter().any(|class| is_wrong(&class))
                && right.is_some_and(|class| class.sources.iter().any(executes))
        })
}

/// What raises and interprets forms. Of some compilers, if only their forms are wrong; but what two compilers have in
/// common is what interprets the forms of all.
fn raised(report: &Report) -> String {
    let sources = report.runs.iter().flat_map(|run| &run.classes).flat_map(|class| &class.sources);
    let raising: BTreeSet<&str> =
        sources.filter(|it| it.stage != Stage::Execute).map(|it| it.path.compiler.as_str()).collect();
    let wrong: BTreeSet<&str> = wrong(report).map(|source| source.path.compiler.as_str()).collect();
    let compilers = wrong.iter().filter(|compiler| **compiler != "lab").count();
    if compilers > 1 || wrong.is_superset(&raising) {
        return RAISED.into();
    }
    format!("{RAISED}-{}", wrong.into_iter().collect::<Vec<_>>().join("+"))
}

fn plainest<'a>(paths: impl Iterator<Item = &'a PathId>, order: &[PathId]) -> Option<&'a PathId> {
    paths.min_by_key(|path| order.iter().position(|other| other == *path).unwrap_or(order.len()))
}

/// A path's name as a part of a file name, without its version.
fn name(path: &PathId) -> String {
    format!("{}-{}", path.compiler, path.variant)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Class, PathFault, Run, Signature};
    use crate::path::FaultKind;

    fn path(name: &str) -> PathId {
        let (compiler, variant) = name.split_once('/').unwrap();
        PathId::new(compiler, None, variant)
    }

    /// The report of one run on which these forms give 1, which is right, or 2.
    fn report(signature: &str, right: &[(&str, Stage)], wrong: &[(&str, Stage)]) -> Report {
        let class = |value, sources: &[(&str, Stage)]| Class {
            outcome: End::Return(value).into(),
            sources: sources
                .iter()
                .map(|&(name, stage)| Source { path: path(name), stage, group: String::new() })
                .collect(),
        };
        Report {
            verdict: Verdict::Disagree,
            signature: Some(Signature(signature.into())),
            runs: vec![Run {
                inputs: vec![],
                right: End::Return(1).into(),
                classes: vec![class(1, right), class(2, wrong)],
            }],
            faults: Vec::new(),
            unsupported: Vec::new(),
            notes: Vec::new(),
            structure: Vec::new(),
            texts: Vec::new(),
        }
    }

    fn identity(report: &Report, shape: &str) -> String {
        let order = ["lab/naive", "lab/phi", "c/none", "c/speed"].map(path);
        Identity::of(report, &order, shape, false).unwrap().0
    }

    const CONSTRUCT: &str = "disagree.construct.c~";

    #[test]
    fn the_plainest_wrong_path_is_accused_whichever_else_is_wrong() {
        use Stage::{Construct, Execute};
        let both = report(CONSTRUCT, &[], &[("c/speed", Construct), ("c/none", Construct), ("c/none", Execute)]);
        assert_eq!(identity(&both, "lt"), "disagree.construct.c-none.lt");
        assert_eq!(
            identity(&report(CONSTRUCT, &[("c/none", Construct)], &[("c/speed", Construct)]), ""),
            "disagree.construct.c-speed"
        );
        let lab = report("disagree.construct.c,lab", &[], &[("c/none", Construct), ("lab/phi", Execute)]);
        assert_eq!(identity(&lab, "lt"), "disagree.construct.lab-phi.lt");
    }

    #[test]
    fn a_path_that_executes_the_right_thing_from_a_wrong_form_is_not_to_blame() {
        use Stage::{Construct, Execute};
        let raised = report(CONSTRUCT, &[("c/none", Execute)], &[("lab/naive", Construct), ("c/none", Construct)]);
        assert_eq!(identity(&raised, "loop"), "disagree.raised.loop");
        assert_eq!(identity(&raised, "add-emit-if"), "disagree.raised.if", "of what it is raised is chance");
        let of_one = report(CONSTRUCT, &[("c/none", Execute), ("lab/naive", Construct)], &[("c/none", Construct)]);
        assert_eq!(identity(&of_one, "loop"), "disagree.raised-c.loop");
        let of_two = |one, other| {
            let right = [("c/none", Execute), ("e/none", Construct)];
            identity(&report(CONSTRUCT, &right, &[(one, Construct), (other, Construct)]), "loop")
        };
        assert_eq!(of_two("c/none", "d/none"), "disagree.raised.loop");
        assert_eq!(of_two("c/none", "lab/phi"), "disagree.raised-c+lab.loop");
        let memory = report(CONSTRUCT, &[("c/none", Execute)], &[("c/none", Construct), ("c/speed", Execute)]);
        assert_eq!(identity(&memory, "load"), "disagree.construct.c-none.load");
        let other = report(CONSTRUCT, &[("c/speed", Execute)], &[("c/none", Construct)]);
        assert_eq!(identity(&other, "loop"), "disagree.construct.c-none.loop");
    }

    #[test]
    fn what_is_chance_for_the_accused_is_not_told() {
        let disagree = |name| identity(&report(CONSTRUCT, &[], &[(name, Stage::Construct)]), "lt-emit-loop");
        assert_eq!(disagree("c/none"), "disagree.construct.c-none.lt-emit-loop");
        assert_eq!(disagree("c/none-flags"), "disagree.construct.c-none-flags.emit");
        assert_eq!(disagree("lab/perturbed"), "disagree.construct.lab-perturbed.lt-emit-if");
        assert_eq!(disagree("lab/perturbed-live"), "disagree.construct.lab-perturbed-live.lt-emit-if");
        let invalid = |name| {
            let mut report = report("invalid.construct.lab", &[], &[]);
            report.verdict = Verdict::Invalid;
            let (group, message) = (String::new(), "bad".to_string());
            let (stage, kind) = (Stage::Construct, FaultKind::Invalid);
            report.faults.push(PathFault { path: path(name), group, stage, kind, message });
            identity(&report, "lt-emit-loop")
        };
        assert_eq!(invalid("lab/perturbed"), "invalid.construct.lab-pruned.bad.lt-emit");
        assert_eq!(invalid("lab/perturbed-live"), "invalid.construct.lab-live.bad.lt-emit");
    }

    #[test]
    fn what_is_undefined_or_wrong_on_another_run_contradicts_nothing() {
        let mut undefined = report(CONSTRUCT, &[("c/none", Stage::Execute)], &[("c/none", Stage::Construct)]);
        undefined.runs[0].classes[1].outcome = End::Undefined.into();
        assert_eq!(identity(&undefined, "add"), "disagree.construct.c-none.add");
        let mut elsewhere = report(CONSTRUCT, &[], &[("c/none", Stage::Construct)]);
        let right = [("c/none", Stage::Execute), ("c/none", Stage::Construct)];
        elsewhere.runs.extend(report(CONSTRUCT, &right, &[("c/speed", Stage::Construct)]).runs);
        assert_eq!(identity(&elsewhere, "add"), "disagree.construct.c-none.add");
    }

    #[test]
    fn the_first_wrong_pass_is_told() {
        use crate::path::Note;
        let mut report = report("disagree.optimize.c~", &[], &[("c/speed", Stage::Optimize)]);
        let note = |stage, pass: &str| Note { stage, pass: Some(pass.into()), message: String::new() };
        report.notes.push((path("d/steps"), note(Stage::Optimize, "licm")));
        report.notes.push((path("c/speed"), note(Stage::Optimize, "gvn")));
        assert_eq!(identity(&report, "loop"), "disagree.optimize.c.gvn");
        assert_eq!(identity(&report, "mul-emit-loop"), "disagree.optimize.c.gvn.emit");
        assert_eq!(identity(&report, NOT_MINIMIZED), "disagree.optimize.c.gvn.not-minimized");
        let whole = Identity::of(&report, &[], "mul-loop", true).unwrap();
        assert_eq!(whole.0, "disagree.optimize.c.gvn.mul-loop");
        report.notes.push((path("c/none"), note(Stage::Optimize, "sroa")));
        assert_eq!(identity(&report, "loop"), "disagree.optimize.c.sroa", "the plainest path's");
        report.signature = Some(Signature("disagree.construct.c~".into()));
        assert_eq!(identity(&report, "loop"), "disagree.construct.c-speed.loop");
    }

    #[test]
    fn a_path_that_never_ends_is_accused_too() {
        let mut report = report(CONSTRUCT, &[("lab/phi", Stage::Execute)], &[("c/speed", Stage::Construct)]);
        report.faults.push(PathFault {
            path: path("c/none"),
            group: String::new(),
            stage: Stage::Execute,
            kind: FaultKind::Hang,
            message: "the machine code used up its processor time".into(),
        });
        assert_eq!(identity(&report, "loop"), "disagree.construct.c-none.loop");
        // Nor is raising to blame where another path of the compiler executes the right thing by chance.
        let right = Source { path: path("c/speed"), stage: Stage::Execute, group: String::new() };
        report.runs[0].classes[0].sources.push(right);
        assert_eq!(identity(&report, "loop"), "disagree.construct.c-none.loop");
    }

    #[test]
    fn a_fault_says_what_was_said_and_validators_say_all() {
        let mut report = report("invalid.construct.c,lab.s2", &[], &[]);
        report.verdict = Verdict::Invalid;
        for (name, message) in [("c/none", "bad"), ("lab/phi", "S2: definition of v.1 does not dominate its use: used")]
        {
            let (path, message) = (path(name), message.into());
            let fault =
                PathFault { path, group: String::new(), stage: Stage::Construct, kind: FaultKind::Invalid, message };
            report.faults.push(fault);
        }
        let said = "invalid.construct.lab-phi.s2-definition-of-does-not-dominate-its-use";
        assert_eq!(identity(&report, "if"), said);
        assert_eq!(identity(&report, "loop"), said);
        assert_eq!(identity(&report, "logic-loop-switch"), format!("{said}.switch"));
        report.signature = Some(Signature("disagree.judge.lab-accepts-undominated".into()));
        assert_eq!(identity(&report, "if"), "disagree.judge.lab-accepts-undominated");
    }
}
