//! Algorithm 8.4.6: phi form ↔ block arguments.
//!
//! Invariant: the i-th phi of a block is its i-th parameter, and the phi's entry for a predecessor is the i-th argument
//! of that predecessor's branch. Blocks, names, instructions and order stay as they are, so by Theorem 8.4.10 the two
//! directions undo each other. Linear in the size of the function with its arguments.

use crate::lab::{BlockData, Function, Phi, PhiBlock, PhiFunction, Target};
use crate::plant::{self, Fault};

/// ArgsToPhi. Precondition: no terminator passes different arguments to one block ([`crate::lab::split_conflicts`] sees
/// to that). The entries come out in the order of the predecessors' blocks.
pub fn args_to_phi(function: &Function) -> PhiFunction {
    let mut in_degree = vec![0; function.blocks.len()];
    for target in function.blocks.iter().flat_map(|block| block.term.targets()) {
        in_degree[target.block.index()] += 1;
    }
    let mut blocks: Vec<PhiBlock> = function
        .blocks
        .iter()
        .zip(in_degree)
        .map(|(block, in_degree)| PhiBlock {
            name: block.name,
            phis: block.params.iter().map(|&dest| Phi { dest, entries: Vec::with_capacity(in_degree) }).collect(),
            body: block.body.clone(),
            term: block.term.map(|target| target.block),
        })
        .collect();
    for block in &function.blocks {
        for target in block.term.targets() {
            for (phi, &argument) in blocks[target.block.index()].phis.iter_mut().zip(&target.args) {
                // All edges from one block come one after the other, and those to one block pass the same.
                if phi.entries.last().is_none_or(|&(predecessor, _)| predecessor != block.name) {
                    phi.entries.push((block.name, argument));
                }
            }
        }
    }
    if plant::on(Fault::LabPhiSwapEntries) {
        blocks.iter_mut().flat_map(|block| &mut block.phis).for_each(swap_last_two);
    }
    PhiFunction {
        inputs: function.inputs.clone(),
        blocks,
        value_names: function.value_names.clone(),
        block_names: function.block_names.clone(),
    }
}

/// The planted fault.
fn swap_last_two(phi: &mut Phi) {
    if let [.., (_, a), (_, b)] = &mut phi.entries[..] {
        std::mem::swap(a, b);
    }
}

/// PhiToArgs. Precondition: the function is well formed. If its entry block has predecessors, there is no valid
/// function in block-argument form, and the result violates S4.
pub fn phi_to_args(function: &PhiFunction) -> Function {
    let mut blocks: Vec<BlockData> = function
        .blocks
        .iter()
        .map(|block| BlockData {
            name: block.name,
            params: block.phis.iter().map(|phi| phi.dest).collect(),
            body: block.body.clone(),
            term: block.term.map(|&target| Target {
                block: target,
                args: Vec::with_capacity(function.blocks[target.index()].phis.len()),
            }),
        })
        .collect();
    // A block's phis come in order, so each finds the arguments of the ones before it in place.
    for block in &function.blocks {
        for &(predecessor, atom) in block.phis.iter().flat_map(|phi| &phi.entries) {
            let targets = blocks[predecessor.index()].term.targets_mut();
            targets.filter(|target| target.block == block.name).for_each(|target| target.args.push(atom));
        }
    }
    if plant::on(Fault::LabArgsOrder) {
        let targets = blocks.iter_mut().flat_map(|block| block.term.targets_mut());
        targets.filter(|target| target.args.len() > 1).for_each(|target| target.args.swap(0, 1));
    }
    Function {
        inputs: function.inputs.clone(),
        blocks,
        value_names: function.value_names.clone(),
        block_names: function.block_names.clone(),
    }
}
