//! LLVM's SSA raised into the lab's phi form (Definition 8.4.3), so that the lab judges and runs what LLVM constructed.
//!
//! `meaning.rs` has the table of what each instruction becomes. A narrow integer is held zero-extended (see `op.rs`),
//! so that `zext` is a copy and bit logic is the same at every width; arithmetic is that of the narrow operations. A
//! load of an input is the function's input; a guard stays what it is, a branch to a block that traps. Unreachable
//! blocks are left out: `mem2reg` leaves poison in them, and nothing can run it. Elsewhere, poison and every
//! instruction without a line in the tables are *unsupported*.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use inkwell::basic_block::BasicBlock;
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::llvm_sys::{LLVMOpcode, core};
use inkwell::module::Module;
use inkwell::types::AnyTypeEnum;
use inkwell::values::{
    AnyValue, AsValueRef, BasicValue, BasicValueEnum, CallSiteValue, FunctionValue, InstructionOpcode,
    InstructionValue, IntValue, PhiValue,
};

use super::compat;
use super::emit::{EMIT, FUNCTION, RAISE_TRAP, TRAPS};
use super::meaning::{comparison, intrinsic_operation, operation, zero_extension};
use crate::lab::{Atom, Block, Inst, Phi, PhiBlock, PhiFunction, Terminator, Value};
use crate::names::Names;
use crate::op::{Array, Int, Op, Trap};

/// What can't be raised: an opcode, a kind of value.
pub type Reason = String;

/// A table of LLVM's objects, which are told apart by their addresses.
type Table<K, V> = HashMap<K, V, BuildHasherDefault<ByAddress>>;

/// Spreads an address over 64 bits (Fibonacci hashing); the standard hasher would take a third of the time of raising.
#[derive(Default)]
pub struct ByAddress(u64);

