//! The fuzz targets' bodies. `fuzz/fuzz_targets` only hands libFuzzer's bytes on, so that everything here runs in plain
//! `cargo test` as well, on stable and without instrumentation.
//!
//! Each property takes an input and panics when it does not hold: that is how a fuzzing engine learns of a finding. The
//! panic's message begins with the finding's signature, by which engines sort what they find.

mod campaign;
mod input;
mod properties;
mod seeds;

pub use campaign::roundtrip;
pub use input::{Function, Input, Tac, Tiny};
pub use properties::{parse, phi_args, validate};
pub use seeds::plant_seeds;

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};

thread_local! {
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Readies the process: to be called once, when the engine has installed what it installs.
///
/// libFuzzer's Rust binding aborts in the panic hook. Compilers panic too, and their paths catch that and make it a
/// finding like any other, so the hook must let them; [`property`] ends the process for panics that nobody catches.
pub fn start() {
    panic::set_hook(Box::new(|info| LAST_PANIC.with_borrow_mut(|last| *last = info.to_string())));
}

/// Runs a property under the hook of [`start`]: shows a panic that escapes it, and lets it go on.
pub fn property(body: impl FnOnce()) {
    if let Err(payload) = panic::catch_unwind(AssertUnwindSafe(body)) {
        eprintln!("{}", LAST_PANIC.take());
        panic::resume_unwind(payload);
    }
}
