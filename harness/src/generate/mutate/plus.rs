//! Changes that bring in statements of the dialect plus, or change them.

use super::{any_expression, any_statement, insert};
use crate::generate::choices::Choices;
use crate::generate::constants;
use crate::tiny::walk::{list_mut, lists};
use crate::tiny::{Program, Stmt};

/// Puts a `break`, a `continue` or a `return` somewhere, mostly under an `if`. What then stands in no loop is dropped
/// in the end.
pub(super) fn leave(program: &mut Program, choices: &mut impl Choices) {
    let jump = match choices.below(5) {
        0 | 1 => Stmt::Break,
        2 | 3 => Stmt::Continue,
        _ => Stmt::Return(any_expression(program, choices)),
    };
    let condition = any_expression(program, choices);
    let stmt = if choices.chance(80) { Stmt::If(condition, vec![jump], Vec::new()) } else { jump };
    insert(program, choices, |_, _| vec![stmt.clone()]);
}

/// Changes a `switch`'s arms; where there is none, a statement becomes an arm of one.
pub(super) fn switch(program: &mut Program, choices: &mut impl Choices) {
    let is_switch = |stmt: &Stmt| matches!(stmt, Stmt::Switch(..));
    let in_list = |(n, list): (usize, &[Stmt])| {
        let places: Vec<(usize, usize)> =
            (0..list.len()).filter(|&at| is_switch(&list[at])).map(|at| (n, at)).collect();
        places
    };
    let places: Vec<(usize, usize)> = lists(program).into_iter().enumerate().flat_map(in_list).collect();
    let constant = constants::operand(choices, 30);
    if places.is_empty() {
        let Some((n, at)) = any_statement(program, choices) else { return };
        let value = any_expression(program, choices);
        if let Some(list) = list_mut(program, n) {
            let inside = list.remove(at);
            list.insert(at, Stmt::Switch(value, vec![(constant, vec![inside])], Vec::new()));
        }
        return;
    }
    let (n, at) = choices.pick(&places);
    let Some(Stmt::Switch(_, arms, otherwise)) = list_mut(program, n).and_then(|list| list.get_mut(at)) else { return };
    let arm = choices.below(arms.len() as u32) as usize;
    match choices.below(4) {
        _ if arms.is_empty() => arms.push((constant, otherwise.clone())),
        0 => arms[arm].0 = constant,
        1 => arms.push((arms[arm].0.wrapping_add(1), arms[arm].1.clone())),
        2 => drop(arms.remove(arm)),
        _ => std::mem::swap(&mut arms[arm].1, otherwise),
    }
}
