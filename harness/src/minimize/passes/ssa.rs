//! Block-argument functions, and functions in phi form by way of it (Algorithm 8.4.6 is an identity both ways).
//!
//! A valid function stays valid: a candidate that breaks a rule is not proposed. One that is invalid to begin with may
//! be reduced too, as long as its blocks can be told apart (S4).

use super::vectors::{self, without_input};
use super::{Attempt, Pass, arrays, chunks, constants, operations};
use crate::case::{Case, Program};
use crate::lab::{self, Atom, Block, BlockData, Function, Rule, Target, Terminator, Value};
use crate::names::{self, Names};

mod blocks;

/// What takes much away.
pub const COARSE: &[Pass] = &[
    vectors::KEEP_ONE,
    vectors::DROP_ONE,
    Pass { name: "drop unreachable blocks", attempt: |case, n| on_function(case, n, blocks::drop_unreachable) },
    Pass { name: "end blocks early", attempt: |case, n| on_function(case, n, blocks::end_early) },
    Pass { name: "drop blocks", attempt: |case, n| on_function(case, n, blocks::drop_block) },
    Pass { name: "drop arms", attempt: |case, n| on_function(case, n, blocks::drop_arms) },
    Pass { name: "delete instructions", attempt: |case, n| on_function(case, n, delete_instructions) },
    Pass { name: "replace instructions", attempt: |case, n| on_function(case, n, replace_instruction) },
    Pass { name: "drop parameters", attempt: |case, n| on_function(case, n, drop_parameter) },
    Pass { name: "join blocks", attempt: |case, n| on_function(case, n, blocks::join) },
    Pass { name: "bypass blocks", attempt: |case, n| on_function(case, n, blocks::bypass) },
];

/// What makes the rest simpler.
pub const FINE: &[Pass] = &[
    Pass { name: "drop inputs", attempt: drop_input },
    Pass { name: "operands to constants", attempt: |case, n| on_function(case, n, operand_to_constant) },
    Pass { name: "simpler operations", attempt: |case, n| on_function(case, n, simpler_operation) },
    Pass { name: "simplify constants", attempt: |case, n| on_function(case, n, simplify_constant) },
    Pass { name: "simplify arms", attempt: |case, n| on_function(case, n, blocks::simplify_arm) },
    arrays::SIMPLER,
    vectors::VALUES,
    Pass { name: "rename", attempt: |case, n| on_function(case, n, rename) },
];

/// Applies a pass over functions to the case's function.
fn on_function(case: &Case, n: usize, pass: fn(&Function, usize) -> Attempt<Function>) -> Attempt<Case> {
    let Some(function) = function_of(case) else { return Attempt::End };
    match pass(&function, n) {
        Attempt::Candidate(candidate) => with(case, &function, &candidate, case.vectors.clone()).into(),
        Attempt::Nothing => Attempt::Nothing,
        Attempt::End => Attempt::End,
    }
}

/// The case's function in block-argument form, if its blocks can be told apart.
pub fn function_of(case: &Case) -> Option<Function> {
    let function = match &case.program {
        Program::Ssa(function) => function.clone(),
        Program::Phi(function) if lab::validate_phi(function).is_empty() => lab::phi_to_args(function),
        Program::Phi(_) | Program::Tiny(_) | Program::Tac(_) => return None,
    };
    let listed = function.blocks.len();
    let clear = function.blocks.iter().enumerate().all(|(at, block)| {
        block.name.index() == at && block.term.targets().all(|target| target.block.index() < listed)
    });
    if clear { Some(function) } else { None }
}

/// The case with a changed function, in the case's form; nothing if a rule is broken that held before.
fn with(case: &Case, old: &Function, new: &Function, vectors: Vec<Vec<i64>>) -> Option<Case> {
    // Reading the text anew leaves the names that are still used, in the order of the form's own text.
    let function = lab::parse_ssa(&new.to_string()).ok()?;
    let faults = lab::validate(&function);
    if faults.iter().any(|fault| fault.rule == Rule::S4) || (!faults.is_empty() && lab::validate(old).is_empty()) {
        return None;
    }
    let program = match case.program {
        Program::Phi(_) if lab::conflicts(&function).is_empty() => {
            Program::Phi(lab::parse_phi(&lab::args_to_phi(&function).to_string()).ok()?)
        }
        Program::Phi(_) => return None,
        _ => Program::Ssa(function),
    };
    Some(Case { program, vectors, fuel: case.fuel })
}

/// Calls `visit` for every atom of a function, in the order of its text.
fn atoms_mut(function: &mut Function, mut visit: impl FnMut(&mut Atom)) {
    for block in &mut function.blocks {
        block.body.iter_mut().flat_map(|inst| inst.operands_mut()).for_each(&mut visit);
        block.term.atom_mut().map(&mut visit);
        block.term.targets_mut().flat_map(|target| &mut target.args).for_each(&mut visit);
    }
}

/// The atoms of a function in the same order.
fn atoms(function: &Function) -> Vec<Atom> {
    let mut all = Vec::new();
    atoms_mut(&mut function.clone(), |atom| all.push(*atom));
    all
}

/// Puts an atom wherever a value is used.
fn replace_uses(function: &mut Function, value: Value, new: Atom) {
    atoms_mut(function, |atom| {
        if *atom == Atom::Value(value) {
            *atom = new;
        }
    });
}

/// Where each instruction is: its block and its place there.
fn instructions(function: &Function) -> Vec<(usize, usize)> {
    let blocks = function.blocks.iter().enumerate();
    blocks.flat_map(|(at, block)| (0..block.body.len()).map(move |i| (at, i))).collect()
}

