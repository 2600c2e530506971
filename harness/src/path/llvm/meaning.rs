//! What LLVM's instructions and intrinsics mean in the lab's operations: the table of [`super::raise`].

use inkwell::IntPredicate;
use inkwell::values::InstructionOpcode;

use crate::op::{Int, Narrow, Op};
use crate::plant::{self, Fault};

/// What an instruction becomes, by the width of its first operand.
pub(super) fn operation(opcode: InstructionOpcode, bits: u32) -> Option<Op> {
    use InstructionOpcode::*;
    Some(match (opcode, bits) {
        (And, _) => Op::And,
        (Or, _) => Op::Or,
        (Xor, _) => Op::Xor,
        // Held zero-extended already.
        (ZExt, _) => Op::Copy,
        (SExt, 1) => Op::Neg,
        (SExt, 8) => Op::Sext8,
        (SExt, 16) => Op::Sext16,
        (SExt, 32) => Op::Sext32,
        // With the mask of its result.
        (Trunc, _) => Op::And,
        (Select, _) => Op::Select,
        (Add, _) => at(bits, false, Op::Add, Narrow::Add)?,
        (Sub, _) => at(bits, false, Op::Sub, Narrow::Sub)?,
        (Mul, _) => at(bits, false, Op::Mul, Narrow::Mul)?,
        (SDiv, _) => at(bits, true, Op::Div, Narrow::Div)?,
        (SRem, _) => at(bits, true, Op::Rem, Narrow::Rem)?,
        (UDiv, _) => at(bits, false, Op::Udiv, Narrow::Div)?,
        (URem, _) => at(bits, false, Op::Urem, Narrow::Rem)?,
        // Where the count is not less than the width, LLVM's result is poison, and anything does.
        (Shl, _) => at(bits, false, Op::Shl, Narrow::Shl)?,
        (LShr, _) => at(bits, false, Op::Lshr, Narrow::Shr)?,
        (AShr, _) => at(bits, true, Op::Ashr, Narrow::Shr)?,
        _ => return None,
    })
}

/// What a call of an intrinsic becomes, by its name without the type.
pub(super) fn intrinsic_operation(name: &str, bits: u32) -> Option<Op> {
    match name {
        "llvm.smin" => at(bits, true, Op::Min, Narrow::Min),
        "llvm.smax" => at(bits, true, Op::Max, Narrow::Max),
        "llvm.umin" => at(bits, false, Op::Umin, Narrow::Min),
        "llvm.umax" => at(bits, false, Op::Umax, Narrow::Max),
        "llvm.abs" => at(bits, true, Op::Abs, Narrow::Abs),
        "llvm.ctlz" => at(bits, false, Op::Clz, Narrow::Clz),
        "llvm.cttz" => at(bits, false, Op::Ctz, Narrow::Ctz),
        "llvm.ctpop" => at(bits, false, Op::Popcnt, Narrow::Popcnt),
        "llvm.bswap" => at(bits, false, Op::Bswap, Narrow::Bswap),
        "llvm.bitreverse" => at(bits, false, Op::Bitrev, Narrow::Bitrev),
        "llvm.fshl" => at(bits, false, Op::Rotl, Narrow::Rotl),
        "llvm.fshr" => at(bits, false, Op::Rotr, Narrow::Rotr),
        _ => None,
    }
}

/// What an `icmp` becomes.
pub(super) fn comparison(predicate: IntPredicate, bits: u32) -> Option<Op> {
    Some(match predicate {
        // Numbers held zero-extended compare as they are.
        IntPredicate::EQ => Op::Eq,
        IntPredicate::NE => Op::Ne,
        IntPredicate::ULT => Op::Ult,
        IntPredicate::ULE => Op::Ule,
        IntPredicate::UGT => Op::Ugt,
        IntPredicate::UGE => Op::Uge,
        IntPredicate::SLT if plant::on(Fault::LlvmRaiseLt) => at(bits, true, Op::Le, Narrow::Le)?,
        IntPredicate::SLT => at(bits, true, Op::Lt, Narrow::Lt)?,
        IntPredicate::SLE => at(bits, true, Op::Le, Narrow::Le)?,
        IntPredicate::SGT => at(bits, true, Op::Gt, Narrow::Gt)?,
        IntPredicate::SGE => at(bits, true, Op::Ge, Narrow::Ge)?,
    })
}

/// An operation at 64 bits, or the narrow one.
fn at(bits: u32, signed: bool, wide: Op, narrow: Narrow) -> Option<Op> {
    if bits == 64 { Some(wide) } else { Int::new(bits, signed).map(|int| Op::At(narrow, int)) }
}

/// What brings a number into the form in which a narrow one is held.
pub(super) fn zero_extension(int: Int) -> Op {
    match int.bits() {
        8 => Op::Zext8,
        16 => Op::Zext16,
        _ => Op::Zext32,
    }
}
