//! The operations of every language here and their one meaning, and the ways a run can end.
//!
//! Source: `docs/LANGUAGE.md` §1 (values, traps), §2 (the operations' names) and §8 (the dialect plus). The first group
//! is the lesson's; the second is the dialect plus, which says too what optimizers bring in. Those at 8, 16 and 32 bits
//! are in
//! [`narrow`]; what some do besides giving a value is in [`effects`]. A new operation is a line in the table below and
//! an arm in [`Op::eval`]; and an arm in each compiler.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::dialect::Dialect;

mod array;
pub mod effects;
pub mod narrow;
mod outcome;

pub use array::{Array, Arrays};
pub use effects::{Effects, MOST_EMITTED};
pub use narrow::{Int, Narrow};
pub use outcome::{End, Execution, Outcome, Trap};

macro_rules! operations {
    ($($group:ident { $($variant:ident $name:literal $arity:literal $symbol:literal,)* })*) => {
        /// An operation on signed 64-bit integers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[allow(missing_docs, reason = "each one's text name says what it is")]
        pub enum Op {
            $($($variant,)*)*
            /// A narrow operation.
            At(Narrow, Int),
            /// `load.a8 i`: an array's element.
            Load(Array),
            /// `store.a8 i, v`: puts v there, and is v.
            Store(Array),
        }

        impl Op {
            /// Every operation but the narrow ones and those on arrays.
            pub const WIDE: &'static [Op] = &[$($(Op::$variant,)*)*];

            /// The name in `ssa`, `phi` and TAC texts, and in Tiny's calls; without the array's.
            pub const fn name(self) -> &'static str {
                match self {
                    $($(Op::$variant => $name,)*)*
                    Op::At(narrow, int) => narrow.name(int),
                    Op::Load(_) => "load",
                    Op::Store(_) => "store",
                }
            }

            /// How many operands it takes: 1, 2 or 3.
            pub const fn arity(self) -> usize {
                match self {
                    $($(Op::$variant => $arity,)*)*
                    Op::At(narrow, _) => narrow.arity(),
                    Op::Load(_) => 1,
                    Op::Store(_) => 2,
                }
            }

            /// How Tiny writes it, if it has an operator for it.
            pub const fn symbol(self) -> Option<&'static str> {
                let symbol = match self {
                    $($(Op::$variant => $symbol,)*)*
                    Op::At(..) | Op::Load(_) | Op::Store(_) => "",
                };
                if symbol.is_empty() { None } else { Some(symbol) }
            }

            /// The dialect that has it.
            pub const fn dialect(self) -> Dialect {
                match self {
                    $($(Op::$variant => Dialect::$group,)*)*
                    Op::At(..) | Op::Load(_) | Op::Store(_) => Dialect::Plus,
                }
            }
        }
    };
}

operations! {
    Core {
        Add "add" 2 "+", Sub "sub" 2 "-", Mul "mul" 2 "*", Div "div" 2 "/", Rem "rem" 2 "%",
        Eq "eq" 2 "==", Ne "ne" 2 "!=", Lt "lt" 2 "<", Le "le" 2 "<=", Gt "gt" 2 ">", Ge "ge" 2 ">=",
        Neg "neg" 1 "-", Not "not" 1 "!", Copy "copy" 1 "",
    }
    Plus {
        And "and" 2 "&", Or "or" 2 "|", Xor "xor" 2 "^", BitNot "bitnot" 1 "~",
        // Counts are taken modulo 64.
        Shl "shl" 2 "<<", Ashr "ashr" 2 ">>", Lshr "lshr" 2 ">>>", Rotl "rotl" 2 "", Rotr "rotr" 2 "",
        Ult "ult" 2 "<u", Ule "ule" 2 "<=u", Ugt "ugt" 2 ">u", Uge "uge" 2 ">=u",
        Udiv "udiv" 2 "/u", Urem "urem" 2 "%u", Mulhi "mulhi" 2 "", Umulhi "umulhi" 2 "",
        Min "min" 2 "", Max "max" 2 "", Umin "umin" 2 "", Umax "umax" 2 "", Abs "abs" 1 "",
        // `select c, a, b` is a when c is not 0.
        Select "select" 3 "",
        Clz "clz" 1 "", Ctz "ctz" 1 "", Popcnt "popcnt" 1 "", Bswap "bswap" 1 "", Bitrev "bitrev" 1 "",
        // A compiler's narrow value is held zero-extended; these bring a result back into that form, or read one as
        // signed.
        Zext8 "zext8" 1 "", Zext16 "zext16" 1 "", Zext32 "zext32" 1 "",
        Sext8 "sext8" 1 "", Sext16 "sext16" 1 "", Sext32 "sext32" 1 "",
        // `emit a` is a, and everyone sees that it ran.
        Emit "emit" 1 "",
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        self.array().map_or(Ok(()), |array| write!(f, ".{array}"))
    }
}