/// Deletes a range of instructions; 0 stands for their results.
fn delete_instructions(function: &Function, n: usize) -> Attempt<Function> {
    let places = instructions(function);
    let Some(range) = chunks(places.len()).nth(n) else { return Attempt::End };
    let mut less = function.clone();
    for &(at, i) in places[range].iter().rev() {
        let inst = less.blocks[at].body.remove(i);
        replace_uses(&mut less, inst.dest, Atom::Const(0));
    }
    Attempt::Candidate(less)
}

/// How many ways [`replace_instruction`] has for one instruction.
const REPLACEMENTS: usize = 4;

/// Deletes an instruction; 1 or one of its operands stands for its result.
fn replace_instruction(function: &Function, n: usize) -> Attempt<Function> {
    let Some(&(at, i)) = instructions(function).get(n / REPLACEMENTS) else { return Attempt::End };
    let inst = function.blocks[at].body[i];
    let new = match n % REPLACEMENTS {
        0 => Atom::Const(1),
        choice => match inst.operands().get(choice - 1) {
            Some(&operand) if operand != Atom::Value(inst.dest) => operand,
            _ => return Attempt::Nothing,
        },
    };
    let mut less = function.clone();
    less.blocks[at].body.remove(i);
    replace_uses(&mut less, inst.dest, new);
    Attempt::Candidate(less)
}

/// How many ways [`drop_parameter`] has for one parameter.
const DROPPINGS: usize = 4;

/// Drops a parameter with its arguments; 0, 1, or one of the first two arguments stands for it.
fn drop_parameter(function: &Function, n: usize) -> Attempt<Function> {
    let blocks = function.blocks.iter().enumerate();
    let mut params = blocks.flat_map(|(at, block)| (0..block.params.len()).map(move |i| (at, i)));
    let Some((at, i)) = params.nth(n / DROPPINGS) else { return Attempt::End };
    let mut less = function.clone();
    let dropped = less.blocks[at].params.remove(i);
    let mut passed = Vec::new();
    for target in less.blocks.iter_mut().flat_map(|block| block.term.targets_mut()) {
        if target.block.index() == at && i < target.args.len() {
            let argument = target.args.remove(i);
            if argument != Atom::Value(dropped) && !passed.contains(&argument) {
                passed.push(argument);
            }
        }
    }
    let new = match n % DROPPINGS {
        choice @ (0 | 1) => Atom::Const(choice as i64),
        choice => match passed.get(choice - 2) {
            Some(&argument) => argument,
            None => return Attempt::Nothing,
        },
    };
    replace_uses(&mut less, dropped, new);
    Attempt::Candidate(less)
}

/// Puts a simpler operation on the same operands.
fn simpler_operation(function: &Function, n: usize) -> Attempt<Function> {
    let mut places = instructions(function)
        .into_iter()
        .flat_map(|(at, i)| operations::simpler(function.blocks[at].body[i].op).into_iter().map(move |op| (at, i, op)));
    let Some((at, i, op)) = places.nth(n) else { return Attempt::End };
    let mut changed = function.clone();
    changed.blocks[at].body[i].op = op;
    Attempt::Candidate(changed)
}

/// Replaces one atom by 0 or by 1.
fn operand_to_constant(function: &Function, n: usize) -> Attempt<Function> {
    atom_changed(function, n / 2, (n % 2) as i64)
}

/// Replaces a constant by a simpler one.
fn simplify_constant(function: &Function, n: usize) -> Attempt<Function> {
    let all = atoms(function);
    let mut places = all.iter().enumerate().flat_map(|(at, atom)| {
        let simpler = if let Atom::Const(value) = atom { constants::simpler(*value) } else { Vec::new() };
        simpler.into_iter().map(move |new| (at, new))
    });
    match places.nth(n) {
        None => Attempt::End,
        Some((at, new)) => atom_changed(function, at, new),
    }
}

fn atom_changed(function: &Function, at: usize, value: i64) -> Attempt<Function> {
    let mut changed = function.clone();
    let mut seen = 0;
    atoms_mut(&mut changed, |atom| {
        if seen == at {
            *atom = Atom::Const(value);
        }
        seen += 1;
    });
    if at < seen { Attempt::Candidate(changed) } else { Attempt::End }
}

/// Names the values `a`, `b`, ... and the blocks too.
fn rename(function: &Function, n: usize) -> Attempt<Function> {
    if n > 0 {
        return Attempt::End;
    }
    let mut renamed = function.clone();
    renamed.value_names = short_names(function.value_names.len());
    renamed.block_names = short_names(function.block_names.len());
    Attempt::Candidate(renamed)
}

/// `a`, `b`, ...
pub fn short_names(count: usize) -> Names {
    let mut table = Names::default();
    for index in 0..count as u32 {
        table.push(names::short(index));
    }
    table
}

/// Drops an input; its value in the first vector, or 0, stands for it.
fn drop_input(case: &Case, n: usize) -> Attempt<Case> {
    let Some(function) = function_of(case) else { return Attempt::End };
    let input = n / 2;
    let Some(&dropped) = function.inputs.get(input) else { return Attempt::End };
    let Some(value) = case.vectors.first().map(|vector| vector[input]) else { return Attempt::End };
    let mut less = function.clone();
    less.inputs.remove(input);
    replace_uses(&mut less, dropped, Atom::Const(if n.is_multiple_of(2) { value } else { 0 }));
    with(case, &function, &less, without_input(&case.vectors, input)).into()
}
