//! The lab's phi form (Definition 8.4.3) written as LLVM's phis, so that LLVM's verifier judges Algorithm 8.4.6.
//!
//! Two things differ between the forms. LLVM wants an entry for each *edge*, the lesson one for each predecessor: a
//! multi-edge's entry is written twice. And LLVM's entry block has no predecessors: where the lab's has some, a block
//! of our own that loads the inputs stands before it. A division's guards split a block, so an edge leaves from the
//! last of the LLVM blocks that its source became.
//!
//! Values have 64 bits, or the narrowest type that holds them (`narrow.rs`). A narrow one is cut where it is defined,
//! and extended where a use wants more bits, as C compilers do with a `bool` and a `short`.

use inkwell::basic_block::BasicBlock;
use inkwell::values::IntValue;

use super::Stop;
use super::emit::Emitter;
use super::narrow::{self, Carrier};
use super::operations::Carried;
use crate::lab::{Atom, Block, PhiFunction, Terminator};
use crate::plant::{self, Fault};

/// Writes a valid function, each value with 64 bits or, if `narrow`, with as few as hold it.
pub fn emit(function: &PhiFunction, narrow: bool, emitter: &mut Emitter<'_, '_>) -> Result<(), Stop> {
    let mut has_predecessors = vec![false; function.blocks.len()];
    for target in function.blocks.iter().flat_map(|block| block.term.targets()) {
        has_predecessors[target.index()] = true;
    }
    let start = has_predecessors[0].then(|| emitter.own_block("start"));
    let blocks: Vec<BasicBlock> =
        (0..function.blocks.len() as u32).map(|index| emitter.block(&function.block_names, index)).collect();

    let wide = || vec![Carrier::WIDE; function.value_names.len()];
    let mut values = Values {
        carriers: if narrow { narrow::carriers(function) } else { wide() },
        written: vec![None; function.value_names.len()],
    };
    emitter.builder.position_at_end(start.unwrap_or(blocks[0]));
    emitter.declare_arrays(function.blocks.iter().flat_map(|block| &block.body).map(|inst| inst.op))?;
    for (index, &input) in function.inputs.iter().enumerate() {
        let name = emitter.name(&function.value_names, input.0);
        values.written[input.index()] = Some(emitter.input(index, function.inputs.len(), &name)?);
    }
    if start.is_some() {
        emitter.builder.build_unconditional_branch(blocks[0])?;
    }

    // All phis first, so that every use finds them.
    let mut phis = Vec::new();
    for (index, block) in function.blocks.iter().enumerate() {
        emitter.builder.position_at_end(blocks[index]);
        // A block without predecessors never runs, so that 0 does for its phis: one without entries is nothing to
        // build.
        for phi in block.phis.iter().filter(|_| has_predecessors[index]) {
            let ty = emitter.int_type(values.carriers[phi.dest.index()].bits);
            let written = emitter.phi(ty, &emitter.name(&function.value_names, phi.dest.0))?;
            values.written[phi.dest.index()] = Some(written.as_basic_value().into_int_value());
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
            let carrier = values.carriers[inst.dest.index()];
            values.written[inst.dest.index()] = Some(emitter.operation(inst.op, operands, carrier, &name)?);
        }
        ends[index] = emitter.current()?;
        match &block.term {
            Terminator::Br(target) => emitter.builder.build_unconditional_branch(blocks[target.index()])?,
            &Terminator::Cbr(atom, yes, no) => {
                let condition = emitter.condition(values.get(emitter, atom).value)?;
                emitter.builder.build_conditional_branch(condition, blocks[yes.index()], blocks[no.index()])?
            }
            Terminator::Switch(value, arms, default) => {
                let arms = arms.iter().map(|(constant, to)| (*constant, blocks[to.index()]));
                emitter.switch(values.wide(emitter, *value)?, arms, blocks[default.index()])?
            }
            Terminator::Ret(atom) => emitter.builder.build_return(Some(&values.wide(emitter, *atom)?))?,
            Terminator::Trap(_) => return Err(Stop::unsupported("trap")),
        };
    }

    for (index, phi, written) in phis {
        let mut entries = phi.entries.clone();
        if plant::on(Fault::LlvmPhiSwap) && entries.len() > 1 {
            (entries[0].1, entries[1].1) = (entries[1].1, entries[0].1);
        }
        for (predecessor, atom) in entries {
            // What an entry has to become, it becomes at the end of its block.
            let end = ends[predecessor.index()];
            match end.get_terminator() {
                Some(terminator) => emitter.builder.position_before(&terminator),
                None => return Err(Stop::harness("a block without an end")),
            }
            let bits = values.carriers[phi.dest.index()].bits;
            let value = emitter.resized(values.get(emitter, atom), bits, "")?;
            let edges = function.blocks[predecessor.index()].term.targets().filter(|target| target.index() == index);
            edges.for_each(|_| written.add_incoming(&[(&value, end)]));
        }
    }
    Ok(())
}

/// What each of the lab's values became, and the type that it has then.
struct Values<'ctx> {
    carriers: Vec<Carrier>,
    written: Vec<Option<IntValue<'ctx>>>,
}

impl<'ctx> Values<'ctx> {
    /// An operand. A value without definition so far is only used in unreachable blocks, which never run: 0 does.
    fn get(&self, emitter: &Emitter<'_, 'ctx>, atom: Atom) -> Carried<'ctx> {
        match atom {
            Atom::Const(value) => Carried::wide(emitter.constant(value)),
            Atom::Value(value) => match self.written[value.index()] {
                Some(written) => Carried {
                    value: written,
                    signed: self.carriers[value.index()].signed && !plant::on(Fault::LlvmCarriedSign),
                },
                None => Carried::wide(emitter.constant(0)),
            },
        }
    }

    /// An operand with all of its 64 bits.
    fn wide(&self, emitter: &Emitter<'_, 'ctx>, atom: Atom) -> Result<IntValue<'ctx>, Stop> {
        emitter.resized(self.get(emitter, atom), 64, "")
    }
}

/// The blocks in an order in which a definition comes before the uses that it dominates: reverse postorder, and after
/// it the unreachable blocks.
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
