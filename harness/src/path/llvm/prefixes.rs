//! A path that stops after so many of its passes: which one makes the program wrong?
//!
//! LLVM numbers the passes that it runs, those of code generation too, prints their names, and skips those behind
//! `-opt-bisect-limit` (<https://llvm.org/docs/OptBisect.html>). Older versions take the option once in a process, and
//! the names go to standard error, from which they are read back: it must be a file. So each limit is a process's own.

use std::ffi::{CString, c_int};

use inkwell::llvm_sys::support::LLVMParseCommandLineOptions;

use super::variants::{custom_path, variants};
use super::{LlvmPath, Source, Stop, source};
use crate::case::Case;
use crate::path::llvm::emit::Emitter;
use crate::path::llvm::machine::{self, Machine};
use crate::path::llvm::object::Loaded;
use crate::path::llvm::session::{self, Session};
use crate::path::llvm::{alloca, optimized, phi};
use crate::path::{AS_WRITTEN, Observation, PathId, Stage};

/// All passes are numbered and none is skipped.
const ALL: i32 = -1;

/// The program after so many passes of a path, or after all: raised, compiled as the path does, and run; and the name
/// of the last pass with its number.
pub fn stop_after(id: &PathId, case: &Case, passes: Option<u32>) -> Result<(String, Observation), String> {
    let listed = variants().into_iter().find(|path| path.id.variant == id.variant);
    let path = listed.or_else(|| custom_path(&id.variant)).ok_or_else(|| format!("{id} is no path of LLVM"))?;
    let source = source(path.construction, path.style, &case.program).map_err(Stop::message)?;
    set_limit(passes.map_or(ALL, |passes| passes as i32));
    let observation = path.stopped(&source, case);
    let names = numbered(&printed());
    let name = match passes {
        Some(0) => None,
        Some(passes) => names.get(passes as usize - 1),
        None => names.last(),
    };
    Ok((name.cloned().unwrap_or_else(|| AS_WRITTEN.to_string()), observation))
}

/// What this process wrote to its standard error.
fn printed() -> String {
    std::fs::read_to_string("/proc/self/fd/2").unwrap_or_default()
}

/// The passes that LLVM says it ran or skipped, in order: `5 simplifycfg on f`.
fn numbered(printed: &str) -> Vec<String> {
    let pass = |line: &str| {
        let (number, name) = line.strip_prefix("BISECT: ")?.split_once("running pass (")?.1.split_once(") ")?;
        Some(format!("{number} {name}"))
    };
    printed.lines().filter_map(pass).collect()
}

fn set_limit(limit: i32) {
    let arguments = [c"roundtrip".to_owned(), CString::new(format!("-opt-bisect-limit={limit}")).unwrap_or_default()];
    let pointers = arguments.each_ref().map(|argument| argument.as_ptr());
    // SAFETY: LLVM copies what it keeps of these strings, which end in a zero and live until it returns.
    unsafe { LLVMParseCommandLineOptions(pointers.len() as c_int, pointers.as_ptr(), c"".as_ptr()) };
}

impl LlvmPath {
    /// The program with the passes behind the limit skipped: its text, raised, and run.
    fn stopped(&self, source: &Source, case: &Case) -> Observation {
        let mut observation = Observation::empty();
        let made = session::survive(|| {
            let session = Session::new();
            let module = session.context.create_module("roundtrip");
            Machine::with(self.level.codegen, |machine| {
                machine.adopt(&module);
                let mut emitter = Emitter::new(&session.context, &module, true);
                match source {
                    Source::Phi(function) => phi::emit(function, self.style.narrow, &mut emitter)?,
                    Source::Slots(cfg) => alloca::emit(cfg, self.style.direct, &mut emitter)?,
                }
                if self.style.flags {
                    optimized::promises::add(&session.context, &module, case)?;
                }
                let construction = self.construction.pass.map(|pipeline| pipeline.passes);
                let pipelines = construction.into_iter().chain(self.pipeline().map(|(_, passes)| passes));
                let run = |passes: &str| machine.run_unverified(&session, &module, passes, Stage::Optimize);
                let ran = pipelines.into_iter().try_for_each(run);
                observation.texts.push(("llvm".into(), module.print_to_string().to_string()));
                ran?;
                machine::verify(&module, Stage::Optimize)?;
                let stage = Stage::Optimize;
                optimized::observe(&module, stage, case, &mut observation);
                Loaded::read(&machine.object(&session, &module)?)
            })
        });
        super::conclude(made, Stage::Optimize, case, &mut observation);
        observation
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Program;
    use crate::tiny;

    /// A finding that needs a promise would vanish when its path is taken apart.
    #[test]
    fn a_path_that_promises_does_so_when_it_stops() {
        let program = Program::Tiny(tiny::parse("input x; return x + 1").unwrap());
        let case = Case { program, vectors: vec![vec![1]], fuel: 100 };
        for (variant, promises) in [("mem2reg-mid", false), ("mem2reg-mid-flags", true)] {
            let path = variants().into_iter().find(|path| path.id.variant == variant).unwrap();
            let source = source(path.construction, path.style, &case.program).map_err(Stop::message).unwrap();
            let texts = path.stopped(&source, &case).texts;
            assert_eq!(texts[0].1.contains("add nuw nsw i64"), promises, "{variant}: {}", texts[0].1);
        }
    }

    #[test]
    fn passes_are_read_off_what_llvm_prints() {
        let printed = "BISECT: running pass (1) mem2reg on f\nnoise\nBISECT: NOT running pass (2) loop-rotate on loop %b in \
                       function f\nBISECT: running pass (3) inline on (f)\n";
        let names = ["1 mem2reg on f", "2 loop-rotate on loop %b in function f", "3 inline on (f)"];
        assert_eq!(numbered(printed), names);
    }
}
