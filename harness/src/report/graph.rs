//! A control-flow graph as pictures have it: blocks as lines of text, edges with marks.

use crate::lab::{self, Function, PhiFunction};
use crate::tac::{self, Atom, cfg};

/// A graph to draw. The first block is the entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// The blocks: the line that heads it, then its instructions, without indentation.
    pub blocks: Vec<Vec<String>>,
    /// The branches.
    pub edges: Vec<Edge>,
}

/// A branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The block that ends in it.
    pub from: usize,
    /// Where it leads.
    pub to: usize,
    /// `T` and `F` for the two of a conditional branch, the constant or `else` for one of a switch.
    pub mark: String,
}

impl Graph {
    /// The graph of a function.
    pub fn of_function(function: &Function) -> Graph {
        let targets = |block: &lab::BlockData| marked(&block.term, |target| target.block.index());
        Graph::new(blocks(&function.to_string()), function.blocks.iter().map(targets))
    }

    /// The graph of a function in phi form.
    pub fn of_phi(function: &PhiFunction) -> Graph {
        let targets = |block: &lab::PhiBlock| marked(&block.term, |target| target.index());
        Graph::new(blocks(&function.to_string()), function.blocks.iter().map(targets))
    }

    /// The graph of a program in three-address code.
    pub fn of_tac(program: &tac::Program) -> Graph {
        let graph = tac::cfg(program);
        let lines = graph.blocks.iter().enumerate().map(|(index, block)| tac_block(&graph, index, block)).collect();
        let targets = |block: &cfg::Block| match &block.term {
            cfg::Terminator::Br(to) => vec![(*to, String::new())],
            cfg::Terminator::Cbr(_, yes, no) => branches(*yes, *no),
            cfg::Terminator::Switch(_, arms, other) => choices(arms.iter().copied(), *other),
            cfg::Terminator::Ret(_) => Vec::new(),
        };
        Graph::new(lines, graph.blocks.iter().map(targets))
    }

    /// The graph of one of the lab's texts, by its name as paths give it. Compilers' own texts have none, but what was
    /// raised from them has.
    pub fn of_text(name: &str, text: &str) -> Option<Graph> {
        match name {
            "phi" | "phi-naive" => lab::parse_phi(text).ok().map(|function| Graph::of_phi(&function)),
            "tac" => tac::parse(text).ok().map(|program| Graph::of_tac(&program)),
            _ if name.starts_with("ssa") || name.starts_with("tac-") || name.starts_with("raised-") => {
                lab::parse_raised(text).ok().map(|function| Graph::of_function(&function))
            }
            _ => None,
        }
    }

    /// A target that no block bears, in a function that is not valid, has no edge.
    fn new(blocks: Vec<Vec<String>>, targets: impl Iterator<Item = Vec<(usize, String)>>) -> Graph {
        let mut edges = Vec::new();
        for (from, targets) in targets.enumerate() {
            let exist = targets.into_iter().filter(|(to, _)| *to < blocks.len());
            edges.extend(exist.map(|(to, mark)| Edge { from, to, mark }));
        }
        Graph { blocks, edges }
    }
}

/// A terminator's targets with their marks.
fn marked<T>(term: &lab::Terminator<T>, index: impl Fn(&T) -> usize) -> Vec<(usize, String)> {
    match term {
        lab::Terminator::Br(to) => vec![(index(to), String::new())],
        lab::Terminator::Cbr(_, yes, no) => branches(index(yes), index(no)),
        lab::Terminator::Switch(_, arms, other) => {
            choices(arms.iter().map(|(constant, to)| (*constant, index(to))), index(other))
        }
        lab::Terminator::Ret(_) | lab::Terminator::Trap(_) => Vec::new(),
    }
}

fn branches(yes: usize, no: usize) -> Vec<(usize, String)> {
    vec![(yes, "T".into()), (no, "F".into())]
}

