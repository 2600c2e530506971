//! A panic of the harness is a fault of its own: one line that asks for a report, and exit status 70.
//!
//! The paths catch their compilers' panics and make data of them, so the hook prints nothing; it only keeps what was
//! said and where, for whoever catches the panic on this thread.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};

thread_local! {
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Something that cannot be, unless the harness is wrong.
#[derive(Debug, thiserror::Error)]
#[error("internal error: {0}; please report this bug with the command and its input")]
pub struct InternalFault(pub String);

/// Installs the hook.
pub fn install() {
    panic::set_hook(Box::new(|info| {
        let said = info.payload_as_str().unwrap_or("panic").replace('\n', " ");
        let place = info.location().map(|at| format!(" ({}:{})", at.file(), at.line())).unwrap_or_default();
        LAST.with_borrow_mut(|last| *last = format!("{said}{place}"));
    }));
}

/// Runs something; a panic in it becomes an error.
pub fn catch<T>(run: impl FnOnce() -> T) -> Result<T, InternalFault> {
    panic::catch_unwind(AssertUnwindSafe(run)).map_err(|_| InternalFault(LAST.take()))
}
