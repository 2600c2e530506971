//! Three-address code over an arbitrary control-flow graph with mutable variables (`docs/LANGUAGE.md` §5): a language
//! of its own, and the common input of every SSA construction.

mod assemble;
pub mod cfg;
mod eval;
mod lower;
mod order;
mod parse;
mod perturb;
mod print;
pub mod program;

pub use assemble::assemble;
pub use cfg::{Cfg, cfg};
pub use eval::eval;
pub use lower::lower;
pub use parse::{parse, parse_in};
pub use perturb::{Perturbation, list, perturb};
pub use program::{Assign, Atom, Label, Line, Program, Var};
