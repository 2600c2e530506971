//! What differs between the versions of Cranelift that this folder is built with. The newest needs none of it; the
//! others come in shared objects (`scripts/toolchain`), and `build.rs` says how old each is. The oldest is 0.79. What
//! compiling gives, and what a version has no lowering of, is in [`code`].
//!
//! | before | |
//! |---|---|
//! | 0.134 | the frontend ends without the target's configuration; a stack slot's address is written like a load from it |
//! | 0.133 | an access's flags have another name; there are three regions of memory that it may be in, no more |
//! | 0.130 | the preset `x86-64-v3` is missing; `haswell` is the same |
//! | 0.122 | a variable's number is the caller's to choose |
//! | 0.120 | a block's arguments are values and nothing else |
//! | 0.119 | an access can't promise that it may be moved |
//! | 0.115 | there is one register allocator; what has no lowering is a panic and no error |
//! | 0.113 | trap codes are an enumeration |
//! | 0.109 | a stack slot has no alignment of its own: it has that of a word |
//! | 0.107 | there is a method for each region |
//! | 0.96 | there is no control plane; from 0.90 on `use_egraphs` chooses the mid-end, which leaves predecessors and dominators as they were |
//! | 0.95 | division has checks of its own on request only; without, every trap of the processor's division is one by zero |
//! | 0.94 | a jump table passes no arguments |
//! | 0.93 | x86-64 has no `iabs`; a branch is two instructions, `brnz` and `jump`; a target is a box |
//! | 0.92 | the graph itself is indexed by instructions |
//! | 0.91 | the frontend ends by reference |
//! | 0.90 | a comparison gives a `b1`, widened by `bint`; `smin` is `imin`, there is no `bswap`; see `meaning.rs` too |
//! | 0.89 | a comparison may ask for overflow: `meaning.rs` |
//! | 0.87 | there are no regions; `compile` gives no machine code; a width is a `u16`; a stack slot is made by another name |
//! | 0.84 | the register allocator is an older one, with its own checker, and has no error of its own |
//! | 0.82 | making a target can't fail |
//! | 0.81 | machine code, and where it may trap, is told to sinks alone |

mod code;

pub(super) use code::{compile, machine_code, no_lowering};

use cranelift_codegen::Context;
use cranelift_codegen::ir::{self, InstBuilder, InstructionData, TrapCode, Type, Value, types};
use cranelift_codegen::isa::{Builder, TargetIsa};
use cranelift_codegen::settings::Flags;
use cranelift_frontend::{FunctionBuilder, Variable};

/// Settings without which the code is not what is compared: each with its value.
pub(super) const SETTINGS: &[(&str, &str)] =
    if cfg!(cranelift_before = "0.95") { &[("avoid_div_traps", "true")] } else { &[] };

/// The target with its settings.
#[cfg(not(cranelift_before = "0.93"))]
pub(super) use cranelift_codegen::isa::OwnedTargetIsa;
#[cfg(cranelift_before = "0.93")]
pub(super) type OwnedTargetIsa = Box<dyn TargetIsa>;

/// What is to be compiled for, with these settings.
pub(super) fn finish(isa: Builder, flags: Flags) -> Result<OwnedTargetIsa, String> {
    #[cfg(not(cranelift_before = "0.82"))]
    return isa.finish(flags).map_err(|error| error.to_string());
    #[cfg(cranelift_before = "0.82")]
    return Ok(isa.finish(flags));
}

/// What a branch passes.
#[cfg(not(cranelift_before = "0.120"))]
pub(super) use cranelift_codegen::ir::BlockArg;
#[cfg(cranelift_before = "0.120")]
pub(super) type BlockArg = Value;

#[cfg(cranelift_before = "0.133")]
pub(super) use cranelift_codegen::ir::MemFlags;
/// The flags of an access.
#[cfg(not(cranelift_before = "0.133"))]
pub(super) use cranelift_codegen::ir::MemFlagsData as MemFlags;

/// Promises that an access is right wherever its operands are known.
pub(super) fn set_can_move(flags: &mut MemFlags) {
    #[cfg(not(cranelift_before = "0.119"))]
    flags.set_can_move();
    #[cfg(cranelift_before = "0.119")]
    let _ = flags;
}

