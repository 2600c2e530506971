//! Construction of block-argument SSA: from a Tiny tree (Algorithm 8.4.7), and from the control-flow graph of TAC
//! (lesson 8.4 §3, `tac_to_ssa`), maximal or with live parameters only.
//!
//! The names, their numbers and the order of blocks are fixed by `docs/LANGUAGE.md` §5 and §6.

mod live;
mod maximal;
mod naive;

pub use live::construct_live;
pub use maximal::construct_maximal;
pub use naive::construct_naive;
