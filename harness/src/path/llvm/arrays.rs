//! Local arrays as C's front end writes them: an `alloca` of an array type in the entry block, filled with zeros; an
//! element by `getelementptr` with two indices.
//!
//! An index is taken modulo the length, so that no access leaves its array. Nothing promises that: no `inbounds`.

use inkwell::values::{IntValue, PointerValue};

use super::emit::Emitter;
use super::{Stop, compat};
use crate::op::{Array, Op};
use crate::plant::{self, Fault};

impl<'ctx> Emitter<'_, 'ctx> {
    /// Writes in the entry block what a function with these operations needs.
    pub fn declare_arrays(&mut self, operations: impl Iterator<Item = Op>) -> Result<(), Stop> {
        let mut found: Vec<Array> = Vec::new();
        for array in operations.filter_map(Op::array) {
            if !found.contains(&array) {
                found.push(array);
            }
        }
        for array in found {
            let ty = self.i64.array_type(array.length().into());
            let name = if self.is_named() { array.to_string() } else { String::new() };
            let slot = self.builder.build_alloca(ty, &name)?;
            self.arrays.push((array, slot));
            if !plant::on(Fault::LlvmArrayNotZeroed) {
                for element in 0..array.length() {
                    let place = self.element(array, self.constant(element.into()))?;
                    self.builder.build_store(place, self.constant(0))?;
                }
            }
        }
        Ok(())
    }

    /// An element that an index names.
    pub(super) fn load_element(&self, array: Array, index: IntValue<'ctx>, name: &str) -> Result<IntValue<'ctx>, Stop> {
        let place = self.element(array, self.modulo(array, index)?)?;
        Ok(compat::load(&self.builder, self.i64, place, name)?.into_int_value())
    }

    /// Stores a value in it.
    pub(super) fn store_element(&self, array: Array, index: IntValue<'ctx>, value: IntValue<'ctx>) -> Result<(), Stop> {
        let place = self.element(array, self.modulo(array, index)?)?;
        self.builder.build_store(place, value)?;
        Ok(())
    }

    /// The index of the element: a remainder, or as front ends write it for a power of two, some bits.
    fn modulo(&self, array: Array, index: IntValue<'ctx>) -> Result<IntValue<'ctx>, Stop> {
        let length = i64::from(array.length());
        if array.length().is_power_of_two() {
            return Ok(self.builder.build_and(index, self.constant(length - 1), "")?);
        }
        let length = if plant::on(Fault::LlvmArrayShort) { length - 1 } else { length };
        Ok(self.builder.build_int_unsigned_rem(index, self.constant(length), "")?)
    }

    /// The place of an element.
    fn element(&self, array: Array, element: IntValue<'ctx>) -> Result<PointerValue<'ctx>, Stop> {
        let slot = self.arrays.iter().find(|(known, _)| *known == array).map(|(_, slot)| *slot);
        let slot = slot.ok_or_else(|| Stop::harness("an array that was not declared"))?;
        let ty = self.i64.array_type(array.length().into());
        // SAFETY: the element is one of the array's.
        Ok(unsafe { compat::element_place(&self.builder, ty, slot, [self.constant(0), element])? })
    }
}
