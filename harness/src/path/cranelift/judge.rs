//! A function as it stands, valid or not, written as CLIF for Cranelift's verifier to judge.
//!
//! Nothing here goes through Cranelift's frontend, which has opinions of its own and panics on what it dislikes. Every
//! instruction is made before any is filled in, so a use may come before its definition, in any order of blocks. A name
//! that nothing defines is the result of an instruction that stands in no block: that is how CLIF says it.
//!
//! A value in CLIF *is* an instruction's result or a parameter, and a block is a number: neither can exist twice.

use std::collections::HashSet;

use cranelift_codegen::cursor::{Cursor, FuncCursor};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, AbiParam, BlockArg, InstBuilder, InstructionData, JumpTableData, Opcode, types};
use cranelift_codegen::settings;
use cranelift_codegen::verify_function;

use crate::lab::{Atom, Block, BlockData, Function, Inst, PhiBlock, PhiFunction, Target, Terminator, Value};
use crate::op::Op;
use crate::path::panics::catch;
use crate::path::{Judge, Judgement, PathId, Toolchain, Validator};

/// Cranelift's verifier.
pub(super) fn validator() -> Validator {
    let version = cranelift_codegen::VERSION;
    Validator {
        judge: Judge::Cranelift,
        path: PathId::new("cranelift", Some(version), "verifier"),
        toolchain: Toolchain {
            description: format!("Cranelift {version}, verify_function"),
            group: "cranelift".into(),
            unavailable: None,
        },
        judge_ssa,
        judge_phi,
    }
}

/// What the verifier says of a function in block-argument form.
fn judge_ssa(function: &Function) -> Judgement {
    match catch(|| Writer::write(function).map(|written| verdict(&written))) {
        Ok(Ok(judgement)) => judgement,
        Ok(Err(reason)) => Judgement::CannotSay(reason),
        Err(panic) => Judgement::Fails(panic),
    }
}

fn verdict(function: &ir::Function) -> Judgement {
    match verify_function(function, &settings::Flags::new(settings::builder())) {
        Ok(()) => Judgement::Accepts,
        Err(errors) => Judgement::Rejects(errors.to_string().trim_end().to_string()),
    }
}

/// What it says of a function in phi form: an entry is what its edges pass.
fn judge_phi(function: &PhiFunction) -> Judgement {
    match function.blocks.iter().map(|block| block_with_arguments(function, block)).collect() {
        Err(reason) => Judgement::CannotSay(reason),
        Ok(blocks) => judge_ssa(&Function {
            inputs: function.inputs.clone(),
            blocks,
            value_names: function.value_names.clone(),
            block_names: function.block_names.clone(),
        }),
    }
}

fn block_with_arguments(function: &PhiFunction, block: &PhiBlock) -> Result<BlockData, String> {
    for phi in &block.phis {
        let mut entered = HashSet::new();
        for &(from, _) in &phi.entries {
            let source = function.blocks.get(from.index());
            if !source.is_some_and(|source| source.term.targets().any(|&target| target == block.name)) {
                return Err("an argument from a block that does not branch here".into());
            }
            if !entered.insert(from) {
                return Err("two arguments on one edge for one parameter".into());
            }
        }
    }
    let passed = |to: &Block| {
        let phis = function.blocks.get(to.index()).map_or(&[][..], |target| &target.phis);
        let entries = phis.iter().filter_map(|phi| phi.entries.iter().find(|(from, _)| *from == block.name));
        Target { block: *to, args: entries.map(|&(_, atom)| atom).collect() }
    };
    Ok(BlockData {
        name: block.name,
        params: block.phis.iter().map(|phi| phi.dest).collect(),
        body: block.body.clone(),
        term: block.term.map(passed),
    })
}

/// An instruction that is made and not yet filled in.
struct Shell {
    /// What takes the operands.
    inst: ir::Inst,
    /// What widens a comparison's result.
    widened: Option<ir::Inst>,
    operands: Vec<Atom>,
}

