//! Functions for the validator's target: constructed from TAC, then changed so that many of them are wrong.

use crate::generate::Choices;
use crate::lab::{self, Atom, Block, Function, Value};
use crate::tac;

/// A function of a TAC program, by one of the constructions, with at most three changes.
pub fn construct(program: &tac::Program, choices: &mut impl Choices) -> Function {
    let cfg = tac::cfg(program);
    let mut function =
        if choices.chance(50) { lab::construct_maximal(&cfg) } else { lab::construct_live(&cfg) };
    if choices.chance(50) {
        lab::prune_trivial(&mut function);
    }
    for _ in 0..choices.below(4) {
        mutate(&mut function, choices);
    }
    function
}

/// One small change: to a use, a definition, a target or an argument list.
pub fn mutate(function: &mut Function, choices: &mut impl Choices) {
    let blocks = function.blocks.len() as u32;
    let at = choices.below(blocks) as usize;
    let value = Value(choices.below(function.value_names.len() as u32));
    let data = &mut function.blocks[at];
    match choices.below(6) {
        0 => {
            let uses = data.body.len() as u32;
            if let Some(inst) = data.body.get_mut(choices.below(uses) as usize) {
                let operand = choices.below(inst.op.arity() as u32) as usize;
                inst.operands_mut()[operand] = Atom::Value(value);
            }
        }
        1 => {
            let definitions = data.body.len() as u32;
            if let Some(inst) = data.body.get_mut(choices.below(definitions) as usize) {
                inst.dest = value;
            }
        }
        2 => {
            let params = data.params.len() as u32;
            if let Some(param) = data.params.get_mut(choices.below(params) as usize) {
                *param = value;
            }
        }
        3 => {
            for target in data.term.targets_mut().take(1 + choices.below(2) as usize) {
                target.block = Block(choices.below(blocks));
            }
        }
        4 => {
            if let Some(target) = data.term.targets_mut().next() {
                let args = target.args.len() as u32;
                match target.args.get_mut(choices.below(args) as usize) {
                    Some(argument) => *argument = Atom::Value(value),
                    None => target.args.push(Atom::Value(value)),
                }
            }
        }
        _ => {
            if let Some(target) = data.term.targets_mut().last() {
                target.args.pop();
            }
        }
    }
}
