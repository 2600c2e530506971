//! Passes that are wrong on purpose: what the planted faults of [`plant`] do to a module after a pass has run.

use inkwell::llvm_sys::core::{LLVMGetOperand, LLVMSetNSW, LLVMSetOperand};
use inkwell::module::Module;
use inkwell::values::{AsValueRef, InstructionOpcode, InstructionValue};

use crate::plant::{self, Fault};

const SUMS: [InstructionOpcode; 2] = [InstructionOpcode::Add, InstructionOpcode::Sub];

/// Which block each addition and subtraction stands in, by address: what tells [`after`] which were moved.
pub type Places = Vec<(usize, usize)>;

/// To be called before a pass that runs alone.
pub fn before(pass: &str, module: &Module<'_>) -> Places {
    if plant::on(Fault::LlvmPassKeepsFlag) && pass.contains("licm") {
        instructions(module, &SUMS).into_iter().filter_map(place).collect()
    } else {
        Places::new()
    }
}

/// Changes the module if a fault of one of these passes is planted. `places` is what [`before`] gave.
pub fn after(passes: &str, module: &Module<'_>, places: &Places) {
    let planted = |fault, pass: &str| plant::on(fault) && passes.contains(pass);
    if planted(Fault::LlvmPassAddsFlag, "instcombine") {
        all(module, InstructionOpcode::Add, &set_nsw);
    }
    if !places.is_empty() {
        instructions(module, &SUMS).into_iter().filter(|&inst| is_moved(inst, places)).for_each(set_nsw);
    }
    if planted(Fault::LlvmPassSelectToAnd, "simplifycfg") {
        all(module, InstructionOpcode::Select, &|inst| select_to_and(module, inst));
    }
    if planted(Fault::LlvmPassPhiEntries, "gvn") {
        all(module, InstructionOpcode::Phi, &|inst| exchange_entries(module, inst));
    }
}

fn all<'ctx>(module: &Module<'ctx>, opcode: InstructionOpcode, change: &dyn Fn(InstructionValue<'ctx>)) {
    instructions(module, &[opcode]).into_iter().for_each(change);
}

fn instructions<'ctx>(module: &Module<'ctx>, opcodes: &[InstructionOpcode]) -> Vec<InstructionValue<'ctx>> {
    let blocks = module.get_functions().flat_map(|function| function.get_basic_blocks());
    blocks.flat_map(|block| block.get_instructions()).filter(|inst| opcodes.contains(&inst.get_opcode())).collect()
}

/// An instruction's address and its block's.
fn place(inst: InstructionValue<'_>) -> Option<(usize, usize)> {
    Some((inst.as_value_ref() as usize, inst.get_parent()?.as_mut_ptr() as usize))
}

/// Whether an instruction stood in another block before.
fn is_moved(inst: InstructionValue<'_>, places: &Places) -> bool {
    let Some((address, block)) = place(inst) else { return false };
    places.iter().any(|&(known, before)| known == address && before != block)
}

fn set_nsw(inst: InstructionValue<'_>) {
    // SAFETY: an addition or a subtraction of the module.
    unsafe { LLVMSetNSW(inst.as_value_ref(), 1) };
}

/// `select c, x, false` hides that `x` is poison where `c` does not hold; `and c, x` does not.
fn select_to_and(module: &Module<'_>, inst: InstructionValue<'_>) {
    let operand = |index| inst.get_operand(index).and_then(|operand| operand.value());
    let [Some(condition), Some(yes), Some(no)] = [operand(0), operand(1), operand(2)] else { return };
    let is_false = no.is_int_value() && no.into_int_value().get_zero_extended_constant() == Some(0);
    if is_false && condition.get_type() == yes.get_type() && yes.is_int_value() {
        let builder = module.get_context().create_builder();
        builder.position_before(&inst);
        let (condition, yes) = (condition.into_int_value(), yes.into_int_value());
        if let Some(and) = builder.build_and(condition, yes, "").ok().and_then(|and| and.as_instruction()) {
            inst.replace_all_uses_with(&and);
            inst.erase_from_basic_block();
        }
    }
}

/// Exchanges a phi's first two entries, if that leaves the function valid.
fn exchange_entries(module: &Module<'_>, inst: InstructionValue<'_>) {
    if inst.get_num_operands() < 2 {
        return;
    }
    let exchange = || {
        // SAFETY: a phi of the module with at least two entries, whose operands are the values of its entries.
        unsafe {
            let phi = inst.as_value_ref();
            let (first, second) = (LLVMGetOperand(phi, 0), LLVMGetOperand(phi, 1));
            LLVMSetOperand(phi, 0, second);
            LLVMSetOperand(phi, 1, first);
        }
    };
    exchange();
    if module.verify().is_err() {
        exchange();
    }
}
