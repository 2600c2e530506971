//! A function's control-flow graph for Graphviz.

use std::fmt::Write;

use crate::lab::Function;
use crate::report::graph::Graph;

/// A node a block, labelled with its part of the listing; an edge a branch, labelled `T` and `F` for a `cbr`.
pub fn dot(function: &Function) -> String {
    let graph = Graph::of_function(function);
    let mut out = String::from("digraph cfg {\n  node [shape=box, fontname=monospace]\n");
    for (index, lines) in graph.blocks.iter().enumerate() {
        let _ = writeln!(out, "  n{index} [label=\"{}\\l\"]", lines.join("\\l  "));
    }
    for edge in &graph.edges {
        let label = if edge.mark.is_empty() { String::new() } else { format!(" [label={}]", edge.mark) };
        let _ = writeln!(out, "  n{} -> n{}{label}", edge.from, edge.to);
    }
    out.push_str("}\n");
    out
}
