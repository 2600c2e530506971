//! A finding's signature: what reduction keeps of it. A finding is named by its kind, the first stage at which
//! something is wrong, and which groups are wrong there: `disagree.construct.cranelift`. A group of which only some
//! paths are wrong has a `~`: `disagree.execute.llvm~`. Output that a validator rejects, crashes and hangs add what was
//! said, without names and numbers. The signature depends neither on the program nor on values, so reduction can keep
//! it and two programs with one fault share it.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{PathFault, Report, Source, Verdict};
use crate::op::End;
use crate::path::{FaultKind, PathId};

/// What reduction keeps of a finding. Its text is fit for a file name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Signature(pub String);

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Signature {
    /// Whether a program of this other signature is still the same finding. Whether all of a group's paths are wrong or
    /// some are may change: in a large program much is wrong at once, and much is optimized away.
    pub fn is_kept_by(&self, other: &Signature) -> bool {
        self.0.replace('~', "") == other.0.replace('~', "")
    }

    /// Its first word: a verdict's name, or `quality`.
    pub fn kind(&self) -> &str {
        self.0.split('.').next().unwrap_or_default()
    }

    /// Its second word: the name of the first stage that is wrong, or `judge`.
    pub fn stage(&self) -> Option<&str> {
        self.0.split('.').nth(1)
    }
}

/// The verdict and signature: of everything that is wrong, the first stage counts, and there the gravest kind.
pub(super) fn verdict(report: &Report) -> (Verdict, Option<Signature>) {
    let wrong_results = report
        .runs
        .iter()
        .flat_map(|run| run.classes.iter().filter(|class| class.outcome != run.right).flat_map(|class| &class.sources));
    let first_wrong_result = wrong_results.clone().map(|source| source.stage).min();
    match (first_fault(report), first_wrong_result) {
        (Some(fault), stage) if stage.is_none_or(|stage| fault.stage <= stage) => {
            let verdict = match fault.kind {
                FaultKind::Invalid => Verdict::Invalid,
                FaultKind::Crash => Verdict::Crash,
                FaultKind::Hang => Verdict::Hang,
            };
            let same = |other: &&PathFault| other.stage == fault.stage && other.kind == fault.kind;
            let mut groups: Vec<&str> = report.faults.iter().filter(same).map(|f| f.group.as_str()).collect();
            groups.sort_unstable();
            groups.dedup();
            let text = format!("{verdict}.{}.{}.{}", fault.stage, groups.join(","), slug(&fault.message));
            (verdict, Some(Signature(text)))
        }
        (_, Some(stage)) => {
            let groups = wrong_groups(report, wrong_results.collect());
            (Verdict::Disagree, Some(Signature(format!("disagree.{stage}.{groups}"))))
        }
        _ if report.runs.iter().all(|run| run.right.end == End::OutOfFuel) && !report.runs.is_empty() => {
            (Verdict::Inconclusive("out of fuel on every input vector".into()), None)
        }
        _ if report.runs.iter().all(|run| run.classes.is_empty()) => {
            (Verdict::Inconclusive("no path executed anything".into()), None)
        }
        _ => (Verdict::Agree, None),
    }
}

/// The fault that counts: the first, and of one stage's the gravest.
pub(super) fn first_fault(report: &Report) -> Option<&PathFault> {
    report.faults.iter().min_by_key(|fault| (fault.stage, gravity(fault.kind)))
}

/// A crash says more than a hang, a hang more than invalid output.
fn gravity(kind: FaultKind) -> u8 {
    match kind {
        FaultKind::Crash => 0,
        FaultKind::Hang => 1,
        FaultKind::Invalid => 2,
    }
}

/// The groups with a wrong result, in order, with `~` where another path of the group has none.
fn wrong_groups(report: &Report, wrong: Vec<&Source>) -> String {
    let all = report.runs.iter().flat_map(|run| run.classes.iter().flat_map(|class| &class.sources));
    let mut groups: Vec<&str> = wrong.iter().map(|source| source.group.as_str()).collect();
    groups.sort_unstable();
    groups.dedup();
    let is_wrong = |path: &PathId| wrong.iter().any(|source| source.path == *path);
    let split = |group: &str| all.clone().any(|source| source.group == group && !is_wrong(&source.path));
    let marked: Vec<String> =
        groups.into_iter().map(|group| format!("{group}{}", if split(group) { "~" } else { "" })).collect();
    marked.join(",")
}

/// A message's first line as a part of a file name: words only, without the names and numbers of one program. Of a rule
/// (`S2: x never defined: used at ..`) what is broken, not where.
pub(crate) fn slug(message: &str) -> String {
    let mut line = message.lines().next().unwrap_or_default();
    if line.starts_with('S')
        && let Some((what, _)) = line.get(4..).and_then(|rest| rest.split_once(": "))
    {
        line = &line[..4 + what.len()];
    }
    let words = line.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '.' | '%' | '_'));
    let general = words.filter(|word| {
        let is_rule = word.len() == 2 && word.starts_with('S');
        word.len() > 1 && (is_rule || !word.contains(|c: char| c.is_ascii_digit() || matches!(c, '.' | '%' | '_')))
    });
    let mut slug = general.collect::<Vec<_>>().join("-").to_lowercase();
    slug.truncate(48);
    slug
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_many_of_a_group_are_wrong_may_change_and_nothing_else() {
        let is_kept = |from: &str, to: &str| Signature(from.into()).is_kept_by(&Signature(to.into()));
        assert!(is_kept("disagree.execute.a,b~", "disagree.execute.a~,b"));
        for other in ["disagree.execute.a", "disagree.optimize.a,b~", "invalid.execute.a,b~", "disagree.execute.a,c"] {
            assert!(!is_kept("disagree.execute.a,b~", other), "{other}");
        }
    }

    #[test]
    fn names_and_places_are_no_part_of_what_was_said() {
        assert_eq!(slug("S2: c never defined: used at the terminator of b.1"), "s2-never-defined");
        assert_eq!(slug("S2: v.1 never defined: used at instruction 3 of end"), "s2-never-defined");
        assert_eq!(slug("- inst3 (jump block2): mismatched argument count"), "jump-mismatched-argument-count");
        assert_eq!(slug("Sum1 of i8 is no i64"), "of-is-no");
    }
}
