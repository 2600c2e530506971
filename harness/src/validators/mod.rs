//! Validators against each other: one function, valid or not, judged by the lab and by each compiler's verifier.
//!
//! What a function breaks is read off it by definition ([`crate::lab::clause`]), and [`map`] says which validator has
//! which clause. So each validator must reject what breaks a clause that it has, accept what breaks none, and be unable
//! to say exactly what its form has no words for. Anything else is a finding, either way: of the validator, or of the
//! map.

pub mod map;

use std::collections::BTreeSet;

use crate::case::{Case, Program};
use crate::compare::{PathFault, Report, Signature, Verdict, slug};
use crate::lab::{self, Clause};
use crate::path::{Fault, FaultKind, Judge, Judgement, Stage, Validator};
use map::Ruling;

/// A validator's judgement that is off the map.
struct OffTheMap<'v> {
    validator: &'v Validator,
    kind: FaultKind,
    /// What it did, as a part of a signature.
    slug: String,
    message: String,
}

/// Compares the judgements of a function; `None` for a program in Tiny or TAC, which no validator takes.
pub fn check(case: &Case, validators: &[Validator]) -> Option<Report> {
    let touched = touched(&case.program)?;
    let off: Vec<OffTheMap> = validators
        .iter()
        .filter_map(|validator| off_the_map(validator, &judge(validator, &case.program)?, &touched))
        .collect();
    let verdict = match off.iter().map(|off| off.kind).max_by_key(|kind| *kind == FaultKind::Crash) {
        None => Verdict::Agree,
        Some(FaultKind::Crash) => Verdict::Crash,
        Some(_) => Verdict::Disagree,
    };
    let slugs: Vec<String> = off.iter().map(|off| format!("{}-{}", off.validator.judge.name(), off.slug)).collect();
    let signature = (!off.is_empty()).then(|| Signature(format!("{verdict}.judge.{}", slugs.join(","))));
    let faults = off.into_iter().map(|off| PathFault {
        path: off.validator.path.clone(),
        group: off.validator.toolchain.group.clone(),
        stage: Stage::Construct,
        kind: off.kind,
        message: off.message,
    });
    Some(report(verdict, signature, faults.collect()))
}

/// The report on a function when a validator has died of it, or does not end.
pub fn died(validator: &Validator, fault: &Fault) -> Report {
    let verdict = if fault.kind == FaultKind::Hang { Verdict::Hang } else { Verdict::Crash };
    let signature = Signature(format!("{verdict}.judge.{}-{}", validator.judge.name(), slug(&fault.message)));
    let fault = PathFault {
        path: validator.path.clone(),
        group: validator.toolchain.group.clone(),
        stage: Stage::Construct,
        kind: fault.kind,
        message: fault.message.clone(),
    };
    report(verdict, Some(signature), vec![fault])
}

fn report(verdict: Verdict, signature: Option<Signature>, faults: Vec<PathFault>) -> Report {
    let (runs, unsupported, notes, structure, texts) = Default::default();
    Report { verdict, signature, runs, faults, unsupported, notes, structure, texts }
}

/// What the compilers' verifiers say against a function, to stand beside what the lab says.
pub fn rejections(case: &Case, validators: &[Validator]) -> Vec<PathFault> {
    let compilers = validators.iter().filter(|validator| validator.judge != Judge::Lab);
    let rejections = compilers.filter_map(|validator| match judge(validator, &case.program)? {
        Judgement::Rejects(message) => Some(PathFault {
            path: validator.path.clone(),
            group: validator.toolchain.group.clone(),
            stage: Stage::Construct,
            kind: FaultKind::Invalid,
            message,
        }),
        Judgement::Accepts | Judgement::CannotSay(_) | Judgement::Fails(_) => None,
    });
    rejections.collect()
}

/// The clauses that a function touches; `None` for a program in Tiny or TAC.
pub fn touched(program: &Program) -> Option<BTreeSet<Clause>> {
    match program {
        Program::Ssa(function) => Some(lab::clauses(function)),
        Program::Phi(function) => Some(lab::phi_clauses(function)),
        Program::Tiny(_) | Program::Tac(_) => None,
    }
}

/// What a validator says of a function; `None` for a program in Tiny or TAC.
pub fn judge(validator: &Validator, program: &Program) -> Option<Judgement> {
    match program {
        Program::Ssa(function) => Some((validator.judge_ssa)(function)),
        Program::Phi(function) => Some((validator.judge_phi)(function)),
        Program::Tiny(_) | Program::Tac(_) => None,
    }
}

