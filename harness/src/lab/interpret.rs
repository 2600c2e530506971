//! The interpreters of both forms (`docs/LANGUAGE.md` §2, "Steps and fuel").
//!
//! Semantics: Definition 8.4.4 (a branch reads all its arguments, then assigns all parameters, then runs the block) and
//! Definition 8.4.2 (the phis of a block are all read, then all written). Each form moves values along an edge by code
//! of its own; what a body and a terminator do is shared. An [`Observer`] sees every block and every value;
//! [`Unobserved`] compiles away.
//!
//! They are for valid functions. With as many inputs as the function has, nothing undefined is ever read.

use crate::lab::{Atom, Block, Function, Inst, PhiFunction, Terminator, Value};
use crate::op::{Effects, End, Execution, Outcome};
use crate::plant::{self, Fault};

/// Sees a run as it happens.
pub trait Observer {
    /// Control enters a block.
    fn enter(&mut self, block: Block);
    /// An input, a parameter, a phi or an instruction gets a value.
    fn define(&mut self, value: Value, number: i64);
}

/// Nobody.
pub struct Unobserved;

impl Observer for Unobserved {
    #[inline(always)]
    fn enter(&mut self, _: Block) {}
    #[inline(always)]
    fn define(&mut self, _: Value, _: i64) {}
}

/// What happened in a run, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Control entered a block.
    Enter(Block),
    /// A name got a value.
    Define(Value, i64),
}

impl Observer for Vec<Event> {
    fn enter(&mut self, block: Block) {
        self.push(Event::Enter(block));
    }

    fn define(&mut self, value: Value, number: i64) {
        self.push(Event::Define(value, number));
    }
}

/// Runs a function in block-argument form.
pub fn run(function: &Function, inputs: &[i64], fuel: u64) -> Execution {
    run_observed(function, inputs, fuel, &mut Unobserved)
}

/// [`run`], and all that happened.
pub fn trace(function: &Function, inputs: &[i64], fuel: u64) -> (Execution, Vec<Event>) {
    let mut events = Vec::new();
    (run_observed(function, inputs, fuel, &mut events), events)
}

/// [`run`] under an observer's eyes.
pub fn run_observed(function: &Function, inputs: &[i64], fuel: u64, observer: &mut impl Observer) -> Execution {
    let mut machine = Machine::new(function.value_names.len(), fuel, observer);
    machine.assign(function.inputs.iter().copied().zip(inputs.iter().copied()));
    let mut block = Block(0);
    let mut copies = Vec::new();
    loop {
        machine.observer.enter(block);
        let data = &function.blocks[block.index()];
        let target = match machine.execute(&data.body, &data.term) {
            Ok((_, target)) => target,
            Err(end) => return machine.ended(end),
        };
        let params = &function.blocks[target.block.index()].params;
        if plant::on(Fault::LabSequentialCopy) {
            machine.copy_in_sequence(params.iter().copied().zip(target.args.iter().copied()));
        } else {
            copies.clear();
            copies.extend(target.args.iter().map(|&atom| machine.read(atom)));
            machine.assign(params.iter().copied().zip(copies.iter().copied()));
        }
        block = target.block;
    }
}

/// Runs a function in phi form.
pub fn run_phi(function: &PhiFunction, inputs: &[i64], fuel: u64) -> Execution {
    PhiInterpreter::new(function).run(inputs, fuel)
}

/// [`run_phi`], and all that happened.
pub fn trace_phi(function: &PhiFunction, inputs: &[i64], fuel: u64) -> (Execution, Vec<Event>) {
    let mut events = Vec::new();
    (PhiInterpreter::new(function).run_observed(inputs, fuel, &mut events), events)
}

/// A function in phi form with its entries sorted by edge, for many runs.
pub struct PhiInterpreter<'f> {
    function: &'f PhiFunction,
    /// For each block where its branches begin in `edges`.
    blocks: Vec<u32>,
    /// For each branch where its target's entries for it begin in `entries`.
    edges: Vec<u32>,
    /// For each edge one atom for each phi of its target.
    entries: Vec<Atom>,
}

