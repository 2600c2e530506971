//! Tiny, the source language (`docs/LANGUAGE.md` §1): its syntax tree, its text both ways, its interpreter.

pub mod ast;

pub use ast::{Expr, Logic, Program, Stmt, Var};
