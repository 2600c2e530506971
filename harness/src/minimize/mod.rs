//! The smallest case that is still interesting.
//!
//! A reducer in the manner of C-Reduce and Shrink Ray: *passes* propose smaller cases, a predicate says which of them
//! are still interesting, and the search ends when no pass proposes an interesting one any more: the result is
//! *1-minimal* under the passes. It works on the program, never on bytes.
//!
//! - The order of cases ([`measure`]) is well-founded and every accepted step goes down in it, so the search ends.
//! - Nothing depends on time or chance, so one case and one predicate always give the same result.
//! - The predicate is tried on the original, where it must hold, and on the empty program, where it must not: a
//!   predicate that holds there has nothing to do with the program.
//! - No text is tested twice.
//!
//! Keeping the predicate true to the finding (its signature, not just "something is wrong") is the caller's part.

mod driver;
pub mod measure;
mod passes;
pub mod shape;

pub use driver::{Minimized, NotReducible, Progress, candidates, minimize};
