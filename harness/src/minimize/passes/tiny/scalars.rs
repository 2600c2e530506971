//! An array becomes a variable: where it is not about memory, what is stored and loaded again is only in the way.

use super::Attempt;
use crate::names;
use crate::op::Op;
use crate::tiny::walk::{expression_mut, expressions, list_mut, lists};
use crate::tiny::{Expr, Program, Stmt, Var};

/// Puts a new variable in the place of the `n`th array: what is stored is assigned, whatever the index.
pub fn array_as_variable(program: &Program, n: usize) -> Attempt<Program> {
    let loads = expressions(program).into_iter().filter_map(|expr| match expr {
        Expr::Unary(op, _) => op.array(),
        _ => None,
    });
    let stores = lists(program).into_iter().flatten().filter_map(|stmt| match stmt {
        Stmt::Do(op, _) => op.array(),
        _ => None,
    });
    let mut arrays: Vec<_> = loads.chain(stores).collect();
    arrays.sort_unstable();
    arrays.dedup();
    let Some(&array) = arrays.get(n) else { return Attempt::End };

    let mut changed = program.clone();
    let variable = Var(changed.variables.len() as u32);
    changed.variables.extend((0..).map(names::short).find(|name| !program.variables.contains(name)));
    for at in 0..lists(program).len() {
        for stmt in list_mut(&mut changed, at).into_iter().flatten() {
            if let Stmt::Do(op, operands) = stmt
                && *op == Op::Store(array)
                && let Some(value) = operands.pop()
            {
                *stmt = Stmt::Assign(variable, value);
            }
        }
    }
    let mut at = 0;
    while let Some(expr) = expression_mut(&mut changed, at) {
        match expr {
            Expr::Unary(op, _) if *op == Op::Load(array) => *expr = Expr::Var(variable),
            Expr::Binary(op, _, value) if *op == Op::Store(array) => {
                *expr = std::mem::replace(&mut **value, Expr::Int(0));
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    Attempt::Candidate(changed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tiny;

    #[test]
    fn what_is_stored_is_assigned() {
        let program = "# dialect: plus\ninput a;\nif a { a8[a] = b8[1] + 1; }\nb8[0] = a8[b8[2]];\nreturn a8[3]";
        let changed = |n| match array_as_variable(&tiny::parse(program).unwrap(), n) {
            Attempt::Candidate(program) => {
                let mut program = program;
                program.normalize();
                Some(program.to_string())
            }
            _ => None,
        };
        let first = "# dialect: plus\ninput a;\nif a {\n  b = b8[1] + 1;\n}\nb8[0] = b;\nreturn b\n";
        let second = "# dialect: plus\ninput a;\nif a {\n  a8[a] = b + 1;\n}\nb = a8[b];\nreturn a8[3]\n";
        assert_eq!(changed(0).as_deref(), Some(first));
        assert_eq!(changed(1).as_deref(), Some(second));
        assert_eq!(changed(2), None);
    }
}
