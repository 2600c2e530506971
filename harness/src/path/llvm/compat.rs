//! What differs between the versions of LLVM that this folder is built with. That which is linked in needs none of it;
//! the others come in shared objects (`scripts/toolchain`), and `build.rs` says how old each is.
//!
//! | before | |
//! |---|---|
//! | (23 on) | a branch without a condition has an opcode of its own; there is no `default<Os>` |
//! | 22 | the constants of a `switch` are operands |
//! | 21 | the C API neither tells nor sets the `samesign` of an `icmp`; its text tells it, and no path sets it |
//! | 20 | an `icmp` has no `samesign` |
//! | 19 | a `getelementptr` has no flag but `inbounds` |
//! | 18 | there is no `disjoint` and no `nneg` |
//! | 18 | `instcombine` does not look for a fixpoint, nor know the parameter that tells it not to |
//! | 17 | the C API neither tells nor sets the flags `nuw`, `nsw` and `exact`; C++ tells them, and no path sets them |
//! | 16 | there is no `LLVMGetVersion`; that a function touches no memory is `readnone` |
//! | 15 | the elements of constants are asked for by the kind of constant |
//! | 15 | pointers have the type of what they point to |
//! | 14 | a `getelementptr` doesn't tell the type that it counts in |

use inkwell::AddressSpace;
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::Context;
use inkwell::llvm_sys::prelude::{LLVMTypeRef, LLVMValueRef};
use inkwell::llvm_sys::{LLVMOpcode, core};
#[cfg(not(llvm_before = "14"))]
use inkwell::types::AnyType;
use inkwell::types::{AnyTypeEnum, ArrayType, IntType, PointerType};
use inkwell::values::{BasicValueEnum, InstructionValue, IntValue, PointerValue};

use crate::optimized::Flags;

/// `instcombine` as a part of a pipeline. It ends the process when it doesn't reach a fixpoint, unless told not to
/// look.
#[cfg(not(llvm_before = "18"))]
macro_rules! instcombine {
    () => {
        "instcombine<no-verify-fixpoint>"
    };
}
#[cfg(llvm_before = "18")]
macro_rules! instcombine {
    () => {
        "instcombine"
    };
}
pub(super) use instcombine;

/// The exact version of the library that is loaded, such as `22.1.8`.
#[cfg(not(llvm_before = "16"))]
pub fn version() -> String {
    let (major, minor, patch) = inkwell::support::get_llvm_version();
    format!("{major}.{minor}.{patch}")
}
/// The version that the build was told.
#[cfg(llvm_before = "16")]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_string()
}

/// The attribute, with the value 0, that says that a function touches no memory.
pub const PURE: &str = if cfg!(llvm_before = "16") { "readnone" } else { "memory" };

/// A pointer to the inputs.
pub fn pointer(context: &Context) -> PointerType<'_> {
    #[cfg(not(llvm_before = "15"))]
    return context.ptr_type(AddressSpace::default());
    #[cfg(llvm_before = "15")]
    return context.i64_type().ptr_type(AddressSpace::default());
}

/// Loads a value of this type.
#[cfg(not(llvm_before = "15"))]
pub fn load<'ctx>(
    builder: &Builder<'ctx>,
    ty: IntType<'ctx>,
    place: PointerValue<'ctx>,
    name: &str,
) -> Result<BasicValueEnum<'ctx>, BuilderError> {
    builder.build_load(ty, place, name)
}
/// Loads what the pointer points to.
#[cfg(llvm_before = "15")]
pub fn load<'ctx>(
    builder: &Builder<'ctx>,
    _: IntType<'ctx>,
    place: PointerValue<'ctx>,
    name: &str,
) -> Result<BasicValueEnum<'ctx>, BuilderError> {
    builder.build_load(place, name)
}

/// The place so many values of this type further on.
///
/// # Safety
///
/// It lies within what the pointer points into.
#[cfg(not(llvm_before = "15"))]
pub unsafe fn offset<'ctx>(
    builder: &Builder<'ctx>,
    ty: IntType<'ctx>,
    place: PointerValue<'ctx>,
    by: IntValue<'ctx>,
) -> Result<PointerValue<'ctx>, BuilderError> {
    // SAFETY: as the caller promises.
    unsafe { builder.build_gep(ty, place, &[by], "") }
}
/// The place so many values further on.
///
/// # Safety
///
/// It lies within what the pointer points into.
#[cfg(llvm_before = "15")]
pub unsafe fn offset<'ctx>(
    builder: &Builder<'ctx>,
    _: IntType<'ctx>,
    place: PointerValue<'ctx>,
    by: IntValue<'ctx>,
) -> Result<PointerValue<'ctx>, BuilderError> {
    // SAFETY: as the caller promises.
    unsafe { builder.build_gep(place, &[by], "") }
}

