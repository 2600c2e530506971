//! A closer look at a minimized finding, before it gets its name: on the fewest of a random sequence's passes, and pass
//! by pass. Which passes stood around the one at fault says nothing, and one pass is what a maintainer can look at.

use harness::case::Case;
use harness::compare::{Report, Signature, Verdict};
use harness::path::{Detail, Path, PathId, Stage, installed};

use crate::fuzz::Args;
use crate::select;
use crate::workers::Checker;

/// Constructions that say less than another one, in the order in which they are tried.
const PLAIN: [&str; 2] = ["phi", "mem2reg"];
/// The most passes that all parts are tried of.
const MOST_PASSES: usize = 8;

/// Whether a path is a sequence of passes of its own, and none of the usual pipelines.
pub fn is_sequence(id: &PathId) -> bool {
    id.variant.contains(':')
}

/// The paths that tell more of a difference than those that it was found on: where only sequences are wrong, the
/// shortest part of one that is wrong too; and what is wrong in optimized form, pass by pass. Nothing if they have told
/// all.
pub fn further(case: &Case, report: &Report, paths: &[&dyn Path], args: &Args) -> anyhow::Result<Vec<Box<dyn Path>>> {
    let mut further = Vec::new();
    if report.verdict != Verdict::Disagree {
        return Ok(further);
    }
    let wrong = report.wrong();
    if let Some(first) = wrong.first()
        && wrong.iter().all(|id| is_sequence(id))
    {
        let right: Vec<&dyn Path> = paths.iter().copied().filter(|path| !wrong.contains(&path.id())).collect();
        further.extend(shortest(case, first, &right, args)?);
    }
    let is_told = report.notes.iter().any(|(_, note)| note.pass.is_some());
    let stage = report.signature.as_ref().and_then(Signature::stage);
    if stage == Some(Stage::Optimize.name()) && !is_told {
        let seen = paths.iter().map(|path| path.id()).filter(|id| wrong.contains(id));
        let suspects: Vec<PathId> = further.iter().map(|path| path.id()).chain(seen).collect();
        let steps = suspects.iter().find_map(installed::in_steps);
        further.extend(steps);
    }
    Ok(further)
}

/// The shortest part of a sequence that gives a wrong outcome beside paths that are right.
fn shortest(case: &Case, id: &PathId, right: &[&dyn Path], args: &Args) -> anyhow::Result<Option<Box<dyn Path>>> {
    for parts in parts(id) {
        let parts = select::exactly(&parts)?;
        let all: Vec<&dyn Path> = right.iter().copied().chain(parts.iter().map(|path| &**path)).collect();
        let tried = Checker::new(&all, &args.plant, &args.limits).check(case, &all, Detail::default())?;
        let differs = |id: &PathId| tried.wrong().contains(id) && tried.faults.iter().all(|fault| fault.path != *id);
        if let Some(shortest) = parts.into_iter().find(|path| differs(&path.id())) {
            return Ok(Some(shortest));
        }
    }
    Ok(None)
}

/// Every part of a sequence, those of each length together, behind the plain constructions and its own.
fn parts(id: &PathId) -> Vec<Vec<PathId>> {
    let (construction, rest) = id.variant.split_once(':').unwrap_or((&id.variant, ""));
    let (passes, code) =
        rest.split_once(':').map_or((rest, String::new()), |(passes, code)| (passes, format!(":{code}")));
    let passes: Vec<&str> = passes.split('+').collect();
    if passes.len() > MOST_PASSES {
        return Vec::new();
    }
    let mut parts: Vec<Vec<PathId>> = vec![Vec::new(); passes.len()];
    for bits in 1_u32..1 << passes.len() {
        let chosen = (0..passes.len()).filter(|at| bits >> at & 1 == 1).map(|at| passes[at]);
        let chosen = chosen.collect::<Vec<_>>().join("+");
        for construction in PLAIN.into_iter().chain([construction]) {
            let part = PathId { variant: format!("{construction}:{chosen}{code}"), ..id.clone() };
            let of_its_length = &mut parts[bits.count_ones() as usize - 1];
            if !of_its_length.contains(&part) {
                of_its_length.push(part);
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_parts_come_first_and_the_whole_is_one() {
        let variants = |variant: &str| {
            let parts = parts(&PathId::new("llvm", Some("22.1.8"), variant));
            parts.into_iter().flatten().map(|id| id.variant).collect::<Vec<_>>()
        };
        let all = ["phi:gvn", "mem2reg:gvn", "phi:dce", "mem2reg:dce", "phi:gvn+dce", "mem2reg:gvn+dce"];
        assert_eq!(variants("mem2reg:gvn+dce"), all);
        let all = ["phi:loop(indvars):cg2", "mem2reg:loop(indvars):cg2", "alloca-direct:loop(indvars):cg2"];
        assert_eq!(variants("alloca-direct:loop(indvars):cg2"), all);
    }
}
