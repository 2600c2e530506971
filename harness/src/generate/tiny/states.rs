//! Loops that are small state machines: a few variables go around, and each turn decides from what they were.
//!
//! What optimizers of loops reason about, and where they have been wrong, is how values of one turn reach the next:
//! copies that lag behind (`before = now`), sums that are reset, flags, tests of signs, of the first or the last turn,
//! and arms that do nothing. So a turn here is made of exactly these: decisions about new values, and then the
//! variables take them, in some order, after each other.

use super::loops::Counted;
use super::{Builder, binary};
use crate::generate::choices::Choices;
use crate::generate::constants;
use crate::generate::policy::Feature;
use crate::op::Op;
use crate::tiny::{Expr, Stmt, Var};

/// The most decisions within each other.
const DEEPEST: u32 = 2;

impl<C: Choices> Builder<'_, C> {
    /// `s = ..; i = start; while test { new = decision; s = new; before = i; i = step }`.
    pub(super) fn state_loop(&mut self, depth: u32, block: &mut Vec<Stmt>) {
        let Some(counter) = self.target() else { return };
        let states = self.states(counter);
        if states.is_empty() {
            return self.assign(block);
        }
        // Mostly one of several lags behind.
        let lags = states.len() > 1 && self.choices.chance(70);
        let before = lags.then(|| states[0]);
        for &state in &states {
            if self.choices.chance(80) {
                let start = if before == Some(state) { self.lagging_constant() } else { self.state_constant() };
                self.write(state, start, block);
            }
        }
        let counted = self.state_counter(counter);
        self.write(counter, counted.start.clone(), block);
        let mut turn = Turn { counter, start: counted.start, states, before, new: Vec::new() };
        let mut body = Vec::with_capacity(8);
        for _ in 0..self.choices.between(1, 2) {
            self.decide(&mut turn, &mut body);
        }
        if self.choices.chance(40) {
            self.remember(&turn, block, &mut body);
        }
        let steps_first = self.choices.chance(15);
        if steps_first {
            body.push(Stmt::Assign(counter, counted.step.clone()));
        }
        self.take_over(&turn, &mut body);
        if !steps_first {
            body.push(Stmt::Assign(counter, counted.step));
        }
        // Seldom something else as well, which leaves the machine alone.
        if depth < self.style.depth && self.choices.chance(20) {
            let outside = (self.locked.len(), self.repeats);
            self.locked.push(counter);
            self.repeats = self.repeats.saturating_mul(8);
            let more = self.block(depth + 1, 1);
            body.splice(0..0, more);
            self.locked.truncate(outside.0);
            self.repeats = outside.1;
        }
        self.left -= 2;
        block.push(Stmt::While(counted.test, body));
    }

    /// Adds what was decided to a sum that nothing resets: where each turn replaces what the last one left, one wrong
    /// turn among right ones would not be seen.
    fn remember(&mut self, turn: &Turn, block: &mut Vec<Stmt>, body: &mut Vec<Stmt>) {
        let taken = |sum: &Var| *sum == turn.counter || turn.states.contains(sum) || turn.new.contains(sum);
        let Some(sum) = self.target().filter(|sum| !taken(sum)) else { return };
        if !self.known.contains(&sum) {
            self.write(sum, Expr::Int(0), block);
        }
        let decided = turn.new.last().copied().unwrap_or(turn.counter);
        let moved = if self.has(Feature::Multiplication) && self.choices.chance(50) {
            binary(Op::Mul, Expr::Var(sum), Expr::Int(3))
        } else {
            Expr::Var(sum)
        };
        self.left -= 1;
        body.push(Stmt::Assign(sum, binary(Op::Add, moved, Expr::Var(decided))));
    }

    /// Counts in some way, half of the time plainly from 0.
    fn state_counter(&mut self, counter: Var) -> Counted {
        if self.choices.chance(50) {
            return self.counted(counter);
        }
        let turns = Expr::Int(self.choices.pick(&[2, 3, 4, 5, 2, 3, 7, 10, 12]));
        let test = binary(self.choices.pick(&[Op::Lt, Op::Ne]), Expr::Var(counter), turns);
        Counted { start: Expr::Int(0), test, step: binary(Op::Add, Expr::Var(counter), Expr::Int(1)) }
    }

    /// One to three variables to go around.
    fn states(&mut self, counter: Var) -> Vec<Var> {
        let mut states: Vec<Var> = Vec::with_capacity(3);
        for _ in 0..self.choices.between(1, 3) {
            match self.target() {
                Some(target) if target != counter && !states.contains(&target) => states.push(target),
                _ => {}
            }
        }
        states
    }

    /// What a state begins with or is reset to.
    fn state_constant(&mut self) -> Expr {
        match self.choices.below(8) {
            0..=5 => Expr::Int(self.choices.pick(&[0, 0, 0, 1, 1, -1])),
            6 => Expr::Int(constants::operand(self.choices, self.style.boundaries)),
            _ => self.leaf(),
        }
    }

    /// What the one that lags begins with: mostly not what a counter does, or its first turn would be like the others.
    fn lagging_constant(&mut self) -> Expr {
        if self.choices.chance(60) { Expr::Int(self.choices.pick(&[1, -1])) } else { self.state_constant() }
    }

    /// Decides about a new value, in a variable of its own or in a state itself.
    fn decide(&mut self, turn: &mut Turn, body: &mut Vec<Stmt>) {
        let free = |target: &Var| *target != turn.counter && !turn.new.contains(target);
        let Some(new) = self.target().filter(free) else { return };
        let decision = self.decision(turn, new, 0);
        body.extend(decision);
        turn.new.push(new);
        if !self.known.contains(&new) {
            self.known.push(new);
        }
    }

    /// `if test { new = value } else { .. }`, or a value at once.
    fn decision(&mut self, turn: &Turn, new: Var, within: u32) -> Vec<Stmt> {
        if within == DEEPEST || (within > 0 && self.choices.chance(55)) {
            // An arm that does nothing leaves the value of the turn before.
            return if self.choices.chance(12) { Vec::new() } else { vec![Stmt::Assign(new, self.next_value(turn))] };
        }
        // The first turn, or the last, is the one that is different.
        let test = if within == 0 && self.choices.chance(45) { self.turn_test(turn) } else { self.test(turn) };
        let (yes, no) = (self.decision(turn, new, within + 1), self.decision(turn, new, within + 1));
        vec![Stmt::If(test, yes, no)]
    }

    /// Of the sign of a state, of the turn's number, of two states, of a flag.
    fn test(&mut self, turn: &Turn) -> Expr {
        self.left -= 1;
        let old = turn.before.filter(|_| self.choices.chance(65));
        let state = Expr::Var(old.unwrap_or_else(|| self.choices.pick(&turn.states)));
        match self.choices.below(8) {
            0..=3 => binary(self.choices.pick(&[Op::Lt, Op::Le, Op::Gt, Op::Ge]), state, Expr::Int(0)),
            4 => self.turn_test(turn),
            5 => binary(self.choices.pick(&self.style.comparisons), state, Expr::Var(turn.counter)),
            6 => state,
            _ => self.comparison(1),
        }
    }

    /// Of the turn's number: is it the first one?
    fn turn_test(&mut self, turn: &Turn) -> Expr {
        let turns = self.choices.pick(&[0, 0, 0, 1, -1, 2]);
        let number = match turn.start {
            Expr::Int(start) => Expr::Int(start.wrapping_add(turns)),
            _ => Expr::Int(turns),
        };
        let compare = self.choices.pick(&self.style.comparisons);
        binary(self.choices.pick(&[Op::Eq, Op::Eq, Op::Ne, compare]), Expr::Var(turn.counter), number)
    }

    /// A reset, a sum that goes on, or a copy.
    fn next_value(&mut self, turn: &Turn) -> Expr {
        self.left -= 1;
        let sum = turn.states.last().copied().filter(|_| self.choices.chance(50));
        let state = Expr::Var(sum.unwrap_or_else(|| self.choices.pick(&turn.states)));
        match self.choices.below(8) {
            0 | 1 => self.state_constant(),
            2..=4 => binary(Op::Add, state, Expr::Int(self.choices.pick(&[1, 1, 1, -1, 2]))),
            5 => state,
            6 => self.test(turn),
            _ => self.operation(1),
        }
    }

    /// The states take what was decided, what another was, or what the counter is, one after the other.
    fn take_over(&mut self, turn: &Turn, body: &mut Vec<Stmt>) {
        let mut states = turn.states.clone();
        while !states.is_empty() {
            let state = states.swap_remove(self.choices.below(states.len() as u32) as usize);
            let others: Vec<Var> = turn.states.iter().copied().filter(|&it| it != state).collect();
            let value = match self.choices.below(8) {
                0..=3 if turn.before == Some(state) => Expr::Var(turn.counter),
                _ if turn.before == Some(state) => Expr::Var(self.choices.pick(&others)),
                0..=5 if !turn.new.is_empty() => Expr::Var(self.choices.pick(&turn.new)),
                0..=5 => Expr::Var(turn.counter),
                6 => self.test(turn),
                _ => continue,
            };
            if value != Expr::Var(state) {
                self.left -= 1;
                body.push(Stmt::Assign(state, value));
            }
        }
    }
}

/// One turn of the machine.
struct Turn {
    counter: Var,
    /// What the counter begins with.
    start: Expr,
    states: Vec<Var>,
    /// The one that lags behind.
    before: Option<Var>,
    /// What has been decided in this turn.
    new: Vec<Var>,
}
