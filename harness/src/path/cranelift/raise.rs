//! CLIF back into the lab's form, so that S0–S4 judge what Cranelift made and the lab's interpreter runs it.
//!
//! - The function's pointer parameter goes: what is loaded from it are the lab function's inputs, and behind them the
//!   address of `emit`, so that a call of it is that operation.
//! - A stack slot is an array. Addresses are numbers of bytes into the one that they are computed from; a load or a
//!   store divides by 8.
//! - Value aliases are resolved; constants become operands.
//! - A value narrower than 64 bits is held zero-extended (`meaning.rs` has the table).
//! - Blocks are those of the layout, in its order: unreachable ones too, as long as Cranelift keeps them.
//!
//! The names tell where things come from: `v7` and `block3` are those of CLIF, `in0` is an input, `t0` an intermediate
//! result.

use cranelift_codegen::ir::{self, InstructionData, Opcode, Type, types};

use crate::lab::{Atom, Block, BlockData, Function, Inst, Target, Terminator, Value};
use crate::names::Names;
use crate::op::{Array, Op};
use crate::path::cranelift::compat;
use crate::path::cranelift::emit::trap_of;
use crate::path::cranelift::meaning::{Widths, zero_extend, zero_extension};

/// Raises a function with this many inputs. The error names what the lab's form can't say: an opcode, mostly.
pub(super) fn raise(clif: &ir::Function, inputs: usize) -> Result<Function, String> {
    let mut raiser = Raiser::new(clif, inputs);
    raiser.name_blocks();
    raiser.name_values()?;
    for block in clif.layout.blocks() {
        raiser.block(block)?;
    }
    Ok(raiser.function)
}

/// Where a CLIF value's meaning comes from.
#[derive(Clone, Copy)]
enum Source {
    /// Nothing in the layout defines it.
    Unknown,
    /// The pointer to the inputs.
    Pointer,
    /// The address of the host's `emit`.
    Emit,
    /// A constant, an input, or a value of the lab function.
    Atom(Atom),
}

/// How many additions may lie between an array and an access.
const ACCESS_DEPTH: u32 = 8;

pub(super) struct Raiser<'a> {
    clif: &'a ir::Function,
    function: Function,
    /// By CLIF value.
    sources: Vec<Source>,
    /// By CLIF block: its index in the listing.
    blocks: Vec<Block>,
    /// The body of the block at work.
    body: Vec<Inst>,
    value_base: u32,
    temporary_base: u32,
    temporaries: u32,
}