struct Writer {
    function: ir::Function,
    blocks: Vec<ir::Block>,
    /// By name; at first each is the value that is defined nowhere.
    values: Vec<ir::Value>,
    defined: Vec<bool>,
}

impl Writer {
    /// The function in CLIF; the error says what CLIF has no way to say.
    fn write(source: &Function) -> Result<ir::Function, String> {
        let mut function = ir::Function::new();
        function.signature.params.extend(source.inputs.iter().map(|_| AbiParam::new(types::I64)));
        function.signature.returns.push(AbiParam::new(types::I64));
        let nowhere = function.dfg.make_inst(InstructionData::UnaryImm { opcode: Opcode::Iconst, imm: 0.into() });
        function.dfg.make_inst_results(nowhere, types::I64);
        let nowhere = function.dfg.first_result(nowhere);

        let names = source.value_names.len();
        let mut writer =
            Writer { function, blocks: Vec::new(), values: vec![nowhere; names], defined: vec![false; names] };
        for (index, block) in source.blocks.iter().enumerate() {
            if block.name.index() != index {
                return Err("two blocks of one name".into());
            }
            let clif = writer.function.dfg.make_block();
            writer.function.layout.append_block(clif);
            writer.blocks.push(clif);
            let inputs = if index == 0 { &source.inputs[..] } else { &[] };
            for &param in inputs.iter().chain(&block.params) {
                let value = writer.function.dfg.append_block_param(clif, types::I64);
                writer.define(param, value)?;
            }
        }
        let bodies = source.blocks.iter().map(|block| block.body.iter().map(|inst| writer.shell(inst)).collect());
        let bodies: Vec<Vec<Shell>> = bodies.collect::<Result<_, String>>()?;
        for ((index, block), body) in source.blocks.iter().enumerate().zip(&bodies) {
            let clif = writer.blocks[index];
            body.iter().for_each(|shell| writer.fill(clif, shell));
            writer.terminator(clif, &block.term)?;
        }
        Ok(writer.function)
    }

    fn define(&mut self, name: Value, value: ir::Value) -> Result<(), String> {
        if std::mem::replace(&mut self.defined[name.index()], true) {
            return Err("two definitions of one value".into());
        }
        self.values[name.index()] = value;
        Ok(())
    }

    /// Makes an instruction and its result. What CLIF has no instruction for is an addition, a subtraction or a
    /// comparison with 0.
    fn shell(&mut self, inst: &Inst) -> Result<Shell, String> {
        let [a, b, c] = inst.args;
        let zero = Atom::Const(0);
        let (opcode, condition, operands) = match inst.op {
            Op::Add => (Opcode::Iadd, None, vec![a, b]),
            Op::Sub => (Opcode::Isub, None, vec![a, b]),
            Op::Mul => (Opcode::Imul, None, vec![a, b]),
            Op::Div => (Opcode::Sdiv, None, vec![a, b]),
            Op::Rem => (Opcode::Srem, None, vec![a, b]),
            Op::Neg => (Opcode::Isub, None, vec![zero, a]),
            Op::Copy => (Opcode::Iadd, None, vec![a, zero]),
            Op::Eq => (Opcode::Icmp, Some(IntCC::Equal), vec![a, b]),
            Op::Ne => (Opcode::Icmp, Some(IntCC::NotEqual), vec![a, b]),
            Op::Lt => (Opcode::Icmp, Some(IntCC::SignedLessThan), vec![a, b]),
            Op::Le => (Opcode::Icmp, Some(IntCC::SignedLessThanOrEqual), vec![a, b]),
            Op::Gt => (Opcode::Icmp, Some(IntCC::SignedGreaterThan), vec![a, b]),
            Op::Ge => (Opcode::Icmp, Some(IntCC::SignedGreaterThanOrEqual), vec![a, b]),
            Op::Not => (Opcode::Icmp, Some(IntCC::Equal), vec![a, zero]),
            // Nothing of this runs, so an operation with as many operands does for any other.
            op if op.arity() == 1 => (Opcode::Iadd, None, vec![a, zero]),
            op if op.arity() == 2 => (Opcode::Iadd, None, vec![a, b]),
            _ => (Opcode::Select, None, vec![a, b, c]),
        };
        // `fill` puts the operands in place of these.
        let unknown = ir::Value::from_u32(0);
        let args = [unknown; 2];
        let dfg = &mut self.function.dfg;
        let inst_of = |dfg: &mut ir::DataFlowGraph, data| {
            let inst = dfg.make_inst(data);
            dfg.make_inst_results(inst, types::I64);
            inst
        };
        let (made, widened) = match condition {
            None if operands.len() == 3 => {
                (inst_of(dfg, InstructionData::Ternary { opcode, args: [unknown; 3] }), None)
            }
            None => (inst_of(dfg, InstructionData::Binary { opcode, args }), None),
            Some(cond) => {
                let compared = inst_of(dfg, InstructionData::IntCompare { opcode, cond, args });
                let arg = dfg.first_result(compared);
                (compared, Some(inst_of(dfg, InstructionData::Unary { opcode: Opcode::Uextend, arg })))
            }
        };
        let result = dfg.first_result(widened.unwrap_or(made));
        self.define(inst.dest, result)?;
        Ok(Shell { inst: made, widened, operands })
    }

