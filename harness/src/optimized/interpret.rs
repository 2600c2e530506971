//! Running a function: blocks, phis, and the operations that are the same on each lane.
//!
//! One array holds the lanes of all values, so that an operand is a place in it. `undef` and the `freeze` of poison may
//! be any bits: what they are is drawn from a hash of the place and the step, and a result that is right must be so
//! whatever was drawn, so that a wrong one is never a false alarm.

use super::explain::{NoTrace, Watch};
use super::memory::Memory;
use super::{Block, Constant, Function, Inst, Lane, Op, Origin, Terminator, Type, Value, evaluate, mask};
use crate::op::{self, Effects, Execution, Outcome};

/// A function made ready to run.
pub struct Interpreter<'f> {
    pub(super) function: &'f Function,
    /// Where each value's lanes begin.
    pub(super) places: Vec<u32>,
    /// The lanes before the first step.
    initial: Vec<Lane>,
}

/// How a run ends, before it is known who made the poison.
pub(super) enum End {
    Known(op::End),
    /// What happened, and what was poison there.
    Undefined(&'static str, Option<Value>),
}

/// What a part of a run gives, if it does not end it.
pub(super) type Step<T> = Result<T, End>;

impl<'f> Interpreter<'f> {
    /// Makes a function ready.
    pub fn new(function: &'f Function) -> Interpreter<'f> {
        let mut places = Vec::with_capacity(function.values.len());
        let mut initial = Vec::with_capacity(function.values.len());
        for value in &function.values {
            let place = initial.len();
            places.push(place as u32);
            match &value.origin {
                Origin::Constant(lanes) => {
                    initial.extend(lanes.iter().enumerate().map(|(lane, constant)| match constant {
                        Constant::Bits(bits) => Some(*bits),
                        Constant::Poison => None,
                        Constant::Undef => Some(any(place as u64, lane as u64) & mask(value.ty.bits())),
                    }))
                }
                Origin::Inputs => initial.push(Some(u128::from(Memory::address(0)))),
                Origin::Table(table, offset) => {
                    initial.push(Some(u128::from(Memory::address(1 + *table as usize) + offset)));
                }
                Origin::Computed => {}
            }
            initial.resize(place + value.ty.lanes(), None);
        }
        Interpreter { function, places, initial }
    }

    /// Runs the function. An instruction and a terminator take a step each.
    pub fn run(&self, inputs: &[i64], fuel: u64) -> Execution {
        let mut machine = Machine::new(self, inputs, fuel, NoTrace);
        let outcome = match machine.run() {
            End::Known(end) => Outcome { end, emitted: machine.effects.emitted },
            End::Undefined(..) => op::End::Undefined.into(),
        };
        Execution { outcome, steps: machine.steps }
    }

    /// The lanes of a value among those of all.
    pub(super) fn lanes_of<'l>(&self, lanes: &'l [Lane], value: Value) -> &'l [Lane] {
        &lanes[self.places[value.index()] as usize..][..self.function.ty(value).lanes()]
    }
}

