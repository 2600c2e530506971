//! Tiny: on the syntax tree.

mod scalars;
mod switch;

use super::vectors::{self, without_input};
use super::{Attempt, Pass, arrays, chunks, constants, operations};
use crate::case::{Case, Program as AnyProgram};
use crate::names;
use crate::op::Op;
use crate::tiny::walk::{expression_mut, expressions, list_mut, lists, variables_mut, variables_of_mut};
use crate::tiny::{Expr, Program, Stmt, Var};

/// What takes much away.
pub const COARSE: &[Pass] = &[
    vectors::KEEP_ONE,
    vectors::DROP_ONE,
    Pass { name: "return early", attempt: |case, n| on_program(case, n, return_early) },
    Pass { name: "delete statements", attempt: |case, n| on_program(case, n, delete_statements) },
    Pass { name: "drop arms", attempt: |case, n| on_program(case, n, switch::drop_arms) },
    Pass { name: "one arm", attempt: |case, n| on_program(case, n, switch::one_arm) },
    Pass { name: "unwrap", attempt: |case, n| on_program(case, n, unwrap) },
    Pass { name: "return from within", attempt: |case, n| on_program(case, n, return_from_within) },
    Pass { name: "fold", attempt: |case, n| on_program(case, n, fold) },
    Pass { name: "simplify expressions", attempt: |case, n| on_program(case, n, simplify_expression) },
    Pass { name: "only do", attempt: |case, n| on_program(case, n, only_do) },
];

/// What makes the rest simpler.
pub const FINE: &[Pass] = &[
    Pass { name: "inline", attempt: |case, n| on_program(case, n, inline) },
    Pass { name: "drop inputs", attempt: drop_input },
    Pass { name: "replace by variables", attempt: |case, n| on_program(case, n, replace_by_variable) },
    Pass { name: "merge variables", attempt: |case, n| on_program(case, n, merge_variables) },
    Pass { name: "simpler operations", attempt: |case, n| on_program(case, n, simplify_operation) },
    Pass { name: "simplify constants", attempt: |case, n| on_program(case, n, simplify_constant) },
    Pass { name: "simplify arms", attempt: |case, n| on_program(case, n, switch::simplify_arm) },
    Pass { name: "simplify equal constants", attempt: |case, n| on_program(case, n, simplify_equal) },
    Pass { name: "arrays as variables", attempt: |case, n| on_program(case, n, scalars::array_as_variable) },
    arrays::SIMPLER,
    vectors::VALUES,
    Pass { name: "rename variables", attempt: |case, n| on_program(case, n, rename_variables) },
];

/// Applies a pass over programs to the case's program.
fn on_program(case: &Case, n: usize, pass: fn(&Program, usize) -> Attempt<Program>) -> Attempt<Case> {
    let AnyProgram::Tiny(program) = &case.program else { return Attempt::End };
    pass(program, n).map(|program| with(case, program, case.vectors.clone()))
}

fn with(case: &Case, mut program: Program, vectors: Vec<Vec<i64>>) -> Case {
    program.normalize();
    Case { program: AnyProgram::Tiny(program), vectors, fuel: case.fuel }
}

/// Ends the program at its `n`th statement and returns what that computes or depends on.
fn return_early(program: &Program, n: usize) -> Attempt<Program> {
    let Some(stmt) = program.body.get(n) else { return Attempt::End };
    let Some(value) = stmt.exprs().next() else { return Attempt::Nothing };
    let mut cut = program.clone();
    cut.body.truncate(n);
    cut.result = value.clone();
    Attempt::Candidate(cut)
}

/// Deletes a range of a statement list: outer lists first, long ranges first.
fn delete_statements(program: &Program, n: usize) -> Attempt<Program> {
    let lists = lists(program);
    let mut places = lists.iter().enumerate().flat_map(|(at, list)| chunks(list.len()).map(move |range| (at, range)));
    let Some((at, range)) = places.nth(n) else { return Attempt::End };
    let mut less = program.clone();
    if let Some(list) = list_mut(&mut less, at) {
        list.drain(range);
    }
    Attempt::Candidate(less)
}

