//! Dead parameters (lesson 8.4 §3; Choi, Cytron and Ferrante 1991): the least set of live parameters stays, those used by
//! an instruction, a `cbr` or a `ret`, and those passed to a live parameter.

use super::{Home, homes, incoming, retain_params};
use crate::lab::{Atom, Function, Terminator};
use crate::plant::{self, Fault};

/// Removes the dead parameters of a valid function, also those of unreachable blocks, whose uses and branches count.
/// Linear.
pub fn prune_dead(function: &mut Function) {
    let homes = homes(function);
    let incoming = incoming(function);
    let mut live = vec![false; homes.len()];
    // Live parameters whose arguments are still to be marked.
    let mut pending = Vec::new();
    let mut mark = |atom: Atom, pending: &mut Vec<(u32, u32)>| {
        if let Atom::Value(value) = atom
            && let Home::Param { block, index } = homes[value.index()]
            && !live[value.index()]
        {
            live[value.index()] = true;
            pending.push((block, index));
        }
    };

    for block in &function.blocks {
        for &operand in block.body.iter().flat_map(|inst| inst.operands()) {
            mark(operand, &mut pending);
        }
        if plant::on(Fault::LabDeadForgetsRet) && matches!(block.term, Terminator::Ret(_)) {
            continue;
        }
        if let Some(atom) = block.term.atom() {
            mark(atom, &mut pending);
        }
    }
    while let Some((block, index)) = pending.pop() {
        for args in incoming.of(block as usize) {
            mark(args[index as usize], &mut pending);
        }
    }
    retain_params(function, |param| live[param.index()]);
}
