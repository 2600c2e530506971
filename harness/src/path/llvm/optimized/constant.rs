//! What LLVM's constants become.

use inkwell::llvm_sys::{LLVMOpcode, LLVMTypeKind, LLVMValueKind};

use super::c::Object;
use super::{Raiser, Reason};
use crate::optimized::{Constant, Label, Origin, Type, Value, ValueData, mask};

/// The largest table that is read, in bytes.
const LARGEST_TABLE: u64 = 1 << 16;

impl Raiser<'_, '_> {
    /// A constant as an operand. One with `undef` in it is a value of its own at each use, since each use may see
    /// another.
    pub(super) fn constant(&mut self, object: Object<'_>) -> Result<Value, Reason> {
        let ty = object.ty();
        let ty = ty.raised().ok_or_else(|| format!("a constant of type {}", ty.text()))?;
        let (origin, is_same_everywhere) = match (object.kind(), ty) {
            (LLVMValueKind::LLVMGlobalVariableValueKind | LLVMValueKind::LLVMConstantExprValueKind, Type::Pointer) => {
                let (table, offset) = self.place(object)?;
                (Origin::Table(table, offset), true)
            }
            _ => {
                let lanes = lanes(object, ty)?;
                let is_same_everywhere = !lanes.contains(&Constant::Undef);
                (Origin::Constant(lanes), is_same_everywhere)
            }
        };
        let value = self.value(ValueData { ty, origin, label: Label::Number(0) });
        if is_same_everywhere {
            self.values.insert(object.address(), value);
        }
        Ok(value)
    }

    /// The table that a constant address lies in, and where in it.
    fn place(&mut self, object: Object<'_>) -> Result<(u32, u64), Reason> {
        if object.kind() == LLVMValueKind::LLVMGlobalVariableValueKind {
            return Ok((self.table(object)?, 0));
        }
        let is_offset = object.constant_opcode() == LLVMOpcode::LLVMGetElementPtr;
        let base = object.operand(0);
        if !is_offset || base.kind() != LLVMValueKind::LLVMGlobalVariableValueKind {
            return Err("a constant expression".into());
        }
        let mut counted = object.element_type();
        let mut offset = 0;
        for (index, operand) in object.operands(object.operand_count()).enumerate().skip(1) {
            if index > 1 {
                if counted.kind() != LLVMTypeKind::LLVMArrayTypeKind {
                    return Err("a constant expression".into());
                }
                counted = counted.element();
            }
            let by = operand.signed_int().and_then(|by| u64::try_from(by).ok()).ok_or("a constant expression")?;
            offset += by * counted.size(self.module);
        }
        Ok((self.table(base)?, offset))
    }

    fn table(&mut self, global: Object<'_>) -> Result<u32, Reason> {
        if let Some(&table) = self.tables.get(&global.address()) {
            return Ok(table);
        }
        let initializer = global.constant_initializer().ok_or("a global variable")?;
        let ty = initializer.ty();
        let size = ty.size(self.module);
        if ty.kind() != LLVMTypeKind::LLVMArrayTypeKind || size > LARGEST_TABLE {
            return Err("a global variable that is no small array".into());
        }
        let step = ty.element().size(self.module).max(1) as usize;
        let bits = match ty.element().raised() {
            Some(Type::Int(bits)) => bits,
            _ => return Err("a table of other than integers".into()),
        };
        let mut bytes = vec![Some(0); size as usize];
        for (index, bytes) in bytes.chunks_mut(step).enumerate() {
            let element = initializer.element(index as u32).ok_or("a table")?;
            match lane(element, bits)? {
                Constant::Bits(number) => {
                    bytes.iter_mut().zip(number.to_le_bytes()).for_each(|(byte, part)| *byte = Some(part));
                }
                Constant::Poison => bytes.fill(None),
                Constant::Undef => return Err("undef in a table".into()),
            }
        }
        self.function.tables.push(bytes);
        let table = self.function.tables.len() as u32 - 1;
        self.tables.insert(global.address(), table);
        Ok(table)
    }
}

fn lanes(object: Object<'_>, ty: Type) -> Result<Vec<Constant>, Reason> {
    if let Type::Vector(lanes, bits) = ty {
        let lane = |index| lane(object.element(index).ok_or("a vector")?, bits);
        return (0..lanes).map(lane).collect();
    }
    match ty {
        Type::Overflow(_) => Err("a constant struct".into()),
        _ => Ok(vec![lane(object, ty.bits())?]),
    }
}

fn lane(object: Object<'_>, bits: u32) -> Result<Constant, Reason> {
    match object.kind() {
        LLVMValueKind::LLVMPoisonValueKind => Ok(Constant::Poison),
        LLVMValueKind::LLVMUndefValueValueKind => Ok(Constant::Undef),
        LLVMValueKind::LLVMConstantPointerNullValueKind => Ok(Constant::Bits(0)),
        _ => int(object, bits).map(Constant::Bits),
    }
}

/// A constant integer's bits. LLVM's C API gives no more than 64 of them; its text has all.
pub(super) fn int(object: Object<'_>, bits: u32) -> Result<u128, Reason> {
    if object.kind() != LLVMValueKind::LLVMConstantIntValueKind {
        return Err(format!("a constant: {:?}", object.kind()));
    }
    if bits <= 64 {
        return Ok(u128::from(object.small_int()));
    }
    let text = object.text();
    let number = text.rsplit(' ').next().and_then(|number| number.parse::<i128>().ok()).ok_or("a wide constant")?;
    Ok(number as u128 & mask(bits))
}
