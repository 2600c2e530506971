//! `switch`: few arms and many, over values near their constants, and loops that run a state machine.

use super::{Builder, binary};
use crate::generate::choices::Choices;
use crate::generate::constants;
use crate::generate::policy::Feature;
use crate::op::Op;
use crate::tiny::{Expr, Stmt, Var};

impl<C: Choices> Builder<'_, C> {
    /// A `switch`; in half of the cases all arms write one variable, which makes a phi of many.
    pub(super) fn switch(&mut self, depth: u32, block: &mut Vec<Stmt>) {
        let count = self.choices.pick(&[2, 3, 1, 4, 5, 3, 7, 9, 12, 0]);
        let constants = constants::arms(self.choices, count);
        let value = self.switched(&constants);
        self.left -= 1;
        let common = if self.choices.chance(50) { self.target() } else { None };
        let arms = constants.into_iter().map(|constant| (constant, self.arm(depth, common))).collect();
        let otherwise = if self.choices.chance(60) { self.arm(depth, common) } else { Vec::new() };
        block.push(Stmt::Switch(value, arms, otherwise));
    }

    /// A few statements, the last of which writes the arms' common variable.
    fn arm(&mut self, depth: u32, common: Option<Var>) -> Vec<Stmt> {
        let count = self.choices.pick(&[1, 0, 0, 2]);
        let mut arm = self.block(depth + 1, count);
        if let Some(target) = common {
            let value = self.expr(1);
            self.write(target, value, &mut arm);
        }
        arm
    }

    /// What is looked at: often brought near the constants, so that many arms are taken.
    fn switched(&mut self, constants: &[i64]) -> Expr {
        let value = self.expr(1);
        match constants.first() {
            Some(&first) if self.has(Feature::Division) && self.choices.chance(60) => {
                let near = binary(Op::Rem, value, Expr::Int(constants.len() as i64 + 1));
                if first == 0 { near } else { binary(Op::Add, near, Expr::Int(first)) }
            }
            _ => value,
        }
    }

    /// A counted loop around a `switch` on a state, which the arms set.
    pub(super) fn state_machine(&mut self, depth: u32, block: &mut Vec<Stmt>) {
        let (Some(state), Some(counter)) = (self.target(), self.target()) else { return };
        if state == counter {
            return self.assign(block);
        }
        let counted = self.counted(counter);
        self.write(counter, counted.start, block);
        let count = self.choices.pick(&[3, 2, 4, 5, 7]);
        let constants = constants::arms(self.choices, count);
        let first = self.choices.pick(&constants);
        self.write(state, Expr::Int(first), block);
        let step = vec![Stmt::Assign(counter, counted.step)];
        let body = self.stepping(&[state, counter], step, false, |builder| {
            let arms = constants.iter().map(|&constant| (constant, builder.state(depth, state, &constants))).collect();
            let otherwise = builder.state(depth, state, &constants);
            vec![Stmt::Switch(Expr::Var(state), arms, otherwise)]
        });
        block.push(Stmt::While(counted.test, body));
    }

    /// A state's arm: perhaps a statement, then the next state, which may depend on data.
    fn state(&mut self, depth: u32, state: Var, constants: &[i64]) -> Vec<Stmt> {
        let count = self.choices.below(2);
        let mut arm = self.block(depth + 2, count);
        let next = self.choices.pick(constants);
        let next = match self.choices.below(6) {
            0..=2 => Expr::Int(next),
            3 => binary(Op::Add, Expr::Var(state), Expr::Int(1)),
            4 => self.expr(1),
            _ => {
                let (condition, other) = (self.condition(&mut arm), self.choices.pick(constants));
                let set = |value| vec![Stmt::Assign(state, Expr::Int(value))];
                arm.push(Stmt::If(condition, set(next), set(other)));
                return arm;
            }
        };
        self.write(state, next, &mut arm);
        arm
    }
}
