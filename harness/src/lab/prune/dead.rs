//! Dead parameters (lesson 8.4 §3; Choi, Cytron and Ferrante 1991): the least set of live parameters stays, those used
//! by an instruction, a `cbr` or a `ret`, and those passed to a live parameter.

use super::{NONE, Params, incoming, retain_params};
use crate::lab::{Atom, Function, Terminator};
use crate::plant::{self, Fault};

/// Removes the dead parameters of a valid function, also those of unreachable blocks, whose uses and branches count.
/// Linear.
pub fn prune_dead(function: &mut Function) {
    #[cfg(feature = "plant")]
    if plant::on(Fault::LabPruneDropsEmit) {
        drop_unused_emits(function);
    }
    let params = Params::of(function);
    let mut liveness = Liveness { live: vec![false; params.len()], pending: Vec::new(), params: &params };
    for block in &function.blocks {
        for inst in &block.body {
            inst.operands().iter().for_each(|&operand| liveness.mark(operand));
        }
        let forgotten = plant::on(Fault::LabDeadForgetsRet) && matches!(block.term, Terminator::Ret(_));
        if let Some(atom) = block.term.atom().filter(|_| !forgotten) {
            liveness.mark(atom);
        }
    }
    let incoming = incoming(function);
    while let Some(number) = liveness.pending.pop() {
        let (block, index) = params.place(number);
        for args in incoming.of(block.index()) {
            liveness.mark(args[index]);
        }
    }
    let live = liveness.live;
    retain_params(function, |number| live[number as usize]);
}

/// [`Fault::LabPruneDropsEmit`]
#[cfg(feature = "plant")]
fn drop_unused_emits(function: &mut Function) {
    let mut used = vec![false; function.value_names.len()];
    super::for_each_atom(function, |atom| {
        if let Atom::Value(value) = atom {
            used[value.index()] = true;
        }
    });
    for block in &mut function.blocks {
        block.body.retain(|inst| inst.op != crate::op::Op::Emit || used[inst.dest.index()]);
    }
}

struct Liveness<'p> {
    params: &'p Params,
    /// By parameter.
    live: Vec<bool>,
    /// Live parameters whose arguments are still to be marked.
    pending: Vec<u32>,
}

impl Liveness<'_> {
    #[inline]
    fn mark(&mut self, atom: Atom) {
        let number = self.params.number(atom);
        if number != NONE && !self.live[number as usize] {
            self.live[number as usize] = true;
            self.pending.push(number);
        }
    }
}
