//! Trivial parameters (Braun et al., "Simple and efficient construction of static single assignment form", 2013), with
//! the side condition of Proposition 8.4.12.
//!
//! The rule (`docs/LANGUAGE.md` §6): over and over, the first parameter p of a reachable block B whose arguments, apart
//! from p itself, are all one atom v, where v is a constant, an input, or defined in a block that strictly dominates B,
//! goes, and v stands for it. [`remove_first_trivial`](super::remove_first_trivial) is this rule to the letter. Here
//! parameters go in another order, and dominance is not asked for, with the same result:
//!
//! **The side condition holds by itself** in a valid function. Let B be reachable and all its arguments for p be v or
//! p. Take any path from the entry that ends where it first reaches B, by a branch in L. The argument there is a name
//! whose definition dominates L (S2), or a constant, or an input. A name is therefore defined on the path before B, so
//! it is not p but v. So every path to B passes v's definition before B: that block strictly dominates B.
//!
//! **Order does not matter.** Let p be trivial by v, and q by w, and let q go first. If v is not q, no argument of p is
//! q, and p stays trivial by v. If v is q, p becomes trivial by w: w is a constant, an input or defined in a block that
//! strictly dominates q's, which strictly dominates p's; and w is not p, or each of two blocks would strictly dominate
//! the other. Either way the same atoms stand for p and q in the end, whichever goes first. So removals commute, and as
//! there are finitely many parameters, all orders end in the same function.
//!
//! **Two watched arguments.** The scan of a parameter's arguments stops at the second atom that is not the parameter
//! itself. Until one of these two atoms is replaced the parameter can't be trivial, so it is looked at again only then,
//! and the scan resumes where it stopped. Parameters watch an atom by a list at it. When q is replaced by v, the two
//! lists become one: a parameter that they make trivial has an entry in either (or is v itself), so it is enough to
//! look at those in the shorter, which makes the whole near-linear.

use super::{NONE, Params, for_each_atom, incoming, retain_params};
use crate::lab::groups::Groups;
use crate::lab::{Atom, Block, Function};
use crate::plant::{self, Fault};

/// Removes the trivial parameters of a valid function. Those of unreachable blocks stay. Near-linear.
pub fn prune_trivial(function: &mut Function) {
    let reachable = reachable(function);
    let mut pruning = Pruning::new(function);
    for number in 0..pruning.params.len() as u32 {
        let (block, _) = pruning.params.place(number);
        if reachable[block.index()] {
            pruning.examine(number);
        }
    }
    // Only parameters of reachable blocks are watchers.
    while let Some(number) = pruning.pending.pop() {
        pruning.examine(number);
    }
    let Pruning { params, mut states, removed, .. } = pruning;
    if removed > 0 {
        retain_params(function, |number| matches!(states[number as usize], State::Open { .. }));
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
#[derive(Clone, Copy)]
enum State {
    /// It stays so far.
    Open {
        /// The argument that holds the first atom other than the parameter, or [`NONE`].
        first: u32,
        /// The argument at which the scan stopped. All before it are the parameter or the atom at `first`.
        second: u32,
        /// Those who watch the parameter.
        watchers: List,
    },
    /// It goes. What stands for it, or the start of a chain to that, which [`follow`] shortens.
    Replaced(Atom),
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
        let open = State::Open { first: NONE, second: 0, watchers: List { head: NONE, len: 0 } };
        Pruning {
            states: vec![open; params.len()],
            nodes: Vec::with_capacity(params.len()),
            params,
            incoming: incoming(function),
            removed: 0,
            pending: Vec::new(),
        }
    }

    /// Resumes the scan of a parameter's arguments, and replaces it if it is trivial.
    fn examine(&mut self, number: u32) {
        let State::Open { first: old_first, second: old_second, watchers } = self.states[number as usize] else {
            return;
        };
        let (block, index) = self.params.place(number);
        let lists = self.incoming.of(block.index());
        let count = lists.len() - usize::from(plant::on(Fault::LabPruneIgnoresLast));

        let mut first = old_first;
        let mut held = Resolved { atom: Atom::Const(0), number };
        if first != NONE {
            held = find(&self.params, &mut self.states, lists[first as usize][index]);
        }
        for position in old_second..count as u32 {
            let atom = find(&self.params, &mut self.states, lists[position as usize][index]);
            if atom.number == number || atom == held {
                continue;
            }
            if held.number == number {
                (first, held) = (position, atom);
                continue;
            }
            self.states[number as usize] = State::Open { first, second: position, watchers };
            if first != old_first {
                self.watch(held, number);
            }
            if position != old_second {
                self.watch(atom, number);
            }
            return;
        }
        if held.number != number {
            self.replace(number, held, watchers);
        }
    }

    /// Only a parameter can be replaced, so nothing else needs to be watched.
    fn watch(&mut self, atom: Resolved, watcher: u32) {
        if atom.number != NONE {
            let node = self.nodes.len() as u32;
            let list = self.watchers(atom.number);
            let next = list.head;
            *list = List { head: node, len: list.len + 1 };
            self.nodes.push(Node { watcher, next });
        }
    }

    /// Those who watch a parameter that is not replaced.
    fn watchers(&mut self, number: u32) -> &mut List {
        match &mut self.states[number as usize] {
            State::Open { watchers, .. } => watchers,
            State::Replaced(_) => unreachable!("what find gives is not replaced"),
        }
    }

    /// Puts an atom in a parameter's stead. `list` are those who watch the parameter.
    #[inline(never)]
    fn replace(&mut self, number: u32, Resolved { atom, number: heir }: Resolved, list: List) {
        self.removed += 1;
        self.states[number as usize] = State::Replaced(atom);
        if list.len == 0 {
            return;
        }
        if heir == NONE {
            self.look_again(list);
            return;
        }
        self.pending.push(heir);
        let other = *self.watchers(heir);
        let (shorter, longer) = if list.len < other.len { (list, other) } else { (other, list) };
        let head = match self.look_again(shorter) {
            Some(last) => {
                self.nodes[last as usize].next = longer.head;
                shorter.head
            }
            None => longer.head,
        };
        *self.watchers(heir) = List { head, len: list.len + other.len };
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
    if number != NONE && matches!(states[number as usize], State::Replaced(_)) {
        return follow(params, states, Resolved { number, atom });
    }
    Resolved { number, atom }
}

/// The end of a chain of replacements, whose links are made to skip one on the way.
#[inline(never)]
fn follow(params: &Params, states: &mut [State], mut at: Resolved) -> Resolved {
    while at.number != NONE
        && let State::Replaced(atom) = states[at.number as usize]
    {
        let next = Resolved { number: params.number(atom), atom };
        if next.number != NONE
            && let after @ State::Replaced(_) = states[next.number as usize]
        {
            states[at.number as usize] = after;
        }
        at = next;
    }
    at
}
