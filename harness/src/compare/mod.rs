//! Comparing: from what every path gave to one verdict, with classes of outcomes and a stable signature. Pure.
//!
//! **Right.** On each vector the language's own interpreter is right if a path of another independence group gives the
//! same; if it stands alone, the outcome that the most groups gave (a group that is split counts for both sides). Paths
//! of one group share code, so their number proves nothing.
//!
//! [`signature`] says what reduction keeps of a finding, [`identity`] what makes two findings one.

mod identity;
pub mod matrix;
mod sides;
mod signature;
mod standing;
pub mod versions;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};
pub use standing::Standing;

use crate::judge::Judged;
use crate::op::{End, Execution, Outcome, Trap};
use crate::path::{FaultKind, Note, PathId, Stage, Unsupported};
use crate::plant::{self, Fault};
use crate::structure::{Relation, Structure};
pub use identity::{Identity, NOT_MINIMIZED};
pub use signature::Signature;
pub(crate) use signature::slug;

/// What a case came to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// All executions gave one outcome on each vector, all output is valid.
    Agree,
    /// Executions differ.
    Disagree,
    /// A path's output fails a validator.
    Invalid,
    /// A compiler panicked or aborted, or compiled code faulted.
    Crash,
    /// A compiler or compiled code outran its limit.
    Hang,
    /// Nothing could be compared, and why.
    Inconclusive(String),
    /// Whatever was found is a known issue, and which.
    Known(String),
}

impl Verdict {
    /// Whether it is a finding.
    pub fn is_finding(&self) -> bool {
        !matches!(self, Verdict::Agree | Verdict::Inconclusive(_) | Verdict::Known(_))
    }

    /// The verdict's name, without an inconclusive one's reason or a known one's issue.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Agree => "agree",
            Verdict::Disagree => "disagree",
            Verdict::Invalid => "invalid",
            Verdict::Crash => "crash",
            Verdict::Hang => "hang",
            Verdict::Inconclusive(_) => "inconclusive",
            Verdict::Known(_) => "known",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Everything that comparing found out about a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The verdict.
    pub verdict: Verdict,
    /// The finding's signature, if it is one.
    pub signature: Option<Signature>,
    /// One for each of the case's vectors, in order.
    pub runs: Vec<Run>,
    /// Invalid output, crashes and hangs.
    pub faults: Vec<PathFault>,
    /// What paths could not take.
    pub unsupported: Vec<(PathId, Unsupported)>,
    /// What helps to understand the outcomes.
    pub notes: Vec<(PathId, Note)>,
    /// The SSA of the paths that construct it themselves, in numbers. It is shown apart and never part of the verdict:
    /// a parameter too many is slower, not wrong.
    pub structure: Vec<Structure>,
    /// IR texts: the path, the text's name, the text.
    pub texts: Vec<(PathId, String, String)>,
}

impl Report {
    /// The paths with another outcome than the right one, or with a fault; each once.
    pub fn wrong(&self) -> BTreeSet<&PathId> {
        let wrong = self.runs.iter().flat_map(|run| run.classes.iter().filter(|class| class.outcome != run.right));
        let wrong = wrong.flat_map(|class| &class.sources).map(|source| &source.path);
        wrong.chain(self.faults.iter().map(|fault| &fault.path)).collect()
    }

    /// Findings of kind `quality`: the broken relations of [`crate::structure`], each with the paths that break it.
    /// None of them is part of the verdict.
    pub fn quality(&self) -> BTreeMap<Signature, (Relation, Vec<&Structure>)> {
        let mut quality = BTreeMap::new();
        for structure in &self.structure {
            for relation in structure.broken() {
                let signature = Signature(structure.signature(relation));
                quality.entry(signature).or_insert((relation, Vec::new())).1.push(structure);
            }
        }
        quality
    }
}

/// One vector's outcomes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The inputs.
    pub inputs: Vec<i64>,
    /// The right outcome; `out of fuel` if the language's interpreter did not end (then nothing else ran).
    pub right: Outcome,
    /// The classes of equal outcomes, the right one first.
    pub classes: Vec<Class>,
}

/// The executions that gave one outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Class {
    /// What they gave.
    pub outcome: Outcome,
    /// Who: the path, and the stage whose form ran.
    pub sources: Vec<Source>,
}

/// A path's form or code that was executed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Source {
    /// The path.
    pub path: PathId,
    /// What of it ran: a raised form in the lab's interpreter, or (`execute`) what the path itself executes.
    pub stage: Stage,
    /// The path's independence group.
    pub group: String,
}

