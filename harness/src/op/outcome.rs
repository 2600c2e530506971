//! What can be seen of a run: the values that it emitted and how it ended.

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
pub enum End {
    /// `return N`.
    Return(i64),
    /// `trap div-by-zero`, `trap overflow`.
    Trap(Trap),
    /// The interpreter's budget of steps ran out.
    OutOfFuel,
    /// `undefined behaviour`, or poison as the result: only of functions as an optimizer leaves them.
    Undefined,
}

impl From<Trap> for End {
    fn from(trap: Trap) -> End {
        End::Trap(trap)
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Return(n) => write!(f, "return {n}"),
            End::Trap(trap) => write!(f, "trap {trap}"),
            End::OutOfFuel => f.write_str("out of fuel"),
            End::Undefined => f.write_str("undefined behaviour"),
        }
    }
}

/// All that can be seen of a run. Two runs agree when they emitted the same values in the same order and ended alike.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// What it had emitted by then, in order. After undefined behaviour nothing is certain, and this is empty.
    pub emitted: Vec<i64>,
}

impl Outcome {
    /// The first emitted value in which it differs from what is right, in words.
    pub fn emitted_difference(&self, right: &Outcome) -> Option<String> {
        let count = self.emitted.len().max(right.emitted.len());
        let at = (0..count).find(|&at| self.emitted.get(at) != right.emitted.get(at))?;
        let number = at + 1;
        Some(match (self.emitted.get(at), right.emitted.get(at)) {
            (Some(value), Some(right)) => format!("emitted value {number} is {value}, right is {right}"),
            (Some(value), None) => format!("emitted value {number} is {value}, right is none"),
            (None, _) => format!("there is no emitted value {number}, right is {}", right.emitted[at]),
        })
    }
}

/// Without emitting anything.
impl From<End> for Outcome {
    fn from(end: End) -> Outcome {
        Outcome { end, emitted: Vec::new() }
    }
}

/// `emits 3, 4; return 7`; without the first part if nothing was emitted. With `#`, of many values only the first few.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const FEW: usize = 8;
        let shown = if f.alternate() { self.emitted.len().min(FEW) } else { self.emitted.len() };
        for (index, value) in self.emitted[..shown].iter().enumerate() {
            f.write_str(if index == 0 { "emits " } else { ", " })?;
            value.fmt(f)?;
        }
        match self.emitted.len() - shown {
            0 if shown == 0 => {}
            0 => f.write_str("; ")?,
            more => write!(f, " and {more} more; ")?,
        }
        self.end.fmt(f)
    }
}

/// An interpreter's answer: the outcome, and the steps that it took (`docs/LANGUAGE.md`, "Steps and fuel").
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Execution {
    /// What could be seen of the run.
    pub outcome: Outcome,
    /// Steps started; the one that trapped counts.
    pub steps: u64,
}

impl Execution {
    /// Whether the budget of steps ran out.
    pub fn is_out_of_fuel(&self) -> bool {
        self.outcome.end == End::OutOfFuel
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_told_with_what_was_emitted() {
        let outcome = |emitted: &[i64]| Outcome { end: End::Return(7), emitted: emitted.to_vec() };
        assert_eq!(outcome(&[]).to_string(), "return 7");
        assert_eq!(outcome(&[3, -4]).to_string(), "emits 3, -4; return 7");
        let long = outcome(&[1; 10]);
        assert_eq!(format!("{long:#}"), "emits 1, 1, 1, 1, 1, 1, 1, 1 and 2 more; return 7");
        assert_eq!(format!("{:#}", outcome(&[1, 2])), "emits 1, 2; return 7");
    }

    #[test]
    fn the_first_emitted_difference_is_told() {
        let outcome = |emitted: &[i64]| Outcome { end: End::OutOfFuel, emitted: emitted.to_vec() };
        let told = |a: &[i64], right: &[i64]| outcome(a).emitted_difference(&outcome(right));
        assert_eq!(told(&[1, 2], &[1, 2]), None);
        assert_eq!(told(&[1, 2], &[1, 3]).unwrap(), "emitted value 2 is 2, right is 3");
        assert_eq!(told(&[1], &[1, 3]).unwrap(), "there is no emitted value 2, right is 3");
        assert_eq!(told(&[1, 5], &[]).unwrap(), "emitted value 1 is 1, right is none");
    }
}
