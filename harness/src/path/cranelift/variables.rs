//! Lowering from a control-flow graph over mutable variables: Cranelift constructs SSA.
//!
//! Each variable is declared to the `FunctionBuilder`; its `SSABuilder` (Braun et al., *Simple and Efficient
//! Construction of Static Single Assignment Form*) makes block parameters as uses ask for them. It needs to know when
//! all of a block's predecessors are known: the block is *sealed* then. Frontends differ in when they do it, and the
//! algorithm takes other ways, so there are three [`Sealing`]s.

use std::collections::BTreeSet;

use cranelift_codegen::ir::{self, InstBuilder, types};
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};

use crate::path::cranelift::compat;
use crate::path::cranelift::emit::{self, Made};
use crate::path::cranelift::host::Host;
use crate::path::cranelift::promises::Promises;
use crate::plant::{self, Fault};
use crate::tac::cfg::{BlockIndex, Cfg, Terminator};
use crate::tac::{Assign, Atom, Var};

/// When blocks are sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sealing {
    /// As soon as the last branch to the block has been made: only loop headers are open when they are filled. A block
    /// without predecessors is sealed before it is filled.
    Early,
    /// All at the end: every use in a block without a definition makes a parameter first, which may go away later.
    Late,
    /// All at the end, the last block first: parameters are completed before those that they are made of.
    Backward,
}

/// How the function is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Style {
    /// When blocks are sealed.
    pub sealing: Sealing,
    /// Whether a branch on a comparison of its own block takes the comparison's `i8` itself; else its variable's `i64`.
    pub direct: bool,
    /// What its accesses to memory promise.
    pub promises: Promises,
}

/// Writes the function of a control-flow graph; unreachable blocks too, in their place.
pub(super) fn lower(
    cfg: &Cfg,
    Style { sealing, direct, promises }: Style,
    isa: &dyn TargetIsa,
    function: &mut ir::Function,
    context: &mut FunctionBuilderContext,
) {
    emit::declare(function, isa);
    let mut builder = FunctionBuilder::new(function, context);
    let blocks: Vec<ir::Block> = cfg.blocks.iter().map(|_| builder.create_block()).collect();
    let variables: Vec<Variable> =
        (0..cfg.variables.len()).map(|index| compat::declare_var(&mut builder, index)).collect();
    let mut lowering = Lowering { builder, blocks, variables, host: Host::default() };
    let awaited = awaited(cfg);
    let mut open = open_edges(cfg, &awaited);
    if sealing == Sealing::Early {
        lowering.seal_closed(&open, 0..cfg.blocks.len());
    }
    for (i, block) in cfg.blocks.iter().enumerate() {
        lowering.builder.switch_to_block(lowering.blocks[i]);
        if i == 0 {
            lowering.define_variables(cfg, promises);
        }
        let truth = lowering.body(&block.body);
        lowering.terminator(&block.term, truth.filter(|_| direct), i + 1);
        if awaited[i] {
            block.term.targets().for_each(|target| open[target] -= 1);
        }
        if sealing == Sealing::Early && awaited[i] {
            lowering.seal_closed(&open, distinct(&block.term));
        }
    }
    match sealing {
        Sealing::Early => {}
        Sealing::Late => lowering.builder.seal_all_blocks(),
        Sealing::Backward => lowering.blocks.iter().rev().for_each(|&block| lowering.builder.seal_block(block)),
    }
    compat::finalize(lowering.builder, isa);
}

/// The blocks whose branches sealing waits for: all of them, the unreachable ones too.
fn awaited(cfg: &Cfg) -> Vec<bool> {
    if plant::on(Fault::ClifSealUnreachable) { cfg.reachable() } else { vec![true; cfg.blocks.len()] }
}

/// How many branches to each block have still to be made.
fn open_edges(cfg: &Cfg, awaited: &[bool]) -> Vec<usize> {
    let mut open = vec![0; cfg.blocks.len()];
    let blocks = cfg.blocks.iter().zip(awaited).filter(|(_, awaited)| **awaited);
    blocks.flat_map(|(block, _)| block.term.targets()).for_each(|target| open[target] += 1);
    open
}

