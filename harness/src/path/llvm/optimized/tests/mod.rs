//! The table of `docs/POISON.md` against LLVM's own machine code, instruction by instruction, on boundary values; and
//! what raising and running say of functions that are written here as LLVM IR.

mod flags;
mod messages;
mod promises;
mod single;

use std::time::Duration;

use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;

use super::raise;
use crate::op::{End, Outcome};
use crate::optimized::{Function, Interpreter};
use crate::path::llvm::Stop;
use crate::path::llvm::machine::{CodeGen, Machine};
use crate::path::llvm::object::Loaded;
use crate::path::llvm::session::Session;
use crate::path::native::Arena;

/// The inputs of every function here.
type Vector = [i64; 3];

/// Numbers with many bit patterns around every width's limits.
fn numbers() -> Vec<i64> {
    let mut numbers = vec![0, 1, 2, 3, 7, -1, -2, 0x1234_5678_9abc_def0, i64::MIN, i64::MAX];
    for k in [6, 7, 8, 15, 16, 31, 32, 62, 63] {
        let power = 1i64 << k;
        numbers.extend([power, power.wrapping_sub(1), power.wrapping_neg()]);
    }
    numbers
}

/// Every pair of numbers, with a third that depends on both.
fn vectors() -> Vec<Vector> {
    let numbers = numbers();
    let pairs = numbers.iter().flat_map(|&a| numbers.iter().map(move |&b| (a, b)));
    pairs.map(|(a, b)| [a, b, a.rotate_left(13) ^ b]).collect()
}

/// A module with the function `f` of the inputs `%x`, `%y`, `%z`. `elsewhere` stands outside of it.
fn text(elsewhere: &str, body: &str) -> String {
    format!(
        "declare void @raise_trap(i64)
{elsewhere}
define i64 @f(ptr %in) {{
start:
%py = getelementptr inbounds i64, ptr %in, i64 1
%pz = getelementptr inbounds i64, ptr %in, i64 2
%x = load i64, ptr %in
%y = load i64, ptr %py
%z = load i64, ptr %pz
{body}
}}
"
    )
}

fn module<'s>(session: &'s Session, text: &str) -> Module<'s> {
    let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "test");
    let module = session.context.create_module_from_ir(buffer).unwrap_or_else(|error| panic!("{error}\n{text}"));
    module.verify().unwrap_or_else(|error| panic!("{error}\n{text}"));
    module
}

/// The raised form.
fn raised(text: &str) -> Result<Function, String> {
    let session = Session::new();
    let module = module(&session, text);
    Machine::with(CodeGen::None, |machine| {
        machine.adopt(&module);
        Ok(raise(&module))
    })
    .unwrap_or_else(|_| panic!("no machine"))
}

/// What the raised form gives on each vector.
fn interpreted(text: &str, vectors: &[Vector]) -> Vec<Outcome> {
    let function = raised(text).unwrap_or_else(|reason| panic!("{reason}\n{text}"));
    let interpreter = Interpreter::new(&function);
    vectors.iter().map(|vector| interpreter.run(vector, 1000).outcome).collect()
}

/// What the machine code gives on those vectors for which `is_defined`; `None` on the others.
fn executed(text: &str, vectors: &[Vector], is_defined: &[bool]) -> Vec<Option<Outcome>> {
    let session = Session::new();
    let module = module(&session, text);
    let loaded = Machine::with(CodeGen::None, |machine| {
        machine.adopt(&module);
        Loaded::read(&machine.object(&session, &module)?)
    });
    let loaded = match loaded {
        Ok(loaded) => loaded,
        Err(Stop::Fault(fault)) => panic!("{}\n{text}", fault.message),
        Err(Stop::Unsupported(unsupported)) => panic!("{}\n{text}", unsupported.reason),
    };
    let mut arena = Arena::new().unwrap();
    let code = loaded.place(&mut arena).unwrap();
    let run = |(vector, &is_defined): (&Vector, &bool)| {
        // SAFETY: LLVM compiled the function for this ABI, and it reads the three inputs.
        let run = || unsafe { code.call(loaded.entry, vector, &|_| None, Duration::from_secs(1)) }.unwrap();
        is_defined.then(|| {
            let run = run();
            let end = run.end;
            run.outcome().unwrap_or_else(|| panic!("{end:?} on {vector:?}\n{text}"))
        })
    };
    vectors.iter().zip(is_defined).map(run).collect()
}

/// Both ways on all vectors that are defined must give the same; gives how many those are.
fn same(text: &str, vectors: &[Vector]) -> usize {
    let interpreted = interpreted(text, vectors);
    let is_defined: Vec<bool> = interpreted.iter().map(|outcome| outcome.end != End::Undefined).collect();
    let executed = executed(text, vectors, &is_defined);
    for ((vector, interpreted), executed) in vectors.iter().zip(interpreted).zip(executed) {
        assert!(
            executed.as_ref().is_none_or(|executed| *executed == interpreted),
            "{executed:?} for {interpreted}: {vector:?}\n{text}"
        );
    }
    is_defined.into_iter().filter(|is_defined| *is_defined).count()
}

/// Narrows an input to a value of `bits`; a wide one gets the next input as its high half.
fn narrowed(name: &str, [low, high]: [&str; 2], bits: u32) -> String {
    match bits {
        64 => format!("%{name} = add i64 %{low}, 0\n"),
        0..64 => format!("%{name} = trunc i64 %{low} to i{bits}\n"),
        _ => format!(
            "%{name}.low = zext i64 %{low} to i128\n%{name}.zext = zext i64 %{high} to i128\n\
             %{name}.high = shl i128 %{name}.zext, 64\n%{name}.128 = or i128 %{name}.low, %{name}.high\n{}\n",
            match bits {
                128 => format!("%{name} = add i128 %{name}.128, 0"),
                _ => format!("%{name} = trunc i128 %{name}.128 to i{bits}"),
            }
        ),
    }
}

/// Returns a value of `bits`, all of them mixed into 64.
fn returned(name: &str, bits: u32) -> String {
    match bits {
        64 => format!("ret i64 %{name}"),
        0..64 => format!("%wide = zext i{bits} %{name} to i64\nret i64 %wide"),
        _ => format!(
            "%ret.low = trunc i{bits} %{name} to i64\n%ret.shift = lshr i{bits} %{name}, 64\n\
             %ret.high = trunc i{bits} %ret.shift to i64\n%ret.mixed = mul i64 %ret.high, 31\n\
             %ret = xor i64 %ret.low, %ret.mixed\nret i64 %ret"
        ),
    }
}
