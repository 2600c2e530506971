//! Would a difference be seen? A comparison that overlooks something makes every run look good.
//!
//! What one of the lab's paths gave on a program is changed on purpose, in each way in which it could be wrong, and
//! compared again: nobody must agree any more, and the changed path must be the wrong one. `roundtrip fuzz` does this
//! on some of its own programs, all the time. Pure.

use crate::case::Case;
use crate::compare::{Report, Verdict, compare};
use crate::judge::{self, Judged};
use crate::op::{End, Execution, Trap};
use crate::path::interpreters::Interpreter;
use crate::path::{Detail, Fault, FaultKind, Path, Stage};

/// A way to be wrong: its name, and what it makes of a path that is right. `false`: there is no place for it.
type Change = (&'static str, fn(&mut Judged) -> bool);

const CHANGES: [Change; 7] = [
    ("another value in the first run", |path| value(path, 0)),
    ("another value in the last run", |path| value(path, usize::MAX)),
    ("another trap", trap),
    ("another emitted value", emitted),
    ("output that a validator rejects", |path| fault(path, FaultKind::Invalid)),
    ("a crash", |path| fault(path, FaultKind::Crash)),
    ("a hang", |path| fault(path, FaultKind::Hang)),
];

/// The first change that comparing does not see on this case, or sees where there is none.
pub fn overlooked(case: &Case) -> Option<&'static str> {
    let all = judge::reference(case);
    let runs = case.vectors.iter().zip(all).filter(|(_, run)| !run.is_out_of_fuel());
    let (vectors, reference): (Vec<Vec<i64>>, Vec<Execution>) = runs.map(|(vector, run)| (vector.clone(), run)).unzip();
    let ended = Case { vectors, ..case.clone() };
    let judged = |path: Interpreter| {
        let observation = path.observe(&ended, Detail::default());
        judge::judge(path.id(), path.toolchain().group, observation, &ended, (&reference, None))
    };
    // Three groups, so that one that is changed stands alone.
    let own = [Interpreter::Tiny, Interpreter::Tac, Interpreter::Pruned].map(judged);
    let compared = |paths: [Judged; 3]| compare(&ended.vectors, &reference, paths.into());
    let honest = compared(own.clone());
    if ended.vectors.is_empty() || honest.verdict != Verdict::Agree {
        // Whatever it is, the run itself has it.
        return None;
    }
    CHANGES.iter().find_map(|(name, change)| {
        let mut paths = own.clone();
        let changed = change(&mut paths[2]);
        let path = paths[2].path.clone();
        let is_seen = |report: Report| report.verdict.is_finding() && report.wrong().contains(&path);
        (changed && !is_seen(compared(paths))).then_some(*name)
    })
}

/// Changes the outcome of the run of this number, or of the last.
fn value(path: &mut Judged, run: usize) -> bool {
    let Some((_, outcomes)) = path.results.first_mut() else { return false };
    let last = outcomes.len().saturating_sub(1);
    let Some(Some(outcome)) = outcomes.get_mut(run.min(last)) else { return false };
    outcome.end = match outcome.end {
        End::Return(value) => End::Return(value ^ 1),
        _ => End::Return(0),
    };
    true
}

/// Emits one more value in the first run.
fn emitted(path: &mut Judged) -> bool {
    let Some(outcome) = path.results.iter_mut().flat_map(|(_, outcomes)| outcomes).flatten().next() else {
        return false;
    };
    outcome.emitted.push(0);
    true
}

/// Makes another trap of one.
fn trap(path: &mut Judged) -> bool {
    let outcomes = path.results.iter_mut().flat_map(|(_, outcomes)| outcomes).flatten();
    let mut traps =
        outcomes.filter_map(|outcome| if let End::Trap(trap) = &mut outcome.end { Some(trap) } else { None });
    let Some(trap) = traps.next() else { return false };
    *trap = if *trap == Trap::DivByZero { Trap::Overflow } else { Trap::DivByZero };
    true
}

fn fault(path: &mut Judged, kind: FaultKind) -> bool {
    path.faults.push(Fault { stage: Stage::Construct, kind, message: "a canary".into() });
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Program;
    use crate::{tac, tiny};

    fn case(text: &str, vectors: &[i64]) -> Case {
        let vectors = vectors.iter().map(|&value| vec![value]).collect();
        Case { program: Program::Tiny(tiny::parse(text).unwrap()), vectors, fuel: 100 }
    }

    #[test]
    fn everything_is_seen() {
        for text in ["input a;\nreturn 1 / a", "input a;\nwhile a {}\nreturn a + 1"] {
            assert_eq!(overlooked(&case(text, &[0, 7, -1])), None, "{text}");
        }
        let program = Program::Tac(tac::parse("input a\nret a").unwrap());
        assert_eq!(overlooked(&Case { program, vectors: vec![vec![3]], fuel: 100 }), None);
    }

    #[test]
    fn each_change_has_a_place_on_a_program_that_returns_and_traps() {
        let case = case("input a;\nreturn 1 / a", &[0, 7]);
        let reference = judge::reference(&case);
        let path = Interpreter::Pruned;
        let observation = path.observe(&case, Detail::default());
        let judged = judge::judge(path.id(), "lab".into(), observation, &case, (&reference, None));
        for (name, change) in CHANGES {
            let mut changed = judged.clone();
            assert!(change(&mut changed), "{name}");
            assert!(changed.results != judged.results || changed.faults != judged.faults, "{name}");
        }
    }
}
