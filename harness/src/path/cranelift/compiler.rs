//! A thread's compiler: what is reused from program to program, and the stages from CLIF to outcomes.

use std::io;

use cranelift_codegen::isa::TargetIsa;
use cranelift_codegen::{CodegenError, Context, ir};
use cranelift_frontend::FunctionBuilderContext;

use crate::case::Case;
use crate::op::Trap;
use crate::path::cranelift::emit::trap_of;
use crate::path::cranelift::raise::raise;
use crate::path::cranelift::{compat, host};
use crate::path::native::{self, Arena, NativeEnd, NativeRun};
use crate::path::panics::catch;
use crate::path::qemu::{self, Emulator};
use crate::path::{Detail, Fault, FaultKind, Observation, Raised, Size, Stage, Unsupported, now};
use crate::plant;

/// The compiler and what it compiles into.
pub(super) struct Compiler {
    context: Context,
    builder: FunctionBuilderContext,
    arena: Arena,
    emulator: Emulator,
}

/// Why an observation goes no further.
pub(super) enum Stop {
    /// Something is wrong. After a crash the compiler may be left half changed and must not be used again.
    Fault(Fault),
    /// Something isn't covered.
    Unsupported(Unsupported),
}

impl Stop {
    /// The case has no form that the lowering can start from.
    pub(super) fn unlowered(reason: impl Into<String>) -> Stop {
        Stop::unsupported(Stage::Lower, reason)
    }

    fn fault(stage: Stage, kind: FaultKind, message: impl Into<String>) -> Stop {
        Stop::Fault(Fault { stage, kind, message: message.into() })
    }

    fn unsupported(stage: Stage, reason: impl Into<String>) -> Stop {
        Stop::Unsupported(Unsupported { stage, reason: reason.into() })
    }
}

impl Compiler {
    /// A new compiler, with executable memory.
    pub(super) fn new() -> io::Result<Compiler> {
        let (context, builder) = (Context::new(), FunctionBuilderContext::new());
        Ok(Compiler { context, builder, arena: Arena::new()?, emulator: Emulator::default() })
    }

    /// Has `lower` write the case's function, and takes it through every stage. What is seen on the way stands in
    /// `seen`, also when it ends early.
    pub(super) fn observe(
        &mut self,
        isa: &dyn TargetIsa,
        lower: impl FnOnce(&mut ir::Function, &mut FunctionBuilderContext),
        case: &Case,
        detail: Detail,
        seen: &mut Observation,
    ) -> Result<(), Stop> {
        self.context.clear();
        guard(Stage::Construct, || lower(&mut self.context.func, &mut self.builder))?;
        self.record(Stage::Construct, case, detail, seen)?;
        self.verify(isa, Stage::Construct)?;
        if detail.construct_only {
            return Ok(());
        }

        #[cfg(feature = "plant")]
        if plant::on(plant::Fault::ClifWrongRewrite)
            && isa.flags().opt_level() != cranelift_codegen::settings::OptLevel::None
        {
            exchange_subtractions(&mut self.context.func);
        }
        // `compile` optimizes the function in place, so it holds the optimized one then, whatever came of the rest.
        now::enter(Stage::Compile);
        let compiled = match catch(|| compat::compile(&mut self.context, isa)) {
            Ok(compiled) => compiled,
            Err(panic) => {
                // What it leaves is of no use, be it no crash.
                self.context = Context::new();
                let crash = || Stop::fault(Stage::Compile, FaultKind::Crash, panic.clone());
                return Err(compat::no_lowering(&panic).map_or_else(crash, stop_of));
            }
        };
        self.record(Stage::Optimize, case, detail, seen)?;
        compiled.map_err(stop_of)?;
        self.verify(isa, Stage::Optimize)?;
        self.execute(isa.name() == "aarch64", case, seen)
    }

