//! What both lowerings to LLVM IR share: the function's frame, branches, and traps. `operations.rs` has the operations.
//!
//! The function is `i64 @f(ptr %inputs)`. The inputs are loads from memory that LLVM knows nothing of, so nothing folds
//! to a constant that the program did not write as one. Nothing here promises anything to the optimizer: no `nsw`,
//! `nuw`, `exact`, `mustprogress` or `willreturn`, so whatever LLVM makes of a program, the program's own meaning
//! (`docs/LANGUAGE.md` §1) is what it has to keep. LLVM's division by zero and `MIN / -1` are undefined, hence guards:
//! they branch to a block that calls the host's `raise_trap`, which does not return.

use inkwell::IntPredicate;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::types::IntType;
use inkwell::values::{FunctionValue, InstructionOpcode, InstructionValue, IntValue, PointerValue};

use super::{Stop, compat};
use crate::names::Names;
use crate::op::{Array, Trap};
use crate::plant::{self, Fault};

/// The name of the compiled function.
pub const FUNCTION: &str = "f";
/// The name of the host function that ends a run with a trap; its argument is the index of [`TRAPS`].
pub const RAISE_TRAP: &str = "raise_trap";
/// The name of the host function that records what a run emits.
pub const EMIT: &str = "emit";
/// The traps in the order of the codes that `raise_trap` takes.
pub const TRAPS: [Trap; 2] = [Trap::DivByZero, Trap::Overflow];

/// A function of one module while it is written.
pub struct Emitter<'a, 'ctx> {
    pub(super) context: &'ctx Context,
    pub(super) module: &'a Module<'ctx>,
    /// Writes at the current place.
    pub builder: Builder<'ctx>,
    function: FunctionValue<'ctx>,
    pub(super) i64: IntType<'ctx>,
    traps: [Option<BasicBlock<'ctx>>; TRAPS.len()],
    named: bool,
    /// The function's arrays.
    pub(super) arrays: Vec<(Array, PointerValue<'ctx>)>,
}

impl<'a, 'ctx> Emitter<'a, 'ctx> {
    /// Declares the function in the module. Values get names if somebody is going to read the text.
    pub fn new(context: &'ctx Context, module: &'a Module<'ctx>, named: bool) -> Self {
        let i64 = context.i64_type();
        let pointer = compat::pointer(context);
        let function = module.add_function(FUNCTION, i64.fn_type(&[pointer.into()], false), None);
        attribute(context, function, "nounwind");
        let builder = context.create_builder();
        Emitter { context, module, builder, function, i64, traps: [None; 2], named, arrays: Vec::new() }
    }

    /// Whether values get names.
    pub(super) fn is_named(&self) -> bool {
        self.named
    }

    /// A new block at the end of the function.
    pub fn block(&self, names: &Names, index: u32) -> BasicBlock<'ctx> {
        self.context.append_basic_block(self.function, &self.name(names, index))
    }

    /// A new block at the end of the function, with a name of the lowering's own.
    pub fn own_block(&self, name: &str) -> BasicBlock<'ctx> {
        self.context.append_basic_block(self.function, if self.named { name } else { "" })
    }

    /// A name for the text, or none when nobody reads it.
    pub fn name(&self, names: &Names, index: u32) -> String {
        if self.named { names.get(index).to_string() } else { String::new() }
    }

