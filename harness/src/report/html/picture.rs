//! A control-flow graph as a picture: laid out in layers by `dagre`, written as SVG that takes its colours from the
//! page.

use dagre::graph::{Edge as LaidEdge, Graph as Layout, GraphOptions};
use dagre::{EdgeLabel, LayoutOptions, NodeLabel, Point};
use maud::{Markup, html};

use crate::report::count;
use crate::report::graph::Graph;

/// A graph with more blocks than this is not drawn: nobody could read it, and laying it out takes long.
const MOST_BLOCKS: usize = 120;
/// Lines of a block that are drawn.
const MOST_LINES: usize = 30;
/// Characters of a line that are drawn.
const MOST_COLUMNS: usize = 56;
/// The size of a monospaced character at the font size that the style sheet sets (12px).
const CHARACTER: (f64, f64) = (7.25, 15.0);
/// Between a block's text and its border.
const PADDING: f64 = 7.0;
/// How far a block's instructions are indented.
const INDENT: f64 = 10.0;
/// Around the whole.
const MARGIN: f64 = 4.0;

/// The picture of a graph, or a sentence that there is none.
pub fn picture(name: &str, graph: &Graph) -> Markup {
    if graph.blocks.len() > MOST_BLOCKS {
        return html! { p.note { "Not drawn: " (count(graph.blocks.len(), "block")) ", more than anybody can read." } };
    }
    let boxes: Vec<Vec<String>> = graph.blocks.iter().map(|lines| shown(lines)).collect();
    let laid = lay_out(&boxes, graph);
    let (width, height) = extent(&laid, boxes.len());
    let label = format!(
        "Control-flow graph of {name}: {}, {}",
        count(graph.blocks.len(), "block"),
        count(graph.edges.len(), "edge")
    );
    html! {
        svg.cfg role="img" aria-label=(label) width=(width) height=(height) viewBox={ "0 0 " (width) " " (height) } {
            @for edge in laid.edges() { (draw_edge(&laid, &edge)) }
            @for (index, lines) in boxes.iter().enumerate() { (draw_block(&laid, index, lines)) }
        }
    }
}

/// What is drawn of a block's lines.
fn shown(lines: &[String]) -> Vec<String> {
    let cut = |line: &String| match line.char_indices().nth(MOST_COLUMNS) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.clone(),
    };
    let mut shown: Vec<String> = lines.iter().take(MOST_LINES).map(cut).collect();
    if lines.len() > MOST_LINES {
        shown.push(format!("… {} more", lines.len() - MOST_LINES));
    }
    shown
}

fn lay_out(boxes: &[Vec<String>], graph: &Graph) -> Layout<NodeLabel, EdgeLabel> {
    let mut layout = Layout::with_options(GraphOptions { directed: true, multigraph: true, compound: false });
    for (index, lines) in boxes.iter().enumerate() {
        let columns = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        let node = NodeLabel {
            width: columns as f64 * CHARACTER.0 + INDENT + 2.0 * PADDING,
            height: lines.len() as f64 * CHARACTER.1 + 2.0 * PADDING,
            ..NodeLabel::default()
        };
        layout.set_node(index.to_string(), Some(node));
    }
    for edge in &graph.edges {
        let room = if edge.mark.is_empty() { 0.0 } else { CHARACTER.1 };
        let label = EdgeLabel { width: room, height: room, ..EdgeLabel::default() };
        layout.set_edge(edge.from.to_string(), edge.to.to_string(), Some(label), Some(&edge.mark));
    }
    let options =
        LayoutOptions { nodesep: 24.0, ranksep: 26.0, marginx: MARGIN, marginy: MARGIN, ..LayoutOptions::default() };
    dagre::layout(&mut layout, Some(options));
    layout
}

/// The size of the whole: blocks and bends.
fn extent(laid: &Layout<NodeLabel, EdgeLabel>, blocks: usize) -> (u32, u32) {
    let (mut width, mut height) = (0.0f64, 0.0f64);
    for node in (0..blocks).filter_map(|index| laid.node(&index.to_string())) {
        width = width.max(node.x.unwrap_or(0.0) + node.width / 2.0);
        height = height.max(node.y.unwrap_or(0.0) + node.height / 2.0);
    }
    for point in laid.edges().iter().filter_map(|edge| laid.edge_by_obj(edge)).flat_map(|edge| edge.points.clone()) {
        width = width.max(point.x);
        height = height.max(point.y);
    }
    ((width + CHARACTER.1 + MARGIN).ceil() as u32, (height + MARGIN).ceil() as u32)
}