    /// Raises the function as it is, and gives its text if asked to.
    fn record(&self, stage: Stage, case: &Case, detail: Detail, seen: &mut Observation) -> Result<(), Stop> {
        if detail.texts {
            let name = if stage == Stage::Construct { "clif" } else { "clif-opt" };
            seen.texts.push((name.to_string(), self.context.func.display().to_string()));
        }
        match guard(stage, || raise(&self.context.func, case.program.inputs()))? {
            Ok(function) => seen.raised.push(Raised { stage, function }),
            Err(reason) => seen.unsupported.push(Unsupported { stage, reason }),
        }
        Ok(())
    }

    /// Runs Cranelift's verifier on the function as it is.
    fn verify(&mut self, isa: &dyn TargetIsa, stage: Stage) -> Result<(), Stop> {
        compat::refresh(&mut self.context);
        guard(stage, || self.context.verify(isa))?
            .map_err(|errors| Stop::fault(stage, FaultKind::Invalid, errors.to_string()))
    }

    /// Runs the machine code on every vector, in this process or emulated.
    fn execute(&mut self, emulated: bool, case: &Case, seen: &mut Observation) -> Result<(), Stop> {
        let Some(compiled) = compat::machine_code(&self.context) else {
            return Err(Stop::fault(Stage::Compile, FaultKind::Crash, "no machine code"));
        };
        if case.vectors.iter().any(|vector| vector.len() != case.program.inputs()) {
            return Err(Stop::unsupported(Stage::Execute, "a vector with other than one value for each input"));
        }
        if compiled.relocatable {
            return Err(Stop::unsupported(Stage::Compile, "relocations"));
        }
        let traps: Vec<(u32, Trap)> =
            compiled.traps.iter().filter_map(|&(offset, code)| Some((offset, trap_of(code)?))).collect();
        let trap_at = |offset| traps.iter().find(|trap| trap.0 == offset).map(|trap| told_apart(trap.1));
        let bytes = &*compiled.bytes;
        seen.size = Some(size(&self.context.func, bytes));
        let limit = native::limit(case.fuel);
        let ran = if emulated {
            let vectors: Vec<_> = case.vectors.iter().map(|vector| host::memory(vector, qemu::EMIT)).collect();
            let placed = self.emulator.place(bytes);
            let runs = placed.and_then(|()| self.emulator.call(&vectors, &trap_at, limit));
            runs.and_then(|runs| record(case, seen, runs.into_iter().map(Ok)))
        } else {
            let emit = native::emit as *const () as i64;
            let placed = self.arena.place(bytes.len(), |memory, _| memory.copy_from_slice(bytes));
            placed.and_then(|code| {
                // SAFETY: Cranelift has compiled it from a function of this ABI which reads as many inputs as there
                // are.
                let call = |vector: &Vec<i64>| unsafe { code.call(0, &host::memory(vector, emit), &trap_at, limit) };
                record(case, seen, case.vectors.iter().map(call))
            })
        };
        ran.map_err(|error| {
            seen.outcomes.clear();
            Stop::unsupported(Stage::Execute, format!("running machine code: {error}"))
        })
    }
}

/// Takes what machine code does on every vector. After a hang the other vectors are not run: each may take as long.
fn record(case: &Case, seen: &mut Observation, runs: impl Iterator<Item = io::Result<NativeRun>>) -> io::Result<()> {
    for run in runs {
        let run = run?;
        let hangs = run.end == NativeEnd::Hang;
        seen.faults.extend(run.end.fault().filter(|fault| !seen.faults.contains(fault)));
        seen.outcomes.push(run.outcome());
        if hangs {
            break;
        }
    }
    seen.outcomes.resize(case.vectors.len(), None);
    Ok(())
}

/// The function in numbers; the entry's parameter is its own.
fn size(function: &ir::Function, bytes: &[u8]) -> Size {
    let mut size = Size { code: bytes.len() as u64, ..Size::default() };
    for (index, block) in function.layout.blocks().enumerate() {
        size.parameters += if index == 0 { 0 } else { function.dfg.block_params(block).len() as u64 };
        size.instructions += function.layout.block_insts(block).count() as u64;
    }
    size
}

