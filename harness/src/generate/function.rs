//! Arbitrary functions in block-argument and in phi form, valid ones and ones with faults: what the lab's theorems are
//! tested on. Small and of any shape: unreachable blocks, irreducible loops, multi-edges, conflicts.
//!
//! Values are chosen by dominance as it is defined, not as the lab computes it: the lab's dominators are on trial here.

use arbitrary::{Result, Unstructured};

use crate::dialect::Dialect;
use crate::lab::dominators::reachable_without;
use crate::lab::{
    Atom, Block, BlockData, Function, Graph, Inst, Phi, PhiBlock, PhiFunction, Target, Terminator, Value,
};
use crate::names::Names;
use crate::op::Op;

const MAX_BLOCKS: usize = 8;

/// A valid function.
pub fn valid_function(u: &mut Unstructured) -> Result<Function> {
    let shape = Shape::arbitrary(u, 1)?;
    let mut blocks = Vec::new();
    for (index, part) in shape.blocks.iter().enumerate() {
        let mut targets: Vec<Target> = Vec::new();
        for &to in &part.targets {
            let args = match targets.iter().find(|earlier| earlier.block == to) {
                // Half of the multi-edges pass the same twice.
                Some(earlier) if u.arbitrary()? => earlier.args.clone(),
                _ => shape.blocks[to.index()].top.iter().map(|_| atom(u, &part.at_end)).collect::<Result<_>>()?,
            };
            targets.push(Target { block: to, args });
        }
        let (name, params, body) = (Block(index as u32), part.top.clone(), part.body.clone());
        blocks.push(BlockData { name, params, body, term: terminator(part, targets) });
    }
    let Shape { inputs, value_names, block_names, .. } = shape;
    Ok(Function { inputs, blocks, value_names, block_names })
}

/// A well-formed function in phi form. Its entry may have predecessors.
pub fn valid_phi_function(u: &mut Unstructured) -> Result<PhiFunction> {
    let shape = Shape::arbitrary(u, 0)?;
    let mut blocks = Vec::new();
    for (index, part) in shape.blocks.iter().enumerate() {
        let name = Block(index as u32);
        let mut phis = Vec::new();
        for &dest in &part.top {
            let mut entries = Vec::new();
            for (from, source) in
                (0..).map(Block).zip(&shape.blocks).filter(|(_, source)| source.targets.contains(&name))
            {
                // In any order.
                entries.insert(u.int_in_range(0..=entries.len())?, (from, atom(u, &source.at_end)?));
            }
            phis.push(Phi { dest, entries });
        }
        let term = terminator(part, part.targets.clone());
        blocks.push(PhiBlock { name, phis, body: part.body.clone(), term });
    }
    let Shape { inputs, value_names, block_names, .. } = shape;
    Ok(PhiFunction { inputs, blocks, value_names, block_names })
}

/// A function with up to three changes that break the rules, most of them.
pub fn broken_function(u: &mut Unstructured) -> Result<Function> {
    let mut function = valid_function(u)?;
    for _ in 0..u.int_in_range(1..=3)? {
        let blocks = &mut function.blocks;
        let any = Value(u.int_in_range(0..=function.value_names.len() as u32 - 1)?);
        match u.int_in_range(0..=6)? {
            0 => pick(u, blocks.iter_mut().flat_map(|block| &mut block.params), |param| *param = any)?,
            1 => pick(u, blocks.iter_mut().flat_map(|block| &mut block.body), |inst| inst.dest = any)?,
            2 => {
                let targets = blocks.iter_mut().flat_map(|block| block.term.targets_mut());
                pick(u, targets, |target| {
                    if target.args.pop().is_none() {
                        target.args.push(Atom::Value(any))
                    }
                })?;
            }
            3 => {
                let to = any_block(u, blocks.iter().map(|block| block.name), &mut function.block_names)?;
                pick(u, blocks.iter_mut().flat_map(|block| block.term.targets_mut()), |target| target.block = to)?;
            }
            4 => pick(u, blocks.iter_mut(), |block| block.params.push(any))?,
            5 => {
                let (old, new) = two_names(u, blocks.iter().map(|block| block.name))?;
                for block in blocks.iter_mut() {
                    rename(&mut block.name, old, new);
                    block.term.targets_mut().for_each(|target| rename(&mut target.block, old, new));
                }
            }
            _ => {
                let operands = blocks.iter_mut().flat_map(|block| {
                    let arguments = block.term.targets_mut().flat_map(|target| &mut target.args);
                    block.body.iter_mut().flat_map(Inst::operands_mut).chain(arguments)
                });
                pick(u, operands, |operand| *operand = Atom::Value(any))?;
            }
        }
    }
    Ok(function)
}

