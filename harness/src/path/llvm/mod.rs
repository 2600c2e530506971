//! LLVM: SSA constructed by the lab or by LLVM itself, its pipelines, its verifier, its machine code.
//!
//! A path is a [`Construction`] and a [`Level`], `mem2reg-O2` for example. What [`LlvmPath::observe`] does reads from top
//! to bottom: the program's own form, LLVM IR as built, SSA constructed, raised to the lab's form, optimized, compiled,
//! run; LLVM's verifier judges after each change. The parts: [`emit`] and its two users [`phi`] and [`alloca`] write
//! the IR, [`session`] and [`machine`] hold the compiler, [`raise`] leads back to the lab, [`object`] on to machine
//! code.

mod alloca;
mod emit;
mod judge;
mod machine;
mod meaning;
mod object;
mod operations;
mod phi;
mod raise;
mod session;
#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::io;

use inkwell::builder::BuilderError;

use crate::case::{Case, Program};
use crate::lab;
use crate::op::Outcome;
use crate::path::native::{self, NativeEnd};
use crate::path::{Detail, Fault, FaultKind, Observation, Path, PathId, Raised, Stage, Toolchain, Unsupported};
use crate::tac::{self, Perturbation};
use emit::Emitter;
pub use judge::validator;
use machine::{CodeGen, Machine};
use object::Loaded;
use session::Session;

/// Every path: all constructions at all levels, and those on a perturbed graph: two with all perturbations at once,
/// which find, and one for each alone, which tells.
pub fn paths() -> Vec<Box<dyn Path>> {
    let version = machine::version();
    let path = |variant: String, construction, level, style| -> Box<dyn Path> {
        let id = PathId::new("llvm", Some(&version), &variant);
        Box::new(LlvmPath { id, construction, level, style })
    };
    let [_, alloca, mem2reg, _] = &CONSTRUCTIONS;
    let [o0, _, mid, ..] = &LEVELS;
    let plain = CONSTRUCTIONS.iter().flat_map(|construction| LEVELS.iter().map(move |level| (construction, level)));
    let plain = plain
        .map(|(construction, level)| path(format!("{}-{}", construction.name, level.name), construction, level, PLAIN));
    let all = Style { perturbations: Perturbation::ALL, direct: true };
    let together = [
        path("perturbed-mem2reg-O0".to_string(), mem2reg, o0, all),
        path("perturbed-mid".to_string(), alloca, mid, all),
        path("perturbed-direct".to_string(), mem2reg, mid, Style { direct: true, ..PLAIN }),
    ];
    let alone = Perturbation::ALL.chunks(1).map(|perturbations| {
        path(format!("perturbed-{}", tac::list(perturbations)), mem2reg, mid, Style { perturbations, ..PLAIN })
    });
    plain.chain(together).chain(alone).collect()
}

/// mem2reg's construction alone, to compare constructions by cost and size: the number of phis.
pub fn construct(cfg: &tac::Cfg) -> Result<usize, String> {
    let built = session::survive(|| {
        let session = Session::new();
        let module = session.context.create_module("roundtrip");
        Machine::with(CodeGen::None, |machine| {
            machine.adopt(&module);
            alloca::emit(cfg, false, &mut Emitter::new(&session.context, &module, false))?;
            machine.run_unverified(&session, &module, "mem2reg", Stage::Construct)?;
            let blocks = module.get_functions().flat_map(|function| function.get_basic_blocks());
            let is_phi = |instruction: &inkwell::values::InstructionValue<'_>| {
                instruction.get_opcode() == inkwell::values::InstructionOpcode::Phi
            };
            Ok(blocks.map(|block| block.get_instructions().take_while(is_phi).count()).sum())
        })
    });
    match built {
        Ok(Ok(phis)) => Ok(phis),
        Ok(Err(Stop::Fault(fault))) => Err(fault.message),
        Ok(Err(Stop::Unsupported(unsupported))) => Err(unsupported.reason),
        Err(fatal) => Err(fatal),
    }
}

/// How a graph with variables is written.
#[derive(Clone, Copy)]
struct Style {
    /// What is done to it before.
    perturbations: &'static [Perturbation],
    /// Whether a branch on a comparison of its own block takes the comparison's `i1` itself; else its variable's `i64`.
    direct: bool,
}

const PLAIN: Style = Style { perturbations: &[], direct: false };

/// How SSA comes about.
struct Construction {
    name: &'static str,
    /// The independence group.
    group: &'static str,
    /// Whether the lab constructs SSA; otherwise variables are stack slots.
    by_lab: bool,
    /// LLVM's own construction, run before everything else.
    pass: Option<Pipeline>,
}

