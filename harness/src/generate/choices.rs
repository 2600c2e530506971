//! Where a generator's decisions come from: a seeded stream of numbers, or a fuzzer's bytes.
//!
//! The generators are written once, against [`Choices`]. By convention 0 is the simplest choice: when a fuzzer's bytes
//! run out, every further decision is 0 and the program ends soon.

use arbitrary::Unstructured;

/// A source of decisions.
pub trait Choices {
    /// A number below `n`; 0 when `n` is 0.
    fn below(&mut self, n: u32) -> u32;

    /// 64 arbitrary bits.
    fn bits(&mut self) -> u64;

    /// Whether nothing is left to decide with, so that every further choice is 0.
    fn is_spent(&self) -> bool;

    /// True in about `percent` of 100 cases.
    fn chance(&mut self, percent: u32) -> bool {
        // The simplest choice is "no", so the high end of the range says yes.
        self.below(100) >= 100 - percent.min(100)
    }

    /// A number from `low` to `high`, both included.
    fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// One of these; the first is the simplest.
    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u32) as usize]
    }

    /// The index of one of these weights, each as likely as its weight says; index 0 is the simplest.
    fn weighted(&mut self, weights: &[u32]) -> usize {
        let mut at = self.below(weights.iter().sum());
        for (index, &weight) in weights.iter().enumerate() {
            if at < weight {
                return index;
            }
            at -= weight;
        }
        0
    }
}

/// SplitMix64 (Steele, Lea and Flood, 2014): small, fast, and the same for ever, which seeds in reports rely on.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// The stream of program `index` under `seed`: streams of neighbours have nothing in common.
    pub fn new(seed: u64, index: u64) -> SplitMix64 {
        let mut mixed = SplitMix64(seed);
        SplitMix64(mixed.next() ^ index.wrapping_mul(0xd134_2543_de82_ef95))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

impl Choices for SplitMix64 {
    #[inline]
    fn below(&mut self, n: u32) -> u32 {
        (((self.next() >> 32) * u64::from(n)) >> 32) as u32
    }

    #[inline]
    fn bits(&mut self) -> u64 {
        self.next()
    }

    fn is_spent(&self) -> bool {
        false
    }
}

impl Choices for Unstructured<'_> {
    fn below(&mut self, n: u32) -> u32 {
        self.int_in_range(0..=n.saturating_sub(1)).unwrap_or(0)
    }

    fn bits(&mut self) -> u64 {
        self.arbitrary().unwrap_or(0)
    }

    fn is_spent(&self) -> bool {
        self.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_fixed_for_ever() {
        let mut choices = SplitMix64::new(1, 2);
        let first: Vec<u32> = (0..6).map(|_| choices.below(1000)).collect();
        assert_eq!(first, [960, 828, 882, 421, 217, 963]);
    }

    #[test]
    fn weights_are_kept_and_zero_weights_never_chosen() {
        let mut choices = SplitMix64::new(0, 0);
        let mut seen = [0; 3];
        for _ in 0..3000 {
            seen[choices.weighted(&[2, 0, 1])] += 1;
        }
        assert!(seen[1] == 0 && (1800..2200).contains(&seen[0]), "{seen:?}");
    }

    #[test]
    fn without_bytes_every_choice_is_the_simplest() {
        let mut choices = Unstructured::new(&[]);
        assert_eq!((choices.below(9), choices.chance(99), choices.bits()), (0, false, 0));
        assert_eq!(choices.weighted(&[1, 5]), 0);
    }
}
