//! Lowering from the lab's block-argument form: its blocks, parameters and arguments become CLIF's as they are.
//!
//! Blocks keep the listing's order in the layout, but are filled in reverse postorder: a definition that dominates its
//! use is filled before it, wherever the two are listed. Unreachable blocks come last; what they use may have no
//! definition (Definition 8.4.4 exempts such uses), and is 0 then.
//!
//! A branch on a comparison's result branches on the comparison itself, where the lowering from variables branches on
//! the number that it was widened to.

#[cfg(not(cranelift_before = "0.94"))]
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, types};
#[cfg(not(cranelift_before = "0.94"))]
use cranelift_codegen::ir::{BlockCall, JumpTableData};
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};

use crate::lab::{Atom, BlockData, Function, Target, Terminator};
use crate::path::cranelift::compat::{self, BlockArg};
use crate::path::cranelift::emit::{self, Made};
use crate::path::cranelift::host::Host;
use crate::path::cranelift::promises::Promises;
use crate::plant::{self, Fault};

/// Writes a valid function.
pub(super) fn lower(
    source: &Function,
    promises: Promises,
    isa: &dyn TargetIsa,
    function: &mut ir::Function,
    context: &mut FunctionBuilderContext,
) {
    emit::declare(function, isa);
    let mut builder = FunctionBuilder::new(function, context);
    let blocks: Vec<ir::Block> = source.blocks.iter().map(|_| builder.create_block()).collect();
    let mut values = vec![None; source.value_names.len()];
    for (&block, data) in blocks.iter().zip(&source.blocks) {
        builder.func.layout.append_block(block);
        for param in &data.params {
            values[param.index()] = Some(Made::Number(builder.append_block_param(block, types::I64)));
        }
    }
    let mut lowering = Lowering { builder, blocks, values, edges: Vec::new(), host: Host::default() };
    for block in fill_order(source) {
        lowering.builder.switch_to_block(lowering.blocks[block]);
        if block == 0 {
            let operations = source.blocks.iter().flat_map(|block| &block.body).map(|inst| inst.op);
            let entry = lowering.blocks[0];
            let (loaded, host) =
                emit::load_inputs(&mut lowering.builder, entry, source.inputs.len(), operations, promises);
            lowering.host = host;
            for (input, value) in source.inputs.iter().zip(loaded) {
                lowering.values[input.index()] = Some(Made::Number(value));
            }
        }
        lowering.block(&source.blocks[block]);
    }
    lowering.builder.seal_all_blocks();
    compat::finalize(lowering.builder, isa);
}