fn draw_block(laid: &Layout<NodeLabel, EdgeLabel>, index: usize, lines: &[String]) -> Markup {
    let Some(node) = laid.node(&index.to_string()) else { return Markup::default() };
    let left = node.x.unwrap_or(0.0) - node.width / 2.0;
    let top = node.y.unwrap_or(0.0) - node.height / 2.0;
    html! {
        rect.entry[index == 0] x=(rounded(left)) y=(rounded(top)) width=(rounded(node.width)) height=(rounded(node.height)) rx="4" {}
        @for (row, line) in lines.iter().enumerate() {
            text.head[row == 0]
                x=(rounded(left + PADDING + if row == 0 { 0.0 } else { INDENT }))
                y=(rounded(top + PADDING + (row as f64 + 0.78) * CHARACTER.1)) { (line) }
        }
    }
}

fn draw_edge(laid: &Layout<NodeLabel, EdgeLabel>, edge: &LaidEdge) -> Markup {
    let Some(label) = laid.edge_by_obj(edge) else { return Markup::default() };
    let mark = edge.name.as_deref().unwrap_or_default();
    html! {
        path d=(curve(&label.points)) marker-end="url(#arrow)" {}
        @if let (Some(x), Some(y), false) = (label.x, label.y, mark.is_empty()) {
            text.mark x=(rounded(x)) y=(rounded(y + 4.0)) { (mark) }
        }
    }
}

/// A path through an edge's points, round at the bends.
fn curve(points: &[Point]) -> String {
    let place = |x: f64, y: f64| format!("{} {}", rounded(x), rounded(y));
    let [first, bends @ .., last] = points else { return String::new() };
    let mut path = format!("M{}", place(first.x, first.y));
    for (index, bend) in bends.iter().enumerate() {
        let next = bends.get(index + 1).unwrap_or(last);
        let middle = if index + 1 == bends.len() {
            place(last.x, last.y)
        } else {
            place((bend.x + next.x) / 2.0, (bend.y + next.y) / 2.0)
        };
        path.push_str(&format!("Q{} {middle}", place(bend.x, bend.y)));
    }
    if bends.is_empty() {
        path.push_str(&format!("L{}", place(last.x, last.y)));
    }
    path
}

/// A tenth of a pixel is exact enough, and short.
fn rounded(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{Form, Program};
    use crate::generate::{self, Policy};
    use crate::lab;

    fn count_of(svg: &str, what: &str) -> usize {
        svg.matches(what).count()
    }

    #[test]
    fn every_block_and_every_edge_is_drawn() {
        let text = "ssa(n)\nentry:\n  cbr n, a(), a()\na:\n  br l(n)\nl(i):\n  cbr i, l(i), x()\nx:\n  ret \
                    i\nalone:\n  ret 0\n";
        let graph = Graph::of_text("ssa", text).unwrap();
        let svg = picture("a < b", &graph).into_string();
        assert_eq!((count_of(&svg, "<rect"), count_of(&svg, "<path")), (5, 5), "{svg}");
        assert_eq!((count_of(&svg, "\">T<"), count_of(&svg, "\">F<")), (2, 2), "{svg}");
        assert!(svg.contains("Control-flow graph of a &lt; b: 5 blocks, 5 edges"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn long_lines_long_blocks_and_huge_graphs_are_cut() {
        let long = format!("e:\n{}  ret {}\n", "  x = add 1, 2\n".repeat(100), "é".repeat(3).replace('é', "x"));
        let svg = picture("", &Graph::of_text("raised-x", &long).unwrap()).into_string();
        assert_eq!(count_of(&svg, "<text"), MOST_LINES + 1);
        assert!(svg.contains("… 72 more"), "{svg}");
        let wide = Graph { blocks: vec![vec!["é".repeat(100)]], edges: vec![] };
        assert!(picture("", &wide).into_string().contains(&format!(">{}…<", "é".repeat(MOST_COLUMNS))));
        let huge = Graph { blocks: vec![vec![]; MOST_BLOCKS + 1], edges: vec![] };
        assert!(picture("", &huge).into_string().contains("Not drawn"));
    }

    #[test]
    fn any_graph_has_a_picture_and_always_the_same() {
        for index in 0..40 {
            let case = generate::case(7, index, Form::Tac, &Policy::default());
            let Program::Tac(program) = &case.program else { panic!("{case:?}") };
            let function = lab::construct_maximal(&crate::tac::cfg(program));
            let graph = Graph::of_function(&function);
            let svg = picture("x", &graph).into_string();
            if graph.blocks.len() <= MOST_BLOCKS {
                assert_eq!(count_of(&svg, "<rect"), graph.blocks.len());
                assert_eq!(count_of(&svg, "<path"), graph.edges.len());
            }
            assert_eq!(svg, picture("x", &graph).into_string());
        }
    }
}
