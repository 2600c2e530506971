//! The syntax tree of Tiny (`docs/LANGUAGE.md` §1).

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::walk;
use crate::dialect::Dialect;
use crate::op::Op;

/// A program: inputs, statements, one returned expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Program {
    /// V, the variables' names: the inputs in declared order, then the others in order of first occurrence in the text
    /// (the target of an assignment stands before its expression). [`Program::normalize`] restores this order.
    pub variables: Vec<Box<str>>,
    /// How many of `variables` are inputs.
    pub inputs: usize,
    /// The statements before the `return`.
    pub body: Vec<Stmt>,
    /// The returned expression.
    pub result: Expr,
}

/// An index into [`Program::variables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Var(pub u32);

impl Var {
    /// The index as a `usize`.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A statement. Those from [`Stmt::Switch`] on are of the dialect plus.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Stmt {
    /// `x = e`
    Assign(Var, Expr),
    /// `while c { .. }`
    While(Expr, Vec<Stmt>),
    /// `if c { .. } else { .. }`; a missing else part is an empty one, and `else if` an else part that holds one `if`.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// `switch e { 1: { .. } -5: { .. } else: { .. } }`: the arm whose constant e is, else the else part. The constants
    /// differ; a missing else part is an empty one.
    Switch(Expr, Vec<(i64, Vec<Stmt>)>, Vec<Stmt>),
    /// `break`: out of the innermost loop. It stands in one; [`Program::normalize`] drops what doesn't.
    Break,
    /// `continue`: to the next test of the innermost loop. It stands in one, as `break` does.
    Continue,
    /// `return e` before the program's end.
    Return(Expr),
    /// `emit e` or `a8[i] = e`: [`Op::Emit`] or [`Op::Store`] for what it does, with its operands.
    Do(Op, Vec<Expr>),
}

/// An expression. Its value is a signed 64-bit integer.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Expr {
    /// A literal, also a negative one.
    Int(i64),
    /// A variable.
    Var(Var),
    /// `-e`, `!e`, `~e`, or a call of an operation that takes one operand, such as `abs(e)`.
    Unary(Op, Box<Expr>),
    /// An arithmetic operation, a comparison, or a call of an operation that takes two, such as `min(a, b)`.
    Binary(Op, Box<Expr>, Box<Expr>),
    /// `a && b` or `a || b`.
    Logic(Logic, Box<Expr>, Box<Expr>),
    /// `select(c, a, b)`: all three are evaluated.
    Select(Box<[Expr; 3]>),
}

/// The two short-circuit operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Logic {
    /// `&&`
    And,
    /// `||`
    Or,
}

impl Program {
    /// How many statements there are, those in blocks too; the last `return` is none.
    pub fn size(&self) -> usize {
        self.body.iter().map(Stmt::size).sum()
    }

    /// How many statements and expressions lie one in another, at most: 1 for `return 0`, 2 for `x = 0` or
    /// `return -x`. A `return` is no level of its own.
    pub fn depth(&self) -> usize {
        fn of_stmt(stmt: &Stmt) -> usize {
            let exprs = stmt.exprs().map(Expr::depth).max().unwrap_or(0);
            let blocks = stmt.blocks().map(|block| deepest(block)).max().unwrap_or(0);
            usize::from(!matches!(stmt, Stmt::Return(_))) + exprs.max(blocks)
        }
        fn deepest(body: &[Stmt]) -> usize {
            body.iter().map(of_stmt).max().unwrap_or(0)
        }
        deepest(&self.body).max(self.result.depth())
    }

    /// The dialect that its text needs.
    pub fn dialect(&self) -> Dialect {
        if walk::lists(self).into_iter().flatten().any(Stmt::is_of_plus) {
            return Dialect::Plus;
        }
        walk::expressions(self).iter().filter_map(|expr| expr.op()).map(Op::dialect).max().unwrap_or_default()
    }

    /// Drops each `break` and `continue` that stands in no loop and each arm whose constant another arm before it has;
    /// brings `variables` into the order V and drops those that do not occur and are no inputs.
    pub fn normalize(&mut self) {
        let mut order = Order { renamed: vec![None; self.variables.len()], kept: Vec::new() };
        for input in 0..self.inputs as u32 {
            order.visit(&mut Var(input));
        }
        order.block(&mut self.body, false);
        order.expr(&mut self.result);
        self.variables = order.kept.iter().map(|old| std::mem::take(&mut self.variables[old.index()])).collect();
    }
}

impl Stmt {
    /// How many statements it is, with those in it.
    pub fn size(&self) -> usize {
        1 + self.blocks().flatten().map(Stmt::size).sum::<usize>()
    }

    /// Whether only the dialect plus has it.
    pub fn is_of_plus(&self) -> bool {
        matches!(self, Stmt::Switch(..) | Stmt::Break | Stmt::Continue | Stmt::Return(_) | Stmt::Do(..))
    }

