//! Lemma 8.4.11: multi-edges whose edges pass different arguments have no phi form until one of them is split; and the
//! critical edges of a function.

use std::collections::HashSet;

use crate::lab::{Block, BlockData, Function, Target, Terminator};
use crate::names::Names;

/// The blocks whose `cbr` passes different arguments to one block, in listing order.
pub fn conflicts(function: &Function) -> Vec<Block> {
    function.blocks.iter().filter(|block| is_conflict(&block.term)).map(|block| block.name).collect()
}

fn is_conflict(term: &Terminator<Target>) -> bool {
    matches!(term, Terminator::Cbr(_, yes, no) if yes.block == no.block && yes.args != no.args)
}

/// The function with the false edge of every conflict led through a new block directly after it. The new blocks are
/// `split.0`, `split.1`, … in listing order, skipping block names in use. Precondition: the function is valid.
pub fn split_conflicts(function: &Function) -> Function {
    if !function.blocks.iter().any(|block| is_conflict(&block.term)) {
        return function.clone();
    }
    // The new index of each block of the old listing: it moves down by one for each conflict above it.
    let mut moved = Vec::with_capacity(function.blocks.len());
    let mut next = 0;
    for block in &function.blocks {
        moved.push(Block(next));
        next += if is_conflict(&block.term) { 2 } else { 1 };
    }
    let mut fresh = FreshNames::new(&function.block_names);
    let mut blocks = Vec::with_capacity(next as usize);
    let mut block_names = Names::default();
    for (block, text) in function.blocks.iter().zip(function.block_names.texts()) {
        let mut block = BlockData { name: moved[block.name.index()], ..block.clone() };
        block_names.push(text);
        for target in block.term.targets_mut() {
            target.block = moved[target.block.index()];
        }
        let mut split = None;
        if is_conflict(&block.term)
            && let Terminator::Cbr(_, _, no) = &mut block.term
        {
            let name = Block(block.name.0 + 1);
            let edge = std::mem::replace(no, Target { block: name, args: Vec::new() });
            split = Some(BlockData { name, params: Vec::new(), body: Vec::new(), term: Terminator::Br(edge) });
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
/// edges of `cbr c, B(), B()` enter B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CriticalEdge {
    /// Where it comes from.
    pub source: Block,
    /// 0 for the true branch, 1 for the false one.
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
        let Terminator::Cbr(_, yes, no) = &block.term else { continue };
        for (branch, target) in [yes, no].into_iter().enumerate() {
            if in_degree[target.block.index()] > 1 {
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
