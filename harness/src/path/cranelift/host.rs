//! What the compiled function has besides its values: the host's `emit`, and its arrays.
//!
//! The address of `emit` stands in memory behind the inputs, which is opaque to the optimizer, so that the code needs
//! no relocation and is the same in every process. An array is a stack slot, filled with zeros in the entry block.

use cranelift_codegen::ir::{AbiParam, InstBuilder, SigRef, Signature, StackSlot, Value, types};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::FunctionBuilder;

use crate::op::{Array, Op};
use crate::path::cranelift::compat;
use crate::path::cranelift::promises::Promises;
use crate::plant::{self, Fault};

/// What a function with so many inputs is passed for a vector: its values, and the address of `emit`, which
/// [`Host::new`] reads.
pub(super) fn memory(vector: &[i64], emit: i64) -> Vec<i64> {
    vector.iter().copied().chain([emit]).collect()
}

/// What operations need that do more than give a value.
#[derive(Clone, Default)]
pub(super) struct Host {
    /// The address of `emit` and its signature, if the function has a use for it.
    emit: Option<(Value, SigRef)>,
    /// The arrays that it uses.
    arrays: Vec<(Array, StackSlot)>,
    /// What accesses promise.
    promises: Promises,
}

impl Host {
    /// Writes in the entry block what a function with these operations needs. `pointer` is that to the inputs.
    pub(super) fn new(
        builder: &mut FunctionBuilder<'_>,
        pointer: Value,
        inputs: usize,
        operations: impl Iterator<Item = Op>,
        promises: Promises,
    ) -> Host {
        let mut host = Host { promises, ..Host::default() };
        for op in operations {
            if op == Op::Emit && host.emit.is_none() {
                let mut signature = Signature::new(CallConv::SystemV);
                signature.params.push(AbiParam::new(types::I64));
                let signature = builder.import_signature(signature);
                let emit = builder.ins().load(types::I64, promises.passed(), pointer, 8 * inputs as i32);
                host.emit = Some((emit, signature));
            }
            if let Some(array) = op.array().filter(|array| host.arrays.iter().all(|(known, _)| known != array)) {
                let slot = compat::stack_slot(builder, 8 * u32::from(array.length()));
                host.arrays.push((array, slot));
                let flags = promises.stored(builder.func, host.number(array));
                let (base, zero) = (builder.ins().stack_addr(types::I64, slot, 0), builder.ins().iconst(types::I64, 0));
                for element in 0..i32::from(array.length()) {
                    builder.ins().store(flags, zero, base, 8 * element);
                }
                if plant::on(Fault::ClifArrayEnd) {
                    let one = builder.ins().iconst(types::I64, 1);
                    builder.ins().store(flags, one, base, 8 * i32::from(array.length()) - 8);
                }
            }
        }
        host
    }

    /// Appends a call of `emit`.
    pub(super) fn emit(&self, builder: &mut FunctionBuilder<'_>, value: Value) {
        let Some((emit, signature)) = self.emit else { unreachable!("the function's operations were looked through") };
        let value = if plant::on(Fault::ClifEmitNarrow) {
            let low = builder.ins().ireduce(types::I32, value);
            builder.ins().sextend(types::I64, low)
        } else {
            value
        };
        builder.ins().call_indirect(signature, emit, &[value]);
    }

    /// Appends a load of an array's element.
    pub(super) fn load(&self, builder: &mut FunctionBuilder<'_>, array: Array, index: Value) -> Value {
        let place = self.place(builder, array, index);
        let flags = self.promises.loaded(builder.func, self.number(array));
        builder.ins().load(types::I64, flags, place, 0)
    }

    /// Appends a store in an array's element.
    pub(super) fn store(&self, builder: &mut FunctionBuilder<'_>, array: Array, [index, value]: [Value; 2]) {
        let place = self.place(builder, array, index);
        let flags = self.promises.stored(builder.func, self.number(array));
        builder.ins().store(flags, value, place, 0);
    }

    /// The number of an array among the function's.
    fn number(&self, array: Array) -> usize {
        let number = self.arrays.iter().position(|(known, _)| *known == array);
        number.unwrap_or_else(|| unreachable!("the function's operations were looked through"))
    }

    /// The address of an element: the index is a remainder, or as front ends write it for a power of two, some bits.
    fn place(&self, builder: &mut FunctionBuilder<'_>, array: Array, index: Value) -> Value {
        let (_, slot) = self.arrays[self.number(array)];
        let length = i64::from(array.length());
        let element = if array.length().is_power_of_two() {
            let mask = builder.ins().iconst(types::I64, length - 1);
            builder.ins().band(index, mask)
        } else {
            let length = builder.ins().iconst(types::I64, length);
            if plant::on(Fault::ClifArraySignedIndex) {
                let remainder = builder.ins().srem(index, length);
                builder.ins().iabs(remainder)
            } else {
                builder.ins().urem(index, length)
            }
        };
        let three = builder.ins().iconst(types::I64, 3);
        let offset = builder.ins().ishl(element, three);
        let base = builder.ins().stack_addr(types::I64, slot, 0);
        builder.ins().iadd(base, offset)
    }
}
