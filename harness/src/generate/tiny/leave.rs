//! `break`, `continue` and early `return`: mostly under a condition; what stands behind one that isn't is unreachable.

use super::Builder;
use crate::generate::choices::Choices;
use crate::generate::policy::Feature;
use crate::tiny::{Expr, Stmt};

impl<C: Choices> Builder<'_, C> {
    /// `break` or `continue`, perhaps after an assignment; before a `continue` the loop's step.
    pub(super) fn jump(&mut self, depth: u32, block: &mut Vec<Stmt>) {
        let Some(step) = self.before_continue.clone() else { return };
        let condition = self.leaving_condition(depth, block);
        let mut leaving = Vec::new();
        if self.choices.chance(50) {
            self.assign(&mut leaving);
        }
        if self.choices.chance(50) {
            leaving.push(Stmt::Break);
        } else {
            leaving.extend(step);
            leaving.push(Stmt::Continue);
        }
        self.leave(condition, leaving, depth, block);
    }

    /// `return e`, perhaps after an assignment.
    pub(super) fn early_return(&mut self, depth: u32, block: &mut Vec<Stmt>) {
        let condition = self.leaving_condition(depth, block);
        let mut leaving = Vec::new();
        if self.choices.chance(30) {
            self.assign(&mut leaving);
        }
        leaving.push(Stmt::Return(self.expr(2)));
        self.leave(condition, leaving, depth, block);
    }

    /// The condition; none in a few blocks, and seldom in the outermost, where the rest of the program would be lost.
    fn leaving_condition(&mut self, depth: u32, block: &mut Vec<Stmt>) -> Option<Expr> {
        let without = if depth > 0 { 12 } else { u32::from(self.has(Feature::DeadCode)) * 4 };
        if self.choices.chance(without) { None } else { Some(self.condition(block)) }
    }

    fn leave(&mut self, condition: Option<Expr>, leaving: Vec<Stmt>, depth: u32, block: &mut Vec<Stmt>) {
        self.left -= 1;
        match condition {
            None => block.extend(leaving),
            Some(condition) => {
                let other = depth < self.style.depth && self.choices.chance(25);
                let other = if other { self.block(depth + 1, 1) } else { Vec::new() };
                block.push(Stmt::If(condition, leaving, other));
            }
        }
    }
}
