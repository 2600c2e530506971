//! Random Tiny programs: statements, and the folding of all that they computed into the result.
//!
//! A program is a list of statements over a pool of variables. The generator keeps two things in mind so that programs
//! end and seldom trap: which variables steer a loop that is open ([`Builder::locked`]; nothing but the loop's own step
//! writes them), and how often the place where it writes may run ([`Builder::repeats`]).

mod arrays;
mod expr;
mod leave;
mod loops;
mod states;
mod switch;

use super::choices::Choices;
use super::policy::{Feature, Policy, Style};
use crate::dialect::Dialect;
use crate::names;
use crate::op::Op;
use crate::tiny::{Expr, Program, Stmt, Var};

/// A program drawn from a policy, normalized.
pub fn program(choices: &mut impl Choices, policy: &Policy) -> Program {
    let style = Style::draw(choices, policy);
    let known = (0..style.inputs).map(Var).collect();
    let left = style.size as i32;
    let (locked, constants) = (Vec::new(), Vec::new());
    let builder = Builder { choices, style, known, locked, before_continue: None, constants, left, repeats: 1 };
    let mut program = builder.program();
    program.normalize();
    // Named last: variables that do not occur need no name.
    for (index, variable) in program.variables.iter_mut().enumerate() {
        *variable = names::short(index as u32);
    }
    program
}

/// A few statements to put into a program, over its variables and perhaps new ones.
pub fn fragment(choices: &mut impl Choices, program: &mut Program) -> Vec<Stmt> {
    let count = program.variables.len() as u32;
    let inputs = program.inputs as u32;
    let drawn = Style::draw(choices, &Policy::default());
    let style = Style { inputs, locals: (count - inputs).max(1), size: 4, depth: 2, ..drawn };
    if count == inputs {
        let fresh = (0..=count).map(names::short).find(|name| !program.variables.contains(name));
        program.variables.extend(fresh);
    }
    let known = (0..count).map(Var).collect();
    let (locked, constants) = (Vec::new(), Vec::new());
    let mut builder = Builder { choices, style, known, locked, before_continue: None, constants, left: 4, repeats: 8 };
    let mut statements = Vec::new();
    builder.statement(0, &mut statements);
    statements
}

/// A program under construction.
struct Builder<'a, C> {
    choices: &'a mut C,
    style: Style,
    /// The variables that have been written so far on some path, and the inputs.
    known: Vec<Var>,
    /// The variables that open loops rely on.
    locked: Vec<Var>,
    /// In a loop, what a `continue` does before it so that the loop still ends: the step, if that stands at the end.
    before_continue: Option<Vec<Stmt>>,
    /// The constants that were written so far.
    constants: Vec<i64>,
    /// How many operations are still to be written.
    left: i32,
    /// How often the current place may run: the product of the open loops' trip counts.
    repeats: u32,
}

