//! Cranelift, linked in. It compiles for x86-64, which this process executes, and on the paths `aarch64-` for aarch64,
//! which an emulator does.
//!
//! The paths differ in who constructs SSA (`variables.rs`: Cranelift's frontend, from TAC; `params.rs`: the lab), in
//! the optimization level and in the register allocator. The `perturbed-` paths construct SSA from a perturbed graph
//! (`tac/perturb.rs`): two with all perturbations at once, which find, and one for each alone, which tells. After the
//! lowering all are the same, and read in the order of `compiler.rs`: raise, verify, optimize and compile, raise again,
//! execute. `raise.rs` and `meaning.rs` bring CLIF back into the lab's form, `panics.rs` makes the compiler's panics
//! data.
//!
//! Division traps as Cranelift's own instructions do: a signal, whose place in the code says which trap it is.

mod compat;
mod compiler;
mod emit;
#[cfg(not(shared_object))]
mod filetest;
mod host;
#[cfg(not(shared_object))]
mod judge;
mod machine;
mod meaning;
mod options;
mod params;
mod promises;
mod raise;
#[cfg(test)]
mod tests;
mod variables;

#[cfg(not(shared_object))]
pub use filetest::check_filetest;
pub use options::options;

use std::cell::Cell;

use cranelift_codegen::settings::{self, Configurable};

use crate::case::{Case, Program};
use crate::lab::{self, Function};
#[cfg(not(shared_object))]
use crate::path::Validator;
use crate::path::cranelift::compat::OwnedTargetIsa;
use crate::path::cranelift::compiler::{Compiler, Stop};
use crate::path::cranelift::machine::Machine;
use crate::path::cranelift::promises::Promises;
use crate::path::cranelift::variables::{Sealing, Style};
use crate::path::{Detail, FaultKind, Observation, Path, PathId, Toolchain};
use crate::tac::{self, Perturbation};

/// Who constructs SSA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Construction {
    /// Cranelift's `SSABuilder`, from TAC after these perturbations.
    Variables(Style, &'static [Perturbation]),
    /// The lab: its pruned block-argument form, or the given function.
    Params(Promises),
}

/// What distinguishes the paths.
#[derive(Clone, Copy, Debug)]
struct Variant {
    name: &'static str,
    construction: Construction,
    opt_level: &'static str,
    allocator: &'static str,
    machine: Machine,
}

const BACKTRACKING: &str = "backtracking";
const SINGLE_PASS: &str = "single_pass";

/// As front ends do it mostly.
const EARLY: Style = Style { sealing: Sealing::Early, direct: false, promises: Promises::Nothing };

/// What is not said of a variant.
const PLAIN: Variant = Variant {
    name: "none",
    construction: Construction::Variables(EARLY, &[]),
    opt_level: "none",
    allocator: BACKTRACKING,
    machine: Machine::X86_64,
};

