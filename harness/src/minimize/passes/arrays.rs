//! Local arrays: fewer, shorter, with the first letters. For every form.

use super::{Attempt, Pass};
use crate::case::Case;
use crate::minimize::operations_mut;
use crate::op::{Array, Op};

/// Puts a simpler array in the place of one, wherever that stands.
pub const SIMPLER: Pass = Pass {
    name: "simplify arrays",
    attempt: |case, n| {
        let used = arrays(case);
        let mut pairs = used.iter().flat_map(|&old| simpler(old, &used).into_iter().map(move |new| (old, new)));
        let Some((old, new)) = pairs.nth(n) else { return Attempt::End };
        let mut changed = case.clone();
        operations_mut(&mut changed.program, &mut |op| match op {
            Op::Load(array) | Op::Store(array) if *array == old => *array = new,
            _ => {}
        });
        Attempt::Candidate(changed)
    },
};

/// The arrays to try instead of one: the others of the program, shorter ones of its letter, its length with an earlier
/// letter.
fn simpler(array: Array, used: &[Array]) -> Vec<Array> {
    let (letter, length) = (array.letter(), array.length());
    let lengths = [1, 2, 3, 4, 8, length / 2, length - 1].into_iter().filter(|&shorter| shorter < length);
    let shorter = lengths.filter_map(|shorter| Array::new(letter, shorter));
    let earlier = (0..letter).filter_map(|earlier| Array::new(earlier, length));
    let mut all: Vec<Array> =
        used.iter().copied().filter(|&other| other != array).chain(shorter).chain(earlier).collect();
    let mut seen = std::collections::HashSet::new();
    all.retain(|&array| seen.insert(array));
    all
}

/// The arrays that a case's program names, in order.
fn arrays(case: &Case) -> Vec<Array> {
    let mut all = Vec::new();
    operations_mut(&mut case.program.clone(), &mut |op| all.extend(op.array()));
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use crate::case::{Case, DEFAULT_FUEL, Program};
    use crate::minimize::{measure::Measure, minimize};
    use crate::op::{End, Op};
    use crate::{lab, tac, tiny};

    const GIVEN: &str = "# dialect: plus
        input n; x = emit(n); d33[5] = n; b8[x] = 7; y = d33[5] * b8[14]; return y + h64[n]";

    /// What is left of a program that has to emit, to store and to load what it returns.
    fn left(program: Program) -> String {
        let wrong = |case: &Case| {
            let mut ops = Vec::new();
            crate::minimize::operations_mut(&mut case.program.clone(), &mut |op| ops.push(*op));
            let outcome = match &case.program {
                Program::Tiny(program) => tiny::eval(program, &case.vectors[0], case.fuel).outcome,
                Program::Tac(program) => tac::eval(program, &case.vectors[0], case.fuel).outcome,
                Program::Ssa(function) => lab::run(function, &case.vectors[0], case.fuel).outcome,
                Program::Phi(function) => lab::run_phi(function, &case.vectors[0], case.fuel).outcome,
            };
            let loads = ops.iter().any(|op| matches!(op, Op::Load(_)));
            loads && !outcome.emitted.is_empty() && matches!(outcome.end, End::Return(value) if value > 5)
        };
        let case = Case { program, vectors: vec![vec![6]], fuel: DEFAULT_FUEL };
        Measure::of(&minimize(&case, &mut { wrong }, &mut |_| {}).unwrap().case).text().to_string()
    }

    #[test]
    fn one_short_array_is_left_in_every_form() {
        let program = tiny::parse(GIVEN).unwrap();
        let lines = tac::lower(&program);
        let function = lab::construct_naive(&program);
        let all = [
            left(Program::Phi(lab::args_to_phi(&function))),
            left(Program::Ssa(function)),
            left(Program::Tac(lines)),
            left(Program::Tiny(program)),
        ];
        insta::assert_snapshot!(all.join("\n"));
    }
}
