//! What a function breaks, clause by clause, by the words of Definitions 8.4.3 and 8.4.4 taken literally.
//!
//! The rules S1–S4 say more than one thing each, and validators differ in single things, so this is finer than the
//! rules. It also names what the lab accepts but another validator may not. Like [`crate::lab::theorems`] it rests on
//! dominance as "no path from the entry gets there without", never on the lab's own validators or dominators, which are
//! on trial.

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap, HashSet};

use crate::lab::dominators::reachable_without;
use crate::lab::{Atom, Block, Function, Graph, Inst, PhiFunction, Rule, Value};

macro_rules! clauses {
    ($($(#[doc = $doc:literal])* $variant:ident $name:literal $rule:expr,)*) => {
        /// One thing that a function can break or that validators can differ in.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Clause { $($(#[doc = $doc])* $variant,)* }

        impl Clause {
            /// Every clause.
            pub const ALL: &'static [Clause] = &[$(Clause::$variant,)*];

            /// Its name in signatures and tables.
            pub const fn name(self) -> &'static str {
                match self { $(Clause::$variant => $name,)* }
            }

            /// The lab's rule that forbids it; none if the lab accepts it.
            pub const fn rule(self) -> Option<Rule> {
                match self { $(Clause::$variant => $rule,)* }
            }

            /// What it is, in a sentence.
            pub const fn description(self) -> &'static str {
                match self { $(Clause::$variant => concat!($($doc),*).trim_ascii(),)* }
            }
        }
    };
}

clauses! {
    /// A name is defined twice.
    DefinedTwice "defined-twice" Some(Rule::S1),
    /// A reachable use of a name that nothing defines.
    Undefined "undefined" Some(Rule::S2),
    /// A reachable use that its definition does not dominate.
    Undominated "undominated" Some(Rule::S2),
    /// A use in an unreachable block of a name that nothing defines.
    UndefinedUnreachable "undefined-unreachable" None,
    /// A use in an unreachable block of what another block defines, or the same block further down.
    UndominatedUnreachable "undominated-unreachable" None,
    /// A branch passes fewer arguments than its target has parameters.
    TooFewArguments "too-few-arguments" Some(Rule::S3),
    /// A branch passes more arguments than its target has parameters.
    TooManyArguments "too-many-arguments" Some(Rule::S3),
    /// A phi has no entry for a predecessor.
    MissingEntry "missing-entry" Some(Rule::S3),
    /// A phi has an entry for a block that is no predecessor.
    ExtraEntry "extra-entry" Some(Rule::S3),
    /// A phi has two entries for one predecessor.
    DuplicateEntry "duplicate-entry" Some(Rule::S3),
    /// Two blocks have one name.
    BlockTwice "block-twice" Some(Rule::S4),
    /// A branch goes to a block that does not exist.
    MissingTarget "missing-target" Some(Rule::S4),
    /// The entry block has parameters or phis.
    EntryParameters "entry-parameters" Some(Rule::S4),
    /// In block-argument form a branch goes to the entry block.
    EntryPredecessors "entry-predecessors" Some(Rule::S4),
    /// In phi form a branch goes to the entry block.
    PhiEntryPredecessors "phi-entry-predecessors" None,
    /// A terminator passes one block different arguments on two edges (Lemma 8.4.11).
    ConflictingMultiEdge "conflicting-multi-edge" None,
}

/// The clauses that a function in block-argument form touches. Uses are only looked at where it is clear what a name
/// and a branch mean.
pub fn clauses(function: &Function) -> BTreeSet<Clause> {
    let mut touched = BTreeSet::new();
    let mut definitions = Definitions::new(function, &function.inputs);
    let mut uses = Vec::new();
    blocks_twice(function.blocks.iter().map(|block| block.name), &mut touched);
    if function.blocks.first().is_some_and(|entry| !entry.params.is_empty()) {
        touched.insert(Clause::EntryParameters);
    }
    for (index, block) in function.blocks.iter().enumerate() {
        definitions.block(index, &block.params, &block.body);
        body_uses(index, &block.body, block.term.atom(), &mut uses);
        let mut passed: HashMap<Block, &[Atom]> = HashMap::new();
        if block.term.targets().any(|target| *passed.entry(target.block).or_insert(&target.args) != target.args) {
            touched.insert(Clause::ConflictingMultiEdge);
        }
        for target in block.term.targets() {
            uses.extend(target.args.iter().map(|&argument| (Site::end(index), argument)));
            let Some(to) = function.blocks.iter().find(|block| block.name == target.block) else {
                touched.insert(Clause::MissingTarget);
                continue;
            };
            if to.name == function.blocks[0].name {
                touched.insert(Clause::EntryPredecessors);
            }
            match target.args.len().cmp(&to.params.len()) {
                Ordering::Less => drop(touched.insert(Clause::TooFewArguments)),
                Ordering::Greater => drop(touched.insert(Clause::TooManyArguments)),
                Ordering::Equal => {}
            }
        }
    }
    definitions.judge(&uses, &mut touched);
    touched
}

