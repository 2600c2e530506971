//! Triage: who is accused of a finding, where it went wrong, since which version, and how sure that is. Pure.
//!
//! What is known comes from outside, and was seen in processes of their own: the finding's [`Report`], how often it
//! came again, and *trials* of the accused path: the program after each pass, or with each option changed. The parts:
//! [`accuse`] names the independence group, [`lab`] the harness's own form that parts first, [`compiler`] the stage,
//! pass or option of a compiler, [`versions`] the versions that are wrong. `docs/ARCHITECTURE.md` lists what rests on
//! what.

pub mod accuse;
pub mod compiler;
pub mod lab;
pub mod trial;
pub mod versions;

use serde::{Deserialize, Serialize};

use crate::case::Case;
use crate::compare::{Report, Verdict};
use crate::path::PathId;

pub use accuse::Accused;
pub use trial::{Death, Trial, Trials};
pub use versions::Versions;

/// What triage found out, as `triage.json` holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Triage {
    /// The finding's signature.
    pub signature: String,
    /// Who is accused.
    pub accused: Accused,
    /// Where it went wrong: a compiler's stage, or a form of the lab.
    pub stage: String,
    /// The pass, or the option, without which it does not.
    pub pass: Option<String>,
    /// The wrong path that was looked at closely.
    pub path: Option<PathId>,
    /// Which versions of its compiler are wrong.
    pub versions: Versions,
    /// How sure all this is.
    pub confidence: Confidence,
    /// What it rests on.
    pub why: String,
    /// Replays in fresh processes.
    pub replays: Replays,
    /// The draft's file, beside.
    pub draft: String,
}

/// How sure a triage is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// It comes again each time, three groups or more confirm what is right, and the place is found.
    High,
    /// One of these is less.
    Medium,
    /// It does not always come again, or nobody but one group says what is right.
    Low,
}

impl Confidence {
    /// The word in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Confidence::High => "high",
            Confidence::Medium => "medium",
            Confidence::Low => "low",
        }
    }
}

/// How often the finding came again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replays {
    /// Fresh processes.
    pub made: usize,
    /// Those that ended in the same signature.
    pub same: usize,
}

/// Where something went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// A compiler's stage, or a form of the lab.
    pub stage: String,
    /// The pass or option.
    pub pass: Option<String>,
    /// How that is known.
    pub why: String,
    /// Whether the place is one step and not only a range of them.
    pub is_exact: bool,
}

/// The name that every triage's draft has.
pub const DRAFT: &str = "draft.md";

/// Draws the conclusions. `suspect` is the path of [`accuse::suspect`], `trials` are its trials, if there were any, and
/// `versions` what its compiler's other versions say.
pub fn triage(
    case: &Case,
    report: &Report,
    suspect: Option<&PathId>,
    trials: &Trials,
    replays: Replays,
    versions: Versions,
) -> Triage {
    let accused = accuse::accuse(report);
    let place = lab::place(case, report)
        .filter(|_| accused.is_harness())
        .or_else(|| Some(compiler::place(report, suspect?, trials)))
        .unwrap_or_else(|| Place {
            stage: first_stage(report),
            pass: None,
            why: "no path could be looked at more closely".into(),
            is_exact: false,
        });
    let confirming = accuse::confirming(report);
    let confidence = match confirming.len() {
        _ if replays.same < replays.made => Confidence::Low,
        // A fault is one by itself; only for outcomes must others say what is right.
        0 | 1 if report.verdict == Verdict::Disagree => Confidence::Low,
        0..=2 if report.verdict == Verdict::Disagree => Confidence::Medium,
        _ if place.is_exact => Confidence::High,
        _ => Confidence::Medium,
    };
    let groups = if confirming.is_empty() { "no group".into() } else { confirming.join(", ") };
    let why = format!(
        "{}; the right outcome is confirmed by {groups}; it came again in {} of {} fresh processes",
        place.why, replays.same, replays.made
    );
    Triage {
        signature: report.signature.as_ref().map(|signature| signature.0.clone()).unwrap_or_default(),
        accused,
        stage: place.stage,
        pass: place.pass,
        path: suspect.cloned(),
        versions,
        confidence,
        why,
        replays,
        draft: DRAFT.into(),
    }
}

/// The stage that the signature names.
fn first_stage(report: &Report) -> String {
    let signature = report.signature.as_ref().map_or("", |signature| &signature.0);
    signature.split('.').nth(1).unwrap_or("unknown").into()
}

#[cfg(test)]
mod tests;
