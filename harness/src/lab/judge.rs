//! What the validators of both forms share: where names are defined (S1), whether that dominates a use (S2), and how a
//! fault is told.

use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};

use crate::lab::{Atom, Block, Dominators, Inst, Terminator, Value};
use crate::names::Names;
use crate::plant::{self, Fault};

/// A rule of Definition 8.4.4, or what corresponds to it in Definition 8.4.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Rule {
    /// The text parses. Judged by the parser alone.
    S0,
    /// Every name is defined once.
    S1,
    /// Every use is dominated by its definition.
    S2,
    /// Every branch passes as many arguments as its target has parameters; a phi has one entry for each predecessor.
    S3,
    /// Block names are unique, targets exist, the entry has no parameters and, with block arguments, no predecessors.
    S4,
}

impl Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// A fault that a validator found.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Violation {
    /// The rule that is violated.
    pub rule: Rule,
    /// What is wrong and where, on one line.
    pub message: String,
}

impl Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.rule, self.message)
    }
}

/// A place in a function: of two places in one block the smaller position comes first.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// The block's index in the listing.
    block: u32,
    /// 0 for parameters and phis, 1 + i for instruction i, `TERMINATOR`.
    position: u32,
}

/// The position of a terminator.
const TERMINATOR: u32 = u32::MAX;
/// The block of the inputs' place, which precedes every other.
const INPUTS: u32 = u32::MAX - 1;
/// The block of a name that is defined nowhere.
const NOWHERE: u32 = u32::MAX;

impl Place {
    /// The place of a block's parameters or phis.
    pub(super) fn top(block: usize) -> Place {
        Place { block: block as u32, position: 0 }
    }

    /// The place of an instruction.
    pub(super) fn inst(block: usize, index: usize) -> Place {
        Place { block: block as u32, position: 1 + index as u32 }
    }

    /// The place of a terminator, where arguments and a phi's operands are used too.
    pub(super) fn terminator(block: usize) -> Place {
        Place { block: block as u32, position: TERMINATOR }
    }
}

/// The definitions of a function and the faults found so far.
pub(super) struct Judge<'f> {
    value_names: &'f Names,
    block_names: &'f Names,
    definitions: Vec<Place>,
    pub(super) violations: Vec<Violation>,
}

impl<'f> Judge<'f> {
    pub(super) fn new(value_names: &'f Names, block_names: &'f Names) -> Judge<'f> {
        let definitions = vec![Place { block: NOWHERE, position: 0 }; value_names.len()];
        Judge { value_names, block_names, definitions, violations: Vec::new() }
    }

    pub(super) fn report(&mut self, rule: Rule, message: String) {
        self.violations.push(Violation { rule, message });
    }

    pub(super) fn value(&self, value: Value) -> impl Display + 'f {
        self.value_names.get(value.0)
    }

    pub(super) fn block(&self, block: Block) -> impl Display + 'f {
        self.block_names.get(block.0)
    }

    fn place(&self, Place { block, position }: Place) -> String {
        let name = |block| self.block(Block(block));
        match (block, position) {
            (INPUTS, _) => "in the function's inputs".into(),
            (_, 0) => format!("at the top of {}", name(block)),
            (_, TERMINATOR) => format!("at the terminator of {}", name(block)),
            _ => format!("at instruction {position} of {}", name(block)),
        }
    }

    /// Reports a fault of a block's branch, which is numbered in the order of the terminator's targets.
    #[cold]
    pub(super) fn report_branch<T>(
        &mut self,
        rule: Rule,
        (block, term): (usize, &Terminator<T>),
        (branch, target): (usize, Block),
        problem: impl Display,
    ) {
        let (word, side) = match (term, branch) {
            (Terminator::Cbr(..), 0) => ("cbr", "the true branch".to_string()),
            (Terminator::Cbr(..), _) => ("cbr", "the false branch".to_string()),
            (Terminator::Switch(_, arms, _), _) => match arms.get(branch) {
                Some((constant, _)) => ("switch", format!("the branch for {constant}")),
                None => ("switch", "the last branch".to_string()),
            },
            _ => ("br", "the branch".to_string()),
        };
        let (block, target) = (self.block(Block(block as u32)), self.block(target));
        self.report(rule, format!("{word} {target} {problem}: {side} of {block}"));
    }

    /// S4: a block's name is unique; of two with one name, the second does not bear its own index.
    pub(super) fn judge_name(&mut self, index: usize, name: Block) {
        if name.index() != index {
            let name = self.block(name);
            self.report(Rule::S4, format!("block {name} stands twice in the listing"));
        }
    }

    /// S1: notes a definition; a name's second and any further one is a fault.
    #[inline]
    pub(super) fn define(&mut self, value: Value, place: Place) {
        let first = &mut self.definitions[value.index()];
        if first.block == NOWHERE {
            *first = place;
        } else if !plant::on(Fault::LabAcceptsTwice) {
            self.report_defined_twice(value, place);
        }
    }

    #[cold]
    fn report_defined_twice(&mut self, value: Value, second: Place) {
        let first = self.place(self.definitions[value.index()]);
        let message = format!("{} defined twice: {first}, {}", self.value(value), self.place(second));
        self.report(Rule::S1, message);
    }

    /// S1: notes the definitions of the function's inputs.
    pub(super) fn define_inputs(&mut self, inputs: &[Value]) {
        for &input in inputs {
            self.define(input, Place { block: INPUTS, position: 0 });
        }
    }

    /// S1: notes the definitions of a block's instructions.
    pub(super) fn define_body(&mut self, block: usize, body: &[Inst]) {
        for (index, inst) in body.iter().enumerate() {
            self.define(inst.dest, Place::inst(block, index));
        }
    }

    /// S2: the operands of a reachable block's instructions.
    pub(super) fn use_body(&mut self, dominators: &Dominators, block: usize, body: &[Inst]) {
        for (index, inst) in body.iter().enumerate() {
            for &operand in inst.operands() {
                self.use_atom(dominators, operand, Place::inst(block, index));
            }
        }
    }

    /// S2: a use at a reachable place. In its own block a definition stands before it; in another, that block
    /// dominates.
    #[inline]
    pub(super) fn use_atom(&mut self, dominators: &Dominators, atom: Atom, place: Place) {
        let Atom::Value(value) = atom else { return };
        let definition = self.definitions[value.index()];
        let dominated = match definition.block {
            block if block == place.block => definition.position < place.position,
            INPUTS => true,
            NOWHERE => false,
            block if plant::on(Fault::LabNoDominanceCheck) => dominators.reachable(Block(block)),
            block => dominators.dominates(Block(block), Block(place.block)),
        };
        if !dominated {
            self.report_undominated(value, definition, place);
        }
    }

    #[cold]
    fn report_undominated(&mut self, value: Value, definition: Place, place: Place) {
        let (name, used) = (self.value(value), self.place(place));
        let message = match definition.block {
            NOWHERE => format!("{name} never defined: used {used}"),
            block if block == place.block => {
                format!("{name} used before its definition: used {used}, defined {}", self.place(definition))
            }
            _ => format!(
                "definition of {name} does not dominate its use: used {used}, defined {}",
                self.place(definition)
            ),
        };
        self.report(Rule::S2, message);
    }
}
