//! Reaching into a syntax tree by number: what mutation and reduction need.
//!
//! Statement lists and expressions are numbered in preorder, an outer one before what lies in it; the program's body is
//! list 0. Recursion is as deep as the program, which the parser bounds ([`crate::tiny::MAX_DEPTH`]).

use super::{Expr, Program, Stmt, Var};

/// All statement lists in order.
pub fn lists(program: &Program) -> Vec<&[Stmt]> {
    fn collect<'a>(list: &'a [Stmt], all: &mut Vec<&'a [Stmt]>) {
        all.push(list);
        for block in list.iter().flat_map(Stmt::blocks) {
            collect(block, all);
        }
    }
    let mut all = Vec::new();
    collect(&program.body, &mut all);
    all
}

/// Statement list number `n`, to change.
pub fn list_mut(program: &mut Program, n: usize) -> Option<&mut Vec<Stmt>> {
    fn find<'a>(list: &'a mut Vec<Stmt>, n: &mut usize) -> Option<&'a mut Vec<Stmt>> {
        if *n == 0 {
            return Some(list);
        }
        *n -= 1;
        list.iter_mut().flat_map(|stmt| stmt.parts_mut().1).find_map(|block| find(block, n))
    }
    find(&mut program.body, &mut { n })
}

/// All expressions in order; the result's come last.
pub fn expressions(program: &Program) -> Vec<&Expr> {
    fn of_list<'a>(list: &'a [Stmt], all: &mut Vec<&'a Expr>) {
        for stmt in list {
            stmt.exprs().for_each(|expr| of_expr(expr, all));
            stmt.blocks().for_each(|block| of_list(block, all));
        }
    }
    fn of_expr<'a>(expr: &'a Expr, all: &mut Vec<&'a Expr>) {
        all.push(expr);
        expr.operands().for_each(|operand| of_expr(operand, all));
    }
    let mut all = Vec::new();
    of_list(&program.body, &mut all);
    of_expr(&program.result, &mut all);
    all
}

/// Expression number `n`, to change.
pub fn expression_mut(program: &mut Program, n: usize) -> Option<&mut Expr> {
    fn in_list<'a>(list: &'a mut [Stmt], n: &mut usize) -> Option<&'a mut Expr> {
        list.iter_mut().find_map(|stmt| {
            let (mut exprs, mut blocks) = stmt.parts_mut();
            exprs.find_map(|expr| in_expr(expr, n)).or_else(|| blocks.find_map(|block| in_list(block, n)))
        })
    }
    fn in_expr<'a>(expr: &'a mut Expr, n: &mut usize) -> Option<&'a mut Expr> {
        if *n == 0 {
            return Some(expr);
        }
        *n -= 1;
        expr.operands_mut().find_map(|operand| in_expr(operand, n))
    }
    let mut n = n;
    in_list(&mut program.body, &mut n).or_else(|| in_expr(&mut program.result, &mut n))
}

/// Calls `visit` for every occurrence of a variable in these statements, targets too.
pub fn variables_mut(list: &mut [Stmt], visit: &mut impl FnMut(&mut Var)) {
    for stmt in list {
        if let Stmt::Assign(target, _) = stmt {
            visit(target);
        }
        let (exprs, blocks) = stmt.parts_mut();
        exprs.for_each(|expr| variables_of_mut(expr, visit));
        blocks.for_each(|block| variables_mut(block, visit));
    }
}

/// Calls `visit` for every occurrence of a variable in an expression.
pub fn variables_of_mut(expr: &mut Expr, visit: &mut impl FnMut(&mut Var)) {
    match expr {
        Expr::Var(var) => visit(var),
        _ => expr.operands_mut().for_each(|operand| variables_of_mut(operand, visit)),
    }
}