impl Op {
    /// Every operation; of those on arrays, some.
    pub fn all() -> impl Iterator<Item = Op> {
        let narrow = |&narrow: &Narrow| Int::ALL.iter().map(move |&int| Op::At(narrow, int));
        let arrays = [Some(Array::ANY), Array::new(1, 8), Array::new(0, 5)].into_iter().flatten();
        let arrays = arrays.flat_map(|array| [Op::Load(array), Op::Store(array)]);
        Op::WIDE.iter().copied().chain(arrays).chain(Narrow::ALL.iter().flat_map(narrow))
    }

    /// The operation of a text name.
    pub fn from_name(name: &str) -> Option<Op> {
        match name.split_once('.') {
            None => Op::WIDE.iter().copied().find(|op| op.name() == name),
            Some(("load", array)) => Array::from_name(array).map(Op::Load),
            Some(("store", array)) => Array::from_name(array).map(Op::Store),
            Some((narrow, int)) => Some(Op::At(Narrow::from_name(narrow)?, Int::from_name(int)?)),
        }
    }

    /// The operation of a text name in a dialect; otherwise what to do about it.
    pub fn named(name: &str, dialect: Dialect) -> Result<Op, String> {
        match Op::from_name(name) {
            Some(op) if op.dialect() <= dialect => Ok(op),
            Some(_) => Err("the dialect plus has it: begin the text with `# dialect: plus`".into()),
            None => {
                let wide = Op::WIDE.iter().filter(|op| op.dialect() <= dialect).map(|op| op.name());
                let others = ["load.a8, store.a8 and so on", "and at 8, 16, 32 bits add.s8, add.u8 and so on"];
                let others = others.into_iter().filter(|_| dialect == Dialect::Plus);
                Err(format!("there are {}", wide.chain(others).collect::<Vec<_>>().join(", ")))
            }
        }
    }

    /// The array that it loads from or stores in.
    pub const fn array(self) -> Option<Array> {
        match self {
            Op::Load(array) | Op::Store(array) => Some(array),
            _ => None,
        }
    }

    /// The operation of so many operands that Tiny writes with this operator.
    pub fn from_symbol(symbol: &str, arity: usize) -> Option<Op> {
        Op::WIDE.iter().copied().find(|op| op.symbol() == Some(symbol) && op.arity() == arity)
    }

    /// Whether exchanging the two operands changes nothing.
    pub const fn commutes(self) -> bool {
        use Op::*;
        if let At(narrow, int) = self {
            return narrow.wide(int).commutes();
        }
        matches!(self, Add | Mul | Eq | Ne | And | Or | Xor | Mulhi | Umulhi | Min | Max | Umin | Umax)
    }

    /// Whether it can end a run.
    pub const fn can_trap(self) -> bool {
        match self {
            Op::At(narrow, int) => narrow.wide(int).can_trap(),
            _ => matches!(self, Op::Div | Op::Rem | Op::Udiv | Op::Urem),
        }
    }

    /// The operation's value, or the trap that ends the run. Operands past the arity are ignored. What it does besides
    /// is for [`Effects::perform`], and so is what an array holds: here it is 0.
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
            Op::Copy | Op::Emit => a,
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
            Op::At(narrow, int) => narrow.eval(int, [a, b])?,
            Op::Load(_) => 0,
            Op::Store(_) => b,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_lead_back() {
        for op in Op::all() {
            assert_eq!(Op::from_name(&op.to_string()), Some(op));
            assert!((1..=3).contains(&op.arity()));
            if let Some(symbol) = op.symbol() {
                assert_eq!(Op::from_symbol(symbol, op.arity()), Some(op));
            }
        }
        assert_eq!(Op::from_name("copy.s8"), None);
        assert_eq!(Op::from_name("add.s64"), None);
        assert_eq!(Op::from_name("load"), None);
        assert_eq!(Op::from_name("load.a64"), Array::from_name("a64").map(Op::Load));
        assert_eq!(Op::from_name("load.s8"), None);
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
