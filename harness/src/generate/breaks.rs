//! Valid functions broken on purpose, in one named way at a time: each clause of [`crate::lab::clause`] has a mutation.
//!
//! A mutation that finds no place in a function leaves it as it is and says so.

use arbitrary::{Result, Unstructured};

use crate::lab::clause::{Definitions, Site};
use crate::lab::{Atom, Block, Clause, Function, Graph, Phi, PhiFunction, Target, Terminator, Value};

/// Breaks a valid function in block-argument form; whether there was a place to do it.
pub fn break_function(function: &mut Function, clause: Clause, u: &mut Unstructured) -> Result<bool> {
    let count = function.blocks.len();
    match clause {
        Clause::DefinedTwice => {
            let places = function
                .blocks
                .iter_mut()
                .flat_map(|block| block.params.iter_mut().chain(block.body.iter_mut().map(|inst| &mut inst.dest)));
            return define_twice(function.inputs.iter_mut().chain(places).collect(), u);
        }
        Clause::Undefined | Clause::Undominated | Clause::UndefinedUnreachable | Clause::UndominatedUnreachable => {
            let ghost = Value(function.value_names.push("ghost"));
            let mut definitions = Definitions::new(&*function, &function.inputs);
            for (index, block) in function.blocks.iter().enumerate() {
                definitions.block(index, &block.params, &block.body);
            }
            let sites: Vec<Site> = uses(&mut function.clone()).into_iter().map(|(site, _)| site).collect();
            let Some((place, value)) = wrong_use(&definitions, &sites, ghost, clause, u)? else { return Ok(false) };
            *uses(function).swap_remove(place).1 = Atom::Value(value);
        }
        Clause::TooFewArguments => {
            let Some(target) = any(targets(function).filter(|target| !target.args.is_empty()), u)? else {
                return Ok(false);
            };
            target.args.remove(u.choose_index(target.args.len())?);
        }
        Clause::TooManyArguments => {
            let Some(target) = any(targets(function), u)? else { return Ok(false) };
            target.args.push(Atom::Const(7));
        }
        Clause::BlockTwice => {
            let Some((old, new)) = later_and_earlier(count, u)? else { return Ok(false) };
            function.blocks[old.index()].name = new;
            targets(function).filter(|target| target.block == old).for_each(|target| target.block = new);
        }
        Clause::MissingTarget => {
            let nowhere = Block(function.block_names.push("nowhere"));
            let Some(target) = any(targets(function), u)? else { return Ok(false) };
            target.block = nowhere;
        }
        Clause::EntryParameters => {
            let param = Value(function.value_names.push("param"));
            function.blocks[0].params.push(param);
        }
        Clause::EntryPredecessors => {
            let Some(target) = any(targets(function), u)? else { return Ok(false) };
            *target = Target { block: Block(0), args: Vec::new() };
        }
        Clause::ConflictingMultiEdge => {
            let passes = |term: &Terminator<Target>| term.targets().any(|target| !target.args.is_empty());
            let terms = function.blocks.iter_mut().map(|block| &mut block.term).filter(|term| passes(term));
            let Some(term) = any(terms, u)? else { return Ok(false) };
            let yes = term.targets().find(|target| !target.args.is_empty()).cloned();
            let Some(yes) = yes else { return Ok(false) };
            let mut no = yes.clone();
            no.args[0] = if yes.args[0] == Atom::Const(1) { Atom::Const(2) } else { Atom::Const(1) };
            *term = Terminator::Cbr(Atom::Const(1), yes, no);
        }
        Clause::MissingEntry | Clause::ExtraEntry | Clause::DuplicateEntry | Clause::PhiEntryPredecessors => {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Breaks a well-formed function in phi form; whether there was a place to do it.
pub fn break_phi_function(function: &mut PhiFunction, clause: Clause, u: &mut Unstructured) -> Result<bool> {
    let count = function.blocks.len();
    match clause {
        Clause::DefinedTwice => {
            let places = function.blocks.iter_mut().flat_map(|block| {
                let phis = block.phis.iter_mut().map(|phi| &mut phi.dest);
                phis.chain(block.body.iter_mut().map(|inst| &mut inst.dest))
            });
            return define_twice(function.inputs.iter_mut().chain(places).collect(), u);
        }
        Clause::Undefined | Clause::Undominated | Clause::UndefinedUnreachable | Clause::UndominatedUnreachable => {
            let ghost = Value(function.value_names.push("ghost"));
            let mut definitions = Definitions::new(&*function, &function.inputs);
            for (index, block) in function.blocks.iter().enumerate() {
                let results: Vec<Value> = block.phis.iter().map(|phi| phi.dest).collect();
                definitions.block(index, &results, &block.body);
            }
            let sites: Vec<Site> = phi_uses(&mut function.clone()).into_iter().map(|(site, _)| site).collect();
            let Some((place, value)) = wrong_use(&definitions, &sites, ghost, clause, u)? else { return Ok(false) };
            *phi_uses(function).swap_remove(place).1 = Atom::Value(value);
        }
        Clause::MissingEntry => {
            let Some(phi) = any(phis(function).filter(|phi| !phi.entries.is_empty()), u)? else { return Ok(false) };
            phi.entries.remove(u.choose_index(phi.entries.len())?);
        }
        Clause::ExtraEntry => {
            let mut places = Vec::new();
            for (at, block) in function.blocks.iter().enumerate() {
                let others = function.blocks.iter().filter(|from| !from.term.targets().any(|&to| to == block.name));
                let others: Vec<Block> = others.map(|from| from.name).collect();
                places.extend((0..block.phis.len()).flat_map(|phi| others.iter().map(move |&from| (at, phi, from))));
            }
            let Some((at, phi, from)) = any(places.into_iter(), u)? else { return Ok(false) };
            function.blocks[at].phis[phi].entries.push((from, Atom::Const(7)));
        }
        Clause::DuplicateEntry => {
            let Some(phi) = any(phis(function).filter(|phi| !phi.entries.is_empty()), u)? else { return Ok(false) };
            let (from, atom) = phi.entries[u.choose_index(phi.entries.len())?];
            phi.entries.push((from, if u.arbitrary()? { atom } else { Atom::Const(7) }));
        }
        Clause::BlockTwice => {
            let Some((old, new)) = later_and_earlier(count, u)? else { return Ok(false) };
            function.blocks[old.index()].name = new;
            for block in &mut function.blocks {
                block.term.targets_mut().filter(|target| **target == old).for_each(|target| *target = new);
                let entries = block.phis.iter_mut().flat_map(|phi| &mut phi.entries);
                entries.filter(|entry| entry.0 == old).for_each(|entry| entry.0 = new);
            }
        }
        Clause::MissingTarget => {
            let nowhere = Block(function.block_names.push("nowhere"));
            return redirect(function, nowhere, u);
        }
        Clause::PhiEntryPredecessors => return redirect(function, Block(0), u),
        Clause::EntryParameters => {
            let dest = Value(function.value_names.push("param"));
            let predecessors = function.blocks.iter().filter(|from| from.term.targets().any(|to| to.index() == 0));
            let entries = predecessors.map(|from| (from.name, Atom::Const(7))).collect();
            function.blocks[0].phis.push(Phi { dest, entries });
        }
        Clause::TooFewArguments
        | Clause::TooManyArguments
        | Clause::EntryPredecessors
        | Clause::ConflictingMultiEdge => return Ok(false),
    }
    Ok(true)
}

/// Sends a branch elsewhere, and takes away the entries that it had, unless another branch of its block still goes
/// there.
fn redirect(function: &mut PhiFunction, to: Block, u: &mut Unstructured) -> Result<bool> {
    let branches = function.blocks.iter().enumerate();
    let branches = branches.flat_map(|(at, block)| block.term.targets().enumerate().map(move |(i, &old)| (at, i, old)));
    let Some((at, branch, old)) = any(branches, u)? else { return Ok(false) };
    let (from, term) = (function.blocks[at].name, &mut function.blocks[at].term);
    term.targets_mut().skip(branch).take(1).for_each(|target| *target = to);
    if !term.targets().any(|&target| target == old) {
        for phi in &mut function.blocks[old.index()].phis {
            phi.entries.retain(|entry| entry.0 != from);
        }
    }
    Ok(true)
}

/// Gives one definition the name of another.
fn define_twice(mut places: Vec<&mut Value>, u: &mut Unstructured) -> Result<bool> {
    if places.len() < 2 {
        return Ok(false);
    }
    let first = u.choose_index(places.len() - 1)?;
    let second = u.int_in_range(first + 1..=places.len() - 1)?;
    *places[second] = *places[first];
    Ok(true)
}

/// A use and a value that would make it touch the clause.
fn wrong_use<G: Graph>(
    definitions: &Definitions<'_, G>,
    sites: &[Site],
    ghost: Value,
    clause: Clause,
    u: &mut Unstructured,
) -> Result<Option<(usize, Value)>> {
    let places = sites.iter().enumerate().flat_map(|(place, &site)| {
        let touches = move |value: &Value| definitions.clause_of_use(*value, site) == Some(clause);
        (0..=ghost.0).map(Value).filter(touches).map(move |value| (place, value))
    });
    any(places, u)
}

fn later_and_earlier(count: usize, u: &mut Unstructured) -> Result<Option<(Block, Block)>> {
    if count < 2 {
        return Ok(None);
    }
    let later = u.int_in_range(1..=count as u32 - 1)?;
    Ok(Some((Block(later), Block(u.int_in_range(0..=later - 1)?))))
}

/// One of these, if there is any.
fn any<T>(items: impl Iterator<Item = T>, u: &mut Unstructured) -> Result<Option<T>> {
    let mut items: Vec<T> = items.collect();
    if items.is_empty() { Ok(None) } else { Ok(Some(items.swap_remove(u.choose_index(items.len())?))) }
}

fn targets(function: &mut Function) -> impl Iterator<Item = &mut Target> {
    function.blocks.iter_mut().flat_map(|block| block.term.targets_mut())
}

fn phis(function: &mut PhiFunction) -> impl Iterator<Item = &mut Phi> {
    function.blocks.iter_mut().flat_map(|block| &mut block.phis)
}

/// Every use of a function with its site.
fn uses(function: &mut Function) -> Vec<(Site, &mut Atom)> {
    let mut uses = Vec::new();
    for (index, block) in function.blocks.iter_mut().enumerate() {
        for (place, inst) in block.body.iter_mut().enumerate() {
            uses.extend(inst.operands_mut().iter_mut().map(|operand| (Site::inst(index, place), operand)));
        }
        let arguments: Vec<&mut Atom> = match &mut block.term {
            Terminator::Br(to) => to.args.iter_mut().collect(),
            Terminator::Cbr(atom, yes, no) => [atom].into_iter().chain(&mut yes.args).chain(&mut no.args).collect(),
            Terminator::Switch(atom, arms, default) => {
                let arms = arms.iter_mut().flat_map(|(_, target)| &mut target.args);
                [atom].into_iter().chain(arms).chain(&mut default.args).collect()
            }
            Terminator::Ret(atom) => vec![atom],
            Terminator::Trap(_) => Vec::new(),
        };
        uses.extend(arguments.into_iter().map(|atom| (Site::end(index), atom)));
    }
    uses
}

/// The same in phi form: an entry is used at the end of the block that it names.
fn phi_uses(function: &mut PhiFunction) -> Vec<(Site, &mut Atom)> {
    let mut uses = Vec::new();
    for (index, block) in function.blocks.iter_mut().enumerate() {
        let entries = block.phis.iter_mut().flat_map(|phi| &mut phi.entries);
        uses.extend(entries.map(|(from, atom)| (Site::end(from.index()), atom)));
        for (place, inst) in block.body.iter_mut().enumerate() {
            uses.extend(inst.operands_mut().iter_mut().map(|operand| (Site::inst(index, place), operand)));
        }
        uses.extend(block.term.atom_mut().map(|atom| (Site::end(index), atom)));
    }
    uses
}