/// The place of an element of an array: by an index of whole arrays and one of elements.
///
/// # Safety
///
/// It lies within the array.
#[cfg(not(llvm_before = "15"))]
pub unsafe fn element_place<'ctx>(
    builder: &Builder<'ctx>,
    ty: ArrayType<'ctx>,
    array: PointerValue<'ctx>,
    indices: [IntValue<'ctx>; 2],
) -> Result<PointerValue<'ctx>, BuilderError> {
    // SAFETY: as the caller promises.
    unsafe { builder.build_gep(ty, array, &indices, "") }
}
/// The place of an element of an array: by an index of whole arrays and one of elements.
///
/// # Safety
///
/// It lies within the array.
#[cfg(llvm_before = "15")]
pub unsafe fn element_place<'ctx>(
    builder: &Builder<'ctx>,
    _: ArrayType<'ctx>,
    array: PointerValue<'ctx>,
    indices: [IntValue<'ctx>; 2],
) -> Result<PointerValue<'ctx>, BuilderError> {
    // SAFETY: as the caller promises.
    unsafe { builder.build_gep(array, &indices, "") }
}

/// Whether a `getelementptr` counts in the inputs' own type.
#[cfg(not(llvm_before = "14"))]
pub fn steps_by_i64(inst: InstructionValue<'_>) -> bool {
    inst.get_gep_source_element_type()
        .is_ok_and(|element| element.is_int_type() && element.into_int_type().get_bit_width() == 64)
}
/// Whether a `getelementptr` counts in the inputs' own type: the type that its pointer points to.
#[cfg(llvm_before = "14")]
pub fn steps_by_i64(inst: InstructionValue<'_>) -> bool {
    let pointer = inst.get_operand(0).and_then(|operand| operand.value());
    pointer.is_some_and(|pointer| pointer.get_type().into_pointer_type().get_element_type().is_int_type())
}

