//! What each of CLIF's opcodes means in the lab's 64-bit operations: the table of [`super::raise`].
//!
//! A value of a narrower type is held zero-extended. An opcode whose result's low bits depend on its operands' low bits
//! alone means the same at every width; one that looks at the sign reads its operands sign-extended; the few others
//! say how. The result is truncated to its type by the caller.
//!
//! A new opcode is a line in [`Raiser::meaning`] and a line in the test below, which holds the table against what
//! Cranelift's own machine code computes.

use cranelift_codegen::ir::Opcode;
use cranelift_codegen::ir::condcodes::IntCC;

use crate::lab::Atom;
use crate::op::{Int, Narrow, Op};
use crate::path::cranelift::compat;
use crate::path::cranelift::raise::Raiser;
use crate::plant::{self, Fault};

/// The widths, in bits, that an instruction's meaning depends on.
#[derive(Clone, Copy)]
pub(super) struct Widths {
    /// The type that the instruction is at: that of its operands and its result, as far as they have one type.
    pub(super) at: u32,
    /// The type of its first operand: of what an extension extends.
    pub(super) first: u32,
}

impl Raiser<'_> {
    /// The operation, with its operands, whose result is the instruction's when it is truncated to its type. Appends
    /// the operations that come before. `None` if the lab's form can't say it.
    pub(super) fn meaning(
        &mut self,
        opcode: Opcode,
        condition: Option<IntCC>,
        [a, b, c]: [Atom; 3],
        widths: Widths,
    ) -> Option<(Op, [Atom; 3])> {
        let w = widths.at;
        let narrow = w < 64;
        Some(match opcode {
            // The low bits of the operands decide.
            Opcode::Iadd => (Op::Add, [a, b, c]),
            Opcode::Isub if plant::on(Fault::ClifRaiseSub) => (Op::Sub, [b, a, c]),
            Opcode::Isub => (Op::Sub, [a, b, c]),
            Opcode::Imul => (Op::Mul, [a, b, c]),
            Opcode::Ineg => (Op::Neg, [a, b, c]),
            Opcode::Band => (Op::And, [a, b, c]),
            Opcode::Bor => (Op::Or, [a, b, c]),
            Opcode::Bxor => (Op::Xor, [a, b, c]),
            Opcode::Bnot => (Op::BitNot, [a, b, c]),
            Opcode::Select => (Op::Select, [a, b, c]),
            #[cfg(not(cranelift_before = "0.90"))]
            Opcode::SelectSpectreGuard => (Op::Select, [a, b, c]),
            #[cfg(cranelift_before = "0.90")]
            Opcode::Bint => (Op::Copy, [a, b, c]),
            Opcode::Ireduce | Opcode::Uextend => (Op::Copy, [a, b, c]),
            Opcode::Bitselect => {
                let not = self.emit(Op::BitNot, &[a]);
                let (yes, no) = (self.emit(Op::And, &[a, b]), self.emit(Op::And, &[not, c]));
                (Op::Or, [yes, no, c])
            }

            // The operands as unsigned numbers.
            Opcode::Udiv => (Op::Udiv, [a, b, c]),
            Opcode::Urem => (Op::Urem, [a, b, c]),
            Opcode::Umin => (Op::Umin, [a, b, c]),
            Opcode::Umax => (Op::Umax, [a, b, c]),
            Opcode::Popcnt => (Op::Popcnt, [a, b, c]),

            // The operands as signed numbers.
            compat::SMIN => (Op::Min, [self.signed(w, a), self.signed(w, b), c]),
            compat::SMAX => (Op::Max, [self.signed(w, a), self.signed(w, b), c]),
            Opcode::Iabs => (Op::Abs, [self.signed(w, a), b, c]),
            Opcode::Srem => (Op::Rem, [self.signed(w, a), self.signed(w, b), c]),
            Opcode::Sextend => (Op::Copy, [self.signed(widths.first, a), b, c]),
            // A narrow MIN / -1 overflows in its own type.
            Opcode::Sdiv if narrow => (Op::At(Narrow::Div, Int::new(w, true)?), [a, b, c]),
            Opcode::Sdiv => (Op::Div, [a, b, c]),

            Opcode::Icmp => {
                let (op, reads_sign) = comparison(condition?)?;
                if reads_sign { (op, [self.signed(w, a), self.signed(w, b), c]) } else { (op, [a, b, c]) }
            }
            Opcode::Bmask => {
                let truth = self.emit(Op::Ne, &[a, Atom::Const(0)]);
                (Op::Neg, [truth, b, c])
            }

            // Counts are taken modulo the width.
            Opcode::Ishl => (Op::Shl, [a, self.count(w, b), c]),
            Opcode::Ushr => (Op::Lshr, [a, self.count(w, b), c]),
            Opcode::Sshr => (Op::Ashr, [self.signed(w, a), self.count(w, b), c]),
            Opcode::Rotl if narrow => self.narrow_rotation(w, a, b, [Op::Shl, Op::Lshr]),
            Opcode::Rotr if narrow => self.narrow_rotation(w, a, b, [Op::Lshr, Op::Shl]),
            Opcode::Rotl => (Op::Rotl, [a, b, c]),
            Opcode::Rotr => (Op::Rotr, [a, b, c]),

            // The upper half of a narrow product is the lower half of a wider one.
            Opcode::Smulhi if narrow => {
                let (a, b) = (self.signed(w, a), self.signed(w, b));
                (Op::Lshr, [self.emit(Op::Mul, &[a, b]), number(w), c])
            }
            Opcode::Umulhi if narrow => (Op::Lshr, [self.emit(Op::Mul, &[a, b]), number(w), c]),
            Opcode::Smulhi => (Op::Mulhi, [a, b, c]),
            Opcode::Umulhi => (Op::Umulhi, [a, b, c]),

            // At the upper end of the 64 bits the zero extension counts too.
            Opcode::Clz => (Op::Sub, [self.emit(Op::Clz, &[a]), number(64 - w), c]),
            Opcode::Ctz => (Op::Umin, [self.emit(Op::Ctz, &[a]), number(w), c]),
            #[cfg(not(cranelift_before = "0.90"))]
            Opcode::Bswap => (Op::Lshr, [self.emit(Op::Bswap, &[a]), number(64 - w), c]),
            Opcode::Bitrev => (Op::Lshr, [self.emit(Op::Bitrev, &[a]), number(64 - w), c]),

            _ => return None,
        })
    }

    /// The value of this width, read as a signed number.
    fn signed(&mut self, width: u32, a: Atom) -> Atom {
        match (sign_extension(width), a) {
            (None, _) => a,
            (Some(_), Atom::Const(n)) => Atom::Const(sign_extend(n, width)),
            (Some(extension), Atom::Value(_)) => self.emit(extension, &[a]),
        }
    }

    /// The count of a shift at this width. The lab's shifts take counts modulo 64 themselves.
    fn count(&mut self, width: u32, count: Atom) -> Atom {
        if width < 64 { self.emit(Op::And, &[count, number(width - 1)]) } else { count }
    }

    /// A rotation as two shifts: one by the count, one by what is left of the width.
    fn narrow_rotation(&mut self, width: u32, a: Atom, count: Atom, [first, second]: [Op; 2]) -> (Op, [Atom; 3]) {
        let count = self.count(width, count);
        let rest = self.emit(Op::Sub, &[number(width), count]);
        let (one, other) = (self.emit(first, &[a, count]), self.emit(second, &[a, rest]));
        (Op::Or, [one, other, Atom::Const(0)])
    }
}