/// The blocks in reverse postorder from the entry, then the unreachable ones as listed.
fn fill_order(source: &Function) -> Vec<usize> {
    let targets = |block: usize| source.blocks[block].term.targets().map(|target| target.block.index());
    let mut seen = vec![false; source.blocks.len()];
    let mut order = Vec::with_capacity(seen.len());
    let mut stack = vec![(0, targets(0))];
    seen[0] = true;
    while let Some((block, rest)) = stack.last_mut() {
        match rest.next() {
            Some(next) if !seen[next] => {
                seen[next] = true;
                stack.push((next, targets(next)));
            }
            Some(_) => {}
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order.extend((0..seen.len()).filter(|&block| !seen[block]));
    order
}

/// The arms as a table from the least constant on, if at least half of its entries are arms.
#[cfg(not(cranelift_before = "0.94"))]
fn dense(arms: &[(i64, Target)]) -> Option<(i64, Vec<Option<&Target>>)> {
    let left_out = usize::from(plant::on(Fault::ClifSwitchLastArm));
    let arms = &arms[..arms.len().saturating_sub(left_out)];
    let first = arms.iter().map(|(constant, _)| *constant).min()?;
    let place = |constant: i64| constant.wrapping_sub(first) as u64;
    let length = arms.iter().map(|(constant, _)| place(*constant)).max()?.saturating_add(1);
    if arms.len() < 2 || length > 2 * arms.len() as u64 {
        return None;
    }
    let mut table = vec![None; length as usize];
    arms.iter().for_each(|(constant, target)| table[place(*constant) as usize] = Some(target));
    Some((first, table))
}

struct Lowering<'a> {
    builder: FunctionBuilder<'a>,
    blocks: Vec<ir::Block>,
    /// The values made so far, by name. A comparison's result is kept as what it is.
    values: Vec<Option<Made>>,
    /// Blocks to be filled, each with where it goes and what it passes.
    edges: Vec<(ir::Block, ir::Block, Vec<BlockArg>)>,
    host: Host,
}

impl Lowering<'_> {
    fn block(&mut self, block: &BlockData) {
        for inst in &block.body {
            let mut args = [Made::Number(ir::Value::from_u32(0)); 3];
            for (arg, &operand) in args.iter_mut().zip(inst.operands()) {
                *arg = self.atom(operand);
            }
            let made = emit::operation(&mut self.builder, &self.host, inst.op, args);
            self.values[inst.dest.index()] = Some(made);
        }
        self.terminator(&block.term);
    }

    fn terminator(&mut self, term: &Terminator<Target>) {
        match term {
            Terminator::Br(target) => {
                let args = self.arguments(target);
                self.builder.ins().jump(self.blocks[target.block.index()], &args);
            }
            Terminator::Cbr(condition, yes, no) => {
                let condition = self.atom(*condition);
                let (yes_args, no_args) = (self.arguments(yes), self.arguments(no));
                let (yes, no) = (self.blocks[yes.block.index()], self.blocks[no.block.index()]);
                emit::branch(&mut self.builder, condition, (yes, &yes_args), (no, &no_args));
            }
            Terminator::Switch(value, arms, default) => self.switch(*value, arms, default),
            Terminator::Ret(atom) => {
                let value = self.number(*atom);
                self.builder.ins().return_(&[value]);
            }
            Terminator::Trap(trap) => {
                self.builder.ins().trap(emit::trap_code(*trap));
            }
        }
    }

    /// A dense `switch` is CLIF's `br_table`, whose edges pass arguments. Any other goes by way of the frontend's
    /// `Switch`, whose edges pass none: each edge that has some gets a block that passes them.
    fn switch(&mut self, value: Atom, arms: &[(i64, Target)], default: &Target) {
        let value = self.number(value);
        #[cfg(not(cranelift_before = "0.94"))]
        if let Some((first, table)) = dense(arms) {
            return self.table(value, first, table, default);
        }
        let arms: Vec<_> = arms.iter().map(|(constant, target)| (*constant, self.edge(target))).collect();
        let default = self.edge(default);
        emit::switch(&mut self.builder, value, &arms, default);
        self.fill_edges();
    }

    #[cfg(not(cranelift_before = "0.94"))]
    fn table(&mut self, value: ir::Value, first: i64, table: Vec<Option<&Target>>, default: &Target) {
        let offset = self.builder.ins().iconst(types::I64, first.wrapping_neg());
        let index = self.builder.ins().iadd(value, offset);
        let last = self.builder.ins().iconst(types::I64, i64::from(u32::MAX));
        let far = self.builder.ins().icmp(IntCC::UnsignedGreaterThan, index, last);
        let near = self.builder.create_block();
        let args = self.arguments(default);
        compat::branch(&mut self.builder, far, (self.blocks[default.block.index()], &args), (near, &[]));
        self.builder.switch_to_block(near);
        let calls: Vec<BlockCall> = table.into_iter().map(|arm| self.call(arm.unwrap_or(default))).collect();
        let default = self.call(default);
        let table = self.builder.create_jump_table(JumpTableData::new(default, &calls));
        let index = self.builder.ins().ireduce(types::I32, index);
        self.builder.ins().br_table(index, table);
    }

    #[cfg(not(cranelift_before = "0.94"))]
    fn call(&mut self, target: &Target) -> BlockCall {
        let args = self.arguments(target);
        self.builder.func.dfg.block_call(self.blocks[target.block.index()], &args)
    }

    /// Where an edge without arguments goes: to the target, or to a block to be filled that passes what the edge
    /// should.
    fn edge(&mut self, target: &Target) -> ir::Block {
        if target.args.is_empty() {
            return self.blocks[target.block.index()];
        }
        let args = self.arguments(target);
        let block = self.builder.create_block();
        self.edges.push((block, self.blocks[target.block.index()], args));
        block
    }

    fn fill_edges(&mut self) {
        for (block, target, args) in std::mem::take(&mut self.edges) {
            self.builder.switch_to_block(block);
            self.builder.ins().jump(target, &args);
        }
    }

    fn arguments(&mut self, target: &Target) -> Vec<BlockArg> {
        let mut args: Vec<BlockArg> = target.args.iter().map(|&arg| self.number(arg).into()).collect();
        if plant::on(Fault::ClifDropArgument) && args.len() > 1 {
            args[1] = args[0];
        }
        args
    }

    /// The value as an `i64`.
    fn number(&mut self, atom: Atom) -> ir::Value {
        self.atom(atom).number(&mut self.builder)
    }

    fn atom(&mut self, atom: Atom) -> Made {
        let constant = match atom {
            Atom::Const(n) => n,
            Atom::Value(value) => match self.values[value.index()] {
                Some(made) => return made,
                None => 0,
            },
        };
        Made::Number(self.builder.ins().iconst(types::I64, constant))
    }
}
