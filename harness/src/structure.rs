//! How good constructed SSA is: its number of block parameters (or phis), path against path. Pure.
//!
//! The **yardstick** is the lab's pruned SSA of the program's graph: liveness leaves a parameter where its variable is
//! live (Choi, Cytron and Ferrante 1991), and trivial parameters go until there are none (Braun et al. 2013). Copies are
//! seen through, because compilers have no copies. Only the parameters of reachable blocks count. What must hold of a
//! path that constructs SSA from the same graph, and why:
//!
//! 1. *No more than the yardstick.* A construction that asks for a value where a variable is read makes parameters only
//!    where the variable is live, and a trivial one says what another value says already. LLVM keeps to this: Cytron et
//!    al. (1991) place phis on the iterated dominance frontier of the assignments alone, where every phi that no trivial
//!    rule removes has two different values arriving. Cranelift's `SSABuilder` does not always: it looks at a parameter
//!    once, when its block is sealed, and not again when an argument of it becomes another's alias (`trivial`); and two
//!    equal constants are two values to it, where the lab and LLVM know one (`constants`, which is no fault of its own).
//! 2. *No more than the yardstick once trivial parameters are removed from it too.* What is more than 1 allows is
//!    trivial and nothing else; otherwise the construction put a parameter where its variable is not live.
//!
//! Fewer is no fault. LLVM's builder folds constants, so `add 1, 2` and `3` are one value; it leaves unreachable
//! predecessors out, whose arguments the yardstick counts; and on irreducible graphs the trivial rule alone does not give
//! the minimum (Braun et al., section 3.2), which dominance frontiers give.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::case::Program;
use crate::lab::dominators::reachable_without;
use crate::lab::{self, Atom, Function};
use crate::op::Op;
use crate::path::PathId;
use crate::tac;

/// The parameters of a path's SSA as constructed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Structure {
    /// The path.
    pub path: PathId,
    /// Its independence group.
    pub group: String,
    /// The parameters of reachable blocks.
    pub params: usize,
    /// Of these, parameters for which only one constant arrives, counted where there are more than the yardstick has.
    pub constants: usize,
    /// Those that remain when trivial ones go, counted likewise.
    pub least: usize,
    /// The yardstick.
    pub yardstick: usize,
}

impl Structure {
    /// Measures what a path constructed.
    pub fn of(path: &PathId, group: &str, function: &Function, yardstick: usize) -> Structure {
        let params = params(function);
        let (constants, least) =
            if params > yardstick { (constants(function), least(function.clone())) } else { (0, params) };
        Structure { path: path.clone(), group: group.into(), params, constants, least, yardstick }
    }

    /// How it compares with the yardstick: greater is worse.
    pub fn compared(&self) -> Ordering {
        self.params.cmp(&self.yardstick)
    }

    /// The name of the broken relation, if one is, in the form of signatures.
    pub fn quality(&self) -> Option<String> {
        let which = if self.least > self.yardstick {
            "not-pruned"
        } else if self.params - self.constants > self.yardstick {
            "trivial"
        } else if self.params > self.yardstick {
            "constants"
        } else {
            return None;
        };
        Some(format!("quality.construct.{}.{which}", self.group))
    }
}

/// Whether a path constructs SSA itself, from the program's own graph: a group that rests on the lab is named for it, and
/// a perturbed graph has another structure.
pub fn is_measured(path: &PathId, group: &str) -> bool {
    path.version.is_some() && !group.starts_with("lab") && !path.variant.starts_with("perturbed-")
}

/// The parameters of the lab's pruned function of a program's graph, copies seen through; none for other languages.
pub fn yardstick(program: &Program) -> Option<usize> {
    let cfg = match program {
        Program::Tiny(program) => tac::cfg(&tac::lower(program)),
        Program::Tac(program) => tac::cfg(program),
        Program::Ssa(_) | Program::Phi(_) => return None,
    };
    Some(least(lab::construct_live(&cfg)))
}

/// The parameters of the blocks that the entry reaches.
fn params(function: &Function) -> usize {
    let reachable = reachable_without(function, None);
    function.blocks.iter().zip(reachable).filter(|(_, reachable)| *reachable).map(|(block, _)| block.params.len()).sum()
}

