//! The order of findings on the page: how sure, then how small.

use std::collections::BTreeSet;

use crate::compare::Run;
use crate::record::read::Stored;

/// The rule, as the page states it.
pub const RULE: &str = "Sorted by how sure, then by how small. How sure is what triage says; without triage it is medium \
    when the groups that are wrong have one suspect in common and at least two groups without it are right, else low. How small is \
    the minimized program: its lines of code, then its characters.";

/// How sure a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// Triage is sure.
    High,
    /// Triage is fairly sure, or there is no triage and the groups speak clearly.
    Medium,
    /// Neither.
    Low,
}

impl Confidence {
    /// All, the surest first.
    pub const ALL: [Confidence; 3] = [Confidence::High, Confidence::Medium, Confidence::Low];

    /// The name, as `triage.json` has it.
    pub const fn name(self) -> &'static str {
        match self {
            Confidence::High => "high",
            Confidence::Medium => "medium",
            Confidence::Low => "low",
        }
    }
}

/// What the order rests on.
#[derive(Clone, Debug)]
pub struct Rank {
    /// How sure.
    pub confidence: Confidence,
    /// Whether triage said so.
    pub is_triaged: bool,
    /// The independence groups that are wrong.
    pub wrong: BTreeSet<String>,
    /// What all of them rest on, if there is such a thing.
    pub suspects: BTreeSet<String>,
    /// Lines of code of the minimized program.
    pub lines: usize,
    /// Its characters.
    characters: usize,
}

impl Rank {
    /// A finding's place.
    pub fn of(stored: &Stored) -> Rank {
        let report = &stored.record.minimized;
        let groups = |is_wrong: bool| sources(&report.runs, is_wrong).map(|source| source.group.clone());
        let mut wrong: BTreeSet<String> = groups(true).collect();
        wrong.extend(report.faults.iter().map(|fault| fault.group.clone()));
        let suspects = wrong.iter().map(|group| parts(group)).reduce(|a, b| &a & &b).unwrap_or_default();
        let witnesses: BTreeSet<String> =
            groups(false).filter(|group| !wrong.contains(group) && parts(group).is_disjoint(&suspects)).collect();
        let triaged = stored
            .triage
            .as_ref()
            .and_then(|triage| Confidence::ALL.into_iter().find(|confidence| confidence.name() == triage.confidence));
        let is_clear = !suspects.is_empty() && witnesses.len() >= 2;
        let code = || stored.program.iter().flat_map(|(_, text)| code(text));
        Rank {
            confidence: triaged.unwrap_or(if is_clear { Confidence::Medium } else { Confidence::Low }),
            is_triaged: triaged.is_some(),
            wrong,
            suspects,
            lines: code().count(),
            characters: code().map(str::len).sum(),
        }
    }

    /// What the page is sorted by.
    pub fn key(&self) -> (Confidence, usize, usize) {
        (self.confidence, self.lines, self.characters)
    }
}

/// A program's lines without comments, run directives and blank lines.
pub fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Everybody who is right, or wrong, on some run.
fn sources(runs: &[Run], is_wrong: bool) -> impl Iterator<Item = &crate::compare::Source> {
    let classes = runs
        .iter()
        .flat_map(move |run| run.classes.iter().filter(move |class| (class.outcome != run.right) == is_wrong));
    classes.flat_map(|class| &class.sources)
}

/// `lab` and `llvm` of `lab+llvm`.
fn parts(group: &str) -> BTreeSet<String> {
    group.split('+').map(str::to_owned).collect()
}

/// The paths that are wrong or faulty in a finding.
pub fn wrong_paths(stored: &Stored) -> BTreeSet<String> {
    let report = &stored.record.minimized;
    let faulty = report.faults.iter().map(|fault| fault.path.to_string());
    sources(&report.runs, true).map(|source| source.path.to_string()).chain(faulty).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Form;
    use crate::compare::{Class, Source};
    use crate::op::End;
    use crate::path::{PathId, Stage};
    use crate::record::read::{StoredRecord, StoredReport, Triage};

    fn class(value: i64, groups: &[&str]) -> Class {
        let source = |group: &&str| Source {
            path: PathId::new(group, None, "x"),
            stage: Stage::Construct,
            group: (*group).into(),
        };
        Class { outcome: End::Return(value).into(), sources: groups.iter().map(source).collect() }
    }

    fn stored(program: &str, right: &[&str], wrong: &[&str]) -> Stored {
        let run = Run { inputs: vec![], right: End::Return(1).into(), classes: vec![class(1, right), class(2, wrong)] };
        let minimized = StoredReport { runs: vec![run], faults: vec![] };
        Stored {
            program: Some((Form::Tiny, program.into())),
            record: StoredRecord { minimized, ..StoredRecord::default() },
            ..Stored::default()
        }
    }

    #[test]
    fn without_triage_the_groups_speak() {
        let confidence = |right: &[&str], wrong: &[&str]| Rank::of(&stored("", right, wrong)).confidence;
        assert_eq!(confidence(&["tiny", "tac"], &["lab", "lab+llvm"]), Confidence::Medium);
        assert_eq!(confidence(&["tiny", "tac"], &["lab", "llvm"]), Confidence::Low, "no common suspect");
        assert_eq!(confidence(&["tiny"], &["llvm"]), Confidence::Low, "one witness");
        assert_eq!(
            confidence(&["tiny", "lab+llvm"], &["llvm"]),
            Confidence::Low,
            "a witness that rests on the suspect"
        );
        let rank = Rank::of(&stored("", &["tiny", "tac"], &["lab", "lab+llvm"]));
        assert_eq!(rank.suspects, BTreeSet::from(["lab".to_string()]));
        assert_eq!(
            wrong_paths(&stored("", &["tiny"], &["llvm", "lab"])).into_iter().collect::<Vec<_>>(),
            ["lab/x", "llvm/x"]
        );
    }

    #[test]
    fn surer_comes_first_then_smaller() {
        let mut sure = stored("# run: => return 1\na = 1\n\nreturn a", &["tiny"], &["llvm"]);
        sure.triage = Some(Triage { confidence: "high".into(), ..Triage::default() });
        let small = stored("return 1", &["tiny", "tac"], &["llvm"]);
        let long = stored("return 1 + 1", &["tiny", "tac"], &["llvm"]);
        let keys = [sure, small, long].map(|stored| Rank::of(&stored).key());
        assert_eq!(keys[0].1, 2, "lines of code alone are counted");
        assert!(keys.is_sorted() && keys[1] != keys[2], "{keys:?}");
    }
}
