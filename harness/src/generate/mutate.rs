//! Changing a program a little: what a fuzzer's custom mutator needs.
//!
//! Tiny is changed on its syntax tree and TAC by lines, so a mutant always parses. A change may make a loop endless;
//! the fuel finds out.

mod plus;

use super::choices::Choices;
use super::constants;
use super::tiny::fragment;
use crate::names;
use crate::op::Op;
use crate::tac;
use crate::tiny::walk::{expression_mut, expressions, list_mut, lists, variables_mut};
use crate::tiny::{Expr, Logic, Program, Stmt, Var};

/// The most statements of a mutant; a larger program is cut.
const MOST_STATEMENTS: usize = 200;
/// The most arms of a mutant's `switch`.
const MOST_ARMS: usize = 100;
/// The most expressions of a mutant.
const MOST_EXPRESSIONS: usize = 2000;
/// The deepest that a mutant's statements and expressions nest.
const MOST_DEPTH: usize = 100;

const ARITHMETIC: [Op; 11] =
    [Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Rem, Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq, Op::Ne];

/// Makes one to four changes. Statements may come from `donor`, another program. The result is normalized.
pub fn mutate(program: &mut Program, donor: Option<&Program>, choices: &mut impl Choices) {
    for _ in 0..choices.pick(&[1, 1, 2, 4]) {
        match choices.below(15) {
            0 => delete_statement(program, choices),
            1 | 2 => insert(program, choices, fragment),
            3 => {
                delete_statement(program, choices);
                insert(program, choices, fragment);
            }
            4 => swap_statements(program, choices),
            5 => wrap(program, choices),
            6 => unwrap(program, choices),
            7 => splice(program, donor, choices),
            8 => replace_expression(program, choices),
            9 => plus::leave(program, choices),
            10 => plus::switch(program, choices),
            _ => change_expression(program, choices),
        }
    }
    while program.size() > MOST_STATEMENTS
        || program.depth() > MOST_DEPTH
        || expressions(program).len() > MOST_EXPRESSIONS
    {
        delete_largest(program);
    }
    program.normalize();
}

/// Any statement list of the program, and its length.
fn any_list(program: &Program, choices: &mut impl Choices) -> (usize, usize) {
    let lists = lists(program);
    let n = choices.below(lists.len() as u32) as usize;
    (n, lists[n].len())
}

/// A list that is not empty, if there is one; inner ones are as likely as outer ones.
pub(super) fn any_statement(program: &Program, choices: &mut impl Choices) -> Option<(usize, usize)> {
    let lists = lists(program);
    let places: Vec<(usize, usize)> =
        lists.iter().enumerate().flat_map(|(n, list)| (0..list.len()).map(move |at| (n, at))).collect();
    if places.is_empty() { None } else { Some(choices.pick(&places)) }
}

fn delete_statement(program: &mut Program, choices: &mut impl Choices) {
    if let Some((n, at)) = any_statement(program, choices)
        && let Some(list) = list_mut(program, n)
    {
        list.remove(at);
    }
}

/// Removes the statement that holds most of the program, at last the result.
fn delete_largest(program: &mut Program) {
    match (0..program.body.len()).max_by_key(|&at| program.body[at].size()) {
        Some(at) => drop(program.body.remove(at)),
        None => program.result = Expr::Int(0),
    }
}

/// Puts new statements somewhere.
fn insert<C: Choices>(program: &mut Program, choices: &mut C, new: impl Fn(&mut C, &mut Program) -> Vec<Stmt>) {
    let statements = new(choices, program);
    let (n, len) = any_list(program, choices);
    let at = choices.below(len as u32 + 1) as usize;
    if let Some(list) = list_mut(program, n) {
        list.splice(at..at, statements);
    }
}

fn swap_statements(program: &mut Program, choices: &mut impl Choices) {
    let (n, len) = any_list(program, choices);
    let (a, b) = (choices.below(len as u32) as usize, choices.below(len as u32) as usize);
    if let Some(list) = list_mut(program, n)
        && a.max(b) < list.len()
    {
        list.swap(a, b);
    }
}

