//! Functions as an optimizer leaves them: phi form over integers of any width, vectors and memory, with *poison*,
//! `undef`, `freeze` and the promises that LLVM's flags make. `docs/POISON.md` has the meaning of each in one table.
//!
//! The lab's form says what the lesson's programs compute. An optimizer's output says more: an `add nsw` promises that
//! it does not overflow, and a pass that promises too much is wrong even when today's code generator makes nothing of
//! it. Here meaning is total. A step gives a value, gives poison, or is *immediate undefined behaviour*; a run that
//! returns poison or meets undefined behaviour ends in [`End::Undefined`](crate::op::End::Undefined). The
//! programs of this harness have no undefined behaviour, so neither may what an optimizer makes of them.
//!
//! The parts: [`function`] is the data, [`meaning`] what an operation gives lane by lane, [`memory`] what loads and
//! stores see, [`interpret`] runs, with `special` for what is not the same on each lane, [`explain`] tells why a run is
//! undefined, [`seen`] is what runs show, `print` writes. Nothing here knows a compiler.

mod explain;
pub mod function;
mod interpret;
mod meaning;
mod memory;
mod print;
mod seen;
mod special;

pub use explain::Undefined;
pub use function::*;
pub use interpret::Interpreter;
pub use meaning::{Lane, evaluate, mask, sign_extend};
pub use seen::Seen;
