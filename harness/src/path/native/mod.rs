//! Running machine code in this process, and surviving what it does: x86-64 Linux, no C compiler.
//!
//! Whoever compiles ([`crate::path`]'s Cranelift and LLVM folders) places code in an [`Arena`] and calls it through
//! [`Code::call`]. The machine code may return, trap, fault, jump anywhere or never end; each of these is a value of
//! [`NativeEnd`]. The parts:
//!
//! - `arena`: executable memory, reused from program to program.
//! - `landing`: the way out. A call goes through a trampoline that saves where to resume; leaving early, by a trap, a
//!   signal or [`escape`], resumes there and drops the frames between.
//! - `signals`: turns the synchronous signals and a CPU-time timer into that way out.
//!
//! All compiled code has one entry ABI: `extern "C" fn(inputs: *const i64) -> i64`. It calls nothing but
//! [`raise_trap`], [`emit`] and the [`LIBRARY`].
//!
//! All state belongs to the thread: any number of threads may call at once, and calls nest.

mod arena;
mod landing;
mod signals;

use std::io;
use std::time::Duration;

pub use arena::{Arena, Code};
pub use landing::{DIV_BY_ZERO, OVERFLOW, emit, escape, protect, raise_trap};

use crate::op::{End, Outcome, Trap};
use crate::path::{Fault, FaultKind, Stage};

/// What compilers take for granted of C's library: they make calls of these out of loops over arrays.
pub const LIBRARY: [(&str, *const ()); 3] = [
    ("memset", libc::memset as *const ()),
    ("memcpy", libc::memcpy as *const ()),
    ("memmove", libc::memmove as *const ()),
];

/// The processor time that a run of machine code gets when the interpreter needed at most `fuel` steps: far more than
/// the slowest code takes for them (a step is a few instructions, a division at worst 20 ns), so only wrong code
/// outruns it.
pub fn limit(fuel: u64) -> Duration {
    Duration::from_millis(20) + Duration::from_micros(fuel)
}

/// A run of machine code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NativeRun {
    /// How it ended.
    pub end: NativeEnd,
    /// What it had emitted by then, in order.
    pub emitted: Vec<i64>,
}

impl NativeRun {
    /// What can be seen of it, if it ended as a program can.
    pub fn outcome(self) -> Option<Outcome> {
        let end = match self.end {
            NativeEnd::Return(value) => End::Return(value),
            NativeEnd::Trap(trap) => End::Trap(trap),
            NativeEnd::Fault(_) | NativeEnd::Hang => return None,
        };
        Some(Outcome { end, emitted: self.emitted })
    }
}

/// How a run of machine code ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NativeEnd {
    /// It returned.
    Return(i64),
    /// It trapped as the language says: by [`raise_trap`], or by a signal at a place that the caller's table knows.
    Trap(Trap),
    /// It did something that no compiled program may do.
    Fault(MachineFault),
    /// It used up its processor time.
    Hang,
}

impl NativeEnd {
    /// The fault that a path reports for an end that is no outcome.
    pub fn fault(&self) -> Option<Fault> {
        let (kind, message) = match self {
            NativeEnd::Return(_) | NativeEnd::Trap(_) => return None,
            NativeEnd::Fault(fault) => (FaultKind::Crash, fault.to_string()),
            NativeEnd::Hang => (FaultKind::Hang, "the machine code used up its processor time".to_string()),
        };
        Some(Fault { stage: Stage::Execute, kind, message })
    }
}

/// A signal that machine code caused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MachineFault {
    /// SIGILL, SIGFPE, SIGSEGV, SIGBUS or SIGTRAP.
    pub signal: i32,
    /// Where the instruction lies in the code; `None` when it lies elsewhere (a wild jump).
    pub offset: Option<u32>,
    /// What the signal names as the address of the fault.
    pub address: usize,
}

impl std::fmt::Display for MachineFault {
    /// Without the address: it changes from run to run, and the message becomes part of a finding.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = match self.signal {
            libc::SIGILL => "SIGILL",
            libc::SIGFPE => "SIGFPE",
            libc::SIGSEGV => "SIGSEGV",
            libc::SIGBUS => "SIGBUS",
            libc::SIGTRAP => "SIGTRAP",
            _ => "a signal",
        };
        match self.offset {
            Some(offset) => write!(f, "{name} in the machine code at offset {offset:#x}"),
            None => write!(f, "{name} outside the machine code: it jumped astray"),
        }
    }
}

/// Tells whether machine code can be run on this thread, and why not.
pub fn available() -> io::Result<()> {
    signals::prepare_thread()
}