/// Puts statements under an `if`, or into a loop with a counter of its own.
fn wrap(program: &mut Program, choices: &mut impl Choices) {
    let Some((n, at)) = any_statement(program, choices) else { return };
    let more = choices.below(3) as usize;
    let condition = any_expression(program, choices);
    let in_loop = choices.chance(50);
    let counter = if in_loop { Some(new_variable(program)) } else { None };
    let trips = i64::from(choices.below(12));
    let Some(list) = list_mut(program, n) else { return };
    let end = (at + 1 + more).min(list.len());
    let mut inside: Vec<Stmt> = list.drain(at..end).collect();
    match counter {
        None => list.insert(at, Stmt::If(condition, inside, Vec::new())),
        Some(counter) => {
            let operation = |op, value| Expr::Binary(op, Box::new(Expr::Var(counter)), Box::new(Expr::Int(value)));
            inside.push(Stmt::Assign(counter, operation(Op::Add, 1)));
            let start = Stmt::Assign(counter, Expr::Int(0));
            list.splice(at..at, [start, Stmt::While(operation(Op::Lt, trips), inside)]);
        }
    }
}

/// Replaces a loop, an `if` or a `switch` by one of its blocks.
fn unwrap(program: &mut Program, choices: &mut impl Choices) {
    let Some((n, at)) = any_statement(program, choices) else { return };
    let Some(list) = list_mut(program, n) else { return };
    let blocks: Vec<_> = list[at].blocks().filter(|block| !block.is_empty()).collect();
    let which = if blocks.len() > 2 { choices.below(blocks.len() as u32) as usize } else { 0 };
    let Some(inside) = blocks.get(which).map(|block| block.to_vec()) else { return };
    list.splice(at..=at, inside);
}

/// Inserts a statement of another program, its variables mapped to this one's.
fn splice(program: &mut Program, donor: Option<&Program>, choices: &mut impl Choices) {
    let donor = donor.unwrap_or(program);
    let Some((n, at)) = any_statement(donor, choices) else { return };
    let stmt = lists(donor)[n][at].clone();
    let count = program.variables.len() as u32;
    let offset = choices.below(count.max(1));
    insert(program, choices, |_, program| {
        let mut statements = vec![stmt.clone()];
        if count == 0 {
            new_variable(program);
        }
        variables_mut(&mut statements, &mut |var| *var = Var((var.0 + offset) % count.max(1)));
        statements
    });
}

/// A copy of some expression of the program.
fn any_expression(program: &Program, choices: &mut impl Choices) -> Expr {
    let all = expressions(program);
    all[choices.below(all.len() as u32) as usize].clone()
}

/// Puts one of the program's expressions in the place of another.
fn replace_expression(program: &mut Program, choices: &mut impl Choices) {
    let count = expressions(program).len() as u32;
    let new = any_expression(program, choices);
    if let Some(old) = expression_mut(program, choices.below(count) as usize) {
        *old = new;
    }
}

/// Changes a constant, a variable or an operator, or swaps operands.
fn change_expression(program: &mut Program, choices: &mut impl Choices) {
    let count = expressions(program).len() as u32;
    let variables = program.variables.len() as u32;
    let Some(expr) = expression_mut(program, choices.below(count) as usize) else { return };
    match expr {
        Expr::Int(value) => {
            *value = match choices.below(5) {
                0 => value.wrapping_add(1),
                1 => value.wrapping_sub(1),
                2 => value.wrapping_neg(),
                _ => constants::boundary(choices),
            }
        }
        Expr::Var(var) => {
            if choices.chance(50) {
                *var = Var(choices.below(variables));
            } else {
                *expr = Expr::Int(constants::operand(choices, 50));
            }
        }
        Expr::Unary(op, _) => *op = any_operation(1, choices),
        Expr::Binary(op, left, right) => {
            if choices.chance(40) {
                std::mem::swap(left, right);
            } else {
                *op = any_operation(2, choices);
            }
        }
        Expr::Select(operands) => operands.rotate_left(1 + choices.below(2) as usize),
        Expr::Logic(logic, left, right) => {
            if choices.chance(40) {
                std::mem::swap(left, right);
            } else {
                *logic = if *logic == Logic::And { Logic::Or } else { Logic::And };
            }
        }
    }
}

