//! The control-flow graph of a TAC program: the common input of every SSA construction (`docs/LANGUAGE.md` §5,
//! "Blocks").

use super::program::{Assign, Atom, Label, Line, Program};
use crate::names::Names;

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Terminator {
    /// `br B`
    Br(BlockIndex),
    /// `cbr a, B_true, B_false`; both may be one block (a multi-edge).
    Cbr(Atom, BlockIndex, BlockIndex),
    /// `switch a, 1: B, 2: B, B_else`: constants, all different, and where everything else goes.
    Switch(Atom, Vec<(i64, BlockIndex)>, BlockIndex),
    /// `ret a`
    Ret(Atom),
}

impl Terminator {
    /// The targets in order, one for each edge.
    pub fn targets(&self) -> impl Iterator<Item = BlockIndex> + '_ {
        let (first, arms, last) = match self {
            Terminator::Br(target) => (None, &[][..], Some(target)),
            Terminator::Cbr(_, yes, no) => (Some(yes), &[][..], Some(no)),
            Terminator::Switch(_, arms, default) => (None, &arms[..], Some(default)),
            Terminator::Ret(_) => (None, &[][..], None),
        };
        first.into_iter().chain(arms.iter().map(|(_, target)| target)).chain(last).copied()
    }

    /// The targets in order, to be changed.
    pub fn targets_mut(&mut self) -> impl Iterator<Item = &mut BlockIndex> {
        let (first, arms, last) = match self {
            Terminator::Br(target) => (None, &mut [][..], Some(target)),
            Terminator::Cbr(_, yes, no) => (Some(yes), &mut [][..], Some(no)),
            Terminator::Switch(_, arms, default) => (None, &mut arms[..], Some(default)),
            Terminator::Ret(_) => (None, &mut [][..], None),
        };
        first.into_iter().chain(arms.iter_mut().map(|(_, target)| target)).chain(last)
    }

    /// What it looks at or returns.
    pub fn atom(&self) -> Option<Atom> {
        match self {
            Terminator::Cbr(atom, ..) | Terminator::Switch(atom, ..) | Terminator::Ret(atom) => Some(*atom),
            Terminator::Br(_) => None,
        }
    }

    /// What it looks at or returns, to be changed.
    pub fn atom_mut(&mut self) -> Option<&mut Atom> {
        match self {
            Terminator::Cbr(atom, ..) | Terminator::Switch(atom, ..) | Terminator::Ret(atom) => Some(atom),
            Terminator::Br(_) => None,
        }
    }
}

impl Cfg {
    /// Which blocks some path from the entry leads to.
    pub fn reachable(&self) -> Vec<bool> {
        let mut reachable = vec![false; self.blocks.len()];
        let mut pending = vec![0];
        while let Some(block) = pending.pop() {
            if !std::mem::replace(&mut reachable[block], true) {
                pending.extend(self.blocks[block].term.targets());
            }
        }
        reachable
    }
}

/// The control-flow graph of a program.
pub fn cfg(program: &Program) -> Cfg {
    let layout = Layout::of(program);
    let mut blocks = Vec::with_capacity(layout.count);
    if layout.entry {
        blocks.push(Block { body: Vec::new(), term: Terminator::Br(1) });
    }
    let mut body = Vec::new();
    for line in &program.lines {
        let next = blocks.len() + 1;
        let term = match line {
            // A block that is begun has a line; as no jump ended it, an assignment.
            Line::Label(label) if layout.begins[label.index()].is_some() && !body.is_empty() => Terminator::Br(next),
            Line::Label(_) => continue,
            Line::Assign(assign) => {
                body.push(*assign);
                continue;
            }
            Line::Goto(label) => Terminator::Br(layout.target(*label)),
            Line::If { when: true, cond, target } => Terminator::Cbr(*cond, layout.target(*target), next),
            Line::If { when: false, cond, target } => Terminator::Cbr(*cond, next, layout.target(*target)),
            Line::Switch { value, arms, default } => {
                let arms = arms.iter().map(|&(constant, label)| (constant, layout.target(label))).collect();
                Terminator::Switch(*value, arms, layout.target(*default))
            }
            Line::Ret(atom) => Terminator::Ret(*atom),
        };
        blocks.push(Block { body: std::mem::take(&mut body), term });
    }
    Cfg { variables: program.variables.clone(), inputs: program.inputs, blocks }
}

/// Where the blocks begin.
struct Layout {
    /// For each label that some jump names, the block that begins after it.
    begins: Vec<Option<BlockIndex>>,
    /// Whether an empty block stands in front, so that the entry has no predecessor.
    entry: bool,
    /// How many blocks there are.
    count: usize,
}

impl Layout {
    fn of(program: &Program) -> Layout {
        let mut begins = vec![None; program.labels.len()];
        for line in &program.lines {
            line.targets().for_each(|target| begins[target.index()] = Some(0));
        }
        let mut first_labels = program.lines.iter().map_while(|line| match line {
            Line::Label(label) => Some(label),
            _ => None,
        });
        let entry = first_labels.any(|label| begins[label.index()].is_some());

        let mut count = usize::from(entry);
        let mut begin = true;
        for line in &program.lines {
            if let Line::Label(label) = line {
                if let Some(block) = &mut begins[label.index()] {
                    *block = count;
                    begin = true;
                }
            } else {
                count += usize::from(begin);
                begin = !matches!(line, Line::Assign(_));
            }
        }
        Layout { begins, entry, count }
    }

    fn target(&self, label: Label) -> BlockIndex {
        self.begins[label.index()].expect("a jump names it")
    }
}
