//! How good constructed SSA is: its number of block parameters (or phis), path against path. Pure.
//!
//! The **yardstick** is the lab's pruned SSA of the program's graph: liveness leaves a parameter where its variable is
//! live (Choi, Cytron and Ferrante 1991), and trivial parameters go until there are none (Braun et al. 2013). Copies
//! are seen through, because compilers have no copies. Only the parameters of reachable blocks count. What must hold of
//! a path that constructs SSA from the same graph, and why:
//!
//! 1. *No more than the yardstick.* A construction that asks for a value where a variable is read makes parameters only
//!    where the variable is live, and a trivial one says what another value says already. LLVM keeps to this: Cytron et
//!    al. (1991) place phis on the iterated dominance frontier of the assignments alone, where every phi that no
//!    trivial rule removes has two different values arriving. Cranelift's `SSABuilder` does not always: it looks at a
//!    parameter once, when its block is sealed, and not again when an argument of it becomes another's alias
//!    (`trivial`); and two equal constants are two values to it, where the lab and LLVM know one (`constants`, which is
//!    no fault of its own).
//! 2. *No more than the yardstick once trivial parameters are removed from it too.* What is more than 1 allows is
//!    trivial and nothing else; otherwise the construction put a parameter where its variable is not live.
//!
//! 3. *No value defined by itself.* A value that needs itself does so by way of a parameter: it is another value the
//!    next time round. In reachable blocks S2 demands that; in unreachable ones it exempts every use, and no validator
//!    looks. But passes meet these blocks too, and one that follows definitions need not come to an end. In a circle
//!    that nothing enters, the only argument of a parameter may be an instruction that uses the parameter, and a
//!    construction that puts the argument for the parameter makes `v12 = iadd v12, v11` (bytecodealliance/wasmtime
//!    #5022, open when this was written, in `SSABuilder` of Cranelift 0.135.8). The lab keeps such parameters, LLVM
//!    reads `poison`.
//!
//! Fewer is no fault. LLVM's builder folds constants, so `add 1, 2` and `3` are one value; it leaves unreachable
//! predecessors out, whose arguments the yardstick counts; and on irreducible graphs the trivial rule alone does not
//! give the minimum (Braun et al., section 3.2), which dominance frontiers give.

use std::cmp::Ordering;
use std::fmt;

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
    /// Whether a value is defined by itself, without a parameter between.
    pub self_defined: bool,
}

impl Structure {
    /// Measures what a path constructed.
    pub fn of(path: &PathId, group: &str, function: &Function, yardstick: usize) -> Structure {
        let params = params(function);
        let (constants, least) =
            if params > yardstick { (constants(function), least(function.clone())) } else { (0, params) };
        let self_defined = has_self_defined(function);
        Structure { path: path.clone(), group: group.into(), params, constants, least, yardstick, self_defined }
    }

    /// How it compares with the yardstick: greater is worse.
    pub fn compared(&self) -> Ordering {
        self.params.cmp(&self.yardstick)
    }

    /// The relations that it breaks.
    pub fn broken(&self) -> Vec<Relation> {
        let parameters = if self.least > self.yardstick {
            Some(Relation::NotPruned)
        } else if self.params - self.constants > self.yardstick {
            Some(Relation::Trivial)
        } else if self.params > self.yardstick {
            Some(Relation::Constants)
        } else {
            None
        };
        parameters.into_iter().chain(self.self_defined.then_some(Relation::SelfDefined)).collect()
    }

    /// The signature of a broken relation: `quality.construct.GROUP.RELATION`.
    pub fn signature(&self, relation: Relation) -> String {
        format!("{KIND}.construct.{}.{}", self.group, relation.name())
    }
}

impl fmt::Display for Structure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = if self.params == 1 { "parameter" } else { "parameters" };
        write!(f, "{} has {} {noun}, the lab {}", self.path, self.params, self.yardstick)
    }
}

/// The kind of these findings: the first word of their signatures.
pub const KIND: &str = "quality";