/// The clauses that a function in phi form touches.
pub fn phi_clauses(function: &PhiFunction) -> BTreeSet<Clause> {
    let mut touched = BTreeSet::new();
    let mut definitions = Definitions::new(function, &function.inputs);
    let mut uses = Vec::new();
    blocks_twice(function.blocks.iter().map(|block| block.name), &mut touched);
    if function.blocks.first().is_some_and(|entry| !entry.phis.is_empty()) {
        touched.insert(Clause::EntryParameters);
    }
    let place = |name: Block| function.blocks.iter().position(|block| block.name == name);
    for (index, block) in function.blocks.iter().enumerate() {
        let results: Vec<Value> = block.phis.iter().map(|phi| phi.dest).collect();
        definitions.block(index, &results, &block.body);
        body_uses(index, &block.body, block.term.atom(), &mut uses);
        for &target in block.term.targets() {
            match place(target) {
                None => drop(touched.insert(Clause::MissingTarget)),
                Some(0) => drop(touched.insert(Clause::PhiEntryPredecessors)),
                Some(_) => {}
            }
        }
        let goes_here = |name: &Block| {
            place(*name).is_some_and(|from| function.blocks[from].term.targets().any(|&target| target == block.name))
        };
        let predecessors: HashSet<Block> = function.blocks.iter().map(|from| from.name).filter(goes_here).collect();
        for phi in &block.phis {
            let mut entered = HashSet::new();
            for &(predecessor, operand) in &phi.entries {
                uses.extend(place(predecessor).map(|from| (Site::end(from), operand)));
                if !predecessors.contains(&predecessor) {
                    touched.insert(Clause::ExtraEntry);
                } else if !entered.insert(predecessor) {
                    touched.insert(Clause::DuplicateEntry);
                }
            }
            if !predecessors.is_subset(&entered) {
                touched.insert(Clause::MissingEntry);
            }
        }
    }
    definitions.judge(&uses, &mut touched);
    touched
}

fn blocks_twice(names: impl Iterator<Item = Block>, touched: &mut BTreeSet<Clause>) {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            touched.insert(Clause::BlockTwice);
        }
    }
}

fn body_uses(block: usize, body: &[Inst], end: Option<Atom>, uses: &mut Vec<(Site, Atom)>) {
    for (index, inst) in body.iter().enumerate() {
        uses.extend(inst.operands().iter().map(|&operand| (Site::inst(block, index), operand)));
    }
    uses.extend(end.map(|atom| (Site::end(block), atom)));
}

/// A place in a function: of two places in one block the smaller position comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    block: usize,
    position: usize,
}

impl Site {
    /// Where a block's parameters or phis are.
    pub fn top(block: usize) -> Site {
        Site { block, position: 0 }
    }

    /// Where an instruction is.
    pub fn inst(block: usize, index: usize) -> Site {
        Site { block, position: 1 + index }
    }

    /// The end of a block, where its terminator uses atoms, arguments and the entries that name it among them.
    pub fn end(block: usize) -> Site {
        Site { block, position: usize::MAX }
    }
}

/// Where the names of a function are defined.
pub struct Definitions<'g, G> {
    graph: &'g G,
    reachable: OnceCell<Vec<bool>>,
    /// For each block, what is reached without it.
    without: Vec<OnceCell<Vec<bool>>>,
    /// The first definition of each name; an input has no place.
    sites: HashMap<Value, Option<Site>>,
    twice: bool,
}

impl<'g, G: Graph> Definitions<'g, G> {
    /// The inputs alone.
    pub fn new(graph: &'g G, inputs: &[Value]) -> Self {
        let without = (0..graph.block_count()).map(|_| OnceCell::new()).collect();
        let mut definitions =
            Definitions { graph, reachable: OnceCell::new(), without, sites: HashMap::new(), twice: false };
        inputs.iter().for_each(|&input| definitions.define(input, None));
        definitions
    }

    /// Adds what a block defines.
    pub fn block(&mut self, block: usize, top: &[Value], body: &[Inst]) {
        top.iter().for_each(|&value| self.define(value, Some(Site::top(block))));
        body.iter().enumerate().for_each(|(index, inst)| self.define(inst.dest, Some(Site::inst(block, index))));
    }

    fn define(&mut self, value: Value, site: Option<Site>) {
        self.twice |= self.sites.contains_key(&value);
        self.sites.entry(value).or_insert(site);
    }

    /// The clause that a use touches. All branches must go to blocks that exist.
    pub fn clause_of_use(&self, value: Value, at: Site) -> Option<Clause> {
        let reachable = self.reachable.get_or_init(|| reachable_without(self.graph, None))[at.block];
        let known = match self.sites.get(&value) {
            None if reachable => return Some(Clause::Undefined),
            None => return Some(Clause::UndefinedUnreachable),
            Some(None) => true,
            Some(Some(site)) if site.block == at.block => site.position < at.position,
            Some(Some(site)) => reachable && !self.without(site.block)[at.block],
        };
        match (known, reachable) {
            (true, _) => None,
            (false, true) => Some(Clause::Undominated),
            (false, false) => Some(Clause::UndominatedUnreachable),
        }
    }

