//! Random TAC programs: arbitrary control flow, which Tiny can't say.
//!
//! Blocks follow each other in the text, and each ends in a jump of some kind. Jumps forward go anywhere. Jumps
//! backward share one counter that is stepped before each of them, so that a run makes only so many; that alone bounds
//! a run, how ever the jumps tangle. A few programs have jumps back that only data ends.

mod assignments;
mod switch;

use super::choices::Choices;
use super::policy::{Feature, Policy, Style};
use crate::names;
use crate::op::Op;
use crate::tac::{self, Assign, Atom, Label, Line, Program, Var};

/// A program drawn from a policy, its variables and labels in canonical order.
pub fn program(choices: &mut impl Choices, policy: &Policy) -> Program {
    let style = Style::draw(choices, policy);
    let inputs = style.inputs;
    let known = (0..inputs).map(Var).collect();
    let places = choices.between(2, (style.size / 3).clamp(4, 16));
    let counter = Counter { var: Var(inputs + style.locals), up: choices.chance(40), trips: 0 };
    let tangle = Tangle::draw(choices, &style, places);
    let lines = Vec::with_capacity(64);
    let mut builder = Builder { choices, style, known, lines, places, counter, tangle };
    builder.program();
    let lines = builder.lines;
    tac::assemble(lines, inputs as usize, |var| names::short(var.0), |label| format!("L{}", label.0).into())
}

/// The counter that all guarded jumps backward share.
struct Counter {
    var: Var,
    /// From 0 up to `trips`, so that it needs no start; else from `trips` down to 0.
    up: bool,
    trips: i64,
}

/// A loop entered in its middle: block `from` jumps to `entry`, and `back` to `head`.
struct Tangle {
    from: u32,
    head: u32,
    entry: u32,
    back: u32,
}

impl Tangle {
    /// Chooses the four blocks, in this order, if there are enough and the style wants it.
    fn draw(choices: &mut impl Choices, style: &Style, places: u32) -> Option<Tangle> {
        if !(style.has(Feature::Irreducible) && style.has(Feature::Loops)) || places < 5 || !choices.chance(60) {
            return None;
        }
        let from = choices.below(places - 4);
        let head = choices.between(from + 1, places - 4);
        let entry = choices.between(head + 1, places - 3);
        let back = choices.between(entry, places - 2);
        Some(Tangle { from, head, entry, back })
    }
}

/// A program under construction: `places` blocks, of which block `i` has the label `i`.
struct Builder<'a, C> {
    choices: &'a mut C,
    style: Style,
    /// The variables that have been written so far in the text, and the inputs.
    known: Vec<Var>,
    lines: Vec<Line>,
    places: u32,
    counter: Counter,
    tangle: Option<Tangle>,
}

