//! IR from a text: does it show by itself what was seen on a path?

use inkwell::memory_buffer::MemoryBuffer;

use crate::case::Case;
use crate::path::llvm::machine::{self, CodeGen, Machine};
use crate::path::llvm::object::Loaded;
use crate::path::llvm::session::{self, Session};
use crate::path::llvm::{Stop, conclude, optimized};
use crate::path::{FaultKind, Observation, Stage};

/// Runs a module's function as it is, and after these passes; without passes, after code generation that optimizes.
pub fn run_text(text: &str, passes: Option<&str>, case: &Case) -> [Observation; 2] {
    let codegen = if passes.is_some() { CodeGen::None } else { CodeGen::Default };
    [run(text, None, CodeGen::None, case), run(text, passes, codegen, case)]
}

fn run(text: &str, passes: Option<&str>, codegen: CodeGen, case: &Case) -> Observation {
    let mut observation = Observation::empty();
    let made = session::survive(|| {
        let session = Session::new();
        let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "repro");
        let module = session
            .context
            .create_module_from_ir(buffer)
            .map_err(|error| Stop::fault(Stage::Lower, FaultKind::Invalid, &error.to_string()))?;
        Machine::with(codegen, |machine| {
            let stage = Stage::Optimize;
            if let Some(passes) = passes {
                machine.run_unverified(&session, &module, passes, stage)?;
            }
            machine::verify(&module, stage)?;
            optimized::observe(&module, stage, case, &mut observation);
            Loaded::read(&machine.object(&session, &module)?)
        })
    });
    conclude(made, Stage::Optimize, case, &mut observation);
    observation
}
