//! What people and programs read: diagnostics, the objects of `--format json`, tables, graphs. Pure: text in, text out.

mod check;
mod dot;
pub mod draft;
pub mod github;
mod graph;
pub mod html;
mod json;
pub mod junit;
mod matrix;
pub mod night;
mod parting;
pub mod self_test;
mod syntax;
mod table;
mod triage;

pub use check::{Checked, Expectation};
pub use dot::dot;
pub use json::check_object;
pub use matrix::{matrix_counts, matrix_markdown, matrix_text};
pub use parting::parting_text;
pub use syntax::syntax_error;
pub use table::table;
pub use triage::triage_text;

/// `1 value`, `2 values`.
pub fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// Input values as a run directive has them: `10, 3`.
pub fn values(vector: &[i64]) -> String {
    vector.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
}
