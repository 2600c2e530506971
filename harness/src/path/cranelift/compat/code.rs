//! What compiling gives: machine code, an error, or, in older versions, a panic that stands for an error.

use std::borrow::Cow;

use cranelift_codegen::ir::TrapCode;
use cranelift_codegen::isa::TargetIsa;
use cranelift_codegen::{CodegenError, Context};

/// How panics begin or go on that say no more than that an instruction has no lowering, and the instruction, where a
/// panic doesn't name it itself. A place in the compiler is the very `unreachable!()` at which such an instruction
/// ends.
const NO_LOWERING: [(&str, Option<&str>); 6] = [
    // Before 0.115, later versions give an error of the same text.
    ("implemented in ISLE: inst = `", None),
    ("cranelift-codegen-0.79.0/src/isa/x64/inst/emit.rs:427: ", Some("mulhi.i8")),
    ("cranelift-codegen-0.80.0/src/isa/x64/inst/emit.rs:427: ", Some("mulhi.i8")),
    ("cranelift-codegen-0.81.0/src/isa/x64/inst/emit.rs:427: ", Some("mulhi.i8")),
    ("cranelift-codegen-0.82.0/src/isa/x64/inst/emit.rs:427: ", Some("mulhi.i8")),
    ("cranelift-codegen-0.84.0/src/isa/x64/inst/emit.rs:465: ", Some("mulhi.i8")),
];

/// The error that a panic of the compiler stands for, if it only says that an instruction has no lowering.
pub(in super::super) fn no_lowering(panic: &str) -> Option<CodegenError> {
    let (instruction, rest) =
        NO_LOWERING.iter().find_map(|(words, instruction)| Some((instruction, panic.split_once(words)?.1)))?;
    // It is written as in a text: v3 = umax.i64 v1, v2  ; v2 = 7
    let written = rest.split(['`', ';']).next()?;
    let opcode = || written.rsplit(" = ").next()?.split_whitespace().next();
    let instruction = instruction.or_else(opcode)?;
    Some(CodegenError::Unsupported(format!("no lowering of {instruction} in {}", cranelift_codegen::VERSION)))
}

/// Optimizes a function in place and compiles it.
pub(in super::super) fn compile(context: &mut Context, isa: &dyn TargetIsa) -> Result<(), CodegenError> {
    #[cfg(not(cranelift_before = "0.96"))]
    let compiled = context.compile(isa, &mut Default::default());
    #[cfg(cranelift_before = "0.96")]
    let compiled = context.compile(isa);
    #[cfg(not(cranelift_before = "0.87"))]
    return compiled.map(|_| ()).map_err(|error| error.inner);
    #[cfg(cranelift_before = "0.87")]
    return compiled.map(|_| ());
}

/// A compiled function.
pub(in super::super) struct MachineCode<'a> {
    /// Its bytes.
    pub(in super::super) bytes: Cow<'a, [u8]>,
    /// Where it may trap.
    pub(in super::super) traps: Vec<(u32, TrapCode)>,
    /// Whether a linker would have something left to fill in.
    pub(in super::super) relocatable: bool,
}

/// What [`compile`] has left in the context.
#[cfg(not(cranelift_before = "0.81"))]
pub(in super::super) fn machine_code(context: &Context) -> Option<MachineCode<'_>> {
    #[cfg(not(cranelift_before = "0.87"))]
    let compiled = context.compiled_code()?;
    #[cfg(cranelift_before = "0.87")]
    let compiled = context.mach_compile_result.as_ref()?;
    let buffer = &compiled.buffer;
    Some(MachineCode {
        bytes: buffer.data().into(),
        traps: buffer.traps().iter().map(|trap| (trap.offset, trap.code)).collect(),
        relocatable: !buffer.relocs().is_empty(),
    })
}

/// What [`compile`] has left in the context.
#[cfg(cranelift_before = "0.81")]
pub(in super::super) fn machine_code(context: &Context) -> Option<MachineCode<'_>> {
    use cranelift_codegen::binemit::{Addend, CodeOffset, NullStackMapSink, Reloc, RelocSink, TrapSink};
    use cranelift_codegen::ir::{ExternalName, SourceLoc};

    struct Relocations(bool);
    impl RelocSink for Relocations {
        fn reloc_external(&mut self, _: CodeOffset, _: SourceLoc, _: Reloc, _: &ExternalName, _: Addend) {
            self.0 = true;
        }
    }
    struct Traps(Vec<(u32, TrapCode)>);
    impl TrapSink for Traps {
        fn trap(&mut self, offset: CodeOffset, _: SourceLoc, code: TrapCode) {
            self.0.push((offset, code));
        }
    }

    let size = context.mach_compile_result.as_ref()?.buffer.total_size();
    let (mut bytes, mut relocations, mut traps) = (vec![0; size as usize], Relocations(false), Traps(Vec::new()));
    // SAFETY: as many bytes are written as the buffer has.
    unsafe {
        context.emit_to_memory(bytes.as_mut_ptr(), &mut relocations, &mut traps, &mut NullStackMapSink {});
    }
    Some(MachineCode { bytes: bytes.into(), traps: traps.0, relocatable: relocations.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_lowering_is_an_error_and_names_the_instruction() {
        for (panic, instruction) in [
            (
                "panicked at cranelift-codegen-0.91.0/src/isa/x64/lower.rs:476: internal error: entered unreachable code: \
                 implemented in ISLE: inst = `v7 = smulhi.i8 v3, v4  ; v4 = 128`, type = `Some(types::I8)`",
                "smulhi.i8",
            ),
            ("should be implemented in ISLE: inst = `store v1, v2`, type = `None`", "store"),
            (
                "panicked at cranelift-codegen-0.84.0/src/isa/x64/inst/emit.rs:465: internal error: entered unreachable code",
                "mulhi.i8",
            ),
        ] {
            let Some(CodegenError::Unsupported(text)) = no_lowering(panic) else { panic!("{panic} is a crash") };
            assert!(text.starts_with(&format!("no lowering of {instruction} in 0.")), "{text}");
        }
        for panic in [
            "panicked at cranelift-codegen-0.84.0/src/isa/x64/inst/emit.rs:466: internal error: entered unreachable code",
            "panicked at cranelift-codegen-0.91.0/src/isa/x64/lower.rs:610: implemented in ISLE: branch = `brz v1`",
            "panicked at cranelift-codegen-0.91.0/src/machinst/lower.rs:1338: assertion failed: uses == 0",
        ] {
            assert!(no_lowering(panic).is_none(), "{panic}");
        }
    }
}
