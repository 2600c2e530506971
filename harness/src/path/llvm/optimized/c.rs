//! LLVM's objects through its C API, as far as raising reads them: what inkwell has no words for, and quickly.
//!
//! An [`Object`] is a value, an instruction or a block of a module that lives as long as the lifetime says. Nothing
//! here changes a module.

use std::ffi::{CStr, c_char};
use std::marker::PhantomData;

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::{LLVMBasicBlockRef, LLVMTypeRef, LLVMValueRef};
use inkwell::llvm_sys::target::{LLVMABISizeOfType, LLVMGetModuleDataLayout};
use inkwell::llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMTypeKind, LLVMValueKind};
use inkwell::module::Module;
use inkwell::values::AsValueRef;

use crate::optimized::{Flags, Type};
use crate::path::llvm::compat;

/// A value of a module, an instruction among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Object<'m>(LLVMValueRef, PhantomData<&'m ()>);

/// A block of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockObject<'m>(LLVMBasicBlockRef, PhantomData<&'m ()>);

/// A type of a module's context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeObject<'m>(LLVMTypeRef, PhantomData<&'m ()>);

/// The function of this name.
pub fn function<'m>(module: &'m Module<'_>, name: &str) -> Option<Object<'m>> {
    module.get_function(name).map(|function| Object(function.as_value_ref(), PhantomData))
}

// SAFETY (of every block below): an `Object`, a `BlockObject` and a `TypeObject` are made from a module that outlives
// them, or handed out by LLVM for another one; and a function is called for what it is documented for alone: the caller
// of `flags` and the like has looked at the opcode, the caller of `case` and the like counts.

impl<'m> Object<'m> {
    /// The address that tells it from others.
    pub fn address(self) -> usize {
        self.0 as usize
    }

    /// LLVM's own handle of it, for who changes the module.
    pub fn raw(self) -> LLVMValueRef {
        self.0
    }

