//! Panics of a compiler, or of what lowers to it, caught and made data.
//!
//! `catch_unwind` alone isn't enough: a fuzzing engine's panic hook ends the process before unwinding begins. So a hook
//! of our own stands before whatever hook there is, and keeps it from running on a thread that is catching.

use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe, Location, PanicHookInfo};
use std::sync::Once;

thread_local! {
    static CATCHING: Cell<bool> = const { Cell::new(false) };
    static MESSAGE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs `body`; the error is the message of its panic and where in the compiler it was. What `body` changed may be left
/// half changed.
pub fn catch<R>(body: impl FnOnce() -> R) -> Result<R, String> {
    install_hook();
    let outer = CATCHING.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(body));
    CATCHING.set(outer);
    result.map_err(|_| MESSAGE.take())
}

/// Puts our hook before the present one, the first time.
fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if CATCHING.get() {
                MESSAGE.set(describe(info));
            } else {
                previous(info);
            }
        }));
    });
}

fn describe(info: &PanicHookInfo<'_>) -> String {
    let message = info.payload_as_str().unwrap_or("a panic without a message");
    match info.location() {
        Some(location) => format!("panicked at {}: {message}", place(location)),
        None => format!("panicked: {message}"),
    }
}

/// File and line, without the folders of the machine that the compiler was built on: `cranelift-codegen-0.1.0/src/..`.
fn place(location: &Location<'_>) -> String {
    let file = location.file();
    let in_registry = file.split_once("/registry/src/").and_then(|(_, rest)| rest.split_once('/'));
    format!("{}:{}", in_registry.map_or(file, |(_, rest)| rest), location.line())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_its_message() {
        let error = catch(|| -> i32 { panic!("no {}", "way") }).expect_err("a panic");
        assert!(error.starts_with("panicked at ") && error.ends_with(": no way"), "{error}");
        assert_eq!(catch(|| 5), Ok(5));
    }

    #[test]
    fn catching_nests() {
        let inner = catch(|| catch(|| -> i32 { panic!("inner") })).expect("the outer body goes on");
        assert!(inner.expect_err("a panic").ends_with(": inner"));
    }

    /// In a process of its own, where the hook that was there first ends the process.
    #[test]
    fn a_hook_that_aborts_does_not_run() {
        const TEST: &str = "path::panics::tests::a_hook_that_aborts_does_not_run";
        const CHILD: &str = "PANICS_TEST_CHILD";
        if std::env::var_os(CHILD).is_none() {
            let program = std::env::current_exe().expect("this program");
            let output = std::process::Command::new(program).args(["--exact", TEST]).env(CHILD, "1").output();
            assert!(output.expect("the test runs").status.success());
            return;
        }
        panic::set_hook(Box::new(|_| std::process::abort()));
        assert!(catch(|| -> i32 { panic!("caught") }).expect_err("a panic").ends_with(": caught"));
    }
}