    /// Gives an instruction its operands and puts it at the end of its block.
    fn fill(&mut self, block: ir::Block, shell: &Shell) {
        let args: Vec<ir::Value> = shell.operands.iter().map(|&operand| self.value(block, operand)).collect();
        self.function.dfg.inst_args_mut(shell.inst).copy_from_slice(&args);
        for inst in [Some(shell.inst), shell.widened].into_iter().flatten() {
            self.function.layout.append_inst(inst, block);
        }
    }

    fn terminator(&mut self, block: ir::Block, term: &Terminator<Target>) -> Result<(), String> {
        match term {
            Terminator::Br(target) => {
                let (to, args) = self.target(block, target);
                self.end(block).ins().jump(to, &args);
            }
            Terminator::Cbr(condition, yes, no) => {
                let condition = self.value(block, *condition);
                let ((yes, yes_args), (no, no_args)) = (self.target(block, yes), self.target(block, no));
                self.end(block).ins().brif(condition, yes, &yes_args, no, &no_args);
            }
            Terminator::Switch(value, arms, default) => {
                // CLIF's table goes by the index. Nothing of this runs, and the edges are the same.
                let value = self.value(block, *value);
                let index = self.end(block).ins().ireduce(types::I32, value);
                let mut calls = Vec::with_capacity(arms.len() + 1);
                for target in [default].into_iter().chain(arms.iter().map(|(_, target)| target)) {
                    let (to, args) = self.target(block, target);
                    calls.push(self.function.dfg.block_call(to, &args));
                }
                let table = self.function.create_jump_table(JumpTableData::new(calls[0], &calls[1..]));
                self.end(block).ins().br_table(index, table);
            }
            Terminator::Ret(atom) => {
                let value = self.value(block, *atom);
                self.end(block).ins().return_(&[value]);
            }
            Terminator::Trap(trap) => return Err(format!("the terminator trap {trap}")),
        }
        Ok(())
    }

    /// A target that does not exist is a block beyond those that were made.
    fn target(&mut self, block: ir::Block, target: &Target) -> (ir::Block, Vec<BlockArg>) {
        let args = target.args.iter().map(|&arg| self.value(block, arg).into()).collect();
        (ir::Block::from_u32(target.block.0), args)
    }

    fn value(&mut self, block: ir::Block, atom: Atom) -> ir::Value {
        match atom {
            Atom::Const(n) => self.end(block).ins().iconst(types::I64, n),
            Atom::Value(value) => self.values[value.index()],
        }
    }

    fn end(&mut self, block: ir::Block) -> FuncCursor<'_> {
        FuncCursor::new(&mut self.function).at_bottom(block)
    }
}
