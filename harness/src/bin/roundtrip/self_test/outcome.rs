//! What the trials of each fault come to.

use std::collections::BTreeMap;

use harness::plant::Fault;
use harness::record::self_test::{Attempt, Planted};

use super::expected::{ALIKE, Expected, part};
use super::trial::Trial;

/// The most identities that one fault may have.
const MOST: usize = 2;

/// A fault with its trials.
pub struct Outcome {
    /// The fault.
    pub fault: Fault,
    /// The trials, one for each seed that was tried.
    pub trials: Vec<Trial>,
    /// What is wrong with them.
    pub wrong: Vec<String>,
}

impl Outcome {
    /// Puts the trials of all faults together: each found, and told apart from all others.
    pub fn of(faults: &[Fault], trials: &[Vec<Trial>]) -> Vec<Outcome> {
        let mut outcomes: Vec<Outcome> = Vec::with_capacity(faults.len());
        for (&fault, trials) in faults.iter().zip(trials) {
            let failed = trials.iter().filter_map(|trial| {
                let why = trial.wrong.as_ref()?;
                Some(format!("seed {}: {why}", trial.seed))
            });
            let mut outcome = Outcome { fault, trials: trials.clone(), wrong: failed.collect() };
            let own = outcome.identities();
            if own.len() > MOST {
                let names: Vec<&str> = own.keys().map(String::as_str).collect();
                outcome.wrong.push(format!("one fault is {} findings: {}", own.len(), names.join(", ")));
            }
            for other in &outcomes {
                let alike = ALIKE.iter().any(|&(one, another, _)| (one, another) == (other.fault, fault));
                let theirs = other.identities();
                let shared = own.keys().find(|name| !alike && theirs.contains_key(*name));
                let told =
                    shared.map(|name| format!("it is told as the same finding as {}: {name}", other.fault.name()));
                outcome.wrong.extend(told);
            }
            outcomes.push(outcome);
        }
        outcomes
    }

    /// The identities of its findings, and how often each was the first of a seed.
    fn identities(&self) -> BTreeMap<String, usize> {
        let mut identities = BTreeMap::new();
        if let Expected::Finding(_) = Expected::of(self.fault) {
            for trial in self.trials.iter().filter(|trial| trial.statements.is_some()) {
                *identities.entry(trial.named.clone()).or_insert(0) += 1;
            }
        }
        identities
    }

    /// As it is recorded.
    pub fn planted(&self) -> Planted {
        let trials = self.trials.iter().map(|trial| Attempt {
            seed: trial.seed,
            programs: trial.programs,
            seconds: (trial.seconds * 10.0).round() / 10.0,
            statements: trial.statements,
            called: trial.named.clone(),
            ok: trial.wrong.is_none(),
        });
        Planted {
            fault: self.fault.name().into(),
            part: part(self.fault).into(),
            description: self.fault.description().into(),
            ok: self.wrong.is_empty() && !self.trials.is_empty(),
            trials: trials.collect(),
            wrong: self.wrong.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(seed: u64, named: &str) -> Trial {
        Trial { seed, programs: 7, seconds: 1.0, statements: Some(2), named: named.into(), wrong: None }
    }

    #[test]
    fn one_fault_is_one_finding_or_two_and_no_two_faults_are_one() {
        let faults = [Fault::ClifLtIsLe, Fault::ClifRemSign];
        let wrong = |first: &[&str], second: &[&str]| {
            let trials = |names: &[&str]| (1..).zip(names).map(|(seed, name)| trial(seed, name)).collect();
            let outcomes = Outcome::of(&faults, &[trials(first), trials(second)]);
            outcomes.into_iter().map(|outcome| outcome.wrong.len()).collect::<Vec<_>>()
        };
        assert_eq!(wrong(&["a", "b", "a"], &["c"]), [0, 0]);
        assert_eq!(wrong(&["a", "b", "c"], &["d"]), [1, 0]);
        assert_eq!(wrong(&["a", "b"], &["b"]), [0, 1]);
    }

    #[test]
    fn a_trial_that_fails_fails_its_fault() {
        let missed = Trial { wrong: Some("exit status Some(0)".into()), ..trial(3, "") };
        let outcomes = Outcome::of(&[Fault::ClifLtIsLe], &[vec![trial(1, "a"), missed]]);
        assert_eq!(outcomes[0].wrong, ["seed 3: exit status Some(0)"]);
        let planted = outcomes[0].planted();
        assert_eq!((planted.ok, planted.trials[0].ok, planted.trials[1].ok), (false, true, false));
    }
}
