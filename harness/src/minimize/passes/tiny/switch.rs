//! Tiny's `switch`: fewer arms, one of them alone, simpler constants.

use super::{Attempt, chunks, constants};
use crate::tiny::walk::{list_mut, lists};
use crate::tiny::{Program, Stmt};

/// A statement that is a `switch`: the list in which it stands, its place there, how many arms it has.
type Place = (usize, usize, usize);

fn switches(program: &Program) -> Vec<Place> {
    let arms = |stmt: &Stmt| if let Stmt::Switch(_, arms, _) = stmt { Some(arms.len()) } else { None };
    let of_list = |(at, list): (usize, &[Stmt])| -> Vec<Place> {
        list.iter().enumerate().filter_map(|(i, stmt)| Some((at, i, arms(stmt)?))).collect()
    };
    lists(program).into_iter().enumerate().flat_map(of_list).collect()
}

/// The program with other statements in the place of a `switch`.
fn replaced(program: &Program, (at, i, _): Place, with: impl FnOnce(&Stmt) -> Vec<Stmt>) -> Option<Program> {
    let mut program = program.clone();
    let list = list_mut(&mut program, at)?;
    let parts = with(list.get(i)?);
    list.splice(i..=i, parts);
    Some(program)
}

/// Drops a range of a `switch`'s arms.
pub fn drop_arms(program: &Program, n: usize) -> Attempt<Program> {
    let places = switches(program);
    let mut ranges = places.iter().flat_map(|&place| chunks(place.2).map(move |range| (place, range)));
    let Some((place, range)) = ranges.nth(n) else { return Attempt::End };
    let dropped = |stmt: &Stmt| {
        let mut stmt = stmt.clone();
        if let Stmt::Switch(_, arms, _) = &mut stmt {
            arms.drain(range);
        }
        vec![stmt]
    };
    replaced(program, place, dropped).into()
}

/// Replaces a `switch` by one of its blocks, or by an `if` that chooses between that block and the else part.
pub fn one_arm(program: &Program, n: usize) -> Attempt<Program> {
    let places = switches(program);
    let mut ways = places.iter().flat_map(|&place| (0..2 * (place.2 + 1)).map(move |way| (place, way)));
    let Some((place, way)) = ways.nth(n) else { return Attempt::End };
    let chosen = |stmt: &Stmt| match (stmt, stmt.blocks().nth(way / 2)) {
        (_, Some(block)) if way % 2 == 0 => block.clone(),
        (Stmt::Switch(value, _, otherwise), Some(block)) => {
            vec![Stmt::If(value.clone(), block.clone(), otherwise.clone())]
        }
        _ => vec![stmt.clone()],
    };
    replaced(program, place, chosen).into()
}

/// Replaces an arm's constant by a simpler one.
pub fn simplify_arm(program: &Program, n: usize) -> Attempt<Program> {
    let lists = lists(program);
    let mut ways = switches(program).into_iter().flat_map(|place| {
        let of_arm =
            |(arm, constant): (usize, i64)| constants::simpler(constant).into_iter().map(move |new| (arm, new));
        let constants: Vec<i64> = match &lists[place.0][place.1] {
            Stmt::Switch(_, arms, _) => arms.iter().map(|(constant, _)| *constant).collect(),
            _ => Vec::new(),
        };
        let taken = constants.clone();
        let ways = constants.into_iter().enumerate().flat_map(of_arm).filter(move |(_, new)| !taken.contains(new));
        ways.map(move |(arm, new)| (place, arm, new))
    });
    let Some((place, arm, new)) = ways.nth(n) else { return Attempt::End };
    let simpler = |stmt: &Stmt| {
        let mut stmt = stmt.clone();
        if let Stmt::Switch(_, arms, _) = &mut stmt {
            arms[arm].0 = new;
        }
        vec![stmt]
    };
    replaced(program, place, simpler).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tiny;

    #[test]
    fn no_two_arms_have_one_constant() {
        let program =
            tiny::parse("# dialect: plus\nswitch a { 0: { b = 1; } 2: { b = 2; } 3: { b = 3; } }\nreturn b").unwrap();
        let mut tried = 0;
        for n in 0.. {
            match simplify_arm(&program, n) {
                Attempt::Candidate(candidate) => tried += usize::from(tiny::parse(&candidate.to_string()).is_ok()),
                Attempt::Nothing => {}
                Attempt::End => {
                    assert!(n == tried && tried > 0, "{tried} of {n} candidates are programs");
                    return;
                }
            }
        }
    }
}
