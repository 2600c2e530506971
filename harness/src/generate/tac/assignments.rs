//! Assignments, operands and conditions.

use super::Builder;
use crate::generate::choices::Choices;
use crate::generate::constants;
use crate::generate::policy::Feature;
use crate::op::Op;
use crate::tac::{Atom, Var};

impl<C: Choices> Builder<'_, C> {
    /// One assignment, or a few that copy variables around.
    pub(super) fn assignment(&mut self) {
        if self.has(Feature::Copies) && self.choices.chance(15) {
            return self.copies();
        }
        let target = self.any_target();
        self.assign_to(target);
    }

    /// Two operands. `x - x` and its like tell nothing, so the second is another; the first is often what the target
    /// holds, which keeps that alive.
    fn two_atoms(&mut self, target: Var) -> [Atom; 2] {
        let keep = self.known.contains(&target) && self.choices.chance(30);
        let first = if keep { Atom::Var(target) } else { self.atom() };
        let second = self.atom();
        if first == second && first.var().is_some() { [first, Atom::Const(1)] } else { [first, second] }
    }

    /// Any variable but the counter: often a local that has no value yet, at times an input.
    pub(super) fn any_target(&mut self) -> Var {
        let all = self.style.inputs + self.style.locals;
        if self.choices.chance(30)
            && let Some(fresh) = (self.style.inputs..all).map(Var).find(|var| !self.known.contains(var))
        {
            return fresh;
        }
        if self.style.inputs > 0 && self.choices.chance(10) {
            return Var(self.choices.below(self.style.inputs));
        }
        Var(self.style.inputs + self.choices.below(self.style.locals))
    }

    /// An assignment to this variable.
    pub(super) fn assign_to(&mut self, target: Var) {
        let weight = |wanted: bool, weight: u32| if wanted { weight } else { 0 };
        let weights = [
            10,
            weight(self.has(Feature::Multiplication), 4),
            weight(self.has(Feature::Division), 4),
            weight(self.has(Feature::Truth), 4),
            2,
            1,
            weight(!self.style.plus.is_empty(), 14),
            weight(self.has(Feature::Emits), 4),
            weight(!self.style.arrays.is_empty(), 9),
        ];
        match self.choices.weighted(&weights) {
            0 => {
                let operands = self.two_atoms(target);
                let op = self.choices.pick(&[Op::Add, Op::Sub]);
                self.assign(target, op, &operands);
            }
            1 => {
                let operands = self.two_atoms(target);
                self.assign(target, Op::Mul, &operands);
            }
            2 => self.division(target),
            3 if self.choices.chance(20) => {
                let operand = self.atom();
                self.assign(target, Op::Not, &[operand]);
            }
            3 => self.compare(target),
            4 => {
                let value = self.atom();
                self.copy(target, value);
            }
            5 => {
                let operand = self.atom();
                self.assign(target, Op::Neg, &[operand]);
            }
            6 => self.plus(target),
            7 => {
                let value = self.atom();
                self.assign(target, Op::Emit, &[value]);
            }
            _ => self.element(target),
        }
        self.know(target);
    }

    /// An operation beyond the lesson's.
    fn plus(&mut self, target: Var) {
        let op = self.choices.pick(&self.style.plus);
        let mut operands = self.two_atoms(target).to_vec();
        match op.arity() {
            1 => operands.truncate(1),
            2 => {
                if let Some(constant) = constants::right_operand(self.choices, op, self.style.boundaries) {
                    operands[1] = Atom::Const(constant);
                }
            }
            _ => {
                let condition = self.condition();
                operands.insert(0, condition);
            }
        }
        self.assign(target, op, &operands);
    }

    /// A load or a store whose index is the counter, any atom, or one of them moved or multiplied.
    fn element(&mut self, target: Var) {
        let array = self.choices.pick(&self.style.arrays);
        let base = if self.choices.chance(50) { Atom::Var(self.counter.var) } else { self.atom() };
        let index = if self.choices.chance(50) {
            let op = self.choices.pick(&[Op::Add, Op::Sub, Op::Mul]);
            let by = Atom::Const(i64::from(self.choices.between(1, 3)));
            self.assign(target, op, &[base, by]);
            Atom::Var(target)
        } else {
            base
        };
        if self.choices.chance(50) {
            self.assign(target, Op::Load(array), &[index]);
        } else {
            let value = self.atom();
            self.assign(target, Op::Store(array), &[index, value]);
        }
    }

    /// Reads an element of each array, so that what is in it matters.
    pub(super) fn read_arrays(&mut self) {
        for array in self.style.arrays.clone() {
            let (target, index) = (self.any_target(), self.atom());
            self.assign(target, Op::Load(array), &[index]);
            self.know(target);
        }
    }

    /// `div` or `rem`: by a constant that is not 0, by something made not to be 0, seldom by anything.
    fn division(&mut self, target: Var) {
        let op = self.choices.pick(&[Op::Div, Op::Rem]);
        // Often an input itself: what reaches a division through other operations is seldom an extreme.
        let dividend = if self.style.inputs > 0 && self.choices.chance(40) {
            Atom::Var(Var(self.choices.below(self.style.inputs)))
        } else {
            self.atom()
        };
        match self.choices.below(20) {
            0..=12 => {
                let divisor = Atom::Const(constants::divisor(self.choices, self.style.boundaries));
                self.assign(target, op, &[dividend, divisor]);
            }
            13..=18 => {
                // target = x + !x is x, and 1 for 0.
                let divisor = self.atom();
                let source = if divisor == Atom::Var(target) { Atom::Const(9) } else { divisor };
                self.assign(target, Op::Not, &[source]);
                self.assign(target, Op::Add, &[Atom::Var(target), source]);
                self.assign(target, op, &[dividend, Atom::Var(target)]);
            }
            _ => {
                let divisor = self.atom();
                self.assign(target, op, &[dividend, divisor]);
            }
        }
    }

    fn compare(&mut self, target: Var) {
        let op = self.choices.pick(&self.style.comparisons);
        let operands = self.two_atoms(target);
        self.assign(target, op, &operands);
    }

    /// A chain of copies `x = y; y = z; ..`, closed to a rotation at times.
    fn copies(&mut self) {
        let spare = self.any_target();
        let mut chain = vec![self.any_target()];
        for _ in 0..self.choices.between(1, 3) {
            let next = self.any_target();
            if next != spare && !chain.contains(&next) {
                chain.push(next);
            }
        }
        let closed = self.choices.chance(60) && !chain.contains(&spare);
        if closed {
            self.copy(spare, Atom::Var(chain[0]));
            self.know(spare);
        }
        for pair in chain.windows(2) {
            self.copy(pair[0], Atom::Var(pair[1]));
        }
        let end = if closed { Atom::Var(spare) } else { self.atom() };
        self.copy(chain[chain.len() - 1], end);
        for &variable in &chain {
            self.know(variable);
        }
    }

    fn know(&mut self, variable: Var) {
        if !self.known.contains(&variable) {
            self.known.push(variable);
        }
    }

    /// A constant or a variable; the counter too, which makes it data.
    pub(super) fn atom(&mut self) -> Atom {
        if self.choices.chance(self.style.constants) {
            return Atom::Const(constants::operand(self.choices, self.style.boundaries));
        }
        if self.has(Feature::Uninitialised) && self.choices.chance(20) {
            return Atom::Var(Var(self.choices.below(self.style.inputs + self.style.locals)));
        }
        if self.has(Feature::Loops) && self.choices.chance(8) {
            return Atom::Var(self.counter.var);
        }
        if self.known.is_empty() { Atom::Const(1) } else { Atom::Var(self.choices.pick(&self.known)) }
    }

    /// What a jump depends on: mostly a comparison just made, else any variable, seldom a constant.
    pub(super) fn condition(&mut self) -> Atom {
        if self.choices.chance(70) {
            let target = self.any_target();
            self.compare(target);
            self.know(target);
            return Atom::Var(target);
        }
        match self.atom() {
            Atom::Const(_) if !self.has(Feature::DeadCode) && !self.known.is_empty() => {
                Atom::Var(self.choices.pick(&self.known))
            }
            atom => atom,
        }
    }
}
