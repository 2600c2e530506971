//! The lab of lesson 8.4: SSA in block-argument and phi form, built, pruned, converted, judged and run.

pub mod function;

pub use function::{Atom, Block, BlockData, Function, Inst, Phi, PhiBlock, PhiFunction, Target, Terminator, Value};