/// How many ways [`unwrap`] has for one statement.
const UNWRAPPINGS: usize = 5;

/// Replaces a loop or an `if` by its parts, or a loop by an `if`.
fn unwrap(program: &Program, n: usize) -> Attempt<Program> {
    let lists = lists(program);
    let mut places = lists.iter().enumerate().flat_map(|(at, list)| (0..list.len()).map(move |i| (at, i)));
    let Some((at, i)) = places.nth(n / UNWRAPPINGS) else { return Attempt::End };
    let parts: Vec<Stmt> = match (&lists[at][i], n % UNWRAPPINGS) {
        (Stmt::While(_, body), 0) => body.clone(),
        (Stmt::While(condition, body), 1) => vec![Stmt::If(condition.clone(), body.clone(), Vec::new())],
        (Stmt::If(_, then, otherwise), 0) => then.iter().chain(otherwise).cloned().collect(),
        (Stmt::If(_, then, _), 1) => then.clone(),
        (Stmt::If(_, _, otherwise), 2) => otherwise.clone(),
        (Stmt::If(condition, _, otherwise), 3) => vec![Stmt::If(condition.clone(), otherwise.clone(), Vec::new())],
        // The condition is kept as the value of a variable that the statement would have written.
        (Stmt::While(condition, body) | Stmt::If(condition, body, _), 4) => match body.first() {
            Some(&Stmt::Assign(target, _)) => vec![Stmt::Assign(target, condition.clone())],
            _ => return Attempt::Nothing,
        },
        _ => return Attempt::Nothing,
    };
    let mut flat = program.clone();
    if let Some(list) = list_mut(&mut flat, at) {
        list.splice(i..=i, parts);
    }
    Attempt::Candidate(flat)
}

/// How many ways [`return_from_within`] has for one statement.
const RETURNS: usize = 2;

/// Ends the program at a loop or an `if`, which becomes an `if` or its body, and returns what that assigns.
fn return_from_within(program: &Program, n: usize) -> Attempt<Program> {
    let (condition, body) = match program.body.get(n / RETURNS) {
        None => return Attempt::End,
        Some(Stmt::While(condition, body) | Stmt::If(condition, body, _)) => (condition, body),
        Some(_) => return Attempt::Nothing,
    };
    let Some(&Stmt::Assign(target, _)) = body.first() else { return Attempt::Nothing };
    let mut cut = program.clone();
    cut.body.truncate(n / RETURNS);
    match n % RETURNS {
        0 => cut.body.extend(body.iter().cloned()),
        _ => cut.body.push(Stmt::If(condition.clone(), body.clone(), Vec::new())),
    }
    cut.result = Expr::Var(target);
    Attempt::Candidate(cut)
}

/// Replaces an operation on literals by its value.
fn fold(program: &Program, n: usize) -> Attempt<Program> {
    let all = expressions(program);
    let Some(expr) = all.get(n) else { return Attempt::End };
    let Some(op) = expr.op() else { return Attempt::Nothing };
    let mut values = [0; 3];
    for (value, operand) in values.iter_mut().zip(expr.operands()) {
        match literal(operand) {
            Some(constant) => *value = constant,
            None => return Attempt::Nothing,
        }
    }
    op.eval(values).ok().and_then(|value| replaced(program, n, Expr::Int(value))).into()
}

/// Makes a statement of an assignment whose operation does something besides giving a value: `emit e` of `x = emit(e)`.
fn only_do(program: &Program, n: usize) -> Attempt<Program> {
    let lists = lists(program);
    let mut places = lists.iter().enumerate().flat_map(|(at, list)| (0..list.len()).map(move |i| (at, i)));
    let Some((at, i)) = places.nth(n) else { return Attempt::End };
    let Stmt::Assign(_, value) = &lists[at][i] else { return Attempt::Nothing };
    let Some(op @ (Op::Emit | Op::Store(_))) = value.op() else { return Attempt::Nothing };
    let done = Stmt::Do(op, value.operands().cloned().collect());
    let mut less = program.clone();
    if let Some(list) = list_mut(&mut less, at) {
        list[i] = done;
    }
    Attempt::Candidate(less)
}