impl<'a> Raiser<'a> {
    fn new(clif: &'a ir::Function, inputs: usize) -> Raiser<'a> {
        let mut value_names = Names::default();
        let input_base = value_names.base("in");
        let inputs = (0..inputs as u32).map(|i| Value(value_names.push_numbered(input_base, i))).collect();
        let value_base = value_names.base("v");
        let temporary_base = value_names.base("t");
        Raiser {
            clif,
            function: Function { inputs, blocks: Vec::new(), value_names, block_names: Names::default() },
            sources: vec![Source::Unknown; clif.dfg.num_values()],
            blocks: vec![Block(u32::MAX); clif.dfg.num_blocks()],
            body: Vec::new(),
            value_base,
            temporary_base,
            temporaries: 0,
        }
    }

    fn name_blocks(&mut self) {
        let base = self.function.block_names.base("block");
        for block in self.clif.layout.blocks() {
            let name = self.function.block_names.push_numbered(base, block.as_u32());
            self.blocks[block.as_u32() as usize] = Block(name);
        }
    }

    /// Finds what every value stands for, before any use is looked at: a use may be listed before its definition.
    fn name_values(&mut self) -> Result<(), String> {
        let clif = self.clif;
        for (i, block) in clif.layout.blocks().enumerate() {
            for &param in clif.dfg.block_params(block) {
                let source = if i == 0 { Source::Pointer } else { Source::Atom(self.fresh_value(param)) };
                self.set_source(param, source);
            }
            for inst in clif.layout.block_insts(block) {
                for &result in clif.dfg.inst_results(inst) {
                    let data = compat::data(clif, inst);
                    let source = match *data {
                        InstructionData::UnaryImm { opcode: Opcode::Iconst, imm } => {
                            Source::Atom(Atom::Const(zero_extend(imm.bits(), bits(clif.dfg.value_type(result))?)))
                        }
                        InstructionData::Load { opcode: Opcode::Load, arg, offset, .. }
                            if matches!(self.source(arg), Source::Pointer) =>
                        {
                            self.input(offset.into(), clif.dfg.value_type(result))?
                        }
                        _ => Source::Atom(match compat::stack_address(data) {
                            Some((_, offset)) => Atom::Const(offset.into()),
                            None => self.fresh_value(result),
                        }),
                    };
                    self.set_source(result, source);
                }
            }
        }
        Ok(())
    }

    fn fresh_value(&mut self, value: ir::Value) -> Atom {
        Atom::Value(Value(self.function.value_names.push_numbered(self.value_base, value.as_u32())))
    }

    fn set_source(&mut self, value: ir::Value, source: Source) {
        self.sources[value.as_u32() as usize] = source;
    }

    fn source(&self, value: ir::Value) -> Source {
        self.sources[self.clif.dfg.resolve_aliases(value).as_u32() as usize]
    }

    /// What a load reads: an input, or what stands behind them. The entry block, whose parameter is the pointer, comes
    /// first in the layout.
    fn input(&self, offset: i64, ty: Type) -> Result<Source, String> {
        let index = usize::try_from(offset / 8).ok().filter(|_| offset % 8 == 0 && ty == types::I64);
        let inputs = &self.function.inputs;
        match index {
            Some(index) if index < inputs.len() => Ok(Source::Atom(Atom::Value(inputs[index]))),
            Some(index) if index == inputs.len() => Ok(Source::Emit),
            _ => Err(format!("load of {ty} at {offset}")),
        }
    }

    fn block(&mut self, block: ir::Block) -> Result<(), String> {
        let clif = self.clif;
        let is_entry = self.function.blocks.is_empty();
        let mut term = Err("a block without a terminator".to_string());
        for inst in clif.layout.block_insts(block) {
            if compat::ends_block(compat::data(clif, inst)) {
                term = self.terminator(inst);
            } else {
                self.inst(inst)?;
            }
        }
        let params = if is_entry { &[] } else { clif.dfg.block_params(block) };
        let params = params.iter().map(|&param| match self.source(param) {
            Source::Atom(Atom::Value(value)) => value,
            _ => unreachable!("named in name_values; a parameter has no alias"),
        });
        let data = BlockData {
            name: self.blocks[block.as_u32() as usize],
            params: params.collect(),
            body: std::mem::take(&mut self.body),
            term: term?,
        };
        self.function.blocks.push(data);
        Ok(())
    }

    fn terminator(&mut self, inst: ir::Inst) -> Result<Terminator<Target>, String> {
        let data = compat::data(self.clif, inst);
        Ok(match *data {
            #[cfg(not(cranelift_before = "0.93"))]
            InstructionData::Jump { opcode: Opcode::Jump, destination } => Terminator::Br(self.target(destination)?),
            #[cfg(not(cranelift_before = "0.93"))]
            InstructionData::Brif { opcode: Opcode::Brif, arg, blocks: [yes, no] } => {
                Terminator::Cbr(self.atom(arg)?, self.target(yes)?, self.target(no)?)
            }
            // The last word on a block: what stands for a branch before it is read with it.
            #[cfg(cranelift_before = "0.93")]
            InstructionData::Jump { .. } => {
                let (block, arguments) = compat::destination(self.clif, inst)?;
                let rest = self.target_with(block, arguments)?;
                match compat::branch_before(self.clif, inst)? {
                    None => Terminator::Br(rest),
                    Some((condition, on_zero, block, arguments)) => {
                        let (condition, taken) = (self.atom(condition)?, self.target_with(block, arguments)?);
                        let (yes, no) = if on_zero { (rest, taken) } else { (taken, rest) };
                        Terminator::Cbr(condition, yes, no)
                    }
                }
            }
            #[cfg(not(cranelift_before = "0.94"))]
            InstructionData::BranchTable { opcode: Opcode::BrTable, arg, table } => {
                let table = &self.clif.dfg.jump_tables[table];
                let value = self.atom(arg)?;
                let arms = (0..).zip(table.as_slice()).map(|(index, &call)| Ok((index, self.target(call)?)));
                let arms = arms.collect::<Result<_, String>>()?;
                Terminator::Switch(value, arms, self.target(table.default_block())?)
            }
            InstructionData::MultiAry { opcode: Opcode::Return, ref args } => {
                match args.as_slice(&self.clif.dfg.value_lists) {
                    &[value] => Terminator::Ret(self.atom(value)?),
                    _ => return Err("return of other than one value".to_string()),
                }
            }
            InstructionData::Trap { opcode: Opcode::Trap, code } => {
                Terminator::Trap(trap_of(code).ok_or_else(|| format!("trap {code}"))?)
            }
            _ => return Err(data.opcode().to_string()),
        })
    }

    #[cfg(not(cranelift_before = "0.93"))]
    fn target(&mut self, call: ir::BlockCall) -> Result<Target, String> {
        let pool = &self.clif.dfg.value_lists;
        self.target_with(call.block(pool), compat::arguments(call, pool)?)
    }

    fn target_with(&mut self, block: ir::Block, arguments: Vec<ir::Value>) -> Result<Target, String> {
        let args = arguments.into_iter().map(|value| self.atom(value)).collect::<Result<_, _>>()?;
        Ok(Target { block: self.blocks[block.as_u32() as usize], args })
    }

    /// Appends what an instruction means to the body. Constants and the loads of inputs were given their meaning in
    /// `name_values`.
    fn inst(&mut self, inst: ir::Inst) -> Result<(), String> {
        let dfg = &self.clif.dfg;
        let data = compat::data(self.clif, inst);
        let opcode = data.opcode();
        if matches!(opcode, Opcode::Iconst | Opcode::StackAddr | Opcode::Nop) {
            return Ok(());
        }
        if let InstructionData::Load { .. } | InstructionData::Store { .. } = *data {
            return self.access(inst);
        }
        if let (Opcode::CallIndirect, &[callee, value]) = (opcode, dfg.inst_args(inst))
            && matches!(self.source(callee), Source::Emit)
        {
            let value = self.atom(value)?;
            self.emit(Op::Emit, &[value]);
            return Ok(());
        }
        let (&[result], args) = (dfg.inst_results(inst), dfg.inst_args(inst)) else { return Err(opcode.to_string()) };
        let mut operands = [Atom::Const(0); 3];
        if args.len() > operands.len() {
            return Err(opcode.to_string());
        }
        for (operand, &arg) in operands.iter_mut().zip(args) {
            *operand = self.atom(arg)?;
        }
        let at = bits(dfg.ctrl_typevar(inst))?;
        let result_width = bits(dfg.value_type(result))?;
        let first = args.first().map_or(Ok(at), |&arg| bits(dfg.value_type(arg)))?;
        let condition = data.cond_code();
        let (op, operands) =
            self.meaning(opcode, condition, operands, Widths { at, first }).ok_or_else(|| format!("{opcode}.i{at}"))?;
        let Source::Atom(Atom::Value(dest)) = self.source(result) else { unreachable!("named in name_values") };
        let inst = match (op, zero_extension(result_width)) {
            (Op::Copy, Some(extension)) => Inst::new(dest, extension, &operands[..1]),
            (_, Some(extension)) if opcode != Opcode::Icmp => {
                let wide = self.emit(op, &operands[..op.arity()]);
                Inst::new(dest, extension, &[wide])
            }
            _ => Inst::new(dest, op, &operands[..op.arity()]),
        };
        self.body.push(inst);
        Ok(())
    }

    /// Appends a load from an array or a store in it. The loads of inputs are no instructions.
    fn access(&mut self, inst: ir::Inst) -> Result<(), String> {
        let dfg = &self.clif.dfg;
        let (stored, pointer, offset) = match *compat::data(self.clif, inst) {
            InstructionData::Load { opcode: Opcode::Load, arg, offset, .. } => (None, arg, offset),
            InstructionData::Store { opcode: Opcode::Store, args: [value, pointer], offset, .. } => {
                (Some(value), pointer, offset)
            }
            ref other => return Err(other.opcode().to_string()),
        };
        if stored.is_none() && matches!(self.source(pointer), Source::Pointer) {
            return Ok(());
        }
        let accessed = stored.unwrap_or_else(|| dfg.inst_results(inst)[0]);
        let ty = dfg.value_type(accessed);
        let array = self.array(pointer, ACCESS_DEPTH).filter(|_| ty == types::I64);
        let array = array.ok_or_else(|| format!("{} of {ty} at an address", compat::data(self.clif, inst).opcode()))?;
        let address = self.atom(pointer)?;
        let address = match i64::from(offset) {
            0 => address,
            offset => self.emit(Op::Add, &[address, Atom::Const(offset)]),
        };
        let index = self.emit(Op::Lshr, &[address, Atom::Const(3)]);
        match stored {
            Some(value) => {
                let value = self.atom(value)?;
                self.emit(Op::Store(array), &[index, value]);
            }
            None => {
                let Source::Atom(Atom::Value(dest)) = self.source(accessed) else {
                    unreachable!("named in name_values")
                };
                self.body.push(Inst::new(dest, Op::Load(array), &[index]));
            }
        }
        Ok(())
    }

    /// The array that an address is computed from by additions alone.
    fn array(&self, address: ir::Value, depth: u32) -> Option<Array> {
        let ir::ValueDef::Result(inst, _) = self.clif.dfg.value_def(self.clif.dfg.resolve_aliases(address)) else {
            return None;
        };
        let data = compat::data(self.clif, inst);
        if let Some((slot, _)) = compat::stack_address(data) {
            let length = compat::slot_size(self.clif, slot) / 8;
            return Array::new(slot.as_u32().try_into().ok()?, length.try_into().ok()?);
        }
        match *data {
            InstructionData::Binary { opcode: Opcode::Iadd, args } if depth > 0 => {
                args.into_iter().find_map(|arg| self.array(arg, depth - 1))
            }
            _ => None,
        }
    }

    /// Appends an operation with a result of its own.
    pub(super) fn emit(&mut self, op: Op, operands: &[Atom]) -> Atom {
        let dest = Value(self.function.value_names.push_numbered(self.temporary_base, self.temporaries));
        self.temporaries += 1;
        self.body.push(Inst::new(dest, op, operands));
        Atom::Value(dest)
    }

    /// A use of a CLIF value.
    fn atom(&mut self, value: ir::Value) -> Result<Atom, String> {
        match self.source(value) {
            Source::Atom(atom) => Ok(atom),
            Source::Pointer => Err("the pointer to the inputs as a value".to_string()),
            Source::Emit => Err("the address of emit as a value".to_string()),
            // For S2 to judge: a name that nothing defines.
            Source::Unknown => {
                let atom = self.fresh_value(value);
                self.set_source(self.clif.dfg.resolve_aliases(value), Source::Atom(atom));
                Ok(atom)
            }
        }
    }
}

/// The width of an integer type that the lab's values can hold.
fn bits(ty: Type) -> Result<u32, String> {
    match ty {
        types::I8 | types::I16 | types::I32 | types::I64 => Ok(compat::bits(ty)),
        _ => compat::truth_bits(ty).ok_or_else(|| format!("values of type {ty}")),
    }
}
