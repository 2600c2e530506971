//! Items grouped by a small key, in two flat vectors: predecessors by block, blocks by variable.

/// For each key the items that have it, in the order in which they came.
pub(super) struct Groups<T> {
    /// Where each key's items start; the next key's start is their end.
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy> Groups<T> {
    /// Groups items by keys below `keys`: a counting sort, linear and stable.
    pub(super) fn collect(keys: usize, pairs: &[(u32, T)]) -> Groups<T> {
        let Some(&(_, filler)) = pairs.first() else {
            return Groups { starts: vec![0; keys + 1], items: Vec::new() };
        };
        // Counts two places up, so that after summing `starts[key + 1]` is where the key's next item goes.
        let mut starts = vec![0; keys + 2];
        for &(key, _) in pairs {
            starts[key as usize + 2] += 1;
        }
        for key in 2..starts.len() {
            starts[key] += starts[key - 1];
        }
        let mut items = vec![filler; pairs.len()];
        for &(key, item) in pairs {
            let next = &mut starts[key as usize + 1];
            items[*next as usize] = item;
            *next += 1;
        }
        Groups { starts, items }
    }

    /// The items of a key.
    pub(super) fn of(&self, key: usize) -> &[T] {
        &self.items[self.starts[key] as usize..self.starts[key + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_stand_with_their_key_in_order() {
        let groups = Groups::collect(4, &[(2, 'a'), (0, 'b'), (2, 'c'), (3, 'd')]);
        let all: Vec<&[char]> = (0..4).map(|key| groups.of(key)).collect();
        assert_eq!(all, [&['b'][..], &[], &['a', 'c'], &['d']]);
        assert!(Groups::<char>::collect(1, &[]).of(0).is_empty());
    }
}
