//! LLVM: SSA constructed by the lab or by LLVM itself, its pipelines, its verifier, its machine code.
//!
//! A path is a [`Construction`] and a [`Level`], `mem2reg-O2` for example: [`variants`] has them. What
//! [`LlvmPath::observe`] does reads from top to bottom: the program's own form, LLVM IR as built, SSA constructed,
//! raised to the lab's form, optimized, compiled, run; LLVM's verifier judges after each change. What the pipelines
//! make is run as it stands ([`optimized`]), and on the paths `steps-` after each of their passes ([`steps`]). The
//! parts: [`emit`] and its two users [`phi`] and [`alloca`] write the IR, [`session`] and [`machine`] hold the
//! compiler, [`raise`] leads back to the lab, [`object`] on to machine code.

mod alloca;
mod arrays;
mod compat;
mod costs;
mod elements;
mod emit;
#[cfg(not(shared_object))]
mod faults;
#[cfg(not(shared_object))]
mod judge;
mod machine;
mod meaning;
mod narrow;
mod object;
mod operations;
mod optimized;
mod phi;
mod prefixes;
mod raise;
mod session;
mod steps;
#[cfg(test)]
mod tests;
mod text;
mod variants;

use std::cell::RefCell;
use std::io;

use inkwell::builder::BuilderError;
use inkwell::module::Module;
use inkwell::values::InstructionOpcode;

use crate::case::{Case, Program};
use crate::lab;
use crate::path::native::{self, NativeEnd};
use crate::path::{
    Detail, Fault, FaultKind, Observation, Path, PathId, Raised, Size, Stage, Toolchain, Unsupported, now,
};
use crate::tac;
pub use costs::{Costs, construct, costs};
use emit::Emitter;
#[cfg(not(shared_object))]
pub use judge::validator;
use machine::Machine;
use object::Loaded;
pub use prefixes::stop_after;
use session::Session;
pub use text::run_text;
use variants::{Construction, Level, Style};
pub use variants::{custom, paths};

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

    /// What there is to say.
    fn message(self) -> String {
        match self {
            Stop::Fault(fault) => fault.message,
            Stop::Unsupported(unsupported) => unsupported.reason,
        }
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
    /// Instead of the level's pipeline; anyone may have written them.
    passes: Option<String>,
    style: Style,
    /// Whether the level's passes run one by one, with a look at the function after each.
    in_steps: bool,
}

impl LlvmPath {
    /// What is done with the constructed SSA, and the name of the text that it gives.
    fn pipeline(&self) -> Option<(&'static str, &str)> {
        let own = self.passes.as_deref().map(|passes| ("llvm-passes", passes));
        own.or(self.level.pipeline.map(|pipeline| (pipeline.text, pipeline.passes)))
    }
}

impl Path for LlvmPath {
    fn id(&self) -> PathId {
        self.id.clone()
    }

    fn toolchain(&self) -> Toolchain {
        let passes =
            [self.construction.pass.map(|pipeline| pipeline.passes), self.pipeline().map(|(_, passes)| passes)];
        let passes: Vec<_> = passes.into_iter().flatten().collect();
        let passes = if passes.is_empty() { "no passes".to_string() } else { format!("passes {}", passes.join(", ")) };
        let passes = if self.style.narrow { format!("values in narrow types, {passes}") } else { passes };
        let passes = if self.style.flags { format!("flags that the runs keep, {passes}") } else { passes };
        let refused = self.passes.as_deref().and_then(machine::refusal);
        Toolchain {
            description: format!("{}; {passes}; code generation {:?}", machine::description(), self.level.codegen),
            group: self.construction.group.to_string(),
            unavailable: native::available().err().map(|error| error.to_string()).or(refused),
        }
    }

    fn observe(&self, case: &Case, detail: Detail) -> Observation {
        let mut observation = Observation::empty();
        if detail.texts && !self.style.perturbations.is_empty() {
            observation.texts.push(("perturbations".to_string(), tac::list(self.style.perturbations)));
        }
        if case.vectors.iter().any(|vector| vector.len() != case.program.inputs()) {
            return Observation::unsupported("needs a value for each input");
        }
        now::enter(Stage::Lower);
        let made = match source(self.construction, self.style, &case.program) {
            Err(stop) => Ok(Err(stop)),
            Ok(source) => session::survive(|| self.compile(&source, case, detail, &mut observation)),
        };
        // No code may be wanted at all.
        if let Some(made) = made.map(Result::transpose).transpose() {
            conclude(made, now::stage(), case, &mut observation);
        }
        observation
    }
}

