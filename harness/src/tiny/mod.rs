//! Tiny, the source language (`docs/LANGUAGE.md` §1): its syntax tree, its text both ways, its interpreter.

pub mod ast;
mod eval;
mod expression;
mod parse;
mod plus;
mod print;
pub mod walk;

pub use ast::{Expr, Logic, Program, Stmt, Var};
pub use eval::eval;
pub use parse::{parse, parse_in};

/// How deep a program that the parser accepts can be, in statements and operations from the outermost to a leaf (see
/// [`Program::depth`]). Everything that recurses on a syntax tree relies on it.
pub const MAX_DEPTH: usize = 1000;
