//! Running a function, and telling why a run is undefined.
//!
//! One array holds the lanes of all values, so that an operand is a place in it. `undef` and the `freeze` of poison may be
//! any bits: what they are is drawn from a hash of the place and the step, and a result that is right must be so whatever
//! was drawn, so that a wrong one is never a false alarm.

use std::fmt;

use super::memory::Memory;
use super::{
    Block, BlockData, Constant, Flags, Function, Inst, Lane, LaneOp, Op, Origin, Signedness, TRAPS, Terminator, Type,
    Value, evaluate, mask, sign_extend,
};
use crate::op::{self, Effects, Execution, Outcome};

/// A function made ready to run.
pub struct Interpreter<'f> {
    function: &'f Function,
    /// Where each value's lanes begin.
    places: Vec<u32>,
    /// The lanes before the first step.
    initial: Vec<Lane>,
}

/// Why a run is undefined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undefined {
    /// What happened: `returns poison`, `branch on poison`, `division by zero`.
    pub what: &'static str,
    /// The instruction or terminator at which it did.
    pub at: String,
    /// The instruction that made the poison of it all, with its operands' values.
    pub poison: Option<String>,
}

impl fmt::Display for Undefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.at)?;
        match &self.poison {
            Some(made) => write!(f, "; the poison comes from {made}"),
            None => Ok(()),
        }
    }
}

/// How a run ends, before it is known who made the poison.
enum End {
    Known(op::End),
    /// What happened, and what was poison there.
    Undefined(&'static str, Option<Value>),
}

/// What a part of a run gives, if it does not end it.
type Step<T> = Result<T, End>;

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

    /// Why a run is undefined; `None` if it is not.
    pub fn explain(&self, inputs: &[i64], fuel: u64) -> Option<Undefined> {
        let trace = Trace { makers: vec![None; self.function.values.len()], at: String::new() };
        let mut machine = Machine::new(self, inputs, fuel, trace);
        let End::Undefined(what, poison) = machine.run() else { return None };
        let poison = poison.and_then(|value| machine.watch.maker(self.function, value));
        Some(Undefined { what, poison, at: machine.watch.at })
    }
}

