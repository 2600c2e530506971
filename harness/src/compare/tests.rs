//! Verdicts of made-up observations.

use super::*;
use crate::path::Fault;

fn path(name: &str, group: &str, results: &[(Stage, i64)]) -> Judged {
    let (compiler, variant) = name.split_once('/').unwrap();
    Judged {
        path: PathId::new(compiler, None, variant),
        group: group.into(),
        results: results.iter().map(|&(stage, n)| (stage, vec![Some(End::Return(n).into())])).collect(),
        faults: Vec::new(),
        unsupported: Vec::new(),
        notes: Vec::new(),
        structure: None,
        texts: Vec::new(),
    }
}

fn compared(judged: Vec<Judged>) -> Report {
    compare(&[vec![]], &[Execution { outcome: End::Return(1).into(), steps: 1 }], judged)
}

#[test]
fn equal_outcomes_agree() {
    let report = compared(vec![
        path("tiny/eval", "tiny", &[(Stage::Execute, 1)]),
        path("llvm/phi-O0", "lab+llvm", &[(Stage::Construct, 1), (Stage::Execute, 1)]),
    ]);
    assert_eq!(report.verdict, Verdict::Agree);
    assert_eq!(report.runs[0].classes.len(), 1);
    assert_eq!(report.runs[0].classes[0].sources.len(), 3);
}

#[test]
fn what_is_worse_than_the_yardstick_is_told_of_a_group_once_and_is_no_part_of_the_verdict() {
    let mut judged: Vec<Judged> =
        ["c/none", "c/speed", "c/size"].map(|name| path(name, "c", &[(Stage::Construct, 1)])).into();
    for (judged, params) in judged.iter_mut().zip([2, 2, 1]) {
        let (path, group) = (judged.path.clone(), judged.group.clone());
        let structure =
            Structure { path, group, params, constants: 0, least: params, yardstick: 1, self_defined: false };
        judged.structure = Some(structure);
    }
    let report = compared(judged);
    assert_eq!(report.verdict, Verdict::Agree);
    let quality = report.quality();
    assert_eq!(quality.len(), 1);
    let (relation, paths) = &quality[&Signature("quality.construct.c.not-pruned".into())];
    let paths: Vec<String> = paths.iter().map(|structure| structure.path.to_string()).collect();
    assert_eq!((*relation, paths), (Relation::NotPruned, vec!["c/none".to_string(), "c/speed".to_string()]));
}

#[test]
fn the_majority_of_groups_is_right_however_many_paths_a_group_has() {
    let report = compared(vec![
        path("tiny/eval", "tiny", &[(Stage::Execute, 1)]),
        path("lab/naive", "lab", &[(Stage::Construct, 1)]),
        path("cranelift/none", "cranelift", &[(Stage::Execute, 2)]),
        path("cranelift/speed", "cranelift", &[(Stage::Execute, 2)]),
        path("cranelift/size", "cranelift", &[(Stage::Execute, 2)]),
    ]);
    assert_eq!(report.runs[0].right, End::Return(1).into());
    assert_eq!(report.signature.unwrap().0, "disagree.execute.cranelift");
}

#[test]
fn the_languages_interpreter_decides_between_equals() {
    let report = compared(vec![
        path("cranelift/none", "cranelift", &[(Stage::Execute, 2)]),
        path("llvm/phi-O0", "lab+llvm", &[(Stage::Execute, 1)]),
    ]);
    assert_eq!(report.runs[0].right, End::Return(1).into());
    let report = compared(vec![
        path("cranelift/none", "cranelift", &[(Stage::Execute, 1)]),
        path("llvm/phi-O0", "lab+llvm", &[(Stage::Execute, 2)]),
    ]);
    assert_eq!(report.runs[0].right, End::Return(1).into());
}

#[test]
fn many_groups_on_one_wrong_lowering_do_not_outvote_a_confirmed_interpreter() {
    let report = compared(vec![
        path("tiny/eval", "tiny", &[(Stage::Execute, 1)]),
        path("lab/naive", "lab", &[(Stage::Construct, 1)]),
        path("lab/tac", "tac", &[(Stage::Execute, 2)]),
        path("cranelift/none", "cranelift", &[(Stage::Execute, 2)]),
        path("llvm/alloca-O0", "llvm", &[(Stage::Execute, 2)]),
    ]);
    assert_eq!(report.runs[0].right, End::Return(1).into());
    assert_eq!(report.signature.unwrap().0, "disagree.execute.cranelift,llvm,tac");
}

