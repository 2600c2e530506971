//! The lab's phi form (Definition 8.4.3) written as LLVM's phis, so that LLVM's verifier judges Algorithm 8.4.6.
//!
//! Two things differ between the forms. LLVM wants an entry for each *edge*, the lesson one for each predecessor: a
//! multi-edge's entry is written twice. And LLVM's entry block has no predecessors: where the lab's has some, a block
//! of our own that loads the inputs stands before it. A division's guards split a block, so an edge leaves from the
//! last of the LLVM blocks that its source became.

use inkwell::basic_block::BasicBlock;
use inkwell::values::IntValue;

use super::Stop;
use super::emit::Emitter;
use crate::lab::{Atom, Block, PhiFunction, Terminator};
use crate::plant::{self, Fault};

/// Writes a valid function.
pub fn emit(function: &PhiFunction, emitter: &mut Emitter<'_, '_>) -> Result<(), Stop> {
    let mut has_predecessors = vec![false; function.blocks.len()];
    for target in function.blocks.iter().flat_map(|block| block.term.targets()) {
        has_predecessors[target.index()] = true;
    }
    let start = has_predecessors[0].then(|| emitter.own_block("start"));
    let blocks: Vec<BasicBlock> =
        (0..function.blocks.len() as u32).map(|index| emitter.block(&function.block_names, index)).collect();

    let mut values = Values(vec![None; function.value_names.len()]);
    emitter.builder.position_at_end(start.unwrap_or(blocks[0]));
    emitter.declare_arrays(function.blocks.iter().flat_map(|block| &block.body).map(|inst| inst.op))?;
    for (index, &input) in function.inputs.iter().enumerate() {
        let name = emitter.name(&function.value_names, input.0);
        values.0[input.index()] = Some(emitter.input(index, function.inputs.len(), &name)?);
    }
    if start.is_some() {
        emitter.builder.build_unconditional_branch(blocks[0])?;
    }

    // All phis first, so that every use finds them.
    let mut phis = Vec::new();
    for (index, block) in function.blocks.iter().enumerate() {
        emitter.builder.position_at_end(blocks[index]);
        // A block without predecessors never runs, so that 0 does for its phis: one without entries is nothing to build.
        for phi in block.phis.iter().filter(|_| has_predecessors[index]) {
            let written = emitter.phi(&emitter.name(&function.value_names, phi.dest.0))?;
            values.0[phi.dest.index()] = Some(written.as_basic_value().into_int_value());
            phis.push((index, phi, written));
        }
    }

    let mut ends = blocks.clone();
    for index in definitions_first(function) {
        let block = &function.blocks[index];
        emitter.builder.position_at_end(blocks[index]);
        for inst in &block.body {
            let operands = inst.args.map(|atom| values.get(emitter, atom));
            let name = emitter.name(&function.value_names, inst.dest.0);
            values.0[inst.dest.index()] = Some(emitter.operation(inst.op, operands, &name)?);
        }
        ends[index] = emitter.current()?;
        match &block.term {
            Terminator::Br(target) => emitter.builder.build_unconditional_branch(blocks[target.index()])?,
            &Terminator::Cbr(atom, yes, no) => {
                let condition = emitter.condition(values.get(emitter, atom))?;
                emitter.builder.build_conditional_branch(condition, blocks[yes.index()], blocks[no.index()])?
            }
            Terminator::Switch(value, arms, default) => {
                let arms = arms.iter().map(|(constant, to)| (*constant, blocks[to.index()]));
                emitter.switch(values.get(emitter, *value), arms, blocks[default.index()])?
            }
            Terminator::Ret(atom) => emitter.builder.build_return(Some(&values.get(emitter, *atom)))?,
            Terminator::Trap(_) => return Err(Stop::unsupported("trap")),
        };
    }

    for (index, phi, written) in phis {
        let mut entries = phi.entries.clone();
        if plant::on(Fault::LlvmPhiSwap) && entries.len() > 1 {
            (entries[0].1, entries[1].1) = (entries[1].1, entries[0].1);
        }
        for (predecessor, atom) in entries {
            let value = values.get(emitter, atom);
            let edges = function.blocks[predecessor.index()].term.targets().filter(|target| target.index() == index);
            edges.for_each(|_| written.add_incoming(&[(&value, ends[predecessor.index()])]));
        }
    }
    Ok(())
}

/// What each of the lab's values became.
struct Values<'ctx>(Vec<Option<IntValue<'ctx>>>);

impl<'ctx> Values<'ctx> {
    /// An operand. A value without definition so far is only used in unreachable blocks, which never run: 0 does.
    fn get(&self, emitter: &Emitter<'_, 'ctx>, atom: Atom) -> IntValue<'ctx> {
        match atom {
            Atom::Const(value) => emitter.constant(value),
            Atom::Value(value) => self.0[value.index()].unwrap_or_else(|| emitter.constant(0)),
        }
    }
}

/// The blocks in an order in which a definition comes before the uses that it dominates: reverse postorder, and after it
/// the unreachable blocks.
fn definitions_first(function: &PhiFunction) -> Vec<usize> {
    let targets = |index: usize| function.blocks[index].term.targets().copied().map(Block::index);
    let mut seen = vec![false; function.blocks.len()];
    let mut order = Vec::with_capacity(function.blocks.len());
    let mut stack = vec![(0, targets(0).collect::<Vec<_>>())];
    seen[0] = true;
    while let Some((index, rest)) = stack.last_mut() {
        match rest.pop() {
            Some(target) if seen[target] => {}
            Some(target) => {
                seen[target] = true;
                stack.push((target, targets(target).collect()));
            }
            None => {
                order.push(*index);
                stack.pop();
            }
        }
    }
    order.reverse();
    order.extend((0..function.blocks.len()).filter(|&index| !seen[index]));
    order
}
