//! roundtrip: differential testing of SSA constructions and compilers on programs of a small language.
//!
//! The modules stand in the order of the data flow: `generate → lower → validate → execute → compare → minimize →
//! record → report`. `docs/ARCHITECTURE.md` is the map.

pub mod case;
pub mod directives;
pub mod generate;
pub mod lab;
pub mod minimize;
pub mod names;
pub mod op;
pub mod path;
pub mod plant;
pub mod record;
pub mod report;
pub mod syntax;
pub mod tac;
pub mod tiny;

pub mod compare;
