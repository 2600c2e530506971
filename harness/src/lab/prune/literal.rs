//! The rule of trivial parameters to the letter, one removal at a time (`docs/LANGUAGE.md` §6): slow and simple, what
//! [`prune_trivial`](super::prune_trivial) and Proposition 8.4.12 are held against.

use super::{Params, for_each_atom, incoming, retain_params};
use crate::lab::dominators::Dominators;
use crate::lab::{Atom, Block, BlockData, Function};

/// The function after removing the first trivial parameter in listing order; nothing when there is none.
pub fn remove_first_trivial(function: &Function) -> Option<Function> {
    let dominators = Dominators::of(function);
    let incoming = incoming(function);
    let params = Params::of(function);
    for number in 0..params.len() as u32 {
        let (block, index) = params.place(number);
        let itself = Atom::Value(function.blocks[block.index()].params[index]);
        let mut others = incoming.of(block.index()).iter().map(|args| args[index]).filter(|&arg| arg != itself);
        if dominators.reachable(block)
            && let Some(atom) = others.next()
            && others.all(|other| other == atom)
            && stands_above(atom, block, function, &dominators)
        {
            let mut next = function.clone();
            retain_params(&mut next, |other| other != number);
            for_each_atom(&mut next, |used| *used = if *used == itself { atom } else { *used });
            return Some(next);
        }
    }
    None
}

/// The side condition of Proposition 8.4.12: whether an atom is a constant, an input, or defined in a block that
/// strictly dominates this one.
fn stands_above(atom: Atom, block: Block, function: &Function, dominators: &Dominators) -> bool {
    let Atom::Value(value) = atom else { return true };
    let defines = |data: &BlockData| data.params.contains(&value) || data.body.iter().any(|inst| inst.dest == value);
    match function.blocks.iter().position(defines) {
        Some(home) => dominators.strictly_dominates(Block(home as u32), block),
        None => function.inputs.contains(&value),
    }
}