impl<'f> PhiInterpreter<'f> {
    /// Sorts the entries.
    pub fn new(function: &'f PhiFunction) -> PhiInterpreter<'f> {
        let mut blocks = Vec::with_capacity(function.blocks.len());
        let mut edges = Vec::with_capacity(2 * function.blocks.len());
        let mut total = 0;
        for block in &function.blocks {
            blocks.push(edges.len() as u32);
            for target in block.term.targets() {
                edges.push(total as u32);
                total += function.blocks[target.index()].phis.len();
            }
        }
        let mut entries = vec![Atom::Const(0); total];
        for block in &function.blocks {
            for (index, phi) in block.phis.iter().enumerate() {
                for &(predecessor, atom) in &phi.entries {
                    let targets = function.blocks[predecessor.index()].term.targets();
                    let starts = &edges[blocks[predecessor.index()] as usize..];
                    for (start, _) in starts.iter().zip(targets).filter(|(_, to)| **to == block.name) {
                        entries[*start as usize + index] = atom;
                    }
                }
            }
        }
        PhiInterpreter { function, blocks, edges, entries }
    }

    /// Runs the function.
    pub fn run(&self, inputs: &[i64], fuel: u64) -> Execution {
        self.run_observed(inputs, fuel, &mut Unobserved)
    }

    /// Runs the function under an observer's eyes.
    pub fn run_observed(&self, inputs: &[i64], fuel: u64, observer: &mut impl Observer) -> Execution {
        let function = self.function;
        let mut machine = Machine::new(function.value_names.len(), fuel, observer);
        machine.assign(function.inputs.iter().copied().zip(inputs.iter().copied()));
        let mut block = Block(0);
        let mut read = Vec::new();
        loop {
            machine.observer.enter(block);
            let data = &function.blocks[block.index()];
            let (branch, target) = match machine.execute(&data.body, &data.term) {
                Ok((branch, &target)) => (branch, target),
                Err(end) => return machine.ended(end),
            };
            let phis = &function.blocks[target.index()].phis;
            let start = self.edges[self.blocks[block.index()] as usize + branch] as usize;
            let entries = &self.entries[start..start + phis.len()];
            if plant::on(Fault::LabPhiSequentialCopy) {
                machine.copy_in_sequence(phis.iter().map(|phi| phi.dest).zip(entries.iter().copied()));
            } else {
                read.clear();
                read.extend(entries.iter().map(|&atom| machine.read(atom)));
                machine.assign(phis.iter().map(|phi| phi.dest).zip(read.iter().copied()));
            }
            block = target;
        }
    }
}

/// The state of a run: what both forms share.
struct Machine<'o, O> {
    environment: Vec<i64>,
    effects: Effects,
    steps: u64,
    fuel: u64,
    observer: &'o mut O,
}

impl<'o, O: Observer> Machine<'o, O> {
    fn new(values: usize, fuel: u64, observer: &'o mut O) -> Self {
        Machine { environment: vec![0; values], effects: Effects::default(), steps: 0, fuel, observer }
    }

    #[inline]
    fn read(&self, atom: Atom) -> i64 {
        match atom {
            Atom::Const(constant) => constant,
            Atom::Value(value) => self.environment[value.index()],
        }
    }

    #[inline]
    fn write(&mut self, value: Value, number: i64) {
        self.environment[value.index()] = number;
        self.observer.define(value, number);
    }

    #[inline]
    fn assign(&mut self, copies: impl Iterator<Item = (Value, i64)>) {
        for (value, number) in copies {
            self.write(value, number);
        }
    }

    /// What a parallel copy is not: the planted faults.
    fn copy_in_sequence(&mut self, copies: impl Iterator<Item = (Value, Atom)>) {
        for (value, atom) in copies {
            self.write(value, self.read(atom));
        }
    }

