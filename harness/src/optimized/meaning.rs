//! What an operation gives on one lane. Source: LLVM's Language Reference, as `docs/POISON.md` quotes it.
//!
//! A lane's bits stand in the low end of a `u128`, the rest is 0. Everything is computed exactly, or with Rust's
//! checked arithmetic where 128 bits do not suffice, and a broken promise is poison.

use super::{Flags, LaneOp};

/// Bits, or poison.
pub type Lane = Option<u128>;

/// The ones of so many bits.
#[inline]
pub fn mask(bits: u32) -> u128 {
    u128::MAX >> (128 - bits)
}

/// The number that these bits are in two's complement.
#[inline]
pub fn sign_extend(value: u128, bits: u32) -> i128 {
    (value << (128 - bits)) as i128 >> (128 - bits)
}

/// The result of an operation on operands of `from` bits, itself of `to` bits; `Err` is undefined behaviour, and why.
#[inline]
pub fn evaluate(op: LaneOp, flags: Flags, (from, to): (u32, u32), args: [Lane; 3]) -> Result<Lane, &'static str> {
    if let LaneOp::Udiv | LaneOp::Sdiv | LaneOp::Urem | LaneOp::Srem = op {
        return division(op, flags, from, args);
    }
    let known = match (op.arity(), args) {
        (1, [Some(a), ..]) => [a, 0, 0],
        (2, [Some(a), Some(b), _]) => [a, b, 0],
        (_, [Some(a), Some(b), Some(c)]) => [a, b, c],
        _ => return Ok(None),
    };
    Ok(total(op, flags, (from, to), known))
}

/// Division is undefined where the divisor is poison or 0, and where the quotient does not fit. A dividend that is
/// poison gives poison: that it might stand for MIN is not held against a division by -1.
fn division(op: LaneOp, flags: Flags, bits: u32, [a, b, _]: [Lane; 3]) -> Result<Lane, &'static str> {
    let Some(b) = b else { return Err("division by poison") };
    if b == 0 {
        return Err("division by zero");
    }
    let Some(a) = a else { return Ok(None) };
    let (x, y) = (sign_extend(a, bits), sign_extend(b, bits));
    let is_signed = matches!(op, LaneOp::Sdiv | LaneOp::Srem);
    if is_signed && y == -1 && x == sign_extend(1 << (bits - 1), bits) {
        return Err("division of the least number by -1");
    }
    let (result, rest) = match op {
        LaneOp::Udiv => (a / b, a % b),
        LaneOp::Urem => (a % b, 0),
        LaneOp::Sdiv => ((x / y) as u128, (x % y) as u128),
        _ => ((x % y) as u128, 0),
    };
    Ok((!flags.has(Flags::EXACT) || rest == 0).then_some(result & mask(bits)))
}

