//! Passes over blocks and branches.

use super::{Atom, Attempt, Block, BlockData, Function, Names, Target, Terminator, chunks, constants, replace_uses};

/// Drops all blocks that the entry does not reach.
pub fn drop_unreachable(function: &Function, n: usize) -> Attempt<Function> {
    if n > 0 { Attempt::End } else { Attempt::Candidate(without_unreached(function)) }
}

/// Drops a block that no branch goes to.
pub fn drop_block(function: &Function, n: usize) -> Attempt<Function> {
    let targets = function.blocks.iter().flat_map(|block| block.term.targets()).map(|target| target.block.index());
    match function.blocks.len() {
        count if n + 1 >= count => Attempt::End,
        _ if targets.collect::<Vec<_>>().contains(&(n + 1)) => Attempt::Nothing,
        _ => {
            let mut less = function.clone();
            less.blocks.remove(n + 1);
            Attempt::Candidate(less)
        }
    }
}

/// How many ways [`end_early`] has for one block.
const ENDINGS: usize = 4;

/// Replaces a terminator: a `cbr` by one of its branches, a `switch` by its first or its last one, anything by the
/// return of its atom, of the last result, or of 0. Blocks that nothing reaches any more go, or stay: they may be what
/// matters.
pub fn end_early(function: &Function, n: usize) -> Attempt<Function> {
    let Some(block) = function.blocks.get(n / 2 / ENDINGS) else { return Attempt::End };
    let result = match block.body.last() {
        Some(inst) => Atom::Value(inst.dest),
        None => Atom::Const(0),
    };
    let chooses = matches!(block.term, Terminator::Cbr(..) | Terminator::Switch(..));
    let mut targets = block.term.targets();
    let term = match n / 2 % ENDINGS {
        0 if chooses => targets.next().cloned().map(Terminator::Br),
        1 if chooses => targets.next_back().cloned().map(Terminator::Br),
        2 if chooses => block.term.atom().map(Terminator::Ret),
        3 => Some(Terminator::Ret(result)),
        _ => None,
    };
    let Some(term) = term else { return Attempt::Nothing };
    let mut less = function.clone();
    less.blocks[n / 2 / ENDINGS].term = term;
    Attempt::Candidate(if n.is_multiple_of(2) { without_unreached(&less) } else { less })
}

/// Takes arms from a `switch`: all of them, halves, .., single ones. Blocks that nothing reaches any more go.
pub fn drop_arms(function: &Function, n: usize) -> Attempt<Function> {
    let mut ranges = function
        .blocks
        .iter()
        .enumerate()
        .flat_map(|(at, block)| chunks(arms(block).len()).map(move |range| (at, range)));
    let Some((at, range)) = ranges.nth(n) else { return Attempt::End };
    let mut less = function.clone();
    if let Terminator::Switch(_, arms, _) = &mut less.blocks[at].term {
        arms.drain(range);
    }
    Attempt::Candidate(without_unreached(&less))
}

/// Gives an arm of a `switch` a simpler constant that no other arm has.
pub fn simplify_arm(function: &Function, n: usize) -> Attempt<Function> {
    let mut places = function.blocks.iter().enumerate().flat_map(|(at, block)| {
        let arms = arms(block);
        let free = move |new: &i64| arms.iter().all(|(constant, _)| constant != new);
        let simpler = move |constant| constants::simpler(constant).into_iter().filter(free);
        arms.iter().enumerate().flat_map(move |(arm, (constant, _))| simpler(*constant).map(move |new| (at, arm, new)))
    });
    let Some((at, arm, new)) = places.nth(n) else { return Attempt::End };
    let mut changed = function.clone();
    if let Terminator::Switch(_, arms, _) = &mut changed.blocks[at].term {
        arms[arm].0 = new;
    }
    Attempt::Candidate(changed)
}

/// The arms of a block's `switch`.
fn arms(block: &BlockData) -> &[(i64, Target)] {
    if let Terminator::Switch(_, arms, _) = &block.term { arms } else { &[] }
}

/// Appends a block to its only predecessor, when that branches to nowhere else.
pub fn join(function: &Function, n: usize) -> Attempt<Function> {
    let Some(block) = function.blocks.get(n) else { return Attempt::End };
    let Terminator::Br(target) = &block.term else { return Attempt::Nothing };
    let next = target.block.index();
    let entries = function.blocks.iter().flat_map(|block| block.term.targets()).filter(|to| to.block == target.block);
    if next == n || next == 0 || entries.count() > 1 || target.args.len() != function.blocks[next].params.len() {
        return Attempt::Nothing;
    }
    let mut joined = function.clone();
    let appended = function.blocks[next].clone();
    joined.blocks[n].body.extend(appended.body);
    joined.blocks[n].term = appended.term;
    // The appended block goes before its parameters' uses are replaced: they stand in its terminator too.
    let mut joined = without_unreached(&joined);
    for (&param, &argument) in appended.params.iter().zip(&target.args) {
        replace_uses(&mut joined, param, argument);
    }
    Attempt::Candidate(joined)
}

/// Lets an edge to a block that only branches on go directly where that branches to.
pub fn bypass(function: &Function, n: usize) -> Attempt<Function> {
    let blocks = function.blocks.iter().enumerate();
    let mut edges =
        blocks.flat_map(|(at, block)| block.term.targets().enumerate().map(move |(edge, target)| (at, edge, target)));
    let Some((at, edge, target)) = edges.nth(n) else { return Attempt::End };
    let through = &function.blocks[target.block.index()];
    let Terminator::Br(next) = &through.term else { return Attempt::Nothing };
    if !through.body.is_empty() || target.args.len() != through.params.len() {
        return Attempt::Nothing;
    }
    // The arguments in terms of those that the edge passes.
    let args = next.args.iter().map(|&argument| {
        let param = through.params.iter().position(|&param| Atom::Value(param) == argument);
        param.map_or(argument, |param| target.args[param])
    });
    let new = Target { block: next.block, args: args.collect() };
    let mut shorter = function.clone();
    if let Some(target) = shorter.blocks[at].term.targets_mut().nth(edge) {
        *target = new;
    }
    Attempt::Candidate(without_unreached(&shorter))
}

/// The function without the blocks that its entry does not reach.
fn without_unreached(function: &Function) -> Function {
    let mut reached = vec![false; function.blocks.len()];
    let mut stack = vec![0];
    while let Some(at) = stack.pop() {
        if !std::mem::replace(&mut reached[at], true) {
            stack.extend(function.blocks[at].term.targets().map(|target| target.block.index()));
        }
    }
    let mut block_names = Names::default();
    let mut new = vec![Block(0); function.blocks.len()];
    for at in (0..function.blocks.len()).filter(|&at| reached[at]) {
        new[at] = Block(block_names.push(function.block_names.get(at as u32).to_string()));
    }
    let mut less = Function { block_names, blocks: Vec::new(), ..function.clone() };
    for (_, block) in function.blocks.iter().enumerate().filter(|&(at, _)| reached[at]) {
        let mut block = block.clone();
        block.name = new[block.name.index()];
        block.term.targets_mut().for_each(|target| target.block = new[target.block.index()]);
        less.blocks.push(block);
    }
    less
}