    /// The run, which has ended.
    fn ended(self, end: End) -> Execution {
        Execution { outcome: Outcome { end, emitted: self.effects.emitted }, steps: self.steps }
    }

    /// Executes a block's instructions and its terminator. Gives the branch that is taken, by its place among
    /// the targets, and its target, or what ends the run.
    #[inline]
    fn execute<'t, T>(&mut self, body: &[Inst], term: &'t Terminator<T>) -> Result<(usize, &'t T), End> {
        let affordable = (self.fuel - self.steps).min(body.len() as u64) as usize;
        for (index, inst) in body[..affordable].iter().enumerate() {
            match self.effects.perform(inst.op, inst.args.map(|atom| self.read(atom))) {
                Ok(number) => self.write(inst.dest, number),
                Err(end) => {
                    self.steps += index as u64 + 1;
                    return Err(end);
                }
            }
        }
        self.steps += affordable as u64;
        if self.steps == self.fuel {
            return Err(End::OutOfFuel);
        }
        self.steps += 1;
        match term {
            Terminator::Br(target) => Ok((0, target)),
            Terminator::Cbr(condition, yes, no) => Ok(if self.read(*condition) != 0 { (0, yes) } else { (1, no) }),
            Terminator::Switch(value, arms, default) => {
                let value = self.read(*value);
                let taken = arms.iter().enumerate().find(|(_, (constant, _))| *constant == value);
                Ok(taken.map_or((arms.len(), default), |(branch, (_, target))| (branch, target)))
            }
            Terminator::Ret(atom) => Err(End::Return(self.read(*atom))),
            Terminator::Trap(trap) => Err(End::Trap(*trap)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab;
    use crate::op::Trap;

    const COUNTDOWN: &str =
        "ssa(n)\nentry:\n  br l(n)\nl(i):\n  j = sub i, 1\n  q = div 6, j\n  cbr j, l(j), x()\nx:\n  ret q\n";

    #[test]
    fn fuel_ends_a_run_at_any_step_and_the_step_that_traps_counts() {
        let function = lab::parse_ssa(COUNTDOWN).unwrap();
        let phi = lab::args_to_phi(&function);
        // One step to enter, three for the first round, and two up to the trap in the second.
        for fuel in 0..10 {
            let outcome = if fuel < 6 { End::OutOfFuel } else { End::Trap(Trap::DivByZero) };
            let expected = Execution { outcome: outcome.into(), steps: fuel.min(6) };
            assert_eq!(run(&function, &[2], fuel), expected);
            assert_eq!(run_phi(&phi, &[2], fuel), expected);
        }
    }

    #[test]
    fn an_explicit_trap_takes_a_step() {
        let mut function = lab::parse_ssa("entry:\n  ret 1\n").unwrap();
        function.blocks[0].term = Terminator::Trap(Trap::Overflow);
        assert_eq!(run(&function, &[], 1), Execution { outcome: End::Trap(Trap::Overflow).into(), steps: 1 });
        assert_eq!(run(&function, &[], 0), Execution { outcome: End::OutOfFuel.into(), steps: 0 });
    }

    #[test]
    fn a_trace_names_all_that_happens() {
        let function = lab::parse_ssa(COUNTDOWN).unwrap();
        let (execution, events) = trace(&function, &[3], 6);
        assert_eq!(execution.outcome, End::OutOfFuel.into());
        let [n, i, j, q] = [0, 1, 2, 3].map(Value);
        use Event::*;
        assert_eq!(function.value_names.texts().collect::<Vec<_>>(), ["n", "i", "j", "q"]);
        let first = [Define(n, 3), Enter(Block(0)), Define(i, 3), Enter(Block(1)), Define(j, 2), Define(q, 3)];
        let second = [Define(i, 2), Enter(Block(1)), Define(j, 1), Define(q, 6)];
        assert_eq!(events, [&first[..], &second[..]].concat());
    }
}