/// Sees a run as it happens.
trait Watch {
    /// An instruction is about to run.
    fn before(&mut self, _: &Function, _: &Inst) {}
    /// A terminator is about to run.
    fn ends(&mut self, _: &Function, _: &BlockData) {}
    /// An instruction has defined its value.
    fn defined(&mut self, _: &Interpreter<'_>, _: &[Lane], _: Value, _: &Inst) {}
    /// Phis are about to take these values.
    fn moves(&mut self, _: &Interpreter<'_>, _: &[(Value, Value)]) {}
}

/// Nobody.
struct NoTrace;

impl Watch for NoTrace {}

/// Follows poison back to the instruction that made it.
struct Trace {
    /// By value: the instruction that made its poison.
    makers: Vec<Option<String>>,
    /// What runs at the moment.
    at: String,
}

impl Watch for Trace {
    fn before(&mut self, function: &Function, inst: &Inst) {
        self.at = function.instruction(inst).to_string();
    }

    fn ends(&mut self, function: &Function, block: &BlockData) {
        self.at = function.terminator(&block.term).to_string();
    }

    fn defined(&mut self, run: &Interpreter<'_>, lanes: &[Lane], dest: Value, inst: &Inst) {
        let function = run.function;
        let lanes = |value: Value| &lanes[run.places[value.index()] as usize..][..function.ty(value).lanes()];
        if !lanes(dest).contains(&None) {
            return;
        }
        self.makers[dest.index()] = match inst.args.iter().find(|arg| lanes(**arg).contains(&None)) {
            Some(&arg) => self.maker(function, arg),
            None => {
                let computed = inst.args.iter().filter(|arg| function.values[arg.index()].origin == Origin::Computed);
                let shown = |&arg| format!("{} = {}", function.operand(arg), shown(lanes(arg), function.ty(arg)));
                let operands: Vec<String> = computed.map(shown).collect();
                let with = if operands.is_empty() { "" } else { " with " };
                Some(format!("{}{with}{}", function.instruction(inst), operands.join(", ")))
            }
        };
    }

    fn moves(&mut self, run: &Interpreter<'_>, moves: &[(Value, Value)]) {
        let makers: Vec<_> = moves.iter().map(|&(_, value)| self.maker(run.function, value)).collect();
        for (&(dest, _), maker) in moves.iter().zip(makers) {
            self.makers[dest.index()] = maker;
        }
    }
}

impl Trace {
    /// What made a value's poison: the value itself, if it is a constant.
    fn maker(&self, function: &Function, value: Value) -> Option<String> {
        match function.values[value.index()].origin {
            Origin::Computed => self.makers[value.index()].clone(),
            _ => Some(function.operand(value).to_string()),
        }
    }
}

/// Lanes as signed numbers.
fn shown(lanes: &[Lane], ty: Type) -> String {
    let one = |lane: &Lane| lane.map_or("poison".into(), |bits| sign_extend(bits, ty.bits()).to_string());
    lanes.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// Bits that nothing promises anything about (the finalizer of SplitMix64, twice).
fn any(place: u64, step: u64) -> u128 {
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
struct Machine<'i, 'f, W> {
    code: &'i Interpreter<'f>,
    lanes: Vec<Lane>,
    memory: Memory,
    effects: Effects,
    steps: u64,
    fuel: u64,
    watch: W,
    /// What the phis of a block take, while they take it; and their lanes.
    moves: Vec<(Value, Value)>,
    moved: Vec<Lane>,
}

impl<'i, 'f, W: Watch> Machine<'i, 'f, W> {
    fn new(code: &'i Interpreter<'f>, inputs: &[i64], fuel: u64, watch: W) -> Self {
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

    fn run(&mut self) -> End {
        let mut block = Block(0);
        loop {
            match self.block(block) {
                Ok(next) => {
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
                self.watch.defined(code, &self.lanes, dest, inst);
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
    fn all(&self, value: Value) -> &[Lane] {
        &self.lanes[self.code.places[value.index()] as usize..][..self.code.function.ty(value).lanes()]
    }

    /// A scalar, or a lane of a vector.
    #[inline]
    fn lane(&self, value: Value, index: usize) -> Lane {
        self.lanes[self.code.places[value.index()] as usize + index]
    }

    /// A scalar that must not be poison.
    fn known(&self, value: Value, otherwise: &'static str) -> Step<u128> {
        self.lane(value, 0).ok_or(End::Undefined(otherwise, Some(value)))
    }

    fn write(&mut self, dest: Value, lanes: &[Lane]) {
        self.lanes[self.code.places[dest.index()] as usize..][..lanes.len()].copy_from_slice(lanes);
    }

    fn bits(&self, value: Value) -> u32 {
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

    /// Undefined behaviour at an instruction, whose first poison operand has to do with it.
    fn undefined(&self, what: &'static str, inst: &Inst) -> End {
        End::Undefined(what, inst.args.iter().copied().find(|&arg| self.all(arg).contains(&None)))
    }

    /// The operations that are not the same on each lane.
    fn special(&mut self, inst: &Inst, ty: Type) -> Step<Vec<Lane>> {
        let args = &inst.args;
        let index =
            |lane: Lane, count: usize| lane.and_then(|lane| usize::try_from(lane).ok()).filter(|&at| at < count);
        Ok(match &inst.op {
            Op::Freeze => {
                let (place, step) = (u64::from(self.code.places[args[0].index()]), self.steps);
                let freeze = |(lane, bits): (usize, &Lane)| {
                    Some(bits.unwrap_or_else(|| any(place + lane as u64, step) & mask(ty.bits())))
                };
                self.all(args[0]).iter().enumerate().map(freeze).collect()
            }
            Op::Bitcast => recut(self.all(args[0]), self.bits(args[0]), ty),
            Op::Reduce(op) => {
                let reduce = |whole: Lane, &lane: &Lane| {
                    let bits = (ty.bits(), ty.bits());
                    evaluate(*op, Flags::NONE, bits, [whole, lane, None]).unwrap_or(None)
                };
                let lanes = self.all(args[0]);
                vec![lanes[1..].iter().fold(lanes[0], reduce)]
            }
            Op::WithOverflow(op, signedness) => self.with_overflow(*op, *signedness, args, ty.bits()),
            Op::ExtractElement => {
                let lanes = self.all(args[0]);
                vec![index(self.lane(args[1], 0), lanes.len()).and_then(|at| lanes[at])]
            }
            Op::InsertElement => match index(self.lane(args[2], 0), ty.lanes()) {
                Some(at) => {
                    let mut lanes = self.all(args[0]).to_vec();
                    lanes[at] = self.lane(args[1], 0);
                    lanes
                }
                None => vec![None; ty.lanes()],
            },
            Op::Shuffle(mask) => {
                let both = [self.all(args[0]), self.all(args[1])].concat();
                mask.iter().map(|from| from.and_then(|from| both.get(from as usize).copied().flatten())).collect()
            }
            Op::ExtractValue(field) => vec![self.lane(args[0], *field as usize)],
            Op::Offset(constant, scales) => vec![self.offset(*constant, scales, inst)],
            Op::Load(align) => {
                let address = self.known(args[0], "load from poison")? as u64;
                let mut lanes = vec![None; ty.lanes()];
                self.memory.load(address, &mut lanes, ty.bits(), *align).map_err(|what| self.undefined(what, inst))?;
                lanes
            }
            Op::Alloca(size) => {
                let step = self.steps;
                vec![Some(u128::from(self.memory.allocate((0..*size).map(|byte| any(byte, step) as u8))))]
            }
            // `instruction`'s and `effect`'s.
            Op::Lanes(_) | Op::Select | Op::Store(_) | Op::Fill | Op::Move(_) | Op::Emit | Op::Assume | Op::Trap => {
                vec![None; ty.lanes()]
            }
        })
    }

    /// The operation as it wraps, and whether it keeps the promise not to.
    fn with_overflow(&self, op: LaneOp, signedness: Signedness, args: &[Value], bits: u32) -> Vec<Lane> {
        let args = [self.lane(args[0], 0), self.lane(args[1], 0), None];
        if args[..2].contains(&None) {
            return vec![None, None];
        }
        let promise = if signedness == Signedness::Signed { Flags::NSW } else { Flags::NUW };
        let give = |flags| evaluate(op, flags, (bits, bits), args).unwrap_or(None);
        vec![give(Flags::NONE), Some(u128::from(give(promise).is_none()))]
    }

    /// An address from an address: `getelementptr`.
    fn offset(&self, constant: i64, scales: &[i64], inst: &Inst) -> Lane {
        let base = self.lane(inst.args[0], 0)?;
        let mut offset = i128::from(constant);
        let nowrap = inst.flags.has(Flags::NSW);
        for (&scale, &arg) in scales.iter().zip(&inst.args[1..]) {
            let index = sign_extend(self.lane(arg, 0)?, self.bits(arg));
            let term = index.checked_mul(i128::from(scale))?;
            if nowrap && i64::try_from(term).is_err() || inst.flags.has(Flags::NUW) && term < 0 {
                return None;
            }
            offset = offset.checked_add(term)?;
        }
        let exact = base as i128 + offset;
        let address = exact as u128 & mask(64);
        let fits = exact == address as i128 && i64::try_from(offset).is_ok();
        let leaves = offset != 0 && !self.memory.is_one_object(base as u64, address as u64);
        let broken = nowrap && !fits
            || inst.flags.has(Flags::NUW) && (offset < 0 || exact != address as i128)
            || inst.flags.has(Flags::INBOUNDS) && leaves;
        (!broken).then_some(address)
    }

    /// An instruction that defines nothing.
    fn effect(&mut self, inst: &Inst) -> Step<()> {
        let args = &inst.args;
        match &inst.op {
            Op::Store(align) => {
                let address = self.known(args[1], "store to poison")? as u64;
                let (lanes, bits) = (self.all(args[0]).to_vec(), self.bits(args[0]));
                self.memory.store(address, &lanes, bits, *align).map_err(|what| self.undefined(what, inst))
            }
            Op::Fill => {
                let [to, byte] = [args[0], args[1]].map(|arg| self.lane(arg, 0));
                let count = self.known(args[2], "memset of poison bytes")?;
                let filled = self.memory.fill(to.map(|to| to as u64), byte.map(|byte| byte as u8), count as u64);
                filled.map_err(|what| self.undefined(what, inst))
            }
            Op::Move(overlap) => {
                let [to, from] = [args[0], args[1]].map(|arg| self.lane(arg, 0).map(|address| address as u64));
                let count = self.known(args[2], "copies poison bytes")?;
                self.memory.copy(to, from, count as u64, *overlap).map_err(|what| self.undefined(what, inst))
            }
            Op::Emit => {
                let value = self.known(args[0], "emits poison")? as i64;
                self.effects.perform(op::Op::Emit, [value, 0, 0]).map(drop).map_err(End::Known)
            }
            Op::Assume if self.known(args[0], "assumes poison")? == 0 => {
                Err(End::Undefined("assumes what does not hold", None))
            }
            Op::Trap => {
                let code = self.known(args[0], "traps with poison")?;
                let trap = usize::try_from(code).ok().and_then(|code| TRAPS.get(code));
                Err(trap.map_or(End::Undefined("traps with an unknown code", None), |&trap| {
                    End::Known(op::End::Trap(trap))
                }))
            }
            _ => Ok(()),
        }
    }
}

/// The same bits in lanes of another width, the first lane lowest. A lane is poison if one of its bits comes from poison.
fn recut(lanes: &[Lane], bits: u32, ty: Type) -> Vec<Lane> {
    let bit = |at: usize| lanes[at / bits as usize].map(|lane| lane >> (at % bits as usize) & 1);
    let width = ty.bits() as usize;
    let lane = |index: usize| (0..width).rev().try_fold(0, |whole, at| Some(whole << 1 | bit(index * width + at)?));
    (0..ty.lanes()).map(lane).collect()
}
