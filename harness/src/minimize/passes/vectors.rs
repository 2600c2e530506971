//! Input vectors: fewer of them, simpler values. For every form.

use super::constants::simpler;
use super::{Attempt, Pass};
use crate::case::Case;

/// Keeps one vector.
pub const KEEP_ONE: Pass = Pass {
    name: "keep one vector",
    attempt: |case, n| match case.vectors.get(n) {
        Some(vector) if case.vectors.len() > 1 => Attempt::Candidate(with(case, vec![vector.clone()])),
        _ => Attempt::End,
    },
};

/// Drops one vector.
pub const DROP_ONE: Pass = Pass {
    name: "drop a vector",
    attempt: |case, n| {
        if case.vectors.len() < 2 || n >= case.vectors.len() {
            return Attempt::End;
        }
        let mut vectors = case.vectors.clone();
        vectors.remove(n);
        Attempt::Candidate(with(case, vectors))
    },
};

/// Simplifies one value.
pub const VALUES: Pass = Pass {
    name: "simplify input values",
    attempt: |case, n| {
        let places = case.vectors.iter().enumerate().flat_map(|(v, vector)| {
            vector
                .iter()
                .enumerate()
                .flat_map(move |(i, &value)| simpler(value).into_iter().map(move |new| (v, i, new)))
        });
        let Some((v, i, new)) = { places }.nth(n) else { return Attempt::End };
        let mut vectors = case.vectors.clone();
        vectors[v][i] = new;
        Attempt::Candidate(with(case, vectors))
    },
};

fn with(case: &Case, vectors: Vec<Vec<i64>>) -> Case {
    Case { program: case.program.clone(), vectors, fuel: case.fuel }
}

/// The vectors without the values of one input.
pub fn without_input(vectors: &[Vec<i64>], input: usize) -> Vec<Vec<i64>> {
    let mut left: Vec<Vec<i64>> = Vec::new();
    for vector in vectors {
        let mut vector = vector.clone();
        vector.remove(input);
        if !left.contains(&vector) {
            left.push(vector);
        }
    }
    left
}