/// A [`crate::path::Fault`] with its path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathFault {
    /// The path.
    pub path: PathId,
    /// The path's independence group.
    pub group: String,
    /// Where in the path.
    pub stage: Stage,
    /// Which kind.
    pub kind: FaultKind,
    /// What was said.
    pub message: String,
}

/// Compares what the paths gave on `vectors`. `reference` is the language's own answer for each vector, and
/// `judged[..].results` hold an outcome for each vector that ends within the fuel, in order.
pub fn compare(vectors: &[Vec<i64>], reference: &[Execution], judged: Vec<Judged>) -> Report {
    let mut report = Report {
        verdict: Verdict::Agree,
        signature: None,
        runs: classes(vectors, reference, &judged),
        faults: Vec::new(),
        unsupported: Vec::new(),
        notes: Vec::new(),
        structure: Vec::new(),
        texts: Vec::new(),
    };
    for Judged { path, group, faults, unsupported, notes, structure, texts, .. } in judged {
        let faults = if plant::on(Fault::CompareNoFaults) { Vec::new() } else { faults };
        report.faults.extend(faults.into_iter().map(|fault| PathFault {
            path: path.clone(),
            group: group.clone(),
            stage: fault.stage,
            kind: fault.kind,
            message: fault.message,
        }));
        report.unsupported.extend(unsupported.into_iter().map(|unsupported| (path.clone(), unsupported)));
        report.notes.extend(notes.into_iter().map(|note| (path.clone(), note)));
        report.structure.extend(structure);
        report.texts.extend(texts.into_iter().map(|(name, text)| (path.clone(), name, text)));
    }
    (report.verdict, report.signature) = signature::verdict(&report);
    report
}

/// Sorts each vector's outcomes into classes and finds the right one.
fn classes(vectors: &[Vec<i64>], reference: &[Execution], judged: &[Judged]) -> Vec<Run> {
    let mut runs = Vec::with_capacity(vectors.len());
    let mut ended = 0;
    for (inputs, reference) in vectors.iter().zip(reference) {
        if reference.outcome.end == End::OutOfFuel {
            runs.push(Run { inputs: inputs.clone(), right: End::OutOfFuel.into(), classes: Vec::new() });
            continue;
        }
        let mut by_outcome: BTreeMap<&Outcome, Vec<Source>> = BTreeMap::new();
        for path in judged {
            for (stage, outcomes) in &path.results {
                if let Some(outcome) = outcomes[ended].as_ref().map(seen) {
                    let source = Source { path: path.path.clone(), stage: *stage, group: path.group.clone() };
                    by_outcome.entry(outcome).or_default().push(source);
                }
            }
        }
        ended += 1;
        let right = right(&by_outcome, seen(&reference.outcome)).clone();
        let mut classes: Vec<Class> =
            by_outcome.into_iter().map(|(outcome, sources)| Class { outcome: outcome.clone(), sources }).collect();
        classes.sort_by_key(|class| class.outcome != right);
        if plant::on(Fault::CompareLastRun) && runs.len() + 1 == vectors.len() {
            classes.truncate(1);
        }
        runs.push(Run { inputs: inputs.clone(), right, classes });
    }
    runs
}

/// An outcome as it is compared: as it is.
fn seen(outcome: &Outcome) -> &Outcome {
    const TRAP: &Outcome = &Outcome { end: End::Trap(Trap::DivByZero), emitted: Vec::new() };
    let is_trap = matches!(outcome.end, End::Trap(_)) && outcome.emitted.is_empty();
    if is_trap && plant::on(Fault::CompareOneTrap) { TRAP } else { outcome }
}

/// The language's own outcome, which defines what the program means, if another group confirms it or no path was asked
/// that gives it; an interpreter that stands alone is outvoted by the outcome of the most groups. Counting alone would
/// not do: most paths of a Tiny program rest on one lowering to TAC, and a fault there outnumbers those that are right.
fn right<'a>(by_outcome: &BTreeMap<&'a Outcome, Vec<Source>>, reference: &'a Outcome) -> &'a Outcome {
    let groups = |sources: &Vec<Source>| {
        let mut groups: Vec<&str> = sources.iter().map(|source| source.group.as_str()).collect();
        groups.sort_unstable();
        groups.dedup();
        groups.len()
    };
    let rank = |(outcome, sources): &(&&Outcome, &Vec<Source>)| {
        let is_own = **outcome == reference;
        (is_own && groups(sources) > 1, groups(sources), is_own)
    };
    let most = by_outcome.iter().max_by_key(rank).filter(|_| by_outcome.contains_key(reference));
    most.map_or(reference, |(outcome, _)| outcome)
}

#[cfg(test)]
mod tests;
