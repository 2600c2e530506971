//! The operations that are not the same on each lane: those that move lanes, look at several, or touch memory.

use super::explain::Watch;
use super::interpret::{End, Machine, Step, any};
use super::memory::Memory;
use super::{Flags, Inst, Interpreter, Lane, LaneOp, Op, Signedness, TRAPS, Type, Value, evaluate, mask, sign_extend};
use crate::op;

impl Interpreter<'_> {
    /// An address from an address, poison where one of these promises is broken: `getelementptr`.
    pub(super) fn offset(&self, lanes: &[Lane], memory: &Memory, flags: Flags, inst: &Inst) -> Lane {
        let Op::Offset(constant, scales) = &inst.op else { return None };
        let lane = |arg: Value| self.lanes_of(lanes, arg)[0];
        let base = lane(inst.args[0])?;
        let mut offset = i128::from(*constant);
        let nowrap = flags.has(Flags::NSW);
        for (&scale, &arg) in scales.iter().zip(&inst.args[1..]) {
            let index = sign_extend(lane(arg)?, self.function.ty(arg).bits());
            let term = index.checked_mul(i128::from(scale))?;
            if nowrap && i64::try_from(term).is_err() || flags.has(Flags::NUW) && term < 0 {
                return None;
            }
            offset = offset.checked_add(term)?;
        }
        let exact = base as i128 + offset;
        let address = exact as u128 & mask(64);
        let fits = exact == address as i128 && i64::try_from(offset).is_ok();
        let leaves = offset != 0 && !memory.is_one_object(base as u64, address as u64);
        let broken = nowrap && !fits
            || flags.has(Flags::NUW) && (offset < 0 || exact != address as i128)
            || flags.has(Flags::INBOUNDS) && leaves;
        (!broken).then_some(address)
    }
}

impl<W: Watch> Machine<'_, '_, W> {
    /// Undefined behaviour at an instruction, whose first poison operand has to do with it.
    pub(super) fn undefined(&self, what: &'static str, inst: &Inst) -> End {
        End::Undefined(what, inst.args.iter().copied().find(|&arg| self.all(arg).contains(&None)))
    }

    /// The operations that are not the same on each lane.
    pub(super) fn special(&mut self, inst: &Inst, ty: Type) -> Step<Vec<Lane>> {
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
            Op::FirstNonzero => {
                let (lanes, is_poison) = (self.all(args[0]), self.lane(args[1], 0) != Some(0));
                let first = lanes.iter().position(|lane| *lane != Some(0));
                let index = first.or((!is_poison).then_some(lanes.len())).filter(|_| !lanes.contains(&None));
                vec![index.map(|index| index as u128 & mask(ty.bits()))]
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
            Op::Offset(..) => vec![self.code.offset(&self.lanes, &self.memory, inst.flags, inst)],
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

    /// An instruction that defines nothing.
    pub(super) fn effect(&mut self, inst: &Inst) -> Step<()> {
        let args = &inst.args;
        match &inst.op {
            Op::Store(align) => {
                let address = self.known(args[1], "store to poison")? as u64;
                let (lanes, bits) = (self.all(args[0]).to_vec(), self.bits(args[0]));
                self.memory.store(address, &lanes, bits, *align).map_err(|what| self.undefined(what, inst))
            }
            Op::Fill => {
                let (to, byte) = (self.lane(args[0], 0), self.lane(args[1], 0));
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

/// The same bits in lanes of another width, the first lane lowest. A lane is poison if one of its bits comes from
/// poison.
fn recut(lanes: &[Lane], bits: u32, ty: Type) -> Vec<Lane> {
    let bit = |at: usize| lanes[at / bits as usize].map(|lane| lane >> (at % bits as usize) & 1);
    let width = ty.bits() as usize;
    let lane = |index: usize| (0..width).rev().try_fold(0, |whole, at| Some(whole << 1 | bit(index * width + at)?));
    (0..ty.lanes()).map(lane).collect()
}