/// How many replacements [`simplify_expression`] has for one expression.
const SIMPLER: usize = 5;

/// Replaces an expression by 0, by 1, or by one of its operands; outer expressions first.
fn simplify_expression(program: &Program, n: usize) -> Attempt<Program> {
    let all = expressions(program);
    let Some(expr) = all.get(n / SIMPLER) else { return Attempt::End };
    let simpler = match (expr, n % SIMPLER) {
        (Expr::Int(_), _) => return Attempt::Nothing,
        (_, choice @ (0 | 1)) => Expr::Int(choice as i64),
        (_, choice) => match expr.operands().nth(choice - 2) {
            Some(operand) => operand.clone(),
            None => return Attempt::Nothing,
        },
    };
    replaced(program, n / SIMPLER, simpler).into()
}

/// Puts a simpler operation on the same operands.
fn simplify_operation(program: &Program, n: usize) -> Attempt<Program> {
    let all = expressions(program);
    let mut places = all.iter().enumerate().flat_map(|(at, expr)| {
        let simpler = expr.op().map(operations::simpler).unwrap_or_default();
        simpler.into_iter().map(move |op| (at, op))
    });
    let Some((at, op)) = places.nth(n) else { return Attempt::End };
    match Expr::operation(op, all[at].operands().cloned().collect()) {
        Some(simpler) => replaced(program, at, simpler).into(),
        None => Attempt::Nothing,
    }
}

/// Replaces an operation by a variable.
fn replace_by_variable(program: &Program, n: usize) -> Attempt<Program> {
    let count = program.variables.len().max(1);
    let all = expressions(program);
    match all.get(n / count) {
        None => Attempt::End,
        Some(Expr::Int(_) | Expr::Var(_)) => Attempt::Nothing,
        Some(_) if program.variables.is_empty() => Attempt::Nothing,
        Some(_) => replaced(program, n / count, Expr::Var(Var((n % count) as u32))).into(),
    }
}

/// Replaces a literal by a simpler one.
fn simplify_constant(program: &Program, n: usize) -> Attempt<Program> {
    let all = expressions(program);
    let mut places = all.iter().enumerate().flat_map(|(at, expr)| {
        let simpler = if let Expr::Int(value) = expr { constants::simpler(*value) } else { Vec::new() };
        simpler.into_iter().map(move |new| (at, new))
    });
    match places.nth(n) {
        None => Attempt::End,
        Some((at, new)) => replaced(program, at, Expr::Int(new)).into(),
    }
}

fn literal(expr: &Expr) -> Option<i64> {
    if let Expr::Int(value) = expr { Some(*value) } else { None }
}

/// Replaces a literal by a simpler one wherever it stands.
fn simplify_equal(program: &Program, n: usize) -> Attempt<Program> {
    let mut literals: Vec<i64> = expressions(program).into_iter().filter_map(literal).collect();
    literals.sort_unstable();
    literals.dedup();
    let mut pairs = literals.into_iter().flat_map(|old| constants::simpler(old).into_iter().map(move |new| (old, new)));
    let Some((old, new)) = pairs.nth(n) else { return Attempt::End };
    let mut simpler = program.clone();
    for at in 0..expressions(program).len() {
        if let Some(expr) = expression_mut(&mut simpler, at).filter(|expr| **expr == Expr::Int(old)) {
            *expr = Expr::Int(new);
        }
    }
    Attempt::Candidate(simpler)
}

fn replaced(program: &Program, at: usize, new: Expr) -> Option<Program> {
    let mut program = program.clone();
    *expression_mut(&mut program, at)? = new;
    Some(program)
}