#[test]
fn an_interpreter_that_stands_alone_is_outvoted() {
    let report = compared(vec![
        path("tiny/eval", "tiny", &[(Stage::Execute, 1)]),
        path("lab/naive", "lab", &[(Stage::Construct, 2)]),
        path("cranelift/none", "cranelift", &[(Stage::Execute, 2)]),
    ]);
    assert_eq!(report.runs[0].right, End::Return(2).into());
    assert_eq!(report.signature.unwrap().0, "disagree.execute.tiny");
}

#[test]
fn what_the_program_means_is_right_when_nobody_was_asked_who_knows() {
    let report = compared(vec![
        path("c/none", "c", &[(Stage::Construct, 2)]),
        path("c/speed", "c", &[(Stage::Execute, 2)]),
        path("d/none", "lab+c", &[(Stage::Execute, 2)]),
    ]);
    assert_eq!(report.runs[0].right, End::Return(1).into());
    assert_eq!(report.signature.unwrap().0, "disagree.construct.c,lab+c");
}

#[test]
fn a_split_group_is_marked_and_the_first_stage_named() {
    let report = compared(vec![
        path("tiny/eval", "tiny", &[(Stage::Execute, 1)]),
        path("lab/naive", "lab", &[(Stage::Construct, 1)]),
        path("cranelift/none", "cranelift", &[(Stage::Construct, 1), (Stage::Execute, 1)]),
        path("cranelift/speed", "cranelift", &[(Stage::Construct, 1), (Stage::Optimize, 3), (Stage::Execute, 3)]),
    ]);
    assert_eq!(report.verdict, Verdict::Disagree);
    assert_eq!(report.signature.unwrap().0, "disagree.optimize.cranelift~");
}

#[test]
fn an_earlier_fault_wins_over_a_later_difference() {
    let mut invalid = path("llvm/mem2reg-O0", "llvm", &[(Stage::Execute, 7)]);
    invalid.faults.push(Fault {
        stage: Stage::Construct,
        kind: FaultKind::Invalid,
        message: "S2: definition of t.0 does not dominate its use in b.3".into(),
    });
    let report = compared(vec![path("tiny/eval", "tiny", &[(Stage::Execute, 1)]), invalid]);
    assert_eq!(report.verdict, Verdict::Invalid);
    assert_eq!(report.signature.unwrap().0, "invalid.construct.llvm.s2-definition-of-does-not-dominate-its-use-in");
}

#[test]
fn a_later_fault_does_not_hide_an_earlier_difference() {
    let mut crashed = path("c/speed", "c", &[(Stage::Construct, 7)]);
    crashed.faults.push(Fault { stage: Stage::Compile, kind: FaultKind::Crash, message: "abort".into() });
    let report = compared(vec![path("tiny/eval", "tiny", &[(Stage::Execute, 1)]), crashed]);
    assert_eq!(report.signature.unwrap().0, "disagree.construct.c");
}

#[test]
fn of_one_stages_faults_the_gravest_counts_with_the_groups_that_have_it() {
    let faulty = |name, group, kind| {
        let fault = Fault { stage: Stage::Optimize, kind, message: "bad".into() };
        Judged { faults: vec![fault], ..path(name, group, &[]) }
    };
    let [a, b, c] = [FaultKind::Invalid, FaultKind::Hang, FaultKind::Crash];
    let signature = |judged| compared(judged).signature.unwrap().0;
    assert_eq!(
        signature(vec![faulty("a/x", "a", a), faulty("b/x", "b", b), faulty("c/x", "c", c)]),
        "crash.optimize.c.bad"
    );
    assert_eq!(signature(vec![faulty("a/x", "a", a), faulty("b/x", "b", b)]), "hang.optimize.b.bad");
    assert_eq!(signature(vec![faulty("b/x", "b", b), faulty("a/x", "a", b)]), "hang.optimize.a,b.bad");
}

