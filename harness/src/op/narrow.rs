//! The operations at 8, 16 and 32 bits: `add.s8`, `div.u16`, `lt.s32`.
//!
//! Each means what its operation means at 64 bits, on operands that are cut to the width and read as signed (`s`) or as
//! unsigned (`u`), and its result is cut and read likewise. So signed and unsigned differ where the operation looks at
//! the sign, and in how the result is extended.

use serde::{Deserialize, Serialize};

use super::{Op, Trap};

/// How narrow, and how a value of so many bits is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each one's name says what it is")]
pub enum Int {
    S8,
    U8,
    S16,
    U16,
    S32,
    U32,
}

impl Int {
    /// All of them.
    pub const ALL: [Int; 6] = [Int::S8, Int::U8, Int::S16, Int::U16, Int::S32, Int::U32];

    /// `s8`, `u8`, ..
    pub const fn name(self) -> &'static str {
        ["s8", "u8", "s16", "u16", "s32", "u32"][self as usize]
    }

    /// Of a name.
    pub fn from_name(name: &str) -> Option<Int> {
        Int::ALL.into_iter().find(|int| int.name() == name)
    }

    /// The number of bits.
    pub const fn bits(self) -> u32 {
        [8, 8, 16, 16, 32, 32][self as usize]
    }

    /// Whether values are read as signed.
    pub const fn signed(self) -> bool {
        matches!(self, Int::S8 | Int::S16 | Int::S32)
    }

    /// Of so many bits, read so; none of 64 bits.
    pub fn new(bits: u32, signed: bool) -> Option<Int> {
        Int::ALL.into_iter().find(|int| int.bits() == bits && int.signed() == signed)
    }

    /// A value cut to the width and read.
    pub const fn read(self, value: i64) -> i64 {
        match self {
            Int::S8 => value as i8 as i64,
            Int::U8 => value as u8 as i64,
            Int::S16 => value as i16 as i64,
            Int::U16 => value as u16 as i64,
            Int::S32 => value as i32 as i64,
            Int::U32 => value as u32 as i64,
        }
    }
}

macro_rules! narrow {
    ($($variant:ident $name:literal $signed:ident $unsigned:ident,)*) => {
        /// What a narrow operation does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[allow(missing_docs, reason = "each one's text name says what it is")]
        pub enum Narrow { $($variant,)* }

        impl Narrow {
            /// Every one.
            pub const ALL: &'static [Narrow] = &[$(Narrow::$variant,)*];

            /// The text name at a width.
            pub const fn name(self, int: Int) -> &'static str {
                match self {
                    $(Narrow::$variant => {
                        const NAMES: [&str; 6] = [
                            concat!($name, ".s8"), concat!($name, ".u8"), concat!($name, ".s16"),
                            concat!($name, ".u16"), concat!($name, ".s32"), concat!($name, ".u32"),
                        ];
                        NAMES[int as usize]
                    })*
                }
            }

            /// Of the name without the width.
            pub fn from_name(name: &str) -> Option<Narrow> {
                match name { $($name => Some(Narrow::$variant),)* _ => None }
            }

            /// The operation at 64 bits.
            pub const fn wide(self, int: Int) -> Op {
                match self { $(Narrow::$variant => if int.signed() { Op::$signed } else { Op::$unsigned },)* }
            }
        }
    };
}

// Each with its operation at 64 bits, signed and unsigned.
narrow! {
    Add "add" Add Add, Sub "sub" Sub Sub, Mul "mul" Mul Mul, Mulhi "mulhi" Mulhi Umulhi,
    Div "div" Div Udiv, Rem "rem" Rem Urem, Neg "neg" Neg Neg, Abs "abs" Abs Abs,
    Eq "eq" Eq Eq, Ne "ne" Ne Ne, Lt "lt" Lt Ult, Le "le" Le Ule, Gt "gt" Gt Ugt, Ge "ge" Ge Uge,
    Min "min" Min Umin, Max "max" Max Umax,
    And "and" And And, Or "or" Or Or, Xor "xor" Xor Xor, BitNot "bitnot" BitNot BitNot,
    // Counts are taken modulo the width.
    Shl "shl" Shl Shl, Shr "shr" Ashr Lshr, Rotl "rotl" Rotl Rotl, Rotr "rotr" Rotr Rotr,
    Clz "clz" Clz Clz, Ctz "ctz" Ctz Ctz, Popcnt "popcnt" Popcnt Popcnt,
    Bswap "bswap" Bswap Bswap, Bitrev "bitrev" Bitrev Bitrev,
}

impl Narrow {
    /// How many operands it takes: 1 or 2.
    pub const fn arity(self) -> usize {
        self.wide(Int::S8).arity()
    }

    /// Whether the result is 0 or 1.
    pub const fn compares(self) -> bool {
        matches!(self, Narrow::Eq | Narrow::Ne | Narrow::Lt | Narrow::Le | Narrow::Gt | Narrow::Ge)
    }