    fn from(raw: LLVMValueRef) -> Option<Object<'m>> {
        (!raw.is_null()).then_some(Object(raw, PhantomData))
    }

    pub fn ty(self) -> TypeObject<'m> {
        // SAFETY: as above.
        TypeObject(unsafe { LLVMTypeOf(self.0) }, PhantomData)
    }

    pub fn kind(self) -> LLVMValueKind {
        // SAFETY: as above.
        unsafe { LLVMGetValueKind(self.0) }
    }

    /// Its name, if it has one.
    pub fn name(self) -> String {
        let mut length = 0;
        // SAFETY: as above; LLVM gives as many bytes as it says.
        let bytes = unsafe {
            let text = LLVMGetValueName2(self.0, &mut length);
            std::slice::from_raw_parts(text.cast::<u8>(), length)
        };
        String::from_utf8_lossy(bytes).into_owned()
    }

    /// A function's parameters.
    pub fn params(self) -> impl Iterator<Item = Object<'m>> {
        // SAFETY: as above.
        let first = unsafe { LLVMGetFirstParam(self.0) };
        // SAFETY: as above.
        std::iter::successors(Object::from(first), |param| Object::from(unsafe { LLVMGetNextParam(param.0) }))
    }

    /// A function's blocks.
    pub fn blocks(self) -> impl Iterator<Item = BlockObject<'m>> {
        let some = |raw: LLVMBasicBlockRef| (!raw.is_null()).then_some(BlockObject(raw, PhantomData));
        // SAFETY: as above.
        let first = unsafe { LLVMGetFirstBasicBlock(self.0) };
        // SAFETY: as above.
        std::iter::successors(some(first), move |block| some(unsafe { LLVMGetNextBasicBlock(block.0) }))
    }

    /// An instruction's opcode.
    pub fn opcode(self) -> LLVMOpcode {
        // SAFETY: as above.
        unsafe { LLVMGetInstructionOpcode(self.0) }
    }

    /// A constant expression's opcode.
    pub fn constant_opcode(self) -> LLVMOpcode {
        // SAFETY: as above.
        unsafe { LLVMGetConstOpcode(self.0) }
    }

    pub fn operand_count(self) -> u32 {
        // SAFETY: as above.
        unsafe { LLVMGetNumOperands(self.0) as u32 }
    }

    pub fn operand(self, index: u32) -> Object<'m> {
        // SAFETY: as above.
        Object(unsafe { LLVMGetOperand(self.0, index) }, PhantomData)
    }

    /// The operands of a call without its callee, of a constant, of an instruction.
    pub fn operands(self, count: u32) -> impl Iterator<Item = Object<'m>> {
        (0..count).map(move |index| self.operand(index))
    }

    /// A call's arguments.
    pub fn call_args(self) -> impl Iterator<Item = Object<'m>> {
        // SAFETY: as above.
        self.operands(unsafe { LLVMGetNumArgOperands(self.0) })
    }

    /// What a call calls.
    pub fn callee(self) -> Object<'m> {
        // SAFETY: as above.
        Object(unsafe { LLVMGetCalledValue(self.0) }, PhantomData)
    }

    /// The name of an intrinsic without its types: `llvm.smax`. Empty for other functions.
    pub fn intrinsic(self) -> &'static str {
        // SAFETY: as above; the names of intrinsics are there for good.
        unsafe {
            let id = LLVMGetIntrinsicID(self.0);
            let mut length = 0;
            let name = if id == 0 { std::ptr::null() } else { LLVMIntrinsicGetName(id, &mut length) };
            if name.is_null() {
                return "";
            }
            std::str::from_utf8(std::slice::from_raw_parts(name.cast(), length)).unwrap_or_default()
        }
    }

    /// A phi's entries.
    pub fn incoming(self) -> impl Iterator<Item = (BlockObject<'m>, Object<'m>)> {
        // SAFETY: as above.
        let entry = move |index| unsafe {
            let (block, value) = (LLVMGetIncomingBlock(self.0, index), LLVMGetIncomingValue(self.0, index));
            (BlockObject(block, PhantomData), Object(value, PhantomData))
        };
        // SAFETY: as above.
        (0..unsafe { LLVMCountIncoming(self.0) }).map(entry)
    }

    /// A terminator's targets; of a switch the default first.
    pub fn successors(self) -> impl Iterator<Item = BlockObject<'m>> {
        // SAFETY: as above.
        (0..unsafe { LLVMGetNumSuccessors(self.0) })
            // SAFETY: as above.
            .map(move |index| BlockObject(unsafe { LLVMGetSuccessor(self.0, index) }, PhantomData))
    }

    /// The constant of a switch's target, which is not its first.
    pub fn case(self, successor: u32) -> Object<'m> {
        Object(compat::case_value(self.0, successor), PhantomData)
    }

    /// An `icmp`'s predicate.
    pub fn predicate(self) -> LLVMIntPredicate {
        // SAFETY: as above.
        unsafe { LLVMGetICmpPredicate(self.0) }
    }

    /// What an instruction of this opcode promises.
    pub fn flags(self, opcode: LLVMOpcode) -> Flags {
        use LLVMOpcode::*;
        // Each getter is asked of the opcodes that have the flag.
        match opcode {
            LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMTrunc => compat::wrap_flags(self.0),
            LLVMUDiv | LLVMSDiv | LLVMLShr | LLVMAShr => compat::exact_flag(self.0),
            LLVMOr => compat::or_flags(self.0),
            LLVMZExt => compat::zext_flags(self.0),
            LLVMICmp => compat::icmp_flags(self.0),
            LLVMGetElementPtr => compat::offset_flags(self.0),
            _ => Flags::NONE,
        }
    }

    /// The type that a `getelementptr` counts in.
    pub fn element_type(self) -> TypeObject<'m> {
        TypeObject(compat::source_element_type(self.0), PhantomData)
    }

    /// The type that an `alloca` makes room for.
    pub fn allocated_type(self) -> TypeObject<'m> {
        // SAFETY: as above.
        TypeObject(unsafe { LLVMGetAllocatedType(self.0) }, PhantomData)
    }

    /// The alignment that a load or a store promises.
    pub fn alignment(self) -> u64 {
        // SAFETY: as above.
        u64::from(unsafe { LLVMGetAlignment(self.0) })
    }

    /// Whether a load or a store is volatile or atomic.
    pub fn is_special_access(self) -> bool {
        // SAFETY: as above.
        unsafe {
            LLVMGetVolatile(self.0) != 0
                || LLVMGetOrdering(self.0) != inkwell::llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic
        }
    }

    /// Whether there is metadata of a kind.
    pub fn has_metadata(self, kind: &str) -> bool {
        self.metadata(kind).is_some()
    }

    fn metadata(self, kind: &str) -> Option<LLVMValueRef> {
        // SAFETY: as above; the kind's name is as long as it says.
        let node = unsafe {
            if LLVMHasMetadata(self.0) == 0 {
                return None;
            }
            let context = LLVMGetTypeContext(LLVMTypeOf(self.0));
            LLVMGetMetadata(self.0, LLVMGetMDKindIDInContext(context, kind.as_ptr().cast(), kind.len() as u32))
        };
        (!node.is_null()).then_some(node)
    }

    /// The constants that metadata of a kind consists of.
    pub fn metadata_operands(self, kind: &str) -> Option<Vec<Object<'m>>> {
        let node = self.metadata(kind)?;
        // SAFETY: as above; LLVM writes as many operands as it says.
        let operands = unsafe {
            let mut operands = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(node) as usize];
            LLVMGetMDNodeOperands(node, operands.as_mut_ptr());
            operands
        };
        Some(operands.into_iter().filter_map(Object::from).collect())
    }

    /// The indices of an `extractvalue`.
    pub fn indices(self) -> &'m [u32] {
        // SAFETY: as above; there are as many as LLVM says.
        unsafe { std::slice::from_raw_parts(LLVMGetIndices(self.0), LLVMGetNumIndices(self.0) as usize) }
    }

    /// The lanes that a `shufflevector` picks.
    pub fn shuffle_mask(self) -> Vec<Option<u32>> {
        // SAFETY: as above.
        let lane = |index| u32::try_from(unsafe { LLVMGetMaskValue(self.0, index) }).ok();
        // SAFETY: as above.
        (0..unsafe { LLVMGetNumMaskElements(self.0) }).map(lane).collect()
    }

    /// A constant integer of at most 64 bits.
    pub fn small_int(self) -> u64 {
        // SAFETY: as above.
        unsafe { LLVMConstIntGetZExtValue(self.0) }
    }

    /// A constant integer that fits in a signed number of 64 bits; `None` for others and for no constants.
    pub fn signed_int(self) -> Option<i64> {
        let is_small = self.kind() == LLVMValueKind::LLVMConstantIntValueKind && self.ty().bits() <= 64;
        // SAFETY: as above.
        is_small.then(|| unsafe { LLVMConstIntGetSExtValue(self.0) })
    }

    /// A lane or an element of a constant.
    pub fn element(self, index: u32) -> Option<Object<'m>> {
        Object::from(compat::element(self.0, index))
    }

    /// What a global variable holds for good.
    pub fn constant_initializer(self) -> Option<Object<'m>> {
        // SAFETY: as above.
        Object::from(unsafe { if LLVMIsGlobalConstant(self.0) != 0 { LLVMGetInitializer(self.0) } else { self.0 } })
            .filter(|initializer| *initializer != self)
    }

    /// LLVM's text of it.
    pub fn text(self) -> String {
        // SAFETY: as above.
        owned(unsafe { LLVMPrintValueToString(self.0) })
    }

    /// Whether a function's result or a call's has the attribute `range`.
    pub fn has_range(self, is_call: bool) -> bool {
        // SAFETY: as above; the attribute's name is as long as it says. Attributes of the result have the index 0.
        unsafe {
            let name = "range";
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            // Versions that don't know it call it 0.
            kind != 0
                && !if is_call {
                    LLVMGetCallSiteEnumAttribute(self.0, 0, kind)
                } else {
                    LLVMGetEnumAttributeAtIndex(self.0, 0, kind)
                }
                .is_null()
        }
    }
}

