//! What makes two findings one.
//!
//! A signature says which groups are wrong at which stage. Two faults of one lowering have the same, and one fault has
//! several: which of a group's paths ran on a program is chance, and so is what a large program shows of a fault. So two
//! findings are one when, of their *minimized* programs on *all* paths, these are the same:
//!
//! - the kind, the first stage that is wrong, and what a validator or a crash said;
//! - the **accused**: the first wrong path in the order of the registry, where the plainest comes first. For the lab that
//!   is the first wrong step (`lab-naive`, `lab-pruned`, `lab-phi`), for a compiler the least optimization or the one
//!   perturbation that it takes. A path that executes the right thing from a form that is wrong is not to blame: what
//!   raised the form or interpreted it is (`raised`);
//! - the **shape** (`minimize::shape`): what the program is made of, as far as the finding needs it.
//!
//! `disagree.construct.cranelift-none.lt`. Chen et al. (*Taming Compiler Fuzzers*, PLDI 2013) rank findings by distances
//! between such features; with programs as small as these, equality does.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::signature::{first_fault, slug};
use super::{Report, Source, Verdict};
use crate::path::{PathId, Stage};

/// What makes two findings one. Its text is fit for a file name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Identity(pub String);

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Identity {
    /// The identity of a finding by its minimized program's report and shape. `order` are the paths, the plainest first.
    /// Nothing if the report is no finding.
    pub fn of(report: &Report, order: &[PathId], shape: &str) -> Option<Identity> {
        let signature = report.signature.as_ref()?;
        let stage = signature.0.split('.').nth(1)?;
        let fault = first_fault(report).filter(|_| report.verdict != Verdict::Disagree);
        if stage == "judge" {
            // Of validators: what broke, and who judged it wrong, is all said.
            return Some(Identity(signature.0.clone()));
        }
        let (accused, said) = match fault {
            Some(first) => {
                let same = report.faults.iter().filter(|fault| (fault.stage, fault.kind) == (first.stage, first.kind));
                let accused = plainest(same.clone().map(|fault| &fault.path), order)?;
                let message = same.clone().find(|fault| fault.path == *accused).map(|fault| slug(&fault.message));
                (name(accused), message)
            }
            None if wrong(report).any(|source| contradicts_itself(report, source)) => ("raised".into(), None),
            None => (name(plainest(wrong(report).map(|source| &source.path), order)?), None),
        };
        let parts = [signature.kind(), stage, &accused].into_iter().map(String::from);
        let shape = Some(shape.to_string()).filter(|shape| !shape.is_empty());
        Some(Identity(parts.chain(said).chain(shape).collect::<Vec<_>>().join(".")))
    }
}

/// Everything that gave a wrong outcome.
fn wrong(report: &Report) -> impl Iterator<Item = &Source> {
    let classes = report.runs.iter().flat_map(|run| run.classes.iter().filter(|class| class.outcome != run.right));
    classes.flat_map(|class| &class.sources)
}

/// Whether a form of a path is wrong on a run that the path itself executes right.
fn contradicts_itself(report: &Report, form: &Source) -> bool {
    let executes = |source: &Source| source.path == form.path && source.stage == Stage::Execute;
    form.stage != Stage::Execute
        && report.runs.iter().any(|run| {
            let is_wrong = |class: &&super::Class| class.outcome != run.right && class.sources.contains(form);
            let right = run.classes.iter().find(|class| class.outcome == run.right);
            run.classes.iter().any(|class| is_wrong(&class))
                && right.is_some_and(|class| class.sources.iter().any(executes))
        })
}

fn plainest<'a>(paths: impl Iterator<Item = &'a PathId>, order: &[PathId]) -> Option<&'a PathId> {
    paths.min_by_key(|path| order.iter().position(|other| other == *path).unwrap_or(order.len()))
}

/// A path's name as a part of a file name, without its version.
fn name(path: &PathId) -> String {
    format!("{}-{}", path.compiler, path.variant)
}
