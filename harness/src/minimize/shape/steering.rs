//! Which operations of a program only say how often a loop goes round: those of its condition, and those that compute a
//! variable which the condition is computed of.

use crate::case::Program;
use crate::op::Op;
use crate::tac::{self, Atom, Line};
use crate::tiny::walk::lists;
use crate::tiny::{Expr, Program as Tiny, Stmt, Var};

/// Whether all operations of a kind do nothing else. For a program with a loop.
pub fn steers(program: &Program, is_kind: impl Fn(Op) -> bool) -> bool {
    match program {
        Program::Tiny(program) => !others_of_tiny(program).into_iter().any(is_kind),
        Program::Tac(program) => !others_of_tac(program).any(is_kind),
        Program::Ssa(_) | Program::Phi(_) => false,
    }
}

/// The operations that stand elsewhere.
fn others_of_tiny(program: &Tiny) -> Vec<Op> {
    let statements = || lists(program).into_iter().flatten();
    let tested = statements().filter_map(|stmt| if let Stmt::While(test, _) = stmt { Some(test) } else { None });
    let steering = with_operands(tested.flat_map(variables).collect(), |computed| {
        let assigned = statements().filter_map(move |stmt| match stmt {
            Stmt::Assign(target, value) if *target == computed => Some(value),
            _ => None,
        });
        assigned.flat_map(variables).collect()
    });
    let mut others = Vec::new();
    of_list(&program.body, &steering, &mut others);
    of_expression(&program.result, &mut |expr| others.extend(operation(expr)));
    others
}

/// Variables and all that they are computed of.
fn with_operands<V: Copy + PartialEq>(mut variables: Vec<V>, operands: impl Fn(V) -> Vec<V>) -> Vec<V> {
    let mut looked_at = 0;
    while let Some(&computed) = variables.get(looked_at) {
        let new: Vec<V> = operands(computed).into_iter().filter(|var| !variables.contains(var)).collect();
        variables.extend(new);
        looked_at += 1;
    }
    variables
}

fn variables(expr: &Expr) -> Vec<Var> {
    let mut variables = Vec::new();
    of_expression(expr, &mut |expr| variables.extend(if let Expr::Var(var) = expr { Some(*var) } else { None }));
    variables
}

fn of_list(list: &[Stmt], steering: &[Var], others: &mut Vec<Op>) {
    for stmt in list {
        let steers = match stmt {
            Stmt::Assign(target, _) => steering.contains(target),
            _ => matches!(stmt, Stmt::While(..)),
        };
        if !steers {
            stmt.exprs().for_each(|expr| of_expression(expr, &mut |expr| others.extend(operation(expr))));
        }
        stmt.blocks().for_each(|block| of_list(block, steering, others));
    }
}

fn of_expression(expr: &Expr, visit: &mut dyn FnMut(&Expr)) {
    visit(expr);
    match expr {
        Expr::Int(_) | Expr::Var(_) => {}
        Expr::Unary(_, operand) => of_expression(operand, visit),
        Expr::Binary(_, left, right) | Expr::Logic(_, left, right) => {
            of_expression(left, visit);
            of_expression(right, visit);
        }
        Expr::Select(operands) => operands.iter().for_each(|operand| of_expression(operand, visit)),
    }
}

fn operation(expr: &Expr) -> Option<Op> {
    match expr {
        Expr::Unary(op, _) | Expr::Binary(op, ..) => Some(*op),
        Expr::Select(_) => Some(Op::Select),
        Expr::Int(_) | Expr::Var(_) | Expr::Logic(..) => None,
    }
}

/// The same of three-address code, where a condition is computed by lines of its own.
fn others_of_tac(program: &tac::Program) -> impl Iterator<Item = Op> {
    let variable = |atom: &Atom| if let Atom::Var(var) = atom { Some(*var) } else { None };
    let tested = program.lines.iter().filter_map(|line| match line {
        Line::If { cond, .. } | Line::Switch { value: cond, .. } => variable(cond),
        _ => None,
    });
    let steering = with_operands(tested.collect(), |computed| {
        let assigned = program.lines.iter().filter_map(|line| match line {
            Line::Assign(assign) if assign.dest == computed => Some(assign.operands().iter().filter_map(variable)),
            _ => None,
        });
        assigned.flatten().collect()
    });
    program.lines.iter().filter_map(move |line| match line {
        Line::Assign(assign) if !steering.contains(&assign.dest) => Some(assign.op),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{tac, tiny};

    #[test]
    fn conditions_and_counters_steer() {
        let program = tiny::parse("while a < 9 { b = a * 2; a = a + 1; }\nreturn b - a").unwrap();
        let program = Program::Tiny(program);
        let steers = |op| super::steers(&program, |other| other == op);
        assert!(steers(Op::Lt) && steers(Op::Add));
        assert!(!steers(Op::Mul) && !steers(Op::Sub));
        let lagged = tiny::parse("while b { b = c * 2; c = a; a = a - 1; d = a + 1; }\nreturn d").unwrap();
        let lagged = Program::Tiny(lagged);
        let steers = |op| super::steers(&lagged, |other| other == op);
        assert!(steers(Op::Sub) && steers(Op::Mul) && !steers(Op::Add));
    }

    #[test]
    fn so_they_do_in_three_address_code() {
        let text = "L:\nc = lt a, 9\nifz c goto M\nb = mul a, 2\na = copy d\nd = add d, 1\ngoto L\nM:\nret b";
        let program = Program::Tac(tac::parse(text).unwrap());
        let steers = |op| super::steers(&program, |other| other == op);
        assert!(steers(Op::Lt) && steers(Op::Add));
        assert!(!steers(Op::Mul));
    }
}
