//! Trivial parameters (Braun et al., "Simple and efficient construction of static single assignment form", 2013), with
//! the side condition of Proposition 8.4.12.
//!
//! The rule (`docs/LANGUAGE.md` §6): over and over, the first parameter p of a reachable block B whose arguments, apart
//! from p itself, are all one atom v, where v is a constant, an input, or defined in a block that strictly dominates B,
//! goes, and v stands for it. [`remove_first_trivial`](super::remove_first_trivial) is this rule to the letter. Here
//! parameters go in another order, and dominance is not asked for, with the same result:
//!
//! **The side condition holds by itself** in a valid function. Let B be reachable and all its arguments for p be v or p.
//! Take any path from the entry that ends where it first reaches B, by a branch in L. The argument there is a name whose
//! definition dominates L (S2), or a constant, or an input. A name is therefore defined on the path before B, so it is
//! not p but v. So every path to B passes v's definition before B: that block strictly dominates B.
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

use super::{NONE, Params, Place, for_each_atom, incoming, retain_params};
use crate::lab::groups::Groups;
use crate::lab::{Atom, Block, Function};
use crate::plant::{self, Fault};

/// Removes the trivial parameters of a valid function. Those of unreachable blocks stay. Near-linear.
pub fn prune_trivial(function: &mut Function) {
    let reachable = reachable(function);
    let mut pruning = Pruning::new(function);
    for number in 0..pruning.states.len() as u32 {
        if reachable[pruning.params.places[number as usize].block.index()] {
            pruning.examine(number);
        }
    }
    // Only parameters of reachable blocks are watchers.
    while let Some(number) = pruning.pending.pop() {
        pruning.examine(number);
    }
    let Pruning { params, mut states, removed, .. } = pruning;
    if removed > 0 {
        retain_params(function, |number| states[number as usize].replacement.is_none());
        for_each_atom(function, |atom| *atom = find(&params, &mut states, *atom).atom);
    }
}

/// Which blocks the entry reaches.
fn reachable(function: &Function) -> Vec<bool> {
    let mut reachable = vec![false; function.blocks.len()];
    let mut pending = vec![Block(0)];
    while let Some(block) = pending.pop() {
        if !reachable[block.index()] {
            reachable[block.index()] = true;
            pending.extend(function.blocks[block.index()].term.targets().map(|target| target.block));
        }
    }
    reachable
}

/// Parameters go by their numbers here.
struct Pruning<'f> {
    params: Params,
    incoming: Groups<&'f [Atom]>,
    /// By parameter.
    states: Vec<State>,
    removed: usize,
    nodes: Vec<Node>,
    /// Parameters to look at again.
    pending: Vec<u32>,
}

/// What is known of a parameter.
#[derive(Clone)]
struct State {
    /// What stands for it, if it is removed: an atom at which a chain of replacements starts, which [`find`] shortens.
    replacement: Option<Atom>,
    /// The argument that holds the first atom other than the parameter, or [`NONE`].
    first: u32,
    /// The argument at which the scan stopped. All before it are the parameter or the atom at `first`.
    second: u32,
    /// Those who watch the parameter.
    watchers: List,
}

/// A list of nodes.
#[derive(Clone, Copy)]
struct List {
    head: u32,
    len: u32,
}

/// An entry in the list at an atom: a parameter that watches it.
struct Node {
    watcher: u32,
    next: u32,
}

/// What stands for an atom at present.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Resolved {
    /// Its parameter's number, or [`NONE`].
    number: u32,
    atom: Atom,
}

impl<'f> Pruning<'f> {
    fn new(function: &'f Function) -> Pruning<'f> {
        let params = Params::of(function);
        let state = State { replacement: None, first: NONE, second: 0, watchers: List { head: NONE, len: 0 } };
        Pruning {
            states: vec![state; params.places.len()],
            params,
            incoming: incoming(function),
            removed: 0,
            nodes: Vec::new(),
            pending: Vec::new(),
        }
    }

    /// Resumes the scan of a parameter's arguments, and replaces it if it is trivial.
    fn examine(&mut self, number: u32) {
        let State { replacement, first: old_first, second: old_second, .. } = self.states[number as usize];
        if replacement.is_some() {
            return;
        }
        let Place { block, index, .. } = self.params.places[number as usize];
        let lists = self.incoming.of(block.index());
        let count = lists.len() - usize::from(plant::on(Fault::LabPruneIgnoresLast));

        let mut first = old_first;
        let mut held = Resolved { atom: Atom::Const(0), number };
        if first != NONE {
            held = find(&self.params, &mut self.states, lists[first as usize][index as usize]);
        }
        for position in old_second..count as u32 {
            let atom = find(&self.params, &mut self.states, lists[position as usize][index as usize]);
            if atom.number == number || atom == held {
                continue;
            }
            if held.number == number {
                (first, held) = (position, atom);
                continue;
            }
            let state = &mut self.states[number as usize];
            (state.first, state.second) = (first, position);
            if first != old_first {
                self.watch(held, number);
            }
            if position != old_second {
                self.watch(atom, number);
            }
            return;
        }
        if held.number != number {
            self.replace(number, held);
        }
    }

    /// Only a parameter can be replaced, so nothing else needs to be watched.
    fn watch(&mut self, atom: Resolved, watcher: u32) {
        if atom.number != NONE {
            let list = &mut self.states[atom.number as usize].watchers;
            self.nodes.push(Node { watcher, next: list.head });
            *list = List { head: self.nodes.len() as u32 - 1, len: list.len + 1 };
        }
    }

    #[inline(never)]
    fn replace(&mut self, number: u32, Resolved { atom, number: heir }: Resolved) {
        self.removed += 1;
        let state = &mut self.states[number as usize];
        state.replacement = Some(atom);
        let list = state.watchers;
        if list.len == 0 {
            return;
        }
        if heir == NONE {
            self.look_again(list);
            return;
        }
        self.pending.push(heir);
        let other = self.states[heir as usize].watchers;
        let (shorter, longer) = if list.len < other.len { (list, other) } else { (other, list) };
        self.states[heir as usize].watchers = match self.look_again(shorter) {
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

/// What stands for an atom at present.
#[inline]
fn find(params: &Params, states: &mut [State], atom: Atom) -> Resolved {
    let number = params.number(atom);
    if number == NONE || states[number as usize].replacement.is_none() {
        return Resolved { number, atom };
    }
    follow(params, states, Resolved { number, atom })
}

/// Follows the chain of replacements to its end. On the way its links are made to skip one.
#[inline(never)]
fn follow(params: &Params, states: &mut [State], mut at: Resolved) -> Resolved {
    while at.number != NONE
        && let Some(atom) = states[at.number as usize].replacement
    {
        let next = Resolved { number: params.number(atom), atom };
        if next.number != NONE
            && let after @ Some(_) = states[next.number as usize].replacement
        {
            states[at.number as usize].replacement = after;
        }
        at = next;
    }
    at
}