impl Hasher for ByAddress {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_usize(usize::from(byte)));
    }

    fn write_usize(&mut self, address: usize) {
        self.0 = (self.0.rotate_left(5) ^ address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

/// Raises the module's function, which has so many inputs.
pub fn raise(module: &Module<'_>, inputs: usize) -> Result<PhiFunction, Reason> {
    let function = module.get_function(FUNCTION).ok_or("no function")?;
    let mut raiser = Raiser::number(function, inputs)?;
    let listing: Vec<_> = function.get_basic_block_iter().filter(|block| raiser.blocks.contains_key(block)).collect();
    let blocks = listing.into_iter().map(|block| raiser.block(block)).collect::<Result<_, _>>()?;
    Ok(PhiFunction { inputs: raiser.inputs, blocks, value_names: raiser.value_names, block_names: raiser.block_names })
}

/// Names for everything, given before anything is translated: a phi may use what stands behind it.
pub(super) struct Raiser<'ctx> {
    inputs: Vec<Value>,
    /// Integers, and the addresses of elements of arrays.
    pub(super) atoms: Table<LLVMValueRef, Atom>,
    /// Pointers into the inputs, by index.
    places: Table<LLVMValueRef, usize>,
    /// The arrays that pointers point into.
    pub(super) arrays: Table<LLVMValueRef, Array>,
    /// The reachable blocks.
    blocks: Table<BasicBlock<'ctx>, Block>,
    value_names: Names,
    block_names: Names,
    /// The base of the names of values.
    base: u32,
    /// The base of the names of intermediate results, and how many there are.
    temporaries: (u32, u32),
}

impl<'ctx> Raiser<'ctx> {
    fn number(function: FunctionValue<'ctx>, inputs: usize) -> Result<Self, Reason> {
        let (mut value_names, mut block_names) = (Names::default(), Names::default());
        let block_base = block_names.base("b");
        let input_base = value_names.base("in");
        let inputs: Vec<_> = (0..inputs).map(|k| Value(value_names.push_version(input_base, k as u32))).collect();
        let base = value_names.base("v");
        let temporaries = (value_names.base("t"), 0);
        let reachable = reachable(function);
        let mut raiser = Raiser {
            inputs,
            atoms: Table::default(),
            places: Table::default(),
            arrays: Table::default(),
            blocks: Table::default(),
            value_names,
            block_names,
            base,
            temporaries,
        };
        if let Some(pointer) = function.get_first_param() {
            raiser.places.insert(pointer.as_value_ref(), 0);
        }
        for block in function.get_basic_block_iter().filter(|block| reachable.contains_key(block)) {
            let name = raiser.block_names.push_version(block_base, raiser.blocks.len() as u32);
            raiser.blocks.insert(block, Block(name));
            for inst in block.get_instructions() {
                raiser.number_instruction(inst)?;
            }
        }
        Ok(raiser)
    }

    fn number_instruction(&mut self, inst: InstructionValue<'ctx>) -> Result<(), Reason> {
        match inst.get_opcode() {
            InstructionOpcode::Alloca => self.number_alloca(inst)?,
            InstructionOpcode::GetElementPtr if self.array_at(inst, 0)?.is_some() => {
                self.arrays.extend(self.array_at(inst, 0)?.map(|array| (inst.as_value_ref(), array)));
                self.number_value(inst);
            }
            InstructionOpcode::Load if self.array_at(inst, 0)?.is_some() => self.number_value(inst),
            // The inputs' places dominate their uses within the entry block, so they are known here.
            InstructionOpcode::GetElementPtr => {
                let place = self.places.get(&operand(inst, 0)?.as_value_ref()).ok_or("getelementptr of a value")?;
                let offset = constant(operand(inst, 1)?)?;
                let index =
                    usize::try_from(offset).ok().filter(|_| compat::steps_by_i64(inst)).ok_or("getelementptr")?;
                self.places.insert(inst.as_value_ref(), place + index);
            }
            InstructionOpcode::Load => {
                let place = self.places.get(&operand(inst, 0)?.as_value_ref());
                let input = place.and_then(|&place| self.inputs.get(place)).ok_or("load")?;
                self.atoms.insert(inst.as_value_ref(), Atom::Value(*input));
            }
            _ if matches!(inst.get_type(), AnyTypeEnum::IntType(_)) => self.number_value(inst),
            _ => {}
        }
        Ok(())
    }

    fn number_value(&mut self, inst: InstructionValue<'ctx>) {
        let value = Value(self.value_names.push_version(self.base, self.atoms.len() as u32));
        self.atoms.insert(inst.as_value_ref(), Atom::Value(value));
    }

    fn block(&mut self, block: BasicBlock<'ctx>) -> Result<PhiBlock, Reason> {
        let (mut phis, mut body, mut trap) = (Vec::new(), Vec::new(), None);
        let mut term = None;
        for inst in block.get_instructions() {
            match inst.get_opcode() {
                InstructionOpcode::Alloca => {}
                InstructionOpcode::GetElementPtr | InstructionOpcode::Load | InstructionOpcode::Store => {
                    self.element(inst, &mut body)?;
                }
                InstructionOpcode::Phi => phis.push(self.phi(inst)?),
                InstructionOpcode::Call if intrinsic(inst).is_none() => match callee(inst)?.as_str() {
                    EMIT => self.emit(inst, &mut body)?,
                    _ => trap = Some(raised_trap(inst)?),
                },
                InstructionOpcode::Switch => term = Some(self.switch(inst)?),
                InstructionOpcode::Return => term = Some(Terminator::Ret(self.atom(operand(inst, 0)?)?)),
                InstructionOpcode::Unreachable => {
                    term = Some(Terminator::Trap(trap.ok_or("unreachable")?));
                }
                _ if compat::is_branch(c_opcode(inst)) => term = Some(self.branch(inst)?),
                _ => self.instruction(inst, &mut body)?,
            }
        }
        let name = self.blocks[&block];
        Ok(PhiBlock { name, phis, body, term: term.ok_or("no terminator")? })
    }

    fn phi(&self, inst: InstructionValue<'ctx>) -> Result<Phi, Reason> {
        let phi = PhiValue::try_from(inst).map_err(|()| "phi")?;
        let mut entries: Vec<(Block, Atom)> = Vec::with_capacity(phi.count_incoming() as usize);
        for (value, predecessor) in phi.get_incomings() {
            // LLVM has an entry for each edge, the lab for each reachable predecessor; a multi-edge's entries are
            // equal.
            match self.blocks.get(&predecessor) {
                Some(block) if entries.iter().all(|(known, _)| known != block) => {
                    entries.push((*block, self.atom(value)?));
                }
                _ => {}
            }
        }
        Ok(Phi { dest: self.dest(inst)?, entries })
    }

    fn branch(&self, inst: InstructionValue<'ctx>) -> Result<Terminator<Block>, Reason> {
        Ok(match inst.get_num_operands() {
            1 => Terminator::Br(self.successor(inst, 0)?),
            _ => Terminator::Cbr(self.atom(operand(inst, 0)?)?, self.successor(inst, 0)?, self.successor(inst, 1)?),
        })
    }

    /// A terminator's target.
    fn successor(&self, inst: InstructionValue<'ctx>, index: u32) -> Result<Block, Reason> {
        // SAFETY: a terminator of a module that lives; the caller asks for a target that it has.
        let block = unsafe { BasicBlock::new(core::LLVMGetSuccessor(inst.as_value_ref(), index)) };
        self.blocks.get(&block.ok_or("no target")?).copied().ok_or_else(|| "a target that is nowhere".into())
    }

    /// Target 0 is where the rest goes, each further one has a constant.
    fn switch(&self, inst: InstructionValue<'ctx>) -> Result<Terminator<Block>, Reason> {
        // SAFETY: a target with a constant, which lives as long as the context.
        let case = |successor| unsafe { IntValue::new(compat::case_value(inst.as_value_ref(), successor)) };
        // SAFETY: a terminator of a module that lives.
        let successors = unsafe { core::LLVMGetNumSuccessors(inst.as_value_ref()) };
        let arms = (1..successors).map(|it| Ok((constant(case(it).into())?, self.successor(inst, it)?)));
        let arms = arms.collect::<Result<_, Reason>>()?;
        Ok(Terminator::Switch(self.atom(operand(inst, 0)?)?, arms, self.successor(inst, 0)?))
    }

    /// Appends what an instruction means: an operation, and what brings its result into the form in which it is held.
    fn instruction(&mut self, inst: InstructionValue<'ctx>, body: &mut Vec<Inst>) -> Result<(), Reason> {
        let opcode = inst.get_opcode();
        if is_wide(inst) {
            // A step towards the upper half of a product, which is taken as one.
            return Ok(());
        }
        let dest = self.dest(inst)?;
        if let Some((op, [a, b])) = self.high_product(inst)? {
            body.push(Inst::new(dest, op, &[a, b]));
            return Ok(());
        }
        let bits = width(operand(inst, 0)?);
        let name = intrinsic(inst);
        let op = match (inst.get_icmp_predicate(), &name) {
            (Some(predicate), _) => comparison(predicate, bits),
            (None, Some(name)) => intrinsic_operation(name, bits),
            (None, None) => operation(opcode, bits),
        };
        let what = name.as_deref().map_or_else(|| mnemonic(opcode), str::to_string);
        let op = op.ok_or_else(|| format!("{what} i{bits}"))?;
        let mut operands = Vec::with_capacity(3);
        for index in 0..op.arity() as u32 {
            match opcode {
                InstructionOpcode::Trunc if index == 1 => operands.push(mask(inst)?),
                _ => operands.push(self.atom(operand(inst, index)?)?),
            }
        }
        if what == "llvm.fshl" || what == "llvm.fshr" {
            // A rotation, if it shifts one value into itself.
            let [first, second, count] = [0, 1, 2].map(|index| operand(inst, index));
            if first?.as_value_ref() != second?.as_value_ref() {
                return Err(format!("{what} i{bits}"));
            }
            operands[1] = self.atom(count?)?;
        }
        // What is read as signed has its sign in all 64 bits.
        let result = match inst.get_type() {
            AnyTypeEnum::IntType(int) => int.get_bit_width(),
            _ => 64,
        };
        let signed = matches!(op, Op::At(narrow, int) if int.signed() && !narrow.compares())
            || opcode == InstructionOpcode::SExt && result < 64;
        if signed {
            let wide = self.temporary();
            body.push(Inst::new(wide, op, &operands));
            let held = Int::new(result, false).map(zero_extension).ok_or_else(|| format!("{what} to i{result}"))?;
            body.push(Inst::new(dest, held, &[Atom::Value(wide)]));
        } else {
            body.push(Inst::new(dest, op, &operands));
        }
        Ok(())
    }

    /// A new name for an intermediate result.
    pub(super) fn temporary(&mut self) -> Value {
        let (base, count) = self.temporaries;
        self.temporaries.1 += 1;
        Value(self.value_names.push_version(base, count))
    }

    /// A call of `emit`, which gives nothing here.
    fn emit(&mut self, inst: InstructionValue<'ctx>, body: &mut Vec<Inst>) -> Result<(), Reason> {
        let value = self.atom(operand(inst, 0)?)?;
        body.push(Inst::new(self.temporary(), Op::Emit, &[value]));
        Ok(())
    }

    /// The upper half of a product as the emitter writes it: `trunc (lshr (mul (ext a), (ext b)), 64)`.
    fn high_product(&self, inst: InstructionValue<'ctx>) -> Result<Option<(Op, [Atom; 2])>, Reason> {
        if inst.get_opcode() != InstructionOpcode::Trunc || width(operand(inst, 0)?) <= 64 {
            return Ok(None);
        }
        let shifted = made(operand(inst, 0)?, InstructionOpcode::LShr)?;
        let product = made(operand(shifted, 0)?, InstructionOpcode::Mul)?;
        let mut op = Op::Umulhi;
        let mut operands = [Atom::Const(0); 2];
        for (slot, index) in operands.iter_mut().zip(0..) {
            let factor = operand(product, index)?;
            match factor.as_instruction_value() {
                Some(extension) => {
                    if extension.get_opcode() == InstructionOpcode::SExt {
                        op = Op::Mulhi;
                    }
                    *slot = self.atom(operand(extension, 0)?)?;
                }
                None => *slot = Atom::Const(wide_constant(factor)?),
            }
        }
        Ok(Some((op, operands)))
    }

    pub(super) fn dest(&self, inst: InstructionValue<'ctx>) -> Result<Value, Reason> {
        match self.atoms.get(&inst.as_value_ref()) {
            Some(Atom::Value(value)) => Ok(*value),
            _ => Err(mnemonic(inst.get_opcode())),
        }
    }

    pub(super) fn atom(&self, value: BasicValueEnum<'ctx>) -> Result<Atom, Reason> {
        match self.atoms.get(&value.as_value_ref()) {
            Some(atom) => Ok(*atom),
            None => constant(value).map(Atom::Const),
        }
    }
}

/// The name of the intrinsic that an instruction calls, if it does: `llvm.smin` of `llvm.smin.i8`.
fn intrinsic(inst: InstructionValue<'_>) -> Option<String> {
    let callee = CallSiteValue::try_from(inst).ok()?.get_called_fn_value()?;
    let name = callee.get_name().to_str().ok()?.to_string();
    let (name, _) = name.strip_prefix("llvm.").and_then(|_| name.rsplit_once('.'))?;
    Some(name.to_string())
}

/// Whether an instruction's result has more than 64 bits.
fn is_wide(inst: InstructionValue<'_>) -> bool {
    matches!(inst.get_type(), AnyTypeEnum::IntType(int) if int.get_bit_width() > 64)
}

/// The instruction that made a value, which must be this one.
fn made<'ctx>(value: BasicValueEnum<'ctx>, opcode: InstructionOpcode) -> Result<InstructionValue<'ctx>, Reason> {
    let inst = value.as_instruction_value().filter(|inst| inst.get_opcode() == opcode);
    inst.ok_or_else(|| format!("i{} without {}", width(value), mnemonic(opcode)))
}

