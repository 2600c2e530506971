//! Dominators by Lengauer and Tarjan's algorithm with path compression: O(e log n) on any graph, and no recursion.
//!
//! Source: T. Lengauer, R. E. Tarjan, "A Fast Algorithm for Finding Dominators in a Flowgraph", TOPLAS 1(1), 1979 (the
//! simple variant of LINK and EVAL). The iterative algorithms are shorter, but quadratic on ladders and nested
//! irreducible loops, which a generator makes sooner or later.
//!
//! The dominator tree is kept as an interval of preorder numbers for each block, so that a query is two comparisons.

use crate::lab::{Block, Function, PhiFunction};

/// A control-flow graph: blocks numbered from 0, which is the entry.
pub trait Graph {
    /// How many blocks there are.
    fn block_count(&self) -> usize;
    /// The targets of a block's branches, all of them blocks of the graph.
    fn successors(&self, block: Block) -> impl Iterator<Item = Block>;
}

impl Graph for Function {
    fn block_count(&self) -> usize {
        self.blocks.len()
    }

    fn successors(&self, block: Block) -> impl Iterator<Item = Block> {
        self.blocks[block.index()].term.targets().map(|target| target.block)
    }
}

impl Graph for PhiFunction {
    fn block_count(&self) -> usize {
        self.blocks.len()
    }

    fn successors(&self, block: Block) -> impl Iterator<Item = Block> {
        self.blocks[block.index()].term.targets().copied()
    }
}

/// A graph's dominator tree.
#[derive(Clone, Debug)]
pub struct Dominators {
    nodes: Vec<Node>,
}

/// A block's place in the dominator tree.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// Its number in a preorder of the tree; `NONE` if it is unreachable.
    first: u32,
    /// The greatest number in its subtree; 0 if it is unreachable.
    last: u32,
    /// Its immediate dominator; `NONE` for the entry and if it is unreachable.
    idom: u32,
}

const NONE: u32 = u32::MAX;

impl Dominators {
    /// The dominators of a graph's reachable blocks.
    pub fn of(graph: &impl Graph) -> Dominators {
        let count = graph.block_count();
        let mut nodes = vec![Node { first: NONE, last: 0, idom: NONE }; count];
        if count == 0 {
            return Dominators { nodes };
        }
        let search = Search::of(graph);
        let idoms = immediate_dominators(&search);

        // The tree's preorder without a traversal: a vertex's immediate dominator has a smaller number than the vertex.
        // First the sizes of the subtrees, from the leaves up; then each vertex takes the next interval in its
        // parent's.
        let reachable = search.vertices.len();
        let mut sizes = vec![1u32; reachable];
        for vertex in (1..reachable).rev() {
            sizes[idoms[vertex] as usize] += sizes[vertex];
        }
        let mut next = vec![0u32; reachable];
        next[0] = 1;
        nodes[0] = Node { first: 0, last: sizes[0] - 1, idom: NONE };
        for vertex in 1..reachable {
            let parent = idoms[vertex] as usize;
            let first = next[parent];
            next[parent] += sizes[vertex];
            next[vertex] = first + 1;
            let idom = search.vertices[parent].block;
            nodes[search.vertices[vertex].block as usize] = Node { first, last: first + sizes[vertex] - 1, idom };
        }
        Dominators { nodes }
    }

    /// Whether a path leads from the entry to this block.
    #[inline]
    pub fn reachable(&self, block: Block) -> bool {
        self.nodes[block.index()].first != NONE
    }

    /// Whether every path from the entry to `b` passes through `a`. Every block dominates itself. Of an unreachable
    /// block it is false either way round.
    #[inline]
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        let (a, b) = (&self.nodes[a.index()], &self.nodes[b.index()]);
        a.first <= b.first && b.first <= a.last
    }

    /// Whether `a` dominates `b` and is another block.
    #[inline]
    pub fn strictly_dominates(&self, a: Block, b: Block) -> bool {
        a != b && self.dominates(a, b)
    }

    /// The immediate dominator: none of the entry and of unreachable blocks.
    pub fn immediate(&self, block: Block) -> Option<Block> {
        let idom = self.nodes[block.index()].idom;
        (idom != NONE).then_some(Block(idom))
    }
}

