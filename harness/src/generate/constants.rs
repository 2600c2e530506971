//! Constants: many small ones, and those on which compilers have been wrong.
//!
//! Real bugs sat on `x / MIN` for `x = MIN` and on `MIN % -1`: a boundary is as likely a divisor as an operand, and
//! input vectors are drawn from the same source, so that the two meet.

use super::choices::Choices;
use crate::op::Op;

/// 0, ±1, ±2^k, ±2^k ± 1, MIN, MAX and their neighbours.
pub fn boundary(choices: &mut impl Choices) -> i64 {
    match choices.below(8) {
        0 => choices.pick(&[0, 1, -1, 2, -2]),
        1..=3 => choices.pick(&[i64::MAX, i64::MIN, i64::MIN, i64::MAX - 1, i64::MIN + 1]),
        // The edges of narrower types, where an optimizer may narrow an operation.
        4 => near(choices.pick(&[7, 8, 15, 16, 31, 32]), choices),
        _ => near(choices.below(63), choices),
    }
}

/// ±2^k, or a neighbour of it.
fn near(k: u32, choices: &mut impl Choices) -> i64 {
    let value = (1i64 << k).wrapping_add(choices.pick(&[0, 1, -1]));
    if choices.chance(40) { value.wrapping_neg() } else { value }
}

/// From -4 to 16, mostly.
pub fn small(choices: &mut impl Choices) -> i64 {
    match choices.below(8) {
        0 => 0,
        1..=5 => i64::from(choices.below(10)) + 1,
        6 => -1 - i64::from(choices.below(4)),
        _ => i64::from(choices.below(100)),
    }
}

/// An operand: a boundary in `percent` of 100 cases, seldom anything at all, else small.
pub fn operand(choices: &mut impl Choices, percent: u32) -> i64 {
    if choices.chance(percent) {
        boundary(choices)
    } else if choices.chance(3) {
        choices.bits() as i64
    } else {
        small(choices)
    }
}

/// A divisor, never 0: powers of two, small numbers, boundaries.
pub fn divisor(choices: &mut impl Choices, percent: u32) -> i64 {
    if choices.chance(percent * 2 / 3) {
        return choices.pick(&[-1, i64::MIN, -1, i64::MIN, i64::MAX, i64::MIN + 1, 1 << 62]);
    }
    let value = match choices.below(4) {
        0 => i64::from(choices.below(9)) + 2,
        1 => 1 << choices.below(12),
        2 => -1 - i64::from(choices.below(8)),
        _ => operand(choices, percent),
    };
    if value == 0 { 3 } else { value }
}

/// A constant as the right operand of a binary operation, mostly where most others would make it trap or tell little.
pub fn right_operand(choices: &mut impl Choices, op: Op, percent: u32) -> Option<i64> {
    let bits = if let Op::At(_, int) = op { int.bits() } else { 64 };
    if op.can_trap() && choices.chance(90) {
        return Some(if bits < 64 { narrow_divisor(choices) } else { divisor(choices, percent) });
    }
    let shifts = match op {
        Op::At(narrow, int) => matches!(narrow.wide(int), Op::Shl | Op::Ashr | Op::Lshr | Op::Rotl | Op::Rotr),
        _ => matches!(op, Op::Shl | Op::Ashr | Op::Lshr | Op::Rotl | Op::Rotr),
    };
    if shifts && choices.chance(60) { Some(count(choices, bits)) } else { None }
}

/// A divisor for a narrow operation, where 256 would be 0.
pub fn narrow_divisor(choices: &mut impl Choices) -> i64 {
    choices.pick(&[3, -1, 2, 7, 1, 10, 100, 127, -128, -7, 33, 255])
}

/// A shift's or a rotation's count: mostly below the width, often at its edge, seldom anything.
pub fn count(choices: &mut impl Choices, bits: u32) -> i64 {
    match choices.below(10) {
        0..=5 => i64::from(choices.below(bits)),
        6 | 7 => choices.pick(&[0, 1, i64::from(bits) - 1]),
        8 => i64::from(bits) + choices.pick(&[0, 1, -1]),
        _ => operand(choices, 50),
    }
}

/// The constants of a `switch`'s arms, all different: dense, with holes, or sparse.
pub fn arms(choices: &mut impl Choices, count: u32) -> Vec<i64> {
    let near = choices.pick(&[0, 0, 0, 1, -1, -3, 100, i64::MIN, i64::MAX - 5]);
    let sparse = choices.below(3);
    let mut constants: Vec<i64> = Vec::new();
    for k in 0..i64::from(count) {
        let constant = match sparse {
            0 => near.wrapping_add(k),
            // A range with holes.
            1 => near.wrapping_add(k * 2 + i64::from(choices.below(2))),
            _ => operand(choices, 70),
        };
        if !constants.contains(&constant) {
            constants.push(constant);
        }
    }
    if choices.chance(30) {
        constants.reverse();
    }
    constants
}

/// Whether a profile counts this constant as a boundary: within 1 of ±2^k for k > 6, or of MIN or MAX.
pub fn is_boundary(value: i64) -> bool {
    let size = value.unsigned_abs();
    size > 64 && (size.is_power_of_two() || (size - 1).is_power_of_two() || (size + 1).is_power_of_two())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::choices::SplitMix64;

    #[test]
    fn extremes_are_boundaries_and_small_numbers_are_not() {
        assert!([i64::MIN, i64::MIN + 1, i64::MAX, 127, -129, 1 << 40].into_iter().all(is_boundary));
        assert!(![0, 1, -1, 2, 64, 100, 12345].into_iter().any(is_boundary));
    }

    #[test]
    fn divisors_are_never_zero_and_reach_the_extremes() {
        let mut choices = SplitMix64::new(1, 1);
        let all: Vec<i64> = (0..20_000).map(|_| divisor(&mut choices, 30)).collect();
        assert!(!all.contains(&0));
        assert!([i64::MIN, i64::MAX, -1, 1, 2, 1024].iter().all(|value| all.contains(value)));
    }
}
