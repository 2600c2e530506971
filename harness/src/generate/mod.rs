//! (to come)

pub mod function;
