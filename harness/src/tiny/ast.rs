//! The syntax tree of Tiny (`docs/LANGUAGE.md` §1).

use serde::{Deserialize, Serialize};

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
    /// `-e` ([`Op::Neg`]) or `!e` ([`Op::Not`]).
    Unary(Op, Box<Expr>),
    /// An arithmetic operation or a comparison.
    Binary(Op, Box<Expr>, Box<Expr>),
    /// `a && b` or `a || b`.
    Logic(Logic, Box<Expr>, Box<Expr>),
}

/// The two short-circuit operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Logic {
    /// `&&`
    And,
    /// `||`
    Or,
}