/// A function in phi form with up to three changes that break the rules, most of them.
pub fn broken_phi_function(u: &mut Unstructured) -> Result<PhiFunction> {
    let mut function = valid_phi_function(u)?;
    for _ in 0..u.int_in_range(1..=3)? {
        let blocks = &mut function.blocks;
        let any = Value(u.int_in_range(0..=function.value_names.len() as u32 - 1)?);
        let to = any_block(u, blocks.iter().map(|block| block.name), &mut function.block_names)?;
        match u.int_in_range(0..=6)? {
            0 => pick(u, blocks.iter_mut().flat_map(|block| &mut block.phis), |phi| phi.dest = any)?,
            1 => pick(u, blocks.iter_mut().flat_map(|block| block.term.targets_mut()), |target| *target = to)?,
            2 => {
                let phis = blocks.iter_mut().flat_map(|block| &mut block.phis);
                pick(u, phis, |phi| {
                    if phi.entries.pop().is_none() {
                        phi.entries.push((to, Atom::Value(any)))
                    }
                })?;
            }
            3 => {
                let phis = blocks.iter_mut().flat_map(|block| &mut block.phis);
                pick(u, phis, |phi| phi.entries.push((to, Atom::Value(any))))?;
            }
            4 => pick(u, blocks.iter_mut(), |block| block.phis.push(Phi { dest: any, entries: Vec::new() }))?,
            5 => {
                let (old, new) = two_names(u, blocks.iter().map(|block| block.name))?;
                for block in blocks.iter_mut() {
                    rename(&mut block.name, old, new);
                    block.term.targets_mut().for_each(|target| rename(target, old, new));
                    let entries = block.phis.iter_mut().flat_map(|phi| &mut phi.entries);
                    entries.for_each(|(predecessor, _)| rename(predecessor, old, new));
                }
            }
            _ => {
                let operands = blocks.iter_mut().flat_map(|block| {
                    let entries = block.phis.iter_mut().flat_map(|phi| &mut phi.entries).map(|(_, operand)| operand);
                    entries.chain(block.body.iter_mut().flat_map(Inst::operands_mut))
                });
                pick(u, operands, |operand| *operand = Atom::Value(any))?;
            }
        }
    }
    Ok(function)
}

/// Changes one of these, if there is any.
fn pick<'a, T: 'a>(
    u: &mut Unstructured,
    places: impl Iterator<Item = &'a mut T>,
    change: impl FnOnce(&mut T),
) -> Result<()> {
    let mut places: Vec<&mut T> = places.collect();
    if !places.is_empty() {
        let index = u.choose_index(places.len())?;
        change(places[index]);
    }
    Ok(())
}

/// The name of a block that is there or, seldom, of one that is not.
fn any_block(u: &mut Unstructured, blocks: impl Iterator<Item = Block>, names: &mut Names) -> Result<Block> {
    let blocks: Vec<Block> = blocks.collect();
    let index = u.int_in_range(0..=blocks.len())?;
    Ok(blocks.get(index).copied().unwrap_or_else(|| Block(names.push("nowhere"))))
}

/// Two blocks' names, that of the later one first: a name is the index of the first block that bears it, so it can only
/// change to one further up.
fn two_names(u: &mut Unstructured, blocks: impl Iterator<Item = Block>) -> Result<(Block, Block)> {
    let blocks: Vec<Block> = blocks.collect();
    let (a, b) = (*u.choose(&blocks)?, *u.choose(&blocks)?);
    Ok((a.max(b), a.min(b)))
}

fn rename(name: &mut Block, old: Block, new: Block) {
    if *name == old {
        *name = new;
    }
}

fn terminator<T>(part: &Part, mut targets: Vec<T>) -> Terminator<T> {
    match (targets.pop(), &part.arms) {
        (Some(last), Some(arms)) => Terminator::Switch(part.atom, arms.iter().copied().zip(targets).collect(), last),
        (Some(last), None) => match targets.pop() {
            Some(yes) => Terminator::Cbr(part.atom, yes, last),
            None => Terminator::Br(last),
        },
        (None, _) => Terminator::Ret(part.atom),
    }
}

/// What both forms have in common.
struct Shape {
    inputs: Vec<Value>,
    blocks: Vec<Part>,
    value_names: Names,
    block_names: Names,
}

struct Part {
    /// None for `ret`, one for `br`, two for `cbr`, any number from one on for `switch`.
    targets: Vec<Block>,
    /// The constants of a `switch`, one fewer than targets.
    arms: Option<Vec<i64>>,
    /// Parameters or phis.
    top: Vec<Value>,
    body: Vec<Inst>,
    /// The values that may be used at the end.
    at_end: Vec<Value>,
    /// The terminator's atom, if it has one.
    atom: Atom,
}

