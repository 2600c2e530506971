//! What differs between the versions of LLVM that this folder is built with. The newest needs none of it; the others
//! come in shared objects (`scripts/toolchain`), and `build.rs` says how old each is.
//!
//! | before | |
//! |---|---|
//! | 18 | `instcombine` does not look for a fixpoint, nor know the parameter that tells it not to |
//! | 16 | there is no `LLVMGetVersion` |
//! | 15 | pointers have the type of what they point to |
//! | 14 | a `getelementptr` doesn't tell the type that it counts in |

use inkwell::AddressSpace;
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::Context;
use inkwell::types::{IntType, PointerType};
use inkwell::values::{BasicValueEnum, InstructionValue, IntValue, PointerValue};

/// `instcombine` as a part of a pipeline. It ends the process when it doesn't reach a fixpoint, unless told not to look.
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