/// Runs what was made, or notes why nothing was. A fatal error happened at `stage`.
fn conclude(made: Result<Result<Loaded, Stop>, String>, stage: Stage, case: &Case, observation: &mut Observation) {
    let stop = match made {
        Ok(Ok(loaded)) => run(&loaded, case, observation).err(),
        Ok(Err(stop)) => Some(stop),
        Err(fatal) => Some(Stop::fault(stage, FaultKind::Crash, &fatal)),
    };
    match stop {
        Some(Stop::Fault(fault)) => observation.faults.push(fault),
        Some(Stop::Unsupported(unsupported)) => observation.unsupported.push(unsupported),
        None => {}
    }
}

impl LlvmPath {
    /// From the program to machine code, or as far as the detail asks for. `now` follows the stage, for the case that
    /// LLVM never comes back from one.
    fn compile(
        &self,
        source: &Source,
        case: &Case,
        detail: Detail,
        observation: &mut Observation,
    ) -> Result<Option<Loaded>, Stop> {
        let session = Session::new();
        let module = session.context.create_module("roundtrip");
        let text = |name: &str| detail.texts.then(|| (name.to_string(), module.print_to_string().to_string()));

        Machine::with(self.level.codegen, |machine| {
            machine.adopt(&module);
            let mut emitter = Emitter::new(&session.context, &module, detail.texts);
            match source {
                Source::Phi(function) => phi::emit(function, self.style.narrow, &mut emitter)?,
                Source::Slots(cfg) => alloca::emit(cfg, self.style.direct, &mut emitter)?,
            }
            observation.texts.extend(text(if self.style.narrow { "llvm-narrow" } else { "llvm" }));

            now::enter(Stage::Construct);
            machine::verify(&module, now::stage())?;
            if self.style.flags {
                optimized::promises::add(&session.context, &module, case)?;
                observation.texts.extend(text("llvm-flags"));
                machine::verify(&module, now::stage())?;
                if !self.in_steps {
                    optimized::observe(&module, now::stage(), case, observation);
                }
            }
            if let Some(pipeline) = self.construction.pass {
                machine.run(&session, &module, pipeline.passes, now::stage())?;
                observation.texts.extend(text(pipeline.text));
            }
            if self.construction.by_lab || self.construction.pass.is_some() {
                match raise::raise(&module, case.program.inputs()) {
                    Ok(raised) => {
                        let function = lab::phi_to_args(&raised);
                        observation.raised.push(Raised { stage: now::stage(), function });
                    }
                    Err(reason) => observation.unsupported.push(Unsupported { stage: now::stage(), reason }),
                }
            }

            if detail.construct_only {
                return Ok(None);
            }
            if let Some((name, passes)) = self.pipeline() {
                if self.in_steps {
                    steps::run(machine, &session, &module, passes, (case, detail, observation))?;
                } else {
                    now::enter(Stage::Optimize);
                    machine.run(&session, &module, passes, now::stage())?;
                    #[cfg(not(shared_object))]
                    faults::after(passes, &module, &faults::Places::new());
                    optimized::observe(&module, now::stage(), case, observation);
                }
                observation.texts.extend(text(name));
            }
            let ran_optimized = observation.interpreted.iter().any(|(stage, _)| *stage == Stage::Optimize);
            // Pass by pass, some forms may have been run and the last one not.
            let ran_all = observation.unsupported.iter().all(|unsupported| unsupported.stage != Stage::Optimize);
            if detail.no_code && ran_optimized && ran_all {
                return Ok(None);
            }

            now::enter(Stage::Compile);
            // Code generation changes the module too.
            let size = size(&module);
            let loaded = Loaded::read(&machine.object(&session, &module)?)?;
            observation.size = Some(Size { code: loaded.code as u64, ..size });
            Ok(Some(loaded))
        })
    }
}

/// The module's one function with a body in numbers.
fn size(module: &Module<'_>) -> Size {
    let mut size = Size::default();
    let blocks = module.get_functions().flat_map(|function| function.get_basic_blocks());
    for instruction in blocks.flat_map(|block| block.get_instructions()) {
        match instruction.get_opcode() {
            InstructionOpcode::Phi => size.parameters += 1,
            _ => size.instructions += 1,
        }
    }
    size
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
            // SAFETY: LLVM compiled the function for this ABI, and it reads no inputs but the program's, of which
            // `observe` has seen that the vector has all.
            let run =
                unsafe { code.call(loaded.entry, vector, &|_| None, native::limit(case.fuel)) }.map_err(failed)?;
            observation.faults.extend(run.end.fault());
            let hangs = run.end == NativeEnd::Hang;
            observation.outcomes.push(run.outcome());
            if hangs {
                // One is enough to know; each costs the whole limit.
                observation.outcomes.resize(case.vectors.len(), None);
                break;
            }
        }
        Ok(())
    })
}
