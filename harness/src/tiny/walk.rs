//! Reaching into a syntax tree by number: what mutation and reduction need.
//!
//! Statement lists and expressions are numbered in preorder, an outer one before what lies in it; the program's body is
//! list 0. Recursion is as deep as the program, which the parser bounds ([`crate::tiny::MAX_DEPTH`]).

use super::{Expr, Program, Stmt, Var};

/// All statement lists in order.
pub fn lists(program: &Program) -> Vec<&[Stmt]> {
    fn collect<'a>(list: &'a [Stmt], all: &mut Vec<&'a [Stmt]>) {
        all.push(list);
        for stmt in list {
            match stmt {
                Stmt::Assign(..) => {}
                Stmt::While(_, body) => collect(body, all),
                Stmt::If(_, then, otherwise) => {
                    collect(then, all);
                    collect(otherwise, all);
                }
            }
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
        list.iter_mut().find_map(|stmt| match stmt {
            Stmt::Assign(..) => None,
            Stmt::While(_, body) => find(body, n),
            Stmt::If(_, then, otherwise) => find(then, n).or_else(|| find(otherwise, n)),
        })
    }
    find(&mut program.body, &mut { n })
}

/// All expressions in order; the result's come last.
pub fn expressions(program: &Program) -> Vec<&Expr> {
    fn of_list<'a>(list: &'a [Stmt], all: &mut Vec<&'a Expr>) {
        for stmt in list {
            match stmt {
                Stmt::Assign(_, value) => of_expr(value, all),
                Stmt::While(condition, body) => {
                    of_expr(condition, all);
                    of_list(body, all);
                }
                Stmt::If(condition, then, otherwise) => {
                    of_expr(condition, all);
                    of_list(then, all);
                    of_list(otherwise, all);
                }
            }
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
        list.iter_mut().find_map(|stmt| match stmt {
            Stmt::Assign(_, value) => in_expr(value, n),
            Stmt::While(condition, body) => in_expr(condition, n).or_else(|| in_list(body, n)),
            Stmt::If(condition, then, otherwise) => {
                in_expr(condition, n).or_else(|| in_list(then, n)).or_else(|| in_list(otherwise, n))
            }
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
        match stmt {
            Stmt::Assign(target, value) => {
                visit(target);
                variables_of_mut(value, visit);
            }
            Stmt::While(condition, body) => {
                variables_of_mut(condition, visit);
                variables_mut(body, visit);
            }
            Stmt::If(condition, then, otherwise) => {
                variables_of_mut(condition, visit);
                variables_mut(then, visit);
                variables_mut(otherwise, visit);
            }
        }
    }
}

/// Calls `visit` for every occurrence of a variable in an expression.
pub fn variables_of_mut(expr: &mut Expr, visit: &mut impl FnMut(&mut Var)) {
    match expr {
        Expr::Var(var) => visit(var),
        _ => expr.operands_mut().for_each(|operand| variables_of_mut(operand, visit)),
    }
}
