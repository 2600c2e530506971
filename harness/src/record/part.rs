//! A part of a long run and what became of it: `scripts/nightly` runs many, each a command with a budget of time.
//!
//! A part ends with one of the command line's own exit statuses, whatever command it was: a foreign command's failure
//! means what the part says that it means, and one that outran its budget has shown nothing.

use serde::{Deserialize, Serialize};

/// The exit statuses of the command line, from the lightest on. Of several parts, the heaviest counts.
const STATUSES: [(u8, &str); 6] = [
    (0, "agree"),
    (3, "inconclusive"),
    (4, "known findings"),
    (1, "a finding"),
    (2, "could not run"),
    (70, "a fault of the harness"),
];

/// The statuses with which `timeout` says that it ended a command: gently, or by force.
const OUT_OF_TIME: [u8; 2] = [124, 137];

/// A part that has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Its name; its output is in `logs/NAME.log`.
    #[serde(rename = "part")]
    pub name: String,
    /// The exit status, one of the command line's.
    pub status: u8,
    /// What that status comes from, where it isn't the command's own.
    pub why: Option<String>,
    /// How long it took.
    pub seconds: u64,
    /// How long it was to take; a build takes what it takes.
    pub budget: Option<u64>,
    /// The command that does it again, in the project's folder.
    pub command: String,
}

/// The status of a part whose command ended with `exit`, and what it comes from. `failure` is what any failure of a
/// foreign command means; our own commands say that themselves.
pub fn status(exit: u8, failure: Option<u8>) -> (u8, Option<String>) {
    match failure {
        _ if OUT_OF_TIME.contains(&exit) => (3, Some("it had to be ended".into())),
        _ if exit == 0 => (0, None),
        Some(failure) => (failure, Some(format!("its command failed with status {exit}"))),
        None if name(exit).is_some() => (exit, None),
        None => (70, Some(format!("its command ended with status {exit}"))),
    }
}

/// The heaviest of these statuses.
pub fn heaviest(statuses: impl IntoIterator<Item = u8>) -> u8 {
    statuses.into_iter().max_by_key(|status| STATUSES.iter().position(|(known, _)| known == status)).unwrap_or(0)
}

/// A status in words; nothing for what is none.
pub fn name(status: u8) -> Option<&'static str> {
    STATUSES.iter().find(|(known, _)| *known == status).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_means_what_the_part_says() {
        assert_eq!(status(0, Some(70)).0, 0);
        assert_eq!(status(101, Some(70)).0, 70);
        assert_eq!(status(77, Some(1)).0, 1);
        assert_eq!(status(1, None), (1, None));
        assert_eq!(status(4, None), (4, None));
        assert_eq!(status(134, None), (70, Some("its command ended with status 134".into())));
    }

    #[test]
    fn what_outran_its_budget_shows_nothing() {
        assert_eq!(status(124, Some(1)).0, 3);
        assert_eq!(status(137, None).0, 3);
    }

    #[test]
    fn the_heaviest_status_counts() {
        assert_eq!(heaviest([]), 0);
        assert_eq!(heaviest([0, 4, 3]), 4);
        assert_eq!(heaviest([1, 3, 4]), 1);
        assert_eq!(heaviest([1, 2, 0]), 2);
        assert_eq!(heaviest([2, 70, 1]), 70);
    }
}
