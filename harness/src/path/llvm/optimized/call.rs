//! What each call becomes: of an intrinsic, or of the host's functions.

use super::c::Object;
use super::instruction::mnemonic;
use super::{Raiser, Reason};
use crate::optimized::{Flags, Inst, LaneOp, Op, Overlap, Signedness, Value};
use crate::path::llvm::emit::{EMIT, RAISE_TRAP};

/// Intrinsics that say something about the program and change nothing in it.
const SILENT: [&str; 7] = [
    "llvm.lifetime.start",
    "llvm.lifetime.end",
    "llvm.experimental.noalias.scope.decl",
    "llvm.donothing",
    "llvm.sideeffect",
    "llvm.pseudoprobe",
    "llvm.invariant.start",
];

impl Raiser<'_, '_> {
    /// `None` if there is nothing to be done.
    pub(super) fn call(&mut self, inst: Object<'_>) -> Result<Option<Inst>, Reason> {
        let callee = inst.callee();
        let intrinsic = callee.intrinsic();
        let (op, count) = match intrinsic {
            "" if callee.name() == RAISE_TRAP => (Op::Trap, 1),
            "" if callee.name() == EMIT => (Op::Emit, 1),
            "" => return Err(format!("call {}", callee.name())),
            "llvm.assume" => (Op::Assume, 1),
            "llvm.memset" | "llvm.memcpy" | "llvm.memmove" => {
                // The last argument says whether it is volatile.
                if inst.operand(3).small_int() != 0 {
                    return Err(format!("call {intrinsic} volatile"));
                }
                let op = match intrinsic {
                    "llvm.memset" => Op::Fill,
                    "llvm.memcpy" => Op::Move(Overlap::Undefined),
                    _ => Op::Move(Overlap::Allowed),
                };
                (op, 3)
            }
            _ if SILENT.contains(&intrinsic) => return Ok(None),
            // The first argument itself.
            "llvm.expect" | "llvm.expect.with.probability" | "llvm.ssa.copy" => {
                let same = self.operand(inst.operand(0))?;
                return Ok(Some(self.copy(inst, same)?));
            }
            _ => operation(intrinsic.trim_start_matches("llvm.")).ok_or_else(|| format!("call {intrinsic}"))?,
        };
        let args: Vec<Value> = inst.call_args().take(count).map(|arg| self.operand(arg)).collect::<Result<_, _>>()?;
        if args.len() < count {
            return Err(mnemonic(inst.opcode()));
        }
        let dest = if matches!(op, Op::Trap | Op::Assume | Op::Emit | Op::Fill | Op::Move(_)) {
            None
        } else {
            Some(self.dest(inst)?)
        };
        // The flag of `abs`, `ctlz` and `cttz` is one bit for all lanes.
        let is_vector = dest.is_some_and(|dest| self.function.ty(dest).lanes() > 1);
        if is_vector && matches!(op, Op::Lanes(LaneOp::Abs | LaneOp::Ctlz | LaneOp::Cttz) | Op::WithOverflow(..)) {
            let is_pair =
                matches!(op, Op::WithOverflow(..)) && args.iter().all(|&arg| self.function.ty(arg).lanes() == 1);
            if !is_pair {
                return Err(format!("call {intrinsic} of vectors"));
            }
        }
        let range = self.range(inst, true)?;
        Ok(Some(Inst { dest, op, flags: Flags::NONE, range, args }))
    }

    /// The value itself under another name.
    fn copy(&mut self, inst: Object<'_>, same: Value) -> Result<Inst, Reason> {
        Ok(Inst { dest: Some(self.dest(inst)?), op: Op::Bitcast, flags: Flags::NONE, range: None, args: vec![same] })
    }
}

/// The operation of an intrinsic's name, and how many of its arguments it takes.
fn operation(name: &str) -> Option<(Op, usize)> {
    if name == "experimental.cttz.elts" {
        return Some((Op::FirstNonzero, 2));
    }
    if let Some(reduced) = name.strip_prefix("vector.reduce.") {
        return Some((Op::Reduce(LaneOp::from_name(reduced).filter(|op| op.arity() == 2)?), 1));
    }
    if let Some(op) = name.strip_suffix(".with.overflow") {
        let signedness = if op.starts_with('s') { Signedness::Signed } else { Signedness::Unsigned };
        let op = match op.get(1..)? {
            "add" => LaneOp::Add,
            "sub" => LaneOp::Sub,
            "mul" => LaneOp::Mul,
            _ => return None,
        };
        return Some((Op::WithOverflow(op, signedness), 2));
    }
    let op = LaneOp::from_name(name)?;
    Some((Op::Lanes(op), op.arity()))
}
