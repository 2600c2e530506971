//! Functions in block-argument form (Definition 8.4.4) and phi form (Definition 8.4.3): the data, valid or not.
//!
//! A [`Value`] is a *name*: a name defined twice is one value with two definitions, a name never defined is a value
//! without any. A [`Block`] is a name too, chosen so that in a function with unique block names it is also the block's
//! index in the listing. So the validator can judge any function that parses, and everything else indexes directly.

use serde::{Deserialize, Serialize};

use crate::names::Names;
use crate::op::{Op, Trap};

/// A value's name: an index into `value_names`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Value(pub u32);

impl Value {
    /// The index as a `usize`.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A block's name: the index of the first block in the listing that bears it; past the listing, the name of a target
/// that does not exist. Also an index into `block_names`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Block(pub u32);

impl Block {
    /// The index as a `usize`.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An operand: a constant or a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Atom {
    /// A constant.
    Const(i64),
    /// A value by name.
    Value(Value),
}

/// `dest = op args`. The slots of `args` past the operation's arity hold `Const(0)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inst {
    /// The name that it defines.
    pub dest: Value,
    /// The operation.
    pub op: Op,
    /// The operands, padded.
    pub args: [Atom; 3],
}

impl Inst {
    /// An instruction with as many operands as the operation takes.
    pub fn new(dest: Value, op: Op, operands: &[Atom]) -> Inst {
        debug_assert_eq!(operands.len(), op.arity());
        let mut args = [Atom::Const(0); 3];
        args[..operands.len()].copy_from_slice(operands);
        Inst { dest, op, args }
    }

    /// The operands.
    pub fn operands(&self) -> &[Atom] {
        &self.args[..self.op.arity()]
    }

    /// The operands, to change.
    pub fn operands_mut(&mut self) -> &mut [Atom] {
        &mut self.args[..self.op.arity()]
    }
}

/// How a block ends. `T` is the kind of target: [`Target`] with arguments, or a bare [`Block`] in phi form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Terminator<T> {
    /// `br B(..)`
    Br(T),
    /// `cbr a, B_true(..), B_false(..)`
    Cbr(Atom, T, T),
    /// `switch a, 1: B(..), 2: B(..), B_else(..)`: constants, all different, and where everything else goes.
    Switch(Atom, Vec<(i64, T)>, T),
    /// `ret a`
    Ret(Atom),
    /// `trap div-by-zero`: only in raised functions, where a guard's trap is explicit.
    Trap(Trap),
}

impl<T> Terminator<T> {
    /// The targets in order, one for each edge.
    pub fn targets(&self) -> impl DoubleEndedIterator<Item = &T> {
        let (first, arms, last) = match self {
            Terminator::Br(target) => (None, &[][..], Some(target)),
            Terminator::Cbr(_, yes, no) => (Some(yes), &[][..], Some(no)),
            Terminator::Switch(_, arms, default) => (None, &arms[..], Some(default)),
            Terminator::Ret(_) | Terminator::Trap(_) => (None, &[][..], None),
        };
        first.into_iter().chain(arms.iter().map(|(_, target)| target)).chain(last)
    }

    /// The targets in order, to change.
    pub fn targets_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut T> {
        let (first, arms, last) = match self {
            Terminator::Br(target) => (None, &mut [][..], Some(target)),
            Terminator::Cbr(_, yes, no) => (Some(yes), &mut [][..], Some(no)),
            Terminator::Switch(_, arms, default) => (None, &mut arms[..], Some(default)),
            Terminator::Ret(_) | Terminator::Trap(_) => (None, &mut [][..], None),
        };
        first.into_iter().chain(arms.iter_mut().map(|(_, target)| target)).chain(last)
    }

    /// The same terminator with other targets.
    pub fn map<U>(&self, mut target: impl FnMut(&T) -> U) -> Terminator<U> {
        match self {
            Terminator::Br(to) => Terminator::Br(target(to)),
            Terminator::Cbr(condition, yes, no) => Terminator::Cbr(*condition, target(yes), target(no)),
            Terminator::Switch(value, arms, default) => {
                let arms = arms.iter().map(|(constant, to)| (*constant, target(to))).collect();
                Terminator::Switch(*value, arms, target(default))
            }
            Terminator::Ret(atom) => Terminator::Ret(*atom),
            Terminator::Trap(trap) => Terminator::Trap(*trap),
        }
    }

    /// What it looks at or returns.
    pub fn atom(&self) -> Option<Atom> {
        match self {
            Terminator::Cbr(atom, ..) | Terminator::Switch(atom, ..) | Terminator::Ret(atom) => Some(*atom),
            Terminator::Br(_) | Terminator::Trap(_) => None,
        }
    }

    /// What it looks at or returns, to change.
    pub fn atom_mut(&mut self) -> Option<&mut Atom> {
        match self {
            Terminator::Cbr(atom, ..) | Terminator::Switch(atom, ..) | Terminator::Ret(atom) => Some(atom),
            Terminator::Br(_) | Terminator::Trap(_) => None,
        }
    }
}

impl Terminator<Block> {
    /// The targets in order, each once.
    pub fn distinct_targets(&self) -> impl Iterator<Item = Block> {
        let targets = || self.targets().copied();
        targets()
            .enumerate()
            .filter(move |&(edge, target)| !targets().take(edge).any(|earlier| earlier == target))
            .map(|(_, target)| target)
    }
}

/// A branch's target with its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// The block.
    pub block: Block,
    /// One for each of its parameters, in a valid function.
    pub args: Vec<Atom>,
}

/// A function in block-argument form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// The function's inputs: defined before the entry block.
    pub inputs: Vec<Value>,
    /// The blocks in listing order; the first is the entry.
    pub blocks: Vec<BlockData>,
    /// The names of values.
    pub value_names: Names,
    /// The names of blocks.
    pub block_names: Names,
}

/// A block in block-argument form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockData {
    /// Its name; differs from its index only when an earlier block has the same name (a violation of S4).
    pub name: Block,
    /// Its parameters.
    pub params: Vec<Value>,
    /// Its instructions.
    pub body: Vec<Inst>,
    /// Its terminator.
    pub term: Terminator<Target>,
}

/// A function in phi form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhiFunction {
    /// The function's inputs: defined before the entry block.
    pub inputs: Vec<Value>,
    /// The blocks in listing order; the first is the entry.
    pub blocks: Vec<PhiBlock>,
    /// The names of values.
    pub value_names: Names,
    /// The names of blocks.
    pub block_names: Names,
}

/// A block in phi form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhiBlock {
    /// Its name, as in [`BlockData::name`].
    pub name: Block,
    /// The phis at its top.
    pub phis: Vec<Phi>,
    /// Its instructions.
    pub body: Vec<Inst>,
    /// Its terminator.
    pub term: Terminator<Block>,
}

/// `dest = phi [a, P], ..`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phi {
    /// The name that it defines.
    pub dest: Value,
    /// One entry for each distinct predecessor, in a well-formed function; any order.
    pub entries: Vec<(Block, Atom)>,
}

impl Function {
    /// Instructions and terminators.
    pub fn code_size(&self) -> usize {
        self.blocks.iter().map(|block| block.body.len() + 1).sum()
    }

    /// Block parameters.
    pub fn param_count(&self) -> usize {
        self.blocks.iter().map(|block| block.params.len()).sum()
    }
}
