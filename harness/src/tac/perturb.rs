//! Perturbations: another control-flow graph of the same meaning (metamorphic testing: Chen, Cheung and Yiu, 1998;
//! for compilers Le, Afshari and Su, "Compiler validation via equivalence modulo inputs", 2014).
//!
//! SSA constructions depend on the order of blocks, on edges and on unreachable code, which a program's outcome does
//! not depend on. So each perturbed graph is one more witness, at the price of a run. Every perturbation here is a
//! function of the graph alone and does its change wherever it can: nothing is drawn at random, so a minimizer that
//! removes a line elsewhere does not change what is done here.

use std::fmt;

use super::cfg::{Block, BlockIndex, Cfg, Terminator};
use super::program::{Assign, Atom, Var};
use crate::op::Op;
use crate::plant::{self, Fault};

/// A change that keeps the meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Perturbation {
    /// A block joins its only predecessor if that has no other successor.
    Merge,
    /// An empty block on every edge of each conditional jump and `switch`: no edge is critical and none is double.
    Split,
    /// Each variable twice, of which the second is a copy: twice the phis, and copies across every edge.
    Copies,
    /// Conditions made 0 or 1 first: `ne c, 0`, or `not c` with the targets exchanged.
    Conditions,
    /// A `switch` as a chain of comparisons, and every second conditional jump as a `switch` with an arm for 0.
    Switches,
    /// Operands exchanged where they commute, and comparisons turned around.
    Operands,
    /// An unreachable cycle that writes the variables and has an edge to every block but the entry.
    Dead,
    /// The blocks behind the entry in reverse order.
    Order,
}

impl Perturbation {
    /// Every perturbation, in an order in which none undoes another.
    pub const ALL: &'static [Perturbation] = {
        use Perturbation::*;
        &[Merge, Switches, Split, Copies, Conditions, Operands, Dead, Order]
    };

    /// Its name in those of paths.
    pub const fn name(self) -> &'static str {
        match self {
            Perturbation::Merge => "merge",
            Perturbation::Split => "split",
            Perturbation::Copies => "copies",
            Perturbation::Conditions => "conditions",
            Perturbation::Switches => "switches",
            Perturbation::Operands => "operands",
            Perturbation::Dead => "dead",
            Perturbation::Order => "order",
        }
    }

    /// Does it.
    fn apply(self, cfg: &mut Cfg) {
        match self {
            Perturbation::Merge => merge(cfg),
            Perturbation::Split => split(cfg),
            Perturbation::Copies => copies(cfg),
            Perturbation::Conditions => conditions(cfg),
            Perturbation::Switches => switches(cfg),
            Perturbation::Operands => cfg.blocks.iter_mut().flat_map(|block| &mut block.body).for_each(operands),
            Perturbation::Dead => dead(cfg),
            Perturbation::Order => order(cfg),
        }
    }
}

impl fmt::Display for Perturbation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The graph with these perturbations, one after the other.
pub fn perturb(mut cfg: Cfg, perturbations: &[Perturbation]) -> Cfg {
    perturbations.iter().for_each(|perturbation| perturbation.apply(&mut cfg));
    cfg
}

/// The perturbations' names, as an observation's text says them.
pub fn list(perturbations: &[Perturbation]) -> String {
    let names: Vec<&str> = perturbations.iter().map(|perturbation| perturbation.name()).collect();
    names.join(", ")
}

/// Leaves only these blocks, in this order; the entry comes first. No branch may lead to another block.
fn list_anew(cfg: &mut Cfg, order: &[BlockIndex]) {
    let mut new = vec![0; cfg.blocks.len()];
    order.iter().enumerate().for_each(|(index, &old)| new[old] = index);
    let mut old: Vec<Option<Block>> = std::mem::take(&mut cfg.blocks).into_iter().map(Some).collect();
    cfg.blocks = order.iter().filter_map(|&block| old[block].take()).collect();
    cfg.blocks.iter_mut().flat_map(|block| block.term.targets_mut()).for_each(|target| *target = new[*target]);
}

fn order(cfg: &mut Cfg) {
    let order: Vec<BlockIndex> = [0].into_iter().chain((1..cfg.blocks.len()).rev()).collect();
    list_anew(cfg, &order);
}

