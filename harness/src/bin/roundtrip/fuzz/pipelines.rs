//! Random sequences of LLVM's passes, beside the fixed pipelines: those have every pass where its neighbours have cleaned
//! up for it, and a fault that only shows on what no neighbour leaves behind never shows.
//!
//! A run draws its sequences from its seed. Each is a path with a name of its own (`llvm/phi:sccp+loop(indvars)`), so a
//! finding can be had again, minimized and triaged by that name; the summary says which were wrong how often.

use harness::generate::{Choices, SplitMix64};
use harness::path::{self, Path};

/// The most passes in a row.
const MOST: u32 = 6;

/// How SSA comes about before them. `-direct` branches on comparisons themselves.
const CONSTRUCTIONS: [&str; 4] = ["phi", "mem2reg", "alloca-direct:sroa+", "alloca-direct:mem2reg+"];

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

/// So many paths with sequences that a seed chooses; none in a build without LLVM.
pub fn paths(seed: u64, count: u64) -> Vec<Box<dyn Path>> {
    let named = |index| path::custom("llvm", &variant(&mut SplitMix64::new(seed, u64::MAX - index)));
    (0..count).filter_map(named).collect()
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
    use harness::case::{Case, Program};
    use harness::path::Detail;
    use harness::tiny;

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
    fn a_seed_has_its_own_sequences() {
        let of = |seed, index| variant(&mut SplitMix64::new(seed, u64::MAX - index));
        assert_eq!(of(1, 0), of(1, 0));
        assert!(of(1, 0) != of(1, 1) && of(1, 0) != of(2, 0));
    }
}
