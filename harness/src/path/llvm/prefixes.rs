//! The program after each pass of a path: which one makes it wrong?
//!
//! LLVM numbers the passes that it runs, prints their names, and skips those behind `-opt-bisect-limit`
//! (<https://llvm.org/docs/OptBisect.html>). The option is the process's own and so is the count, which goes on from
//! pipeline to pipeline, so this is for processes that do nothing else: whoever calls collects their standard error.

use std::ffi::{CString, c_int};

use inkwell::llvm_sys::support::LLVMParseCommandLineOptions;

use super::{LlvmPath, Source, Stop, source, variants};
use crate::case::Case;
use crate::lab;
use crate::path::llvm::emit::Emitter;
use crate::path::llvm::machine::{self, CodeGen, Machine};
use crate::path::llvm::object::Loaded;
use crate::path::llvm::session::{self, Session};
use crate::path::llvm::{alloca, phi, raise};
use crate::path::{Observation, PathId, Raised, Stage, Unsupported};

/// No pass is numbered or skipped.
const OFF: i32 = i32::MAX;
/// All passes are numbered and none is skipped.
const ALL: i32 = -1;

/// Takes a path apart: gives `each` the program as written and after each pass that changed it, raised, compiled without
/// optimization and run, until it says that it has seen enough. `printed` is what this process wrote to its standard
/// error.
pub fn prefixes(
    id: &PathId,
    case: &Case,
    printed: &dyn Fn() -> String,
    each: &mut dyn FnMut(&str, Observation) -> bool,
) -> Result<(), String> {
    let path = variants().into_iter().find(|path| path.id == *id).ok_or_else(|| format!("{id} is no path of LLVM"))?;
    let source = source(path.construction, path.style, &case.program).map_err(|stop| match stop {
        Stop::Fault(fault) => fault.message,
        Stop::Unsupported(unsupported) => unsupported.reason,
    })?;
    let before = passes(&printed()).len();
    path.stopped(&source, case, ALL);
    let names = passes(&printed()).split_off(before);
    let mut last = String::new();
    for count in 0..=names.len() {
        let so_far = passes(&printed()).len();
        let observation = path.stopped(&source, case, (so_far + count) as i32);
        let text = observation.texts.first().map(|(_, text)| text.clone()).unwrap_or_default();
        // What a pass leaves as it was needs no second look.
        let changed = count == 0 || text != last || !observation.faults.is_empty();
        last = text;
        let name =
            count.checked_sub(1).map_or(crate::path::AS_WRITTEN.to_string(), |pass| format!("{count} {}", names[pass]));
        if changed && !each(&name, observation) {
            break;
        }
    }
    Ok(())
}

/// The passes that LLVM says it ran or skipped, in order: `simplifycfg on f`.
fn passes(printed: &str) -> Vec<String> {
    let lines = printed.lines().filter(|line| line.starts_with("BISECT: "));
    lines.filter_map(|line| Some(line.split_once("running pass ")?.1.split_once(") ")?.1.to_string())).collect()
}

fn set_limit(limit: i32) {
    let arguments = [c"roundtrip".to_owned(), CString::new(format!("-opt-bisect-limit={limit}")).unwrap_or_default()];
    let pointers = arguments.each_ref().map(|argument| argument.as_ptr());
    // SAFETY: LLVM copies what it keeps of these strings, which end in a zero and live until it returns.
    unsafe { LLVMParseCommandLineOptions(pointers.len() as c_int, pointers.as_ptr(), c"".as_ptr()) };
}

impl LlvmPath {
    /// The program with the passes behind a limit skipped: its text, raised, and run, without optimization in code
    /// generation.
    fn stopped(&self, source: &Source, case: &Case, limit: i32) -> Observation {
        let mut observation = Observation::empty();
        let made = session::survive(|| {
            let session = Session::new();
            let module = session.context.create_module("roundtrip");
            Machine::with(CodeGen::None, |machine| {
                machine.adopt(&module);
                let mut emitter = Emitter::new(&session.context, &module, true);
                match source {
                    Source::Phi(function) => phi::emit(function, &mut emitter)?,
                    Source::Slots(cfg) => alloca::emit(cfg, self.style.direct, &mut emitter)?,
                }
                set_limit(limit);
                let pipelines = [self.construction.pass, self.level.pipeline];
                let run = |pipeline: super::Pipeline| {
                    machine.run_unverified(&session, &module, pipeline.passes, Stage::Optimize)
                };
                let ran = pipelines.into_iter().flatten().try_for_each(run);
                set_limit(OFF);
                observation.texts.push(("llvm".into(), module.print_to_string().to_string()));
                ran?;
                machine::verify(&module, Stage::Optimize)?;
                let stage = Stage::Optimize;
                match raise::raise(&module, case.program.inputs()) {
                    Ok(raised) => observation.raised.push(Raised { stage, function: lab::phi_to_args(&raised) }),
                    Err(reason) => observation.unsupported.push(Unsupported { stage, reason }),
                }
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

    #[test]
    fn passes_are_read_off_what_llvm_prints() {
        let printed = "BISECT: running pass (1) mem2reg on f\nnoise\nBISECT: NOT running pass (2) loop-rotate on loop %b in \
                       function f\nBISECT: running pass (3) inline on (f)\n";
        assert_eq!(passes(printed), ["mem2reg on f", "loop-rotate on loop %b in function f", "inline on (f)"]);
    }
}
