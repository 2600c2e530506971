//! What operations do besides giving a value: the state of a run that every interpreter of a program has.

use super::{Array, Arrays, End, Op};

/// How many values a run may emit. One that would emit another is out of fuel, so that whoever records a run of
/// compiled code knows how much room it takes.
pub const MOST_EMITTED: usize = 1 << 16;

/// What a run has done so far besides computing values.
#[derive(Debug, Default)]
pub struct Effects {
    /// What it has emitted, in order.
    pub emitted: Vec<i64>,
    /// What its arrays hold.
    arrays: Arrays,
}

impl Effects {
    /// Performs an operation: gives its value, or what ends the run.
    #[inline]
    pub fn perform(&mut self, op: Op, operands: [i64; 3]) -> Result<i64, End> {
        match op {
            Op::Emit => self.emit(operands[0]),
            Op::Load(array) => Ok(self.arrays.load(array, operands[0])),
            Op::Store(array) => Ok(self.store(array, operands)),
            _ => Ok(op.eval(operands)?),
        }
    }

    /// Stores a value in an array.
    fn store(&mut self, array: Array, [index, value, _]: [i64; 3]) -> i64 {
        self.arrays.store(array, index, value);
        value
    }

    /// Emits a value.
    #[cold]
    fn emit(&mut self, value: i64) -> Result<i64, End> {
        if self.emitted.len() == MOST_EMITTED {
            return Err(End::OutOfFuel);
        }
        self.emitted.push(value);
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_emits_so_many_values_and_no_more() {
        let mut effects = Effects::default();
        for value in 0..MOST_EMITTED as i64 {
            assert_eq!(effects.perform(Op::Emit, [value, 0, 0]), Ok(value));
        }
        assert_eq!(effects.perform(Op::Emit, [1, 0, 0]), Err(End::OutOfFuel));
        assert_eq!(effects.perform(Op::Add, [1, 2, 0]), Ok(3));
        assert_eq!(effects.emitted.len(), MOST_EMITTED);
        assert_eq!(effects.emitted[9], 9);
    }
}
