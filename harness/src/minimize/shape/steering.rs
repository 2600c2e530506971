//! Which operations of a program only say how often a loop goes round: those of its condition, and those that compute a
//! variable of the condition.

use crate::case::Program;
use crate::op::Op;
use crate::tac::{self, Atom, Line};
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
    let mut others = Vec::new();
    let mut steering = Vec::new();
    conditions(&program.body, &mut steering);
    of_list(&program.body, &steering, &mut others);
    of_expression(&program.result, &mut |expr| others.extend(operation(expr)));
    others
}

/// The variables of all loops' conditions.
fn conditions(list: &[Stmt], variables: &mut Vec<Var>) {
    for stmt in list {
        if let Stmt::While(condition, _) = stmt {
            of_expression(condition, &mut |expr| {
                variables.extend(if let Expr::Var(var) = expr { Some(*var) } else { None })
            });
        }
        stmt.blocks().for_each(|block| conditions(block, variables));
    }
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
    let mut steering = Vec::new();
    let variable = |atom: &Atom| if let Atom::Var(var) = atom { Some(*var) } else { None };
    for line in &program.lines {
        if let Line::If { cond, .. } | Line::Switch { value: cond, .. } = line {
            steering.extend(variable(cond));
        }
    }
    let tested = steering.clone();
    for line in &program.lines {
        if let Line::Assign(assign) = line
            && tested.contains(&assign.dest)
        {
            steering.extend(assign.operands().iter().filter_map(variable));
        }
    }
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
    }

    #[test]
    fn so_they_do_in_three_address_code() {
        let text = "L:\nc = lt a, 9\nifz c goto M\nb = mul a, 2\na = add a, 1\ngoto L\nM:\nret b";
        let program = Program::Tac(tac::parse(text).unwrap());
        let steers = |op| super::steers(&program, |other| other == op);
        assert!(steers(Op::Lt) && steers(Op::Add));
        assert!(!steers(Op::Mul));
    }
}
