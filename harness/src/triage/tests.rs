//! Conclusions from reports and trials that are made up: what no planted fault shows.

use super::*;
use crate::case::Program;
use crate::compare::{Class, Run, Signature, Source};
use crate::op::{End, Outcome, Trap};
use crate::path::{AS_WRITTEN, Stage};

fn source(compiler: &str, variant: &str, stage: Stage) -> Source {
    let version = (!matches!(compiler, "tiny" | "lab")).then_some("1.0.0");
    Source { path: PathId::new(compiler, version, variant), stage, group: compiler.into() }
}

/// A run in which these sources are right and those are wrong.
fn report(right: Vec<Source>, wrong: (Outcome, Vec<Source>)) -> Report {
    let classes =
        vec![Class { outcome: End::Return(1).into(), sources: right }, Class { outcome: wrong.0, sources: wrong.1 }];
    Report {
        verdict: Verdict::Disagree,
        signature: Some(Signature("disagree.execute.llvm".into())),
        runs: vec![Run { inputs: vec![], right: End::Return(1).into(), classes }],
        faults: Vec::new(),
        unsupported: Vec::new(),
        notes: Vec::new(),
        structure: Vec::new(),
        texts: Vec::new(),
    }
}

/// What a form gave raised and executed.
fn trial(what: &str, raised: i64, executed: i64) -> Trial {
    let gave = |value| vec![Some(Outcome::from(End::Return(value)))];
    Trial { what: what.into(), raised: gave(raised), executed: gave(executed), faults: Vec::new(), text: String::new() }
}

fn concluded(report: &Report, trials: Trials) -> Triage {
    let program = Program::Tiny(crate::tiny::parse("return 1").unwrap());
    let case = Case { program, vectors: vec![vec![]], fuel: 100 };
    triage(&case, report, accuse::suspect(report), &trials, Replays { made: 3, same: 3 }, Versions::default())
}

fn of_llvm(trials: Vec<Trial>) -> Triage {
    let right = vec![
        source("tiny", "eval", Stage::Execute),
        source("lab", "naive", Stage::Construct),
        source("cranelift", "none", Stage::Execute),
    ];
    let report = report(right, (End::Return(2).into(), vec![source("llvm", "alloca-O2", Stage::Execute)]));
    concluded(&report, Trials { trials, death: None })
}

#[test]
fn the_first_wrong_form_is_the_pass() {
    let found = of_llvm(vec![
        trial(AS_WRITTEN, 1, 1),
        trial("2 sroa on f", 1, 1),
        trial("9 gvn on f", 2, 2),
        trial("10 adce on f", 1, 1),
    ]);
    assert_eq!((found.stage.as_str(), found.pass.as_deref()), ("optimize", Some("9 gvn on f")));
    assert_eq!((found.accused.group.as_str(), found.confidence), ("llvm", Confidence::High));
    let construction = of_llvm(vec![trial(AS_WRITTEN, 1, 1), trial("1 mem2reg on f", 2, 2)]);
    assert_eq!(construction.stage, "construct");
}

#[test]
fn wrong_as_written_is_our_lowering_or_code_generation() {
    assert_eq!(of_llvm(vec![trial(AS_WRITTEN, 2, 2)]).stage, "lower");
    assert_eq!(of_llvm(vec![trial(AS_WRITTEN, 1, 2)]).stage, "compile");
    // Right with all passes but the optional ones of code generation.
    let behind =
        of_llvm(vec![trial(AS_WRITTEN, 1, 1), trial("9 gvn on f", 1, 1), trial("12 Peephole on function (f)", 1, 2)]);
    assert_eq!((behind.stage.as_str(), behind.pass.as_deref()), ("compile", Some("12 Peephole on function (f)")));
    let unseen = of_llvm(vec![trial(AS_WRITTEN, 1, 1), trial("9 gvn on f", 1, 1)]);
    assert_eq!((unseen.stage.as_str(), unseen.pass, unseen.confidence), ("execute", None, Confidence::Medium));
}

#[test]
fn a_compiler_that_dies_names_its_pass() {
    let said = "BISECT: running pass (1) sroa on f\nBISECT: running pass (2) gvn on f\nassertion failed\n";
    let died = Trials { trials: Vec::new(), death: Some(Death { how: "signal 6".into(), said: said.into() }) }.form();
    assert_eq!((died.what.as_str(), died.number()), ("2 gvn on f", Some(2)));
    let found = of_llvm(vec![trial(AS_WRITTEN, 1, 1), died]);
    assert_eq!((found.stage.as_str(), found.pass.as_deref()), ("optimize", Some("2 gvn on f")));
    assert!(found.why.contains("(signal 6) assertion failed"), "{}", found.why);
}

