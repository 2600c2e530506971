//! A run of a function as the visits to its blocks.

use crate::lab::interpret::{Observer, run_observed};
use crate::lab::{Block, Function, Value};
use crate::op::{Op, Outcome};

/// One visit to a block.
pub struct Visit {
    /// The block.
    pub block: usize,
    /// What its parameters got on the way in; at the entry, the inputs.
    pub entry: Vec<(Value, i64)>,
    /// What its instructions gave, in order; not all of them if one trapped.
    pub body: Vec<(Value, i64)>,
}

impl Visit {
    /// What it emitted, each with the line of the block that did.
    pub fn emitted(&self, function: &Function) -> Vec<(usize, i64)> {
        let insts = &function.blocks[self.block].body;
        let lines = insts.iter().zip(&self.body).enumerate().filter(|(_, (inst, _))| inst.op == Op::Emit);
        lines.map(|(index, (_, &(_, value)))| (index + 1, value)).collect()
    }
}

/// The visits of a run, and how it ended.
pub fn visits(function: &Function, inputs: &[i64], fuel: u64) -> (Vec<Visit>, Outcome) {
    let mut recorder = Recorder { function, visits: Vec::new(), pending: Vec::new() };
    let execution = run_observed(function, inputs, fuel, &mut recorder);
    (recorder.visits, execution.outcome)
}

struct Recorder<'f> {
    function: &'f Function,
    visits: Vec<Visit>,
    /// What was defined since the last block's body ended.
    pending: Vec<(Value, i64)>,
}

impl Observer for Recorder<'_> {
    fn enter(&mut self, block: Block) {
        let entry = std::mem::take(&mut self.pending);
        self.visits.push(Visit { block: block.index(), entry, body: Vec::new() });
    }

    fn define(&mut self, value: Value, number: i64) {
        match self.visits.last_mut() {
            Some(visit) if visit.body.len() < self.function.blocks[visit.block].body.len() => {
                visit.body.push((value, number));
            }
            _ => self.pending.push((value, number)),
        }
    }
}
