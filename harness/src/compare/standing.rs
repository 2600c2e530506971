//! How one path stands in a report.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::compare::Report;
use crate::op::End;
use crate::path::{FaultKind, PathId, Stage};

/// What a report says of one path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "standing", content = "because")]
pub enum Standing {
    /// It executed every run that ends, as far as it executes, and gave what is right.
    Right,
    /// It gave something else, or something about it is wrong: what.
    Wrong(String),
    /// It doesn't take the program, or not as far as machine code: why.
    Unsupported(String),
    /// Nothing says anything of it.
    NotRun,
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Standing::Right => f.write_str("right"),
            Standing::Wrong(what) => write!(f, "WRONG: {what}"),
            Standing::Unsupported(why) => write!(f, "unsupported: {why}"),
            Standing::NotRun => f.write_str("not run"),
        }
    }
}

impl Report {
    /// How a path stands.
    pub fn standing(&self, path: &PathId) -> Standing {
        if let Some(fault) = self.faults.iter().find(|fault| fault.path == *path) {
            let message = fault.message.lines().next().unwrap_or_default();
            return Standing::Wrong(match fault.kind {
                FaultKind::Invalid => format!("invalid at {}: {message}", fault.stage),
                FaultKind::Crash => format!("crash at {}: {message}", fault.stage),
                FaultKind::Hang => format!("hang at {}", fault.stage),
            });
        }
        let ended = || self.runs.iter().filter(|run| run.right.end != End::OutOfFuel);
        for run in ended() {
            let wrong = run.classes.iter().filter(|class| class.outcome != run.right);
            if let Some(class) = wrong.into_iter().find(|class| class.sources.iter().any(|it| it.path == *path)) {
                return Standing::Wrong(format!("{} for {}", class.outcome, run.right));
            }
        }
        let ran = |executed: bool| {
            let is_it = |it: &super::Source| it.path == *path && (it.stage == Stage::Execute || !executed);
            ended().all(|run| run.classes.iter().flat_map(|class| &class.sources).any(is_it))
                && ended().next().is_some()
        };
        match self.unsupported.iter().find(|(id, _)| id == path) {
            // The harness's own paths execute what they raised and nothing else.
            None if ran(false) => Standing::Right,
            Some(_) if ran(true) => Standing::Right,
            Some((_, unsupported)) => Standing::Unsupported(unsupported.reason.clone()),
            None => Standing::NotRun,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Class, PathFault, Run, Source, Verdict};
    use crate::op::Outcome;
    use crate::path::Unsupported;

    fn report(sources: &[(Stage, i64)], right: Outcome) -> (Report, PathId) {
        let path = PathId::new("llvm", Some("14.0.6"), "phi-O2");
        let class = |&(stage, value): &(Stage, i64)| Class {
            outcome: End::Return(value).into(),
            sources: vec![Source { path: path.clone(), stage, group: "llvm".into() }],
        };
        let run = Run { inputs: vec![], right, classes: sources.iter().map(class).collect() };
        let report = Report {
            verdict: Verdict::Agree,
            signature: None,
            runs: vec![run],
            faults: vec![],
            unsupported: vec![],
            notes: vec![],
            structure: vec![],
            texts: vec![],
        };
        (report, path)
    }

    #[test]
    fn who_does_not_run_is_neither_right_nor_wrong() {
        let unsupported = |stage| Unsupported { stage, reason: "switch".into() };
        let right = End::Return(7);
        for (sources, refused, standing) in [
            (&[(Stage::Construct, 7), (Stage::Execute, 7)][..], None, Standing::Right),
            (&[(Stage::Execute, 7)], Some(Stage::Construct), Standing::Right),
            (&[(Stage::Construct, 7)], None, Standing::Right),
            (&[(Stage::Construct, 7)], Some(Stage::Compile), Standing::Unsupported("switch".into())),
            (&[], Some(Stage::Lower), Standing::Unsupported("switch".into())),
            (&[], None, Standing::NotRun),
            (&[(Stage::Construct, 7), (Stage::Execute, 8)], None, Standing::Wrong("return 8 for return 7".into())),
        ] {
            let (mut report, path) = report(sources, right.into());
            report.unsupported.extend(refused.map(|stage| (path.clone(), unsupported(stage))));
            assert_eq!(report.standing(&path), standing, "{sources:?} {refused:?}");
            assert_eq!(report.standing(&PathId::new("llvm", None, "phi-O2")), Standing::NotRun);
        }
        let (report, path) = report(&[], End::OutOfFuel.into());
        assert_eq!(report.standing(&path), Standing::NotRun, "nothing ended");
    }

    #[test]
    fn a_fault_is_wrong() {
        let (mut report, path) = report(&[(Stage::Execute, 7)], End::Return(7).into());
        let message = "first line\nsecond".into();
        let fault = PathFault { path, group: "llvm".into(), stage: Stage::Optimize, kind: FaultKind::Crash, message };
        let path = fault.path.clone();
        report.faults.push(fault);
        assert_eq!(report.standing(&path), Standing::Wrong("crash at optimize: first line".into()));
    }
}
