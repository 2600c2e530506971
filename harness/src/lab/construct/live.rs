//! Maximal SSA without its dead parameters, built directly from liveness (Choi, Cytron and Ferrante, "Automatic
//! construction of sparse data flow evaluation graphs", 1991: pruned SSA).
//!
//! In maximal SSA the parameter of x in B is used by B's own code exactly when B reads x before it writes it, and is
//! passed to the parameter of x in a successor exactly when B does not write x. So the least set of live parameters
//! (`docs/LANGUAGE.md` §6) is classical liveness: the parameter of x in B is live if and only if x is live at the start
//! of B, over the whole graph with its unreachable blocks. The names follow by counting: in block k, x has taken one
//! version as an input, one in each of the blocks 1..=k and one for each earlier assignment to it.

use super::maximal::{block_names, convert, convert_terminator, initial_env, value_names};
use crate::lab::groups::Groups;
use crate::lab::{Atom, Block, BlockData, Function, Value};
use crate::plant::{self, Fault};
use crate::tac::{self, Cfg};

/// What [`prune_dead`](crate::lab::prune_dead) leaves of [`construct_maximal`](super::construct_maximal), name for
/// name, in time and space proportional to the result.
pub fn construct_live(cfg: &Cfg) -> Function {
    let live_in = live_in(cfg);
    let mut names = value_names(cfg);
    let inputs: Vec<Value> = (0..cfg.inputs).map(|variable| Value(names.push_version(variable as u32, 0))).collect();
    let mut env = initial_env(cfg, &inputs);
    // The versions that each variable has taken as an input and by assignments.
    let mut taken: Vec<u32> = (0..cfg.variables.len()).map(|variable| u32::from(variable < cfg.inputs)).collect();

    let mut blocks = Vec::with_capacity(cfg.blocks.len());
    for (index, block) in cfg.blocks.iter().enumerate() {
        // Of a variable that is not live here, `env` keeps an old name that nothing reads.
        let mut params = Vec::with_capacity(live_in.of(index).len());
        for &variable in live_in.of(index) {
            let param = Value(names.push_version(variable, taken[variable as usize] + index as u32 - 1));
            params.push(param);
            env[variable as usize] = Atom::Value(param);
        }
        let mut fresh = |variable: usize| {
            let version = taken[variable] + index as u32;
            taken[variable] += 1;
            Value(names.push_version(variable as u32, version))
        };
        let body = block.body.iter().map(|assign| convert(assign, &mut env, &mut fresh)).collect();
        let term = convert_terminator(&block.term, &env, |target| {
            live_in.of(target).iter().map(|&variable| env[variable as usize]).collect()
        });
        blocks.push(BlockData { name: Block(index as u32), params, body, term });
    }
    Function { inputs, blocks, value_names: names, block_names: block_names(cfg) }
}

/// The variables that are live at the start of each block, in canonical order; none for the entry, which has no
/// predecessor to pass them.
///
/// One variable at a time, backwards from the blocks that read it before they write it, over predecessors that do not
/// write it.
fn live_in(cfg: &Cfg) -> Groups<u32> {
    let blocks = cfg.blocks.len();
    let (readers, writers) = readers_and_writers(cfg);
    let blocks_from = (0u32..).zip(&cfg.blocks);
    let edges = blocks_from.flat_map(|(from, block)| block.term.targets().map(move |to| (to as u32, from)));
    let predecessors = Groups::collect(blocks, &edges.collect::<Vec<_>>());

    // `writes[b] == x` and `live[b] == x` say that b is such a block for the variable at hand.
    let mut writes = vec![u32::MAX; blocks];
    let mut live = vec![u32::MAX; blocks];
    let mut found = Vec::new();
    let mut pending = Vec::new();
    for variable in 0..cfg.variables.len() as u32 {
        for &block in writers.of(variable as usize) {
            writes[block as usize] = variable;
        }
        for &block in readers.of(variable as usize) {
            live[block as usize] = variable;
            pending.push(block);
        }
        while let Some(block) = pending.pop() {
            found.push((block, variable));
            for &from in predecessors.of(block as usize) {
                if from != ENTRY && writes[from as usize] != variable && live[from as usize] != variable {
                    live[from as usize] = variable;
                    pending.push(from);
                }
            }
        }
    }
    Groups::collect(blocks, &found)
}

const ENTRY: u32 = 0;

/// For each variable the blocks, without the entry, that read it before they write it, and those that write it.
fn readers_and_writers(cfg: &Cfg) -> (Groups<u32>, Groups<u32>) {
    let variables = cfg.variables.len();
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    // The last block that read or wrote each variable.
    let mut touched = vec![ENTRY; variables];
    let mut written = vec![ENTRY; variables];
    for (index, block) in (0..).zip(&cfg.blocks).skip(1) {
        let mut read = |atom: tac::Atom, touched: &mut [u32]| {
            if let tac::Atom::Var(variable) = atom
                && touched[variable.index()] != index
            {
                touched[variable.index()] = index;
                reads.push((variable.0, index));
            }
        };
        for assign in &block.body {
            for &operand in assign.operands() {
                read(operand, &mut touched);
            }
            let dest = assign.dest.index();
            touched[dest] = index;
            if written[dest] != index {
                written[dest] = index;
                writes.push((assign.dest.0, index));
            }
        }
        if let Some(atom) = block.term.atom()
            && !plant::on(Fault::LabLiveForgetsBranch)
        {
            read(atom, &mut touched);
        }
    }
    (Groups::collect(variables, &reads), Groups::collect(variables, &writes))
}
