//! Three-address code as written: lines with labels and gotos (`docs/LANGUAGE.md` §5).

use serde::{Deserialize, Serialize};

use crate::names::Names;
use crate::op::Op;

/// A program. Valid by construction: labels are unique, targets exist, the last line leaves
/// the program or jumps, and the arms of a `switch` differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The variables in canonical order: the inputs; the names without a dot by first occurrence; the names with a dot,
    /// shorter ones first, those of one length in byte order.
    pub variables: Names,
    /// How many of `variables` are inputs.
    pub inputs: usize,
    /// The labels' names, numbered by their place in the text.
    pub labels: Names,
    /// The lines in text order.
    pub lines: Vec<Line>,
}

/// An index into [`Program::variables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Var(pub u32);

impl Var {
    /// The index as a `usize`.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An index into [`Program::labels`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Label(pub u32);

impl Label {
    /// The index as a `usize`.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Atom {
    /// A constant.
    Const(i64),
    /// A variable's current value.
    Var(Var),
}

impl Atom {
    /// The variable, if it is one.
    pub fn var(&self) -> Option<Var> {
        match *self {
            Atom::Const(_) => None,
            Atom::Var(var) => Some(var),
        }
    }
}

/// `dest = op args`. The slots of `args` past the operation's arity hold `Const(0)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assign {
    /// The variable that is written.
    pub dest: Var,
    /// The operation.
    pub op: Op,
    /// The operands, padded.
    pub args: [Atom; 3],
}

impl Assign {
    /// An assignment with as many operands as the operation takes.
    pub fn new(dest: Var, op: Op, operands: &[Atom]) -> Assign {
        debug_assert_eq!(operands.len(), op.arity());
        let mut args = [Atom::Const(0); 3];
        args[..operands.len()].copy_from_slice(operands);
        Assign { dest, op, args }
    }

    /// The operands.
    pub fn operands(&self) -> &[Atom] {
        &self.args[..self.op.arity()]
    }
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Line {
    /// `L0:`
    Label(Label),
    /// `x = add a, b`
    Assign(Assign),
    /// `goto L0`
    Goto(Label),
    /// `if a goto L0` (`when` is true: jumps when a is not 0), `ifz a goto L0` (false: when a is 0).
    If {
        /// Which truth value jumps.
        when: bool,
        /// The condition.
        cond: Atom,
        /// Where to.
        target: Label,
    },
    /// `switch a, 1 goto L1, -5 goto L2, else goto L3`
    Switch {
        /// What is looked at.
        value: Atom,
        /// Constants, all different, each with where its equal goes.
        arms: Vec<(i64, Label)>,
        /// Where everything else goes.
        default: Label,
    },
    /// `ret a`
    Ret(Atom),
}

impl Line {
    /// Calls `visit` with each variable of the line as it stands in the text: the target first.
    pub fn each_variable(&self, mut visit: impl FnMut(Var)) {
        if let Line::Assign(assign) = self {
            visit(assign.dest);
        }
        self.operands().iter().filter_map(Atom::var).for_each(visit);
    }

    /// What it reads.
    pub fn operands(&self) -> &[Atom] {
        match self {
            Line::Assign(assign) => assign.operands(),
            Line::If { cond: atom, .. } | Line::Switch { value: atom, .. } | Line::Ret(atom) => {
                std::slice::from_ref(atom)
            }
            Line::Label(_) | Line::Goto(_) => &[],
        }
    }

    /// What it reads, to change.
    pub fn operands_mut(&mut self) -> &mut [Atom] {
        match self {
            Line::Assign(assign) => &mut assign.args[..assign.op.arity()],
            Line::If { cond: atom, .. } | Line::Switch { value: atom, .. } | Line::Ret(atom) => {
                std::slice::from_mut(atom)
            }
            Line::Label(_) | Line::Goto(_) => &mut [],
        }
    }

    /// Where it jumps, in order: the arms of a `switch`, then the rest.
    pub fn targets(&self) -> impl Iterator<Item = Label> + '_ {
        let (arms, last) = match self {
            Line::Goto(target) | Line::If { target, .. } => (&[][..], Some(target)),
            Line::Switch { arms, default, .. } => (&arms[..], Some(default)),
            Line::Label(_) | Line::Assign(_) | Line::Ret(_) => (&[][..], None),
        };
        arms.iter().map(|(_, target)| *target).chain(last.copied())
    }

    /// Where it jumps, to change.
    pub fn targets_mut(&mut self) -> impl Iterator<Item = &mut Label> {
        let (arms, last) = match self {
            Line::Goto(target) | Line::If { target, .. } => (&mut [][..], Some(target)),
            Line::Switch { arms, default, .. } => (&mut arms[..], Some(default)),
            Line::Label(_) | Line::Assign(_) | Line::Ret(_) => (&mut [][..], None),
        };
        arms.iter_mut().map(|(_, target)| target).chain(last)
    }

    /// Whether control never goes on to the next line.
    pub fn leaves(&self) -> bool {
        matches!(self, Line::Goto(_) | Line::Switch { .. } | Line::Ret(_))
    }
}
