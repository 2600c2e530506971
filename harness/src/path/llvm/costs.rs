//! Parts of what a path does, each alone, for who measures them.

use std::time::{Duration, Instant};

use inkwell::module::Module;
use inkwell::values::InstructionOpcode;

use super::emit::Emitter;
use super::machine::{CodeGen, Machine};
use super::session::{self, Session};
use super::{Stop, alloca, optimized};
use crate::case::Case;
use crate::path::Stage;
use crate::tac;

/// mem2reg's construction alone, to compare constructions by cost and size: the number of phis.
pub fn construct(cfg: &tac::Cfg) -> Result<usize, String> {
    alone(cfg, |machine, session, module| {
        machine.run_unverified(session, module, "mem2reg", Stage::Construct)?;
        let blocks = module.get_functions().flat_map(|function| function.get_basic_blocks());
        let phis = |block: inkwell::basic_block::BasicBlock<'_>| {
            block.get_instructions().take_while(|inst| inst.get_opcode() == InstructionOpcode::Phi).count()
        };
        Ok(blocks.map(phis).sum())
    })
}

/// What a pipeline costs, and what it costs to look at what it makes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Costs {
    /// The passes.
    pub passes: Duration,
    /// Raising what they made.
    pub raise: Duration,
    /// Running that on each of the case's vectors.
    pub interpret: Duration,
}

/// The costs of a pipeline in `opt`'s notation on a graph of the case's program.
pub fn costs(cfg: &tac::Cfg, passes: &str, case: &Case) -> Result<Costs, String> {
    alone(cfg, |machine, session, module| {
        let begin = Instant::now();
        machine.run_unverified(session, module, passes, Stage::Optimize)?;
        let optimized = Instant::now();
        let function = optimized::raise(module).map_err(|reason| Stop::unsupported(&reason))?;
        let raised = Instant::now();
        optimized::outcomes(&function, case);
        Ok(Costs { passes: optimized - begin, raise: raised - optimized, interpret: raised.elapsed() })
    })
}

/// Does something with a graph that is written with its variables in memory.
fn alone<R>(
    cfg: &tac::Cfg,
    body: impl FnOnce(&Machine, &Session, &Module<'_>) -> Result<R, Stop>,
) -> Result<R, String> {
    let made = session::survive(|| {
        let session = Session::new();
        let module = session.context.create_module("roundtrip");
        Machine::with(CodeGen::None, |machine| {
            machine.adopt(&module);
            alloca::emit(cfg, false, &mut Emitter::new(&session.context, &module, false))?;
            body(machine, &session, &module)
        })
    });
    made?.map_err(Stop::message)
}