#[rustfmt::skip]
const VARIANTS: [Variant; 25] = {
    use Construction::{Params, Variables};
    const LATE: Construction = Variables(Style { sealing: Sealing::Late, ..EARLY }, &[]);
    const BACKWARD: Construction = Variables(Style { sealing: Sealing::Backward, ..EARLY }, &[]);
    const DIRECT: Construction = Variables(Style { direct: true, ..EARLY }, &[]);
    const PARAMS: Construction = Params(Promises::Nothing);
    const PROMISING: Construction = Variables(Style { promises: Promises::All, ..EARLY }, &[]);
    const ALL: Construction = Variables(Style { sealing: Sealing::Backward, direct: true, ..EARLY }, Perturbation::ALL);
    const fn only(which: &'static [Perturbation; 1]) -> Construction { Variables(EARLY, which) }
    [
        PLAIN,
        Variant { name: "speed", opt_level: "speed", ..PLAIN },
        Variant { name: "speed_and_size", opt_level: "speed_and_size", ..PLAIN },
        Variant { name: "none-single_pass", construction: LATE, allocator: SINGLE_PASS, ..PLAIN },
        Variant { name: "speed-single_pass", construction: LATE, opt_level: "speed", allocator: SINGLE_PASS, ..PLAIN },
        Variant { name: "params-none", construction: PARAMS, ..PLAIN },
        Variant { name: "params-speed", construction: PARAMS, opt_level: "speed", ..PLAIN },
        Variant { name: "params-speed_and_size", construction: PARAMS, opt_level: "speed_and_size", ..PLAIN },
        Variant { name: "none-flags", construction: PROMISING, ..PLAIN },
        Variant { name: "speed-flags", construction: PROMISING, opt_level: "speed", ..PLAIN },
        Variant { name: "params-speed-flags", construction: Params(Promises::All), opt_level: "speed", ..PLAIN },
        Variant { name: "perturbed-sealing", construction: BACKWARD, opt_level: "speed", ..PLAIN },
        Variant { name: "perturbed-direct", construction: DIRECT, opt_level: "speed", ..PLAIN },
        Variant { name: "perturbed-merge", construction: only(&[Perturbation::Merge]), opt_level: "speed", ..PLAIN },
        Variant { name: "perturbed-split", construction: only(&[Perturbation::Split]), opt_level: "speed", ..PLAIN },
        Variant { name: "perturbed-copies", construction: only(&[Perturbation::Copies]), opt_level: "speed", ..PLAIN },
        Variant { name: "perturbed-conditions", construction: only(&[Perturbation::Conditions]), opt_level: "speed", ..PLAIN },
        Variant { name: "perturbed-switches", construction: only(&[Perturbation::Switches]), opt_level: "speed", ..PLAIN },
        Variant { name: "perturbed-operands", construction: only(&[Perturbation::Operands]), opt_level: "speed", ..PLAIN },
        Variant { name: "perturbed-dead", construction: only(&[Perturbation::Dead]), opt_level: "speed", ..PLAIN },
        Variant { name: "perturbed-order", construction: only(&[Perturbation::Order]), opt_level: "speed", ..PLAIN },
        Variant { name: "perturbed-none", construction: ALL, ..PLAIN },
        Variant { name: "perturbed-speed", construction: ALL, opt_level: "speed", ..PLAIN },
        Variant { name: "aarch64-none", machine: Machine::Aarch64, ..PLAIN },
        Variant { name: "aarch64-speed", machine: Machine::Aarch64, opt_level: "speed", ..PLAIN },
    ]
};

/// Cranelift's paths: each variant that this version has, with each mid-end that it has.
pub fn paths() -> Vec<Box<dyn Path>> {
    let mut paths: Vec<Box<dyn Path>> = Vec::new();
    for variant in VARIANTS.into_iter().filter(|it| compat::CHOOSES_ALLOCATOR || it.allocator == BACKTRACKING) {
        paths.push(Box::new(Cranelift { variant, egraphs: false, isa: target(variant, &[]) }));
        if compat::CHOOSES_EGRAPHS && variant.opt_level != "none" {
            let isa = target(variant, &[("use_egraphs", "true")]);
            paths.push(Box::new(Cranelift { variant, egraphs: true, isa }));
        }
    }
    paths
}

/// `SSABuilder`'s construction alone, to compare constructions by cost and size: the number of block parameters.
pub fn construct(cfg: &tac::Cfg) -> Result<usize, String> {
    let isa = target(VARIANTS[0], &[])?;
    let mut function = cranelift_codegen::ir::Function::new();
    variables::lower(cfg, EARLY, &*isa, &mut function, &mut cranelift_frontend::FunctionBuilderContext::new());
    let blocks = function.layout.blocks();
    // The entry's parameters are the function's own.
    Ok(blocks.skip(1).map(|block| function.dfg.block_params(block).len()).sum())
}

/// Cranelift's verifier, as a validator of any function.
#[cfg(not(shared_object))]
pub fn validator() -> Validator {
    judge::validator()
}

struct Cranelift {
    variant: Variant,
    /// Whether the mid-end is the later one, where there are two.
    egraphs: bool,
    isa: Result<OwnedTargetIsa, String>,
}

impl Path for Cranelift {
    fn id(&self) -> PathId {
        let egraphs = if self.egraphs { "-egraphs" } else { "" };
        PathId::new("cranelift", Some(cranelift_codegen::VERSION), &format!("{}{egraphs}", self.variant.name))
    }

    fn toolchain(&self) -> Toolchain {
        let Variant { construction, opt_level, allocator, machine, .. } = self.variant;
        let version = cranelift_codegen::VERSION;
        Toolchain {
            description: format!(
                "Cranelift {version}, {}, opt_level={opt_level}, regalloc_algorithm={allocator}, verified before and after \
                 optimization{}",
                machine.description(),
                if self.egraphs { ", use_egraphs" } else { "" }
            ),
            group: if matches!(construction, Construction::Params(_)) { "lab+cranelift" } else { "cranelift" }
                .to_string(),
            unavailable: self.isa.as_ref().err().cloned().or_else(|| machine.unavailable()),
        }
    }

    fn observe(&self, case: &Case, detail: Detail) -> Observation {
        thread_local! {
            /// The thread's compiler while it isn't at work.
            static COMPILER: Cell<Option<Box<Compiler>>> = const { Cell::new(None) };
        }
        let mut seen = Observation::empty();
        match COMPILER.take().map_or_else(|| Compiler::new().map(Box::new), Ok) {
            Err(error) => Observation::unsupported(format!("executable memory: {error}")),
            Ok(mut compiler) => {
                let crashed = match self.observe_with(&mut compiler, case, detail, &mut seen) {
                    Ok(()) => false,
                    Err(Stop::Unsupported(unsupported)) => {
                        seen.unsupported.push(unsupported);
                        false
                    }
                    Err(Stop::Fault(fault)) => {
                        let crashed = fault.kind == FaultKind::Crash;
                        seen.faults.push(fault);
                        crashed
                    }
                };
                if !crashed {
                    COMPILER.set(Some(compiler));
                }
                seen
            }
        }
    }
}

impl Cranelift {
    fn observe_with(
        &self,
        compiler: &mut Compiler,
        case: &Case,
        detail: Detail,
        seen: &mut Observation,
    ) -> Result<(), Stop> {
        let isa = self.isa.as_deref().map_err(Stop::unlowered)?;
        match self.variant.construction {
            Construction::Variables(style, perturbations) => {
                let cfg = tac::perturb(cfg(&case.program).map_err(Stop::unlowered)?, perturbations);
                if detail.texts && !perturbations.is_empty() {
                    seen.texts.push(("perturbations".to_string(), tac::list(perturbations)));
                }
                let lower = |function: &mut _, context: &mut _| variables::lower(&cfg, style, isa, function, context);
                compiler.observe(isa, lower, case, detail, seen)
            }
            Construction::Params(promises) => {
                let source = function(&case.program).map_err(Stop::unlowered)?;
                let lower =
                    |function: &mut _, context: &mut _| params::lower(&source, promises, isa, function, context);
                compiler.observe(isa, lower, case, detail, seen)
            }
        }
    }
}

/// The control-flow graph that Cranelift constructs SSA from.
fn cfg(program: &Program) -> Result<tac::Cfg, String> {
    match program {
        Program::Tiny(program) => Ok(tac::cfg(&tac::lower(program))),
        Program::Tac(program) => Ok(tac::cfg(program)),
        Program::Ssa(_) | Program::Phi(_) => Err("needs a program in Tiny or TAC".to_string()),
    }
}

/// The lab's function: pruned, or as it is given.
fn function(program: &Program) -> Result<Function, String> {
    let mut function = match program {
        Program::Tiny(program) => lab::construct_naive(program),
        Program::Tac(program) => lab::construct_live(&tac::cfg(program)),
        Program::Ssa(function) => function.clone(),
        Program::Phi(function) => {
            valid(lab::validate_phi(function))?;
            lab::phi_to_args(function)
        }
    };
    match program {
        Program::Tiny(_) | Program::Tac(_) => {
            lab::prune_dead(&mut function);
            lab::prune_trivial(&mut function);
        }
        Program::Ssa(_) | Program::Phi(_) => valid(lab::validate(&function))?,
    }
    Ok(function)
}

/// A function given as such may be wrong; only a valid one can be written.
fn valid(violations: Vec<lab::Violation>) -> Result<(), String> {
    match violations.first() {
        None => Ok(()),
        Some(violation) => Err(format!("not a valid function: {violation}")),
    }
}

/// The target of a variant, with some settings changed.
fn target(variant: Variant, changes: &[(&str, &str)]) -> Result<OwnedTargetIsa, String> {
    let mut flags = settings::builder();
    let allocator = compat::CHOOSES_ALLOCATOR.then_some(("regalloc_algorithm", variant.allocator));
    let mid_end = compat::CHOOSES_EGRAPHS.then_some(("use_egraphs", "false"));
    for (name, value) in allocator
        .into_iter()
        .chain(mid_end)
        .chain(compat::SETTINGS.iter().copied())
        .chain([
            ("opt_level", variant.opt_level),
            // `compiler.rs` runs the verifier itself, before and after optimization. This would run it five times more.
            ("enable_verifier", "false"),
            ("unwind_info", "false"),
        ])
        .chain(changes.iter().copied())
    {
        flags.set(name, value).map_err(|error| format!("{name}={value}: {error}"))?;
    }
    variant.machine.isa(settings::Flags::new(flags))
}
