//! What a program is made of: its operations, and how control flows.

use super::word;
use crate::case::{Case, Program};
use crate::lab::Terminator;
use crate::minimize::measure::Measure;
use crate::minimize::operations_mut;
use crate::op::Op;
use crate::tac::Line;
use crate::tiny::walk::{expressions, lists};
use crate::tiny::{Expr, Stmt};

/// What a program is made of.
#[derive(Default)]
pub(super) struct Parts {
    /// Without those that have another one's word, in the order of [`Op::all`].
    pub(super) operations: Vec<Op>,
    /// Those among them that are statements, which no other operation can be.
    pub(super) done: Vec<Op>,
    pub(super) branches: bool,
    /// `&&` or `||`.
    pub(super) logic: bool,
    pub(super) switches: bool,
    pub(super) loops: bool,
    pub(super) breaks: bool,
    pub(super) continues: bool,
    pub(super) returns: bool,
    pub(super) assigns: bool,
    pub(super) wide: bool,
}

impl Parts {
    pub(super) fn of(case: &Case) -> Parts {
        let done = done(&case.program);
        let mut operations = Vec::new();
        operations_mut(&mut case.program.clone(), &mut |op| operations.push(word(*op)));
        let mut parts = Parts {
            operations: Op::all().filter(|op| operations.contains(op)).collect(),
            wide: Measure::of(case).text().split(|c: char| !c.is_ascii_digit()).any(is_wide),
            done,
            ..Parts::default()
        };
        match &case.program {
            Program::Tiny(program) => {
                parts.logic = expressions(program).iter().any(|expr| matches!(expr, Expr::Logic(..)));
                parts.branches = parts.logic;
                for stmt in lists(program).into_iter().flatten() {
                    match stmt {
                        Stmt::Assign(..) => parts.assigns = true,
                        Stmt::If(..) => parts.branches = true,
                        Stmt::While(..) => (parts.branches, parts.loops) = (true, true),
                        Stmt::Switch(..) => parts.switches = true,
                        Stmt::Break => parts.breaks = true,
                        Stmt::Continue => parts.continues = true,
                        Stmt::Return(_) => parts.returns = true,
                        Stmt::Do(..) => {}
                    }
                }
            }
            Program::Tac(program) => {
                let mut passed = Vec::new();
                for line in &program.lines {
                    match line {
                        Line::Label(label) => passed.push(*label),
                        Line::Assign(_) => parts.assigns = true,
                        Line::Goto(target) => parts.loops |= passed.contains(target),
                        Line::If { target, .. } => {
                            (parts.branches, parts.loops) = (true, parts.loops || passed.contains(target))
                        }
                        Line::Switch { arms, default, .. } => {
                            let mut targets = arms.iter().map(|(_, target)| target).chain([default]);
                            (parts.switches, parts.loops) =
                                (true, parts.loops || targets.any(|it| passed.contains(it)));
                        }
                        Line::Ret(_) => {}
                    }
                }
            }
            Program::Ssa(function) => {
                for block in &function.blocks {
                    parts.branches |= matches!(block.term, Terminator::Cbr(..));
                    parts.switches |= matches!(block.term, Terminator::Switch(..));
                }
            }
            Program::Phi(function) => {
                for block in &function.blocks {
                    parts.branches |= matches!(block.term, Terminator::Cbr(..));
                    parts.switches |= matches!(block.term, Terminator::Switch(..));
                }
            }
        }
        parts
    }
}

/// The words of the operations that are statements.
fn done(program: &Program) -> Vec<Op> {
    let Program::Tiny(program) = program else { return Vec::new() };
    let statements = lists(program).into_iter().flatten();
    let of = |stmt: &Stmt| if let Stmt::Do(op, _) = stmt { Some(word(*op)) } else { None };
    statements.filter_map(of).collect()
}

/// Whether digits are a number that 32 bits don't hold, whatever its sign.
fn is_wide(digits: &str) -> bool {
    !digits.is_empty() && digits.parse::<u32>().is_err()
}