impl<'m> BlockObject<'m> {
    /// The address that tells it from others.
    pub fn address(self) -> usize {
        self.0 as usize
    }

    /// Its name, if it has one.
    pub fn name(self) -> String {
        // SAFETY: as above.
        Object(unsafe { LLVMBasicBlockAsValue(self.0) }, PhantomData).name()
    }

    pub fn instructions(self) -> impl Iterator<Item = Object<'m>> {
        // SAFETY: as above.
        let first = unsafe { LLVMGetFirstInstruction(self.0) };
        // SAFETY: as above.
        std::iter::successors(Object::from(first), |inst| Object::from(unsafe { LLVMGetNextInstruction(inst.0) }))
    }

    pub fn terminator(self) -> Option<Object<'m>> {
        // SAFETY: as above.
        Object::from(unsafe { LLVMGetBasicBlockTerminator(self.0) })
    }
}

impl<'m> TypeObject<'m> {
    pub fn kind(self) -> LLVMTypeKind {
        // SAFETY: as above.
        unsafe { LLVMGetTypeKind(self.0) }
    }

    pub fn is_void(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMVoidTypeKind
    }

    /// LLVM's text of it.
    pub fn text(self) -> String {
        // SAFETY: as above.
        owned(unsafe { LLVMPrintTypeToString(self.0) })
    }

