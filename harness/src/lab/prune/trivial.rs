//! Trivial parameters (Braun et al., "Simple and efficient construction of static single assignment form", 2013), with
//! the side condition of Proposition 8.4.12.
//!
//! The rule (`docs/LANGUAGE.md` §6): over and over, the first parameter p of a reachable block B whose arguments, apart
//! from p itself, are all one atom v, where v is a constant, an input, or defined in a block that strictly dominates B,
//! goes, and v stands for it. [`remove_first_trivial`](super::remove_first_trivial) is this rule to the letter; here
//! parameters go in another order, with the same result:
//!
//! **Order does not matter.** Let p be trivial by v, and q by w, and let q go first. If v is not q, no argument of p is q,
//! and p stays trivial by v. If v is q, p becomes trivial by w: w is a constant, an input or defined in a block that
//! strictly dominates q's, which strictly dominates p's; and w is not p, or each of two blocks would strictly dominate
//! the other. Either way the same atoms stand for p and q in the end, whichever goes first. So removals commute, and as
//! there are finitely many parameters, all orders end in the same function.
//!
//! **Two watched arguments.** The scan of a parameter's arguments stops at the second atom that is not the parameter
//! itself. Until one of these two atoms is replaced the parameter can't be trivial, so it is looked at again only then,
//! and the scan resumes where it stopped. Parameters watch an atom by a list at it. When q is replaced by v, the two
//! lists become one: a parameter that they make trivial has an entry in either (or is v itself), so it is enough to look
//! at those in the shorter, which makes the whole near-linear.

use super::{Home, for_each_atom, homes, incoming, retain_params, stands_above};
use crate::lab::dominators::Dominators;
use crate::lab::groups::Groups;
use crate::lab::{Atom, Block, Function, Value};
use crate::plant::{self, Fault};

/// Removes the trivial parameters of a valid function. Those of unreachable blocks stay. Near-linear.
pub fn prune_trivial(function: &mut Function) {
    let mut pruning = Pruning::new(function);
    for block in &function.blocks {
        for &param in &block.params {
            pruning.examine(param);
        }
    }
    while let Some(param) = pruning.pending.pop() {
        pruning.examine(param);
    }
    let Pruning { replacement, removed, .. } = pruning;
    if removed > 0 {
        substitute(function, replacement);
    }
}

struct Pruning<'f> {
    incoming: Groups<&'f [Atom]>,
    homes: Vec<Home>,
    dominators: Dominators,
    /// What stands for each value: itself, or the end of a chain that [`find`] shortens.
    replacement: Vec<Atom>,
    removed: usize,
    /// By parameter.
    scans: Vec<Scan>,
    /// By value: those who watch it.
    watchers: Vec<List>,
    nodes: Vec<Node>,
    /// Parameters to look at again.
    pending: Vec<Value>,
}

/// Where the scan of a parameter's arguments stands. All arguments before `second` are the parameter itself or the
/// atom at `first`.
#[derive(Clone, Copy)]
struct Scan {
    /// The argument that holds the first atom, or [`NONE`].
    first: u32,
    /// The argument at which the scan stopped.
    second: u32,
}

/// A list of nodes.
#[derive(Clone, Copy)]
struct List {
    head: u32,
    len: u32,
}

/// A parameter that watches an atom.
struct Node {
    watcher: Value,
    next: u32,
}

const NONE: u32 = u32::MAX;

impl<'f> Pruning<'f> {
    fn new(function: &'f Function) -> Pruning<'f> {
        let values = function.value_names.len();
        Pruning {
            incoming: incoming(function),
            homes: homes(function),
            dominators: Dominators::of(function),
            replacement: (0..values as u32).map(|value| Atom::Value(Value(value))).collect(),
            removed: 0,
            scans: vec![Scan { first: NONE, second: 0 }; values],
            watchers: vec![List { head: NONE, len: 0 }; values],
            nodes: Vec::new(),
            pending: Vec::new(),
        }
    }

    /// Resumes the scan of a parameter's arguments, and replaces it if it is trivial.
    fn examine(&mut self, param: Value) {
        let Home::Param { block, index } = self.homes[param.index()] else { return };
        let itself = Atom::Value(param);
        if self.replacement[param.index()] != itself || !self.dominators.reachable(Block(block)) {
            return;
        }
        let lists = self.incoming.of(block as usize);
        let lists = if plant::on(Fault::LabPruneIgnoresLast) { &lists[..lists.len().saturating_sub(1)] } else { lists };
        let argument = |position: u32| lists[position as usize][index as usize];

        let start = self.scans[param.index()];
        let mut first = start.first;
        let mut held = if first == NONE { itself } else { find(&mut self.replacement, argument(first)) };
        for position in start.second..lists.len() as u32 {
            let atom = find(&mut self.replacement, argument(position));
            if held == itself && atom != itself {
                first = position;
                held = atom;
            } else if atom != itself && atom != held {
                self.scans[param.index()] = Scan { first, second: position };
                if first != start.first {
                    self.watch(held, param);
                }
                if position != start.second {
                    self.watch(atom, param);
                }
                return;
            }
        }
        if held != itself && stands_above(held, Block(block), &self.homes, &self.dominators) {
            self.replace(param, held);
        }
    }

    /// Only a parameter can be replaced, so nothing else needs to be watched.
    fn is_param(&self, atom: Atom) -> Option<Value> {
        match atom {
            Atom::Value(value) if matches!(self.homes[value.index()], Home::Param { .. }) => Some(value),
            _ => None,
        }
    }

    fn watch(&mut self, atom: Atom, watcher: Value) {
        let Some(watched) = self.is_param(atom) else { return };
        let list = &mut self.watchers[watched.index()];
        self.nodes.push(Node { watcher, next: list.head });
        *list = List { head: self.nodes.len() as u32 - 1, len: list.len + 1 };
    }

    fn replace(&mut self, param: Value, atom: Atom) {
        self.replacement[param.index()] = atom;
        self.removed += 1;
        let list = self.watchers[param.index()];
        let Some(heir) = self.is_param(atom) else {
            self.look_again(list);
            return;
        };
        let other = self.watchers[heir.index()];
        let (shorter, longer) = if list.len < other.len { (list, other) } else { (other, list) };
        let last = self.look_again(shorter);
        self.pending.push(heir);
        self.watchers[heir.index()] = match last {
            Some(last) => {
                self.nodes[last as usize].next = longer.head;
                List { head: shorter.head, len: shorter.len + longer.len }
            }
            None => longer,
        };
    }

    /// Puts the watchers of a list before [`Pruning::examine`] again, and gives the last node.
    fn look_again(&mut self, list: List) -> Option<u32> {
        let (mut last, mut at) = (None, list.head);
        while at != NONE {
            let node = &self.nodes[at as usize];
            self.pending.push(node.watcher);
            (last, at) = (Some(at), node.next);
        }
        last
    }
}

/// What stands for an atom in the end. Chains are halved on the way.
fn find(replacement: &mut [Atom], mut atom: Atom) -> Atom {
    while let Atom::Value(value) = atom {
        let next = replacement[value.index()];
        let Atom::Value(middle) = next else { return next };
        if middle == value {
            return atom;
        }
        let after = replacement[middle.index()];
        replacement[value.index()] = after;
        atom = after;
    }
    atom
}

/// Removes the parameters that are replaced, and puts what replaces them everywhere.
fn substitute(function: &mut Function, mut replacement: Vec<Atom>) {
    retain_params(function, |param| replacement[param.index()] == Atom::Value(param));
    for_each_atom(function, |atom| *atom = find(&mut replacement, *atom));
}
