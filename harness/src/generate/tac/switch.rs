//! `switch`: few arms and many, dense, sparse and at the boundaries, arms that go to one block, and arms that bring
//! different values to it.

use super::Builder;
use crate::generate::choices::Choices;
use crate::generate::constants;
use crate::generate::policy::Feature;
use crate::op::Op;
use crate::tac::{Atom, Label, Line, Var};

impl<C: Choices> Builder<'_, C> {
    /// Ends the block with a `switch`. In a loop it may go back too; then the counter lets it, or leaves first.
    pub(super) fn switch(&mut self, place: u32) {
        let count = self.choices.pick(&[2, 3, 1, 4, 5, 3, 7, 9, 12, 20, 40, 0]);
        let constants = constants::arms(self.choices, count);
        let back = self.has(Feature::Loops) && self.choices.chance(40);
        if back {
            let going = self.step_counter();
            let exit = self.forward(place);
            self.lines.push(Line::If { when: false, cond: Atom::Var(going), target: exit });
        }
        let value = self.switched(&constants);
        let landings = if self.choices.chance(40) { self.choices.between(1, 6).min(count) } else { 0 };
        let mut arms = Vec::new();
        for (index, constant) in constants.into_iter().enumerate() {
            let target = match index as u32 {
                index if index < landings => self.landing(place, index),
                _ if back && self.choices.chance(50) => self.backward(place),
                _ if self.choices.chance(30) => Label(place + 1),
                _ => self.forward(place),
            };
            arms.push((constant, target));
        }
        let default = if back && self.choices.chance(30) { self.backward(place) } else { self.forward(place) };
        self.lines.push(Line::Switch { value, arms, default });
        self.land(place, landings);
    }

    /// What the `switch` looks at: often brought near its constants, so that many arms are taken.
    fn switched(&mut self, arms: &[i64]) -> Atom {
        if arms.is_empty() || !self.has(Feature::Division) || !self.choices.chance(60) {
            return self.condition();
        }
        let (target, operand) = (self.any_target(), self.atom());
        let range = Atom::Const(arms.len() as i64 + 1);
        self.assign(target, Op::Rem, &[operand, range]);
        if arms[0] != 0 {
            self.assign(target, Op::Add, &[Atom::Var(target), Atom::Const(arms[0])]);
        }
        if !self.known.contains(&target) {
            self.known.push(target);
        }
        Atom::Var(target)
    }

    /// The label of a landing: behind those of chains.
    fn landing(&self, place: u32, index: u32) -> Label {
        Label(10 * self.places + 8 * place + index)
    }

    /// Blocks behind the `switch` that give one variable different values and go on to one block: what arrives there
    /// depends on the arm.
    fn land(&mut self, place: u32, landings: u32) {
        if landings == 0 {
            return;
        }
        let target: Var = self.any_target();
        let join = self.forward(place);
        for index in 0..landings {
            self.lines.push(Line::Label(self.landing(place, index)));
            let value = self.atom();
            self.copy(target, value);
            self.lines.push(Line::Goto(join));
        }
        if !self.known.contains(&target) {
            self.known.push(target);
        }
    }
}
