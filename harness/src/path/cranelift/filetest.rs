//! Cranelift's own tests (`cranelift/filetests`): does a text hold one, and does it expect what Cranelift's interpreter
//! gives? The interpreter shares nothing with the optimizer and the back ends.

use cranelift_interpreter::environment::FunctionStore;
use cranelift_interpreter::interpreter::{Interpreter, InterpreterState};
use cranelift_interpreter::step::ControlFlow;
use cranelift_reader::{ParseOptions, parse_run_command, parse_test};

use crate::path::panics::catch;

/// Steps that the interpreter may take for a run.
const FUEL: u64 = 10_000_000;

/// Runs a test file's run commands in the interpreter. Gives their number, or what is wrong with one or with the text.
pub fn check_filetest(text: &str) -> Result<usize, String> {
    catch(|| check(text)).flatten()
}

fn check(text: &str) -> Result<usize, String> {
    let file = parse_test(text, ParseOptions::default()).map_err(|error| error.to_string())?;
    let mut store = FunctionStore::default();
    file.functions.iter().for_each(|(function, _)| store.add(function.name.to_string(), function));
    let mut runs = 0;
    for (function, details) in &file.functions {
        for comment in &details.comments {
            let command = parse_run_command(comment.text, &function.signature).map_err(|error| error.to_string())?;
            let Some(command) = command else { continue };
            command.run(|name, arguments| {
                let state = InterpreterState::default().with_function_store(store.clone());
                let mut interpreter = Interpreter::new(state).with_fuel(Some(FUEL));
                match interpreter.call_by_name(&format!("%{name}"), arguments) {
                    Ok(ControlFlow::Return(values)) => Ok(values.to_vec()),
                    Ok(other) => Err(format!("{}: the interpreter ends in {other:?}", comment.text)),
                    Err(error) => Err(format!("{}: {error}", comment.text)),
                }
            })?;
            runs += 1;
        }
    }
    Ok(runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: &str = "test run\ntarget x86_64\n\nfunction %f(i64) -> i64 {\nblock0(v0: i64):\n    v1 = iadd v0, v0\n    \
                        return v1\n}\n; run: %f(4) == 8\n; run: %f(-1) == -2\n";

    #[test]
    fn a_test_file_is_held_against_the_interpreter() {
        assert_eq!(check_filetest(TEST), Ok(2));
        assert!(check_filetest(&TEST.replace("== 8", "== 9")).unwrap_err().contains('9'));
        assert!(check_filetest(&TEST.replace("iadd", "no_such")).is_err());
    }
}
