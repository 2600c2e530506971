//! The control-flow graph of a TAC program: the common input of every SSA construction (`docs/LANGUAGE.md` §5, "Blocks").

use crate::names::Names;
use crate::tac::program::{Assign, Atom};

/// A control-flow graph over mutable variables. Block `i` is called `Bi`; block 0 is the entry and has no predecessor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cfg {
    /// The variables, in canonical order; the first `inputs` of them are inputs, the others start at 0.
    pub variables: Names,
    /// How many of `variables` are inputs.
    pub inputs: usize,
    /// The blocks in text order, unreachable ones too.
    pub blocks: Vec<Block>,
}

/// A basic block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The assignments.
    pub body: Vec<Assign>,
    /// The jump that ends it.
    pub term: Terminator,
}

/// An index into [`Cfg::blocks`].
pub type BlockIndex = usize;

/// How a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terminator {
    /// `br B`
    Br(BlockIndex),
    /// `cbr a, B_true, B_false`; both may be one block (a multi-edge).
    Cbr(Atom, BlockIndex, BlockIndex),
    /// `ret a`
    Ret(Atom),
}

impl Terminator {
    /// The targets in order, a multi-edge's twice.
    pub fn targets(&self) -> impl Iterator<Item = BlockIndex> + '_ {
        let (first, second) = match *self {
            Terminator::Br(target) => (Some(target), None),
            Terminator::Cbr(_, yes, no) => (Some(yes), Some(no)),
            Terminator::Ret(_) => (None, None),
        };
        first.into_iter().chain(second)
    }
}
