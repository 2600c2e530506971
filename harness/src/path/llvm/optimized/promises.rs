//! Promises that LLVM may rely on, exactly those that the case's runs keep: for the paths whose names end in `-flags`.
//!
//! The function is run as it is written, before any pass, on every vector of the case. What an instruction keeps each
//! time it runs, it promises: the flags of arithmetic, shifts, casts, comparisons and addresses, and the range of what
//! a load gives. Branches get the weights with which they were taken. An instruction that never runs promises nothing,
//! and none does when a run does not end or is undefined. `docs/POISON.md` says why no run that is compared meets
//! poison then.

use inkwell::context::Context;
use inkwell::llvm_sys::LLVMOpcode;
use inkwell::module::Module;
use inkwell::values::{BasicMetadataValueEnum, InstructionValue};

use super::c::{self, BlockObject, Object};
use super::{fuel, raise_with_places};
use crate::case::Case;
use crate::op::End;
use crate::optimized::{Interpreter, Seen};
use crate::path::llvm::emit::FUNCTION;
use crate::path::llvm::{Stop, compat};
use crate::plant::{self, Fault};

/// Makes the module's function promise what it keeps on the case's vectors.
pub fn add(context: &Context, module: &Module<'_>, case: &Case) -> Result<(), Stop> {
    let raised = raise_with_places(module).map_err(|reason| Stop::unsupported(&reason))?;
    let interpreter = Interpreter::new(&raised.function);
    let mut seen = Seen::new(&raised.function);
    let runs = if plant::on(Fault::LlvmFlagsOfFirstRun) { 1 } else { case.vectors.len() };
    for vector in case.vectors.iter().take(runs) {
        match interpreter.see(vector, fuel(case), &mut seen) {
            End::Return(_) | End::Trap(_) => {}
            End::OutOfFuel | End::Undefined => return Ok(()),
        }
    }
    for block in c::function(module, FUNCTION).into_iter().flat_map(Object::blocks) {
        for inst in block.instructions() {
            let Some(&value) = raised.values.get(&inst.address()) else { continue };
            compat::promise(inst.raw(), inst.opcode(), seen.kept(value));
            if let (LLVMOpcode::LLVMLoad, Some(range)) = (inst.opcode(), seen.range(value)) {
                let bound = |bound: u128| context.i64_type().const_int(bound as u64, false).into();
                describe(context, inst, "range", &[bound(range.from), bound(range.to)])?;
            }
        }
        let place = |block: BlockObject<'_>| raised.blocks.get(&block.address()).copied();
        if let (Some(from), Some(branch)) = (place(block), block.terminator()) {
            let taken = |to| place(to).map_or(0, |to| seen.taken(from, to));
            weigh(context, branch, branch.successors().map(taken).collect())?;
        }
    }
    Ok(())
}

/// Says how often a branch went to each of its targets, if it ever ran and has a choice.
fn weigh(context: &Context, branch: Object<'_>, taken: Vec<u64>) -> Result<(), Stop> {
    if taken.len() < 2 || taken.iter().all(|&times| times == 0) {
        return Ok(());
    }
    let weight = |times: u64| context.i32_type().const_int(times.min(u64::from(u32::MAX)), false).into();
    let name = context.metadata_string("branch_weights").into();
    let weights: Vec<_> = std::iter::once(name).chain(taken.into_iter().map(weight)).collect();
    describe(context, branch, "prof", &weights)
}

fn describe(
    context: &Context,
    inst: Object<'_>,
    kind: &str,
    operands: &[BasicMetadataValueEnum<'_>],
) -> Result<(), Stop> {
    // SAFETY: an instruction of a module that lives.
    let inst = unsafe { InstructionValue::new(inst.raw()) };
    let node = context.metadata_node(operands);
    inst.set_metadata(node, context.get_kind_id(kind)).map_err(|error| Stop::harness(&error.to_string()))
}
