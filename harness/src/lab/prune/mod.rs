//! Pruning of block parameters (lesson 8.4 §3, Proposition 8.4.12): the dead ones, then the trivial ones. Neither changes
//! blocks, instructions, terminators, inputs or what a run does (`docs/LANGUAGE.md` §6).

mod dead;
mod literal;
mod trivial;

use std::mem;

pub use dead::prune_dead;
pub use literal::remove_first_trivial;
pub use trivial::prune_trivial;

use super::dominators::Dominators;
use super::groups::Groups;
use super::{Atom, Block, Function, Terminator, Value};

/// For each block the argument lists of all branches to it, from unreachable blocks too, a multi-edge's twice.
fn incoming(function: &Function) -> Groups<&[Atom]> {
    let targets = function.blocks.iter().flat_map(|block| block.term.targets());
    let lists: Vec<_> = targets.map(|target| (target.block.index(), &target.args[..])).collect();
    Groups::collect(function.blocks.len(), &lists)
}

/// Where a name is defined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Home {
    /// Nowhere, or before the entry block: an input.
    Outside,
    /// As the parameter of a block with this index.
    Param { block: u32, index: u32 },
    /// By an instruction of a block.
    Inst { block: u32 },
}

/// The place of each name's definition.
fn homes(function: &Function) -> Vec<Home> {
    let mut homes = vec![Home::Outside; function.value_names.len()];
    for (number, block) in (0..).zip(&function.blocks) {
        for (index, param) in (0..).zip(&block.params) {
            homes[param.index()] = Home::Param { block: number, index };
        }
        for inst in &block.body {
            homes[inst.dest.index()] = Home::Inst { block: number };
        }
    }
    homes
}

/// The side condition of Proposition 8.4.12: whether an atom is a constant, an input, or defined in a block that
/// strictly dominates this one.
fn stands_above(atom: Atom, block: Block, homes: &[Home], dominators: &Dominators) -> bool {
    let Atom::Value(value) = atom else { return true };
    match homes[value.index()] {
        Home::Outside => true,
        Home::Param { block: home, .. } | Home::Inst { block: home } => {
            dominators.strictly_dominates(Block(home), block)
        }
    }
}

/// Removes all parameters but those to keep, with their arguments.
fn retain_params(function: &mut Function, keep: impl Fn(Value) -> bool) {
    let mut params: Vec<Vec<Value>> = function.blocks.iter_mut().map(|block| mem::take(&mut block.params)).collect();
    for target in function.blocks.iter_mut().flat_map(|block| block.term.targets_mut()) {
        let mut kept = params[target.block.index()].iter().map(|&param| keep(param));
        target.args.retain(|_| kept.next().unwrap_or(true));
    }
    for (block, mut params) in function.blocks.iter_mut().zip(params.drain(..)) {
        params.retain(|&param| keep(param));
        block.params = params;
    }
}

/// Visits every operand, condition, returned atom and argument.
fn for_each_atom(function: &mut Function, mut visit: impl FnMut(&mut Atom)) {
    for block in &mut function.blocks {
        block.body.iter_mut().flat_map(|inst| inst.operands_mut()).for_each(&mut visit);
        if let Terminator::Cbr(atom, ..) | Terminator::Ret(atom) = &mut block.term {
            visit(atom);
        }
        block.term.targets_mut().flat_map(|target| &mut target.args).for_each(&mut visit);
    }
}
