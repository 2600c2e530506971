//! Maximal SSA from a control-flow graph (lesson 8.4 §3, `tac_to_ssa`; `docs/LANGUAGE.md` §5): every block but the
//! entry has every variable as a parameter, and every branch passes the current name of every variable.

use crate::lab::{Atom, Block, BlockData, Function, Inst, Target, Terminator, Value};
use crate::names::Names;
use crate::tac::{self, Cfg};

/// The maximal SSA of a control-flow graph. Its size is the number of blocks times the number of variables;
/// [`construct_live`](super::construct_live) builds what dead-parameter pruning leaves of it without that cost.
pub fn construct_maximal(cfg: &Cfg) -> Function {
    let variables = cfg.variables.len();
    let mut names = value_names(cfg);
    // The next version of each variable.
    let mut next = vec![0; variables];
    let mut fresh = |variable: usize| {
        let version = next[variable];
        next[variable] += 1;
        Value(names.push_version(variable as u32, version))
    };
    let inputs: Vec<Value> = (0..cfg.inputs).map(&mut fresh).collect();
    let mut env = initial_env(cfg, &inputs);

    let mut blocks = Vec::with_capacity(cfg.blocks.len());
    for (index, block) in cfg.blocks.iter().enumerate() {
        let mut params = Vec::new();
        if index > 0 {
            params.extend((0..variables).map(&mut fresh));
            env.clear();
            env.extend(params.iter().copied().map(Atom::Value));
        }
        let body = block.body.iter().map(|assign| convert(assign, &mut env, &mut fresh)).collect();
        let term = convert_terminator(&block.term, &env, |_| env.clone());
        blocks.push(BlockData { name: Block(index as u32), params, body, term });
    }
    Function { inputs, blocks, value_names: names, block_names: block_names(cfg) }
}

/// The table of value names, with the variables as its bases.
pub(super) fn value_names(cfg: &Cfg) -> Names {
    let mut names = Names::default();
    for variable in 0..cfg.variables.len() as u32 {
        names.base_of(&cfg.variables, variable);
    }
    names
}

/// What the variables hold where the entry block starts: the inputs, and 0.
pub(super) fn initial_env(cfg: &Cfg, inputs: &[Value]) -> Vec<Atom> {
    let mut env: Vec<Atom> = inputs.iter().copied().map(Atom::Value).collect();
    env.resize(cfg.variables.len(), Atom::Const(0));
    env
}

/// An assignment's instruction; `fresh` makes the name of its result.
pub(super) fn convert(assign: &tac::Assign, env: &mut [Atom], mut fresh: impl FnMut(usize) -> Value) -> Inst {
    let args = assign.args.map(|arg| atom(arg, env));
    let dest = fresh(assign.dest.index());
    env[assign.dest.index()] = Atom::Value(dest);
    Inst { dest, op: assign.op, args }
}

/// A block's terminator; `args` makes what is passed to a block.
pub(super) fn convert_terminator(
    term: &tac::cfg::Terminator,
    env: &[Atom],
    args: impl Fn(usize) -> Vec<Atom>,
) -> Terminator<Target> {
    let target = |block: usize| Target { block: Block(block as u32), args: args(block) };
    match *term {
        tac::cfg::Terminator::Switch(value, ref arms, default) => {
            let arms = arms.iter().map(|&(constant, block)| (constant, target(block))).collect();
            Terminator::Switch(atom(value, env), arms, target(default))
        }
        tac::cfg::Terminator::Br(block) => Terminator::Br(target(block)),
        tac::cfg::Terminator::Cbr(condition, yes, no) => Terminator::Cbr(atom(condition, env), target(yes), target(no)),
        tac::cfg::Terminator::Ret(result) => Terminator::Ret(atom(result, env)),
    }
}

fn atom(atom: tac::Atom, env: &[Atom]) -> Atom {
    match atom {
        tac::Atom::Const(constant) => Atom::Const(constant),
        tac::Atom::Var(variable) => env[variable.index()],
    }
}

/// The blocks' names, `B0`, `B1`, ..
pub(super) fn block_names(cfg: &Cfg) -> Names {
    let mut names = Names::default();
    let base = names.base("B");
    for index in 0..cfg.blocks.len() as u32 {
        names.push_numbered(base, index);
    }
    names
}
