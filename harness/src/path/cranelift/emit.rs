//! What both lowerings share: the compiled function's shape, the operations and the branches.
//!
//! Every value is an `i64`. A comparison gives CLIF's `i8` first, which is widened, and so is what a narrow operation
//! gives;
//! [`Made`] keeps them apart, so that a lowering may branch or select on the narrow value itself or on the widened
//! number. Compilers treat the two differently, and each has hidden faults that the other shows.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{AbiParam, Block, Function, InstBuilder, TrapCode, Type, Value, types};
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::{FunctionBuilder, Switch};

use crate::op::{Int, Narrow, Op, Trap};
use crate::path::cranelift::compat::{self, BlockArg};
use crate::path::cranelift::host::Host;
use crate::path::cranelift::meaning::zero_extend;
use crate::path::cranelift::promises::Promises;
use crate::plant::{self, Fault};

/// Gives an empty function the entry ABI: from a pointer to the inputs to the result.
pub(super) fn declare(function: &mut Function, isa: &dyn TargetIsa) {
    function.signature.call_conv = isa.default_call_conv();
    function.signature.params.push(AbiParam::new(types::I64));
    function.signature.returns.push(AbiParam::new(types::I64));
}

/// Loads the inputs at the top of the entry block, and what these operations need of the host. What stands in memory is
/// opaque to the optimizer.
pub(super) fn load_inputs(
    builder: &mut FunctionBuilder<'_>,
    entry: Block,
    inputs: usize,
    operations: impl Iterator<Item = Op>,
    promises: Promises,
) -> (Vec<Value>, Host) {
    builder.append_block_params_for_function_params(entry);
    let pointer = builder.block_params(entry)[0];
    let load = |i| builder.ins().load(types::I64, promises.passed(), pointer, 8 * i as i32);
    let values = (0..inputs).map(load).collect();
    (values, Host::new(builder, pointer, inputs, operations, promises))
}

/// What an operation made.
#[derive(Clone, Copy)]
pub(super) enum Made {
    /// An `i64`.
    Number(Value),
    /// A comparison's `i8`, 0 or 1.
    Truth(Value),
    /// A narrower number, and whether it is extended by its sign.
    Narrow(Value, bool),
}

impl Made {
    /// The value, of either width.
    fn as_is(self) -> Value {
        let (Made::Number(value) | Made::Truth(value) | Made::Narrow(value, _)) = self;
        value
    }

    /// The value as an `i64`.
    pub(super) fn number(self, builder: &mut FunctionBuilder<'_>) -> Value {
        match self {
            Made::Number(value) => value,
            Made::Truth(value) => compat::widen(builder, value),
            Made::Narrow(value, signed) if signed && !plant::on(Fault::ClifNarrowSign) => {
                builder.ins().sextend(types::I64, value)
            }
            Made::Narrow(value, _) => builder.ins().uextend(types::I64, value),
        }
    }
}

/// Appends an operation. A selection is by its condition as it is.
pub(super) fn operation(builder: &mut FunctionBuilder<'_>, host: &Host, op: Op, mut operands: [Made; 3]) -> Made {
    let condition = usize::from(op == Op::Select);
    for operand in &mut operands[condition..op.arity()] {
        *operand = Made::Number(operand.number(builder));
    }
    let operands = operands.map(Made::as_is);
    let [a, b, _] = operands;
    match op {
        Op::At(narrow, int) => narrow_operation(builder, narrow, int, operands),
        Op::Not => {
            let zero = builder.ins().iconst(types::I64, 0);
            Made::Truth(builder.ins().icmp(IntCC::Equal, a, zero))
        }
        Op::Emit => {
            host.emit(builder, a);
            Made::Number(a)
        }
        Op::Load(array) => Made::Number(host.load(builder, array, a)),
        Op::Store(array) => {
            host.store(builder, array, [a, b]);
            Made::Number(b)
        }
        Op::Zext8 => cut(builder, Int::U8, a),
        Op::Zext16 => cut(builder, Int::U16, a),
        Op::Zext32 => cut(builder, Int::U32, a),
        Op::Sext8 => cut(builder, Int::S8, a),
        Op::Sext16 => cut(builder, Int::S16, a),
        Op::Sext32 => cut(builder, Int::S32, a),
        _ => instruction(builder, op, operands),
    }
}

/// Appends an operation's instruction, at the type of its operands.
fn instruction(builder: &mut FunctionBuilder<'_>, op: Op, [a, b, c]: [Value; 3]) -> Made {
    if let Some(condition) = condition(op) {
        return Made::Truth(builder.ins().icmp(condition, a, b));
    }
    let ins = builder.ins();
    Made::Number(match op {
        Op::Add => ins.iadd(a, b),
        Op::Sub => ins.isub(a, b),
        Op::Mul => ins.imul(a, b),
        Op::Div => ins.sdiv(a, b),
        Op::Rem if plant::on(Fault::ClifRemSign) => modulo(builder, a, b),
        Op::Rem => ins.srem(a, b),
        Op::Neg => ins.ineg(a),
        Op::And => ins.band(a, b),
        Op::Or => ins.bor(a, b),
        Op::Xor => ins.bxor(a, b),
        Op::BitNot => ins.bnot(a),
        Op::Shl => ins.ishl(a, b),
        Op::Ashr => ins.sshr(a, b),
        Op::Lshr => ins.ushr(a, b),
        Op::Rotl => ins.rotl(a, b),
        Op::Rotr => ins.rotr(a, b),
        Op::Udiv => ins.udiv(a, b),
        Op::Urem => ins.urem(a, b),
        Op::Mulhi => ins.smulhi(a, b),
        Op::Umulhi => ins.umulhi(a, b),
        Op::Min => compat::smin(builder, a, b),
        Op::Max => compat::smax(builder, a, b),
        Op::Umin => ins.umin(a, b),
        Op::Umax => ins.umax(a, b),
        Op::Abs => compat::iabs(builder, a),
        Op::Select => ins.select(a, b, c),
        Op::Clz => ins.clz(a),
        Op::Ctz => ins.ctz(a),
        Op::Popcnt => ins.popcnt(a),
        Op::Bswap => compat::bswap(builder, a),
        Op::Bitrev => ins.bitrev(a),
        // The others are comparisons, or were taken apart by the caller.
        _ => a,
    })
}