/// A constant of more than 64 bits that is an extended one of 64.
fn wide_constant(value: BasicValueEnum<'_>) -> Result<i64, Reason> {
    let text = value.print_to_string().to_string();
    let number = text.rsplit(' ').next().and_then(|digits| digits.parse::<i128>().ok());
    number.map(|number| number as i64).ok_or_else(|| "wide constant".into())
}

/// The name of what is called.
fn callee(inst: InstructionValue<'_>) -> Result<String, Reason> {
    let call = CallSiteValue::try_from(inst).map_err(|()| "call")?;
    let callee = call.get_called_fn_value().ok_or("call of a value")?;
    Ok(callee.get_name().to_string_lossy().into_owned())
}

/// A call of the host function that ends the run.
fn raised_trap(inst: InstructionValue<'_>) -> Result<Trap, Reason> {
    let name = callee(inst)?;
    if name != RAISE_TRAP {
        return Err(format!("call {name}"));
    }
    let code = constant(operand(inst, 0)?)?;
    TRAPS.get(code as usize).copied().ok_or_else(|| format!("call {name} {code}"))
}

/// A constant, a narrow one zero-extended.
pub(super) fn constant(value: BasicValueEnum<'_>) -> Result<i64, Reason> {
    match value {
        BasicValueEnum::IntValue(int) if int.is_constant_int() => match int.get_type().get_bit_width() {
            64 => int.get_sign_extended_constant(),
            _ => int.get_zero_extended_constant().map(|bits| bits as i64),
        }
        .ok_or_else(|| "wide constant".into()),
        _ if value.is_poison() => Err("poison".into()),
        _ => Err("constant".into()),
    }
}

