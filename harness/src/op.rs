//! The operations of every language here and their one meaning, and the ways a run can end.
//!
//! Source: `docs/LANGUAGE.md` §1 (values, traps) and §2 (the operations' names). The first group is the lesson's; the
//! second says what optimizers bring in, and occurs only in functions *raised* from a compiler's output. A new
//! operation is a line in the table below and an arm in [`Op::eval`].

use std::fmt;

use serde::{Deserialize, Serialize};

/// What ends a run besides its return.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Trap {
    /// `x / 0` or `x % 0`.
    DivByZero,
    /// `MIN / -1`.
    Overflow,
}

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Trap::DivByZero => "div-by-zero",
            Trap::Overflow => "overflow",
        })
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Outcome {
    /// `return N`.
    Return(i64),
    /// `trap div-by-zero`, `trap overflow`.
    Trap(Trap),
    /// The interpreter's budget of steps ran out.
    OutOfFuel,
    /// `undefined behaviour`, or poison as the result: only of functions as an optimizer leaves them.
    Undefined,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Return(n) => write!(f, "return {n}"),
            Outcome::Trap(trap) => write!(f, "trap {trap}"),
            Outcome::OutOfFuel => f.write_str("out of fuel"),
            Outcome::Undefined => f.write_str("undefined behaviour"),
        }
    }
}

/// An interpreter's answer: the outcome, and the steps that it took (`docs/LANGUAGE.md`, "Steps and fuel").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Execution {
    /// How the run ended.
    pub outcome: Outcome,
    /// Steps started; the one that trapped counts.
    pub steps: u64,
}

