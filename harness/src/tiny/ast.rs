//! The syntax tree of Tiny (`docs/LANGUAGE.md` §1).

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

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Stmt {
    /// `x = e`
    Assign(Var, Expr),
    /// `while c { .. }`
    While(Expr, Vec<Stmt>),
    /// `if c { .. } else { .. }`; a missing else part is an empty one, and `else if` an else part that holds one `if`.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
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
    /// How many statements there are, those in blocks too; the `return` is none.
    pub fn size(&self) -> usize {
        fn count(body: &[Stmt]) -> usize {
            body.iter()
                .map(|stmt| match stmt {
                    Stmt::Assign(..) => 1,
                    Stmt::While(_, body) => 1 + count(body),
                    Stmt::If(_, then, otherwise) => 1 + count(then) + count(otherwise),
                })
                .sum()
        }
        count(&self.body)
    }

    /// How many statements and expressions lie one in another, at most: 1 for `return 0`, 2 for `x = 0` or
    /// `return -x`.
    pub fn depth(&self) -> usize {
        fn deepest(body: &[Stmt]) -> usize {
            body.iter()
                .map(|stmt| {
                    1 + match stmt {
                        Stmt::Assign(_, value) => value.depth(),
                        Stmt::While(cond, body) => cond.depth().max(deepest(body)),
                        Stmt::If(cond, then, otherwise) => cond.depth().max(deepest(then)).max(deepest(otherwise)),
                    }
                })
                .max()
                .unwrap_or(0)
        }
        deepest(&self.body).max(self.result.depth())
    }

    /// The dialect that its text needs.
    pub fn dialect(&self) -> Dialect {
        walk::expressions(self).iter().filter_map(|expr| expr.op()).map(Op::dialect).max().unwrap_or_default()
    }

    /// Brings `variables` into the order V and drops those that do not occur and are no inputs.
    pub fn normalize(&mut self) {
        let mut order = Order { renamed: vec![None; self.variables.len()], kept: Vec::new() };
        for input in 0..self.inputs as u32 {
            order.visit(&mut Var(input));
        }
        order.block(&mut self.body);
        order.expr(&mut self.result);
        self.variables = order.kept.iter().map(|old| std::mem::take(&mut self.variables[old.index()])).collect();
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

    fn block(&mut self, body: &mut [Stmt]) {
        for stmt in body {
            match stmt {
                Stmt::Assign(target, value) => {
                    self.visit(target);
                    self.expr(value);
                }
                Stmt::While(cond, body) => {
                    self.expr(cond);
                    self.block(body);
                }
                Stmt::If(cond, then, otherwise) => {
                    self.expr(cond);
                    self.block(then);
                    self.block(otherwise);
                }
            }
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Var(var) => self.visit(var),
            _ => expr.operands_mut().for_each(|operand| self.expr(operand)),
        }
    }
}