/// Promises that accesses to the array with this number touch no other array.
#[cfg(not(cranelift_before = "0.133"))]
pub(super) fn set_region(flags: &mut MemFlags, function: &mut ir::Function, number: usize) {
    let region = ir::AliasRegionData { user_id: number as u32, description: "array".into() };
    flags.set_alias_region(Some(function.dfg.alias_regions.insert(region)));
}
/// Promises that accesses to the array with this number touch no other array; all from the third on share a region.
#[cfg(all(cranelift_before = "0.133", not(cranelift_before = "0.107")))]
pub(super) fn set_region(flags: &mut MemFlags, _: &mut ir::Function, number: usize) {
    let regions = [ir::AliasRegion::Heap, ir::AliasRegion::Table, ir::AliasRegion::Vmctx];
    flags.set_alias_region(Some(regions[number.min(2)]));
}
/// Promises that accesses to the array with this number touch no other array; all from the third on share a region.
#[cfg(all(cranelift_before = "0.107", not(cranelift_before = "0.87")))]
pub(super) fn set_region(flags: &mut MemFlags, _: &mut ir::Function, number: usize) {
    match number {
        0 => flags.set_heap(),
        1 => flags.set_table(),
        _ => flags.set_vmctx(),
    }
}
/// Promises nothing: there is no such promise.
#[cfg(cranelift_before = "0.87")]
pub(super) fn set_region(_: &mut MemFlags, _: &mut ir::Function, _: usize) {}

/// The trap codes of division.
#[cfg(not(cranelift_before = "0.113"))]
pub(super) const DIVISION_BY_ZERO: TrapCode = TrapCode::INTEGER_DIVISION_BY_ZERO;
#[cfg(cranelift_before = "0.113")]
pub(super) const DIVISION_BY_ZERO: TrapCode = TrapCode::IntegerDivisionByZero;
#[cfg(not(cranelift_before = "0.113"))]
pub(super) const OVERFLOW: TrapCode = TrapCode::INTEGER_OVERFLOW;
#[cfg(cranelift_before = "0.113")]
pub(super) const OVERFLOW: TrapCode = TrapCode::IntegerOverflow;

/// The name of the pinned features.
#[cfg(not(cranelift_before = "0.130"))]
pub(super) const FEATURES: &str = "x86-64-v3";
#[cfg(cranelift_before = "0.130")]
pub(super) const FEATURES: &str = "haswell";

/// Whether the register allocator can be chosen.
pub(super) const CHOOSES_ALLOCATOR: bool = cfg!(not(cranelift_before = "0.115"));
/// Whether the mid-end can be chosen.
pub(super) const CHOOSES_EGRAPHS: bool = cfg!(all(cranelift_before = "0.96", not(cranelift_before = "0.90")));

/// Declares the next variable.
#[cfg(not(cranelift_before = "0.122"))]
pub(super) fn declare_var(builder: &mut FunctionBuilder<'_>, _: usize) -> Variable {
    builder.declare_var(types::I64)
}
/// Declares the variable of this number.
#[cfg(cranelift_before = "0.122")]
pub(super) fn declare_var(builder: &mut FunctionBuilder<'_>, index: usize) -> Variable {
    let variable = <Variable as cranelift_codegen::entity::EntityRef>::new(index);
    builder.declare_var(variable, types::I64);
    variable
}

/// A stack slot of so many bytes for 64-bit numbers.
pub(super) fn stack_slot(builder: &mut FunctionBuilder<'_>, size: u32) -> ir::StackSlot {
    #[cfg(not(cranelift_before = "0.109"))]
    let slot = ir::StackSlotData::new(ir::StackSlotKind::ExplicitSlot, size, 3);
    #[cfg(cranelift_before = "0.109")]
    let slot = ir::StackSlotData::new(ir::StackSlotKind::ExplicitSlot, size);
    #[cfg(not(cranelift_before = "0.87"))]
    return builder.create_sized_stack_slot(slot);
    #[cfg(cranelift_before = "0.87")]
    return builder.create_stack_slot(slot);
}

/// The size in bytes of a stack slot.
pub(super) fn slot_size(function: &ir::Function, slot: ir::StackSlot) -> u32 {
    #[cfg(not(cranelift_before = "0.87"))]
    return function.sized_stack_slots[slot].size;
    #[cfg(cranelift_before = "0.87")]
    return function.stack_slots[slot].size;
}

/// The slot of `stack_addr`, and how many bytes into it.
pub(super) fn stack_address(data: &InstructionData) -> Option<(ir::StackSlot, i32)> {
    match *data {
        #[cfg(not(cranelift_before = "0.134"))]
        InstructionData::StackAddr { stack_slot, offset, .. } => Some((stack_slot, offset.into())),
        #[cfg(cranelift_before = "0.134")]
        InstructionData::StackLoad { opcode: ir::Opcode::StackAddr, stack_slot, offset } => {
            Some((stack_slot, offset.into()))
        }
        _ => None,
    }
}