fn merge(cfg: &mut Cfg) {
    let mut edges = vec![0; cfg.blocks.len()];
    cfg.blocks.iter().flat_map(|block| block.term.targets()).for_each(|target| edges[target] += 1);
    let mut joins = vec![false; cfg.blocks.len()];
    for block in &cfg.blocks {
        if let Terminator::Br(target) = block.term {
            joins[target] = edges[target] == 1;
        }
    }
    let mut gone = vec![false; cfg.blocks.len()];
    for head in (0..cfg.blocks.len()).filter(|&block| !joins[block]) {
        while let Terminator::Br(next) = cfg.blocks[head].term
            && joins[next]
        {
            let body = std::mem::take(&mut cfg.blocks[next].body);
            cfg.blocks[head].body.extend(body);
            cfg.blocks[head].term = cfg.blocks[next].term.clone();
            gone[next] = true;
        }
    }
    // In a cycle without an entrance each block waits for the one before, and all stay.
    let stay: Vec<BlockIndex> = (0..cfg.blocks.len()).filter(|&block| !gone[block]).collect();
    list_anew(cfg, &stay);
}

fn split(cfg: &mut Cfg) {
    let mut next = cfg.blocks.len();
    let mut edges = Vec::new();
    for block in &mut cfg.blocks {
        if !matches!(block.term, Terminator::Br(_)) {
            for target in block.term.targets_mut() {
                edges.push(Block { body: Vec::new(), term: Terminator::Br(*target) });
                *target = next;
                next += 1;
            }
        }
    }
    cfg.blocks.extend(edges);
}

fn copies(cfg: &mut Cfg) {
    let count = cfg.variables.len() as u32;
    for variable in 0..count {
        let name = format!("{}'", cfg.variables.get(variable));
        cfg.variables.push(name);
    }
    let second = |var: Var| Var(var.0 + count);
    for (index, block) in cfg.blocks.iter_mut().enumerate() {
        // The first names in one block, the second in the next.
        let read = |atom: &mut Atom| match atom {
            Atom::Var(var) if index % 2 == 1 => *var = second(*var),
            _ => {}
        };
        let inputs = if index == 0 { cfg.inputs as u32 } else { 0 };
        let mut body: Vec<Assign> =
            (0..inputs).map(|input| Assign::new(second(Var(input)), Op::Copy, &[Atom::Var(Var(input))])).collect();
        for mut assign in std::mem::take(&mut block.body) {
            assign.args.iter_mut().for_each(read);
            let dest = assign.dest;
            assign.dest = second(dest);
            if plant::on(Fault::TacPerturbDropsEmit) && index % 2 == 1 && assign.op == Op::Emit {
                assign.op = Op::Copy;
            }
            body.extend([assign, Assign::new(dest, Op::Copy, &[Atom::Var(second(dest))])]);
        }
        block.body = body;
        block.term.atom_mut().map(read);
    }
}

fn conditions(cfg: &mut Cfg) {
    if !cfg.blocks.iter().any(|block| matches!(block.term, Terminator::Cbr(..))) {
        return;
    }
    let truth = Var(cfg.variables.push("truth'"));
    for (index, block) in cfg.blocks.iter_mut().enumerate() {
        if let Terminator::Cbr(condition, yes, no) = block.term {
            let (test, yes, no) = if index % 2 == 0 {
                (Assign::new(truth, Op::Ne, &[condition, Atom::Const(0)]), yes, no)
            } else {
                (Assign::new(truth, Op::Not, &[condition]), no, yes)
            };
            block.body.push(test);
            block.term = Terminator::Cbr(Atom::Var(truth), yes, no);
        }
    }
}

fn switches(cfg: &mut Cfg) {
    let mut case = None;
    for block in 0..cfg.blocks.len() {
        match &mut cfg.blocks[block].term {
            Terminator::Cbr(condition, yes, no) if block % 2 == 1 => {
                cfg.blocks[block].term = Terminator::Switch(*condition, vec![(0, *no)], *yes);
            }
            Terminator::Switch(value, arms, default) => {
                let (value, arms, default) = (*value, std::mem::take(arms), *default);
                let case = *case.get_or_insert_with(|| Var(cfg.variables.push("case'")));
                // The comparison with the first arm ends the block, each other one a block of its own.
                let mut at = block;
                for (index, &(constant, target)) in arms.iter().enumerate() {
                    let next = if index + 1 < arms.len() { cfg.blocks.len() } else { default };
                    cfg.blocks[at].body.push(Assign::new(case, Op::Eq, &[value, Atom::Const(constant)]));
                    cfg.blocks[at].term = Terminator::Cbr(Atom::Var(case), target, next);
                    if next == cfg.blocks.len() {
                        cfg.blocks.push(Block { body: Vec::new(), term: Terminator::Br(default) });
                        at = next;
                    }
                }
                if arms.is_empty() {
                    cfg.blocks[block].term = Terminator::Br(default);
                }
            }
            _ => {}
        }
    }
}

