//! Who is accused: the code that everything wrong rests on and nothing right does.
//!
//! An independence group is named for what it rests on (`lab+llvm`); a compiler's own construction starts from TAC, so
//! its group rests on `tac` too. What all wrong groups have in common is suspected. Of that, what a group rests on that
//! is right throughout is cleared. If that clears everything, what is wrong is the way in which the parts are put
//! together, and the group that does it is accused.
//!
//! A form that is wrong only when it is raised rests on the lab too, whose interpreter runs it: the path's own machine
//! code is right.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::compare::{Report, Source};
use crate::op::{End, Outcome};
use crate::path::{PathId, Stage};

/// Who is accused, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accused {
    /// The independence group.
    pub group: String,
    /// Which groups are wrong, which are right, and what follows.
    pub why: String,
}

impl Accused {
    /// Whether it is no compiler.
    pub fn is_harness(&self) -> bool {
        self.group.split([',', '+']).all(is_own)
    }
}

/// The harness's own parts; what has another name is a compiler.
fn is_own(part: &str) -> bool {
    matches!(part, "tiny" | "tac" | "lab")
}

/// What a group rests on.
fn parts(group: &str) -> BTreeSet<&str> {
    let mut parts: BTreeSet<&str> = group.split('+').collect();
    if !parts.iter().any(|part| is_own(part)) {
        parts.insert("tac");
    }
    parts
}

/// What a wrong group rests on in a report.
fn rests_on<'a>(report: &Report, group: &'a str) -> BTreeSet<&'a str> {
    let mut parts = parts(group);
    if is_raised_only(report, group) {
        parts.insert("lab");
    }
    parts
}

/// Accuses a group of a finding.
pub fn accuse(report: &Report) -> Accused {
    let wrong = wrong_groups(report);
    let right: BTreeSet<&str> = groups(report).filter(|group| !wrong.contains(group)).collect();
    let common = wrong.iter().map(|group| rests_on(report, group)).reduce(|a, b| &a & &b).unwrap_or_default();
    let cleared: BTreeSet<&str> = right.iter().flat_map(|group| parts(group)).collect();
    let suspected = &common - &cleared;
    let (group, reason) = if let (1, Some(part)) = (suspected.len(), suspected.first()) {
        (part.to_string(), format!("everything wrong rests on {part}, and nothing that is right does"))
    } else if let Some(group) = wrong.iter().find(|group| parts(group) == common) {
        (group.to_string(), format!("everything wrong rests on {group}; some of what rests on it is right"))
    } else if let (1, Some(part)) = (common.len(), common.first()) {
        (part.to_string(), format!("everything wrong rests on {part}; some of what rests on it is right"))
    } else if let Some(part) = common.iter().find(|part| !is_own(part)) {
        (part.to_string(), format!("everything wrong rests on {}", joined(&common)))
    } else {
        (joined(&wrong).replace(", ", ","), "what is wrong has nothing in common: these may be several faults".into())
    };
    let right = if right.is_empty() { "none".into() } else { joined(&right) };
    Accused { group, why: format!("wrong groups: {}; right groups: {right}; {reason}", joined(&wrong)) }
}

/// Whether a wrong path of the group executes right: it is wrong where the lab's interpreter runs what was raised.
fn is_raised_only(report: &Report, group: &str) -> bool {
    let wrong: BTreeSet<&PathId> = sources(report, true).filter(|s| s.group == group).map(|s| &s.path).collect();
    sources(report, false).any(|source| source.stage == Stage::Execute && wrong.contains(&source.path))
        && !sources(report, true).any(|source| source.stage == Stage::Execute && source.group == group)
}

fn joined(names: &BTreeSet<&str>) -> String {
    names.iter().copied().collect::<Vec<_>>().join(", ")
}

fn sources(report: &Report, wrong: bool) -> impl Iterator<Item = &Source> {
    let runs = report.runs.iter();
    runs.flat_map(move |run| run.classes.iter().filter(move |class| (class.outcome != run.right) == wrong))
        .flat_map(|class| &class.sources)
}

/// Every group that ran something or has a fault.
fn groups(report: &Report) -> impl Iterator<Item = &str> {
    let sources = sources(report, true).chain(sources(report, false)).map(|source| source.group.as_str());
    sources.chain(report.faults.iter().map(|fault| fault.group.as_str()))
}

/// The groups with something wrong.
fn wrong_groups(report: &Report) -> BTreeSet<&str> {
    let faults = report.faults.iter().map(|fault| fault.group.as_str());
    sources(report, true).map(|source| source.group.as_str()).chain(faults).collect()
}

/// The groups that gave the right outcome throughout.
pub fn confirming(report: &Report) -> Vec<&str> {
    let wrong = wrong_groups(report);
    let right: BTreeSet<&str> = sources(report, false).map(|source| source.group.as_str()).collect();
    right.difference(&wrong).copied().collect()
}

/// The path to look at closely: of the accused, the first that is wrong at the earliest stage; a compiler's rather than
/// one of the harness's own.
pub fn suspect(report: &Report) -> Option<&PathId> {
    let accused = accuse(report);
    let is_accused = |group: &str| group == accused.group || group.split('+').any(|part| part == accused.group);
    let faults = report.faults.iter().map(|fault| (&fault.path, fault.group.as_str(), fault.stage));
    let sources = sources(report, true).map(|source| (&source.path, source.group.as_str(), source.stage));
    let wrong = faults.chain(sources).filter(|(path, ..)| path.version.is_some());
    let key = |&(_, group, stage): &(&PathId, &str, Stage)| (!is_accused(group), stage);
    wrong.min_by_key(key).map(|(path, ..)| path)
}

/// The right outcomes of the vectors that end, in their order, as trials have them.
pub fn right(report: &Report) -> Vec<Outcome> {
    report.runs.iter().map(|run| run.right.clone()).filter(|right| right.end != End::OutOfFuel).collect()
}
