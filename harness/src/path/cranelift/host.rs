//! What the compiled function gets besides its inputs: the host's `emit`.
//!
//! Its address stands in memory behind the inputs, which is opaque to the optimizer, so that the code needs no relocation
//! and is the same in every process.

use cranelift_codegen::ir::{AbiParam, InstBuilder, SigRef, Signature, Value, types};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::FunctionBuilder;

use crate::op::Op;
use crate::path::cranelift::compat::MemFlags;
use crate::path::native;
use crate::plant::{self, Fault};

/// What a function with so many inputs is passed for a vector: its values, and what [`Host::new`] reads.
pub(super) fn memory(vector: &[i64]) -> Vec<i64> {
    vector.iter().copied().chain([native::emit as *const () as i64]).collect()
}

/// What operations need that do more than give a value.
#[derive(Clone, Copy, Default)]
pub(super) struct Host {
    /// The address of `emit` and its signature, if the function has a use for it.
    emit: Option<(Value, SigRef)>,
}

impl Host {
    /// Reads it in the entry block, from the pointer to the inputs, for a function with these operations.
    pub(super) fn new(
        builder: &mut FunctionBuilder<'_>,
        pointer: Value,
        inputs: usize,
        mut operations: impl Iterator<Item = Op>,
    ) -> Host {
        let emit = operations.any(|op| op == Op::Emit).then(|| {
            let mut signature = Signature::new(CallConv::SystemV);
            signature.params.push(AbiParam::new(types::I64));
            let signature = builder.import_signature(signature);
            (builder.ins().load(types::I64, MemFlags::trusted(), pointer, 8 * inputs as i32), signature)
        });
        Host { emit }
    }

    /// Appends a call of `emit`.
    pub(super) fn emit(self, builder: &mut FunctionBuilder<'_>, value: Value) {
        let Some((emit, signature)) = self.emit else { unreachable!("the function's operations were looked through") };
        let value = if plant::on(Fault::ClifEmitNarrow) {
            let low = builder.ins().ireduce(types::I32, value);
            builder.ins().sextend(types::I64, low)
        } else {
            value
        };
        builder.ins().call_indirect(signature, emit, &[value]);
    }
}