impl<C: Choices> Builder<'_, C> {
    fn program(&mut self) {
        self.counter.trips = i64::from(self.choices.pick(&[1, 2, 3, 3, 4, 5, 7, 10, 16, 40]));
        if self.has(Feature::Loops) && !self.counter.up {
            self.copy(self.counter.var, Atom::Const(self.counter.trips));
        }
        if self.has(Feature::ManyLive) {
            for local in 0..self.style.locals {
                self.assign_to(Var(self.style.inputs + local));
            }
        }
        let body = self.style.size / self.places.max(1);
        for place in 0..self.places {
            self.lines.push(Line::Label(Label(place)));
            for _ in 0..self.choices.below(body + 2) {
                self.assignment();
            }
            if place + 1 < self.places {
                self.terminate(place);
            }
        }
        self.read_arrays();
        self.fold();
    }

    fn has(&self, feature: Feature) -> bool {
        self.style.has(feature)
    }

    /// Ends a block that is not the last one.
    fn terminate(&mut self, place: u32) {
        match self.tangle {
            Some(Tangle { from, entry, .. }) if place == from => return self.jump_if(Label(entry)),
            Some(Tangle { back, head, .. }) if place == back => return self.guarded_back(place, Label(head)),
            _ => {}
        }
        let weight = |wanted: bool, weight: u32| if wanted { weight } else { 0 };
        let weights = [
            3,
            weight(self.has(Feature::Ifs), 7),
            weight(self.has(Feature::Loops), 6),
            weight(self.has(Feature::OddEdges), 3),
            weight(self.has(Feature::DeadCode), 2),
            weight(self.has(Feature::Unbounded), 2),
            weight(self.has(Feature::Switches), 6),
            1,
        ];
        match self.choices.weighted(&weights) {
            0 => {}
            1 => {
                let target = self.forward(place);
                self.jump_if(target);
            }
            2 => {
                let target = self.backward(place);
                self.guarded_back(place, target);
            }
            3 => self.odd_edge(place),
            4 => self.unreachable(place),
            5 => {
                let target = self.backward(place);
                self.jump_if(target);
            }
            6 => self.switch(place),
            _ if self.choices.chance(45) => {
                let value = self.atom();
                self.lines.push(Line::Ret(value));
            }
            _ => {
                let target = self.forward(place);
                self.lines.push(Line::Goto(target));
            }
        }
    }

    /// A later block: any, or one of the next two in programs that are meant to be tame.
    fn forward(&mut self, place: u32) -> Label {
        let last = self.places - 1;
        let far = if self.has(Feature::Irreducible) { last } else { last.min(place + 2) };
        Label(self.choices.between(place + 1, far))
    }

    /// This block or an earlier one.
    fn backward(&mut self, place: u32) -> Label {
        let first = if self.choices.chance(40) { place } else { 0 };
        Label(self.choices.between(first, place))
    }

    /// `if` or `ifz` on some condition.
    fn jump_if(&mut self, target: Label) {
        let (cond, when) = (self.condition(), self.choices.chance(60));
        self.lines.push(Line::If { when, cond, target });
    }

    /// A jump back that the counter allows. The guard joins in the condition, or leaves the block first.
    fn guarded_back(&mut self, place: u32, target: Label) {
        let other = self.condition();
        let going = self.step_counter();
        match self.choices.below(3) {
            0 => self.lines.push(Line::If { when: true, cond: Atom::Var(going), target }),
            1 if other != Atom::Var(going) => {
                self.assign(going, Op::Mul, &[Atom::Var(going), other]);
                self.lines.push(Line::If { when: true, cond: Atom::Var(going), target });
            }
            _ => {
                let exit = self.forward(place);
                self.lines.push(Line::If { when: false, cond: Atom::Var(going), target: exit });
                if self.choices.chance(50) {
                    self.jump_if(target);
                } else {
                    self.lines.push(Line::Goto(target));
                }
            }
        }
    }

    /// Steps the counter; gives the variable that says whether one may still jump back.
    fn step_counter(&mut self) -> Var {
        let counter = self.counter.var;
        let (step, op, limit) =
            if self.counter.up { (Op::Add, Op::Lt, self.counter.trips) } else { (Op::Sub, Op::Gt, 0) };
        let going = self.any_target();
        self.assign(counter, step, &[Atom::Var(counter), Atom::Const(1)]);
        self.assign(going, op, &[Atom::Var(counter), Atom::Const(limit)]);
        going
    }

    /// Both edges of a conditional jump to one block, chains of jumps, two jumps in a row to the same place.
    fn odd_edge(&mut self, place: u32) {
        let next = Label(place + 1);
        match self.choices.below(5) {
            0 | 1 => self.jump_if(next),
            2 => self.lines.push(Line::Goto(next)),
            3 => self.chain(place),
            _ => {
                let target = self.forward(place);
                self.jump_if(target);
                self.lines.push(Line::Goto(target));
            }
        }
    }

    /// A chain of jumps to the next block, with its links in reverse: each but the last jumps backward.
    fn chain(&mut self, place: u32) {
        let links = self.choices.between(2, 6);
        // Behind the labels of blocks and of unreachable cycles.
        let link = |k: u32| Label(2 * self.places + 8 * place + k);
        self.lines.push(Line::Goto(link(links - 1)));
        for k in 0..links {
            let target = if k == 0 { Label(place + 1) } else { link(k - 1) };
            self.lines.extend([Line::Label(link(k)), Line::Goto(target)]);
        }
    }

    /// Leaves the block, and puts code behind it that no jump names: a piece, or a cycle of its own.
    fn unreachable(&mut self, place: u32) {
        let target = self.forward(place);
        self.lines.push(Line::Goto(target));
        let cycle = Label(self.places + place);
        if self.choices.chance(50) {
            self.lines.push(Line::Label(cycle));
        }
        let labelled = matches!(self.lines.last(), Some(Line::Label(_)));
        for _ in 0..self.choices.below(3) {
            self.assignment();
        }
        match self.choices.below(3) {
            0 if labelled => self.lines.push(Line::Goto(cycle)),
            1 if labelled => self.jump_if(cycle),
            _ => {
                let back = self.backward(place);
                self.jump_if(back);
            }
        }
    }

    /// Folds the known variables into one that is returned.
    fn fold(&mut self) {
        let result = self.known.last().copied().unwrap_or(self.counter.var);
        let keep = if self.has(Feature::DeadCode) { 70 } else { 100 };
        for index in 0..self.known.len().saturating_sub(1) {
            if !self.choices.chance(keep) {
                continue;
            }
            if self.has(Feature::Multiplication) {
                let factor = self.choices.pick(&[31, 3, 7, -1]);
                self.assign(result, Op::Mul, &[Atom::Var(result), Atom::Const(factor)]);
            }
            let op = self.choices.pick(&[Op::Add, Op::Sub]);
            let variable = self.known[index];
            self.assign(result, op, &[Atom::Var(result), Atom::Var(variable)]);
        }
        self.lines.push(Line::Ret(Atom::Var(result)));
    }

    fn assign(&mut self, dest: Var, op: Op, operands: &[Atom]) {
        self.lines.push(Line::Assign(Assign::new(dest, op, operands)));
    }

    fn copy(&mut self, dest: Var, value: Atom) {
        self.assign(dest, Op::Copy, &[value]);
    }
}