/// Deletes an assignment and puts its expression wherever the variable is read.
fn inline(program: &Program, n: usize) -> Attempt<Program> {
    let lists = lists(program);
    let mut places = lists.iter().enumerate().flat_map(|(at, list)| (0..list.len()).map(move |i| (at, i)));
    let Some((at, i)) = places.nth(n) else { return Attempt::End };
    let Stmt::Assign(target, value) = lists[at][i].clone() else { return Attempt::Nothing };
    let uses = expressions(program).iter().filter(|&&expr| *expr == Expr::Var(target)).count();
    // A value that is read often would only blow up the program; a leaf never does.
    if uses > 1 && !matches!(value, Expr::Int(_) | Expr::Var(_)) {
        return Attempt::Nothing;
    }
    let mut less = program.clone();
    if let Some(list) = list_mut(&mut less, at) {
        list.remove(i);
    }
    substitute(&mut less, target, &value);
    Attempt::Candidate(less)
}

/// Puts an expression wherever a variable is read.
fn substitute(program: &mut Program, target: Var, value: &Expr) {
    let reads: Vec<usize> = {
        let all = expressions(program);
        (0..all.len()).filter(|&at| *all[at] == Expr::Var(target)).collect()
    };
    // From the last to the first: what is put in does not move the places before it.
    for at in reads.into_iter().rev() {
        if let Some(expr) = expression_mut(program, at) {
            *expr = value.clone();
        }
    }
}

/// Puts one variable for another that is no input.
fn merge_variables(program: &Program, n: usize) -> Attempt<Program> {
    let count = program.variables.len();
    let mut pairs = (program.inputs..count).flat_map(|from| (0..from).map(move |to| (from, to)));
    let Some((from, to)) = pairs.nth(n) else { return Attempt::End };
    let mut merged = program.clone();
    let mut rename = |var: &mut Var| {
        if var.index() == from {
            *var = Var(to as u32);
        }
    };
    variables_mut(&mut merged.body, &mut rename);
    variables_of_mut(&mut merged.result, &mut rename);
    Attempt::Candidate(merged)
}

/// Names the variables `a`, `b`, ...
fn rename_variables(program: &Program, n: usize) -> Attempt<Program> {
    if n > 0 {
        return Attempt::End;
    }
    let mut renamed = program.clone();
    renamed.variables = (0..program.variables.len() as u32).map(names::short).collect();
    Attempt::Candidate(renamed)
}

/// How many ways [`drop_input`] has for one input.
const DROPPINGS: usize = 3;

/// Drops an input: as a variable that starts at 0, as its value in some vector wherever it is read, or as an assignment
/// of that value at the start.
fn drop_input(case: &Case, n: usize) -> Attempt<Case> {
    let AnyProgram::Tiny(program) = &case.program else { return Attempt::End };
    let input = n / DROPPINGS;
    if input >= program.inputs {
        return Attempt::End;
    }
    let Some(value) = case.vectors.first().map(|vector| vector[input]) else { return Attempt::End };
    let mut less = program.clone();
    // The input becomes the variable behind the last input.
    let last = program.inputs - 1;
    less.variables[input..=last].rotate_left(1);
    less.inputs = last;
    let mut moved = |var: &mut Var| {
        if var.index() == input {
            *var = Var(last as u32);
        } else if var.index() > input && var.index() <= last {
            var.0 -= 1;
        }
    };
    variables_mut(&mut less.body, &mut moved);
    variables_of_mut(&mut less.result, &mut moved);
    let dropped = Var(last as u32);
    match n % DROPPINGS {
        0 => {}
        1 => substitute(&mut less, dropped, &Expr::Int(value)),
        _ => less.body.insert(0, Stmt::Assign(dropped, Expr::Int(value))),
    }
    Attempt::Candidate(with(case, less, without_input(&case.vectors, input)))
}
