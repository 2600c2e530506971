//! The rule of trivial parameters to the letter, one removal at a time (`docs/LANGUAGE.md` §6): slow and simple, what
//! [`prune_trivial`](super::prune_trivial) and Proposition 8.4.12 are held against.

use super::{for_each_atom, homes, incoming, retain_params, stands_above};
use crate::lab::dominators::Dominators;
use crate::lab::{Atom, Block, Function, Value};

/// The function after removing the first trivial parameter in listing order; nothing when there is none.
pub fn remove_first_trivial(function: &Function) -> Option<Function> {
    let (param, atom) = first_trivial(function)?;
    let mut next = function.clone();
    retain_params(&mut next, |other| other != param);
    for_each_atom(&mut next, |used| {
        if *used == Atom::Value(param) {
            *used = atom;
        }
    });
    Some(next)
}

/// The first trivial parameter, and what is to stand for it.
fn first_trivial(function: &Function) -> Option<(Value, Atom)> {
    let dominators = Dominators::of(function);
    let homes = homes(function);
    let incoming = incoming(function);
    for (number, block) in function.blocks.iter().enumerate() {
        let name = Block(number as u32);
        if !dominators.reachable(name) {
            continue;
        }
        for (index, &param) in block.params.iter().enumerate() {
            let args = incoming.of(number).iter().map(|args| args[index]);
            let mut others = args.filter(|&arg| arg != Atom::Value(param));
            if let Some(atom) = others.next()
                && others.all(|other| other == atom)
                && stands_above(atom, name, &homes, &dominators)
            {
                return Some((param, atom));
            }
        }
    }
    None
}
