//! LLVM's ways to complain, and the parts that no program of ours reaches by itself: written here as LLVM IR.

use std::time::Duration;

use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;

use super::emit::Emitter;
use super::machine::{self, CodeGen, Machine};
use super::object::Loaded;
use super::raise::raise;
use super::session::{self, Session};
use super::variants::{CONSTRUCTIONS, Construction, Level, PLAIN, Pipeline};
use super::{LlvmPath, Stop, phi};
use crate::case::{Case, Program};
use crate::op::{End, Trap};
use crate::path::native::{Arena, NativeEnd};
use crate::path::{Detail, Fault, FaultKind, Observation, Path, PathId, Stage};
use crate::{lab, tiny};

/// A module from the text of its function's body.
fn module<'s>(session: &'s Session, body: &str) -> Module<'s> {
    let text = format!("declare void @raise_trap(i64)\ndefine i64 @f(ptr %in) {{\n{body}\n}}\n");
    module_from(session, &text)
}

fn module_from<'s>(session: &'s Session, text: &str) -> Module<'s> {
    let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "test");
    session.context.create_module_from_ir(buffer).unwrap()
}

fn fault<T>(result: Result<T, Stop>) -> Fault {
    match result {
        Err(Stop::Fault(fault)) => fault,
        Err(Stop::Unsupported(unsupported)) => panic!("{unsupported:?}"),
        Ok(_) => panic!("nothing stopped it"),
    }
}

fn unsupported<T>(result: Result<T, Stop>) -> String {
    match result {
        Err(Stop::Unsupported(unsupported)) => unsupported.reason,
        Err(Stop::Fault(fault)) => panic!("{fault:?}"),
        Ok(_) => panic!("nothing stopped it"),
    }
}

/// What a path with this pipeline observes of a program.
fn observe(construction: &'static Construction, level: &'static Level, text: &str) -> Observation {
    let id = PathId::new("llvm", None, "test");
    let path = LlvmPath { id, construction, level, passes: None, style: PLAIN, in_steps: false };
    let program = Program::Tiny(tiny::parse(text).unwrap());
    let vectors = vec![vec![1; program.inputs()]];
    path.observe(&Case { program, vectors, fuel: 1000 }, Detail { texts: true, ..Detail::default() })
}

#[test]
fn the_verifier_rejects_a_phi_that_lacks_an_entry() {
    let text = "a:\n  cbr 1, b, c\nb:\n  br c\nc:\n  x = phi [1, a]\n  ret x\n";
    let session = Session::new();
    let module = session.context.create_module("test");
    let emitted = phi::emit(&lab::parse_phi(text).unwrap(), false, &mut Emitter::new(&session.context, &module, false));
    assert!(emitted.is_ok());
    let fault = fault(machine::verify(&module, Stage::Construct));
    assert_eq!((fault.stage, fault.kind), (Stage::Construct, FaultKind::Invalid));
    assert!(fault.message.contains("one entry for each predecessor"), "{}", fault.message);
}

#[test]
fn a_pipeline_that_does_not_parse_is_a_fault() {
    static LEVEL: Level = Level {
        name: "test",
        pipeline: Some(Pipeline { text: "llvm-test", passes: "no-such-pass" }),
        codegen: CodeGen::None,
    };
    let observation = observe(&CONSTRUCTIONS[0], &LEVEL, "return 1");
    let fault = &observation.faults[0];
    assert_eq!((fault.stage, fault.kind), (Stage::Optimize, FaultKind::Crash));
    assert!(fault.message.contains("no-such-pass"), "{}", fault.message);
    assert!(observation.outcomes.is_empty());
}

/// LLVM 22 wants `instcombine` to be done after one iteration, and ends the process when it isn't.
#[test]
fn a_fatal_error_is_a_fault_and_life_goes_on() {
    static LEVEL: Level = Level {
        name: "test",
        pipeline: Some(Pipeline { text: "llvm-test", passes: "instcombine" }),
        codegen: CodeGen::None,
    };
    let text = "input a, b; g = a != b; c = g != g; while c < 0 { f = c + a; g = a < a; c = c / 10; } return f + b - g";
    for _ in 0..3 {
        let observation = observe(&CONSTRUCTIONS[0], &LEVEL, text);
        let fault = &observation.faults[0];
        assert_eq!((fault.stage, fault.kind), (Stage::Optimize, FaultKind::Crash));
        assert!(fault.message.contains("did not reach a fixpoint"), "{}", fault.message);
        assert_eq!(observation.raised.len(), 1, "what came before is kept");
        assert_eq!(observation.texts.len(), 1);
        assert!(observation.outcomes.is_empty());

        let observation = observe(&CONSTRUCTIONS[0], &LEVEL, "input a, b; return a + b");
        assert_eq!(observation.faults, []);
        assert_eq!(observation.outcomes, [Some(End::Return(2).into())]);
    }
}

