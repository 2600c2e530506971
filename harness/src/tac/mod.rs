//! Three-address code over an arbitrary control-flow graph with mutable variables (`docs/LANGUAGE.md` §5): a language of
//! its own, and the common input of every SSA construction.

pub mod cfg;
pub mod program;

pub use cfg::Cfg;
pub use program::{Assign, Atom, Label, Line, Program, Var};