    /// The value, or the trap that ends the run.
    pub fn eval(self, int: Int, operands: [i64; 2]) -> Result<i64, Trap> {
        let bits = int.bits();
        let [a, b] = operands.map(|operand| int.read(operand));
        let [low_a, low_b] = [a, b].map(|operand| operand as u64 & (u64::MAX >> (64 - bits)));
        let count = (low_b % u64::from(bits)) as u32;
        let result = match self {
            Narrow::Div if int.signed() && b == -1 && a == -1 << (bits - 1) => return Err(Trap::Overflow),
            Narrow::Shl => a << count,
            Narrow::Shr => a >> count,
            Narrow::Rotl => rotate_left(low_a, count, bits),
            Narrow::Rotr => rotate_left(low_a, (bits - count) % bits, bits),
            // The product of two narrow numbers fits in 64 bits.
            Narrow::Mulhi => (a.wrapping_mul(b) as u64 >> bits) as i64,
            Narrow::Clz => i64::from(low_a.leading_zeros() - (64 - bits)),
            Narrow::Ctz => i64::from(low_a.trailing_zeros().min(bits)),
            Narrow::Popcnt => i64::from(low_a.count_ones()),
            Narrow::Bswap => (low_a.swap_bytes() >> (64 - bits)) as i64,
            Narrow::Bitrev => (low_a.reverse_bits() >> (64 - bits)) as i64,
            // Read numbers are numbers of 64 bits, and their lowest bits are those of the result.
            _ => self.wide(int).eval([a, b, 0])?,
        };
        Ok(int.read(result))
    }
}

fn rotate_left(low: u64, count: u32, bits: u32) -> i64 {
    (low << count | low >> (bits - count)) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A value at a width as Rust's own types have it.
    macro_rules! hold_against {
        ($type:ty, $int:expr) => {
            for a in numbers() {
                for b in numbers() {
                    let (x, y) = (a as $type, b as $type);
                    let eval = |narrow: Narrow| narrow.eval($int, [a, b]);
                    let value = |value: $type| Ok(i64::from(value));
                    assert_eq!(eval(Narrow::Add), value(x.wrapping_add(y)));
                    assert_eq!(eval(Narrow::Sub), value(x.wrapping_sub(y)));
                    assert_eq!(eval(Narrow::Mul), value(x.wrapping_mul(y)));
                    assert_eq!(eval(Narrow::Neg), value(x.wrapping_neg()));
                    assert_eq!(eval(Narrow::BitNot), value(!x));
                    assert_eq!(eval(Narrow::Xor), value(x ^ y));
                    assert_eq!(eval(Narrow::Min), value(x.min(y)));
                    assert_eq!(eval(Narrow::Max), value(x.max(y)));
                    assert_eq!(eval(Narrow::Lt), Ok(i64::from(x < y)));
                    assert_eq!(eval(Narrow::Ge), Ok(i64::from(x >= y)));
                    assert_eq!(eval(Narrow::Eq), Ok(i64::from(x == y)));
                    assert_eq!(eval(Narrow::Shl), value(x.wrapping_shl(y as u32)));
                    assert_eq!(eval(Narrow::Shr), value(x.wrapping_shr(y as u32)));
                    assert_eq!(eval(Narrow::Rotl), value(x.rotate_left(y as u32 % <$type>::BITS)));
                    assert_eq!(eval(Narrow::Rotr), value(x.rotate_right(y as u32 % <$type>::BITS)));
                    assert_eq!(eval(Narrow::Clz), Ok(i64::from(x.leading_zeros())));
                    assert_eq!(eval(Narrow::Ctz), Ok(i64::from(x.trailing_zeros())));
                    assert_eq!(eval(Narrow::Popcnt), Ok(i64::from(x.count_ones())));
                    assert_eq!(eval(Narrow::Bswap), value(x.swap_bytes()));
                    assert_eq!(eval(Narrow::Bitrev), value(x.reverse_bits()));
                    let high = (i128::from(x) * i128::from(y)) >> <$type>::BITS;
                    assert_eq!(eval(Narrow::Mulhi), value(high as $type));
                    let trap = if y == 0 { Trap::DivByZero } else { Trap::Overflow };
                    assert_eq!(eval(Narrow::Div), x.checked_div(y).map(i64::from).ok_or(trap));
                    let rest = (y != 0).then(|| i64::from(x.wrapping_rem(y)));
                    assert_eq!(eval(Narrow::Rem), rest.ok_or(Trap::DivByZero));
                }
            }
        };
    }

    fn numbers() -> Vec<i64> {
        let mut numbers = vec![0, 1, 2, 3, 7, 13, -1, -2, 0x1234_5678_9abc_def0, i64::MIN, i64::MAX];
        for k in [3, 7, 8, 15, 16, 31, 32] {
            numbers.extend([1 << k, (1 << k) - 1, -1 << k]);
        }
        numbers
    }

    #[test]
    fn operations_are_those_of_rusts_types() {
        hold_against!(i8, Int::S8);
        hold_against!(u8, Int::U8);
        hold_against!(i16, Int::S16);
        hold_against!(u16, Int::U16);
        hold_against!(i32, Int::S32);
        hold_against!(u32, Int::U32);
    }

    #[test]
    fn an_absolute_value_wraps_and_of_an_unsigned_number_is_itself() {
        assert_eq!(Narrow::Abs.eval(Int::S8, [-128, 0]), Ok(-128));
        assert_eq!(Narrow::Abs.eval(Int::S8, [-5, 0]), Ok(5));
        assert_eq!(Narrow::Abs.eval(Int::U8, [-5, 0]), Ok(251));
    }
}