/// The type that a `getelementptr` counts in first.
#[cfg(not(llvm_before = "14"))]
pub fn counted_type(inst: InstructionValue<'_>) -> Option<AnyTypeEnum<'_>> {
    inst.get_gep_source_element_type().ok().map(|ty| ty.as_any_type_enum())
}
/// The type that a `getelementptr` counts in first: the type that its pointer points to.
#[cfg(llvm_before = "14")]
pub fn counted_type(inst: InstructionValue<'_>) -> Option<AnyTypeEnum<'_>> {
    let pointer = inst.get_operand(0).and_then(|operand| operand.value());
    pointer.map(|pointer| pointer.get_type().into_pointer_type().get_element_type())
}

/// The same of LLVM's own objects.
#[cfg(not(llvm_before = "14"))]
pub fn source_element_type(inst: LLVMValueRef) -> LLVMTypeRef {
    // SAFETY: a `getelementptr`, as the caller has seen.
    unsafe { core::LLVMGetGEPSourceElementType(inst) }
}
/// The same of LLVM's own objects.
#[cfg(llvm_before = "14")]
pub fn source_element_type(inst: LLVMValueRef) -> LLVMTypeRef {
    // SAFETY: a `getelementptr`, as the caller has seen, whose first operand is a pointer.
    unsafe { core::LLVMGetElementType(core::LLVMTypeOf(core::LLVMGetOperand(inst, 0))) }
}

/// What an `or` promises.
#[cfg_attr(llvm_before = "18", expect(unused_variables))]
pub fn or_flags(inst: LLVMValueRef) -> Flags {
    #[cfg(llvm_before = "18")]
    return Flags::NONE;
    // SAFETY: an `or`, as the caller has seen.
    #[cfg(not(llvm_before = "18"))]
    return Flags::DISJOINT.when(unsafe { core::LLVMGetIsDisjoint(inst) } != 0);
}

/// What a `zext` promises.
#[cfg_attr(llvm_before = "18", expect(unused_variables))]
pub fn zext_flags(inst: LLVMValueRef) -> Flags {
    #[cfg(llvm_before = "18")]
    return Flags::NONE;
    // SAFETY: a `zext`, as the caller has seen.
    #[cfg(not(llvm_before = "18"))]
    return Flags::NNEG.when(unsafe { core::LLVMGetNNeg(inst) } != 0);
}

/// What an `icmp` promises.
#[cfg(not(llvm_before = "21"))]
pub fn icmp_flags(inst: LLVMValueRef) -> Flags {
    // SAFETY: an `icmp`, as the caller has seen.
    Flags::SAMESIGN.when(unsafe { core::LLVMGetICmpSameSign(inst) } != 0)
}
/// What an `icmp` promises.
#[cfg(all(llvm_before = "21", not(llvm_before = "20")))]
pub fn icmp_flags(inst: LLVMValueRef) -> Flags {
    // SAFETY: an instruction of a module that lives; the text is a string that ends in a zero until it is given back.
    unsafe {
        let text = core::LLVMPrintValueToString(inst);
        let same_sign = std::ffi::CStr::from_ptr(text).to_string_lossy().contains("icmp samesign ");
        core::LLVMDisposeMessage(text);
        Flags::SAMESIGN.when(same_sign)
    }
}
/// What an `icmp` promises: nothing.
#[cfg(llvm_before = "20")]
pub fn icmp_flags(_: LLVMValueRef) -> Flags {
    Flags::NONE
}

/// What a `getelementptr` promises; `inbounds` implies `nusw`.
pub fn offset_flags(inst: LLVMValueRef) -> Flags {
    // SAFETY: a `getelementptr`, as the caller has seen.
    let inbounds = Flags::INBOUNDS.with(Flags::NSW).when(unsafe { core::LLVMIsInBounds(inst) } != 0);
    #[cfg(llvm_before = "19")]
    return inbounds;
    #[cfg(not(llvm_before = "19"))]
    {
        use inkwell::llvm_sys::{LLVMGEPFlagNUSW, LLVMGEPFlagNUW};
        // SAFETY: as above.
        let flags = unsafe { core::LLVMGEPGetNoWrapFlags(inst) };
        let when = |flag: Flags, bit| flag.when(flags & bit != 0);
        inbounds.with(when(Flags::NSW, LLVMGEPFlagNUSW)).with(when(Flags::NUW, LLVMGEPFlagNUW))
    }
}

/// An element of a constant vector or array; null if it has none of that index.
#[cfg(not(llvm_before = "15"))]
pub fn element(constant: LLVMValueRef, index: u32) -> LLVMValueRef {
    // SAFETY: a constant, as the caller has seen.
    unsafe { core::LLVMGetAggregateElement(constant, index) }
}
/// An element of a constant vector or array; null for other constants.
#[cfg(llvm_before = "15")]
pub fn element(constant: LLVMValueRef, index: u32) -> LLVMValueRef {
    use inkwell::llvm_sys::LLVMValueKind::*;
    // SAFETY: a constant of as many elements, as the caller has seen; each function is asked of the kinds that it
    // takes.
    unsafe {
        let element_type = || core::LLVMGetElementType(core::LLVMTypeOf(constant));
        match core::LLVMGetValueKind(constant) {
            LLVMConstantDataArrayValueKind | LLVMConstantDataVectorValueKind => {
                core::LLVMGetElementAsConstant(constant, index)
            }
            LLVMConstantArrayValueKind | LLVMConstantVectorValueKind => core::LLVMGetOperand(constant, index),
            LLVMConstantAggregateZeroValueKind => core::LLVMConstNull(element_type()),
            LLVMUndefValueValueKind => core::LLVMGetUndef(element_type()),
            LLVMPoisonValueKind => core::LLVMGetPoison(element_type()),
            _ => std::ptr::null_mut(),
        }
    }
}

/// The constant of a `switch`'s target: of any but the first, which has none.
#[cfg(not(llvm_before = "22"))]
pub fn case_value(switch: LLVMValueRef, successor: u32) -> LLVMValueRef {
    // SAFETY: a switch that lives as long as its module, and a target that it has.
    unsafe { core::LLVMGetSwitchCaseValue(switch, successor) }
}

/// The constant of a `switch`'s target: it is an operand, before the target's own.
#[cfg(llvm_before = "22")]
pub fn case_value(switch: LLVMValueRef, successor: u32) -> LLVMValueRef {
    // SAFETY: a switch that lives as long as its module, and a target that it has.
    unsafe { core::LLVMGetOperand(switch, 2 * successor) }
}

/// Whether there is `default<Os>`.
pub const HAS_OS: bool = cfg!(not(llvm_from = "23"));

/// Whether an opcode is that of a branch.
#[cfg(not(llvm_from = "23"))]
pub fn is_branch(opcode: LLVMOpcode) -> bool {
    opcode == LLVMOpcode::LLVMBr
}

/// Whether an opcode is that of a branch: without a condition and with one are two.
#[cfg(llvm_from = "23")]
pub fn is_branch(opcode: LLVMOpcode) -> bool {
    matches!(opcode, LLVMOpcode::LLVMUncondBr | LLVMOpcode::LLVMCondBr)
}

/// The flags of an addition, subtraction, multiplication, shift to the left or truncation.
#[cfg(not(llvm_before = "17"))]
pub fn wrap_flags(inst: LLVMValueRef) -> Flags {
    // SAFETY: an instruction that has these flags, in a module that lives.
    unsafe { Flags::NUW.when(core::LLVMGetNUW(inst) != 0).with(Flags::NSW.when(core::LLVMGetNSW(inst) != 0)) }
}

/// The flag of a division or shift to the right.
#[cfg(not(llvm_before = "17"))]
pub fn exact_flag(inst: LLVMValueRef) -> Flags {
    // SAFETY: an instruction that has this flag, in a module that lives.
    Flags::EXACT.when(unsafe { core::LLVMGetExact(inst) } != 0)
}

/// The flags of an addition, subtraction, multiplication, shift to the left or truncation.
#[cfg(llvm_before = "17")]
pub fn wrap_flags(inst: LLVMValueRef) -> Flags {
    // SAFETY: an instruction that has these flags, in a module that lives.
    unsafe { Flags::NUW.when(has_no_unsigned_wrap(inst)).with(Flags::NSW.when(has_no_signed_wrap(inst))) }
}

/// The flag of a division or shift to the right.
#[cfg(llvm_before = "17")]
pub fn exact_flag(inst: LLVMValueRef) -> Flags {
    // SAFETY: an instruction that has this flag, in a module that lives.
    Flags::EXACT.when(unsafe { is_exact(inst) })
}

// What the C API calls by itself from 17 on: methods of C++ that take `this` alone, an instruction's address.
#[cfg(llvm_before = "17")]
unsafe extern "C" {
    #[link_name = "_ZNK4llvm11Instruction17hasNoUnsignedWrapEv"]
    fn has_no_unsigned_wrap(inst: LLVMValueRef) -> bool;
    #[link_name = "_ZNK4llvm11Instruction15hasNoSignedWrapEv"]
    fn has_no_signed_wrap(inst: LLVMValueRef) -> bool;
    #[link_name = "_ZNK4llvm11Instruction7isExactEv"]
    fn is_exact(inst: LLVMValueRef) -> bool;
}

/// Makes an instruction of this opcode promise this. What the version has no setter for is left out.
#[cfg(not(llvm_before = "17"))]
pub fn promise(inst: LLVMValueRef, opcode: LLVMOpcode, flags: Flags) {
    use LLVMOpcode::*;
    let has = |flag| i32::from(flags.has(flag));
    // SAFETY: an instruction of a module that lives; each setter is called for the opcodes that have its flag.
    unsafe {
        match opcode {
            LLVMTrunc if cfg!(llvm_before = "19") => {}
            LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMTrunc => {
                core::LLVMSetNUW(inst, has(Flags::NUW));
                core::LLVMSetNSW(inst, has(Flags::NSW));
            }
            LLVMUDiv | LLVMSDiv | LLVMLShr | LLVMAShr => core::LLVMSetExact(inst, has(Flags::EXACT)),
            #[cfg(not(llvm_before = "18"))]
            LLVMOr => core::LLVMSetIsDisjoint(inst, has(Flags::DISJOINT)),
            #[cfg(not(llvm_before = "18"))]
            LLVMZExt => core::LLVMSetNNeg(inst, has(Flags::NNEG)),
            #[cfg(not(llvm_before = "21"))]
            LLVMICmp => core::LLVMSetICmpSameSign(inst, has(Flags::SAMESIGN)),
            #[cfg(llvm_before = "19")]
            LLVMGetElementPtr => core::LLVMSetIsInBounds(inst, has(Flags::INBOUNDS)),
            #[cfg(not(llvm_before = "19"))]
            LLVMGetElementPtr => {
                use inkwell::llvm_sys::{LLVMGEPFlagInBounds, LLVMGEPFlagNUSW, LLVMGEPFlagNUW};
                let bit = |flag, bit| if flags.has(flag) { bit } else { 0 };
                let bits = bit(Flags::INBOUNDS, LLVMGEPFlagInBounds)
                    | bit(Flags::NSW, LLVMGEPFlagNUSW)
                    | bit(Flags::NUW, LLVMGEPFlagNUW);
                core::LLVMGEPSetNoWrapFlags(inst, bits);
            }
            _ => {}
        }
    }
}

/// Nothing sets them.
#[cfg(llvm_before = "17")]
pub fn promise(_: LLVMValueRef, _: LLVMOpcode, _: Flags) {}
