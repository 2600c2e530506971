//! TAC: on its lines.

use std::collections::HashSet;

use super::vectors::{self, without_input};
use super::{Attempt, Pass, arrays, chunks, constants, operations};
use crate::case::{Case, Program as AnyProgram};
use crate::names;
use crate::op::Op;
use crate::tac::{self, Assign, Atom, Label, Line, Program, Var};

/// What takes much away.
pub const COARSE: &[Pass] = &[
    vectors::KEEP_ONE,
    vectors::DROP_ONE,
    Pass { name: "return early", attempt: |case, n| on_lines(case, n, return_early) },
    Pass { name: "delete lines", attempt: |case, n| on_lines(case, n, delete_lines) },
    Pass { name: "drop arms", attempt: |case, n| on_lines(case, n, drop_arms) },
    Pass { name: "jump always", attempt: |case, n| on_lines(case, n, jump_always) },
    Pass { name: "simplify operations", attempt: |case, n| on_lines(case, n, simplify_operation) },
    Pass { name: "fold", attempt: |case, n| on_lines(case, n, fold) },
];

/// What makes the rest simpler.
pub const FINE: &[Pass] = &[
    Pass { name: "propagate copies", attempt: |case, n| on_lines(case, n, propagate) },
    Pass { name: "drop inputs", attempt: drop_input },
    Pass { name: "operands to constants", attempt: |case, n| on_lines(case, n, operand_to_constant) },
    Pass { name: "switch to if", attempt: |case, n| on_lines(case, n, switch_to_if) },
    Pass { name: "simplify arms", attempt: |case, n| on_lines(case, n, simplify_arm) },
    Pass { name: "merge variables", attempt: |case, n| on_lines(case, n, merge_variables) },
    Pass { name: "retarget jumps", attempt: |case, n| on_lines(case, n, retarget) },
    Pass { name: "simpler operations", attempt: |case, n| on_lines(case, n, simpler_operation) },
    Pass { name: "simplify constants", attempt: |case, n| on_lines(case, n, simplify_constant) },
    arrays::SIMPLER,
    vectors::VALUES,
    Pass { name: "rename", attempt: rename },
];

/// Applies a pass from a program to new lines, and makes those valid if that can be done.
fn on_lines(case: &Case, n: usize, pass: fn(&Program, usize) -> Attempt<Vec<Line>>) -> Attempt<Case> {
    let AnyProgram::Tac(program) = &case.program else { return Attempt::End };
    match pass(program, n) {
        Attempt::Candidate(lines) => with(case, program, lines, program.inputs, case.vectors.clone()).into(),
        Attempt::Nothing => Attempt::Nothing,
        Attempt::End => Attempt::End,
    }
}

/// A case with these lines over the variables and labels of `program`: without jumps to labels that are gone, and
/// without labels that no jump names. Nothing if the end can be reached.
fn with(case: &Case, program: &Program, mut lines: Vec<Line>, inputs: usize, vectors: Vec<Vec<i64>>) -> Option<Case> {
    let labels: HashSet<Label> =
        lines.iter().filter_map(|line| if let Line::Label(label) = line { Some(*label) } else { None }).collect();
    for line in &mut lines {
        if let Line::Switch { arms, .. } = line {
            arms.retain(|(_, target)| labels.contains(target));
        }
    }
    lines.retain(|line| line.targets().all(|target| labels.contains(&target)));
    let named: HashSet<Label> = lines.iter().flat_map(Line::targets).collect();
    lines.retain(|line| !matches!(line, Line::Label(label) if !named.contains(label)));
    if !lines.last().is_some_and(Line::leaves) {
        return None;
    }
    let variable = |var: Var| program.variables.get(var.0).to_string().into();
    let label = |label: Label| program.labels.get(label.0).to_string().into();
    let program = tac::assemble(lines, inputs, variable, label);
    Some(Case { program: AnyProgram::Tac(program), vectors, fuel: case.fuel })
}

