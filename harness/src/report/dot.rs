//! A function's control-flow graph for Graphviz.

use std::fmt::Write;

use crate::lab::Function;

/// A node a block, labelled with its part of the listing; an edge a branch, labelled `T` and `F` for a `cbr`.
pub fn dot(function: &Function) -> String {
    let listing = function.to_string();
    // A block's header stands at the margin; its lines are indented. The first line is the function's.
    let mut labels: Vec<String> = Vec::new();
    for line in listing.lines().skip(1) {
        match labels.last_mut() {
            Some(label) if line.starts_with(' ') => label.push_str(line),
            _ => labels.push(line.to_owned()),
        }
        if let Some(label) = labels.last_mut() {
            label.push_str("\\l");
        }
    }
    let mut out = String::from("digraph cfg {\n  node [shape=box, fontname=monospace]\n");
    for (index, label) in labels.iter().enumerate() {
        let _ = writeln!(out, "  n{index} [label=\"{label}\"]");
    }
    for (index, block) in function.blocks.iter().enumerate() {
        let is_cbr = block.term.targets().count() == 2;
        for (target, mark) in block.term.targets().zip(["T", "F"]) {
            let label = if is_cbr { format!(" [label={mark}]") } else { String::new() };
            let _ = writeln!(out, "  n{index} -> n{}{label}", target.block.0);
        }
    }
    out.push_str("}\n");
    out
}
