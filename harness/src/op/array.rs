//! Local arrays: which there are, and what they hold during a run.
//!
//! An array's name says all that is to be known of it, so that nothing declares one: `a8` is the array `a` of 8
//! elements. Two arrays with one letter and different lengths have nothing to do with each other.

use std::fmt;
use std::num::NonZeroU8;

use serde::{Deserialize, Serialize};

/// An array of 64-bit numbers, all 0 when the run begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Array {
    letter: u8,
    length: NonZeroU8,
}

impl Array {
    /// The most elements that an array has.
    pub const LONGEST: u8 = 64;
    /// How many letters there are: those that no width begins with.
    pub const LETTERS: u8 = 8;
    /// One that stands for all where it does not matter which.
    pub const ANY: Array = match Array::new(0, 8) {
        Some(array) => array,
        None => unreachable!(),
    };

    /// The array of the letter with this number, from 0 for `a`, and so many elements; if there is one.
    pub const fn new(letter: u8, length: u8) -> Option<Array> {
        match NonZeroU8::new(length) {
            Some(length) if letter < Array::LETTERS && length.get() <= Array::LONGEST => Some(Array { letter, length }),
            _ => None,
        }
    }

    /// Of a name such as `a8`.
    pub fn from_name(name: &str) -> Option<Array> {
        let (letter, digits) = name.split_at_checked(1)?;
        let letter = letter.bytes().next()?.checked_sub(b'a')?;
        let is_plain = digits.bytes().all(|digit| digit.is_ascii_digit()) && !digits.starts_with('0');
        Array::new(letter, digits.parse().ok().filter(|_| is_plain)?)
    }

    /// The number of its letter, from 0.
    pub const fn letter(self) -> u8 {
        self.letter
    }

    /// How many elements it has.
    pub const fn length(self) -> u8 {
        self.length.get()
    }

    /// The element that an index names: the index as an unsigned number, modulo the length.
    #[inline]
    pub fn element(self, index: i64) -> usize {
        (index as u64 % u64::from(self.length.get())) as usize
    }
}

impl fmt::Display for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.letter), self.length)
    }
}

/// What the arrays of a run hold. One that nothing was stored in holds zeros and takes no room.
#[derive(Debug, Default)]
pub struct Arrays(Vec<(Array, Vec<i64>)>);

impl Arrays {
    /// The element of an array that an index names.
    pub fn load(&self, array: Array, index: i64) -> i64 {
        self.0.iter().find(|(known, _)| *known == array).map_or(0, |(_, elements)| elements[array.element(index)])
    }

    /// Stores a value in it.
    pub fn store(&mut self, array: Array, index: i64, value: i64) {
        let known = self.0.iter().position(|(known, _)| *known == array);
        let place = known.unwrap_or_else(|| {
            self.0.push((array, vec![0; array.length().into()]));
            self.0.len() - 1
        });
        self.0[place].1[array.element(index)] = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_letter_and_length() {
        for name in ["a1", "b8", "h64", "c10"] {
            assert_eq!(Array::from_name(name).unwrap().to_string(), name);
        }
        for name in ["", "a", "8", "a0", "a08", "a65", "A8", "ab8", "a+8", "a300", "é8", "i8", "`8"] {
            assert_eq!(Array::from_name(name), None, "{name}");
        }
    }

    #[test]
    fn every_index_names_an_element_and_arrays_keep_apart() {
        let [a3, b3, a4] = ["a3", "b3", "a4"].map(|name| Array::from_name(name).unwrap());
        let mut arrays = Arrays::default();
        assert_eq!(arrays.load(a3, 7), 0);
        arrays.store(a3, 4, 5);
        // 2^64 - 1 is divisible by 3, and 2^63 leaves 2.
        assert_eq!([1, -2, 4, i64::MIN].map(|index| arrays.load(a3, index)), [5, 0, 5, 0]);
        assert_eq!([a3.element(-1), a3.element(i64::MIN), a4.element(-1)], [0, 2, 3]);
        assert_eq!([b3, a4].map(|array| arrays.load(array, 1)), [0, 0]);
        arrays.store(a4, -1, 9);
        arrays.store(a3, 1, 6);
        assert_eq!((arrays.load(a4, 3), arrays.load(a3, 1)), (9, 6));
    }
}
