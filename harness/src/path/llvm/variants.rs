//! The paths: which constructions there are, which levels, and which of their combinations.

use super::LlvmPath;
use super::compat::{self, instcombine};
use super::machine::CodeGen;
use crate::path::{Path, PathId};
use crate::tac::{self, Perturbation};

/// Every path, the plainest first: all constructions without optimization; pipelines pass by pass, which tell the pass;
/// all constructions with a pipeline; the lab's with narrow values; and those on a perturbed graph: one for each
/// perturbation alone, which tells, and two with all at once, which find.
pub fn paths() -> Vec<Box<dyn Path>> {
    variants().into_iter().map(|path| Box::new(path) as Box<dyn Path>).collect()
}

pub(super) fn variants() -> Vec<LlvmPath> {
    let version = compat::version();
    let path = |variant: String, construction, level, style| {
        let id = PathId::new("llvm", Some(&version), &variant);
        LlvmPath { id, construction, level, passes: None, style, in_steps: false }
    };
    let [phi, alloca, mem2reg, _] = &CONSTRUCTIONS;
    let [o0, o0_cg2, mid, _, o1, o2, ..] = &LEVELS;
    let plain = |optimized: bool| {
        let levels = LEVELS.iter().filter(|level| level.name != "Os" || compat::HAS_OS);
        let levels = levels.filter(move |level| level.pipeline.is_some() == optimized);
        let pairs = levels.flat_map(|level| CONSTRUCTIONS.iter().map(move |construction| (construction, level)));
        pairs.map(|(construction, level)| {
            path(format!("{}-{}", construction.name, level.name), construction, level, PLAIN)
        })
    };
    let all = Style { perturbations: Perturbation::ALL, direct: true, ..PLAIN };
    let together = [
        path("perturbed-mem2reg-O0".to_string(), mem2reg, o0, all),
        path("perturbed-mid".to_string(), alloca, mid, all),
    ];
    let direct = path("perturbed-direct".to_string(), mem2reg, mid, Style { direct: true, ..PLAIN });
    let alone = Perturbation::ALL.chunks(1).map(|perturbations| {
        path(format!("perturbed-{}", tac::list(perturbations)), mem2reg, mid, Style { perturbations, ..PLAIN })
    });
    let narrow = Style { narrow: true, ..PLAIN };
    let narrowed =
        [o0, o0_cg2, mid, o1, o2].map(|level| path(format!("phi-narrow-{}", level.name), phi, level, narrow));
    let in_steps = STEPS.iter().map(|level| {
        let path = path(format!("steps-{}", level.name), alloca, level, PLAIN);
        LlvmPath { in_steps: true, ..path }
    });
    let promised = |name: &str, construction, level: &'static Level, style| {
        path(format!("{name}-{}-flags", level.name), construction, level, Style { flags: true, ..style })
    };
    let with_flags = |name, construction, level| promised(name, construction, level, PLAIN);
    let steps_with_flags = LlvmPath { in_steps: true, ..with_flags("steps", mem2reg, o2) };
    let promising = [
        with_flags("mem2reg", mem2reg, mid),
        with_flags("mem2reg", mem2reg, o2),
        with_flags("phi", phi, o2),
        promised("phi-narrow", phi, o2, narrow),
        steps_with_flags,
    ];
    let promising = promising.into_iter().filter(|_| FLAGS);
    let perturbed = [direct].into_iter().chain(alone).chain(together);
    plain(false).chain(in_steps).chain(plain(true)).chain(narrowed).chain(perturbed).chain(promising).collect()
}

/// Whether this version of LLVM lets flags be set.
const FLAGS: bool = cfg!(not(llvm_before = "17"));

/// A path of one's own. `CONSTRUCTION[-direct][-narrow][-flags]:PASS+PASS..[:cg2]` has these passes: as `opt` writes
/// them, but joined by `+`, since commas part the globs of a list; `direct` branches on comparisons themselves,
/// `narrow` gives the lab's values narrow types, `flags` promises what the runs keep, `cg2` generates code as at `O2`.
/// `steps-` before it, or before the name of a path that has a pipeline, runs it pass by pass.
pub fn custom(variant: &str) -> Option<Box<dyn Path>> {
    custom_path(variant).map(|path| Box::new(path) as Box<dyn Path>)
}

pub(super) fn custom_path(variant: &str) -> Option<LlvmPath> {
    let Some(whole) = variant.strip_prefix("steps-") else { return with_passes(variant) };
    let listed = || variants().into_iter().find(|path| path.id.variant == whole);
    let path = with_passes(whole).or_else(listed).filter(|path| path.pipeline().is_some())?;
    Some(LlvmPath { id: PathId { variant: variant.to_string(), ..path.id }, in_steps: true, ..path })
}

