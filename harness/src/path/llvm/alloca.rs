//! TAC with its variables as stack slots: the form that front ends hand to LLVM, and out of which its own `mem2reg` and
//! `sroa` construct SSA (Cytron et al. 1991, by iterated dominance frontiers; `PromoteMemoryToRegister.cpp`).

use inkwell::values::IntValue;

use super::Stop;
use super::emit::Emitter;
use super::narrow::Carrier;
use super::operations::Carried;
use crate::plant::{self, Fault};
use crate::tac::cfg::Terminator;
use crate::tac::{Atom, Cfg};

/// Writes the function: a slot for each variable, a load for each use, a store for each assignment. A `direct` branch
/// on the comparison that its block ends with takes the bit and loads nothing.
pub fn emit(cfg: &Cfg, direct: bool, emitter: &mut Emitter<'_, '_>) -> Result<(), Stop> {
    let blocks: Vec<_> = (0..cfg.blocks.len()).map(|index| emitter.own_block(&format!("B{index}"))).collect();
    emitter.builder.position_at_end(blocks[0]);
    let mut slots = Vec::with_capacity(cfg.variables.len());
    for variable in 0..cfg.variables.len() {
        slots.push(emitter.alloca(&emitter.name(&cfg.variables, variable as u32))?);
    }
    emitter.declare_arrays(cfg.blocks.iter().flat_map(|block| &block.body).map(|assign| assign.op))?;
    for (variable, &slot) in slots.iter().enumerate() {
        let first = if variable < cfg.inputs {
            emitter.input(variable, cfg.inputs, "")?
        } else {
            emitter.constant(i64::from(plant::on(Fault::LlvmInitOne)))
        };
        emitter.builder.build_store(slot, first)?;
    }
    for (block, &place) in cfg.blocks.iter().zip(&blocks) {
        emitter.builder.position_at_end(place);
        let mut last = None;
        for assign in &block.body {
            let mut operands = [emitter.constant(0); 3];
            for (operand, &atom) in operands.iter_mut().zip(assign.operands()) {
                *operand = read(emitter, &slots, atom)?;
            }
            let result = emitter.operation(assign.op, operands.map(Carried::wide), Carrier::WIDE, "")?;
            emitter.builder.build_store(slots[assign.dest.index()], result)?;
            last = Some((assign.dest, result));
        }
        match &block.term {
            Terminator::Br(target) => emitter.builder.build_unconditional_branch(blocks[*target])?,
            &Terminator::Cbr(atom, yes, no) => {
                let bit = match last {
                    Some((variable, result)) if direct && atom == Atom::Var(variable) => emitter.bit_of(result),
                    _ => None,
                };
                let condition = match bit {
                    Some(bit) => bit,
                    None => emitter.condition(read(emitter, &slots, atom)?)?,
                };
                emitter.builder.build_conditional_branch(condition, blocks[yes], blocks[no])?
            }
            Terminator::Switch(value, arms, default) => {
                let value = read(emitter, &slots, *value)?;
                emitter.switch(value, arms.iter().map(|&(constant, to)| (constant, blocks[to])), blocks[*default])?
            }
            Terminator::Ret(atom) => {
                let value = read(emitter, &slots, *atom)?;
                emitter.builder.build_return(Some(&value))?
            }
        };
    }
    Ok(())
}

fn read<'ctx>(
    emitter: &Emitter<'_, 'ctx>,
    slots: &[inkwell::values::PointerValue<'ctx>],
    atom: Atom,
) -> Result<IntValue<'ctx>, Stop> {
    match atom {
        Atom::Const(value) => Ok(emitter.constant(value)),
        Atom::Var(variable) => emitter.load(slots[variable.index()]),
    }
}