/// Bits that nothing promises anything about (the finalizer of SplitMix64, twice).
pub(super) fn any(place: u64, step: u64) -> u128 {
    let hash = |seed: u64| {
        let z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let low = hash(place.rotate_left(32) ^ step.wrapping_add(1));
    u128::from(hash(low)) << 64 | u128::from(low)
}

/// The state of a run.
pub(super) struct Machine<'i, 'f, W> {
    pub(super) code: &'i Interpreter<'f>,
    pub(super) lanes: Vec<Lane>,
    pub(super) memory: Memory,
    pub(super) effects: Effects,
    pub(super) steps: u64,
    fuel: u64,
    pub(super) watch: W,
    /// What the phis of a block take, while they take it; and their lanes.
    moves: Vec<(Value, Value)>,
    moved: Vec<Lane>,
}

impl<'i, 'f, W: Watch> Machine<'i, 'f, W> {
    pub(super) fn new(code: &'i Interpreter<'f>, inputs: &[i64], fuel: u64, watch: W) -> Self {
        let memory = Memory::new(inputs, &code.function.tables);
        Machine {
            code,
            lanes: code.initial.clone(),
            memory,
            effects: Effects::default(),
            steps: 0,
            fuel,
            watch,
            moves: Vec::new(),
            moved: Vec::new(),
        }
    }

    pub(super) fn run(&mut self) -> End {
        let mut block = Block(0);
        loop {
            match self.block(block) {
                Ok(next) => {
                    self.watch.goes(block, next);
                    if let Err(end) = self.phis(block, next) {
                        return end;
                    }
                    block = next;
                }
                Err(end) => return end,
            }
        }
    }

    /// Runs a block; gives the next one.
    fn block(&mut self, block: Block) -> Step<Block> {
        let code = self.code;
        let data = &code.function.blocks[block.index()];
        for inst in &data.body {
            self.step()?;
            self.watch.before(code.function, inst);
            self.instruction(inst)?;
            if let Some(dest) = inst.dest {
                self.watch.defined(code, (&self.lanes, &self.memory), dest, inst);
            }
        }
        self.step()?;
        self.watch.ends(code.function, data);
        match &data.term {
            Terminator::Br(to) => Ok(*to),
            Terminator::Cbr(condition, yes, no) => {
                Ok(if self.known(*condition, "branch on poison")? != 0 { *yes } else { *no })
            }
            Terminator::Switch(value, arms, default) => {
                let value = self.known(*value, "switch on poison")?;
                Ok(arms.iter().find(|(constant, _)| *constant == value).map_or(*default, |(_, to)| *to))
            }
            Terminator::Ret(value) => {
                let result = self.known(*value, "returns poison")?;
                if code.function.range.is_some_and(|range| !range.contains(result)) {
                    return Err(End::Undefined("returns a number outside of the promised range", None));
                }
                Err(End::Known(op::End::Return(result as i64)))
            }
            Terminator::Unreachable => Err(End::Undefined("reaches unreachable", None)),
        }
    }

    fn step(&mut self) -> Step<()> {
        if self.steps == self.fuel {
            return Err(End::Known(op::End::OutOfFuel));
        }
        self.steps += 1;
        Ok(())
    }

    /// All phis of a block are read, then all are written.
    fn phis(&mut self, from: Block, to: Block) -> Step<()> {
        let code = self.code;
        let mut moves = std::mem::take(&mut self.moves);
        let mut moved = std::mem::take(&mut self.moved);
        moves.clear();
        moved.clear();
        for phi in &code.function.blocks[to.index()].phis {
            let Some((_, value)) = phi.entries.iter().find(|(predecessor, _)| *predecessor == from) else {
                return Err(End::Undefined("a phi without an entry for its predecessor", None));
            };
            moves.push((phi.dest, *value));
            moved.extend_from_slice(self.all(*value));
        }
        self.watch.moves(code, &moves);
        let mut rest = &moved[..];
        for &(dest, _) in &moves {
            let (these, others) = rest.split_at(code.function.ty(dest).lanes());
            self.write(dest, these);
            rest = others;
        }
        (self.moves, self.moved) = (moves, moved);
        Ok(())
    }

    /// The lanes of a value.
    pub(super) fn all(&self, value: Value) -> &[Lane] {
        &self.lanes[self.code.places[value.index()] as usize..][..self.code.function.ty(value).lanes()]
    }

    /// A scalar, or a lane of a vector.
    #[inline]
    pub(super) fn lane(&self, value: Value, index: usize) -> Lane {
        self.lanes[self.code.places[value.index()] as usize + index]
    }

    /// A scalar that must not be poison.
    pub(super) fn known(&self, value: Value, otherwise: &'static str) -> Step<u128> {
        self.lane(value, 0).ok_or(End::Undefined(otherwise, Some(value)))
    }

    fn write(&mut self, dest: Value, lanes: &[Lane]) {
        self.lanes[self.code.places[dest.index()] as usize..][..lanes.len()].copy_from_slice(lanes);
    }

    pub(super) fn bits(&self, value: Value) -> u32 {
        self.code.function.ty(value).bits()
    }

    #[inline]
    fn instruction(&mut self, inst: &Inst) -> Step<()> {
        let Some(dest) = inst.dest else { return self.effect(inst) };
        let ty = self.code.function.ty(dest);
        let place = self.code.places[dest.index()] as usize;
        let starts = [0, 1, 2].map(|index| inst.args.get(index).map(|arg| self.code.places[arg.index()] as usize));
        match (&inst.op, starts) {
            (Op::Lanes(op), _) => {
                let from = self.bits(inst.args[0]);
                for index in 0..ty.lanes() {
                    let args = starts.map(|start| start.and_then(|start| self.lanes[start + index]));
                    self.lanes[place + index] = evaluate(*op, inst.flags, (from, ty.bits()), args)
                        .map_err(|what| self.undefined(what, inst))?;
                }
            }
            (Op::Select, [Some(condition), Some(yes), Some(no)]) => {
                let by_lane = usize::from(matches!(self.code.function.ty(inst.args[0]), Type::Vector(..)));
                for index in 0..ty.lanes() {
                    self.lanes[place + index] = match self.lanes[condition + index * by_lane] {
                        None => None,
                        Some(0) => self.lanes[no + index],
                        Some(_) => self.lanes[yes + index],
                    };
                }
            }
            _ => {
                let lanes = self.special(inst, ty)?;
                self.write(dest, &lanes);
            }
        }
        if let Some(range) = inst.range {
            for lane in &mut self.lanes[place..place + ty.lanes()] {
                *lane = lane.filter(|&bits| range.contains(bits));
            }
        }
        Ok(())
    }
}