    /// A constant.
    pub fn constant(&self, value: i64) -> IntValue<'ctx> {
        self.i64.const_int(value as u64, true)
    }

    /// The block that is written at the moment.
    pub fn current(&self) -> Result<BasicBlock<'ctx>, Stop> {
        self.builder.get_insert_block().ok_or_else(|| Stop::harness("the builder stands nowhere"))
    }

    /// A slot on the stack.
    pub fn alloca(&self, name: &str) -> Result<PointerValue<'ctx>, Stop> {
        Ok(self.builder.build_alloca(self.i64, name)?)
    }

    /// What a slot holds.
    pub fn load(&self, slot: PointerValue<'ctx>) -> Result<IntValue<'ctx>, Stop> {
        Ok(compat::load(&self.builder, self.i64, slot, "")?.into_int_value())
    }

    /// Input `index` of `count`.
    pub fn input(&self, index: usize, count: usize, name: &str) -> Result<IntValue<'ctx>, Stop> {
        let index = if plant::on(Fault::LlvmInputOrder) { count - 1 - index } else { index };
        let inputs = self.function.get_nth_param(0).ok_or_else(|| Stop::harness("no inputs"))?.into_pointer_value();
        // SAFETY: the caller of the compiled function passes a value for each of the program's inputs.
        let place = unsafe { compat::offset(&self.builder, self.i64, inputs, self.constant(index as i64))? };
        Ok(compat::load(&self.builder, self.i64, place, name)?.into_int_value())
    }

    /// A phi without entries yet.
    pub fn phi(&self, ty: IntType<'ctx>, name: &str) -> Result<inkwell::values::PhiValue<'ctx>, Stop> {
        Ok(self.builder.build_phi(ty, name)?)
    }

    /// A condition holds when it is not 0. A bit and the result of a comparison are branched on directly; a number that
    /// comes from a slot or a phi is compared with 0. Both ways have hidden faults of LLVM from the other.
    pub fn condition(&self, value: IntValue<'ctx>) -> Result<IntValue<'ctx>, Stop> {
        if plant::on(Fault::LlvmTruncCondition) {
            return Ok(self.builder.build_int_truncate(value, self.context.bool_type(), "")?);
        }
        let ty = value.get_type();
        if ty == self.context.bool_type() {
            return Ok(value);
        }
        match self.bit_of(value) {
            Some(bit) => Ok(bit),
            None => Ok(self.builder.build_int_compare(IntPredicate::NE, value, ty.const_zero(), "")?),
        }
    }

    /// The bit that a comparison gave before it was widened; `None` for other operations, and what LLVM's builder
    /// folded.
    pub fn bit_of(&self, result: IntValue<'ctx>) -> Option<IntValue<'ctx>> {
        let inst = result.as_instruction().filter(|inst| inst.get_opcode() == InstructionOpcode::ZExt)?;
        let narrow = inst.get_operand(0)?.value()?.into_int_value();
        (narrow.get_type() == self.context.bool_type()).then_some(narrow)
    }

    /// Ends the block with a `switch`.
    pub fn switch(
        &self,
        value: IntValue<'ctx>,
        arms: impl Iterator<Item = (i64, BasicBlock<'ctx>)>,
        default: BasicBlock<'ctx>,
    ) -> Result<InstructionValue<'ctx>, Stop> {
        let value = if plant::on(Fault::LlvmSwitchNarrow) {
            let low = self.builder.build_int_truncate(value, self.context.i32_type(), "")?;
            self.builder.build_int_s_extend(low, self.i64, "")?
        } else {
            value
        };
        let arms: Vec<_> = arms.map(|(constant, block)| (self.constant(constant), block)).collect();
        Ok(self.builder.build_switch(value, default, &arms)?)
    }

    /// A guard: traps if the bit is set, else goes on in a new block. Whether it can go on: not if the bit is the
    /// constant 1; and for the constant 0 no guard is written.
    pub(super) fn trap_if(&mut self, bit: IntValue<'ctx>, trap: Trap) -> Result<bool, Stop> {
        let known = bit.get_zero_extended_constant();
        if known != Some(0) {
            let current = self.current()?;
            let trapping = self.trap_block(trap)?;
            let next = self.context.insert_basic_block_after(current, if self.named { "guarded" } else { "" });
            self.builder.position_at_end(current);
            self.builder.build_conditional_branch(bit, trapping, next)?;
            self.builder.position_at_end(next);
        }
        Ok(known != Some(1))
    }

    /// Appends a call of the host's `emit`.
    pub(super) fn emit(&self, value: IntValue<'ctx>) -> Result<(), Stop> {
        let emit = self.module.get_function(EMIT).unwrap_or_else(|| {
            let signature = self.context.void_type().fn_type(&[self.i64.into()], false);
            let emit = self.module.add_function(EMIT, signature, None);
            attribute(self.context, emit, "nounwind");
            if plant::on(Fault::LlvmEmitIsPure) {
                attribute(self.context, emit, "willreturn");
                attribute(self.context, emit, compat::PURE);
            }
            emit
        });
        self.builder.build_call(emit, &[value.into()], "")?;
        Ok(())
    }

    /// The block that ends the run with this trap. Leaves the builder there when it is new.
    fn trap_block(&mut self, trap: Trap) -> Result<BasicBlock<'ctx>, Stop> {
        let code = TRAPS.iter().position(|&t| t == trap).unwrap_or(0);
        if let Some(block) = self.traps[code] {
            return Ok(block);
        }
        let raise_trap = self.module.get_function(RAISE_TRAP).unwrap_or_else(|| {
            let signature = self.context.void_type().fn_type(&[self.i64.into()], false);
            let raise_trap = self.module.add_function(RAISE_TRAP, signature, None);
            for kind in ["noreturn", "cold", "nounwind"] {
                attribute(self.context, raise_trap, kind);
            }
            raise_trap
        });
        let block = self.own_block(["div.by.zero", "overflow"][code]);
        self.builder.position_at_end(block);
        self.builder.build_call(raise_trap, &[self.constant(code as i64).into()], "")?;
        self.builder.build_unreachable()?;
        self.traps[code] = Some(block);
        Ok(block)
    }
}

fn attribute(context: &Context, function: FunctionValue<'_>, kind: &str) {
    let kind = Attribute::get_named_enum_kind_id(kind);
    function.add_attribute(AttributeLoc::Function, context.create_enum_attribute(kind, 0));
}
