//! Expressions and conditions.

use super::{Builder, binary, unary};
use crate::generate::choices::Choices;
use crate::generate::constants;
use crate::generate::policy::Feature;
use crate::op::Op;
use crate::tiny::{Expr, Logic, Stmt, Var};

impl<C: Choices> Builder<'_, C> {
    /// An expression of at most this depth.
    pub(super) fn expr(&mut self, depth: u32) -> Expr {
        if depth == 0 || self.choices.chance(35) { self.leaf() } else { self.operation(depth) }
    }

    /// A constant or a variable.
    pub(super) fn leaf(&mut self) -> Expr {
        if !self.choices.chance(self.style.constants)
            && let Some(variable) = self.readable()
        {
            return Expr::Var(variable);
        }
        Expr::Int(self.constant())
    }

    /// A constant: often one that the program has already, its neighbour or its negative. A test is most likely decided
    /// wrongly where a value is at its edge.
    fn constant(&mut self) -> i64 {
        if self.has(Feature::Coupled) && !self.constants.is_empty() && self.choices.chance(35) {
            let again = self.choices.pick(&self.constants);
            return match self.choices.below(8) {
                0..=4 => again,
                5 => again.wrapping_add(1),
                6 => again.wrapping_sub(1),
                _ => again.wrapping_neg(),
            };
        }
        let new = constants::operand(self.choices, self.style.boundaries);
        self.constants.push(new);
        new
    }

    /// A variable to read: one that has a value, or any when uninitialised reads are wanted.
    pub(super) fn readable(&mut self) -> Option<Var> {
        if self.has(Feature::Uninitialised) && self.choices.chance(20) {
            return Some(Var(self.choices.below(self.style.inputs + self.style.locals)));
        }
        if self.known.is_empty() { None } else { Some(self.choices.pick(&self.known)) }
    }

    /// An operation of at most this depth.
    pub(super) fn operation(&mut self, depth: u32) -> Expr {
        self.left -= 1;
        let depth = depth.saturating_sub(1);
        let weight = |wanted: bool, weight: u32| if wanted { weight } else { 0 };
        let weights = [
            10,
            weight(self.has(Feature::Multiplication), 5),
            weight(self.has(Feature::Division), 5),
            weight(self.has(Feature::Truth), 4),
            weight(self.has(Feature::ShortCircuits), 3),
            1,
            weight(!self.style.plus.is_empty(), 14),
        ];
        match self.choices.weighted(&weights) {
            0 => {
                let op = self.choices.pick(&[Op::Add, Op::Sub]);
                binary(op, self.expr(depth), self.expr(depth))
            }
            1 => binary(Op::Mul, self.expr(depth), self.expr(depth)),
            2 => self.division(depth),
            3 if self.choices.chance(20) => unary(Op::Not, self.expr(depth)),
            3 => self.comparison(depth),
            4 => self.logic(depth),
            5 => unary(Op::Neg, self.expr(depth)),
            _ => self.plus(depth),
        }
    }

    /// An operation beyond the lesson's.
    fn plus(&mut self, depth: u32) -> Expr {
        let op = self.choices.pick(&self.style.plus);
        match op.arity() {
            1 => unary(op, self.expr(depth)),
            2 => {
                let left = self.expr(depth);
                let right = match constants::right_operand(self.choices, op, self.style.boundaries) {
                    Some(constant) => Expr::Int(constant),
                    None => self.expr(depth),
                };
                binary(op, left, right)
            }
            _ => Expr::Select(Box::new([self.truth(depth), self.expr(depth), self.expr(depth)])),
        }
    }

    /// `/` or `%`: by a constant that is not 0, by something made not to be 0, seldom by anything.
    fn division(&mut self, depth: u32) -> Expr {
        let op = self.choices.pick(&[Op::Div, Op::Rem]);
        // Often an input itself: what reaches a division through other operations is seldom an extreme.
        let dividend = if self.style.inputs > 0 && self.choices.chance(40) {
            Expr::Var(Var(self.choices.below(self.style.inputs)))
        } else {
            self.expr(depth)
        };
        let divisor = match self.choices.below(20) {
            0..=11 => Expr::Int(constants::divisor(self.choices, self.style.boundaries)),
            12..=17 => match self.readable() {
                // x + !x is x, and 1 for 0.
                Some(variable) => binary(Op::Add, Expr::Var(variable), unary(Op::Not, Expr::Var(variable))),
                None => Expr::Int(7),
            },
            _ => self.leaf(),
        };
        binary(op, dividend, divisor)
    }

    /// A comparison whose left side is a variable or an operation.
    pub(super) fn comparison(&mut self, depth: u32) -> Expr {
        let op = self.choices.pick(&self.style.comparisons);
        let left = match self.readable() {
            Some(variable) if depth == 0 || self.choices.chance(60) => Expr::Var(variable),
            _ => self.expr(depth),
        };
        // What was computed against what it was computed from: did it wrap?
        let right = match &left {
            Expr::Binary(_, of, _) if matches!(**of, Expr::Var(_)) && self.choices.chance(30) => (**of).clone(),
            _ => self.expr(depth),
        };
        binary(op, left, right)
    }

    /// `a && b` or `a || b`.
    fn logic(&mut self, depth: u32) -> Expr {
        let logic = self.choices.pick(&[Logic::And, Logic::Or]);
        let left = self.truth(depth);
        let right = if self.choices.chance(75) { self.truth(depth) } else { self.expr(depth) };
        Expr::Logic(logic, Box::new(left), Box::new(right))
    }

    /// An expression that one would branch on.
    fn truth(&mut self, depth: u32) -> Expr {
        self.left -= 1;
        let any = self.has(Feature::Truth);
        match self.choices.below(10) {
            0 if any => self.leaf(),
            1 if any => unary(Op::Not, self.comparison(0)),
            2 if any => {
                let op = self.choices.pick(&[Op::Eq, Op::Ne]);
                let depth = depth.min(1);
                binary(op, self.comparison(depth), self.comparison(depth))
            }
            3 | 4 if self.has(Feature::ShortCircuits) && depth > 0 => self.logic(depth - 1),
            5 if self.has(Feature::Division) => {
                let rest = binary(Op::Rem, self.leaf(), Expr::Int(constants::divisor(self.choices, 0)));
                binary(self.choices.pick(&[Op::Eq, Op::Ne]), rest, Expr::Int(self.choices.pick(&[0, 1])))
            }
            _ => self.comparison(0),
        }
    }

    /// A condition: branched on directly, or first put into a variable as a value.
    pub(super) fn condition(&mut self, block: &mut Vec<Stmt>) -> Expr {
        let condition = self.truth(1);
        if self.choices.chance(self.style.materialise)
            && let Some(variable) = self.target()
        {
            self.write(variable, condition, block);
            return Expr::Var(variable);
        }
        condition
    }
}
