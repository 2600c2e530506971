//! The lesson's pathological family of programs (§5).

use harness::op::Op;
use harness::tiny::{Expr, Program, Stmt, Var};

/// A chain of `diamonds` ifs, each of which assigns all of the `variables`, which are inputs.
pub fn pathological(diamonds: usize, variables: u32) -> Program {
    let read = |variable| Expr::Var(Var(variable));
    let add = |left, right| Expr::Binary(Op::Add, Box::new(left), Box::new(right));
    let assign_all = (0..variables).map(|x| Stmt::Assign(Var(x), add(read(x), Expr::Int(1)))).collect();
    let diamond = Stmt::If(read(0), assign_all, Vec::new());
    Program {
        variables: (0..variables).map(|x| format!("x{x}").into()).collect(),
        inputs: variables as usize,
        body: vec![diamond; diamonds],
        result: (0..variables).map(read).reduce(add).unwrap_or(Expr::Int(0)),
    }
}
