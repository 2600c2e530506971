//! Functions for the lab's targets: generated ones, and small changes that make many of them invalid.

use arbitrary::{Result, Unstructured};

use crate::case::Program;
use crate::generate::Choices;
use crate::generate::breaks::{break_function, break_phi_function};
use crate::generate::function::{broken_function, broken_phi_function, valid_function, valid_phi_function};
use crate::lab::{Atom, Block, Clause, Function, PhiFunction, Value};

/// A function in either form, valid, with any faults, or broken in one named way; the smallest one when the choices run
/// out.
pub fn generate(choices: &mut Unstructured<'_>) -> Program {
    let program = match choices.below(6) {
        0 => valid_function(choices).map(Program::Ssa),
        1 => broken_function(choices).map(Program::Ssa),
        2 => valid_phi_function(choices).map(Program::Phi),
        3 => broken_phi_function(choices).map(Program::Phi),
        4 => named_break(choices).map(Program::Ssa),
        _ => named_phi_break(choices).map(Program::Phi),
    };
    program.or_else(|_| valid_function(&mut Unstructured::new(&[])).map(Program::Ssa)).expect("choices may all be 0")
}

/// A function that touches one clause, if it has a place for it.
fn named_break(choices: &mut Unstructured<'_>) -> Result<Function> {
    let mut function = valid_function(choices)?;
    break_function(&mut function, *choices.choose(Clause::ALL)?, choices)?;
    Ok(function)
}

/// The same in phi form.
fn named_phi_break(choices: &mut Unstructured<'_>) -> Result<PhiFunction> {
    let mut function = valid_phi_function(choices)?;
    break_phi_function(&mut function, *choices.choose(Clause::ALL)?, choices)?;
    Ok(function)
}

/// One to three small changes.
pub fn mutate(function: &mut Function, choices: &mut impl Choices) {
    for _ in 0..choices.between(1, 3) {
        change(function, choices);
    }
}

/// One change: to an operand, a definition, a target or an argument list.
fn change(function: &mut Function, choices: &mut impl Choices) {
    if function.value_names.is_empty() {
        // Nothing to use or define yet.
        function.value_names.push("x");
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::SplitMix64;
    use crate::lab::parse_ssa;

    #[test]
    fn a_function_without_names_can_be_changed_and_printed() {
        for seed in 0..100 {
            let mut function = parse_ssa("e:\n  br f()\nf:\n  ret 0\n").unwrap();
            mutate(&mut function, &mut SplitMix64::new(seed, 0));
            assert!(function.to_string().starts_with("ssa\ne"), "{function}");
        }
    }
}
