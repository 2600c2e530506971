//! A test case: one program and the input vectors to run it on.

use serde::{Deserialize, Serialize};

use crate::{lab, tac, tiny};

/// Fuel when nobody says otherwise, in steps of the reference interpreter.
pub const DEFAULT_FUEL: u64 = 100_000;

/// A program with the runs to make of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// The program.
    pub program: Program,
    /// One value for each input, for each run. A program without inputs has one empty vector.
    pub vectors: Vec<Vec<i64>>,
    /// The reference interpreter's budget of steps for a run.
    pub fuel: u64,
}

/// A program in one of the four languages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Program {
    /// Tiny, the source language.
    Tiny(tiny::Program),
    /// Three-address code over an arbitrary control-flow graph.
    Tac(tac::Program),
    /// A block-argument function.
    Ssa(lab::Function),
    /// A function in phi form.
    Phi(lab::PhiFunction),
}

/// The four languages, told apart by a file's ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// `.tiny`
    Tiny,
    /// `.tac`
    Tac,
    /// `.ssa`
    Ssa,
    /// `.phi`
    Phi,
}

impl Form {
    /// All of them.
    pub const ALL: [Form; 4] = [Form::Tiny, Form::Tac, Form::Ssa, Form::Phi];

    /// The file ending, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Form::Tiny => "tiny",
            Form::Tac => "tac",
            Form::Ssa => "ssa",
            Form::Phi => "phi",
        }
    }

    /// The form of a file ending.
    pub fn from_extension(extension: &str) -> Option<Form> {
        Form::ALL.into_iter().find(|form| form.extension() == extension)
    }
}

impl Program {
    /// Which language it is in.
    pub fn form(&self) -> Form {
        match self {
            Program::Tiny(_) => Form::Tiny,
            Program::Tac(_) => Form::Tac,
            Program::Ssa(_) => Form::Ssa,
            Program::Phi(_) => Form::Phi,
        }
    }

    /// How large it is: statements, lines, or instructions with the ends of blocks, by its language.
    pub fn statements(&self) -> usize {
        match self {
            Program::Tiny(program) => program.size(),
            Program::Tac(program) => program.lines.len(),
            Program::Ssa(function) => function.blocks.iter().map(|block| block.body.len() + 1).sum(),
            Program::Phi(function) => function.blocks.iter().map(|block| block.phis.len() + block.body.len() + 1).sum(),
        }
    }

    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        match self {
            Program::Tiny(program) => program.inputs,
            Program::Tac(program) => program.inputs,
            Program::Ssa(function) => function.inputs.len(),
            Program::Phi(function) => function.inputs.len(),
        }
    }
}
