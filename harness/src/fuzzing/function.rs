//! Functions for the lab's targets: generated ones, and small changes that make many of them invalid.

use arbitrary::Unstructured;

use crate::case::Program;
use crate::generate::Choices;
use crate::generate::function::{broken_function, broken_phi_function, valid_function, valid_phi_function};
use crate::lab::{Atom, Block, Function, Value};

/// A function in either form, valid or not; the smallest one when the choices run out.
pub fn generate(choices: &mut Unstructured<'_>) -> Program {
    let program = match choices.below(4) {
        0 => valid_function(choices).map(Program::Ssa),
        1 => broken_function(choices).map(Program::Ssa),
        2 => valid_phi_function(choices).map(Program::Phi),
        _ => broken_phi_function(choices).map(Program::Phi),
    };
    program.or_else(|_| valid_function(&mut Unstructured::new(&[])).map(Program::Ssa)).expect("choices may all be 0")
}

/// One to three small changes.
pub fn mutate(function: &mut Function, choices: &mut impl Choices) {
    for _ in 0..choices.between(1, 3) {
        change(function, choices);
    }
}

/// One change: to an operand, a definition, a target or an argument list.
fn change(function: &mut Function, choices: &mut impl Choices) {
    let blocks = function.blocks.len() as u32;
    let block = &mut function.blocks[choices.below(blocks) as usize];
    let any = Value(choices.below(function.value_names.len() as u32));
    let inst = choices.below(block.body.len() as u32) as usize;
    match choices.below(6) {
        0 => {
            if let Some(inst) = block.body.get_mut(inst) {
                let operand = choices.below(inst.op.arity() as u32) as usize;
                inst.operands_mut()[operand] = Atom::Value(any);
            }
        }
        1 => {
            if let Some(inst) = block.body.get_mut(inst) {
                inst.dest = any;
            }
        }
        2 => {
            let param = choices.below(block.params.len() as u32) as usize;
            if let Some(param) = block.params.get_mut(param) {
                *param = any;
            }
        }
        3 => {
            for target in block.term.targets_mut().take(1 + choices.below(2) as usize) {
                target.block = Block(choices.below(blocks));
            }
        }
        4 => {
            if let Some(target) = block.term.targets_mut().next() {
                let argument = choices.below(target.args.len() as u32) as usize;
                match target.args.get_mut(argument) {
                    Some(argument) => *argument = Atom::Value(any),
                    None => target.args.push(Atom::Value(any)),
                }
            }
        }
        _ => {
            if let Some(target) = block.term.targets_mut().last() {
                target.args.pop();
            }
        }
    }
}
