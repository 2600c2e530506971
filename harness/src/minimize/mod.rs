//! The smallest case that is still interesting.
//!
//! A reducer in the manner of C-Reduce and Shrink Ray: *passes* propose smaller cases, a predicate says which of them
//! are still interesting, and the search ends when no pass proposes an interesting one any more: the result is
//! *1-minimal* under the passes. It works on the program, never on bytes.
//!
//! - The order of cases ([`measure`]) is well-founded and every accepted step goes down in it, so the search ends.
//! - Nothing depends on time or chance, so one case and one predicate always give the same result.
//! - The predicate is tried on the original, where it must hold, and on the empty program, where it must not: a
//!   predicate that holds there has nothing to do with the program.
//! - No text is tested twice.
//!
//! Keeping the predicate true to the finding (its signature, not just "something is wrong") is the caller's part.

mod driver;
pub mod measure;
mod passes;
pub mod shape;

pub use driver::{Minimized, NotReducible, Progress, candidates, minimize};

use crate::case::Program;
use crate::op::Op;
use crate::tac::Line;
use crate::tiny::Stmt;
use crate::tiny::walk::{expression_mut, expressions, list_mut, lists};

/// What a program does at less than 64 bits: each such operation as that at 64 bits, signed or unsigned where that
/// makes a difference, and its width.
pub fn narrow_operations(program: &Program) -> Vec<(Op, u32)> {
    let mut narrow = Vec::new();
    operations_mut(&mut program.clone(), &mut |op| {
        if let Op::At(operation, int) = *op {
            narrow.push((operation.wide(int), int.bits()));
        }
    });
    narrow
}

/// Calls `visit` for every operation of a program that may be exchanged for another one; of Tiny's, `select` is none.
fn operations_mut(program: &mut Program, visit: &mut impl FnMut(&mut Op)) {
    match program {
        Program::Tiny(program) => {
            for n in 0..lists(program).len() {
                for stmt in list_mut(program, n).into_iter().flatten() {
                    if let Stmt::Do(op, _) = stmt {
                        visit(op);
                    }
                }
            }
            for n in 0..expressions(program).len() {
                expression_mut(program, n).and_then(|expr| expr.op_mut()).map(&mut *visit);
            }
        }
        Program::Tac(program) => {
            for line in &mut program.lines {
                if let Line::Assign(assign) = line {
                    visit(&mut assign.op);
                }
            }
        }
        Program::Ssa(function) => {
            function.blocks.iter_mut().flat_map(|block| &mut block.body).for_each(|inst| visit(&mut inst.op));
        }
        Program::Phi(function) => {
            function.blocks.iter_mut().flat_map(|block| &mut block.body).for_each(|inst| visit(&mut inst.op));
        }
    }
}
