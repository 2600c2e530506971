//! The operations as LLVM instructions and intrinsics, at every width, with the guards of division.
//!
//! LLVM leaves undefined what a program may do: division by zero, `MIN / -1`, and a shift by the width or more. So
//! divisions are guarded, and counts masked; the funnel shifts that rotate take them modulo the width themselves.

use inkwell::IntPredicate;
use inkwell::intrinsics::Intrinsic;
use inkwell::types::IntType;
use inkwell::values::{BasicMetadataValueEnum, IntValue};

use super::Stop;
use super::emit::Emitter;
use super::narrow::{Carrier, compares, cut, is_bitwise};
use crate::op::{Narrow, Op, Trap};
use crate::plant::{self, Fault};

/// A value in the type that carries it.
#[derive(Clone, Copy)]
pub(super) struct Carried<'ctx> {
    pub(super) value: IntValue<'ctx>,
    /// Whether it is extended with its sign.
    pub(super) signed: bool,
}

impl<'ctx> Carried<'ctx> {
    /// A value of 64 bits.
    pub(super) fn wide(value: IntValue<'ctx>) -> Self {
        Carried { value, signed: true }
    }
}

impl<'ctx> Emitter<'_, 'ctx> {
    /// An operation on values as they are carried, whose result is carried so. It may end the current block and go on
    /// in a new one.
    pub fn operation(
        &mut self,
        op: Op,
        operands: [Carried<'ctx>; 3],
        carrier: Carrier,
        name: &str,
    ) -> Result<IntValue<'ctx>, Stop> {
        let own = if is_bitwise(op) { carrier } else { Carrier::of_result(op) };
        let own_name = if own.bits == carrier.bits { name } else { "" };
        let value = match op {
            Op::Select => {
                let [condition, yes, no] = operands;
                let condition = self.condition(condition.value)?;
                let [yes, no] = [self.resized(yes, own.bits, "")?, self.resized(no, own.bits, "")?];
                self.builder.build_select(condition, yes, no, own_name)?.into_int_value()
            }
            _ => {
                let bits = match op {
                    Op::At(_, int) => int.bits(),
                    _ if compares(op) => 64,
                    _ => own.bits,
                };
                let mut resized = [self.constant(0); 3];
                for (resized, &operand) in resized.iter_mut().zip(&operands[..op.arity()]) {
                    *resized = self.resized(operand, bits, "")?;
                }
                self.at_one_width(op, resized, own_name)?
            }
        };
        self.resized(Carried { value, signed: own.signed }, carrier.bits, name)
    }

    /// An operation at the type of its operands.
    fn at_one_width(&mut self, op: Op, [a, b, _]: [IntValue<'ctx>; 3], name: &str) -> Result<IntValue<'ctx>, Stop> {
        match op {
            Op::Emit => {
                self.emit(a)?;
                Ok(a)
            }
            Op::Load(array) => self.load_element(array, a, name),
            Op::Store(array) => {
                self.store_element(array, a, b)?;
                Ok(b)
            }
            // Cut to it already.
            _ if cut(op).is_some() => Ok(a),
            // What a mask for the whole type leaves is the value.
            Op::And if a.get_type() != self.i64 && keeps_all(b) => Ok(a),
            Op::And if a.get_type() != self.i64 && keeps_all(a) => Ok(b),
            Op::At(narrow, int) => match (narrow, narrow.wide(int)) {
                // A number without sign and a single byte are what they were.
                (Narrow::Abs, _) if !int.signed() => Ok(a),
                (Narrow::Bswap, _) if int.bits() == 8 => Ok(a),
                (_, wide) => self.instruction(wide, [a, b], name),
            },
            Op::Not => self.instruction(op, [a, self.constant(0)], name),
            _ => self.instruction(op, [a, b], name),
        }
    }

    /// A value at a width: cut to it, or extended as it is read.
    pub(super) fn resized(&self, carried: Carried<'ctx>, bits: u32, name: &str) -> Result<IntValue<'ctx>, Stop> {
        let ty = self.int_type(bits);
        Ok(match carried.value.get_type().get_bit_width() {
            own if own == bits => carried.value,
            own if own > bits => self.builder.build_int_truncate(carried.value, ty, name)?,
            _ if carried.signed => self.builder.build_int_s_extend(carried.value, ty, name)?,
            _ => self.builder.build_int_z_extend(carried.value, ty, name)?,
        })
    }

    /// An operation's instruction, at the type of its operands.
    fn instruction(&mut self, op: Op, [a, b]: [IntValue<'ctx>; 2], name: &str) -> Result<IntValue<'ctx>, Stop> {
        let builder = &self.builder;
        if let Some(predicate) = comparison(op) {
            return Ok(builder.build_int_compare(predicate, a, b, name)?);
        }
        Ok(match op {
            Op::Add if plant::on(Fault::LlvmSaturatingAdd) => self.intrinsic("llvm.sadd.sat", &[a, b], name)?,
            Op::Add if plant::on(Fault::LlvmNoWrap) => builder.build_int_nsw_add(a, b, name)?,
            Op::Add => builder.build_int_add(a, b, name)?,
            Op::Sub => builder.build_int_sub(a, b, name)?,
            Op::Mul => builder.build_int_mul(a, b, name)?,
            Op::Div | Op::Rem | Op::Udiv | Op::Urem => self.division(op, a, b, name)?,
            Op::Neg => builder.build_int_sub(a.get_type().const_zero(), a, name)?,
            Op::Copy => a,
            Op::And => builder.build_and(a, b, name)?,
            Op::Or => builder.build_or(a, b, name)?,
            Op::Xor => builder.build_xor(a, b, name)?,
            Op::BitNot => builder.build_not(a, name)?,
            Op::Shl => builder.build_left_shift(a, self.count(b)?, name)?,
            Op::Ashr => builder.build_right_shift(a, self.count(b)?, true, name)?,
            Op::Lshr => builder.build_right_shift(a, self.count(b)?, false, name)?,
            Op::Rotl => self.intrinsic("llvm.fshl", &[a, a, b], name)?,
            Op::Rotr => self.intrinsic("llvm.fshr", &[a, a, b], name)?,
            Op::Mulhi => self.high_product(true, a, b, name)?,
            Op::Umulhi => self.high_product(false, a, b, name)?,
            Op::Min => self.intrinsic("llvm.smin", &[a, b], name)?,
            Op::Max => self.intrinsic("llvm.smax", &[a, b], name)?,
            Op::Umin => self.intrinsic("llvm.umin", &[a, b], name)?,
            Op::Umax => self.intrinsic("llvm.umax", &[a, b], name)?,
            Op::Abs => self.intrinsic("llvm.abs", &[a, self.no()], name)?,
            Op::Clz => self.intrinsic("llvm.ctlz", &[a, self.no()], name)?,
            Op::Ctz => self.intrinsic("llvm.cttz", &[a, self.no()], name)?,
            Op::Popcnt => self.intrinsic("llvm.ctpop", &[a], name)?,
            Op::Bswap => self.intrinsic("llvm.bswap", &[a], name)?,
            Op::Bitrev => self.intrinsic("llvm.bitreverse", &[a], name)?,
            _ => return Err(Stop::harness("an operation that was to be taken apart")),
        })
    }

    /// The type of so many bits.
    pub(super) fn int_type(&self, bits: u32) -> IntType<'ctx> {
        match bits {
            1 => self.context.bool_type(),
            8 => self.context.i8_type(),
            16 => self.context.i16_type(),
            32 => self.context.i32_type(),
            64 => self.i64,
            _ => self.context.i128_type(),
        }
    }

    /// The flag of intrinsics that would leave 0, or MIN, undefined.
    fn no(&self) -> IntValue<'ctx> {
        self.context.bool_type().const_zero()
    }

    fn intrinsic(&self, name: &str, operands: &[IntValue<'ctx>], result: &str) -> Result<IntValue<'ctx>, Stop> {
        let ty = operands[0].get_type();
        let declared = Intrinsic::find(name).and_then(|it| it.get_declaration(self.module, &[ty.into()]));
        let declared = declared.ok_or_else(|| Stop::harness(&format!("LLVM knows no {name}")))?;
        let operands: Vec<BasicMetadataValueEnum> = operands.iter().map(|&operand| operand.into()).collect();
        let call = self.builder.build_call(declared, &operands, result)?;
        Ok(call.try_as_basic_value().unwrap_basic().into_int_value())
    }

    /// A shift's count modulo the width.
    fn count(&self, count: IntValue<'ctx>) -> Result<IntValue<'ctx>, Stop> {
        if plant::on(Fault::LlvmShiftUnmasked) {
            return Ok(count);
        }
        let ty = count.get_type();
        Ok(self.builder.build_and(count, ty.const_int(u64::from(ty.get_bit_width()) - 1, false), "")?)
    }

    /// The upper half of a product, by way of the type that holds all of it.
    fn high_product(
        &self,
        signed: bool,
        a: IntValue<'ctx>,
        b: IntValue<'ctx>,
        name: &str,
    ) -> Result<IntValue<'ctx>, Stop> {
        let ty = a.get_type();
        let bits = ty.get_bit_width();
        let double = self.int_type(2 * bits);
        let extend = |value| match signed {
            true => self.builder.build_int_s_extend(value, double, ""),
            false => self.builder.build_int_z_extend(value, double, ""),
        };
        let product = self.builder.build_int_mul(extend(a)?, extend(b)?, "")?;
        let high = self.builder.build_right_shift(product, double.const_int(u64::from(bits), false), false, "")?;
        Ok(self.builder.build_int_truncate(high, ty, name)?)
    }

    fn division(&mut self, op: Op, a: IntValue<'ctx>, b: IntValue<'ctx>, name: &str) -> Result<IntValue<'ctx>, Stop> {
        let ty = a.get_type();
        let by_zero = self.equals(b, 0)?;
        let mut goes_on = self.trap_if(by_zero, Trap::DivByZero)?;
        // What `MIN % -1` divides by instead, to stay clear of undefined behaviour.
        let one = ty.const_int(1, false);
        let mut divisor = b;
        if op == Op::Rem {
            let by_minus_one = self.equals(b, -1)?;
            divisor = self.builder.build_select(by_minus_one, one, b, "")?.into_int_value();
        } else if op == Op::Div {
            let overflows = self.both(self.equals(a, -1 << (ty.get_bit_width() - 1))?, self.equals(b, -1)?)?;
            if plant::on(Fault::LlvmNoOverflowGuard) {
                divisor = self.builder.build_select(overflows, one, b, "")?.into_int_value();
            } else {
                goes_on &= self.trap_if(overflows, Trap::Overflow)?;
            }
        }
        // After a guard that always traps nothing runs; LLVM's builder would fold the division there to poison.
        let divisor = if goes_on { divisor } else { one };
        Ok(match op {
            Op::Rem => self.builder.build_int_signed_rem(a, divisor, name)?,
            Op::Div => self.builder.build_int_signed_div(a, divisor, name)?,
            Op::Urem => self.builder.build_int_unsigned_rem(a, divisor, name)?,
            _ => self.builder.build_int_unsigned_div(a, divisor, name)?,
        })
    }

    fn equals(&self, value: IntValue<'ctx>, constant: i64) -> Result<IntValue<'ctx>, Stop> {
        let constant = cut_constant(value.get_type(), constant);
        Ok(self.builder.build_int_compare(IntPredicate::EQ, value, constant, "")?)
    }

    /// The conjunction of two bits. LLVM's builder does not see what a constant 0 makes of it.
    fn both(&self, a: IntValue<'ctx>, b: IntValue<'ctx>) -> Result<IntValue<'ctx>, Stop> {
        match [a, b].into_iter().find(|bit| bit.get_zero_extended_constant() == Some(0)) {
            Some(zero) => Ok(zero),
            None => Ok(self.builder.build_and(a, b, "")?),
        }
    }
}

/// Whether a value is the constant all of whose bits are set.
fn keeps_all(value: IntValue<'_>) -> bool {
    value.is_constant_int() && value == value.get_type().const_all_ones()
}

/// A constant of a type of 64 bits or fewer.
fn cut_constant(ty: IntType<'_>, constant: i64) -> IntValue<'_> {
    ty.const_int(constant as u64 & (u64::MAX >> (64 - ty.get_bit_width())), false)
}

/// What a comparison compares by; `not` compares with 0.
fn comparison(op: Op) -> Option<IntPredicate> {
    Some(match op {
        Op::Eq | Op::Not => IntPredicate::EQ,
        Op::Ne => IntPredicate::NE,
        Op::Lt => IntPredicate::SLT,
        Op::Le => IntPredicate::SLE,
        Op::Gt if plant::on(Fault::LlvmUnsignedGt) => IntPredicate::UGT,
        Op::Gt => IntPredicate::SGT,
        Op::Ge => IntPredicate::SGE,
        Op::Ult => IntPredicate::ULT,
        Op::Ule => IntPredicate::ULE,
        Op::Ugt => IntPredicate::UGT,
        Op::Uge => IntPredicate::UGE,
        _ => return None,
    })
}
