//! Lemma 8.4.11: edges from one block to another that pass different arguments have no phi form until all of them that
//! differ from the first are split; and the critical edges of a function.

use std::collections::HashSet;
use std::iter::repeat_n;

use crate::lab::{Block, BlockData, Function, Target, Terminator};
use crate::names::Names;

/// Of every conflicting edge the block that it comes from, in listing order.
pub fn conflicts(function: &Function) -> Vec<Block> {
    let edges = |block: &BlockData| conflicting_edges(&block.term).len();
    function.blocks.iter().flat_map(|block| repeat_n(block.name, edges(block))).collect()
}

/// The edges that pass a block other arguments than the terminator's first edge to it, by their place among the
/// targets.
fn conflicting_edges(term: &Terminator<Target>) -> Vec<usize> {
    let edges = term.targets().enumerate();
    let differs = |(edge, target): &(usize, &Target)| {
        let first = term.targets().take(*edge).find(|first| first.block == target.block);
        first.is_some_and(|first| first.args != target.args)
    };
    edges.filter(differs).map(|(edge, _)| edge).collect()
}

/// The function with every conflicting edge (of a `cbr` the false one) led through a new block; these stand directly
/// after the edge's block, in the order of its targets. The new blocks are `split.0`, `split.1`, … in listing order,
/// skipping block names in use. Precondition: the function is valid.
pub fn split_conflicts(function: &Function) -> Function {
    let conflicts: Vec<Vec<usize>> = function.blocks.iter().map(|block| conflicting_edges(&block.term)).collect();
    if conflicts.iter().all(Vec::is_empty) {
        return function.clone();
    }
    // The new index of each block of the old listing: it moves down by one for each conflict above it.
    let mut moved = Vec::with_capacity(function.blocks.len());
    let mut next = 0;
    for edges in &conflicts {
        moved.push(Block(next));
        next += 1 + edges.len() as u32;
    }
    let mut fresh = FreshNames::new(&function.block_names);
    let mut blocks = Vec::with_capacity(next as usize);
    let mut block_names = Names::default();
    for ((block, text), edges) in function.blocks.iter().zip(function.block_names.texts()).zip(conflicts) {
        let mut block = BlockData { name: moved[block.name.index()], ..block.clone() };
        block_names.push(text);
        for target in block.term.targets_mut() {
            target.block = moved[target.block.index()];
        }
        let mut split = Vec::with_capacity(edges.len());
        let targets = block.term.targets_mut().enumerate().filter(|(edge, _)| edges.contains(edge));
        for ((_, target), name) in targets.zip((block.name.0 + 1..).map(Block)) {
            let edge = std::mem::replace(target, Target { block: name, args: Vec::new() });
            split.push(BlockData { name, params: Vec::new(), body: Vec::new(), term: Terminator::Br(edge) });
            block_names.push(fresh.next());
        }
        blocks.push(block);
        blocks.extend(split);
    }
    Function { inputs: function.inputs.clone(), blocks, value_names: function.value_names.clone(), block_names }
}

/// Gives `split.0`, `split.1`, …, skipping the names in use.
struct FreshNames {
    used: HashSet<String>,
    count: u32,
}

impl FreshNames {
    fn new(names: &Names) -> FreshNames {
        FreshNames { used: names.texts().collect(), count: 0 }
    }

    fn next(&mut self) -> String {
        loop {
            let name = format!("split.{}", self.count);
            self.count += 1;
            if !self.used.contains(&name) {
                return name;
            }
        }
    }
}

/// An edge from a block with several outgoing edges to one with several incoming edges, counted in a multigraph: both
/// edges of `cbr c, B(), B()` leave and enter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CriticalEdge {
    /// Where it comes from.
    pub source: Block,
    /// Its place among the targets: 0 for the true branch of a `cbr`, 1 for the false one.
    pub branch: usize,
    /// Where it goes.
    pub target: Block,
    /// Whether it passes arguments.
    pub passes_arguments: bool,
}

/// The critical edges of a valid function in listing order; those of unreachable blocks count.
pub fn critical_edges(function: &Function) -> Vec<CriticalEdge> {
    let mut in_degree = vec![0u32; function.blocks.len()];
    for target in function.blocks.iter().flat_map(|block| block.term.targets()) {
        in_degree[target.block.index()] += 1;
    }
    let mut edges = Vec::new();
    for block in &function.blocks {
        let several = block.term.targets().count() > 1;
        for (branch, target) in block.term.targets().enumerate() {
            if several && in_degree[target.block.index()] > 1 {
                let passes_arguments = !target.args.is_empty();
                edges.push(CriticalEdge { source: block.name, branch, target: target.block, passes_arguments });
            }
        }
    }
    edges
}

#[cfg(test)]
mod tests {
    use crate::lab;

    #[test]
    fn each_edge_of_a_switch_that_differs_from_the_first_is_split() {
        let text = "ssa(a)\ne:\n  switch a, 1: f(1), 2: f(2), 3: g(), 4: f(1), 5: f(3), f(2)\nf(x):\n  br h()\ng:\n  \
                    switch a, h()\nh:\n  ret a\n";
        let function = lab::parse_ssa(text).unwrap();
        assert_eq!(lab::conflicts(&function), [function.blocks[0].name; 3]);
        let split = "ssa(a)\ne:\n  switch a, 1: f(1), 2: split.0(), 3: g(), 4: f(1), 5: split.1(), split.2()\n\
                     split.0:\n  br f(2)\nsplit.1:\n  br f(3)\nsplit.2:\n  br f(2)\nf(x):\n  br h()\ng:\n  \
                     switch a, h()\nh:\n  ret a\n";
        assert_eq!(lab::split_conflicts(&function).to_string(), split);
        // An edge that is the only one of its block is not critical, however it is chosen.
        let critical = |edge: &lab::CriticalEdge| (edge.source.0, edge.branch);
        let edges: Vec<_> = lab::critical_edges(&function).iter().map(critical).collect();
        assert_eq!(edges, [(0, 0), (0, 1), (0, 3), (0, 4), (0, 5)]);
    }

    #[test]
    fn new_names_skip_those_in_use() {
        let text =
            "e:\n  cbr 1, split.0(1), split.0(2)\nsplit.0(x):\n  cbr x, split.2(1), split.2(x)\nsplit.2(y):\n  ret y\n";
        let split = lab::split_conflicts(&lab::parse_ssa(text).unwrap());
        let names: Vec<String> = split.block_names.texts().collect();
        assert_eq!(names, ["e", "split.1", "split.0", "split.3", "split.2"]);
        // What is built has the numbering that its text would get.
        assert_eq!(lab::parse_ssa(&split.to_string()).unwrap().blocks, split.blocks);
    }
}