    /// The expressions directly in it.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        self.parts().0
    }

    /// The blocks directly in it, in the order of the text.
    pub fn blocks(&self) -> impl Iterator<Item = &Vec<Stmt>> {
        self.parts().1
    }

    /// Its expressions and its blocks, which stand behind them.
    fn parts(&self) -> (impl Iterator<Item = &Expr>, impl Iterator<Item = &Vec<Stmt>>) {
        let mut operands = &[][..];
        let (expr, arms, others) = match self {
            Stmt::Do(_, exprs) => {
                operands = exprs;
                (None, &[][..], [None, None])
            }
            Stmt::Assign(_, expr) | Stmt::Return(expr) => (Some(expr), &[][..], [None, None]),
            Stmt::While(expr, body) => (Some(expr), &[][..], [Some(body), None]),
            Stmt::If(expr, then, otherwise) => (Some(expr), &[][..], [Some(then), Some(otherwise)]),
            Stmt::Switch(expr, arms, otherwise) => (Some(expr), &arms[..], [Some(otherwise), None]),
            Stmt::Break | Stmt::Continue => (None, &[][..], [None, None]),
        };
        (expr.into_iter().chain(operands), arms.iter().map(|(_, arm)| arm).chain(others.into_iter().flatten()))
    }

    /// Its expressions and its blocks, to change.
    pub fn parts_mut(&mut self) -> (impl Iterator<Item = &mut Expr>, impl Iterator<Item = &mut Vec<Stmt>>) {
        let mut operands = &mut [][..];
        let (expr, arms, others) = match self {
            Stmt::Do(_, exprs) => {
                operands = exprs;
                (None, &mut [][..], [None, None])
            }
            Stmt::Assign(_, expr) | Stmt::Return(expr) => (Some(expr), &mut [][..], [None, None]),
            Stmt::While(expr, body) => (Some(expr), &mut [][..], [Some(body), None]),
            Stmt::If(expr, then, otherwise) => (Some(expr), &mut [][..], [Some(then), Some(otherwise)]),
            Stmt::Switch(expr, arms, otherwise) => (Some(expr), &mut arms[..], [Some(otherwise), None]),
            Stmt::Break | Stmt::Continue => (None, &mut [][..], [None, None]),
        };
        (expr.into_iter().chain(operands), arms.iter_mut().map(|(_, arm)| arm).chain(others.into_iter().flatten()))
    }
}

impl Expr {
    /// An operation on as many operands as it takes.
    pub fn operation(op: Op, operands: Vec<Expr>) -> Option<Expr> {
        if operands.len() != op.arity() {
            return None;
        }
        let mut operands = operands.into_iter();
        Some(match (operands.next()?, operands.next(), operands.next()) {
            (operand, None, None) => Expr::Unary(op, Box::new(operand)),
            (left, Some(right), None) => Expr::Binary(op, Box::new(left), Box::new(right)),
            (condition, Some(yes), Some(no)) => Expr::Select(Box::new([condition, yes, no])),
            (_, None, Some(_)) => return None,
        })
    }

    /// Its operation; a short circuit is none.
    pub fn op(&self) -> Option<Op> {
        match self {
            Expr::Unary(op, _) | Expr::Binary(op, ..) => Some(*op),
            Expr::Select(_) => Some(Op::Select),
            Expr::Int(_) | Expr::Var(_) | Expr::Logic(..) => None,
        }
    }

    /// Its operation, to change for another of the same operands. A `select` can't be.
    pub fn op_mut(&mut self) -> Option<&mut Op> {
        match self {
            Expr::Unary(op, _) | Expr::Binary(op, ..) => Some(op),
            Expr::Select(_) | Expr::Int(_) | Expr::Var(_) | Expr::Logic(..) => None,
        }
    }

    /// The expressions directly in it, in the order of the text.
    pub fn operands(&self) -> impl Iterator<Item = &Expr> {
        let operands = match self {
            Expr::Int(_) | Expr::Var(_) => [None, None, None],
            Expr::Unary(_, operand) => [Some(&**operand), None, None],
            Expr::Binary(_, left, right) | Expr::Logic(_, left, right) => [Some(&**left), Some(&**right), None],
            Expr::Select(operands) => operands.each_ref().map(Some),
        };
        operands.into_iter().flatten()
    }

    /// The expressions directly in it, to change.
    pub fn operands_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        let operands = match self {
            Expr::Int(_) | Expr::Var(_) => [None, None, None],
            Expr::Unary(_, operand) => [Some(&mut **operand), None, None],
            Expr::Binary(_, left, right) | Expr::Logic(_, left, right) => [Some(&mut **left), Some(&mut **right), None],
            Expr::Select(operands) => operands.each_mut().map(Some),
        };
        operands.into_iter().flatten()
    }

    /// How many expressions lie one in another, at most: 1 for a literal.
    pub fn depth(&self) -> usize {
        1 + self.operands().map(Expr::depth).max().unwrap_or(0)
    }
}

/// A renumbering of variables by their first visit.
struct Order {
    renamed: Vec<Option<Var>>,
    kept: Vec<Var>,
}

impl Order {
    fn visit(&mut self, var: &mut Var) {
        let Order { renamed, kept } = self;
        *var = *renamed[var.index()].get_or_insert_with(|| {
            kept.push(*var);
            Var(kept.len() as u32 - 1)
        });
    }

    fn block(&mut self, body: &mut Vec<Stmt>, in_loop: bool) {
        body.retain(|stmt| in_loop || !matches!(stmt, Stmt::Break | Stmt::Continue));
        for stmt in body {
            match stmt {
                Stmt::Assign(target, _) => self.visit(target),
                Stmt::Switch(_, arms, _) => {
                    let mut constants = HashSet::new();
                    arms.retain(|(constant, _)| constants.insert(*constant));
                }
                _ => {}
            }
            let in_loop = in_loop || matches!(stmt, Stmt::While(..));
            let (exprs, blocks) = stmt.parts_mut();
            exprs.for_each(|expr| self.expr(expr));
            blocks.for_each(|block| self.block(block, in_loop));
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Var(var) => self.visit(var),
            _ => expr.operands_mut().for_each(|operand| self.expr(operand)),
        }
    }
}
