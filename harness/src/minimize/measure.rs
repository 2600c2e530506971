//! Which of two cases is the smaller one.
//!
//! First by nodes: statements, expressions, blocks, parameters, inputs, values of vectors. Then by text, shorter first,
//! then in byte order. So fewer things beat shorter names, and 0 beats every other constant.

use std::cmp::Ordering;

use crate::case::{Case, Program};
use crate::lab::{Function, PhiFunction, Terminator};
use crate::tac;
use crate::tiny::{self, walk};

/// A case's place in the order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measure {
    nodes: usize,
    text: String,
}

impl Measure {
    /// Measures a case.
    pub fn of(case: &Case) -> Measure {
        let (nodes, mut text) = match &case.program {
            Program::Tiny(program) => (of_tiny(program), program.to_string()),
            Program::Tac(program) => (of_tac(program), program.to_string()),
            Program::Ssa(function) => (of_function(function), function.to_string()),
            Program::Phi(function) => (of_phi(function), function.to_string()),
        };
        let mut values = 0;
        for vector in &case.vectors {
            values += 1 + vector.len();
            text.push_str(&format!("{vector:?}\n"));
        }
        Measure { nodes: nodes + values, text }
    }

    /// How many nodes the case has.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The program's text and its vectors.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl Ord for Measure {
    fn cmp(&self, other: &Measure) -> Ordering {
        (self.nodes, self.text.len(), &self.text).cmp(&(other.nodes, other.text.len(), &other.text))
    }
}

impl PartialOrd for Measure {
    fn partial_cmp(&self, other: &Measure) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn of_tiny(program: &tiny::Program) -> usize {
    let arms = |stmt: &tiny::Stmt| if let tiny::Stmt::Switch(_, arms, _) = stmt { arms.len() } else { 0 };
    let arms: usize = walk::lists(program).into_iter().flatten().map(arms).sum();
    program.inputs + program.size() + arms + walk::expressions(program).len()
}

fn of_tac(program: &tac::Program) -> usize {
    let line = |line: &tac::Line| match line {
        tac::Line::Assign(assign) => 1 + assign.op.arity(),
        tac::Line::If { .. } | tac::Line::Ret(_) => 2,
        tac::Line::Switch { arms, .. } => 2 + 2 * arms.len(),
        tac::Line::Label(_) | tac::Line::Goto(_) => 1,
    };
    program.inputs + program.lines.iter().map(line).sum::<usize>()
}

fn of_function(function: &Function) -> usize {
    let block = |block: &crate::lab::BlockData| {
        let body: usize = block.body.iter().map(|inst| 1 + inst.op.arity()).sum();
        let targets: usize = block.term.targets().map(|target| 1 + target.args.len()).sum();
        let targets = targets + arms(&block.term);
        2 + block.params.len() + body + targets + usize::from(block.term.atom().is_some())
    };
    function.inputs.len() + function.blocks.iter().map(block).sum::<usize>()
}

fn of_phi(function: &PhiFunction) -> usize {
    let block = |block: &crate::lab::PhiBlock| {
        let phis: usize = block.phis.iter().map(|phi| 1 + phi.entries.len()).sum();
        let body: usize = block.body.iter().map(|inst| 1 + inst.op.arity()).sum();
        2 + phis + body + arms(&block.term) + block.term.targets().count() + usize::from(block.term.atom().is_some())
    };
    function.inputs.len() + function.blocks.iter().map(block).sum::<usize>()
}

/// The constants of a `switch`.
fn arms<T>(term: &Terminator<T>) -> usize {
    if let Terminator::Switch(_, arms, _) = term { arms.len() } else { 0 }
}