#[test]
fn a_vector_out_of_fuel_is_passed_over() {
    let vectors = [vec![1], vec![2]];
    let reference = [
        Execution { outcome: End::OutOfFuel.into(), steps: 9 },
        Execution { outcome: End::Trap(Trap::Overflow).into(), steps: 3 },
    ];
    let trap = Judged {
        results: vec![(Stage::Execute, vec![Some(End::Trap(Trap::Overflow).into())])],
        ..path("tiny/eval", "tiny", &[])
    };
    let report = compare(&vectors, &reference, vec![trap.clone()]);
    assert_eq!(report.verdict, Verdict::Agree);
    assert!(report.runs[0].classes.is_empty());
    assert_eq!(report.runs[1].classes.len(), 1);

    let report = compare(&vectors[..1], &reference[..1], vec![Judged { results: vec![], ..trap }]);
    assert_eq!(report.verdict, Verdict::Inconclusive("out of fuel on every input vector".into()));
}

#[test]
fn running_nothing_is_not_agreement() {
    let nothing = Verdict::Inconclusive("no path executed anything".into());
    assert_eq!(compared(vec![]).verdict, nothing);
    assert_eq!(compare(&[], &[], vec![path("tiny/eval", "tiny", &[])]).verdict, nothing);
}

#[test]
fn what_nobody_has_to_look_at_is_no_finding() {
    for verdict in [Verdict::Agree, Verdict::Inconclusive("why".into()), Verdict::Known("issue".into())] {
        assert!(!verdict.is_finding(), "{verdict}");
    }
    for verdict in [Verdict::Disagree, Verdict::Invalid, Verdict::Crash, Verdict::Hang] {
        assert!(verdict.is_finding(), "{verdict}");
    }
}

#[test]
fn who_differs_or_has_a_fault_is_wrong() {
    let mut crashed = path("llvm/mem2reg-O0", "llvm", &[(Stage::Construct, 1)]);
    crashed.faults.push(Fault { stage: Stage::Optimize, kind: FaultKind::Crash, message: "abort".into() });
    let differs = path("cranelift/none", "cranelift", &[(Stage::Construct, 1), (Stage::Execute, 2)]);
    let report = compared(vec![path("tiny/eval", "tiny", &[(Stage::Execute, 1)]), differs, crashed]);
    let wrong: Vec<String> = report.wrong().into_iter().map(ToString::to_string).collect();
    assert_eq!(wrong, ["cranelift/none", "llvm/mem2reg-O0"]);
}

#[test]
fn one_trap_is_not_another() {
    let traps = |trap| vec![(Stage::Execute, vec![Some(End::Trap(trap).into())])];
    let reference = [Execution { outcome: End::Trap(Trap::Overflow).into(), steps: 3 }];
    let of = |name, group, trap| Judged { results: traps(trap), ..path(name, group, &[]) };
    let right = [of("tiny/eval", "tiny", Trap::Overflow), of("lab/tac", "tac", Trap::Overflow)];
    let judged = [&right[..], &[of("c/none", "c", Trap::DivByZero)]].concat();
    assert_eq!(compare(&[vec![]], &reference, judged).signature.unwrap().0, "disagree.execute.c");
}

#[test]
fn each_vector_has_its_own_classes_the_right_one_first() {
    let outcomes = |values: [i64; 2]| vec![(Stage::Execute, values.map(|n| Some(End::Return(n).into())).to_vec())];
    let gives = |name, group, values| Judged { results: outcomes(values), ..path(name, group, &[]) };
    let reference = [5, 7].map(|n| Execution { outcome: End::Return(n).into(), steps: 1 });
    let paths = [("tiny/eval", "tiny", [5, 7]), ("lab/tac", "tac", [5, 7]), ("c/none", "c", [5, 6])];
    let judged = paths.map(|(name, group, values)| gives(name, group, values));
    let report = compare(&[vec![1], vec![2]], &reference, judged.to_vec());
    let outcomes = |run: &Run| run.classes.iter().map(|class| class.outcome.to_string()).collect::<Vec<_>>();
    assert_eq!(outcomes(&report.runs[0]), ["return 5"]);
    assert_eq!(outcomes(&report.runs[1]), ["return 7", "return 6"]);
}
