//! The compiler itself: its target, its pipelines, its code generation and its verifier.

use std::cell::Cell;
use std::sync::Once;

use inkwell::OptimizationLevel;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{
    CodeModel, FileType, InitializationConfig, RelocMode, Target, TargetData, TargetMachine, TargetTriple,
};

use super::Stop;
use super::compat;
use super::session::{Session, survive};
use crate::path::{FaultKind, Stage};

/// The target: pinned, so that a finding doesn't depend on the machine that it was found on.
const TRIPLE: &str = "x86_64-unknown-linux-gnu";
/// The baseline that every x86-64 processor has.
const CPU: &str = "x86-64";
/// Nothing beyond the baseline.
const FEATURES: &str = "";

/// The compiler as a report names it.
pub fn description() -> String {
    format!("LLVM {}, {TRIPLE}, cpu {CPU} without further features, PIC, small code model", compat::version())
}

/// How much work code generation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeGen {
    /// clang's `-O0`: FastISel and the fast register allocator.
    None,
    /// clang's `-O2`.
    Default,
}

/// A target machine, for any number of modules of any contexts: it holds on to none of them.
pub struct Machine {
    machine: TargetMachine,
    data: TargetData,
}

thread_local! {
    /// The machines of this thread that are not in use, by [`CodeGen`].
    static IDLE: [Cell<Option<Machine>>; 2] = const { [Cell::new(None), Cell::new(None)] };
}

impl Machine {
    /// Lends this thread's machine for a level of code generation, made when there is none. If a fatal error ends
    /// `body`, the machine is left with whatever it was doing: it never comes back, and the next program gets a new
    /// one.
    pub fn with<R>(codegen: CodeGen, body: impl FnOnce(&Machine) -> Result<R, Stop>) -> Result<R, Stop> {
        let machine = match IDLE.with(|idle| idle[codegen as usize].take()) {
            Some(machine) => machine,
            None => Machine::new(codegen)?,
        };
        let result = body(&machine);
        IDLE.with(|idle| idle[codegen as usize].set(Some(machine)));
        result
    }

    fn new(codegen: CodeGen) -> Result<Machine, Stop> {
        static INITIALIZED: Once = Once::new();
        INITIALIZED.call_once(|| Target::initialize_x86(&InitializationConfig::default()));
        let level = match codegen {
            CodeGen::None => OptimizationLevel::None,
            CodeGen::Default => OptimizationLevel::Default,
        };
        let triple = TargetTriple::create(TRIPLE);
        let target = Target::from_triple(&triple).map_err(|message| Stop::harness(&message.to_string()))?;
        let machine = target
            .create_target_machine(&triple, CPU, FEATURES, level, RelocMode::PIC, CodeModel::Small)
            .ok_or_else(|| Stop::harness("LLVM makes no target machine"))?;
        let data = machine.get_target_data();
        Ok(Machine { machine, data })
    }

    /// Makes the module one for this target.
    pub fn adopt(&self, module: &Module<'_>) {
        module.set_triple(&self.machine.get_triple());
        module.set_data_layout(&self.data.get_data_layout());
    }

    /// Runs a pipeline in `opt`'s notation, then the verifier.
    pub fn run(&self, session: &Session, module: &Module<'_>, passes: &str, stage: Stage) -> Result<(), Stop> {
        self.run_unverified(session, module, passes, stage)?;
        verify(module, stage)
    }

    /// The same without the verifier, for who measures.
    pub fn run_unverified(
        &self,
        session: &Session,
        module: &Module<'_>,
        passes: &str,
        stage: Stage,
    ) -> Result<(), Stop> {
        let ran = module.run_passes(passes, &self.machine, PassBuilderOptions::create());
        session.check(stage)?;
        ran.map_err(|message| Stop::fault(stage, FaultKind::Crash, &message.to_string()))
    }

    /// An ELF object with the module's machine code.
    pub fn object(&self, session: &Session, module: &Module<'_>) -> Result<MemoryBuffer<'static>, Stop> {
        let written = self.machine.write_to_memory_buffer(module, FileType::Object);
        session.check(Stage::Compile)?;
        written.map_err(|message| Stop::fault(Stage::Compile, FaultKind::Crash, &message.to_string()))
    }
}

/// Why LLVM takes no such passes, if it doesn't. It reads them for a module that has nothing in it.
pub fn refusal(passes: &str) -> Option<String> {
    let ran = survive(|| {
        let session = Session::new();
        let module = session.context.create_module("nothing");
        Machine::with(CodeGen::None, |machine| machine.run_unverified(&session, &module, passes, Stage::Optimize))
    });
    match ran {
        Ok(Ok(()) | Err(Stop::Unsupported(_))) => None,
        Ok(Err(Stop::Fault(fault))) => Some(fault.message),
        Err(fatal) => Some(fatal),
    }
}

/// Asks LLVM's verifier.
pub fn verify(module: &Module<'_>, stage: Stage) -> Result<(), Stop> {
    module.verify().map_err(|message| Stop::fault(stage, FaultKind::Invalid, message.to_string().trim_end()))
}