/// What can be worse than it need be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// More parameters than the yardstick even when trivial ones are removed: rule 2.
    NotPruned,
    /// More parameters than the yardstick: rule 1.
    Trivial,
    /// The same, but for parameters for which only one constant arrives.
    Constants,
    /// Rule 3.
    SelfDefined,
}

impl Relation {
    /// The name in signatures.
    pub const fn name(self) -> &'static str {
        match self {
            Relation::NotPruned => "not-pruned",
            Relation::Trivial => "trivial",
            Relation::Constants => "constants",
            Relation::SelfDefined => "self-defined",
        }
    }

    /// What is so when it is broken.
    pub const fn description(self) -> &'static str {
        match self {
            Relation::NotPruned => "a parameter stands where its variable is not live",
            Relation::Trivial => "a parameter says what another value says",
            Relation::Constants => "a parameter stands for one constant",
            Relation::SelfDefined => "a value of an unreachable block is defined by itself",
        }
    }
}

/// Whether a path constructs SSA itself, from the program's own graph: a group that rests on the lab is named for it,
/// and a perturbed graph has another structure.
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

/// Whether instructions depend on each other in a circle: what remains when those go, again and again, whose operands
/// are all there already.
fn has_self_defined(function: &Function) -> bool {
    let unreachable = reachable_without(function, None).into_iter().map(|reachable| !reachable);
    let blocks = function.blocks.iter().zip(unreachable).filter(|(_, unreachable)| *unreachable);
    let insts: Vec<_> = blocks.flat_map(|(block, _)| &block.body).collect();
    let mut users = vec![Vec::new(); function.value_names.len()];
    let mut awaited = vec![None; function.value_names.len()];
    insts.iter().for_each(|inst| awaited[inst.dest.index()] = Some(0));
    for inst in &insts {
        for operand in inst.operands() {
            if let Atom::Value(value) = *operand
                && awaited[value.index()].is_some()
            {
                users[value.index()].push(inst.dest);
                awaited[inst.dest.index()] = awaited[inst.dest.index()].map(|count| count + 1);
            }
        }
    }
    let mut ready: Vec<_> = insts.iter().map(|inst| inst.dest).filter(|d| awaited[d.index()] == Some(0)).collect();
    let mut there = 0;
    while let Some(value) = ready.pop() {
        there += 1;
        for user in &users[value.index()] {
            awaited[user.index()] = awaited[user.index()].map(|count: usize| count - 1);
            if awaited[user.index()] == Some(0) {
                ready.push(*user);
            }
        }
    }
    there < insts.len()
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
        let quality = |yardstick| Structure::of(&path, "cranelift", &function, yardstick).broken();
        assert!(quality(2).is_empty());
        assert_eq!(quality(1), [Relation::Trivial]);
        assert_eq!(quality(0), [Relation::NotPruned]);

        let text = "ssa(a)\ne:\n  cbr a, j(5), l()\nl:\n  br j(5)\nj(x):\n  ret x";
        let structure = Structure::of(&path, "cranelift", &lab::parse_ssa(text).unwrap(), 0);
        assert_eq!((structure.params, structure.constants, structure.least), (1, 1, 0));
        assert_eq!(structure.broken(), [Relation::Constants]);
        assert_eq!(structure.signature(Relation::Constants), "quality.construct.cranelift.constants");
    }

    #[test]
    fn a_value_that_needs_itself_without_a_parameter_is_named() {
        let is_self_defined = |unreachable: &str| {
            let text = format!("ssa(a)\ne:\n  ret a\nf(x):\n{unreachable}");
            has_self_defined(&lab::parse_ssa(&text).unwrap())
        };
        assert!(!is_self_defined("  y = add x, 1\n  z = mul y, y\n  br f(z)\n"));
        assert!(is_self_defined("  y = add y, 1\n  br f(y)\n"));
        assert!(is_self_defined("  y = add z, x\n  br g()\ng:\n  z = mul 2, y\n  w = add z, z\n  br f(w)\n"));
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