/// What the map has a validator say of a function that touches these clauses, and the clause for which it does.
pub fn expected(validator: &Validator, touched: &BTreeSet<Clause>) -> (Ruling, Option<Clause>) {
    let first = |wanted| touched.iter().copied().find(|&clause| map::ruling(validator.judge, clause) == wanted);
    match (first(Ruling::CannotSay), first(Ruling::Rejects)) {
        (Some(clause), _) => (Ruling::CannotSay, Some(clause)),
        (_, Some(clause)) => (Ruling::Rejects, Some(clause)),
        (None, None) => (Ruling::Accepts, None),
    }
}

fn off_the_map<'v>(
    validator: &'v Validator,
    judgement: &Judgement,
    touched: &BTreeSet<Clause>,
) -> Option<OffTheMap<'v>> {
    let (expected, because) = expected(validator, touched);
    let clause = because.map_or("valid", Clause::name);
    let (kind, slug, did) = match judgement {
        Judgement::Accepts if expected == Ruling::Accepts => return None,
        Judgement::Rejects(_) if expected == Ruling::Rejects => return None,
        Judgement::CannotSay(_) if expected == Ruling::CannotSay => return None,
        Judgement::Accepts => (FaultKind::Invalid, format!("accepts-{clause}"), "accepts it".to_string()),
        Judgement::Rejects(message) => {
            (FaultKind::Invalid, format!("rejects-{clause}-{}", slug(message)), format!("rejects it: {message}"))
        }
        Judgement::CannotSay(reason) => {
            (FaultKind::Invalid, format!("cannot-say-{clause}"), format!("has no words for it: {reason}"))
        }
        Judgement::Fails(message) => {
            (FaultKind::Crash, format!("fails-{clause}-{}", slug(message)), format!("fails: {message}"))
        }
    };
    let why = match because {
        Some(because) => format!("the map has {} for {clause}: {}", expected.name(), because.description()),
        None => "the function breaks nothing that it checks".to_string(),
    };
    Some(OffTheMap { validator, kind, slug, message: format!("the validator {did}; {why}") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::validators;

    fn case(text: &str) -> Case {
        let program = match lab::parse_ssa(text) {
            Ok(function) => Program::Ssa(function),
            Err(_) => Program::Phi(lab::parse_phi(text).unwrap()),
        };
        Case { program, vectors: Vec::new(), fuel: 1 }
    }

    /// The signature of a text's finding with the lab's validator replaced by this answer.
    fn signature(text: &str, answer: fn() -> Judgement) -> Option<String> {
        let mut lab = validators().swap_remove(0);
        lab.judge_ssa = match answer() {
            Judgement::Accepts => |_| Judgement::Accepts,
            Judgement::Rejects(_) => |_| Judgement::Rejects("S2: x.7 is used at the end of b.1".into()),
            Judgement::CannotSay(_) => |_| Judgement::CannotSay("too long".into()),
            Judgement::Fails(_) => |_| Judgement::Fails("panicked at somewhere.rs:7: no".into()),
        };
        check(&case(text), &[lab]).unwrap().signature.map(|signature| signature.0)
    }

    const VALID: &str = "entry:\n  ret 1\n";
    const BROKEN: &str = "entry:\n  ret x\n";

    #[test]
    fn a_judgement_off_the_map_is_a_finding_with_a_signature() {
        let (accepts, rejects) = (|| Judgement::Accepts, || Judgement::Rejects(String::new()));
        assert_eq!(signature(VALID, accepts), None);
        assert_eq!(signature(BROKEN, rejects), None);
        assert_eq!(signature(BROKEN, accepts).unwrap(), "disagree.judge.lab-accepts-undefined");
        assert_eq!(signature(VALID, rejects).unwrap(), "disagree.judge.lab-rejects-valid-s2-is-used-at-the-end-of");
        let cannot_say = || Judgement::CannotSay(String::new());
        assert_eq!(signature(VALID, cannot_say).unwrap(), "disagree.judge.lab-cannot-say-valid");
        let fails = || Judgement::Fails(String::new());
        assert_eq!(signature(BROKEN, fails).unwrap(), "crash.judge.lab-fails-undefined-panicked-at-no");
    }

    #[test]
    fn programs_that_no_validator_takes_have_no_report() {
        let program = Program::Tiny(crate::tiny::parse("return 1").unwrap());
        assert_eq!(check(&Case { program, vectors: vec![vec![]], fuel: 1 }, &validators()), None);
    }
}
