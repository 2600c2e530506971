//! Loops, in as many shapes as there are loop passes to confuse.
//!
//! Every shape but the unbounded one ends by itself: a counter that only the loop's own step writes, or an argument of
//! the shape's own (Euclid's algorithm, digits and halvings reach 0).

use super::{Builder, binary};
use crate::generate::choices::Choices;
use crate::generate::constants;
use crate::generate::policy::Feature;
use crate::op::Op;
use crate::tiny::{Expr, Logic, Stmt, Var};

/// A counted loop about to be written: how it starts, when it goes on, how it steps.
pub(super) struct Counted {
    pub(super) start: Expr,
    pub(super) test: Expr,
    pub(super) step: Expr,
}

/// The most often that the innermost place of nested loops is meant to run.
pub(super) const MOST_REPEATS: u32 = 120;

impl<C: Choices> Builder<'_, C> {
    /// A loop of some shape.
    pub(super) fn loop_statement(&mut self, depth: u32, block: &mut Vec<Stmt>) {
        if self.repeats >= MOST_REPEATS {
            return self.assign(block);
        }
        let data = self.has(Feature::DataLoops);
        let weight = |wanted: bool, weight: u32| if wanted { weight } else { 0 };
        let weights = [
            12,
            weight(data, 2),
            weight(data, 2),
            weight(data, 2),
            weight(self.has(Feature::States), 14),
            weight(self.has(Feature::Unbounded), 8),
            weight(self.has_switches(), 4),
        ];
        match self.choices.weighted(&weights) {
            0 => self.counted_loop(depth, block),
            1 => self.euclid(block),
            2 => self.dwindle(depth, block),
            3 => self.flag_loop(depth, block),
            4 => self.state_loop(depth, block),
            5 => self.unbounded(depth, block),
            _ => self.state_machine(depth, block),
        }
    }

    /// `i = start; while test { .. i = step .. }`, the test perhaps together with another condition.
    fn counted_loop(&mut self, depth: u32, block: &mut Vec<Stmt>) {
        let Some(counter) = self.target() else { return };
        let counted = self.counted(counter);
        self.write(counter, counted.start, block);
        let mut test = counted.test;
        if self.has(Feature::ShortCircuits) && self.choices.chance(25) {
            let other = Box::new(self.expr(1));
            // `test && c` ends at the latest when `test` does; `c && test` evaluates the other side first.
            let test_now = Box::new(test);
            test = if self.choices.chance(50) {
                Expr::Logic(Logic::And, test_now, other)
            } else {
                Expr::Logic(Logic::And, other, test_now)
            };
        }
        let body = self.loop_body(depth, &[counter], vec![Stmt::Assign(counter, counted.step)]);
        block.push(Stmt::While(test, body));
    }

    /// A counter's start, test and step. It runs about `trips` times, whatever the shape.
    pub(super) fn counted(&mut self, counter: Var) -> Counted {
        let trips = self.trips();
        self.constants.push(trips);
        let count = || Box::new(Expr::Var(counter));
        let compare = |op, limit| Expr::Binary(op, count(), Box::new(limit));
        let plus = |step| Expr::Binary(Op::Add, count(), Box::new(Expr::Int(step)));
        let bounded_input = self.style.inputs > 0 && self.has(Feature::DataLoops) && self.choices.chance(35);
        match self.choices.below(8) {
            // Up, by 1, to a constant or to what is left of an input; the step may depend on data.
            0 | 1 => {
                let limit = if bounded_input {
                    let input = Expr::Var(Var(self.choices.below(self.style.inputs)));
                    binary(Op::Rem, input, Expr::Int(trips + 1))
                } else {
                    Expr::Int(trips)
                };
                let step = if self.choices.chance(15) {
                    let faster = binary(Op::Gt, self.leaf(), Expr::Int(0));
                    binary(Op::Add, plus(1), faster)
                } else {
                    plus(1)
                };
                let op = self.choices.pick(&[Op::Lt, Op::Le]);
                Counted { start: Expr::Int(self.choices.pick(&[0, 1])), test: compare(op, limit), step }
            }
            // Down to 0, also written as `while i`.
            2 => {
                let test = if self.choices.chance(30) { *count() } else { compare(Op::Gt, Expr::Int(0)) };
                Counted { start: Expr::Int(trips), test, step: plus(-1) }
            }
            // By another step, up or down.
            3 => {
                let (start, step) = (constants::small(self.choices), constants::divisor(self.choices, 0));
                let op = if step > 0 { Op::Lt } else { Op::Gt };
                let limit = start.wrapping_add(step.wrapping_mul(trips));
                Counted { start: Expr::Int(start), test: compare(op, Expr::Int(limit)), step: plus(step) }
            }
            // Until exactly the limit, from any start: the counter may wrap.
            4 => {
                let start = constants::operand(self.choices, self.style.boundaries);
                let step = constants::divisor(self.choices, self.style.boundaries);
                let limit = start.wrapping_add(step.wrapping_mul(trips));
                Counted { start: Expr::Int(start), test: compare(Op::Ne, Expr::Int(limit)), step: plus(step) }
            }
            // Over the edge: `while i > 0` from a little below MAX ends because addition wraps.
            5 => {
                let (edge, op, step) = self.choices.pick(&[(i64::MAX, Op::Gt, 1), (i64::MIN, Op::Lt, -1)]);
                let start = edge.wrapping_sub(step * trips);
                Counted { start: Expr::Int(start), test: compare(op, Expr::Int(0)), step: plus(step) }
            }
            // By doubling or tripling, to a power or off the upper end.
            6 => {
                let limit = if self.choices.chance(10) { i64::MAX / 4 } else { 1 << trips.min(40) };
                let factor = self.choices.pick(&[2, 2, 3, 4]);
                let step = Expr::Binary(Op::Mul, count(), Box::new(Expr::Int(factor)));
                Counted { start: Expr::Int(1), test: compare(Op::Lt, Expr::Int(limit)), step }
            }
            // From a data-dependent start, clipped by a remainder.
            _ => {
                let start = binary(Op::Rem, self.leaf(), Expr::Int(trips + 1));
                Counted { start, test: compare(Op::Gt, Expr::Int(0)), step: plus(-1) }
            }
        }
    }

    /// A trip count: small, 0 and 1 too, larger in outer loops at times.
    fn trips(&mut self) -> i64 {
        let most = (MOST_REPEATS / self.repeats).max(1);
        let trips = if self.choices.chance(6) { self.choices.between(16, 40) } else { self.choices.below(10) };
        i64::from(trips.min(most))
    }

    /// A body that leaves the steering variables alone, with the step at its end or at its start, or the step alone.
    fn loop_body(&mut self, depth: u32, steering: &[Var], step: Vec<Stmt>) -> Vec<Stmt> {
        let count = if self.choices.chance(8) { 0 } else { self.choices.between(1, 4) };
        let first = self.choices.chance(15);
        self.stepping(steering, step, first, |builder| builder.block(depth + 1, count))
    }

    /// A step and the rest of a loop's body, which leaves the steering variables alone.
    pub(super) fn stepping(
        &mut self,
        steering: &[Var],
        step: Vec<Stmt>,
        first: bool,
        rest: impl FnOnce(&mut Self) -> Vec<Stmt>,
    ) -> Vec<Stmt> {
        let before_continue = if first { Vec::new() } else { step.clone() };
        let outside = (self.locked.len(), self.repeats, self.before_continue.replace(before_continue));
        self.locked.extend_from_slice(steering);
        self.repeats = self.repeats.saturating_mul(8);
        let rest = rest(self);
        self.left -= 2;
        self.locked.truncate(outside.0);
        (self.repeats, self.before_continue) = (outside.1, outside.2);
        if first { [step, rest].concat() } else { [rest, step].concat() }
    }

    /// Euclid's algorithm on two variables, with its swap through a third.
    fn euclid(&mut self, block: &mut Vec<Stmt>) {
        let (Some(a), Some(b), Some(rest)) = (self.target(), self.target(), self.target()) else { return };
        if a == b || b == rest || a == rest {
            return self.assign(block);
        }
        for variable in [a, b] {
            if !self.known.contains(&variable) {
                let value = self.leaf();
                self.write(variable, value, block);
            }
        }
        let mut body = Vec::with_capacity(3);
        self.write(rest, binary(Op::Rem, Expr::Var(a), Expr::Var(b)), &mut body);
        self.write(a, Expr::Var(b), &mut body);
        self.write(b, Expr::Var(rest), &mut body);
        block.push(Stmt::While(binary(Op::Ne, Expr::Var(b), Expr::Int(0)), body));
    }

    /// Digits or halvings: the value goes to 0 by itself.
    fn dwindle(&mut self, depth: u32, block: &mut Vec<Stmt>) {
        let Some(value) = self.target() else { return };
        let start = self.expr(1);
        self.write(value, start, block);
        let base = self.choices.pick(&[10, 2, 16, 1000, -3]);
        let test = self.choices.pick(&[Op::Ne, Op::Gt, Op::Lt]);
        let step = Stmt::Assign(value, binary(Op::Div, Expr::Var(value), Expr::Int(base)));
        let body = self.loop_body(depth, &[value], vec![step]);
        block.push(Stmt::While(binary(test, Expr::Var(value), Expr::Int(0)), body));
    }

    /// `go = 1; while go { .. i = i + 1; go = i < n }`: a truth value carried around the loop.
    fn flag_loop(&mut self, depth: u32, block: &mut Vec<Stmt>) {
        let (Some(flag), Some(counter)) = (self.target(), self.target()) else { return };
        if flag == counter {
            return self.counted_loop(depth, block);
        }
        let counted = self.counted(counter);
        self.write(counter, counted.start, block);
        let first = if self.choices.chance(50) { Expr::Int(1) } else { counted.test.clone() };
        // A test for inequality must not be skipped the first time: the limit may be the start.
        let first = if matches!(counted.test, Expr::Binary(Op::Ne, ..)) { counted.test.clone() } else { first };
        self.write(flag, first, block);
        let step = vec![Stmt::Assign(counter, counted.step), Stmt::Assign(flag, counted.test)];
        let body = self.loop_body(depth, &[flag, counter], step);
        block.push(Stmt::While(Expr::Var(flag), body));
    }

    /// A test of a growing sum, of what is added to it, and of whether it wraps: one of these, or two against each
    /// other. Often the two that together say whether the addition overflows: is the sum less than before, is what is
    /// added negative?
    fn goes_on_while(&mut self, sum: Var, added: Var, next: &Expr) -> Expr {
        let which = if self.choices.chance(60) { [0, 1] } else { [self.choices.below(4), self.choices.below(4)] };
        let [first, second] = which.map(|which| {
            let op = self.choices.pick(&self.style.comparisons);
            let (left, right) = match which {
                0 => (Expr::Var(added), Expr::Int(0)),
                1 => (next.clone(), Expr::Var(sum)),
                2 => (next.clone(), Expr::Int(0)),
                _ => (Expr::Var(sum), Expr::Int(constants::operand(self.choices, self.style.boundaries))),
            };
            binary(op, left, right)
        });
        match self.choices.below(6) {
            0 => first,
            1 => Expr::Logic(Logic::And, Box::new(first), Box::new(second)),
            n => binary(if n < 4 { Op::Ne } else { Op::Eq }, first, second),
        }
    }

    /// A loop that only its data ends: a sum runs over an edge soon if what is added is large, or the body happens to
    /// falsify the test.
    fn unbounded(&mut self, depth: u32, block: &mut Vec<Stmt>) {
        let Some(sum) = self.target() else { return };
        // What nobody wrote in sight of the loop tells an optimizer nothing.
        let input = self.style.inputs > 0 && self.choices.chance(40);
        let added = if input { Some(Var(self.choices.below(self.style.inputs))) } else { self.target() };
        let Some(added) = added.filter(|&added| added != sum) else { return self.assign(block) };
        if !input && self.choices.chance(80) {
            let large = (1i64 << self.choices.between(56, 62)).wrapping_add(i64::from(self.choices.below(3)) - 1);
            self.write(added, Expr::Int(large), block);
        }
        if self.choices.chance(60) {
            let start = self.choices.pick(&[i64::MIN, i64::MAX, 0]);
            self.write(sum, Expr::Int(start), block);
        }
        let next = || binary(Op::Add, Expr::Var(sum), Expr::Var(added));
        let condition =
            if self.choices.chance(15) { self.condition(block) } else { self.goes_on_while(sum, added, &next()) };
        let step = Stmt::Assign(sum, next());
        let body = self.loop_body(depth, &[sum, added], vec![step]);
        block.push(Stmt::While(condition, body));
    }
}