#[test]
fn a_fatal_error_of_code_generation_is_caught() {
    let compile = || {
        let session = Session::new();
        let text = "declare i32 @llvm.aarch64.crc32b(i32, i32)
            define i64 @f(ptr %in) {
                %sum = call i32 @llvm.aarch64.crc32b(i32 1, i32 2)
                %wide = zext i32 %sum to i64
                ret i64 %wide
            }";
        let module = module_from(&session, text);
        Machine::with(CodeGen::None, |machine| machine.object(&session, &module).map(|_| ()))
    };
    let message = session::survive(compile).err().unwrap();
    assert!(message.contains("Cannot select"), "{message}");
}

#[test]
fn an_error_among_the_diagnostics_is_a_fault() {
    let session = Session::new();
    let module = module(&session, "call void asm sideeffect \"no-such-instruction\", \"\"()\n ret i64 0");
    let fault = fault(Machine::with(CodeGen::None, |machine| machine.object(&session, &module)));
    assert_eq!((fault.stage, fault.kind), (Stage::Compile, FaultKind::Crash));
    assert!(fault.message.contains("no-such-instruction") || fault.message.contains("mnemonic"), "{}", fault.message);
    assert!(session.check(Stage::Compile).is_ok(), "told once");
}

/// The raised form of a body with two inputs.
fn raised(body: &str) -> Result<String, String> {
    let session = Session::new();
    let module = module(&session, body);
    assert!(machine::verify(&module, Stage::Construct).is_ok());
    let function = raise(&module, 2)?;
    assert_eq!(lab::validate_phi(&function), []);
    Ok(function.to_string())
}

#[test]
fn raising_inputs_guards_and_bits() {
    let body = "
            %second = getelementptr i64, ptr %in, i64 1
            %a = load i64, ptr %in
            %b = load i64, ptr %second
            %zero = icmp eq i64 %b, 0
            br i1 %zero, label %trap, label %next
        trap:
            call void @raise_trap(i64 1)
            unreachable
        next:
            %less = icmp ult i64 %a, %b
            %other = xor i1 %less, true
            %wide = zext i1 %other to i64
            %low = trunc i64 %a to i8
            %same = icmp eq i8 %low, -1
            %chosen = select i1 %same, i64 %wide, i64 -7
            ret i64 %chosen";
    let expected = "# dialect: plus
phi(in.0, in.1)
b.0:
  v.2 = eq in.1, 0
  cbr v.2, b.1, b.2
b.1:
  trap overflow
b.2:
  v.3 = ult in.0, in.1
  v.4 = xor v.3, 1
  v.5 = copy v.4
  v.6 = and in.0, 255
  v.7 = eq v.6, 255
  v.8 = select v.7, v.5, -7
  ret v.8
";
    assert_eq!(raised(body).unwrap(), expected);
}

#[test]
fn raising_switches_of_any_width() {
    let body = "
            %a = load i64, ptr %in
            switch i64 %a, label %c [ i64 7, label %b i64 -9223372036854775808, label %c i64 -1, label %b ]
        b:
            %low = trunc i64 %a to i8
            switch i8 %low, label %c [ i8 -1, label %b ]
        c:
            switch i64 %a, label %d []
        d:
            ret i64 %a";
    let expected = "# dialect: plus
phi(in.0, in.1)
b.0:
  switch in.0, 7: b.1, -9223372036854775808: b.2, -1: b.1, b.2
b.1:
  v.1 = and in.0, 255
  switch v.1, 255: b.1, b.2
b.2:
  switch in.0, b.3
b.3:
  ret in.0
";
    assert_eq!(raised(body).unwrap(), expected);
}