/// The bits that `trunc` keeps.
fn mask(inst: InstructionValue<'_>) -> Result<Atom, Reason> {
    match inst.get_type() {
        AnyTypeEnum::IntType(int) if int.get_bit_width() < 64 => Ok(Atom::Const((1 << int.get_bit_width()) - 1)),
        _ => Err("trunc".into()),
    }
}

/// An instruction's opcode, as the C interface has it.
fn c_opcode(inst: InstructionValue<'_>) -> LLVMOpcode {
    // SAFETY: an instruction of a module that lives.
    unsafe { core::LLVMGetInstructionOpcode(inst.as_value_ref()) }
}

pub(super) fn operand<'ctx>(inst: InstructionValue<'ctx>, index: u32) -> Result<BasicValueEnum<'ctx>, Reason> {
    inst.get_operand(index).and_then(|operand| operand.value()).ok_or_else(|| mnemonic(inst.get_opcode()))
}

/// The bits of an integer; 0 for anything else.
pub(super) fn width(value: BasicValueEnum<'_>) -> u32 {
    match value {
        BasicValueEnum::IntValue(int) => int.get_type().get_bit_width(),
        _ => 0,
    }
}

fn mnemonic(opcode: InstructionOpcode) -> Reason {
    format!("{opcode:?}").to_lowercase()
}

/// The blocks that some path from the entry leads to.
fn reachable<'ctx>(function: FunctionValue<'ctx>) -> Table<BasicBlock<'ctx>, ()> {
    let mut seen = Table::default();
    let mut todo: Vec<_> = function.get_first_basic_block().into_iter().collect();
    while let Some(block) = todo.pop() {
        if seen.insert(block, ()).is_none() {
            let terminator = block.get_terminator();
            let operands = terminator.into_iter().flat_map(|terminator| terminator.get_operands());
            todo.extend(operands.flatten().filter_map(|operand| operand.block()));
        }
    }
    seen
}
