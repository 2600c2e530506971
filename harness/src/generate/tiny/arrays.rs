//! Local arrays: elements by lagged and strided indices, and loops over whole arrays, as vectorizers like them.

use super::loops::MOST_REPEATS;
use super::{Builder, binary, unary};
use crate::generate::choices::Choices;
use crate::generate::policy::Feature;
use crate::op::{Array, Op};
use crate::tiny::{Expr, Stmt};

impl<C: Choices> Builder<'_, C> {
    /// Something with arrays: a loop over one, or a statement.
    pub(super) fn arrays(&mut self, block: &mut Vec<Stmt>) {
        if self.has(Feature::Loops) && self.repeats < MOST_REPEATS / 8 && self.choices.chance(50) {
            self.array_loop(block);
        } else {
            self.array_statement(block);
        }
    }

    /// Reads an element of each array, so that what is in it matters.
    pub(super) fn read_arrays(&mut self, block: &mut Vec<Stmt>) {
        for array in self.style.arrays.clone() {
            let Some(target) = self.target() else { return };
            let index = self.leaf();
            let element = unary(Op::Load(array), index);
            let sum = if self.known.contains(&target) { binary(Op::Add, Expr::Var(target), element) } else { element };
            self.write(target, sum, block);
        }
    }

    /// `i = 0; while i < n { .. i = i + 1 }` with nothing but arrays in it.
    fn array_loop(&mut self, block: &mut Vec<Stmt>) {
        let Some(counter) = self.target() else { return };
        let length = i64::from(self.array().length());
        let trips = self.choices.pick(&[length, length, length - 1, 2 * length, 16, 64, 7]);
        let step = self.choices.pick(&[1, 1, 1, 1, 2, 3]);
        let start = self.choices.pick(&[0, 0, 0, 1, 2]);
        self.write(counter, Expr::Int(start), block);
        let outside = (self.locked.len(), self.repeats);
        self.locked.push(counter);
        self.repeats = self.repeats.saturating_mul(16);
        let mut body = Vec::with_capacity(4);
        for _ in 0..self.choices.between(1, 3) {
            self.array_statement(&mut body);
        }
        body.push(Stmt::Assign(counter, binary(Op::Add, Expr::Var(counter), Expr::Int(step))));
        self.left -= 2;
        self.locked.truncate(outside.0);
        self.repeats = outside.1;
        block.push(Stmt::While(binary(Op::Lt, Expr::Var(counter), Expr::Int(trips)), body));
    }

    /// A store of something that is often made from elements, or a sum of elements.
    fn array_statement(&mut self, block: &mut Vec<Stmt>) {
        let Some(target) = self.target() else { return };
        let value = match self.choices.below(4) {
            0 => self.expr(1),
            1 => self.element(),
            _ => {
                let op = self.choices.pick(&[Op::Add, Op::Add, Op::Sub, Op::Mul]);
                let right = if self.choices.chance(50) { self.element() } else { self.leaf() };
                binary(op, self.element(), right)
            }
        };
        if self.choices.chance(25) && self.known.contains(&target) {
            return self.write(target, binary(Op::Add, Expr::Var(target), value), block);
        }
        let (array, index) = (self.array(), self.index());
        if self.choices.chance(80) {
            self.left -= 1;
            return block.push(Stmt::Do(Op::Store(array), vec![index, value]));
        }
        self.write(target, binary(Op::Store(array), index, value), block);
    }

    /// An element of some array.
    fn element(&mut self) -> Expr {
        let (array, index) = (self.array(), self.index());
        unary(Op::Load(array), index)
    }

    fn array(&mut self) -> Array {
        self.choices.pick(&self.style.arrays)
    }

    /// An index: mostly a loop's counter, before or behind it, or so many times it.
    fn index(&mut self) -> Expr {
        let counter = if self.choices.chance(80) { self.locked.last().copied() } else { None };
        let base = counter.map_or_else(|| self.leaf(), Expr::Var);
        let lag = i64::from(self.choices.between(1, 3));
        match self.choices.below(8) {
            0..=3 => base,
            4 => binary(Op::Sub, base, Expr::Int(lag)),
            5 => binary(Op::Add, base, Expr::Int(lag)),
            6 => binary(Op::Mul, base, Expr::Int(lag + 1)),
            _ => binary(Op::Add, binary(Op::Mul, base, Expr::Int(2)), Expr::Int(lag)),
        }
    }
}