fn with_passes(variant: &str) -> Option<LlvmPath> {
    let (construction, passes) = variant.split_once(':')?;
    let (passes, level) = passes.strip_suffix(":cg2").map_or((passes, &LEVELS[0]), |passes| (passes, &LEVELS[1]));
    let (name, flags) = construction.strip_suffix("-flags").map_or((construction, false), |name| (name, true));
    if flags && !FLAGS {
        return None;
    }
    let (name, narrow) = name.strip_suffix("-narrow").map_or((name, false), |name| (name, true));
    let (name, direct) = name.strip_suffix("-direct").map_or((name, false), |name| (name, true));
    let construction = CONSTRUCTIONS.iter().find(|construction| construction.name == name)?;
    if narrow && !construction.by_lab {
        return None;
    }
    let style = Style { direct, narrow, flags, ..PLAIN };
    let id = PathId::new("llvm", Some(&compat::version()), variant);
    Some(LlvmPath { id, construction, level, passes: Some(passes.replace('+', ",")), style, in_steps: false })
}

/// How a graph with variables is written.
#[derive(Clone, Copy)]
pub(super) struct Style {
    /// What is done to it before.
    pub(super) perturbations: &'static [Perturbation],
    /// Whether a branch on a comparison of its own block takes the comparison's `i1` itself; else its variable's `i64`.
    pub(super) direct: bool,
    /// Whether the lab's values have the narrowest types that hold them; else 64 bits.
    pub(super) narrow: bool,
    /// Whether instructions promise what they keep on the case's vectors: flags, ranges, branch weights.
    pub(super) flags: bool,
}

pub(super) const PLAIN: Style = Style { perturbations: &[], direct: false, narrow: false, flags: false };

/// How SSA comes about.
pub(super) struct Construction {
    pub(super) name: &'static str,
    /// The independence group.
    pub(super) group: &'static str,
    /// Whether the lab constructs SSA; otherwise variables are stack slots.
    pub(super) by_lab: bool,
    /// LLVM's own construction, run before everything else.
    pub(super) pass: Option<Pipeline>,
}

/// The constructions. `alloca` leaves it to the level's pipeline, if there is one.
pub(super) const CONSTRUCTIONS: [Construction; 4] = [
    Construction { name: "phi", group: "lab+llvm", by_lab: true, pass: None },
    Construction { name: "alloca", group: "llvm", by_lab: false, pass: None },
    Construction {
        name: "mem2reg",
        group: "llvm",
        by_lab: false,
        pass: Some(Pipeline { text: "llvm-mem2reg", passes: "mem2reg" }),
    },
    Construction {
        name: "sroa",
        group: "llvm",
        by_lab: false,
        pass: Some(Pipeline { text: "llvm-sroa", passes: "sroa" }),
    },
];

/// What is done with the constructed SSA.
pub(super) struct Level {
    pub(super) name: &'static str,
    pub(super) pipeline: Option<Pipeline>,
    pub(super) codegen: CodeGen,
}

/// Passes in `opt`'s notation, and the name of the text that they give.
#[derive(Clone, Copy)]
pub(super) struct Pipeline {
    pub(super) text: &'static str,
    pub(super) passes: &'static str,
}

/// A mid-end in about 0.4 ms a program.
const MID: Option<Pipeline> = Some(Pipeline {
    text: "llvm-mid",
    passes: concat!("sroa,early-cse,simplifycfg,", instcombine!(), ",reassociate,gvn,sccp,adce,simplifycfg"),
});
const O2: Option<Pipeline> = Some(Pipeline { text: "llvm-O2", passes: "default<O2>" });
const O3: Option<Pipeline> = Some(Pipeline { text: "llvm-O3", passes: "default<O3>" });

/// The levels.
pub(super) const LEVELS: [Level; 9] = [
    Level { name: "O0", pipeline: None, codegen: CodeGen::None },
    Level { name: "O0-cg2", pipeline: None, codegen: CodeGen::Default },
    Level { name: "mid", pipeline: MID, codegen: CodeGen::None },
    Level { name: "mid-cg2", pipeline: MID, codegen: CodeGen::Default },
    Level {
        name: "O1",
        pipeline: Some(Pipeline { text: "llvm-O1", passes: "default<O1>" }),
        codegen: CodeGen::Default,
    },
    Level { name: "O2", pipeline: O2, codegen: CodeGen::Default },
    Level { name: "O2-cg0", pipeline: O2, codegen: CodeGen::None },
    Level { name: "O3", pipeline: O3, codegen: CodeGen::Default },
    Level {
        name: "Os",
        pipeline: Some(Pipeline { text: "llvm-Os", passes: "default<Os>" }),
        codegen: CodeGen::Default,
    },
];

/// The pipelines that run pass by pass as well. What their machine code does is for the others to find out.
const STEPS: [Level; 3] = [
    Level { name: "mid", pipeline: MID, codegen: CodeGen::None },
    Level { name: "O2", pipeline: O2, codegen: CodeGen::None },
    Level { name: "O3", pipeline: O3, codegen: CodeGen::None },
];