/// Which blocks a path from the entry reaches that does not pass through `removed`. This is dominance by definition:
/// `a` dominates a reachable `b` if and only if `b` is not reached without `a`. Linear for one block, so quadratic for
/// all.
pub fn reachable_without(graph: &impl Graph, removed: Option<Block>) -> Vec<bool> {
    let mut reached = vec![false; graph.block_count()];
    let mut stack = if graph.block_count() == 0 { Vec::new() } else { vec![Block(0)] };
    while let Some(block) = stack.pop() {
        if Some(block) != removed && !std::mem::replace(&mut reached[block.index()], true) {
            stack.extend(graph.successors(block));
        }
    }
    reached
}

/// A depth-first search from the entry: the reachable blocks as *vertices*, numbered in preorder.
struct Search {
    vertices: Vec<Vertex>,
    /// The predecessors' vertices of all vertices, one after the other.
    predecessors: Vec<u32>,
}

struct Vertex {
    block: u32,
    /// The vertex from which the search came here; of the entry the entry itself.
    parent: u32,
    /// Where its predecessors end in [`Search::predecessors`]; they begin where those of the vertex before end.
    predecessors_end: u32,
}

impl Search {
    fn of(graph: &impl Graph) -> Search {
        let count = graph.block_count();
        let mut number = vec![NONE; count];
        let mut vertices = Vec::with_capacity(count);
        let mut edges = Vec::with_capacity(2 * count);
        let mut in_degree = vec![0u32; count];
        let mut stack = vec![(0, Block(0))];
        while let Some((parent, block)) = stack.pop() {
            if number[block.index()] != NONE {
                continue;
            }
            let vertex = vertices.len() as u32;
            number[block.index()] = vertex;
            vertices.push(Vertex { block: block.0, parent, predecessors_end: 0 });
            for successor in graph.successors(block) {
                edges.push((vertex, successor));
                in_degree[successor.index()] += 1;
                stack.push((vertex, successor));
            }
        }
        // Each vertex's predecessors fill its slots from the back, so `start` ends where they begin.
        let mut end = 0;
        let mut start = Vec::with_capacity(vertices.len());
        for vertex in &mut vertices {
            end += in_degree[vertex.block as usize];
            vertex.predecessors_end = end;
            start.push(end);
        }
        let mut predecessors = vec![0; edges.len()];
        for (from, to) in edges {
            let slot = &mut start[number[to.index()] as usize];
            *slot -= 1;
            predecessors[*slot as usize] = from;
        }
        Search { vertices, predecessors }
    }

    fn predecessors(&self, vertex: usize) -> &[u32] {
        let start = if vertex == 0 { 0 } else { self.vertices[vertex - 1].predecessors_end };
        &self.predecessors[start as usize..self.vertices[vertex].predecessors_end as usize]
    }
}

/// A vertex of the paper's forest. Every field is a vertex, or `NONE`.
#[derive(Clone, Copy)]
struct Link {
    semi: u32,
    idom: u32,
    /// The forest's parent, later, by path compression, a further ancestor; `NONE` at a root.
    ancestor: u32,
    /// The vertex with the least semidominator on the compressed path.
    label: u32,
    /// The first vertex of its bucket, those of which it is the semidominator.
    bucket: u32,
    /// The next vertex in the bucket that it is in itself.
    next: u32,
}

/// The immediate dominators by vertex.
fn immediate_dominators(search: &Search) -> Vec<u32> {
    let link = |v| Link { semi: v, idom: 0, ancestor: NONE, label: v, bucket: NONE, next: NONE };
    let mut links: Vec<Link> = (0..search.vertices.len() as u32).map(link).collect();
    let mut path = Vec::new();
    for w in (1..links.len()).rev() {
        for &v in search.predecessors(w) {
            let u = eval(&mut links, &mut path, v);
            links[w].semi = links[w].semi.min(links[u as usize].semi);
        }
        let semi = links[w].semi as usize;
        links[w].next = links[semi].bucket;
        links[semi].bucket = w as u32;

        let parent = search.vertices[w].parent;
        links[w].ancestor = parent;
        let mut v = std::mem::replace(&mut links[parent as usize].bucket, NONE);
        while v != NONE {
            let u = eval(&mut links, &mut path, v);
            let link = links[v as usize];
            links[v as usize].idom = if links[u as usize].semi < link.semi { u } else { parent };
            v = link.next;
        }
    }
    for w in 1..links.len() {
        if links[w].idom != links[w].semi {
            links[w].idom = links[links[w].idom as usize].idom;
        }
    }
    links.iter().map(|link| link.idom).collect()
}