/// [`plant::Fault::ClifTrapCode`] takes one trap for the other.
fn told_apart(trap: Trap) -> Trap {
    if plant::on(plant::Fault::ClifTrapCode) { Trap::DivByZero } else { trap }
}

/// [`plant::Fault::ClifWrongRewrite`] stands for an optimization that is wrong.
#[cfg(feature = "plant")]
fn exchange_subtractions(function: &mut ir::Function) {
    let blocks: Vec<ir::Block> = function.layout.blocks().collect();
    let insts: Vec<ir::Inst> = blocks.into_iter().flat_map(|block| function.layout.block_insts(block)).collect();
    for inst in insts {
        if let ir::InstructionData::Binary { opcode: ir::Opcode::Isub, args } = &mut function.dfg.insts[inst] {
            args.swap(0, 1);
        }
    }
}

/// Runs a part of the compiler; a panic is a crash at this stage.
fn guard<R>(stage: Stage, body: impl FnOnce() -> R) -> Result<R, Stop> {
    now::enter(stage);
    catch(body).map_err(|message| Stop::fault(stage, FaultKind::Crash, message))
}

/// What an error of the compiler means.
fn stop_of(error: CodegenError) -> Stop {
    match error {
        CodegenError::Verifier(errors) => Stop::fault(Stage::Compile, FaultKind::Invalid, errors.to_string()),
        #[cfg(not(cranelift_before = "0.84"))]
        CodegenError::Regalloc(errors) => Stop::fault(Stage::Compile, FaultKind::Invalid, format!("{errors:?}")),
        other => Stop::unsupported(Stage::Compile, other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use cranelift_codegen::ir::{InstBuilder, types};
    use cranelift_frontend::FunctionBuilder;

    use super::*;
    use crate::case::{DEFAULT_FUEL, Program};
    use crate::lab;
    use crate::path::cranelift::promises::Promises;
    use crate::path::cranelift::{VARIANTS, emit, target};

    /// The fault that a lowering ends in which returns a value of this type.
    fn fault_of(ty: ir::Type) -> Option<Fault> {
        let isa = target(VARIANTS[0], &[]).expect("a target");
        let program = Program::Ssa(lab::parse_ssa("ssa\nentry:\n  ret 0").expect("a function"));
        let case = Case { program, vectors: vec![vec![]], fuel: DEFAULT_FUEL };
        let lower = |function: &mut ir::Function, context: &mut FunctionBuilderContext| {
            emit::declare(function, isa.as_ref());
            let mut builder = FunctionBuilder::new(function, context);
            let entry = builder.create_block();
            builder.switch_to_block(entry);
            emit::load_inputs(&mut builder, entry, 0, std::iter::empty(), Promises::Nothing);
            assert_ne!(ty, types::I8, "no bytes");
            let value = builder.ins().iconst(ty, 1);
            builder.ins().return_(&[value]);
            builder.seal_all_blocks();
            builder.finalize(isa.frontend_config());
        };
        let mut compiler = Compiler::new().expect("a compiler");
        let mut seen = Observation::empty();
        match compiler.observe(isa.as_ref(), lower, &case, Detail::default(), &mut seen) {
            Ok(()) => None,
            Err(Stop::Fault(fault)) => Some(fault),
            Err(Stop::Unsupported(unsupported)) => panic!("{unsupported:?}"),
        }
    }

    #[test]
    fn what_the_verifier_rejects_is_a_fault() {
        assert_eq!(fault_of(types::I64), None);
        let fault = fault_of(types::I32).expect("a fault");
        assert_eq!((fault.stage, fault.kind), (Stage::Construct, FaultKind::Invalid));
        assert!(fault.message.contains("return"), "{}", fault.message);
    }

    #[test]
    fn a_panic_is_a_fault() {
        let fault = fault_of(types::I8).expect("a fault");
        assert_eq!((fault.stage, fault.kind), (Stage::Construct, FaultKind::Crash));
        assert!(fault.message.contains("no bytes"), "{}", fault.message);
    }
}