fn operands(assign: &mut Assign) {
    let turned = match assign.op {
        Op::Lt => Op::Gt,
        Op::Gt => Op::Lt,
        Op::Le => Op::Ge,
        Op::Ge => Op::Le,
        op if op.commutes() => op,
        _ => return,
    };
    assign.op = turned;
    assign.args.swap(0, 1);
}

fn dead(cfg: &mut Cfg) {
    let (first, variables) = (cfg.blocks.len(), cfg.variables.len());
    // A graph of the entry alone gets a loop of one block.
    let count = (first - 1).max(1);
    for index in 0..count {
        let next = first + (index + 1) % count;
        let leave = if first > 1 { 1 + index } else { next };
        let var = |k: usize| Var((k % variables.max(1)) as u32);
        let body = if variables == 0 {
            Vec::new()
        } else {
            vec![Assign::new(var(index), Op::Add, &[Atom::Var(var(index + 1)), Atom::Const(1)])]
        };
        let condition = if variables == 0 { Atom::Const(0) } else { Atom::Var(var(index)) };
        cfg.blocks.push(Block { body, term: Terminator::Cbr(condition, leave, next) });
    }
}

#[cfg(test)]
mod tests {
    use arbitrary::Arbitrary;

    use super::*;
    use crate::op::{Effects, End, Outcome};
    use crate::{lab, tac};

