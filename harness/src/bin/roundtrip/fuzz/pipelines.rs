//! Random sequences of LLVM's passes, beside the fixed pipelines: those have every pass where its neighbours have
//! cleaned up for it, and a fault that only shows on what no neighbour leaves behind never shows.
//!
//! A run draws more sequences from its seed than it runs, and tries them on the seed's first programs. Those stay that
//! were wrong most often, and among the others those that most often left code which none before them leaves: a
//! sequence that changes nothing finds nothing. Each is a path with a name of its own (`llvm/phi:sccp+loop(indvars)`),
//! so a finding can be had again, minimized and triaged by that name; the summary says which were wrong how often.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use harness::compare::Report;
use harness::generate::{Choices, SplitMix64};
use harness::path::{self, Path, PathId};

/// So many sequences are drawn for each that runs.
const DRAWN: u64 = 3;
/// So many programs they are tried on.
pub const TRIALS: u64 = 4;
/// The name of the text that a path's own passes leave.
const LEFT: &str = "llvm-passes";
/// Each construction with passes that do as good as nothing: what these leave is new of no sequence.
const PLAIN: [&str; 5] =
    ["phi:verify", "mem2reg:verify", "alloca-direct:sroa", "alloca-direct:mem2reg", "phi-narrow:verify"];

/// The most passes in a row.
const MOST: u32 = 6;

/// How SSA comes about before them. `-direct` branches on comparisons themselves, `-narrow` has narrow values.
const CONSTRUCTIONS: [&str; 5] = ["phi", "mem2reg", "alloca-direct:sroa+", "alloca-direct:mem2reg+", "phi-narrow"];

/// Passes over functions and loops that LLVM's own pipelines have.
const PASSES: [&str; 34] = [
    "adce",
    "aggressive-instcombine",
    "bdce",
    "constraint-elimination",
    "correlated-propagation",
    "dce",
    "dfa-jump-threading",
    "div-rem-pairs",
    "early-cse",
    "gvn",
    "instcombine<no-verify-fixpoint>",
    "instsimplify",
    "jump-threading",
    "lcssa",
    "loop(indvars)",
    "loop(loop-deletion)",
    "loop(loop-idiom)",
    "loop(loop-instsimplify)",
    "loop(loop-rotate)",
    "loop(loop-reduce)",
    "loop-mssa(licm)",
    "loop-mssa(loop-simplifycfg)",
    "loop-mssa(simple-loop-unswitch<nontrivial>)",
    "loop-simplify",
    "loop-sink",
    "loop-unroll",
    "loop-vectorize",
    "mldst-motion",
    "reassociate",
    "sccp",
    "simplifycfg",
    "slp-vectorizer",
    "tailcallelim",
    "vector-combine",
];

/// The sequences that a seed draws, behind the plain constructions.
pub struct Sequences {
    plain: usize,
    paths: Vec<Box<dyn Path>>,
}

impl Sequences {
    /// What `count` sequences are to be chosen from; none in a build without LLVM.
    pub fn draw(seed: u64, count: u64) -> Sequences {
        let named = |variant: &str| path::custom("llvm", variant);
        let mut paths: Vec<Box<dyn Path>> = PLAIN.into_iter().filter_map(named).collect();
        let plain = paths.len();
        for index in 0..count * DRAWN {
            let drawn = named(&variant(&mut SplitMix64::new(seed, u64::MAX - index)));
            paths.extend(drawn.filter(|drawn| paths.iter().all(|path| path.id() != drawn.id())));
        }
        Sequences { plain, paths }
    }

    /// Whether there is nothing to choose from.
    pub fn is_empty(&self) -> bool {
        self.paths.len() == self.plain
    }

    /// All of them, to be tried.
    pub fn paths(&self) -> Vec<&dyn Path> {
        self.paths.iter().map(|path| &**path).collect()
    }

    /// The best `count` by these reports, which have texts.
    pub fn best(self, count: u64, reports: &[Report]) -> Vec<Box<dyn Path>> {
        let ids: Vec<PathId> = self.paths.iter().map(|path| path.id()).collect();
        let worth = worth(&ids, reports);
        let mut drawn: Vec<_> = self.paths.into_iter().zip(worth).skip(self.plain).collect();
        drawn.sort_by_key(|&(_, worth)| Reverse(worth));
        drawn.into_iter().take(count as usize).map(|(path, _)| path).collect()
    }
}

