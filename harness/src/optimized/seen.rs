//! What runs of a function show: which promises each instruction keeps, how large its results are, which way control
//! goes.

use std::collections::HashMap;

use super::explain::Watch;
use super::interpret::{End, Machine};
use super::memory::Memory;
use super::{Block, Flags, Function, Inst, Interpreter, Lane, LaneOp, Op, Range, Value, evaluate, mask, sign_extend};
use crate::op;

/// What some runs have shown so far.
pub struct Seen {
    /// By value; `None` for what no run has computed.
    results: Vec<Option<Results>>,
    /// How often each edge was taken.
    edges: HashMap<(Block, Block), u64>,
}

/// What is known of an instruction's results.
struct Results {
    /// The promises that it has kept each time.
    kept: Flags,
    /// The least and the greatest, as signed numbers.
    least: i128,
    greatest: i128,
}

impl Seen {
    /// No run of this function yet.
    pub fn new(function: &Function) -> Seen {
        Seen { results: function.values.iter().map(|_| None).collect(), edges: HashMap::new() }
    }

    /// The promises that the instruction which defines a value has kept in every run; none if it has never run.
    pub fn kept(&self, value: Value) -> Flags {
        self.results[value.index()].as_ref().map_or(Flags::NONE, |results| results.kept)
    }

    /// The smallest of the ranges `0..2^k` and `-2^k..2^k` that has all results of 64 bits, k at least 1, so that a
    /// single result is no constant; `None` for what has not run, and where the range would be that of all numbers.
    pub fn range(&self, value: Value) -> Option<Range> {
        let &Results { least, greatest, .. } = self.results[value.index()].as_ref()?;
        let k = (1..64).find(|k| greatest < 1 << k && least >= -(1 << k))?;
        let from: i128 = if least < 0 { -(1 << k) } else { 0 };
        (k < 63 || from == 0).then_some(Range { from: from as u128 & mask(64), to: 1 << k })
    }

    /// How often control went from a block to another.
    pub fn taken(&self, from: Block, to: Block) -> u64 {
        self.edges.get(&(from, to)).copied().unwrap_or(0)
    }
}

impl Interpreter<'_> {
    /// Runs the function and adds what the run shows; gives how it ended.
    pub fn see(&self, inputs: &[i64], fuel: u64, seen: &mut Seen) -> op::End {
        match Machine::new(self, inputs, fuel, seen).run() {
            End::Known(end) => end,
            End::Undefined(..) => op::End::Undefined,
        }
    }
}

impl Watch for &mut Seen {
    fn defined(&mut self, run: &Interpreter<'_>, (lanes, memory): (&[Lane], &Memory), dest: Value, inst: &Inst) {
        // Poison is no number; as written there is none.
        let &[Some(result)] = run.lanes_of(lanes, dest) else { return };
        let bits = |value| run.function.ty(value).bits();
        let number = sign_extend(result, bits(dest));
        let results = self.results[dest.index()].get_or_insert(Results {
            kept: possible(&inst.op),
            least: number,
            greatest: number,
        });
        (results.least, results.greatest) = (results.least.min(number), results.greatest.max(number));
        let args = [0, 1, 2].map(|index| inst.args.get(index).and_then(|&arg| run.lanes_of(lanes, arg)[0]));
        let keeps = |flag| match inst.op {
            Op::Lanes(op) => matches!(evaluate(op, flag, (bits(inst.args[0]), bits(dest)), args), Ok(Some(_))),
            // What LLVM calls `inbounds` is `nusw` too.
            _ if flag == Flags::INBOUNDS => run.offset(lanes, memory, flag.with(Flags::NSW), inst).is_some(),
            _ => run.offset(lanes, memory, flag, inst).is_some(),
        };
        results.kept = results.kept.each().filter(|&flag| keeps(flag)).fold(Flags::NONE, Flags::with);
    }

    fn goes(&mut self, from: Block, to: Block) {
        *self.edges.entry((from, to)).or_default() += 1;
    }
}

/// What an operation could promise.
fn possible(op: &Op) -> Flags {
    let op = match op {
        Op::Lanes(op) => op,
        Op::Offset(..) => return Flags::INBOUNDS.with(Flags::NSW).with(Flags::NUW),
        _ => return Flags::NONE,
    };
    match op {
        LaneOp::Add | LaneOp::Sub | LaneOp::Mul | LaneOp::Shl | LaneOp::Trunc => Flags::NUW.with(Flags::NSW),
        LaneOp::Udiv | LaneOp::Sdiv | LaneOp::Lshr | LaneOp::Ashr => Flags::EXACT,
        LaneOp::Or => Flags::DISJOINT,
        LaneOp::Zext => Flags::NNEG,
        LaneOp::Eq
        | LaneOp::Ne
        | LaneOp::Ugt
        | LaneOp::Uge
        | LaneOp::Ult
        | LaneOp::Ule
        | LaneOp::Sgt
        | LaneOp::Sge
        | LaneOp::Slt
        | LaneOp::Sle => Flags::SAMESIGN,
        _ => Flags::NONE,
    }
}
