//! The fuzz targets' bodies. `fuzz/fuzz_targets` only hands libFuzzer's bytes on, so that everything here runs in plain
//! `cargo test` as well, on stable and without instrumentation.
//!
//! A property takes an input and panics when it does not hold: that is how a fuzzing engine learns of a finding. The
//! panic's message holds the finding's signature, by which engines sort what they find.

mod campaign;
mod function;
mod input;
mod judges;
mod properties;
mod seeds;

pub use campaign::{left_out, roundtrip};
pub use input::{Function, Tac, Tiny, cross, from_bytes, mutate, tiny_or_tac};
pub use judges::validate;
pub use properties::{construct, parse, phi_args};
pub use seeds::plant_seeds;

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};

thread_local! {
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Replaces the engine's panic hook. To be called once the engine has installed it.
///
/// libFuzzer's Rust binding aborts in the hook. Compilers panic too; their paths catch that and make it a finding like
/// any other, so the hook must let them. [`property`] aborts for the panics that nobody catches.
pub fn survive_panics() {
    panic::set_hook(Box::new(|info| LAST_PANIC.with_borrow_mut(|last| *last = info.to_string())));
}

/// Runs a property after [`survive_panics`]; a panic that escapes it is shown and ends the process.
pub fn property(body: impl FnOnce()) {
    if panic::catch_unwind(AssertUnwindSafe(body)).is_err() {
        eprintln!("{}", LAST_PANIC.take());
        std::process::abort();
    }
}

#[cfg(test)]
mod tests;