/// For each path, on how many programs it was wrong, and on how many it left what none before it did.
fn worth(ids: &[PathId], reports: &[Report]) -> Vec<(u32, u32)> {
    let mut worth = vec![(0, 0); ids.len()];
    for report in reports {
        let wrong = report.wrong();
        let mut seen = BTreeSet::new();
        for (id, worth) in ids.iter().zip(&mut worth) {
            worth.0 += u32::from(wrong.contains(id));
            let left = report.texts.iter().find(|(path, name, _)| path == id && name == LEFT);
            worth.1 += u32::from(left.is_some_and(|(_, _, text)| seen.insert(text)));
        }
    }
    worth
}

/// The name of a path.
fn variant(choices: &mut SplitMix64) -> String {
    let construction = choices.pick(&CONSTRUCTIONS);
    let passes: Vec<&str> = (0..choices.between(1, MOST)).map(|_| choices.pick(&PASSES)).collect();
    let colon = if construction.contains(':') { "" } else { ":" };
    format!("{construction}{colon}{}", passes.join("+"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness::compare::{PathFault, Verdict};
    use harness::path::{FaultKind, Stage};
    #[cfg(feature = "llvm")]
    use harness::{
        case::{Case, Program},
        path::Detail,
        tiny,
    };

    /// LLVM knows each of them, on a program with a loop and a division.
    #[cfg(feature = "llvm")]
    #[test]
    fn every_pass_runs() {
        let text = "input a;\ni = 0;\nwhile i != 5 { i = i + 1; if a / 3 > i { a = a - 1; } }\nreturn a";
        let program = Program::Tiny(tiny::parse(text).unwrap());
        let case = Case { program, vectors: vec![vec![100]], fuel: 1000 };
        for (pass, construction) in PASSES.iter().zip(CONSTRUCTIONS.iter().cycle()) {
            let colon = if construction.contains(':') { "" } else { ":" };
            let path = path::custom("llvm", &format!("{construction}{colon}{pass}")).unwrap();
            let observation = path.observe(&case, Detail::default());
            assert_eq!((observation.faults, observation.outcomes.len()), (Vec::new(), 1), "{pass}");
        }
    }

    #[test]
    fn who_is_wrong_comes_first_and_then_who_leaves_what_nobody_else_does() {
        let ids = ["a", "b", "c", "d"].map(|name| PathId::new("llvm", None, name));
        let texts = ["same", "same", "own", "other"];
        let texts = ids.iter().zip(texts).map(|(id, text)| (id.clone(), LEFT.to_string(), text.to_string()));
        let (path, group, message) = (ids[3].clone(), "llvm".to_string(), String::new());
        let fault = PathFault { path, group, stage: Stage::Optimize, kind: FaultKind::Crash, message };
        let (runs, unsupported, notes, structure) = Default::default();
        let (verdict, signature, faults, texts) = (Verdict::Crash, None, vec![fault], texts.collect());
        let report = Report { verdict, signature, runs, faults, unsupported, notes, structure, texts };
        assert_eq!(worth(&ids, &[report.clone(), report]), [(0, 2), (0, 0), (0, 2), (2, 2)]);
    }

    #[cfg(feature = "llvm")]
    #[test]
    fn the_best_are_the_same_again_and_a_pass_that_does_nothing_is_none_of_them() {
        let text = "input a;\ni = 0;\nwhile i != 5 { i = i + 1; if a / 3 > i { a = a - 1; } }\nreturn a";
        let case = Case { program: Program::Tiny(tiny::parse(text).unwrap()), vectors: vec![vec![100]], fuel: 1000 };
        let best = || {
            let drawn = Sequences::draw(3, 4);
            let detail = Detail { texts: true, no_code: true, ..Detail::default() };
            let report = harness::check(&case, &drawn.paths(), detail);
            let ids: Vec<PathId> = drawn.paths().iter().map(|path| path.id()).collect();
            let worth = worth(&ids, std::slice::from_ref(&report));
            assert!(worth.iter().any(|it| it.1 == 0), "each of them leaves something new: {worth:?}");
            drawn.best(4, &[report]).iter().map(|path| path.id()).collect::<Vec<_>>()
        };
        let chosen = best();
        assert_eq!((chosen.len(), &chosen), (4, &best()));
    }

    #[test]
    fn a_seed_has_its_own_sequences() {
        let of = |seed, index| variant(&mut SplitMix64::new(seed, u64::MAX - index));
        assert_eq!(of(1, 0), of(1, 0));
        assert!(of(1, 0) != of(1, 1) && of(1, 0) != of(2, 0));
    }
}
