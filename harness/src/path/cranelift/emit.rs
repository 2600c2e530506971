//! What both lowerings share: the compiled function's shape, the operations and the branches.
//!
//! Every value is an `i64`. A comparison gives CLIF's `i8` first, which is widened; [`Made`] keeps the two apart, so
//! that a lowering may branch on the comparison itself or on the widened number. Compilers treat the two differently,
//! and each has hidden faults that the other shows.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{AbiParam, Block, Function, InstBuilder, TrapCode, Value, types};
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::{FunctionBuilder, Switch};

use crate::op::{Op, Trap};
use crate::path::cranelift::compat::{self, BlockArg, MemFlags};
use crate::plant::{self, Fault};

/// Gives an empty function the entry ABI: from a pointer to the inputs to the result.
pub(super) fn declare(function: &mut Function, isa: &dyn TargetIsa) {
    function.signature.call_conv = isa.default_call_conv();
    function.signature.params.push(AbiParam::new(types::I64));
    function.signature.returns.push(AbiParam::new(types::I64));
}

/// Loads the inputs at the top of the entry block. What stands in memory is opaque to the optimizer.
pub(super) fn load_inputs(builder: &mut FunctionBuilder<'_>, entry: Block, inputs: usize) -> Vec<Value> {
    builder.append_block_params_for_function_params(entry);
    let pointer = builder.block_params(entry)[0];
    (0..inputs).map(|i| builder.ins().load(types::I64, MemFlags::trusted(), pointer, 8 * i as i32)).collect()
}

/// What an operation made.
#[derive(Clone, Copy)]
pub(super) enum Made {
    /// An `i64`.
    Number(Value),
    /// A comparison's `i8`, 0 or 1.
    Truth(Value),
}

impl Made {
    /// The value as an `i64`.
    pub(super) fn number(self, builder: &mut FunctionBuilder<'_>) -> Value {
        match self {
            Made::Number(value) => value,
            Made::Truth(value) => compat::widen(builder, value),
        }
    }
}

/// Appends an operation; `None` if it isn't one of the lesson's.
pub(super) fn operation(builder: &mut FunctionBuilder<'_>, op: Op, [a, b, _]: [Value; 3]) -> Option<Made> {
    let ins = builder.ins();
    Some(Made::Number(match op {
        Op::Add => ins.iadd(a, b),
        Op::Sub => ins.isub(a, b),
        Op::Mul => ins.imul(a, b),
        Op::Div => ins.sdiv(a, b),
        Op::Rem if plant::on(Fault::ClifRemSign) => modulo(builder, a, b),
        Op::Rem => ins.srem(a, b),
        Op::Neg => ins.ineg(a),
        Op::Copy => a,
        Op::Eq => return Some(compare(builder, IntCC::Equal, a, b)),
        Op::Ne => return Some(compare(builder, IntCC::NotEqual, a, b)),
        Op::Lt if plant::on(Fault::ClifLtIsLe) => return Some(compare(builder, IntCC::SignedLessThanOrEqual, a, b)),
        Op::Lt => return Some(compare(builder, IntCC::SignedLessThan, a, b)),
        Op::Le => return Some(compare(builder, IntCC::SignedLessThanOrEqual, a, b)),
        Op::Gt => return Some(compare(builder, IntCC::SignedGreaterThan, a, b)),
        Op::Ge => return Some(compare(builder, IntCC::SignedGreaterThanOrEqual, a, b)),
        Op::Not => {
            let zero = ins.iconst(types::I64, 0);
            return Some(compare(builder, IntCC::Equal, a, zero));
        }
        _ => return None,
    }))
}

fn compare(builder: &mut FunctionBuilder<'_>, condition: IntCC, a: Value, b: Value) -> Made {
    Made::Truth(builder.ins().icmp(condition, a, b))
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
        Made::Number(value) | Made::Truth(value) => value,
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
