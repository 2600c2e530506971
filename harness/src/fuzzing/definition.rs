//! Definition 8.4.4 word by word, as the oracle for Algorithm 8.4.5 (Theorem 8.4.8).
//!
//! Dominance is its definition here: D dominates B if B cannot be reached once D is taken out. No tables, no dominator
//! tree, nothing of the validator's: slow and plain.

use std::collections::BTreeSet;

use crate::lab::{Atom, Block, Function, Rule, Value};

/// A place: a block's index, and in it -1 for parameters, i for instruction i, the number of instructions for the
/// terminator. Inputs have none.
type Place = (usize, isize);

/// The rules that a function violates. As in Algorithm 8.4.5, S2 is judged only when the others hold.
pub fn violated(function: &Function) -> BTreeSet<Rule> {
    let mut rules = BTreeSet::new();
    let definitions = definitions(function);
    let defined: BTreeSet<Value> = definitions.iter().map(|(value, _)| *value).collect();
    if defined.len() < definitions.len() {
        rules.insert(Rule::S1);
    }
    let names: BTreeSet<Block> = function.blocks.iter().map(|block| block.name).collect();
    let entry_is_sound = function.blocks.first().is_some_and(|entry| entry.params.is_empty());
    if names.len() < function.blocks.len() || !entry_is_sound {
        rules.insert(Rule::S4);
    }
    for target in function.blocks.iter().flat_map(|block| block.term.targets()) {
        match function.blocks.iter().find(|block| block.name == target.block) {
            None => drop(rules.insert(Rule::S4)),
            Some(block) if block.params.len() != target.args.len() => drop(rules.insert(Rule::S3)),
            Some(_) => {}
        }
        if function.blocks.first().is_some_and(|entry| entry.name == target.block) {
            rules.insert(Rule::S4);
        }
    }
    if rules.is_empty() && !uses(function).iter().all(|&(value, place)| is_sound(function, &definitions, value, place)) {
        rules.insert(Rule::S2);
    }
    rules
}

fn definitions(function: &Function) -> Vec<(Value, Option<Place>)> {
    let inputs = function.inputs.iter().map(|&value| (value, None));
    let blocks = function.blocks.iter().enumerate().flat_map(|(at, block)| {
        let params = block.params.iter().map(move |&value| (value, Some((at, -1))));
        params.chain(block.body.iter().enumerate().map(move |(i, inst)| (inst.dest, Some((at, i as isize)))))
    });
    inputs.chain(blocks).collect()
}

fn uses(function: &Function) -> Vec<(Value, Place)> {
    let mut uses = Vec::new();
    let mut add = |atom: Atom, place| {
        if let Atom::Value(value) = atom {
            uses.push((value, place));
        }
    };
    for (at, block) in function.blocks.iter().enumerate() {
        for (i, inst) in block.body.iter().enumerate() {
            inst.operands().iter().for_each(|&atom| add(atom, (at, i as isize)));
        }
        let end = (at, block.body.len() as isize);
        block.term.atom().into_iter().for_each(|atom| add(atom, end));
        block.term.targets().flat_map(|target| &target.args).for_each(|&atom| add(atom, end));
    }
    uses
}

/// S2 for one use.
fn is_sound(function: &Function, definitions: &[(Value, Option<Place>)], value: Value, (block, at): Place) -> bool {
    if !reaches(function, block, None) {
        return true;
    }
    match definitions.iter().find(|(defined, _)| *defined == value) {
        None => false,
        Some((_, None)) => true,
        Some((_, Some((home, defined_at)))) if *home == block => *defined_at < at,
        Some((_, Some((home, _)))) => !reaches(function, block, Some(*home)),
    }
}

/// Whether control can get from the entry to a block without passing through `removed`.
fn reaches(function: &Function, block: usize, removed: Option<usize>) -> bool {
    let mut seen = vec![false; function.blocks.len()];
    let mut waiting = vec![0];
    while let Some(at) = waiting.pop() {
        if Some(at) != removed && !std::mem::replace(&mut seen[at], true) {
            waiting.extend(function.blocks[at].term.targets().map(|target| target.block.index()));
        }
    }
    seen[block]
}
