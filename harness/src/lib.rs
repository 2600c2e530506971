//! roundtrip: differential testing of SSA constructions and compilers on programs of a small language.
//!
//! The modules stand in the order of the data flow: `generate → lower → validate → execute → compare → minimize →
//! record → report`. `docs/ARCHITECTURE.md` is the map.

pub mod case;
pub mod dialect;
pub mod directives;
pub mod names;
pub mod op;
pub mod plant;
pub mod syntax;

pub mod tiny;

pub mod tac;

pub mod lab;

pub mod optimized;

pub mod generate;

pub mod path;

pub mod isolate;

pub mod structure;

pub mod judge;

pub mod compare;

pub mod canary;

pub mod parting;

pub mod validators;

pub mod minimize;

pub mod record;

pub mod triage;

pub mod report;

pub mod fuzzing;

use std::time::{Duration, Instant};

use case::Case;
use compare::Report;
use path::{Detail, Fault, FaultKind, Path, PathId, Stage};

/// The main job on one case: every path observes it, what they made is judged, what they gave is compared.
pub fn check(case: &Case, paths: &[&dyn Path], detail: Detail) -> Report {
    check_timed(case, paths, detail, &mut |_| {})
}

/// Where the time of a [`check_timed`] went.
#[derive(Clone, Copy, Debug)]
pub enum Spent<'a> {
    /// In the language's own interpreter.
    Reference(Duration),
    /// In a path's lowering, compiler and execution.
    Observe(&'a PathId, Duration),
    /// In validating and interpreting what the path raised.
    Judge(&'a PathId, Duration),
    /// In comparing.
    Compare(Duration),
}

/// [`check`], telling `spent` where the time goes.
pub fn check_timed(case: &Case, paths: &[&dyn Path], detail: Detail, spent: &mut dyn FnMut(Spent<'_>)) -> Report {
    let start = Instant::now();
    let reference = judge::reference(case);
    let yardstick = if detail.structure { structure::yardstick(&case.program) } else { None };
    spent(Spent::Reference(start.elapsed()));

    // Compiled code runs only where the interpreter ended within the fuel: fuel decides, not a clock.
    let ended: Vec<_> = reference.iter().filter(|run| !run.is_out_of_fuel()).cloned().collect();
    let shortened;
    let runnable = if ended.len() == reference.len() {
        case
    } else {
        let runs = case.vectors.iter().zip(&reference).filter(|(_, run)| !run.is_out_of_fuel());
        shortened = Case { vectors: runs.map(|(vector, _)| vector.clone()).collect(), ..case.clone() };
        &shortened
    };

    // Machine code gets the time that all the fuel would take. Once it hangs on a path, the others get what the steps
    // would take that there were: it would be every path's whole limit otherwise.
    let mut hurried = None;
    let mut judged = Vec::with_capacity(paths.len());
    for path in paths {
        let id = path.id();
        let start = Instant::now();
        let mut observation = path.observe(hurried.as_ref().unwrap_or(runnable), detail);
        let hangs = |fault: &Fault| fault.stage == Stage::Execute && fault.kind == FaultKind::Hang;
        if hurried.is_none() && observation.faults.iter().any(hangs) {
            let steps = ended.iter().map(|run| run.steps).max().unwrap_or(0);
            hurried = Some(Case { fuel: steps, ..runnable.clone() });
        }
        if detail.texts {
            let raised = judge::raised_texts(&observation);
            observation.texts.extend(raised);
        }
        let observed = Instant::now();
        spent(Spent::Observe(&id, observed - start));
        judged.push(judge::judge(id.clone(), path.toolchain().group, observation, runnable, (&ended, yardstick)));
        spent(Spent::Judge(&id, observed.elapsed()));
    }

    let start = Instant::now();
    let report = compare::compare(&case.vectors, &reference, judged);
    spent(Spent::Compare(start.elapsed()));
    report
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use case::Program;
    use path::{Observation, Toolchain};

    /// A path that hangs, and keeps the fuel that it was given.
    struct Hangs<'a>(Stage, &'a Mutex<Vec<u64>>);

    impl Path for Hangs<'_> {
        fn id(&self) -> PathId {
            PathId::new("hangs", None, "always")
        }

        fn toolchain(&self) -> Toolchain {
            Toolchain { description: String::new(), group: "hangs".into(), unavailable: None }
        }

        fn observe(&self, case: &Case, _: Detail) -> Observation {
            self.1.lock().unwrap().push(case.fuel);
            let message = "never ends".into();
            let fault = Fault { stage: self.0, kind: FaultKind::Hang, message };
            Observation { faults: vec![fault], ..Observation::empty() }
        }
    }

    #[test]
    fn once_machine_code_hangs_the_others_get_less_time() {
        let program = Program::Tiny(tiny::parse("return 1 + 2").unwrap());
        let case = Case { program, vectors: vec![vec![]], fuel: 1000 };
        for (stage, hurries) in [(Stage::Execute, true), (Stage::Compile, false)] {
            let given = Mutex::new(Vec::new());
            let hangs = Hangs(stage, &given);
            check(&case, &[&hangs, &hangs, &hangs], Detail::default());
            let given = given.into_inner().unwrap();
            assert_eq!(given[0], 1000);
            assert!(given[1..].iter().all(|fuel| (*fuel < 10) == hurries), "{given:?}");
        }
    }
}