/// Before the verifier sees a function: predecessors and dominators are those of its branches as they are.
#[cfg(cranelift_before = "0.96")]
pub(super) fn refresh(context: &mut Context) {
    context.compute_cfg();
    context.compute_domtree();
}
/// Before the verifier sees a function: nothing to do.
#[cfg(not(cranelift_before = "0.96"))]
pub(super) fn refresh(_: &mut Context) {}

/// Ends the writing of a function.
#[cfg(not(cranelift_before = "0.134"))]
pub(super) fn finalize(builder: FunctionBuilder<'_>, isa: &dyn TargetIsa) {
    builder.finalize(isa.frontend_config());
}
/// Ends the writing of a function.
#[cfg(all(cranelift_before = "0.134", not(cranelift_before = "0.91")))]
pub(super) fn finalize(builder: FunctionBuilder<'_>, _: &dyn TargetIsa) {
    builder.finalize();
}
/// Ends the writing of a function.
#[cfg(cranelift_before = "0.91")]
pub(super) fn finalize(mut builder: FunctionBuilder<'_>, _: &dyn TargetIsa) {
    builder.finalize();
}

/// A comparison's result as an `i64`.
pub(super) fn widen(builder: &mut FunctionBuilder<'_>, truth: Value) -> Value {
    #[cfg(not(cranelift_before = "0.90"))]
    return builder.ins().uextend(types::I64, truth);
    #[cfg(cranelift_before = "0.90")]
    return builder.ins().bint(types::I64, truth);
}

/// A type's width.
#[cfg(not(cranelift_before = "0.87"))]
pub(super) fn bits(ty: Type) -> u32 {
    ty.bits()
}
/// A type's width.
#[cfg(cranelift_before = "0.87")]
pub(super) fn bits(ty: Type) -> u32 {
    u32::from(ty.bits())
}

/// The signed minimum.
pub(super) fn smin(builder: &mut FunctionBuilder<'_>, a: Value, b: Value) -> Value {
    #[cfg(not(cranelift_before = "0.90"))]
    return builder.ins().smin(a, b);
    #[cfg(cranelift_before = "0.90")]
    return builder.ins().imin(a, b);
}

/// The signed maximum.
pub(super) fn smax(builder: &mut FunctionBuilder<'_>, a: Value, b: Value) -> Value {
    #[cfg(not(cranelift_before = "0.90"))]
    return builder.ins().smax(a, b);
    #[cfg(cranelift_before = "0.90")]
    return builder.ins().imax(a, b);
}

/// The opcode of [`smin`].
#[cfg(not(cranelift_before = "0.90"))]
pub(super) const SMIN: ir::Opcode = ir::Opcode::Smin;
#[cfg(cranelift_before = "0.90")]
pub(super) const SMIN: ir::Opcode = ir::Opcode::Imin;
/// The opcode of [`smax`].
#[cfg(not(cranelift_before = "0.90"))]
pub(super) const SMAX: ir::Opcode = ir::Opcode::Smax;
#[cfg(cranelift_before = "0.90")]
pub(super) const SMAX: ir::Opcode = ir::Opcode::Imax;

/// The number without its sign.
pub(super) fn iabs(builder: &mut FunctionBuilder<'_>, a: Value) -> Value {
    #[cfg(not(cranelift_before = "0.93"))]
    return builder.ins().iabs(a);
    #[cfg(cranelift_before = "0.93")]
    {
        let ty = builder.func.dfg.value_type(a);
        let zero = builder.ins().iconst(ty, 0);
        let negative = builder.ins().icmp(ir::condcodes::IntCC::SignedLessThan, a, zero);
        let opposite = builder.ins().ineg(a);
        builder.ins().select(negative, opposite, a)
    }
}