impl Graph for Vec<Part> {
    fn block_count(&self) -> usize {
        self.len()
    }

    fn successors(&self, block: Block) -> impl Iterator<Item = Block> {
        self[block.index()].targets.iter().copied()
    }
}

impl Shape {
    /// Branches go to blocks from number `lowest` on: 1 for an entry without predecessors.
    fn arbitrary(u: &mut Unstructured, lowest: usize) -> Result<Shape> {
        let mut names = Fresh::default();
        let inputs = names.take(u.int_in_range(0..=2)?);
        let mut block_names = Names::default();
        block_names.push("entry");
        let base = block_names.base("b");
        let mut blocks: Vec<Part> = Vec::new();
        let count = u.int_in_range(1..=MAX_BLOCKS)?;
        for index in 0..count {
            if index > 0 {
                block_names.push_version(base, index as u32 - 1);
            }
            let exits =
                if count > lowest { [2, 2, 2, 2, 1, 1, 1, 0, 2, 2, 1, 1, 1, 0, 3, 5][u.choose_index(16)?] } else { 0 };
            let switch = exits > 2 || exits > 0 && u.ratio(1, 8)?;
            let arms = if switch { Some(arms(u, exits - 1)?) } else { None };
            let mut targets: Vec<Block> = Vec::new();
            for _ in 0..exits {
                let again = targets.first().copied().filter(|_| u.ratio(1, 4).unwrap_or(false));
                targets.push(again.unwrap_or(Block(u.int_in_range(lowest..=count - 1)? as u32)));
            }
            let top = names.take(if index == 0 { 0 } else { u.int_in_range(0..=3)? });
            blocks.push(Part { targets, arms, top, body: Vec::new(), at_end: Vec::new(), atom: Atom::Const(0) });
        }
        let results: Vec<Vec<Value>> =
            (0..count).map(|_| Ok(names.take(u.int_in_range(0..=3)?))).collect::<Result<_>>()?;
        let ghost = names.take(1);

        let reachable = reachable_without(&blocks, None);
        let without: Vec<Vec<bool>> = (0..count as u32).map(|b| reachable_without(&blocks, Some(Block(b)))).collect();
        for index in 0..count {
            let dominates = |other: usize| other != index && (!reachable[index] || !without[other][index]);
            let mut usable = inputs.clone();
            for other in (0..count).filter(|&other| dominates(other)) {
                usable.extend(blocks[other].top.iter().chain(&results[other]));
            }
            if !reachable[index] {
                usable.extend(&ghost);
                usable.extend(&results[index]);
            }
            usable.extend(&blocks[index].top);
            for &dest in &results[index] {
                let dialect = if u.ratio(1, 8)? { Dialect::Plus } else { Dialect::Core };
                let operations: Vec<Op> = Op::all().filter(|op| op.dialect() == dialect).collect();
                let mut inst = Inst { dest, op: *u.choose(&operations)?, args: [Atom::Const(0); 3] };
                for operand in inst.operands_mut() {
                    *operand = atom(u, &usable)?;
                }
                blocks[index].body.push(inst);
                usable.push(dest);
            }
            blocks[index].atom = atom(u, &usable)?;
            blocks[index].at_end = usable;
        }
        Ok(Shape { inputs, blocks, value_names: names.names, block_names })
    }
}

/// So many constants, all different: a dense range, or any.
fn arms(u: &mut Unstructured, count: usize) -> Result<Vec<i64>> {
    let first: i64 = if u.arbitrary()? { u.int_in_range(-2..=3)? } else { u.arbitrary()? };
    let step: i64 = if u.arbitrary()? { 1 } else { u.arbitrary::<i64>()? | 1 };
    // An odd step meets no number twice before it has met all.
    Ok((0..count as i64).map(|k| first.wrapping_add(step.wrapping_mul(k))).collect())
}

/// Gives `v.0`, `v.1`, ….
#[derive(Default)]
struct Fresh {
    names: Names,
}

impl Fresh {
    fn take(&mut self, count: usize) -> Vec<Value> {
        (0..count).map(|_| Value(self.names.push(format!("v.{}", self.names.len())))).collect()
    }
}

/// A small constant, one at the edge, or one of these values.
fn atom(u: &mut Unstructured, values: &[Value]) -> Result<Atom> {
    const CONSTANTS: [i64; 8] = [0, 1, 2, 3, 10, -1, i64::MAX, i64::MIN];
    if values.is_empty() || u.ratio(1, 4)? {
        return Ok(Atom::Const(*u.choose(&CONSTANTS)?));
    }
    Ok(Atom::Value(*u.choose(values)?))
}
