//! A trial: one form of a program on a compiler's way, or the program with one option changed, and what that gave.

use serde::{Deserialize, Serialize};

use crate::case::Case;
use crate::judge;
use crate::op::{Execution, Outcome};
use crate::path::{AS_WRITTEN, Fault, FaultKind, Observation, PathId, Stage};

/// One form of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trial {
    /// Which: the pass that made it, the option that was changed.
    pub what: String,
    /// What the lab's interpreter gave on the form raised, an outcome for each vector; nothing if it can't be raised.
    pub raised: Vec<Option<Outcome>>,
    /// What its machine code gave, an outcome for each vector; nothing if a fault kept it from running.
    pub executed: Vec<Option<Outcome>>,
    /// What is wrong with it besides.
    pub faults: Vec<Fault>,
    /// Its text.
    pub text: String,
}

/// The trials of one path, in order, and how the process that made them ended if it did not end well.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trials {
    /// The trials that came to an end.
    pub trials: Vec<Trial>,
    /// What killed the process, if something did.
    pub death: Option<Death>,
}

/// The end of a process that should have gone on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Death {
    /// A signal, a status, or that it took too long.
    pub how: String,
    /// What it said last.
    pub said: String,
}

impl Trials {
    /// The one form that there is. A process that made none and ended is a form with a crash, after the pass that it
    /// was in.
    pub fn form(mut self) -> Trial {
        if let Some(trial) = self.trials.pop() {
            return trial;
        }
        let Death { how, said } = self.death.unwrap_or_default();
        let pass = said.lines().rev().find_map(|line| line.strip_prefix("BISECT: running pass ("));
        let what = pass.map_or_else(|| AS_WRITTEN.into(), |pass| pass.replacen(") ", " ", 1));
        let said = said.lines().rev().find(|line| !line.starts_with("BISECT: ")).unwrap_or_default();
        let message = format!("the compiler's process ended ({how}) {said}").trim_end().to_string();
        let fault = Fault { stage: Stage::Optimize, kind: FaultKind::Crash, message };
        Trial { what, raised: Vec::new(), executed: Vec::new(), faults: vec![fault], text: String::new() }
    }
}

impl Trial {
    /// Judges what was observed of a form, as [`crate::check`] does. `ended` are the reference's runs of the case's
    /// vectors.
    pub fn new(what: &str, observation: Observation, path: &PathId, case: &Case, ended: &[Execution]) -> Trial {
        let text = observation.texts.last().map(|(_, text)| text.clone()).unwrap_or_default();
        let judged = judge::judge(path.clone(), String::new(), observation, case, (ended, None));
        let last = |is_run: bool| {
            let results = judged.results.iter().rfind(|(stage, _)| (*stage == Stage::Execute) == is_run);
            results.map(|(_, outcomes)| outcomes.clone()).unwrap_or_default()
        };
        let (raised, executed) = (last(false), last(true));
        Trial { what: what.into(), raised, executed, faults: judged.faults, text }
    }

    /// The number of the pass that made it.
    pub fn number(&self) -> Option<u32> {
        self.what.split(' ').next()?.parse().ok()
    }

    /// Whether everything it gave is right and nothing is wrong with it.
    pub fn is_right(&self, right: &[Outcome]) -> bool {
        self.faults.is_empty() && is_right(&self.raised, right) && is_right(&self.executed, right)
    }

    /// Whether it was raised, and the lab's interpreter finds it right.
    pub fn is_raised_right(&self, right: &[Outcome]) -> bool {
        !self.raised.is_empty() && is_right(&self.raised, right)
    }

    /// Whether its machine code ran and gave what is right.
    pub fn is_executed_right(&self, right: &[Outcome]) -> bool {
        !self.executed.is_empty() && is_right(&self.executed, right)
    }
}

/// Nothing differs, as far as it ran.
fn is_right(outcomes: &[Option<Outcome>], right: &[Outcome]) -> bool {
    outcomes.iter().zip(right).all(|(outcome, right)| outcome.as_ref().is_none_or(|outcome| outcome == right))
}