fn number(n: u32) -> Atom {
    Atom::Const(i64::from(n))
}

/// The lab's comparison, and whether it looks at the sign; `None` if the lab's form has none such.
fn comparison(condition: IntCC) -> Option<(Op, bool)> {
    Some(match condition {
        IntCC::Equal => (Op::Eq, false),
        IntCC::NotEqual => (Op::Ne, false),
        IntCC::SignedLessThan => (Op::Lt, true),
        IntCC::SignedLessThanOrEqual => (Op::Le, true),
        IntCC::SignedGreaterThan => (Op::Gt, true),
        IntCC::SignedGreaterThanOrEqual => (Op::Ge, true),
        IntCC::UnsignedLessThan => (Op::Ult, false),
        IntCC::UnsignedLessThanOrEqual => (Op::Ule, false),
        IntCC::UnsignedGreaterThan => (Op::Ugt, false),
        IntCC::UnsignedGreaterThanOrEqual => (Op::Uge, false),
        #[cfg(cranelift_before = "0.89")]
        IntCC::Overflow | IntCC::NotOverflow => return None,
    })
}

/// The operation that truncates to this width; `None` for 64 bits.
pub(super) fn zero_extension(width: u32) -> Option<Op> {
    match width {
        8 => Some(Op::Zext8),
        16 => Some(Op::Zext16),
        32 => Some(Op::Zext32),
        _ => None,
    }
}

/// The operation that reads this width as signed; `None` for 64 bits.
fn sign_extension(width: u32) -> Option<Op> {
    match width {
        8 => Some(Op::Sext8),
        16 => Some(Op::Sext16),
        32 => Some(Op::Sext32),
        _ => None,
    }
}

/// A constant of this width as it is held.
pub(super) fn zero_extend(n: i64, width: u32) -> i64 {
    n & (u64::MAX >> (64 - width)) as i64
}

/// A held constant of this width as a signed number.
fn sign_extend(n: i64, width: u32) -> i64 {
    n << (64 - width) >> (64 - width)
}
