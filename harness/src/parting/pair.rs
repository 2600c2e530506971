//! Two functions in step: which blocks correspond, and the first difference between two runs.

use std::mem;

use super::STEPS;
use super::visits::{Visit, visits};
use crate::lab::{Function, Value};
use crate::op::End;

/// Which values are held against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alignment {
    /// Those of one name.
    Name,
    /// Those of instructions in one place, as long as the two blocks hold the same operations up to there; of
    /// parameters only where each block has one, for constructions order them as they like.
    Place,
    /// None: branches, returns and traps alone.
    None,
}

/// A line of a block: 0 is its header, then the instructions, then the terminator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// The block.
    pub block: usize,
    /// The line.
    pub line: usize,
}

/// A line and what happens there.
pub struct Place {
    /// Where.
    pub at: At,
    /// What.
    pub happens: String,
}

/// The first difference between two runs.
pub struct Difference {
    /// In the function that is right.
    pub right: Place,
    /// In the one that is wrong.
    pub wrong: Place,
    /// How often the block has been entered by then.
    pub visit: usize,
}

/// For each block of `a` the block of `b` that corresponds, if all reachable ones pair off.
pub fn blocks(a: &Function, b: &Function) -> Option<Vec<Option<usize>>> {
    let mut to_b = vec![None; a.blocks.len()];
    let mut to_a = vec![None; b.blocks.len()];
    let mut pending = vec![(0, 0)];
    while let Some((in_a, in_b)) = pending.pop() {
        match (to_b[in_a], to_a[in_b]) {
            (None, None) => (to_b[in_a], to_a[in_b]) = (Some(in_b), Some(in_a)),
            (Some(b), Some(a)) if (a, b) == (in_a, in_b) => continue,
            _ => return None,
        }
        let (ends_a, ends_b) = (&a.blocks[in_a].term, &b.blocks[in_b].term);
        if mem::discriminant(ends_a) != mem::discriminant(ends_b) {
            return None;
        }
        pending.extend(ends_a.targets().zip(ends_b.targets()).map(|(a, b)| (a.block.index(), b.block.index())));
    }
    Some(to_b)
}

/// The first difference between the runs of two functions whose blocks correspond.
pub fn first_difference(
    right: &Function,
    wrong: &Function,
    to_wrong: &[Option<usize>],
    inputs: &[i64],
    alignment: Alignment,
) -> Option<Difference> {
    let (rights, right_end) = visits(right, inputs, STEPS);
    let (wrongs, wrong_end) = visits(wrong, inputs, STEPS);
    for (at, (a, b)) in rights.iter().zip(&wrongs).enumerate() {
        let visit = rights[..=at].iter().filter(|earlier| earlier.block == a.block).count();
        if let Some((in_a, in_b)) = values(right, a, wrong, b, alignment) {
            let [right, wrong] =
                [(right, a, in_a), (wrong, b, in_b)].map(|(function, visit, (line, value, number))| {
                    let happens = format!("{} is {number}", function.value_names.get(value.0));
                    Place { at: At { block: visit.block, line }, happens }
                });
            return Some(Difference { right, wrong, visit });
        }
        if let Some((right, wrong)) = emitted(right, a, wrong, b) {
            return Some(Difference { right, wrong, visit });
        }
        let (next_a, next_b) = (rights.get(at + 1), wrongs.get(at + 1));
        let goes_on_alike = match (next_a, next_b) {
            (Some(a), Some(b)) => to_wrong[a.block] == Some(b.block),
            (None, None) => right_end == wrong_end,
            _ => false,
        };
        if !goes_on_alike {
            let right = end(right, a, next_a, right_end.end);
            let wrong = end(wrong, b, next_b, wrong_end.end);
            return Some(Difference { right, wrong, visit });
        }
    }
    None
}

/// A value: its line in the block, its name, its number.
type Defined = (usize, Value, i64);

/// The first values in a pair of visits that differ.
fn values(
    right: &Function,
    a: &Visit,
    wrong: &Function,
    b: &Visit,
    alignment: Alignment,
) -> Option<(Defined, Defined)> {
    let (a_values, b_values) = (defined(a), defined(b));
    match alignment {
        Alignment::None => None,
        Alignment::Name => b_values.into_iter().find_map(|in_b| {
            let name = wrong.value_names.get(in_b.1.0).to_string();
            let same_name = |in_a: &&Defined| right.value_names.get(in_a.1.0).to_string() == name;
            let in_a = a_values.iter().find(same_name)?;
            (in_a.2 != in_b.2).then_some((*in_a, in_b))
        }),
        Alignment::Place => {
            let op = |function: &Function, visit: &Visit, line: usize| {
                function.blocks[visit.block].body.get(line.wrapping_sub(1)).map(|inst| inst.op)
            };
            let skipped = |visit: &Visit| if a.entry.len() == 1 && b.entry.len() == 1 { 0 } else { visit.entry.len() };
            let pairs = a_values.into_iter().skip(skipped(a)).zip(b_values.into_iter().skip(skipped(b)));
            let mut alike = pairs.take_while(|(in_a, in_b)| op(right, a, in_a.0) == op(wrong, b, in_b.0));
            alike.find(|(in_a, in_b)| in_a.2 != in_b.2)
        }
    }
}

/// The first emitted values in a pair of visits that differ, in every alignment: they are for everyone to see.
fn emitted(right: &Function, a: &Visit, wrong: &Function, b: &Visit) -> Option<(Place, Place)> {
    let (rights, wrongs) = (a.emitted(right), b.emitted(wrong));
    let value = |emitted: &[(usize, i64)], at: usize| emitted.get(at).map(|&(_, value)| value);
    let at = (0..rights.len().max(wrongs.len())).find(|&at| value(&rights, at) != value(&wrongs, at))?;
    let place = |visit: &Visit, emitted: &[(usize, i64)]| match emitted.get(at) {
        Some(&(line, value)) => Place { at: At { block: visit.block, line }, happens: format!("emits {value}") },
        None => {
            Place { at: At { block: visit.block, line: visit.body.len() + 1 }, happens: "emits nothing more".into() }
        }
    };
    Some((place(a, &rights), place(b, &wrongs)))
}

/// All values of a visit in order.
fn defined(visit: &Visit) -> Vec<Defined> {
    let entry = visit.entry.iter().map(|&(value, number)| (0, value, number));
    let body = visit.body.iter().enumerate().map(|(index, &(value, number))| (index + 1, value, number));
    entry.chain(body).collect()
}

/// How a visit ends: where it goes on, or how the run ends. A trap stands where the instruction is that gave nothing.
fn end(function: &Function, visit: &Visit, next: Option<&Visit>, end: End) -> Place {
    let happens = match (next, end) {
        (Some(next), _) => format!("goes to {}", function.block_names.get(next.block as u32)),
        (None, End::Return(number)) => format!("returns {number}"),
        (None, End::Trap(trap)) => format!("traps: {trap}"),
        (None, End::OutOfFuel) => "is still running".into(),
        (None, End::Undefined) => "is undefined".into(),
    };
    Place { at: At { block: visit.block, line: visit.body.len() + 1 }, happens }
}