/// An operation that takes so many operands, 1 or 2; one in four of any that there are.
fn any_operation(arity: usize, choices: &mut impl Choices) -> Op {
    if choices.chance(25) {
        let all: Vec<Op> = Op::all().filter(|op| op.arity() == arity && *op != Op::Copy).collect();
        choices.pick(&all)
    } else if arity == 2 {
        choices.pick(&ARITHMETIC)
    } else {
        choices.pick(&[Op::Neg, Op::Not])
    }
}

/// A variable that the program doesn't have yet.
pub(super) fn new_variable(program: &mut Program) -> Var {
    let names = (0..=program.variables.len() as u32).map(names::short);
    let fresh = names.into_iter().find(|name| !program.variables.contains(name));
    program.variables.extend(fresh);
    Var(program.variables.len() as u32 - 1)
}

/// The same for TAC, by lines: deletes, copies, moves and changes them; the result is valid and canonical.
pub fn mutate_tac(program: &mut tac::Program, choices: &mut impl Choices) {
    let mut lines = program.lines.clone();
    for _ in 0..choices.pick(&[1, 1, 2, 4]) {
        let at = choices.below(lines.len() as u32) as usize;
        let line = lines[at].clone();
        match choices.below(5) {
            // A label stays while it may have jumps, and so does the last line, which must leave the program.
            0 if !matches!(line, tac::Line::Label(_)) && at + 1 < lines.len() => {
                lines.remove(at);
            }
            1 if !matches!(line, tac::Line::Label(_)) && lines.len() < 4 * MOST_STATEMENTS => {
                let to = choices.below(lines.len() as u32) as usize;
                lines.insert(to, line);
            }
            2 if at + 2 < lines.len() => lines.swap(at, at + 1),
            _ => change_line(&mut lines[at], program, choices),
        }
    }
    *program = tac::assemble(
        lines,
        program.inputs,
        |var| program.variables.get(var.0).to_string().into(),
        |label| program.labels.get(label.0).to_string().into(),
    );
}

fn change_line(line: &mut tac::Line, program: &tac::Program, choices: &mut impl Choices) {
    let (variables, labels) = (program.variables.len() as u32, program.labels.len() as u32);
    let atom = |choices: &mut _| {
        if variables == 0 || Choices::chance(choices, 50) {
            tac::Atom::Const(constants::operand(choices, 50))
        } else {
            tac::Atom::Var(tac::Var(Choices::below(choices, variables)))
        }
    };
    match line {
        tac::Line::Label(_) => {}
        tac::Line::Goto(target) => *target = tac::Label(choices.below(labels)),
        tac::Line::Ret(value) => *value = atom(choices),
        tac::Line::Switch { value, arms, default } => {
            let arm = choices.below(arms.len() as u32) as usize;
            let constant = constants::operand(choices, 50);
            match choices.below(6) {
                0 => *value = atom(choices),
                1 => *default = tac::Label(choices.below(labels)),
                2 if !arms.is_empty() => drop(arms.remove(arm)),
                3 if !arms.is_empty() => arms[arm].1 = tac::Label(choices.below(labels)),
                _ if arms.iter().any(|(earlier, _)| *earlier == constant) => {}
                4 if !arms.is_empty() => arms[arm].0 = constant,
                _ => arms.push((constant, tac::Label(choices.below(labels)))),
            }
            arms.truncate(MOST_ARMS);
        }
        tac::Line::If { when, cond, target } => match choices.below(3) {
            0 => *when = !*when,
            1 => *cond = atom(choices),
            _ => *target = tac::Label(choices.below(labels)),
        },
        tac::Line::Assign(assign) => match choices.below(4) {
            0 if assign.op.arity() < 3 => assign.op = any_operation(assign.op.arity(), choices),
            1 => assign.args.swap(0, assign.op.arity() - 1),
            2 => assign.dest = tac::Var(choices.below(variables)),
            _ => assign.args[choices.below(assign.op.arity() as u32) as usize] = atom(choices),
        },
    }
}