/// EVAL: of the vertices from `v` up to its tree's root, the root left out, one with the least semidominator; a root
/// itself. Compresses the path on the way.
fn eval(links: &mut [Link], path: &mut Vec<u32>, v: u32) -> u32 {
    let mut at = v;
    while links[at as usize].ancestor != NONE {
        path.push(at);
        at = links[at as usize].ancestor;
    }
    // `at` is the root, and the last of the path its child, which has nothing to compress.
    path.pop();
    while let Some(u) = path.pop() {
        let Link { ancestor, label, .. } = links[u as usize];
        let above = links[ancestor as usize];
        if links[above.label as usize].semi < links[label as usize].semi {
            links[u as usize].label = above.label;
        }
        links[u as usize].ancestor = above.ancestor;
    }
    links[v as usize].label
}

#[cfg(test)]
mod tests {
    use arbtest::arbtest;

    use super::*;

    /// A graph as lists of successors.
    struct Lists(Vec<Vec<Block>>);

    impl Graph for Lists {
        fn block_count(&self) -> usize {
            self.0.len()
        }

        fn successors(&self, block: Block) -> impl Iterator<Item = Block> {
            self.0[block.index()].iter().copied()
        }
    }

    /// Every answer against the definition.
    fn check(graph: &Lists) {
        let dominators = Dominators::of(graph);
        let reachable = reachable_without(graph, None);
        let blocks = || (0..graph.block_count() as u32).map(Block);
        let mut strict = vec![Vec::new(); graph.block_count()];
        for a in blocks() {
            assert_eq!(dominators.reachable(a), reachable[a.index()]);
            let without = reachable_without(graph, Some(a));
            for b in blocks() {
                let expected = reachable[b.index()] && reachable[a.index()] && !without[b.index()];
                assert_eq!(dominators.dominates(a, b), expected, "{a:?} {b:?} {:?}", graph.0);
                assert_eq!(dominators.strictly_dominates(a, b), expected && a != b, "{a:?} {b:?} {:?}", graph.0);
                if expected && a != b {
                    strict[b.index()].push(a);
                }
            }
        }
        // The immediate dominator is the strict dominator that all the others dominate.
        for b in blocks() {
            let closest = strict[b.index()].iter().find(|&&a| {
                let mut others = strict[b.index()].iter();
                others.all(|&other| dominators.dominates(other, a))
            });
            assert_eq!(dominators.immediate(b), closest.copied(), "{b:?} {:?}", graph.0);
        }
    }

    #[test]
    fn dominance_is_as_defined_on_random_graphs() {
        arbtest(|u| {
            let count = u.int_in_range(1..=20u32)?;
            let block = |u: &mut arbitrary::Unstructured| u.int_in_range(0..=count - 1).map(Block);
            let lists = (0..count)
                .map(|_| (0..u.int_in_range(0..=4)?).map(|_| block(u)).collect())
                .collect::<arbitrary::Result<_>>()?;
            check(&Lists(lists));
            Ok(())
        });
    }

    /// The families on which iterative algorithms need many rounds, small enough for the definition.
    #[test]
    fn dominance_is_as_defined_on_ladders_and_backward_chains() {
        let n = 40;
        let ladder = (0..n).map(|i| vec![Block((i + 2).min(n - 1)), Block(if i % 2 == 0 { i + 1 } else { i - 1 })]);
        check(&Lists(ladder.collect()));
        let backward = (0..n).map(|i| match i {
            0 => vec![Block(1), Block(n - 1)],
            _ => vec![Block(i.saturating_sub(1).max(1)), Block((i + 1).min(n - 1))],
        });
        check(&Lists(backward.collect()));
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let n = 200_000;
        let chain = Lists((0..n).map(|i| if i + 1 < n { vec![Block(i + 1)] } else { vec![] }).collect());
        let dominators = Dominators::of(&chain);
        assert!(dominators.strictly_dominates(Block(0), Block(n - 1)));
        assert_eq!(dominators.immediate(Block(n - 1)), Some(Block(n - 2)));
    }
}
