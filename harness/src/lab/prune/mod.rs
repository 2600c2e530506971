//! Pruning of block parameters (lesson 8.4 §3, Proposition 8.4.12): the dead ones, then the trivial ones. Neither
//! changes blocks, instructions, terminators, inputs or what a run does (`docs/LANGUAGE.md` §6).

mod dead;
mod literal;
mod trivial;

pub use dead::prune_dead;
pub use literal::remove_first_trivial;
pub use trivial::prune_trivial;

use super::groups::Groups;
use super::{Atom, Block, Function};

/// For each block the argument lists of all branches to it, from unreachable blocks too, one for each edge.
fn incoming(function: &Function) -> Groups<&[Atom]> {
    let targets = function.blocks.iter().flat_map(|block| block.term.targets());
    let lists: Vec<_> = targets.map(|target| (target.block.0, &target.args[..])).collect();
    Groups::collect(function.blocks.len(), &lists)
}

/// A function's parameters, numbered in listing order.
struct Params {
    /// By value: the number of the parameter that it is, or [`NONE`].
    numbers: Vec<u32>,
    /// By number: its block.
    blocks: Vec<Block>,
    /// By block: the number of its first parameter.
    firsts: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Params {
    fn of(function: &Function) -> Params {
        let mut numbers = vec![NONE; function.value_names.len()];
        let mut blocks = Vec::with_capacity(function.param_count());
        let mut firsts = Vec::with_capacity(function.blocks.len());
        for (block, data) in (0..).map(Block).zip(&function.blocks) {
            let first = blocks.len() as u32;
            firsts.push(first);
            for (number, param) in (first..).zip(&data.params) {
                numbers[param.index()] = number;
            }
            blocks.resize(blocks.len() + data.params.len(), block);
        }
        Params { numbers, blocks, firsts }
    }

    /// How many there are.
    fn len(&self) -> usize {
        self.blocks.len()
    }

    /// The number of the parameter that an atom is, or [`NONE`].
    #[inline]
    fn number(&self, atom: Atom) -> u32 {
        match atom {
            Atom::Value(value) => self.numbers[value.index()],
            Atom::Const(_) => NONE,
        }
    }

    /// A parameter's block, and its place among that block's parameters.
    #[inline]
    fn place(&self, number: u32) -> (Block, usize) {
        let block = self.blocks[number as usize];
        (block, (number - self.firsts[block.index()]) as usize)
    }
}

/// Removes all parameters but those to keep, given by their numbers, with their arguments.
fn retain_params(function: &mut Function, keep: impl Fn(u32) -> bool) {
    // The number of each block's first parameter, if it loses one.
    let mut losers = Vec::with_capacity(function.blocks.len());
    let mut first = 0;
    for block in &mut function.blocks {
        let end = first + block.params.len() as u32;
        if (first..end).all(&keep) {
            losers.push(None);
        } else {
            losers.push(Some(first));
            retain_by_number(&mut block.params, first, &keep);
        }
        first = end;
    }
    for target in function.blocks.iter_mut().flat_map(|block| block.term.targets_mut()) {
        if let Some(first) = losers[target.block.index()] {
            retain_by_number(&mut target.args, first, &keep);
        }
    }
}

/// Keeps the items, numbered from `first`, whose numbers are to be kept.
fn retain_by_number<T>(items: &mut Vec<T>, first: u32, keep: impl Fn(u32) -> bool) {
    let mut numbers = first..;
    items.retain(|_| numbers.next().is_some_and(&keep));
}

/// Visits every operand, condition, returned atom and argument of a function.
pub fn for_each_atom(function: &mut Function, mut visit: impl FnMut(&mut Atom)) {
    for block in &mut function.blocks {
        for inst in &mut block.body {
            inst.operands_mut().iter_mut().for_each(&mut visit);
        }
        block.term.atom_mut().map(&mut visit);
        for target in block.term.targets_mut() {
            target.args.iter_mut().for_each(&mut visit);
        }
    }
}
