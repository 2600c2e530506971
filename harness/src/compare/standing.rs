//! How one path stands in a report.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::compare::Report;
use crate::op::Outcome;
use crate::path::{FaultKind, PathId, Stage};

/// What a report says of one path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "standing", content = "because")]
pub enum Standing {
    /// It executed every run that ends, and gave what is right.
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
        let ended = || self.runs.iter().filter(|run| run.right != Outcome::OutOfFuel);
        for run in ended() {
            let wrong = run.classes.iter().filter(|class| class.outcome != run.right);
            if let Some(class) = wrong.into_iter().find(|class| class.sources.iter().any(|it| it.path == *path)) {
                return Standing::Wrong(format!("{} for {}", class.outcome, run.right));
            }
        }
        let executed = |run: &super::Run| {
            let mut sources = run.classes.iter().flat_map(|class| &class.sources);
            sources.any(|it| it.path == *path && it.stage == Stage::Execute)
        };
        match self.unsupported.iter().find(|(id, _)| id == path) {
            _ if ended().next().is_some() && ended().all(executed) => Standing::Right,
            Some((_, unsupported)) => Standing::Unsupported(unsupported.reason.clone()),
            None => Standing::NotRun,
        }
    }
}