/// The bytes in reverse.
#[cfg(not(cranelift_before = "0.90"))]
pub(super) fn bswap(builder: &mut FunctionBuilder<'_>, a: Value) -> Value {
    builder.ins().bswap(a)
}
/// The bytes in reverse: neighbouring bytes change places, then neighbouring pairs of them, then halves.
#[cfg(cranelift_before = "0.90")]
pub(super) fn bswap(builder: &mut FunctionBuilder<'_>, a: Value) -> Value {
    let ty = builder.func.dfg.value_type(a);
    let mut value = a;
    for (shift, mask) in [(8, 0x00ff_00ff_00ff_00ff_u64), (16, 0x0000_ffff_0000_ffff), (32, 0xffff_ffff)] {
        if shift < bits(ty) {
            let mask = builder.ins().iconst(ty, (mask & (u64::MAX >> (64 - bits(ty)))) as i64);
            let count = builder.ins().iconst(ty, i64::from(shift));
            let high = builder.ins().ushr(value, count);
            let (high, low) = (builder.ins().band(high, mask), builder.ins().band(value, mask));
            let low = builder.ins().ishl(low, count);
            value = builder.ins().bor(high, low);
        }
    }
    value
}

/// The width of a type that holds a comparison's result and nothing else: there is none.
#[cfg(not(cranelift_before = "0.90"))]
pub(super) fn truth_bits(_: Type) -> Option<u32> {
    None
}
/// The width of a type that holds a comparison's result and nothing else.
#[cfg(cranelift_before = "0.90")]
pub(super) fn truth_bits(ty: Type) -> Option<u32> {
    (ty == types::B1).then_some(1)
}

/// Ends a block with a branch on whether a value is not 0.
pub(super) fn branch(
    builder: &mut FunctionBuilder<'_>,
    condition: Value,
    (yes, yes_args): (ir::Block, &[BlockArg]),
    (no, no_args): (ir::Block, &[BlockArg]),
) {
    #[cfg(not(cranelift_before = "0.93"))]
    builder.ins().brif(condition, yes, yes_args, no, no_args);
    #[cfg(cranelift_before = "0.93")]
    {
        builder.ins().brnz(condition, yes, yes_args);
        builder.ins().jump(no, no_args);
    }
}

/// An instruction.
pub(super) fn data(function: &ir::Function, inst: ir::Inst) -> &InstructionData {
    #[cfg(not(cranelift_before = "0.92"))]
    return &function.dfg.insts[inst];
    #[cfg(cranelift_before = "0.92")]
    return &function.dfg[inst];
}

/// The number that a value is, if it is a constant.
pub(super) fn constant(function: &ir::Function, value: Value) -> Option<i64> {
    let ir::ValueDef::Result(inst, _) = function.dfg.value_def(value) else { return None };
    match data(function, inst) {
        InstructionData::UnaryImm { opcode: ir::Opcode::Iconst, imm } => Some((*imm).into()),
        _ => None,
    }
}

/// Whether an instruction is one of those that end a block.
pub(super) fn ends_block(data: &InstructionData) -> bool {
    data.opcode().is_terminator() || data.opcode().is_branch()
}

/// What a target's block is passed; the error names what is no value.
#[cfg(not(cranelift_before = "0.93"))]
pub(super) fn arguments(call: ir::BlockCall, pool: &ir::ValueListPool) -> Result<Vec<Value>, String> {
    #[cfg(not(cranelift_before = "0.120"))]
    return call
        .args(pool)
        .map(|arg| match arg {
            BlockArg::Value(value) => Ok(value),
            other => Err(format!("block argument {other}")),
        })
        .collect();
    #[cfg(cranelift_before = "0.120")]
    return Ok(call.args_slice(pool).to_vec());
}

/// The branch that stands before a `jump` at a block's end: its condition, whether it is taken on 0, its target.
#[cfg(cranelift_before = "0.93")]
pub(super) fn branch_before(
    function: &ir::Function,
    jump: ir::Inst,
) -> Result<Option<(Value, bool, ir::Block, Vec<Value>)>, String> {
    let Some(inst) = function.layout.prev_inst(jump) else { return Ok(None) };
    let data = data(function, inst);
    let on_zero = match data.opcode() {
        ir::Opcode::Brz => true,
        ir::Opcode::Brnz => false,
        other if other.is_branch() => return Err(other.to_string()),
        _ => return Ok(None),
    };
    let (target, arguments) = destination(function, inst)?;
    Ok(Some((function.dfg.inst_args(inst)[0], on_zero, target, arguments)))
}

/// The one target of a branch, with what it is passed.
#[cfg(cranelift_before = "0.93")]
pub(super) fn destination(function: &ir::Function, inst: ir::Inst) -> Result<(ir::Block, Vec<Value>), String> {
    match function.dfg.analyze_branch(inst) {
        ir::instructions::BranchInfo::SingleDest(block, args) => Ok((block, args.to_vec())),
        _ => Err(data(function, inst).opcode().to_string()),
    }
}
