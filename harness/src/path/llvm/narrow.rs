//! The narrowest integer type that holds a value in every run: what the paths `phi-narrow` carry it in.
//!
//! The lab's values have 64 bits. C compilers carry a `bool` in an `i1` and a `short` in an `i16`, and passes look for
//! that: a phi of `i1`, an induction variable of 32 bits. So here a value gets the narrowest type whose extension it
//! always is. What a value is follows from how it is defined (the table in [`Held::by`]), a phi holds what all of its
//! entries do, and the answer is the greatest fixpoint: every value starts as one that all types hold, and loses types
//! until nothing changes.

use crate::lab::{Atom, PhiFunction};
use crate::op::{Int, Op};

/// An integer type, and how its numbers become numbers of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Carrier {
    /// 1, 8, 16, 32 or 64.
    pub(super) bits: u32,
    /// Whether they are extended with their sign.
    pub(super) signed: bool,
}

impl Carrier {
    /// A whole number.
    pub(super) const WIDE: Carrier = Carrier { bits: 64, signed: true };
    /// What a comparison gives.
    pub(super) const BIT: Carrier = Carrier { bits: 1, signed: false };

    /// What narrow operations give.
    pub(super) const fn of(int: Int) -> Carrier {
        Carrier { bits: int.bits(), signed: int.signed() }
    }

    /// The type that an operation's instruction gives before it is extended, at the least.
    pub(super) fn of_result(op: Op) -> Carrier {
        match op {
            _ if compares(op) => Carrier::BIT,
            Op::At(_, int) => Carrier::of(int),
            _ => cut(op).map_or(Carrier::WIDE, Carrier::of),
        }
    }
}

/// Whether the result is 0 or 1.
pub(super) fn compares(op: Op) -> bool {
    match op {
        Op::At(narrow, _) => narrow.compares(),
        _ => {
            use Op::*;
            matches!(op, Eq | Ne | Lt | Le | Gt | Ge | Ult | Ule | Ugt | Uge | Not)
        }
    }
}

/// What an operation that cuts a number cuts it to.
pub(super) fn cut(op: Op) -> Option<Int> {
    Some(match op {
        Op::Zext8 => Int::U8,
        Op::Zext16 => Int::U16,
        Op::Zext32 => Int::U32,
        Op::Sext8 => Int::S8,
        Op::Sext16 => Int::S16,
        Op::Sext32 => Int::S32,
        _ => return None,
    })
}

/// Whether each bit of the result depends on the same bits of the operands alone, besides a `select`'s condition, so
/// that the operation can be done at any width that holds its result.
pub(super) fn is_bitwise(op: Op) -> bool {
    matches!(op, Op::And | Op::Or | Op::Xor | Op::BitNot | Op::Select | Op::Copy)
}

/// The carrier of each of a function's values, by index.
pub(super) fn carriers(function: &PhiFunction) -> Vec<Carrier> {
    let mut held = vec![Held::ALL; function.value_names.len()];
    for input in &function.inputs {
        held[input.index()] = Held::NONE;
    }
    let mut changed = true;
    while changed {
        changed = false;
        let mut restrict = |held: &mut Vec<Held>, index: usize, by: Held| {
            let left = held[index].both(by);
            changed |= left != held[index];
            held[index] = left;
        };
        for block in &function.blocks {
            for phi in &block.phis {
                let entries = phi.entries.iter().map(|(_, atom)| Held::of(&held, *atom));
                let all = entries.fold(Held::ALL, Held::both);
                restrict(&mut held, phi.dest.index(), all);
            }
            for inst in &block.body {
                let by = Held::by(inst.op, inst.args.map(|atom| Held::of(&held, atom)));
                restrict(&mut held, inst.dest.index(), by);
            }
        }
    }
    held.into_iter().map(Held::narrowest).collect()
}

/// The narrow types, the narrower first.
const TYPES: [Carrier; 7] = [
    Carrier::BIT,
    Carrier::of(Int::S8),
    Carrier::of(Int::U8),
    Carrier::of(Int::S16),
    Carrier::of(Int::U16),
    Carrier::of(Int::S32),
    Carrier::of(Int::U32),
];

/// Those of [`TYPES`] that hold a value: a bit for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Held(u8);

impl Held {
    const NONE: Held = Held(0);
    const ALL: Held = Held(0b111_1111);
    const SIGNED: Held = Held(0b010_1010);
    const UNSIGNED: Held = Held(0b101_0101);

    /// The types that hold all numbers between two.
    fn range(least: i64, most: i64) -> Held {
        let holds = |ty: &Carrier| match ty.signed {
            true => least >= -1 << (ty.bits - 1) && most < 1 << (ty.bits - 1),
            false => least >= 0 && most < 1 << ty.bits,
        };
        let bits = TYPES.iter().enumerate().map(|(index, ty)| u8::from(holds(ty)) << index);
        Held(bits.sum())
    }

    fn of(held: &[Held], atom: Atom) -> Held {
        match atom {
            Atom::Const(value) => Held::range(value, value),
            Atom::Value(value) => held[value.index()],
        }
    }

    fn both(self, other: Held) -> Held {
        Held(self.0 & other.0)
    }

    fn either(self, other: Held) -> Held {
        Held(self.0 | other.0)
    }

    /// The types that hold all numbers from 0 to one that the unsigned types here do.
    fn up_from_zero(self) -> Held {
        match self.both(Held::UNSIGNED).narrowest() {
            Carrier::WIDE => Held::NONE,
            narrow => Held::range(0, (1 << narrow.bits) - 1),
        }
    }

    /// What holds an operation's result, by what holds its operands.
    fn by(op: Op, [a, b, c]: [Held; 3]) -> Held {
        use Op::*;
        match op {
            _ if compares(op) => Held::ALL,
            At(_, int) => Held::int(int),
            Clz | Ctz | Popcnt => Held::range(0, 64),
            Copy | Emit | Ashr => a,
            Store(_) => b,
            Select => b.both(c),
            // One of the two, or between them bit by bit.
            Or | Xor | Min | Max | Umax => a.both(b),
            BitNot => a.both(Held::SIGNED),
            // Not more than either, as numbers without sign.
            And | Umin => a.both(b).either(a.either(b).up_from_zero()),
            Urem => a.either(b).up_from_zero(),
            Udiv | Lshr => a.up_from_zero(),
            // Nearer to 0 than either, with the dividend's sign.
            Rem => a.either(b.both(Held::SIGNED)),
            _ => cut(op).map_or(Held::NONE, Held::int),
        }
    }

    fn int(int: Int) -> Held {
        let (least, most) = match int.signed() {
            true => (-1 << (int.bits() - 1), (1 << (int.bits() - 1)) - 1),
            false => (0, (1 << int.bits()) - 1),
        };
        Held::range(least, most)
    }

    fn narrowest(self) -> Carrier {
        TYPES.get(self.0.trailing_zeros() as usize).copied().unwrap_or(Carrier::WIDE)
    }
}

#[cfg(test)]
mod tests;