macro_rules! operations {
    ($($(#[$doc:meta])* $variant:ident $name:literal $arity:literal $core:literal,)*) => {
        /// An operation on signed 64-bit integers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[allow(missing_docs, reason = "each one's text name says what it is")]
        pub enum Op { $($(#[$doc])* $variant,)* }

        impl Op {
            /// Every operation.
            pub const ALL: &'static [Op] = &[$(Op::$variant,)*];

            /// The name in `ssa`, `phi` and TAC texts.
            pub const fn name(self) -> &'static str {
                match self { $(Op::$variant => $name,)* }
            }

            /// How many operands it takes: 1, 2 or 3.
            pub const fn arity(self) -> usize {
                match self { $(Op::$variant => $arity,)* }
            }

            /// Whether the lesson's languages have it; the others only occur in raised functions.
            pub const fn is_core(self) -> bool {
                match self { $(Op::$variant => $core,)* }
            }

            /// The operation of a text name.
            pub fn from_name(name: &str) -> Option<Op> {
                match name { $($name => Some(Op::$variant),)* _ => None }
            }
        }
    };
}

operations! {
    Add "add" 2 true, Sub "sub" 2 true, Mul "mul" 2 true, Div "div" 2 true, Rem "rem" 2 true,
    Eq "eq" 2 true, Ne "ne" 2 true, Lt "lt" 2 true, Le "le" 2 true, Gt "gt" 2 true, Ge "ge" 2 true,
    Neg "neg" 1 true, Not "not" 1 true, Copy "copy" 1 true,

    And "and" 2 false, Or "or" 2 false, Xor "xor" 2 false, BitNot "bitnot" 1 false,
    // Counts are taken modulo 64.
    Shl "shl" 2 false, Ashr "ashr" 2 false, Lshr "lshr" 2 false, Rotl "rotl" 2 false, Rotr "rotr" 2 false,
    Ult "ult" 2 false, Ule "ule" 2 false, Ugt "ugt" 2 false, Uge "uge" 2 false,
    Udiv "udiv" 2 false, Urem "urem" 2 false, Mulhi "mulhi" 2 false, Umulhi "umulhi" 2 false,
    Min "min" 2 false, Max "max" 2 false, Umin "umin" 2 false, Umax "umax" 2 false, Abs "abs" 1 false,
    // `select c, a, b` is a when c is not 0.
    Select "select" 3 false,
    Clz "clz" 1 false, Ctz "ctz" 1 false, Popcnt "popcnt" 1 false, Bswap "bswap" 1 false, Bitrev "bitrev" 1 false,
    // A narrow value is held zero-extended; these bring a result back into that form, or read one as signed.
    Zext8 "zext8" 1 false, Zext16 "zext16" 1 false, Zext32 "zext32" 1 false,
    Sext8 "sext8" 1 false, Sext16 "sext16" 1 false, Sext32 "sext32" 1 false,
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Op {
    /// Whether exchanging the two operands changes nothing.
    pub const fn commutes(self) -> bool {
        use Op::*;
        matches!(self, Add | Mul | Eq | Ne | And | Or | Xor | Mulhi | Umulhi | Min | Max | Umin | Umax)
    }

    /// Whether it can end a run.
    pub const fn can_trap(self) -> bool {
        matches!(self, Op::Div | Op::Rem | Op::Udiv | Op::Urem)
    }

    /// The operation's value, or the trap that ends the run. Operands past the arity are ignored.
    #[inline]
    pub fn eval(self, [a, b, c]: [i64; 3]) -> Result<i64, Trap> {
        let (ua, ub, count) = (a as u64, b as u64, (b & 63) as u32);
        Ok(match self {
            Op::Add => a.wrapping_add(b),
            Op::Sub => a.wrapping_sub(b),
            Op::Mul => a.wrapping_mul(b),
            Op::Div if b == 0 => return Err(Trap::DivByZero),
            Op::Div => a.checked_div(b).ok_or(Trap::Overflow)?,
            Op::Rem if b == 0 => return Err(Trap::DivByZero),
            Op::Rem => a.wrapping_rem(b),
            Op::Eq => i64::from(a == b),
            Op::Ne => i64::from(a != b),
            Op::Lt => i64::from(a < b),
            Op::Le => i64::from(a <= b),
            Op::Gt => i64::from(a > b),
            Op::Ge => i64::from(a >= b),
            Op::Neg => a.wrapping_neg(),
            Op::Not => i64::from(a == 0),
            Op::Copy => a,
            Op::And => a & b,
            Op::Or => a | b,
            Op::Xor => a ^ b,
            Op::BitNot => !a,
            Op::Shl => a << count,
            Op::Ashr => a >> count,
            Op::Lshr => (ua >> count) as i64,
            Op::Rotl => a.rotate_left(count),
            Op::Rotr => a.rotate_right(count),
            Op::Ult => i64::from(ua < ub),
            Op::Ule => i64::from(ua <= ub),
            Op::Ugt => i64::from(ua > ub),
            Op::Uge => i64::from(ua >= ub),
            Op::Udiv => ua.checked_div(ub).ok_or(Trap::DivByZero)? as i64,
            Op::Urem => ua.checked_rem(ub).ok_or(Trap::DivByZero)? as i64,
            Op::Mulhi => ((i128::from(a) * i128::from(b)) >> 64) as i64,
            Op::Umulhi => ((u128::from(ua) * u128::from(ub)) >> 64) as i64,
            Op::Min => a.min(b),
            Op::Max => a.max(b),
            Op::Umin => ua.min(ub) as i64,
            Op::Umax => ua.max(ub) as i64,
            Op::Abs => a.wrapping_abs(),
            Op::Select => {
                if a != 0 {
                    b
                } else {
                    c
                }
            }
            Op::Clz => i64::from(a.leading_zeros()),
            Op::Ctz => i64::from(a.trailing_zeros()),
            Op::Popcnt => i64::from(a.count_ones()),
            Op::Bswap => a.swap_bytes(),
            Op::Bitrev => a.reverse_bits(),
            Op::Zext8 => i64::from(a as u8),
            Op::Zext16 => i64::from(a as u16),
            Op::Zext32 => i64::from(a as u32),
            Op::Sext8 => i64::from(a as i8),
            Op::Sext16 => i64::from(a as i16),
            Op::Sext32 => i64::from(a as i32),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_lead_back() {
        for &op in Op::ALL {
            assert_eq!(Op::from_name(op.name()), Some(op));
            assert!((1..=3).contains(&op.arity()));
        }
    }

    #[test]
    fn division_traps_as_the_language_says() {
        let eval = |op: Op, a, b| op.eval([a, b, 0]);
        assert_eq!(eval(Op::Div, 1, 0), Err(Trap::DivByZero));
        assert_eq!(eval(Op::Rem, 1, 0), Err(Trap::DivByZero));
        assert_eq!(eval(Op::Div, i64::MIN, -1), Err(Trap::Overflow));
        assert_eq!(eval(Op::Rem, i64::MIN, -1), Ok(0));
        assert_eq!(eval(Op::Div, -7, 2), Ok(-3));
        assert_eq!(eval(Op::Rem, -7, 2), Ok(-1));
        assert_eq!(eval(Op::Mulhi, i64::MIN, 2), Ok(-1));
    }
}