/// Ends the program at its `n`th line and returns what that computes or depends on.
fn return_early(program: &Program, n: usize) -> Attempt<Vec<Line>> {
    let (kept, value) = match program.lines.get(n) {
        None => return Attempt::End,
        Some(Line::Assign(assign)) => (n + 1, Atom::Var(assign.dest)),
        Some(Line::If { cond: atom, .. } | Line::Switch { value: atom, .. }) => (n, *atom),
        Some(Line::Label(_) | Line::Goto(_) | Line::Ret(_)) => return Attempt::Nothing,
    };
    let mut lines = program.lines[..kept].to_vec();
    lines.push(Line::Ret(value));
    Attempt::Candidate(lines)
}

/// Deletes a range of lines: long ranges first.
fn delete_lines(program: &Program, n: usize) -> Attempt<Vec<Line>> {
    let Some(range) = chunks(program.lines.len()).nth(n) else { return Attempt::End };
    let mut lines = program.lines.clone();
    lines.drain(range);
    Attempt::Candidate(lines)
}

/// Makes a jump unconditional: to where an `if` or the first arm of a `switch` goes, or to where its rest goes.
/// (Deleting an `if` is its other way.)
fn jump_always(program: &Program, n: usize) -> Attempt<Vec<Line>> {
    match (program.lines.get(n / 2), n % 2) {
        (None, _) => Attempt::End,
        (Some(&Line::If { target, .. }), 0) => changed(program, n / 2, Line::Goto(target)),
        (Some(&Line::Switch { default, .. }), 0) => changed(program, n / 2, Line::Goto(default)),
        (Some(Line::Switch { arms, .. }), 1) if !arms.is_empty() => changed(program, n / 2, Line::Goto(arms[0].1)),
        _ => Attempt::Nothing,
    }
}

/// Takes arms from a `switch`: all of them, halves, .., single ones.
fn drop_arms(program: &Program, n: usize) -> Attempt<Vec<Line>> {
    let mut ranges = program.lines.iter().enumerate().flat_map(|(at, line)| {
        let arms = if let Line::Switch { arms, .. } = line { arms.len() } else { 0 };
        chunks(arms).map(move |range| (at, range))
    });
    let Some((at, range)) = ranges.nth(n) else { return Attempt::End };
    let mut lines = program.lines.clone();
    if let Line::Switch { arms, .. } = &mut lines[at] {
        arms.drain(range);
    }
    Attempt::Candidate(lines)
}

/// Puts an `if` or `ifz` and a jump in the place of a `switch` with one arm.
fn switch_to_if(program: &Program, n: usize) -> Attempt<Vec<Line>> {
    match program.lines.get(n / 2) {
        None => Attempt::End,
        Some(Line::Switch { value, arms, default }) if arms.len() == 1 => {
            let mut lines = program.lines.clone();
            let when = n.is_multiple_of(2);
            let conditional = Line::If { when, cond: *value, target: arms[0].1 };
            lines.splice(n / 2..=n / 2, [conditional, Line::Goto(*default)]);
            Attempt::Candidate(lines)
        }
        Some(_) => Attempt::Nothing,
    }
}

/// How many ways [`simplify_operation`] has for one line.
const SIMPLER: usize = 5;

/// Replaces an operation by a copy of 0, of 1, or of one of its operands.
fn simplify_operation(program: &Program, n: usize) -> Attempt<Vec<Line>> {
    let assign = match program.lines.get(n / SIMPLER) {
        None => return Attempt::End,
        Some(Line::Assign(assign)) => assign,
        Some(_) => return Attempt::Nothing,
    };
    let value = match n % SIMPLER {
        choice @ (0 | 1) => Atom::Const(choice as i64),
        choice => match assign.operands().get(choice - 2) {
            Some(&operand) if assign.op != Op::Copy => operand,
            _ => return Attempt::Nothing,
        },
    };
    changed(program, n / SIMPLER, Line::Assign(Assign::new(assign.dest, Op::Copy, &[value])))
}