    fn without(&self, block: usize) -> &[bool] {
        self.without[block].get_or_init(|| reachable_without(self.graph, Some(Block(block as u32))))
    }

    fn judge(&self, uses: &[(Site, Atom)], touched: &mut BTreeSet<Clause>) {
        if self.twice {
            touched.insert(Clause::DefinedTwice);
        }
        let unclear = [Clause::DefinedTwice, Clause::BlockTwice, Clause::MissingTarget];
        if unclear.iter().any(|clause| touched.contains(clause)) {
            return;
        }
        touched.extend(uses.iter().filter_map(|&(site, atom)| match atom {
            Atom::Value(value) => self.clause_of_use(value, site),
            Atom::Const(_) => None,
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab;

    /// The names of what a text touches.
    fn touched(text: &str) -> Vec<&'static str> {
        let touched = match lab::parse_ssa(text) {
            Ok(function) => clauses(&function),
            Err(_) => phi_clauses(&lab::parse_phi(text).unwrap()),
        };
        touched.into_iter().map(Clause::name).collect()
    }

    #[test]
    fn uses_are_told_apart_by_what_is_wrong_and_by_where() {
        assert_eq!(touched("entry:\n  x = neg 1\n  ret x\n"), [""; 0]);
        assert_eq!(touched("entry:\n  ret x\n"), ["undefined"]);
        assert_eq!(touched("entry:\n  x = neg x\n  ret 1\n"), ["undominated"]);
        assert_eq!(touched("entry:\n  cbr 1, a(), b()\na:\n  x = neg 1\n  br b()\nb:\n  ret x\n"), ["undominated"]);
        assert_eq!(touched("entry:\n  ret 1\nu:\n  ret x\n"), ["undefined-unreachable"]);
        assert_eq!(touched("entry:\n  x = neg 1\n  ret 1\nu:\n  ret x\n"), ["undominated-unreachable"]);
    }

    #[test]
    fn a_definition_comes_before_what_uses_it() {
        assert_eq!(touched("entry:\n  br b(1)\nb(p):\n  x = neg p\n  y = neg x\n  z = neg y\n  ret z\n"), [""; 0]);
        assert_eq!(touched("entry:\n  x = neg 1\n  y = neg z\n  z = neg x\n  ret z\n"), ["undominated"]);
    }

    #[test]
    fn what_stands_twice_is_told() {
        assert_eq!(touched("entry:\n  x = neg 1\n  x = neg 2\n  ret x\n"), ["defined-twice"]);
        assert_eq!(touched("ssa(a)\nentry:\n  a = neg 2\n  ret a\n"), ["defined-twice"]);
        assert_eq!(touched("entry:\n  ret 1\nb:\n  ret 1\nb:\n  ret 1\n"), ["block-twice"]);
        assert_eq!(touched("phi\nentry:\n  ret 1\nb:\n  ret 1\nb:\n  ret 1\n"), ["block-twice"]);
    }

    #[test]
    fn edges_are_told_apart() {
        let to = |branch: &str| format!("entry:\n  {branch}\nj(p):\n  ret p\n");
        assert_eq!(touched(&to("br j()")), ["too-few-arguments"]);
        assert_eq!(touched(&to("br j(1, 2)")), ["too-many-arguments"]);
        assert_eq!(touched(&to("cbr 1, j(1), j(1)")), [""; 0]);
        assert_eq!(touched(&to("cbr 1, j(1), j(2)")), ["conflicting-multi-edge"]);
        assert_eq!(touched(&to("switch 1, 2: j(1), 3: j(1), j(1)")), [""; 0]);
        assert_eq!(touched(&to("switch 1, 2: j(1), 3: j(1), j(2)")), ["conflicting-multi-edge"]);
        assert_eq!(touched(&to("switch 1, 2: j(1), 3: j(), j(1)")), ["too-few-arguments", "conflicting-multi-edge"]);
        assert_eq!(touched(&to("cbr 1, k(), entry()")), ["missing-target", "entry-predecessors"]);
        let phi = |entries: &str| format!("phi\nentry:\n  br j\nk:\n  br entry\nj:\n  x = phi {entries}\n  ret x\n");
        assert_eq!(touched(&phi("[1, entry]")), ["phi-entry-predecessors"]);
        assert_eq!(touched(&phi("[1, k]")), ["missing-entry", "extra-entry", "phi-entry-predecessors"]);
        assert_eq!(touched(&phi("[1, entry], [1, entry]")), ["duplicate-entry", "phi-entry-predecessors"]);
    }
}