    /// An integer's bits.
    pub fn bits(self) -> u32 {
        // SAFETY: as above.
        unsafe { LLVMGetIntTypeWidth(self.0) }
    }

    /// What an array or a vector consists of.
    pub fn element(self) -> TypeObject<'m> {
        // SAFETY: as above.
        TypeObject(unsafe { LLVMGetElementType(self.0) }, PhantomData)
    }

    /// A vector's lanes.
    pub fn lanes(self) -> u32 {
        // SAFETY: as above.
        unsafe { LLVMGetVectorSize(self.0) }
    }

    /// A struct's fields.
    pub fn fields(self) -> Vec<TypeObject<'m>> {
        // SAFETY: as above.
        (0..unsafe { LLVMCountStructElementTypes(self.0) })
            // SAFETY: as above.
            .map(|index| TypeObject(unsafe { LLVMStructGetTypeAtIndex(self.0, index) }, PhantomData))
            .collect()
    }

    /// The bytes from one to the next in memory.
    pub fn size(self, module: &Module<'_>) -> u64 {
        // SAFETY: as above; the layout is the module's own.
        unsafe { LLVMABISizeOfType(LLVMGetModuleDataLayout(module.as_mut_ptr()), self.0) }
    }

    /// What it is in the extended form.
    pub fn raised(self) -> Option<Type> {
        let known = |bits| (bits <= crate::optimized::WIDEST).then_some(bits);
        Some(match self.kind() {
            LLVMTypeKind::LLVMIntegerTypeKind => Type::Int(known(self.bits())?),
            LLVMTypeKind::LLVMPointerTypeKind => Type::Pointer,
            LLVMTypeKind::LLVMVectorTypeKind => match self.element().raised()? {
                Type::Int(bits) => Type::Vector(self.lanes(), bits),
                _ => return None,
            },
            LLVMTypeKind::LLVMStructTypeKind => match self.fields()[..] {
                [number, bit] if bit.raised() == Some(Type::Int(1)) => match number.raised()? {
                    Type::Int(bits) => Type::Overflow(bits),
                    _ => return None,
                },
                _ => return None,
            },
            _ => return None,
        })
    }
}

/// A text that LLVM hands over.
fn owned(raw: *mut c_char) -> String {
    // SAFETY: `raw` comes from one of LLVM's functions that print, and nobody else disposes of it.
    unsafe {
        let text = CStr::from_ptr(raw).to_string_lossy().into_owned();
        LLVMDisposeMessage(raw);
        text
    }
}