/// The constructions. `alloca` leaves it to the level's pipeline, if there is one.
const CONSTRUCTIONS: [Construction; 4] = [
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
struct Level {
    name: &'static str,
    pipeline: Option<Pipeline>,
    codegen: CodeGen,
}

/// Passes in `opt`'s notation, and the name of the text that they give.
#[derive(Clone, Copy)]
struct Pipeline {
    text: &'static str,
    passes: &'static str,
}

/// A mid-end in about 0.4 ms a program. `instcombine` ends the process when it doesn't reach a fixpoint, unless told
/// not to look.
const MID: Option<Pipeline> = Some(Pipeline {
    text: "llvm-mid",
    passes: "sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>,reassociate,gvn,sccp,adce,simplifycfg",
});
const O2: Option<Pipeline> = Some(Pipeline { text: "llvm-O2", passes: "default<O2>" });

/// The levels.
const LEVELS: [Level; 9] = [
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
    Level {
        name: "O3",
        pipeline: Some(Pipeline { text: "llvm-O3", passes: "default<O3>" }),
        codegen: CodeGen::Default,
    },
    Level {
        name: "Os",
        pipeline: Some(Pipeline { text: "llvm-Os", passes: "default<Os>" }),
        codegen: CodeGen::Default,
    },
];

/// Why a path went no further.
enum Stop {
    Fault(Fault),
    Unsupported(Unsupported),
}

impl Stop {
    fn fault(stage: Stage, kind: FaultKind, message: &str) -> Stop {
        Stop::Fault(Fault { stage, kind, message: message.to_string() })
    }

    /// A mistake in this folder.
    fn harness(message: &str) -> Stop {
        Stop::fault(Stage::Lower, FaultKind::Crash, message)
    }

    fn unsupported(reason: &str) -> Stop {
        Stop::Unsupported(Unsupported { stage: Stage::Lower, reason: reason.to_string() })
    }
}

impl From<BuilderError> for Stop {
    fn from(error: BuilderError) -> Stop {
        Stop::harness(&error.to_string())
    }
}

/// The form of the program that a construction starts from.
enum Source {
    Phi(lab::PhiFunction),
    Slots(tac::Cfg),
}

/// The program as the construction wants it. Each path lowers from the program by itself.
fn source(construction: &Construction, style: Style, program: &Program) -> Result<Source, Stop> {
    let cfg = match program {
        Program::Tiny(program) if !construction.by_lab => tac::cfg(&tac::lower(program)),
        Program::Tac(program) => tac::cfg(program),
        _ if !construction.by_lab => return Err(Stop::unsupported("needs a program in Tiny or TAC")),
        Program::Tiny(program) => {
            let mut function = lab::construct_naive(program);
            lab::prune_dead(&mut function);
            lab::prune_trivial(&mut function);
            return Ok(phi_form(&function));
        }
        Program::Ssa(function) if lab::validate(function).is_empty() => return Ok(phi_form(function)),
        Program::Phi(function) if lab::validate_phi(function).is_empty() => return Ok(Source::Phi(function.clone())),
        Program::Ssa(_) | Program::Phi(_) => return Err(Stop::unsupported("needs a valid function")),
    };
    if !construction.by_lab {
        return Ok(Source::Slots(tac::perturb(cfg, style.perturbations)));
    }
    let mut function = lab::construct_live(&cfg);
    lab::prune_trivial(&mut function);
    Ok(phi_form(&function))
}

/// Algorithm 8.4.6, after Lemma 8.4.11 where it is needed.
fn phi_form(function: &lab::Function) -> Source {
    if lab::conflicts(function).is_empty() {
        Source::Phi(lab::args_to_phi(function))
    } else {
        Source::Phi(lab::args_to_phi(&lab::split_conflicts(function)))
    }
}

struct LlvmPath {
    id: PathId,
    construction: &'static Construction,
    level: &'static Level,
    style: Style,
}

impl Path for LlvmPath {
    fn id(&self) -> PathId {
        self.id.clone()
    }

    fn toolchain(&self) -> Toolchain {
        let passes = [self.construction.pass, self.level.pipeline];
        let passes: Vec<_> = passes.iter().flatten().map(|pipeline| pipeline.passes).collect();
        let passes = if passes.is_empty() { "no passes".to_string() } else { format!("passes {}", passes.join(", ")) };
        Toolchain {
            description: format!("{}; {passes}; code generation {:?}", machine::description(), self.level.codegen),
            group: self.construction.group.to_string(),
            unavailable: native::available().err().map(|error| error.to_string()),
        }
    }

    fn observe(&self, case: &Case, detail: Detail) -> Observation {
        let mut observation = Observation::empty();
        if detail.texts && !self.style.perturbations.is_empty() {
            observation.texts.push(("perturbations".to_string(), tac::list(self.style.perturbations)));
        }
        let stop = match source(self.construction, self.style, &case.program) {
            Err(stop) => Some(stop),
            Ok(source) => {
                let stage = Cell::new(Stage::Lower);
                match session::survive(|| self.compile(&source, case, detail, &stage, &mut observation)) {
                    Ok(Ok(loaded)) => run(&loaded, case, &mut observation).err(),
                    Ok(Err(stop)) => Some(stop),
                    Err(fatal) => Some(Stop::fault(stage.get(), FaultKind::Crash, &fatal)),
                }
            }
        };
        match stop {
            Some(Stop::Fault(fault)) => observation.faults.push(fault),
            Some(Stop::Unsupported(unsupported)) => observation.unsupported.push(unsupported),
            None => {}
        }
        observation
    }
}

impl LlvmPath {
    /// From the program to machine code. `stage` follows, for the case that LLVM never comes back from one.
    fn compile(
        &self,
        source: &Source,
        case: &Case,
        detail: Detail,
        stage: &Cell<Stage>,
        observation: &mut Observation,
    ) -> Result<Loaded, Stop> {
        let session = Session::new();
        let module = session.context.create_module("roundtrip");
        let text = |name: &str| detail.texts.then(|| (name.to_string(), module.print_to_string().to_string()));

        Machine::with(self.level.codegen, |machine| {
            machine.adopt(&module);
            let mut emitter = Emitter::new(&session.context, &module, detail.texts);
            match source {
                Source::Phi(function) => phi::emit(function, &mut emitter)?,
                Source::Slots(cfg) => alloca::emit(cfg, self.style.direct, &mut emitter)?,
            }
            observation.texts.extend(text("llvm"));

            stage.set(Stage::Construct);
            machine::verify(&module, stage.get())?;
            if let Some(pipeline) = self.construction.pass {
                machine.run(&session, &module, pipeline.passes, stage.get())?;
                observation.texts.extend(text(pipeline.text));
            }
            if self.construction.by_lab || self.construction.pass.is_some() {
                match raise::raise(&module, case.program.inputs()) {
                    Ok(raised) => {
                        let function = lab::phi_to_args(&raised);
                        observation.raised.push(Raised { stage: stage.get(), function });
                    }
                    Err(reason) => observation.unsupported.push(Unsupported { stage: stage.get(), reason }),
                }
            }

            stage.set(Stage::Optimize);
            if let Some(pipeline) = self.level.pipeline {
                machine.run(&session, &module, pipeline.passes, stage.get())?;
                observation.texts.extend(text(pipeline.text));
            }

            stage.set(Stage::Compile);
            Loaded::read(&machine.object(&session, &module)?)
        })
    }
}

/// Runs the machine code on each of the case's vectors.
fn run(loaded: &Loaded, case: &Case, observation: &mut Observation) -> Result<(), Stop> {
    thread_local! {
        static ARENA: RefCell<Option<native::Arena>> = const { RefCell::new(None) };
    }
    let failed = |error: io::Error| Stop::fault(Stage::Execute, FaultKind::Crash, &error.to_string());
    ARENA.with_borrow_mut(|arena| {
        let arena = match arena {
            Some(arena) => arena,
            None => arena.insert(native::Arena::new().map_err(failed)?),
        };
        let code = loaded.place(arena).map_err(failed)?;
        for vector in &case.vectors {
            if vector.len() != case.program.inputs() {
                return Err(Stop::unsupported("needs a value for each input"));
            }
            // SAFETY: LLVM compiled the function for this ABI, and it reads no inputs but the program's.
            let end =
                unsafe { code.call(loaded.entry, vector, &|_| None, native::limit(case.fuel)) }.map_err(failed)?;
            observation.faults.extend(end.fault());
            observation.outcomes.push(match end {
                NativeEnd::Return(value) => Some(Outcome::Return(value)),
                NativeEnd::Trap(trap) => Some(Outcome::Trap(trap)),
                NativeEnd::Fault(_) | NativeEnd::Hang => None,
            });
            if end == NativeEnd::Hang {
                // One is enough to know; each costs the whole limit.
                observation.outcomes.resize(case.vectors.len(), None);
                break;
            }
        }
        Ok(())
    })
}