#[test]
fn options_tell_the_optimizer_from_the_back_end() {
    let right = || vec![source("tiny", "eval", Stage::Execute), source("cranelift", "speed", Stage::Construct)];
    let trials = |list: &[(&str, i64)]| Trials {
        trials: list.iter().map(|&(what, n)| trial(what, n, n)).collect(),
        death: None,
    };
    let wrong = |stages: &[Stage]| stages.iter().map(|&stage| source("cranelift", "speed", stage)).collect::<Vec<_>>();
    let of = |stages: &[Stage], list: &[(&str, i64)]| {
        concluded(&report(right(), (End::Return(2).into(), wrong(stages))), trials(list))
    };

    let optimizer =
        of(&[Stage::Optimize, Stage::Execute], &[("is_pic=true, not false", 2), ("opt_level=none, not speed", 1)]);
    assert_eq!((optimizer.stage.as_str(), optimizer.pass.as_deref()), ("optimize", Some("opt_level=speed")));
    let allocator = of(&[Stage::Execute], &[("regalloc_algorithm=single_pass, not backtracking", 1)]);
    assert_eq!(
        (allocator.stage.as_str(), allocator.pass.as_deref()),
        ("compile", Some("regalloc_algorithm=backtracking"))
    );
    // An option that gave nothing, as the version doesn't take its value, is none that helps.
    let mut nothing =
        trials(&[("regalloc_algorithm=single_pass, not backtracking", 1), ("opt_level=none, not speed", 1)]);
    (nothing.trials[0].raised, nothing.trials[0].executed) = (Vec::new(), Vec::new());
    let wrong_optimized = (End::Return(2).into(), wrong(&[Stage::Optimize, Stage::Execute]));
    let helped = concluded(&report(right(), wrong_optimized), nothing);
    assert_eq!(helped.pass.as_deref(), Some("opt_level=speed"));
    let selection = of(&[Stage::Execute], &[("opt_level=none, not speed", 2)]);
    assert_eq!((selection.stage.as_str(), selection.pass), ("compile", None));

    // Wrong only where the lab's interpreter runs what was raised.
    let mut raised = report(right(), (End::Return(2).into(), wrong(&[Stage::Optimize])));
    raised.runs[0].classes[0].sources.push(source("cranelift", "speed", Stage::Execute));
    assert_eq!(concluded(&raised, trials(&[])).stage, "raise");

    let mut traps = report(Vec::new(), (End::Trap(Trap::DivByZero).into(), wrong(&[Stage::Execute])));
    traps.runs[0].right = End::Trap(Trap::Overflow).into();
    assert_eq!(concluded(&traps, trials(&[])).stage, "execute");
}

#[test]
fn how_sure_it_is() {
    let wrong = || (Outcome::from(End::Return(2)), vec![source("llvm", "O2", Stage::Execute)]);
    let trials = || Trials { trials: vec![trial(AS_WRITTEN, 1, 1), trial("9 gvn on f", 2, 2)], death: None };
    let groups = ["tiny", "lab", "cranelift"].map(|compiler| source(compiler, "x", Stage::Execute));
    let confidence = |n: usize| concluded(&report(groups[..n].to_vec(), wrong()), trials()).confidence;
    assert_eq!([1, 2, 3].map(confidence), [Confidence::Low, Confidence::Medium, Confidence::High]);
    let report = report(groups.to_vec(), wrong());
    let program = Program::Tiny(crate::tiny::parse("return 1").unwrap());
    let case = Case { program, vectors: vec![vec![]], fuel: 100 };
    let once =
        triage(&case, &report, accuse::suspect(&report), &trials(), Replays { made: 3, same: 2 }, Versions::default());
    assert_eq!(once.confidence, Confidence::Low);
}

#[test]
fn what_is_wrong_only_raised_rests_on_the_lab() {
    let mut report = report(
        vec![
            source("tiny", "eval", Stage::Execute),
            source("llvm", "O0", Stage::Execute),
            source("cranelift", "none", Stage::Execute),
        ],
        (
            End::Return(2).into(),
            vec![
                source("lab", "naive", Stage::Construct),
                source("llvm", "O0", Stage::Construct),
                source("cranelift", "none", Stage::Construct),
            ],
        ),
    );
    assert_eq!(accuse::accuse(&report).group, "lab");
    report.runs[0].classes[1].sources.push(source("llvm", "O0", Stage::Execute));
    assert_ne!(accuse::accuse(&report).group, "lab", "llvm is wrong by itself");
}

#[test]
fn what_only_the_meaning_of_ir_shows_is_told_by_the_report() {
    use crate::path::Note;
    let right = vec![source("tiny", "eval", Stage::Execute), source("lab", "naive", Stage::Construct)];
    let mut report = report(right, (End::Undefined.into(), vec![source("llvm", "phi-O2", Stage::Optimize)]));
    let trials = || Trials { trials: vec![trial(AS_WRITTEN, 1, 1), trial("2 licm on f", 1, 1)], death: None };
    let unknown = concluded(&report, trials());
    assert_eq!((unknown.stage.as_str(), unknown.pass), ("optimize", None));
    let steps = source("llvm", "steps-O2", Stage::Optimize).path;
    let message = "pass 2 of 9, licm: inputs [] returns poison".to_string();
    report.notes.push((steps, Note { stage: Stage::Optimize, pass: Some("licm".into()), message }));
    let told = concluded(&report, trials());
    assert_eq!((told.stage.as_str(), told.pass.as_deref()), ("optimize", Some("licm")));
    assert!(told.why.contains("steps-O2, pass by pass"), "{}", told.why);
}