/// Puts a simpler operation on the same operands.
fn simpler_operation(program: &Program, n: usize) -> Attempt<Vec<Line>> {
    let mut places = program.lines.iter().enumerate().flat_map(|(at, line)| {
        let assign = if let Line::Assign(assign) = line { Some(*assign) } else { None };
        assign.into_iter().flat_map(move |assign| {
            operations::simpler(assign.op).into_iter().map(move |op| (at, Assign { op, ..assign }))
        })
    });
    match places.nth(n) {
        None => Attempt::End,
        Some((at, assign)) => changed(program, at, Line::Assign(assign)),
    }
}

/// Replaces an operation on constants by a copy of its value.
fn fold(program: &Program, n: usize) -> Attempt<Vec<Line>> {
    let assign = match program.lines.get(n) {
        None => return Attempt::End,
        Some(Line::Assign(assign)) if assign.op != Op::Copy => assign,
        Some(_) => return Attempt::Nothing,
    };
    let mut values = [0; 3];
    for (value, operand) in values.iter_mut().zip(assign.operands()) {
        match operand {
            Atom::Const(constant) => *value = *constant,
            Atom::Var(_) => return Attempt::Nothing,
        }
    }
    match assign.op.eval(values) {
        Ok(value) => changed(program, n, Line::Assign(Assign::new(assign.dest, Op::Copy, &[Atom::Const(value)]))),
        Err(_) => Attempt::Nothing,
    }
}

/// Replaces an operand by 0 or by 1.
fn operand_to_constant(program: &Program, n: usize) -> Attempt<Vec<Line>> {
    let mut places =
        (0..program.lines.len()).flat_map(|at| (0..program.lines[at].operands().len()).map(move |slot| (at, slot)));
    let Some((at, slot)) = places.nth(n / 2) else { return Attempt::End };
    operand_changed(program, at, slot, (n % 2) as i64)
}

/// Replaces a constant by a simpler one.
fn simplify_constant(program: &Program, n: usize) -> Attempt<Vec<Line>> {
    let mut places = program.lines.iter().enumerate().flat_map(|(at, line)| {
        line.operands().iter().enumerate().flat_map(move |(slot, operand)| {
            let simpler = if let Atom::Const(value) = operand { constants::simpler(*value) } else { Vec::new() };
            simpler.into_iter().map(move |new| (at, slot, new))
        })
    });
    match places.nth(n) {
        None => Attempt::End,
        Some((at, slot, new)) => operand_changed(program, at, slot, new),
    }
}

/// Gives an arm of a `switch` a simpler constant that no other arm has.
fn simplify_arm(program: &Program, n: usize) -> Attempt<Vec<Line>> {
    let mut places = program.lines.iter().enumerate().flat_map(|(at, line)| {
        let arms = if let Line::Switch { arms, .. } = line { &arms[..] } else { &[] };
        let free = move |new: &i64| arms.iter().all(|(constant, _)| constant != new);
        let simpler = move |constant| constants::simpler(constant).into_iter().filter(free);
        arms.iter().enumerate().flat_map(move |(arm, &(constant, _))| simpler(constant).map(move |new| (at, arm, new)))
    });
    let Some((at, arm, new)) = places.nth(n) else { return Attempt::End };
    let mut lines = program.lines.clone();
    if let Line::Switch { arms, .. } = &mut lines[at] {
        arms[arm].0 = new;
    }
    Attempt::Candidate(lines)
}

fn operand_changed(program: &Program, at: usize, slot: usize, value: i64) -> Attempt<Vec<Line>> {
    let mut lines = program.lines.clone();
    lines[at].operands_mut()[slot] = Atom::Const(value);
    Attempt::Candidate(lines)
}

fn changed(program: &Program, at: usize, line: Line) -> Attempt<Vec<Line>> {
    let mut lines = program.lines.clone();
    lines[at] = line;
    Attempt::Candidate(lines)
}

/// Deletes a copy and puts what it copies wherever its target is read.
fn propagate(program: &Program, n: usize) -> Attempt<Vec<Line>> {
    let (dest, value) = match program.lines.get(n) {
        None => return Attempt::End,
        Some(Line::Assign(Assign { dest, op: Op::Copy, args: [value, ..] })) => (*dest, *value),
        Some(_) => return Attempt::Nothing,
    };
    let mut lines = program.lines.clone();
    lines.remove(n);
    replace_reads(&mut lines, dest, value);
    Attempt::Candidate(lines)
}