/// What a comparison compares by.
fn condition(op: Op) -> Option<IntCC> {
    Some(match op {
        Op::Eq => IntCC::Equal,
        Op::Ne => IntCC::NotEqual,
        Op::Lt if plant::on(Fault::ClifLtIsLe) => IntCC::SignedLessThanOrEqual,
        Op::Lt => IntCC::SignedLessThan,
        Op::Le => IntCC::SignedLessThanOrEqual,
        Op::Gt => IntCC::SignedGreaterThan,
        Op::Ge => IntCC::SignedGreaterThanOrEqual,
        Op::Ult => IntCC::UnsignedLessThan,
        Op::Ule => IntCC::UnsignedLessThanOrEqual,
        Op::Ugt => IntCC::UnsignedGreaterThan,
        Op::Uge => IntCC::UnsignedGreaterThanOrEqual,
        _ => return None,
    })
}

/// A narrow operation: the operands reduced, the instruction at their type, the result extended.
fn narrow_operation(builder: &mut FunctionBuilder<'_>, narrow: Narrow, int: Int, [a, b, _]: [Value; 3]) -> Made {
    let ty = type_of(int);
    let a = reduced(builder, ty, a);
    let made = match narrow {
        // A number without sign and a single byte are what they were.
        Narrow::Abs if !int.signed() => Made::Number(a),
        Narrow::Bswap if ty == types::I8 => Made::Number(a),
        _ => {
            let b = if narrow.arity() == 2 { reduced(builder, ty, b) } else { a };
            instruction(builder, narrow.wide(int), [a, b, a])
        }
    };
    match made {
        Made::Number(value) => Made::Narrow(value, int.signed()),
        truth => truth,
    }
}

/// A value cut to a width, to be extended again.
fn cut(builder: &mut FunctionBuilder<'_>, int: Int, value: Value) -> Made {
    Made::Narrow(reduced(builder, type_of(int), value), int.signed())
}

/// A value at a narrower type. A constant is one there, as front ends write it: instructions with constant operands
/// have forms, and faults, of their own.
fn reduced(builder: &mut FunctionBuilder<'_>, ty: Type, value: Value) -> Value {
    match compat::constant(builder.func, value) {
        Some(constant) => builder.ins().iconst(ty, zero_extend(constant, compat::bits(ty))),
        None => builder.ins().ireduce(ty, value),
    }
}

fn type_of(int: Int) -> Type {
    match int.bits() {
        8 => types::I8,
        16 => types::I16,
        _ => types::I32,
    }
}

/// [`Fault::ClifRemSign`]: the remainder with the divisor's sign.
fn modulo(builder: &mut FunctionBuilder<'_>, a: Value, b: Value) -> Value {
    let remainder = builder.ins().srem(a, b);
    let signs = builder.ins().bxor(remainder, b);
    let zero = builder.ins().iconst(types::I64, 0);
    let differ = builder.ins().icmp(IntCC::SignedLessThan, signs, zero);
    let some = builder.ins().icmp(IntCC::NotEqual, remainder, zero);
    let adjust = builder.ins().band(differ, some);
    let adjusted = builder.ins().iadd(remainder, b);
    builder.ins().select(adjust, adjusted, remainder)
}

/// A block to go to, with its arguments.
pub(super) type Target<'a> = (Block, &'a [BlockArg]);

/// Ends the block with a branch on whether a value, of either width, is not 0.
pub(super) fn branch(builder: &mut FunctionBuilder<'_>, condition: Made, yes: Target<'_>, no: Target<'_>) {
    let condition = match condition {
        Made::Number(number) if plant::on(Fault::ClifNarrowCondition) => builder.ins().ireduce(types::I32, number),
        _ => condition.as_is(),
    };
    compat::branch(builder, condition, yes, no);
}

/// Ends the block with Cranelift's frontend's `Switch`: comparisons, jump tables, or both. It makes blocks of its own.
pub(super) fn switch(builder: &mut FunctionBuilder<'_>, value: Value, arms: &[(i64, Block)], default: Block) {
    let mut switch = Switch::new();
    let left_out = usize::from(plant::on(Fault::ClifSwitchLastArm));
    for &(constant, block) in &arms[..arms.len().saturating_sub(left_out)] {
        switch.set_entry(u128::from(constant as u64), block);
    }
    switch.emit(builder, value, default);
}

/// Cranelift's code of a trap.
pub(super) fn trap_code(trap: Trap) -> TrapCode {
    match trap {
        Trap::DivByZero => compat::DIVISION_BY_ZERO,
        Trap::Overflow => compat::OVERFLOW,
    }
}

/// The trap of Cranelift's code; `None` for those that no program here has.
pub(super) fn trap_of(code: TrapCode) -> Option<Trap> {
    match code {
        compat::DIVISION_BY_ZERO => Some(Trap::DivByZero),
        compat::OVERFLOW => Some(Trap::Overflow),
        _ => None,
    }
}