/// The parameters of reachable blocks for which one constant arrives by every branch.
fn constants(function: &Function) -> usize {
    let mut arrive: Vec<Vec<Option<Atom>>> = vec![Vec::new(); function.blocks.len()];
    for target in function.blocks.iter().flat_map(|block| block.term.targets()) {
        let known = &mut arrive[target.block.index()];
        if known.is_empty() {
            *known = target.args.iter().map(|&arg| Some(arg)).collect();
        }
        for (known, &arg) in known.iter_mut().zip(&target.args) {
            *known = known.filter(|&known| known == arg);
        }
    }
    let reachable = arrive.iter().zip(reachable_without(function, None)).filter(|(_, reachable)| *reachable);
    reachable.flat_map(|(args, _)| args).filter(|arg| matches!(arg, Some(Atom::Const(_)))).count()
}

/// The parameters that remain when uses of a copy use its source and trivial parameters go.
fn least(mut function: Function) -> usize {
    see_through_copies(&mut function);
    lab::prune_trivial(&mut function);
    params(&function)
}

fn see_through_copies(function: &mut Function) {
    let mut sources = vec![None; function.value_names.len()];
    for inst in function.blocks.iter().flat_map(|block| &block.body).filter(|inst| inst.op == Op::Copy) {
        sources[inst.dest.index()] = Some(inst.args[0]);
    }
    lab::for_each_atom(function, |atom| {
        // In unreachable blocks copies may go round, so no more steps than there are names.
        for _ in 0..sources.len() {
            let Atom::Value(value) = *atom else { break };
            let Some(source) = sources[value.index()] else { break };
            *atom = source;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tac_program(text: &str) -> Program {
        Program::Tac(tac::parse(text).unwrap())
    }

    /// A loop in which `b` takes a copy's way round.
    const LOOP: &str = "input a, b\nL:\nc = copy b\nb = copy c\na = sub a, 1\nif a goto L\nret b";

    #[test]
    fn the_yardstick_sees_through_copies_and_leaves_unreachable_blocks_out() {
        assert_eq!(yardstick(&tac_program(LOOP)), Some(1));
        assert_eq!(yardstick(&tac_program("input a\nret a\nL:\na = sub a, 1\nif a goto L\nret a")), Some(0));
        assert_eq!(yardstick(&Program::Ssa(lab::parse_ssa("ssa\nb:\n  ret 0").unwrap())), None);
    }

    #[test]
    fn relations_have_names() {
        let text = "ssa(a)\ne:\n  br l(a, a)\nl(x, y):\n  z = sub x, 1\n  cbr z, l(z, y), r()\nr:\n  ret y";
        let function = lab::parse_ssa(text).unwrap();
        let path = PathId::new("cranelift", Some("1"), "none");
        let quality = |yardstick| Structure::of(&path, "cranelift", &function, yardstick).quality();
        assert_eq!(quality(2), None);
        assert_eq!(quality(1).unwrap(), "quality.construct.cranelift.trivial");
        assert_eq!(quality(0).unwrap(), "quality.construct.cranelift.not-pruned");

        let text = "ssa(a)\ne:\n  cbr a, j(5), l()\nl:\n  br j(5)\nj(x):\n  ret x";
        let structure = Structure::of(&path, "cranelift", &lab::parse_ssa(text).unwrap(), 0);
        assert_eq!((structure.params, structure.constants, structure.least), (1, 1, 0));
        assert_eq!(structure.quality().unwrap(), "quality.construct.cranelift.constants");
    }

    #[test]
    fn only_compilers_own_constructions_are_measured() {
        let compiler = |variant| PathId::new("llvm", Some("1"), variant);
        assert!(is_measured(&compiler("mem2reg-O0"), "llvm"));
        assert!(!is_measured(&compiler("phi-O0"), "lab+llvm"));
        assert!(!is_measured(&compiler("perturbed-dead"), "llvm"));
        assert!(!is_measured(&PathId::new("lab", None, "naive"), "lab"));
    }
}