impl<C: Choices> Builder<'_, C> {
    fn program(mut self) -> Program {
        let variables = vec![Box::default(); (self.style.inputs + self.style.locals) as usize];
        let mut body = Vec::with_capacity(16);
        if self.has(Feature::ManyLive) {
            self.many_live(&mut body);
        }
        while self.goes_on() {
            self.statement(0, &mut body);
        }
        self.read_arrays(&mut body);
        let result = self.fold(&mut body);
        Program { variables, inputs: self.style.inputs as usize, body, result }
    }

    fn has(&self, feature: Feature) -> bool {
        self.style.has(feature)
    }

    fn has_switches(&self) -> bool {
        self.style.dialect == Dialect::Plus && self.has(Feature::Switches)
    }

    /// Whether there is more to write: operations left, and decisions left to choose them by.
    fn goes_on(&self) -> bool {
        self.left > 0 && !self.choices.is_spent()
    }

    /// Gives every variable a value of its own at the start; the fold keeps them all alive to the end.
    fn many_live(&mut self, body: &mut Vec<Stmt>) {
        for local in 0..self.style.locals {
            let target = Var(self.style.inputs + local);
            let value = self.expr(1);
            body.push(Stmt::Assign(target, value));
            self.known.push(target);
        }
        self.left = self.left.max(self.style.size as i32 / 3);
    }

    /// Up to `count` statements, as long as there are operations left.
    fn block(&mut self, depth: u32, count: u32) -> Vec<Stmt> {
        let mut block = Vec::with_capacity(count as usize + 1);
        for _ in 0..count {
            if !self.goes_on() {
                break;
            }
            self.statement(depth, &mut block);
        }
        block
    }

    /// Adds one statement, or the few that belong together.
    fn statement(&mut self, depth: u32, block: &mut Vec<Stmt>) {
        let nested = depth < self.style.depth;
        let weight = |wanted: bool, weight: u32| if wanted { weight } else { 0 };
        let weights = [
            10,
            weight(self.has(Feature::Copies), 3),
            weight(self.has(Feature::Ifs) && nested, 4),
            weight(self.has(Feature::Loops) && nested, 4),
            weight(self.has(Feature::DeadCode), 1),
            weight(self.has_switches() && nested, 3),
            weight(self.has(Feature::Jumps) && self.before_continue.is_some(), 3),
            weight(self.has(Feature::Returns), 1),
            weight(self.has(Feature::Emits), 4),
            weight(!self.style.arrays.is_empty(), 8),
        ];
        match self.choices.weighted(&weights) {
            0 => self.assign(block),
            1 => self.copies(block),
            2 => self.if_statement(depth, block),
            3 => self.loop_statement(depth, block),
            4 => self.dead_code(depth, block),
            5 => self.switch(depth, block),
            6 => self.jump(depth, block),
            7 => self.early_return(depth, block),
            8 => self.emit(block),
            _ => self.arrays(block),
        }
    }

    /// `x = e`.
    fn assign(&mut self, block: &mut Vec<Stmt>) {
        let Some(target) = self.target() else { return };
        let value = if self.choices.chance(30) { self.expr(2) } else { self.operation(1) };
        // Adding to what the variable holds keeps that alive, and makes loops compute something.
        let value = if self.choices.chance(30) && self.known.contains(&target) {
            binary(self.choices.pick(&[Op::Add, Op::Sub]), Expr::Var(target), value)
        } else {
            value
        };
        self.write(target, value, block);
    }

    /// `emit e`, or `x = emit(e)`: what is seen when, not only in the end.
    fn emit(&mut self, block: &mut Vec<Stmt>) {
        if self.choices.chance(70) {
            self.left -= 1;
            let value = self.expr(1);
            return block.push(Stmt::Do(Op::Emit, vec![value]));
        }
        let Some(target) = self.target() else { return };
        let value = self.expr(1);
        self.write(target, unary(Op::Emit, value), block);
    }

    /// Adds an assignment and remembers that the variable has been written.
    fn write(&mut self, target: Var, value: Expr, block: &mut Vec<Stmt>) {
        self.left -= 1;
        block.push(Stmt::Assign(target, value));
        if !self.known.contains(&target) {
            self.known.push(target);
        }
    }

    /// A variable that may be written here: often one that has no value yet, sometimes an input.
    fn target(&mut self) -> Option<Var> {
        let all = self.style.inputs + self.style.locals;
        if self.choices.chance(40)
            && let Some(fresh) = (self.style.inputs..all).map(Var).find(|var| !self.known.contains(var))
            && !self.locked.contains(&fresh)
        {
            return Some(fresh);
        }
        for _ in 0..4 {
            let input = self.style.inputs > 0 && self.choices.chance(10);
            let low = if input { 0 } else { self.style.inputs };
            let target = Var(self.choices.between(low, all - 1));
            if !self.locked.contains(&target) {
                return Some(target);
            }
        }
        (self.style.inputs..all).map(Var).find(|target| !self.locked.contains(target))
    }

    /// A lagged copy `x = y; y = z`, a rotation, or a swap: what makes SSA's copies parallel.
    fn copies(&mut self, block: &mut Vec<Stmt>) {
        let mut chain = Vec::new();
        for _ in 0..self.choices.between(2, 4) {
            match self.target() {
                Some(target) if !chain.contains(&target) => chain.push(target),
                _ => {}
            }
        }
        let (Some(&first), Some(&last)) = (chain.first(), chain.last()) else { return };
        // A rotation needs a variable besides the chain to hold the first value meanwhile.
        let spare = self.target().filter(|spare| !chain.contains(spare));
        let rotation = spare.filter(|_| chain.len() > 1 && self.choices.chance(60));
        if let Some(spare) = rotation {
            self.write(spare, Expr::Var(first), block);
        }
        for pair in chain.windows(2) {
            self.write(pair[0], Expr::Var(pair[1]), block);
        }
        let end = match rotation {
            Some(spare) => Expr::Var(spare),
            None => self.operation(1),
        };
        self.write(last, end, block);
    }

    /// `if`; in half of the cases both arms write one variable, which makes a phi.
    fn if_statement(&mut self, depth: u32, block: &mut Vec<Stmt>) {
        let condition = self.condition(block);
        self.left -= 1;
        let both = if self.choices.chance(50) { self.target() } else { None };
        let (then_count, else_count) = (self.choices.below(3), self.choices.below(3));
        let mut then = self.block(depth + 1, then_count + u32::from(both.is_none()));
        let mut otherwise = if self.choices.chance(60) { self.block(depth + 1, else_count) } else { Vec::new() };
        if let Some(target) = both {
            let (yes, no) = (self.expr(1), self.expr(1));
            self.write(target, yes, &mut then);
            if self.choices.chance(80) {
                self.write(target, no, &mut otherwise);
            }
        }
        block.push(Stmt::If(condition, then, otherwise));
    }

    /// Code that never runs, or whose values nobody reads.
    fn dead_code(&mut self, depth: u32, block: &mut Vec<Stmt>) {
        let nested = depth < self.style.depth;
        match self.choices.below(4) {
            0 if nested => {
                let body = self.block(depth + 1, 2);
                let condition = Expr::Int(self.choices.pick(&[0, 1]));
                let other = self.block(depth + 1, 1);
                block.push(Stmt::If(condition, body, other));
            }
            1 if nested && self.has(Feature::Loops) => {
                let body = self.block(depth + 1, 2);
                block.push(Stmt::While(Expr::Int(0), body));
            }
            _ => {
                // Written twice, read between never.
                let Some(target) = self.target() else { return };
                let (lost, kept) = (self.operation(2), self.operation(1));
                self.write(target, lost, block);
                self.write(target, kept, block);
            }
        }
    }

    /// One expression in which every live variable matters, after statements that fold some of them.
    fn fold(&mut self, body: &mut Vec<Stmt>) -> Expr {
        let keep = if self.has(Feature::DeadCode) { 70 } else { 100 };
        let mut live: Vec<Var> = Vec::with_capacity(self.known.len());
        for index in 0..self.known.len() {
            if self.choices.chance(keep) {
                live.push(self.known[index]);
            }
        }
        let Some((&last, others)) = live.split_last() else { return self.expr(1) };
        let by_statements = others.len() > 2 && self.choices.chance(40);
        let mut folded = Expr::Var(last);
        for &variable in others {
            let scaled = if self.has(Feature::Multiplication) && self.choices.chance(70) {
                binary(Op::Mul, folded, Expr::Int(self.choices.pick(&[31, 3, 7, -1, 2])))
            } else {
                folded
            };
            let op = self.choices.pick(&[Op::Add, Op::Sub, Op::Add]);
            folded = binary(op, scaled, Expr::Var(variable));
            if by_statements {
                body.push(Stmt::Assign(last, folded));
                folded = Expr::Var(last);
            }
        }
        folded
    }
}

/// An operation. `x - x` and its like, which tell nothing, become an operation with a constant.
fn binary(op: Op, left: Expr, right: Expr) -> Expr {
    let right = if matches!(left, Expr::Var(_)) && left == right { Expr::Int(1) } else { right };
    Expr::Binary(op, Box::new(left), Box::new(right))
}

fn unary(op: Op, operand: Expr) -> Expr {
    Expr::Unary(op, Box::new(operand))
}
