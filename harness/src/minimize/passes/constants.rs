//! Simpler constants, for literals and for input values alike.

/// The constants to try instead of `value`, the simplest first; each has a shorter text, or the same length and comes
/// earlier.
///
/// Halves come before single steps, and single steps only near 0: a search over 64 bits stays short.
pub fn simpler(value: i64) -> Vec<i64> {
    let step = if (-100..=100).contains(&value) { value.signum() } else { 0 };
    let text = |value: i64| {
        let text = value.to_string();
        (text.len(), text)
    };
    let mut all = Vec::new();
    for new in [0, 1, 2, -1, value / 2, value - value / 8, value - step] {
        if text(new) < text(value) && !all.contains(&new) {
            all.push(new);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::simpler;

    #[test]
    fn zero_has_nothing_simpler_and_everything_goes_down_to_it() {
        assert!(simpler(0).is_empty());
        assert_eq!(simpler(1), [0]);
        assert_eq!(simpler(-1), [0, 1, 2]);
        for value in [i64::MIN, i64::MAX, 17, -100] {
            assert_eq!(simpler(value)[0], 0);
        }
    }

    #[test]
    fn chains_of_halves_and_steps_are_short() {
        for start in [i64::MIN, i64::MAX] {
            // Never taking the easy ones: the search still ends soon.
            let next = |&value: &i64| simpler(value).into_iter().find(|new| new.unsigned_abs() > 2);
            assert!(std::iter::successors(Some(start), next).count() < 100);
        }
    }
}
