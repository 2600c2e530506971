//! Worker processes: what a compiler does to its process, it does to a worker, and the parent lives to tell.
//!
//! The parent ([`Process`]) starts its own binary again and hands it requests; the worker ([`Seat`]) answers. A worker
//! that aborts, faults, eats its memory, never ends or writes rubbish where its answers belong is buried: killed,
//! reaped, and described as a [`Death`], which is a path's [`Fault`](crate::path::Fault) if a path was at work. What is
//! asked and answered is the caller's; this module only carries it. The parts:
//!
//! - `frame`: messages in a stream of bytes, none of which is taken for one by mistake.
//! - `now`: a page of memory that both see, where the worker says what it is doing, at no cost.
//! - `process`: the parent's side, with the limits. `seat`: the worker's side.
//! - `death`: what became of a worker, in words that depend on no address and no number.
//!
//! No worker outlives its parent, even a killed one: the kernel kills it (`PR_SET_PDEATHSIG`), and an idle one sees the
//! end of its requests. The death signal comes when the *thread* that started the worker ends, so a worker belongs to a
//! thread that lives as long as it.

mod death;
mod frame;
mod now;
mod process;
mod seat;

use std::time::Duration;

pub use death::{Death, How};
pub use now::{Now, Place};
pub use process::{Process, Trouble};
pub use seat::Seat;

/// What a worker may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of address space.
    pub memory: u64,
    /// Processor time on one path of one program; ten times as long by the clock, for one that waits for ever.
    pub time: Duration,
}
