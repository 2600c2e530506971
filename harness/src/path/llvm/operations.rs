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
use crate::op::{Int, Narrow, Op, Trap};
use crate::plant::{self, Fault};

impl<'ctx> Emitter<'_, 'ctx> {
    /// An operation. It may end the current block and go on in a new one.
    pub fn operation(&mut self, op: Op, operands: [IntValue<'ctx>; 3], name: &str) -> Result<IntValue<'ctx>, Stop> {
        let [a, b, c] = operands;
        match op {
            Op::At(narrow, int) => self.narrow_operation(narrow, int, [a, b], name),
            Op::Select => {
                let condition = self.condition(a)?;
                Ok(self.builder.build_select(condition, b, c, name)?.into_int_value())
            }
            Op::Emit => {
                self.emit(a)?;
                Ok(a)
            }
            Op::Load(array) => self.load_element(array, a, name),
            Op::Store(array) => {
                self.store_element(array, a, b)?;
                Ok(b)
            }
            Op::Zext8 => self.cut(Int::U8, a, name),
            Op::Zext16 => self.cut(Int::U16, a, name),
            Op::Zext32 => self.cut(Int::U32, a, name),
            Op::Sext8 => self.cut(Int::S8, a, name),
            Op::Sext16 => self.cut(Int::S16, a, name),
            Op::Sext32 => self.cut(Int::S32, a, name),
            _ => match comparison(op) {
                Some(predicate) => {
                    let b = if op == Op::Not { self.constant(0) } else { b };
                    let bit = self.builder.build_int_compare(predicate, a, b, "")?;
                    Ok(self.builder.build_int_z_extend(bit, self.i64, name)?)
                }
                None => self.instruction(op, [a, b], name),
            },
        }
    }

    /// A narrow operation: the operands truncated, the instruction at their type, the result extended.
    fn narrow_operation(
        &mut self,
        narrow: Narrow,
        int: Int,
        operands: [IntValue<'ctx>; 2],
        name: &str,
    ) -> Result<IntValue<'ctx>, Stop> {
        let ty = self.int_type(int.bits());
        let [mut a, mut b] = operands;
        a = self.builder.build_int_truncate(a, ty, "")?;
        if narrow.arity() == 2 {
            b = self.builder.build_int_truncate(b, ty, "")?;
        }
        let op = narrow.wide(int);
        if let Some(predicate) = comparison(op) {
            let bit = self.builder.build_int_compare(predicate, a, b, "")?;
            return Ok(self.builder.build_int_z_extend(bit, self.i64, name)?);
        }
        let result = match narrow {
            // A number without sign and a single byte are what they were.
            Narrow::Abs if !int.signed() => a,
            Narrow::Bswap if int.bits() == 8 => a,
            _ => self.instruction(op, [a, b], "")?,
        };
        self.extended(int, result, name)
    }

    /// A value cut to a width and extended again.
    fn cut(&self, int: Int, value: IntValue<'ctx>, name: &str) -> Result<IntValue<'ctx>, Stop> {
        let ty = self.int_type(int.bits());
        let narrow = self.builder.build_int_truncate(value, ty, "")?;
        self.extended(int, narrow, name)
    }

    fn extended(&self, int: Int, narrow: IntValue<'ctx>, name: &str) -> Result<IntValue<'ctx>, Stop> {
        Ok(if int.signed() {
            self.builder.build_int_s_extend(narrow, self.i64, name)?
        } else {
            self.builder.build_int_z_extend(narrow, self.i64, name)?
        })
    }

    /// An operation's instruction, at the type of its operands.
    fn instruction(&mut self, op: Op, [a, b]: [IntValue<'ctx>; 2], name: &str) -> Result<IntValue<'ctx>, Stop> {
        let builder = &self.builder;
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
    fn int_type(&self, bits: u32) -> IntType<'ctx> {
        match bits {
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
