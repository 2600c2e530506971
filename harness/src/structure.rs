//! How good the constructed SSA is: its number of block parameters (or phis), path against path. Pure.

use crate::case::Program;
use crate::lab::{self, Atom, Dominators, Function};
use crate::op::Op;
use crate::tac;

/// The parameters of the blocks that the entry reaches. LLVM's raised functions have no others.
pub fn params(function: &Function) -> usize {
    let dominators = Dominators::of(function);
    let reachable =
        function.blocks.iter().enumerate().filter(|(index, _)| dominators.reachable(lab::Block(*index as u32)));
    reachable.map(|(_, block)| block.params.len()).sum()
}

/// The parameters of the lab's pruned function of a program's graph, copies seen through; none for other languages.
pub fn yardstick(program: &Program) -> Option<usize> {
    let cfg = match program {
        Program::Tiny(program) => tac::cfg(&tac::lower(program)),
        Program::Tac(program) => tac::cfg(program),
        Program::Ssa(_) | Program::Phi(_) => return None,
    };
    Some(least(lab::construct_live(&cfg)))
}

/// The parameters that remain when uses of a copy use its source and trivial parameters go.
pub fn least(mut function: Function) -> usize {
    see_through_copies(&mut function);
    lab::prune_trivial(&mut function);
    params(&function)
}

fn see_through_copies(function: &mut Function) {
    let mut source = vec![None; function.value_names.len()];
    for inst in function.blocks.iter().flat_map(|block| &block.body).filter(|inst| inst.op == Op::Copy) {
        source[inst.dest.index()] = Some(inst.args[0]);
    }
    lab::for_each_atom(function, |atom| {
        // In unreachable blocks copies may go round, so no more steps than there are names.
        for _ in 0..source.len() {
            let Atom::Value(value) = *atom else { break };
            let Some(from) = source[value.index()] else { break };
            *atom = from;
        }
    });
}
