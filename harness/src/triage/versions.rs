//! Which versions of a compiler are wrong. Every installed version is a path of its own, so this only reads a report.
//!
//! All of them are asked, not halved: a fault may come, go and come again, and each costs one compilation.

use std::collections::BTreeMap;

use semver::Version;
use serde::{Deserialize, Serialize};

use crate::compare::Report;
use crate::path::PathId;

/// What the installed versions say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Versions {
    /// The versions that were asked, oldest first.
    pub asked: Vec<String>,
    /// Those that are wrong.
    pub wrong: Vec<String>,
    /// The one before the oldest that is wrong.
    pub last_right: Option<String>,
    /// The oldest that is wrong, if an older one is right.
    pub first_wrong: Option<String>,
    /// The oldest that is right after one that is wrong.
    pub right_again: Option<String>,
    /// In words.
    pub note: String,
}

/// Reads from a report which versions of a path's compiler are wrong on the variant of that path.
pub fn of(report: &Report, path: Option<&PathId>) -> Versions {
    let Some(path) = path.filter(|path| path.version.is_some()) else {
        return Versions {
            note: "no compiler is accused, so there are no versions to compare".into(),
            ..Versions::default()
        };
    };
    let wrong = report.wrong();
    let sources = report.runs.iter().flat_map(|run| run.classes.iter().flat_map(|class| &class.sources));
    let seen = sources.map(|source| &source.path).chain(report.faults.iter().map(|fault| &fault.path));
    let same = seen.filter(|other| other.compiler == path.compiler && other.variant == path.variant);
    let asked = same.filter_map(|other| Some((other.version.clone()?, wrong.contains(other))));
    first_wrong(asked.collect::<BTreeMap<_, _>>().into_iter().collect())
}

/// The first wrong of these versions, each with whether it is wrong.
pub fn first_wrong(mut asked: Vec<(String, bool)>) -> Versions {
    asked.sort_by_key(|(version, _)| order(version));
    let wrong: Vec<String> = asked.iter().filter(|(_, wrong)| *wrong).map(|(version, _)| version.clone()).collect();
    let first = asked.iter().position(|(_, wrong)| *wrong);
    let version = |index: usize| asked[index].0.clone();
    let last_right = first.and_then(|first| first.checked_sub(1)).map(version);
    let first_wrong = first.filter(|&first| first > 0).map(version);
    let right_again = first.and_then(|first| (first..asked.len()).find(|&later| !asked[later].1)).map(version);
    let list = |is_wrong: bool| {
        let names = asked.iter().filter(|(_, wrong)| *wrong == is_wrong).map(|(version, _)| version.as_str());
        names.collect::<Vec<_>>().join(", ")
    };
    let note = match (asked.as_slice(), wrong.len()) {
        ([(only, _)], _) => format!("only one version is installed, {only}"),
        (all, n) if n == all.len() => format!("wrong in every installed version: {}", list(true)),
        (_, 0) => format!("right in every installed version: {}", list(false)),
        _ => {
            let told =
                |what: &str, version: &Option<String>| version.as_ref().map(|version| format!("{what} {version}"));
            let turns =
                [told("last right", &last_right), told("first wrong", &first_wrong), told("right again", &right_again)];
            let turns: Vec<String> = turns.into_iter().flatten().collect();
            format!("{}; wrong in {}; right in {}", turns.join(", "), list(true), list(false))
        }
    };
    let asked: Vec<String> = asked.iter().map(|(version, _)| version.clone()).collect();
    Versions { asked, wrong, last_right, first_wrong, right_again, note }
}

/// Semantic versions in their order; what is none comes last, by its text.
fn order(version: &str) -> (bool, Option<Version>, String) {
    let parsed = Version::parse(version).ok();
    (parsed.is_none(), parsed, version.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_wrong_version_is_found_in_the_order_of_versions() {
        let asked = |list: &[(&str, bool)]| first_wrong(list.iter().map(|&(v, w)| (v.to_string(), w)).collect());
        let versions =
            asked(&[("22.1.8", true), ("9.0.1", false), ("14.0.6", true), ("13.0.1", false), ("23.0.0", false)]);
        assert_eq!(versions.asked, ["9.0.1", "13.0.1", "14.0.6", "22.1.8", "23.0.0"]);
        assert_eq!(versions.wrong, ["14.0.6", "22.1.8"]);
        assert_eq!(versions.last_right.as_deref(), Some("13.0.1"));
        assert_eq!(versions.first_wrong.as_deref(), Some("14.0.6"));
        assert_eq!(versions.right_again.as_deref(), Some("23.0.0"));
        let note = "last right 13.0.1, first wrong 14.0.6, right again 23.0.0; wrong in 14.0.6, 22.1.8; \
                    right in 9.0.1, 13.0.1, 23.0.0";
        assert_eq!(versions.note, note);

        let note = |list: &[(&str, bool)]| asked(list).note;
        assert_eq!(note(&[("22.1.8", true)]), "only one version is installed, 22.1.8");
        assert_eq!(
            note(&[("14.0.6", true), ("22.1.8", false)]),
            "right again 22.1.8; wrong in 14.0.6; right in 22.1.8"
        );
        assert_eq!(note(&[("14.0.6", false), ("22.1.8", false)]), "right in every installed version: 14.0.6, 22.1.8");
    }
}
