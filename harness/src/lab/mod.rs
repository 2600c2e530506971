//! The lab of lesson 8.4: SSA in block-argument and phi form, built, pruned, converted, judged and run.

pub mod clause;
mod construct;
pub mod convert;
pub mod dominators;
pub mod function;
mod groups;
pub mod interpret;
mod judge;
mod lines;
mod parse;
mod print;
mod prune;
pub mod split;
pub mod theorems;
pub mod validate;
pub mod validate_phi;

pub use clause::{Clause, clauses, phi_clauses};
pub use construct::{construct_live, construct_maximal, construct_naive};
pub use convert::{args_to_phi, phi_to_args};
pub use dominators::{Dominators, Graph};
pub use function::{Atom, Block, BlockData, Function, Inst, Phi, PhiBlock, PhiFunction, Target, Terminator, Value};
pub use interpret::{run, run_phi, trace, trace_phi};
pub use judge::{Rule, Violation};
pub use parse::{parse_phi, parse_phi_in, parse_raised, parse_ssa, parse_ssa_in};
pub use prune::{for_each_atom, prune_dead, prune_trivial, remove_first_trivial};
pub use split::{CriticalEdge, conflicts, critical_edges, split_conflicts};
pub use validate::validate;
pub use validate_phi::validate_phi;