    /// A graph's outcome, straight from the definition of its blocks.
    fn run(cfg: &Cfg, inputs: &[i64], mut fuel: u64) -> Outcome {
        let mut variables = vec![0; cfg.variables.len()];
        variables[..inputs.len()].copy_from_slice(inputs);
        let mut effects = Effects::default();
        let mut block = &cfg.blocks[0];
        let end = 'run: loop {
            let value = |atom: Atom, variables: &[i64]| match atom {
                Atom::Const(value) => value,
                Atom::Var(var) => variables[var.index()],
            };
            for assign in &block.body {
                match effects.perform(assign.op, assign.args.map(|atom| value(atom, &variables))) {
                    Ok(result) => variables[assign.dest.index()] = result,
                    Err(end) => break 'run end,
                }
            }
            if fuel == 0 {
                break End::OutOfFuel;
            }
            fuel -= 1;
            block = match block.term {
                Terminator::Br(target) => &cfg.blocks[target],
                Terminator::Cbr(condition, yes, no) => {
                    &cfg.blocks[if value(condition, &variables) != 0 { yes } else { no }]
                }
                Terminator::Switch(atom, ref arms, default) => {
                    let arm = arms.iter().find(|(constant, _)| *constant == value(atom, &variables));
                    &cfg.blocks[arm.map_or(default, |(_, target)| *target)]
                }
                Terminator::Ret(atom) => break End::Return(value(atom, &variables)),
            };
        };
        Outcome { end, emitted: effects.emitted }
    }

    const FUEL: u64 = 500;

    /// Checks the graphs of a program that has the outcome under each perturbation and under all.
    fn keeps_meaning(program: &tac::Program, inputs: &[i64]) {
        let right = tac::eval(program, inputs, FUEL).outcome;
        if right.end == End::OutOfFuel {
            return;
        }
        let cfg = tac::cfg(program);
        assert_eq!(run(&cfg, inputs, 2 * FUEL), right, "{program}");
        for perturbations in Perturbation::ALL.chunks(1).chain([Perturbation::ALL]) {
            let perturbed = perturb(cfg.clone(), perturbations);
            // A jump to the next line that costs TAC nothing is a block here, and `split` doubles the blocks.
            assert_eq!(run(&perturbed, inputs, 4 * FUEL), right, "{perturbations:?} of\n{program}");
            let mut function = lab::construct_maximal(&perturbed);
            assert_eq!(lab::validate(&function), [], "{perturbations:?} of\n{program}");
            assert_eq!(lab::run(&function, inputs, 50 * FUEL).outcome, right, "{perturbations:?} of\n{program}");
            lab::prune_dead(&mut function);
            lab::prune_trivial(&mut function);
            assert_eq!(lab::validate(&function), [], "{perturbations:?} of\n{program}");
            assert_eq!(lab::run(&function, inputs, 50 * FUEL).outcome, right, "{perturbations:?} of\n{program}");
        }
    }

    #[test]
    fn perturbations_keep_the_meaning() {
        arbtest::arbtest(|u| {
            let program = tac::Program::arbitrary(u)?;
            let inputs: Vec<i64> = (0..program.inputs).map(|_| u.arbitrary()).collect::<Result<_, _>>()?;
            keeps_meaning(&program, &inputs);
            keeps_meaning(&program, &vec![1; program.inputs]);
            Ok(())
        });
    }

    #[test]
    fn perturbations_keep_emits_and_arrays() {
        use crate::case::{Form, Program};
        use crate::generate::{Feature, Policy, case};
        let always = [Feature::Emits, Feature::Arrays].into_iter().collect();
        let policy = Policy { dialect: crate::dialect::Dialect::Plus, always, ..Policy::default() };
        for index in 0..60 {
            let case = case(3, index, Form::Tac, &policy);
            let Program::Tac(program) = case.program else { panic!("another form") };
            case.vectors.iter().for_each(|vector| keeps_meaning(&program, vector));
        }
    }

    #[test]
    fn each_perturbation_changes_most_programs() {
        for &perturbation in Perturbation::ALL {
            let mut changed = 0;
            for index in 0..100 {
                let case = crate::generate::case(1, index, crate::case::Form::Tac, &crate::generate::Policy::default());
                let crate::case::Program::Tac(program) = case.program else { panic!("another form") };
                let cfg = tac::cfg(&program);
                changed += u32::from(perturb(cfg.clone(), &[perturbation]) != cfg);
            }
            assert!(changed >= 10, "{perturbation}: {changed} of 100");
        }
    }

    fn graph(text: &str) -> Cfg {
        tac::cfg(&tac::parse(text).unwrap())
    }

    /// The blocks' targets.
    fn shape(cfg: &Cfg) -> Vec<Vec<BlockIndex>> {
        cfg.blocks.iter().map(|block| block.term.targets().collect()).collect()
    }

    const LOOP: &str = "input a\nx = copy a\nL:\nifz a goto E\na = sub a, 1\ngoto L\nE:\nret x";

    #[test]
    fn shapes_change_as_they_should() {
        let cfg = graph(LOOP);
        assert_eq!(shape(&cfg), [vec![1], vec![2, 3], vec![1], vec![]]);
        let perturbed = |perturbation| shape(&perturb(cfg.clone(), &[perturbation]));
        assert_eq!(perturbed(Perturbation::Order), [vec![3], vec![], vec![3], vec![2, 1]]);
        assert_eq!(perturbed(Perturbation::Split), [vec![1], vec![4, 5], vec![1], vec![], vec![2], vec![3]]);
        let dead = perturbed(Perturbation::Dead);
        assert_eq!(dead[..4], shape(&cfg));
        assert_eq!(dead[4..], [vec![1, 5], vec![2, 6], vec![3, 4]]);
        assert_eq!(perturbed(Perturbation::Merge), shape(&cfg));
        // An odd block's `cbr` is a switch, and a switch a chain of comparisons.
        let switched = perturb(cfg.clone(), &[Perturbation::Switches]);
        assert_eq!(switched.blocks[1].term, Terminator::Switch(Atom::Var(Var(0)), vec![(0, 3)], 2));
        let text = "input a\nswitch a, 1 goto A, 2 goto B, 3 goto A, else goto B\nA:\nret 1\nB:\nswitch a, else goto A";
        let chained = perturb(graph(text), &[Perturbation::Switches]);
        assert_eq!(shape(&chained), [vec![1, 3], vec![], vec![1], vec![2, 4], vec![1, 2]]);
        assert_eq!(shape(&perturb(graph(text), &[Perturbation::Split]))[0], [3, 4, 5, 6]);
        let chain = graph("goto A\nA:\nx = add x, 1\ngoto B\nB:\nret x");
        assert_eq!(perturb(chain, &[Perturbation::Merge]).blocks.len(), 1);
        // A cycle that nothing enters stays.
        let cycle = graph("ret 0\nA:\ngoto B\nB:\ngoto A");
        assert_eq!(shape(&perturb(cycle.clone(), &[Perturbation::Merge])), shape(&cycle));
        assert_eq!(shape(&perturb(graph("ret 0"), &[Perturbation::Dead])), [vec![], vec![1, 1]]);
    }

    #[test]
    fn all_together_still_have_each_change() {
        let cfg = perturb(graph(LOOP), Perturbation::ALL);
        let names: Vec<String> = cfg.variables.texts().collect();
        assert_eq!(names, ["a", "x", "a'", "x'"]);
        assert_eq!(cfg.blocks.len(), 4 + 2 + 5);
        assert!(
            cfg.blocks[1..6].iter().all(|block| matches!(block.term, Terminator::Cbr(..))),
            "the dead cycle is first"
        );
    }
}