fn replace_reads(lines: &mut [Line], var: Var, value: Atom) {
    for operand in lines.iter_mut().flat_map(Line::operands_mut) {
        if *operand == Atom::Var(var) {
            *operand = value;
        }
    }
}

/// Puts one variable for another that is no input.
fn merge_variables(program: &Program, n: usize) -> Attempt<Vec<Line>> {
    let mut pairs = (program.inputs..program.variables.len()).flat_map(|from| (0..from).map(move |to| (from, to)));
    let Some((from, to)) = pairs.nth(n) else { return Attempt::End };
    let (from, to) = (Var(from as u32), Var(to as u32));
    let mut lines = program.lines.clone();
    replace_reads(&mut lines, from, Atom::Var(to));
    for line in &mut lines {
        if let Line::Assign(assign) = line
            && assign.dest == from
        {
            assign.dest = to;
        }
    }
    Attempt::Candidate(lines)
}

/// Lets a jump go to another label.
fn retarget(program: &Program, n: usize) -> Attempt<Vec<Line>> {
    let labels = program.labels.len();
    if labels == 0 {
        return Attempt::End;
    }
    let mut jumps =
        (0..program.lines.len()).flat_map(|at| (0..program.lines[at].targets().count()).map(move |edge| (at, edge)));
    let Some((at, edge)) = jumps.nth(n / labels) else { return Attempt::End };
    let mut lines = program.lines.clone();
    lines[at].targets_mut().skip(edge).take(1).for_each(|target| *target = Label((n % labels) as u32));
    Attempt::Candidate(lines)
}

/// Names the variables `a`, `b`, ... and the labels too.
fn rename(case: &Case, n: usize) -> Attempt<Case> {
    let AnyProgram::Tac(program) = &case.program else { return Attempt::End };
    if n > 0 {
        return Attempt::End;
    }
    let program =
        tac::assemble(program.lines.clone(), program.inputs, |var| names::short(var.0), |label| names::short(label.0));
    Attempt::Candidate(Case { program: AnyProgram::Tac(program), vectors: case.vectors.clone(), fuel: case.fuel })
}

/// How many ways [`drop_input`] has for one input.
const DROPPINGS: usize = 3;

/// Drops an input: as a variable that starts at 0, as its value in some vector wherever it is read, or as a copy of
/// that value at the start.
fn drop_input(case: &Case, n: usize) -> Attempt<Case> {
    let AnyProgram::Tac(program) = &case.program else { return Attempt::End };
    let input = n / DROPPINGS;
    if input >= program.inputs {
        return Attempt::End;
    }
    let Some(value) = case.vectors.first().map(|vector| Atom::Const(vector[input])) else { return Attempt::End };
    let dropped = Var(input as u32);
    let mut lines = program.lines.clone();
    match n % DROPPINGS {
        0 => {}
        1 => replace_reads(&mut lines, dropped, value),
        _ => lines.insert(0, Line::Assign(Assign::new(dropped, Op::Copy, &[value]))),
    }
    // The input's number goes behind the last input, where the variables that are none begin.
    let last = program.inputs - 1;
    let moved = |old: usize| match old {
        old if old == input => last,
        old if old > input && old <= last => old - 1,
        old => old,
    };
    let mut variables = vec![0; program.variables.len()];
    for old in 0..variables.len() {
        variables[moved(old)] = old as u32;
    }
    for line in &mut lines {
        if let Line::Assign(assign) = line {
            assign.dest = Var(moved(assign.dest.index()) as u32);
        }
        for operand in line.operands_mut() {
            if let Atom::Var(var) = operand {
                *var = Var(moved(var.index()) as u32);
            }
        }
    }
    let renamed = Program { variables: reordered(program, &variables), ..program.clone() };
    with(case, &renamed, lines, last, without_input(&case.vectors, input)).into()
}

/// The program's names of variables in another order.
fn reordered(program: &Program, order: &[u32]) -> names::Names {
    let mut names = names::Names::default();
    for &old in order {
        names.push(program.variables.get(old).to_string());
    }
    names
}