#[test]
fn raising_leaves_out_unreachable_blocks_and_joins_multi_edges() {
    let body = "
            %a = load i64, ptr %in
            %bit = icmp slt i64 %a, 0
            br i1 %bit, label %join, label %join
        dead:
            %lost = load i64, ptr poison
            br label %join
        join:
            %x = phi i64 [ 1, %0 ], [ 1, %0 ], [ poison, %dead ]
            ret i64 %x";
    let expected = "phi(in.0, in.1)
b.0:
  v.1 = lt in.0, 0
  cbr v.1, b.1, b.1
b.1:
  v.2 = phi [1, b.0]
  ret v.2
";
    assert_eq!(raised(body).unwrap(), expected);
}

#[test]
fn what_raising_does_not_know_it_names() {
    for (body, reason) in [
        ("%x = shl i64 1, 2 %y = shl i1 true, false %z = zext i1 %y to i64 ret i64 %z", "shl i1"),
        ("ret i64 poison", "poison"),
        ("ret i64 undef", "constant"),
        ("%x = freeze i64 1 ret i64 %x", "freeze i64"),
        ("%x = add i1 true, true %y = zext i1 %x to i64 ret i64 %y", "add i1"),
        ("%x = icmp slt i4 1, 2 %y = zext i1 %x to i64 ret i64 %y", "icmp i4"),
        ("%x = zext i64 7 to i128 %y = trunc i128 %x to i64 ret i64 %y", "i128 without lshr"),
        ("%x = alloca i64 %y = load i64, ptr %x ret i64 %y", "alloca"),
        ("unreachable", "unreachable"),
        ("%x = getelementptr i64, ptr %in, i64 2 %y = load i64, ptr %x ret i64 %y", "load"),
        ("%x = getelementptr i32, ptr %in, i64 1 %y = load i64, ptr %x ret i64 %y", "getelementptr"),
    ] {
        let message = raised(body).unwrap_err();
        assert!(message.starts_with(reason), "{body}: {message}");
    }
}

/// Compiles a module and runs it on one vector.
fn execute(text: &str, codegen: CodeGen, inputs: &[i64]) -> Result<NativeEnd, Stop> {
    let session = Session::new();
    let module = module_from(&session, text);
    let object = Machine::with(codegen, |machine| {
        machine.adopt(&module);
        machine.object(&session, &module)
    })?;
    let loaded = Loaded::read(&object)?;
    let mut arena = Arena::new().unwrap();
    let code = loaded.place(&mut arena).unwrap();
    // SAFETY: LLVM compiled the function for this ABI, and the tests pass the inputs that it reads.
    Ok(unsafe { code.call(loaded.entry, inputs, &|_| None, Duration::from_secs(1)) }.unwrap().end)
}

#[test]
fn the_linker_reaches_tables_and_the_host() {
    let text = "
        @numbers = private unnamed_addr constant [4 x i64] [i64 3, i64 -5, i64 9223372036854775807, i64 11]
        @pointer = private constant ptr getelementptr (i64, ptr @numbers, i64 2)
        declare void @raise_trap(i64)
        define i64 @before(i64 %x) noinline {
            %y = add i64 %x, 100
            ret i64 %y
        }
        define i64 @f(ptr %in) {
            %a = load i64, ptr %in
            %small = icmp ult i64 %a, 4
            br i1 %small, label %table, label %trap
        table:
            %place = getelementptr [4 x i64], ptr @numbers, i64 0, i64 %a
            %number = load i64, ptr %place
            %max = load volatile ptr, ptr @pointer
            %n = load i64, ptr %max
            %sum = add i64 %n, %number
            %result = call i64 @before(i64 %sum)
            ret i64 %result
        trap:
            call void @raise_trap(i64 1)
            unreachable
        }";
    for codegen in [CodeGen::None, CodeGen::Default] {
        let run = |input: i64| execute(text, codegen, &[input]).ok();
        assert_eq!(run(1), Some(NativeEnd::Return(i64::MIN + 94)));
        assert_eq!(run(3), Some(NativeEnd::Return(i64::MIN + 110)));
        assert_eq!(run(4), Some(NativeEnd::Trap(Trap::Overflow)));
    }
}

#[test]
fn the_linker_names_what_it_does_not_know() {
    let text = "declare i64 @elsewhere()
        define i64 @f(ptr %in) {
            %x = call i64 @elsewhere()
            ret i64 %x
        }";
    assert_eq!(unsupported(execute(text, CodeGen::None, &[])), "symbol elsewhere");
    let text = "define i64 @g(ptr %in) {
            ret i64 1
        }";
    assert!(fault(execute(text, CodeGen::None, &[])).message.contains("no function"));
}
