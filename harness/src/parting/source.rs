//! From an instruction of the lab's SSA back to the part of the program that it comes from.
//!
//! The constructions emit instructions in one fixed order and keep it in the listing, so the k-th instruction is that
//! of the k-th operation: of the text's lines that hold one, for TAC and SSA, and of the tree in the order of
//! evaluation, for Tiny. Should operations and order not fit, the function is another one, and there is no answer.

use std::ops::Range;

use super::pair::At;
use crate::case::Program;
use crate::lab::Function;
use crate::op::Op;
use crate::syntax::{Kind, Token, tokens};
use crate::tac;
use crate::tiny::{self, Expr, Stmt, walk};

/// The part of the text for an instruction of a function that the lab made of the program.
pub fn of(program: &Program, text: &str, function: &Function, at: At) -> Option<Range<usize>> {
    let index = at.line.checked_sub(1).filter(|index| *index < function.blocks[at.block].body.len())?;
    let before: usize = function.blocks[..at.block].iter().map(|block| block.body.len()).sum();
    let ops: Vec<Op> = function.blocks.iter().flat_map(|block| &block.body).map(|inst| inst.op).collect();
    let fits = |operations: &Vec<(Op, usize)>| operations.iter().map(|operation| operation.0).eq(ops.iter().copied());
    let operations = operations(program).into_iter().find(fits)?;
    places(program, text)?.get(operations[before + index].1).cloned()
}

/// The operations that constructions emit for a program, in order: which, and the number of its part of the text.
/// Pruning drops parameters only.
fn operations(program: &Program) -> Vec<Vec<(Op, usize)>> {
    let numbered = |ops: Vec<Op>| vec![ops.into_iter().enumerate().map(|(index, op)| (op, index)).collect()];
    match program {
        Program::Tiny(program) => vec![Walk::over(program, Emits::Ssa), Walk::over(program, Emits::Tac)],
        Program::Tac(program) => numbered(program.lines.iter().filter_map(assigned).collect()),
        Program::Ssa(function) => {
            numbered(function.blocks.iter().flat_map(|block| &block.body).map(|inst| inst.op).collect())
        }
        Program::Phi(_) => Vec::new(),
    }
}

fn assigned(line: &tac::Line) -> Option<Op> {
    match line {
        tac::Line::Assign(assign) => Some(assign.op),
        _ => None,
    }
}

/// What a construction emits for a tree.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Emits {
    /// Algorithm 8.4.7: an instruction an operator, and one that makes the right operand of `&&` and `||` 0 or 1.
    Ssa,
    /// TAC: an assignment an operator; one for an atom that is assigned; two for `&&` and `||`, one on each way.
    Tac,
}

/// Goes through a tree in the order of evaluation.
struct Walk {
    form: Emits,
    /// The number of the statement, in the order of the text.
    part: usize,
    operations: Vec<(Op, usize)>,
}

impl Walk {
    fn over(program: &tiny::Program, form: Emits) -> Vec<(Op, usize)> {
        let mut walk = Walk { form, part: 0, operations: Vec::new() };
        walk.statements(&program.body);
        walk.expr(&program.result, false);
        walk.operations
    }

    fn statements(&mut self, body: &[Stmt]) {
        for stmt in body {
            stmt.exprs().for_each(|expr| self.expr(expr, matches!(stmt, Stmt::Assign(..))));
            if let Stmt::Do(op, _) = stmt {
                self.emit(*op);
            }
            self.part += usize::from(holds_operations(stmt));
            stmt.blocks().for_each(|block| self.statements(block));
        }
    }

    fn expr(&mut self, expr: &Expr, is_assigned: bool) {
        match expr {
            Expr::Int(_) | Expr::Var(_) => {
                if self.form == Emits::Tac && is_assigned {
                    self.emit(Op::Copy);
                }
            }
            Expr::Unary(op, operand) => {
                self.expr(operand, false);
                self.emit(*op);
            }
            Expr::Binary(op, left, right) => {
                self.expr(left, false);
                self.expr(right, false);
                self.emit(*op);
            }
            Expr::Select(operands) => {
                operands.iter().for_each(|operand| self.expr(operand, false));
                self.emit(Op::Select);
            }
            Expr::Logic(_, left, right) => {
                self.expr(left, false);
                self.expr(right, false);
                match self.form {
                    Emits::Ssa => self.emit(Op::Ne),
                    Emits::Tac => (0..2).for_each(|_| self.emit(Op::Copy)),
                }
            }
        }
    }

    fn emit(&mut self, op: Op) {
        self.operations.push((op, self.part));
    }
}

/// Whether a statement has a part of its own: all but `break` and `continue`.
fn holds_operations(stmt: &Stmt) -> bool {
    stmt.exprs().next().is_some()
}

/// The parts of a text that hold operations: Tiny's statements, up to the brace of those that have a block; the
/// instructions of the line languages.
fn places(program: &Program, text: &str) -> Option<Vec<Range<usize>>> {
    let tokens = tokens(text).ok()?;
    let is_tiny = matches!(program, Program::Tiny(_));
    let begins = |at: usize| {
        let word = &text[tokens[at].span.clone()];
        let is_assignment = tokens.get(at + 1).is_some_and(|next| next.kind == Kind::Assign);
        let leads = is_tiny && matches!(word, "while" | "if" | "return" | "switch");
        let emits = is_tiny && word == "emit" && at.checked_sub(1).is_none_or(|before| parts(tokens[before].kind));
        tokens[at].kind == Kind::Name && (is_assignment || leads || emits || is_tiny && is_store(&tokens[at + 1..]))
    };
    let starts = (0..tokens.len()).filter(|&at| begins(at));
    let places: Vec<Range<usize>> = starts.map(|at| tokens[at].span.start..end(&tokens[at..])).collect();
    // A variable may be called `switch`: then it is not clear where statements begin.
    let is_clear = match program {
        Program::Tiny(program) => {
            let statements = walk::lists(program).into_iter().flatten();
            places.len() == statements.filter(|stmt| holds_operations(stmt)).count() + 1
        }
        _ => true,
    };
    is_clear.then_some(places)
}

/// Whether statements may begin behind such a token.
fn parts(kind: Kind) -> bool {
    matches!(kind, Kind::LineEnd | Kind::Semicolon | Kind::OpenBrace | Kind::CloseBrace | Kind::HashComment)
}

/// Whether an index and a `=` follow.
fn is_store(behind: &[Token]) -> bool {
    let mut open = 0_usize;
    let close = behind.iter().position(|token| {
        open += usize::from(token.kind == Kind::OpenBracket);
        open -= usize::from(token.kind == Kind::CloseBracket && open > 0);
        open == 0
    });
    let index = close.filter(|&close| close > 0);
    index.is_some_and(|close| behind.get(close + 1).is_some_and(|token| token.kind == Kind::Assign))
}

/// Where a statement's first line ends.
fn end(tokens: &[Token]) -> usize {
    use Kind::{CloseBrace, HashComment, LineEnd, OpenBrace, Semicolon, SlashComment};
    let ends = [LineEnd, Semicolon, OpenBrace, CloseBrace, HashComment, SlashComment];
    tokens.iter().take_while(|token| !ends.contains(&token.kind)).last().map_or(0, |token| token.span.end)
}