/// The operations that are defined on all bits, as far as their promises hold.
#[inline]
fn total(op: LaneOp, flags: Flags, (from, to): (u32, u32), [a, b, c]: [u128; 3]) -> Lane {
    let ones = mask(from);
    let signed = |value| sign_extend(value, from);
    let (x, y) = (signed(a), signed(b));
    // Whether an exact result, `None` if it needs more than 128 bits, is a number of this width.
    let fits_unsigned = |exact: Option<u128>| exact.is_some_and(|exact| exact <= ones);
    let fits_signed = |exact: Option<i128>| exact.is_some_and(|exact| signed(exact as u128 & ones) == exact);
    let wrapping = |result: u128, unsigned: Option<u128>, exact: Option<i128>| {
        let broken = flags.has(Flags::NUW) && !fits_unsigned(unsigned) || flags.has(Flags::NSW) && !fits_signed(exact);
        (!broken).then_some(result & ones)
    };
    let saturated_unsigned = |exact: Option<u128>, limit| if fits_unsigned(exact) { exact } else { Some(limit) };
    let saturated_signed = |exact: Option<i128>, is_negative: bool| match exact {
        Some(exact) if fits_signed(Some(exact)) => Some(exact as u128 & ones),
        _ => Some(if is_negative { 1 << (from - 1) } else { ones >> 1 }),
    };
    let compare = |holds: bool| {
        let broken = flags.has(Flags::SAMESIGN) && (x < 0) != (y < 0);
        (!broken).then_some(u128::from(holds))
    };
    let order = |order: std::cmp::Ordering| Some(order as i128 as u128 & mask(to));
    let is_shift = b < u128::from(from);
    let count = if is_shift { b as u32 } else { 0 };
    match op {
        LaneOp::Add => wrapping(a.wrapping_add(b), a.checked_add(b), x.checked_add(y)),
        LaneOp::Sub => wrapping(a.wrapping_sub(b), a.checked_sub(b), x.checked_sub(y)),
        LaneOp::Mul => wrapping(a.wrapping_mul(b), a.checked_mul(b), x.checked_mul(y)),
        LaneOp::And => Some(a & b),
        LaneOp::Or => (!flags.has(Flags::DISJOINT) || a & b == 0).then_some(a | b),
        LaneOp::Xor => Some(a ^ b),
        LaneOp::Shl | LaneOp::Lshr | LaneOp::Ashr if !is_shift => None,
        LaneOp::Shl => {
            let result = a << count & ones;
            let loses = flags.has(Flags::NUW) && result >> count != a;
            let loses_sign = flags.has(Flags::NSW) && signed(result) >> count != x;
            (!loses && !loses_sign).then_some(result)
        }
        LaneOp::Lshr | LaneOp::Ashr if flags.has(Flags::EXACT) && a >> count << count != a => None,
        LaneOp::Lshr => Some(a >> count),
        LaneOp::Ashr => Some((x >> count) as u128 & ones),

        LaneOp::Zext => (!flags.has(Flags::NNEG) || x >= 0).then_some(a),
        LaneOp::Sext => Some(x as u128 & mask(to)),
        LaneOp::Trunc => {
            let result = a & mask(to);
            let broken = flags.has(Flags::NUW) && result != a || flags.has(Flags::NSW) && sign_extend(result, to) != x;
            (!broken).then_some(result)
        }

        LaneOp::Eq => compare(a == b),
        LaneOp::Ne => compare(a != b),
        LaneOp::Ugt => compare(a > b),
        LaneOp::Uge => compare(a >= b),
        LaneOp::Ult => compare(a < b),
        LaneOp::Ule => compare(a <= b),
        LaneOp::Sgt => compare(x > y),
        LaneOp::Sge => compare(x >= y),
        LaneOp::Slt => compare(x < y),
        LaneOp::Sle => compare(x <= y),

        LaneOp::Umin => Some(a.min(b)),
        LaneOp::Umax => Some(a.max(b)),
        LaneOp::Smin => Some(if x < y { a } else { b }),
        LaneOp::Smax => Some(if x > y { a } else { b }),
        LaneOp::Ucmp => order(a.cmp(&b)),
        LaneOp::Scmp => order(x.cmp(&y)),

        LaneOp::Abs if a == 1 << (from - 1) && b != 0 => None,
        LaneOp::Abs => Some(x.unsigned_abs() & ones),
        LaneOp::Ctlz | LaneOp::Cttz if a == 0 => (b == 0).then_some(u128::from(from)),
        LaneOp::Ctlz => Some(u128::from(a.leading_zeros() - (128 - from))),
        LaneOp::Cttz => Some(u128::from(a.trailing_zeros())),
        LaneOp::Ctpop => Some(u128::from(a.count_ones())),
        LaneOp::Bswap => Some(a.swap_bytes() >> (128 - from)),
        LaneOp::Bitreverse => Some(a.reverse_bits() >> (128 - from)),
        LaneOp::Fshl | LaneOp::Fshr => {
            let count = (c % u128::from(from)) as u32;
            let left = if op == LaneOp::Fshl { count } else { from - count };
            // The high and the low half of both operands side by side; shifting by the whole width moves one away.
            let high = if left == from { 0 } else { a << left };
            let low = if left == 0 { 0 } else { b >> (from - left) };
            Some(if left == from { b } else { (high | low) & ones })
        }

        LaneOp::UaddSat => saturated_unsigned(a.checked_add(b), ones),
        LaneOp::UsubSat => saturated_unsigned(a.checked_sub(b), 0),
        LaneOp::SaddSat => saturated_signed(x.checked_add(y), x < 0),
        LaneOp::SsubSat => saturated_signed(x.checked_sub(y), x < 0),
        LaneOp::UshlSat | LaneOp::SshlSat if !is_shift => None,
        LaneOp::UshlSat => {
            let result = a << count & ones;
            Some(if result >> count == a { result } else { ones })
        }
        LaneOp::SshlSat => {
            let result = a << count & ones;
            let kept = (signed(result) >> count == x).then(|| signed(result));
            saturated_signed(kept, x < 0)
        }

        // `division`'s.
        LaneOp::Udiv | LaneOp::Sdiv | LaneOp::Urem | LaneOp::Srem => None,
    }
}
