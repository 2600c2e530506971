//! Arrays raised into the lab's form: a part of [`super::raise`].
//!
//! An `alloca` of 64-bit numbers is an array. An address is a number of bytes into the one that it is computed from,
//! and which one that is follows from the `getelementptr`s between; a load or a store divides by 8.

use inkwell::types::{AnyType, AnyTypeEnum};
use inkwell::values::{AsValueRef, InstructionOpcode, InstructionValue};

use super::compat;
use super::raise::{Raiser, Reason, constant, operand, width};
use crate::lab::{Atom, Inst};
use crate::op::{Array, Op};

impl<'ctx> Raiser<'ctx> {
    /// Notes an array.
    pub(super) fn number_alloca(&mut self, inst: InstructionValue<'ctx>) -> Result<(), Reason> {
        let length = match inst.get_allocated_type() {
            Ok(ty) if ty.is_array_type() && bits(ty.into_array_type().get_element_type().as_any_type_enum()) == 64 => {
                ty.into_array_type().len()
            }
            _ => return Err("alloca".into()),
        };
        // Each has a letter of its own.
        let letter = self.arrays.values().map(|array| array.letter() + 1).max().unwrap_or(0);
        let array = length.try_into().ok().and_then(|length| Array::new(letter, length));
        self.arrays.insert(inst.as_value_ref(), array.ok_or_else(|| format!("alloca of {length}"))?);
        self.atoms.insert(inst.as_value_ref(), Atom::Const(0));
        Ok(())
    }

    /// The array that an address lies in: one that is noted already.
    pub(super) fn array_at(&self, inst: InstructionValue<'ctx>, index: u32) -> Result<Option<Array>, Reason> {
        Ok(self.arrays.get(&operand(inst, index)?.as_value_ref()).copied())
    }

    /// Appends what an instruction does with an array; one that has to do with inputs alone does nothing.
    pub(super) fn element(&mut self, inst: InstructionValue<'ctx>, body: &mut Vec<Inst>) -> Result<(), Reason> {
        match inst.get_opcode() {
            InstructionOpcode::GetElementPtr if self.array_at(inst, 0)?.is_some() => self.address(inst, body),
            InstructionOpcode::Load => match self.array_at(inst, 0)? {
                Some(array) => {
                    let index = self.index(inst, 0, body)?;
                    body.push(Inst::new(self.dest(inst)?, Op::Load(array), &[index]));
                    Ok(())
                }
                None => Ok(()),
            },
            InstructionOpcode::Store => {
                let array = self.array_at(inst, 1)?.filter(|_| operand(inst, 0).is_ok_and(|value| width(value) == 64));
                let (index, value) = (self.index(inst, 1, body)?, self.atom(operand(inst, 0)?)?);
                let dest = self.temporary();
                body.push(Inst::new(dest, Op::Store(array.ok_or("store")?), &[index, value]));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The index of the element at an address.
    fn index(&mut self, inst: InstructionValue<'ctx>, pointer: u32, body: &mut Vec<Inst>) -> Result<Atom, Reason> {
        let address = self.atom(operand(inst, pointer)?)?;
        Ok(self.computed(Op::Lshr, [address, Atom::Const(3)], body))
    }

    /// `getelementptr`: its first index counts in its own type, a further one in that of the elements.
    fn address(&mut self, inst: InstructionValue<'ctx>, body: &mut Vec<Inst>) -> Result<(), Reason> {
        let mut counted = compat::counted_type(inst).ok_or("getelementptr")?;
        let mut address = self.atom(operand(inst, 0)?)?;
        for position in 1..inst.get_num_operands() {
            if position > 1 {
                let AnyTypeEnum::ArrayType(array) = counted else { return Err("getelementptr".into()) };
                counted = array.get_element_type().as_any_type_enum();
            }
            let index = operand(inst, position)?;
            let scale = Atom::Const(size(counted).ok_or("getelementptr")?);
            if constant(index) == Ok(0) {
                continue;
            }
            if width(index) != 64 {
                return Err(format!("getelementptr by i{}", width(index)));
            }
            let index = self.atom(index)?;
            let bytes = self.computed(Op::Mul, [index, scale], body);
            address = self.computed(Op::Add, [address, bytes], body);
        }
        body.push(Inst::new(self.dest(inst)?, Op::Copy, &[address]));
        Ok(())
    }

    fn computed(&mut self, op: Op, operands: [Atom; 2], body: &mut Vec<Inst>) -> Atom {
        let dest = self.temporary();
        body.push(Inst::new(dest, op, &operands));
        Atom::Value(dest)
    }
}

/// The bits of an integer type; 0 of any other.
fn bits(ty: AnyTypeEnum<'_>) -> u32 {
    match ty {
        AnyTypeEnum::IntType(int) => int.get_bit_width(),
        _ => 0,
    }
}

/// The bytes that a type takes: of bytes, 64-bit numbers and arrays of them.
fn size(ty: AnyTypeEnum<'_>) -> Option<i64> {
    match ty {
        AnyTypeEnum::ArrayType(array) => {
            Some(i64::from(array.len()) * size(array.get_element_type().as_any_type_enum())?)
        }
        AnyTypeEnum::IntType(int) if matches!(int.get_bit_width(), 8 | 64) => Some(i64::from(int.get_bit_width() / 8)),
        _ => None,
    }
}