/// A terminator's targets, each once.
fn distinct(term: &Terminator) -> impl Iterator<Item = BlockIndex> {
    term.targets().collect::<BTreeSet<_>>().into_iter()
}

struct Lowering<'a> {
    builder: FunctionBuilder<'a>,
    blocks: Vec<ir::Block>,
    variables: Vec<Variable>,
    host: Host,
}

impl Lowering<'_> {
    /// Seals those of these blocks that no branch has still to reach.
    fn seal_closed(&mut self, open: &[usize], blocks: impl Iterator<Item = BlockIndex>) {
        for block in blocks.filter(|&block| open[block] == 0) {
            self.builder.seal_block(self.blocks[block]);
        }
    }

    /// Gives the variables their first values: an input what the run passes, the others 0.
    fn define_variables(&mut self, cfg: &Cfg, promises: Promises) {
        let operations = cfg.blocks.iter().flat_map(|block| &block.body).map(|assign| assign.op);
        let (mut values, host) = emit::load_inputs(&mut self.builder, self.blocks[0], cfg.inputs, operations, promises);
        self.host = host;
        values.resize_with(self.variables.len(), || self.builder.ins().iconst(types::I64, 0));
        for (&variable, &value) in self.variables.iter().zip(&values) {
            self.builder.def_var(variable, value);
        }
    }

    /// Writes the assignments. Of the last one, if it is a comparison, gives the variable and the `i8`.
    fn body(&mut self, body: &[Assign]) -> Option<(Var, ir::Value)> {
        let mut truth = None;
        for (i, assign) in body.iter().enumerate() {
            let mut args = [Made::Number(ir::Value::from_u32(0)); 3];
            for (arg, &operand) in args.iter_mut().zip(assign.operands()) {
                *arg = Made::Number(self.atom(operand));
            }
            let made = emit::operation(&mut self.builder, &self.host, assign.op, args);
            match made {
                Made::Truth(value) => truth = Some((assign.dest, value)),
                Made::Number(_) | Made::Narrow(..) => truth = None,
            }
            let value = made.number(&mut self.builder);
            let stale = plant::on(Fault::ClifStaleVariable) && body[..i].iter().any(|past| past.dest == assign.dest);
            if !stale {
                self.builder.def_var(self.variables[assign.dest.index()], value);
            }
        }
        truth
    }

    /// Ends the block, in front of block `next`. `truth` is a variable that holds a comparison.
    fn terminator(&mut self, term: &Terminator, truth: Option<(Var, ir::Value)>, next: BlockIndex) {
        match *term {
            Terminator::Br(target) => {
                self.builder.ins().jump(self.blocks[target], &[]);
            }
            Terminator::Cbr(condition, yes, no) => {
                let condition = match truth {
                    Some((variable, value)) if condition == Atom::Var(variable) => Made::Truth(value),
                    _ => Made::Number(self.atom(condition)),
                };
                let exchanged = plant::on(Fault::ClifFarBranch) && yes != next && no != next
                    || plant::on(Fault::ClifDirectSense) && matches!(condition, Made::Truth(_));
                let (yes, no) = if exchanged { (no, yes) } else { (yes, no) };
                let (yes, no) = (self.blocks[yes], self.blocks[no]);
                emit::branch(&mut self.builder, condition, (yes, &[]), (no, &[]));
            }
            Terminator::Switch(value, ref arms, default) => {
                let value = self.atom(value);
                let arms: Vec<_> = arms.iter().map(|&(constant, target)| (constant, self.blocks[target])).collect();
                emit::switch(&mut self.builder, value, &arms, self.blocks[default]);
            }
            Terminator::Ret(atom) => {
                let value = self.atom(atom);
                self.builder.ins().return_(&[value]);
            }
        }
    }

    fn atom(&mut self, atom: Atom) -> ir::Value {
        match atom {
            Atom::Const(n) => self.builder.ins().iconst(types::I64, n),
            Atom::Var(variable) => self.builder.use_var(self.variables[variable.index()]),
        }
    }
}