fn choices(arms: impl Iterator<Item = (i64, usize)>, other: usize) -> Vec<(usize, String)> {
    arms.map(|(constant, to)| (to, constant.to_string())).chain([(other, "else".into())]).collect()
}

/// The blocks of a listing: a block's header stands at the margin, its lines are indented, and the first line is the
/// function's.
fn blocks(listing: &str) -> Vec<Vec<String>> {
    let mut blocks: Vec<Vec<String>> = Vec::new();
    for line in listing.lines().skip(1) {
        match blocks.last_mut() {
            Some(block) if line.starts_with(' ') => block.push(line.trim_start().into()),
            _ => blocks.push(vec![line.into()]),
        }
    }
    blocks
}

fn tac_block(graph: &tac::Cfg, index: usize, block: &cfg::Block) -> Vec<String> {
    let atom = |atom: &Atom| match atom {
        Atom::Const(value) => value.to_string(),
        Atom::Var(variable) => graph.variables.get(variable.0).to_string(),
    };
    let mut lines = vec![format!("B{index}:")];
    for assign in &block.body {
        let operands: Vec<String> = assign.operands().iter().map(atom).collect();
        lines.push(format!("{} = {} {}", graph.variables.get(assign.dest.0), assign.op, operands.join(", ")));
    }
    lines.push(match &block.term {
        cfg::Terminator::Br(to) => format!("br B{to}"),
        cfg::Terminator::Cbr(condition, yes, no) => format!("cbr {}, B{yes}, B{no}", atom(condition)),
        cfg::Terminator::Switch(value, arms, other) => {
            let arms: String = arms.iter().map(|(constant, to)| format!(", {constant}: B{to}")).collect();
            format!("switch {}{arms}, B{other}", atom(value))
        }
        cfg::Terminator::Ret(value) => format!("ret {}", atom(value)),
    });
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOP: &str = "ssa(n)\nentry:\n  br l(n)\nl(i):\n  j = sub i, 1\n  cbr j, l(j), x()\nx:\n  ret i\n";

    #[test]
    fn every_form_has_its_graph() {
        let edge = |from, to, mark: &str| Edge { from, to, mark: mark.into() };
        let edges = [edge(0, 1, ""), edge(1, 1, "T"), edge(1, 2, "F")];
        let ssa = Graph::of_text("ssa", LOOP).unwrap();
        assert_eq!(ssa.blocks[1], ["l(i):", "j = sub i, 1", "cbr j, l(j), x()"]);
        assert_eq!(ssa.edges, edges);
        assert_eq!(Graph::of_text("raised-optimize", LOOP), Some(ssa));
        let phi = lab::args_to_phi(&lab::parse_ssa(LOOP).unwrap()).to_string();
        let phi = Graph::of_text("phi", &phi).unwrap();
        assert_eq!((phi.blocks[1][1].as_str(), &phi.edges[..]), ("i = phi [n, entry], [j, l]", &edges[..]));
        let tac = Graph::of_text("tac", "input i\nl:\n  i = sub i, 1\n  if i goto l\n  ret i\n").unwrap();
        assert_eq!(
            tac.blocks,
            [vec!["B0:", "br B1"], vec!["B1:", "i = sub i, 1", "cbr i, B1, B2"], vec!["B2:", "ret i"]]
        );
        assert_eq!(tac.edges, edges);
        let switch =
            Graph::of_text("tac", "input i\n  switch i, 1 goto a, 2 goto b, else goto a\na:\n  ret 1\nb:\n  ret 2\n")
                .unwrap();
        assert_eq!(switch.blocks[0][1], "switch i, 1: B1, 2: B2, B1");
        assert_eq!(switch.edges, [edge(0, 1, "1"), edge(0, 2, "2"), edge(0, 1, "else")]);
        assert_eq!(Graph::of_text("clif", LOOP), None);
    }

    #[test]
    fn a_branch_to_nowhere_has_no_edge() {
        assert_eq!(Graph::of_text("ssa", "e:\n  br nowhere()\n").unwrap().edges, []);
    }
}
