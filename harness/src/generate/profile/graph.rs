//! The traits of a control-flow graph's shape, and those that liveness shows.

use std::collections::BTreeSet;

use super::Trait;
use crate::tac::cfg::{Block, Terminator};
use crate::tac::{Atom, Cfg, Var};

/// Cycles, edges, reachability.
pub fn shape(cfg: &Cfg) -> Vec<Trait> {
    let mut found = Vec::new();
    let (reached, retreating) = search(cfg, None);
    let heads: BTreeSet<usize> = retreating.iter().map(|&(_, head)| head).collect();
    if !heads.is_empty() {
        found.push(Trait::Loops);
    }
    if heads.len() > 1 {
        found.push(Trait::TwoLoops);
    }
    // A loop is reducible when its head dominates the source: without the head, the source is out of reach.
    if retreating.iter().any(|&(source, head)| source != head && search(cfg, Some(head)).0[source]) {
        found.push(Trait::Irreducible);
    }
    if reached.contains(&false) {
        found.push(Trait::Unreachable);
    }
    if has_cycle(cfg, |block| !reached[block]) {
        found.push(Trait::UnreachableCycle);
    }
    let exits = cfg.blocks.iter().zip(&reached).filter(|(block, reached)| **reached && is_exit(block)).count();
    if exits > 1 {
        found.push(Trait::SeveralExits);
    }
    if longest_chain(cfg) >= 4 {
        found.push(Trait::Chain);
    }

    let mut predecessors = vec![0; cfg.blocks.len()];
    for block in &cfg.blocks {
        block.term.targets().for_each(|target| predecessors[target] += 1);
    }
    for (index, block) in cfg.blocks.iter().enumerate() {
        if block.term.targets().any(|target| target == index) {
            found.push(Trait::SelfLoop);
        }
        let targets: BTreeSet<usize> = block.term.targets().collect();
        let edges = block.term.targets().count();
        if targets.len() < edges {
            found.push(Trait::MultiEdge);
        }
        if edges > 1 && targets.iter().any(|&target| predecessors[target] > 1) {
            found.push(Trait::CriticalEdge);
        }
        if let Terminator::Switch(_, arms, _) = &block.term {
            found.push(Trait::Switch);
            if arms.len() >= 8 {
                found.push(Trait::ManyArms);
            }
        }
    }
    found
}

fn is_exit(block: &Block) -> bool {
    matches!(block.term, Terminator::Ret(_))
}

/// Whether some of these blocks form a cycle: taking away blocks without a predecessor among them leaves some over.
fn has_cycle(cfg: &Cfg, among: impl Fn(usize) -> bool) -> bool {
    let mut left: Vec<usize> = (0..cfg.blocks.len()).filter(|&block| among(block)).collect();
    loop {
        let mut entered = vec![false; cfg.blocks.len()];
        left.iter().flat_map(|&block| cfg.blocks[block].term.targets()).for_each(|target| entered[target] = true);
        let before = left.len();
        left.retain(|&block| entered[block]);
        if left.len() == before {
            return before > 0;
        }
    }
}

/// The most blocks that follow each other by unconditional jumps.
fn longest_chain(cfg: &Cfg) -> usize {
    let length = |start: usize| {
        let (mut at, mut blocks) = (start, 0);
        // A cycle is no longer than all blocks.
        while let Terminator::Br(next) = cfg.blocks[at].term
            && blocks < cfg.blocks.len()
        {
            (at, blocks) = (next, blocks + 1);
        }
        blocks
    };
    (0..cfg.blocks.len()).map(length).max().unwrap_or(0)
}

/// Depth-first search from the entry, around `without`: which blocks it reaches, and the edges to a block that is still
/// open.
fn search(cfg: &Cfg, without: Option<usize>) -> (Vec<bool>, Vec<(usize, usize)>) {
    let mut reached = vec![false; cfg.blocks.len()];
    let mut open = vec![false; cfg.blocks.len()];
    let mut retreating = Vec::new();
    if without == Some(0) {
        return (reached, retreating);
    }
    reached[0] = true;
    open[0] = true;
    let mut stack: Vec<(usize, Vec<usize>)> = vec![(0, cfg.blocks[0].term.targets().collect())];
    while let Some((block, targets)) = stack.last_mut() {
        let block = *block;
        match targets.pop() {
            None => {
                open[block] = false;
                stack.pop();
            }
            Some(target) if Some(target) == without => {}
            Some(target) if open[target] => retreating.push((block, target)),
            Some(target) if reached[target] => {}
            Some(target) => {
                reached[target] = true;
                open[target] = true;
                stack.push((target, cfg.blocks[target].term.targets().collect()));
            }
        }
    }
    (reached, retreating)
}

/// Backward liveness over the variables, as sets of bits.
pub fn liveness(cfg: &Cfg) -> Vec<Trait> {
    let words = cfg.variables.len().div_ceil(64);
    let mut live_in = vec![vec![0u64; words]; cfg.blocks.len()];
    let mut found = Vec::new();
    let mut changed = true;
    while changed {
        changed = false;
        for index in (0..cfg.blocks.len()).rev() {
            let live = through(cfg, index, &live_in, &mut |_, _| {});
            if live != live_in[index] {
                live_in[index] = live;
                changed = true;
            }
        }
    }
    for index in 0..cfg.blocks.len() {
        through(cfg, index, &live_in, &mut |live, dead| {
            if dead {
                found.push(Trait::DeadValue);
            }
            if live.iter().map(|word| word.count_ones()).sum::<u32>() > 16 {
                found.push(Trait::ManyLive);
            }
        });
    }
    if live_in
        .first()
        .is_some_and(|live| (cfg.inputs..cfg.variables.len()).any(|var| live[var / 64] >> (var % 64) & 1 != 0))
    {
        found.push(Trait::Uninitialised);
    }
    found
}

/// Goes through a block backward, calls `at` with the live set before each assignment and whether its value is dead,
/// and gives the set at the block's start.
fn through(cfg: &Cfg, index: usize, live_in: &[Vec<u64>], at: &mut impl FnMut(&[u64], bool)) -> Vec<u64> {
    let block = &cfg.blocks[index];
    let mut live = vec![0u64; cfg.variables.len().div_ceil(64)];
    for target in block.term.targets() {
        live.iter_mut().zip(&live_in[target]).for_each(|(word, more)| *word |= more);
    }
    let bit = |var: Var| (var.index() / 64, 1u64 << (var.index() % 64));
    if let Some(Atom::Var(var)) = block.term.atom() {
        let (word, mask) = bit(var);
        live[word] |= mask;
    }
    for assign in block.body.iter().rev() {
        let (word, mask) = bit(assign.dest);
        let dead = live[word] & mask == 0;
        live[word] &= !mask;
        for operand in assign.operands() {
            if let Atom::Var(var) = *operand {
                let (word, mask) = bit(var);
                live[word] |= mask;
            }
        }
        at(&live, dead);
    }
    live
}
