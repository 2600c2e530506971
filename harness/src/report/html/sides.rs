//! The paths' IR side by side, with the lines marked that differ.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use maud::{Markup, html};
use similar::{DiffOp, TextDiff};

use crate::record::read::StoredText;
use crate::report::count;

/// Pairs that are shown; every text is there by itself too.
const MOST_PAIRS: usize = 6;
/// Equal lines that are shown before and after differing ones.
const CONTEXT: usize = 6;
/// Bytes of a text that are shown.
const LONGEST: usize = 16 << 10;
/// Bytes of texts that the pairs of a finding may have in all, and the texts by themselves.
const ROOM: (usize, usize) = (48 << 10, 96 << 10);

/// A text of a path that is wrong beside one that it is best compared with.
pub struct Pair<'a> {
    /// The text of a path that is right, or of an earlier stage.
    pub left: &'a StoredText,
    /// The text of the path that is wrong.
    pub right: &'a StoredText,
}

/// The pairs worth looking at: each text of a wrong path with the most similar text of a right path, of the same name
/// or else in the same language, or with an earlier text of its own path.
pub fn pairs<'a>(texts: &'a [StoredText], wrong: &BTreeSet<String>) -> Vec<Pair<'a>> {
    let mut pairs: Vec<Pair> = Vec::new();
    for (at, right) in texts.iter().enumerate().filter(|(_, text)| wrong.contains(&text.path)) {
        let peers = texts.iter().filter(|text| language(text) == language(right) && !wrong.contains(&text.path));
        let rank = |text: &StoredText| (text.name == right.name, similarity(text, right));
        let closest = peers.max_by(|a, b| rank(a).partial_cmp(&rank(b)).unwrap_or(Ordering::Equal));
        let own = || texts[..at].iter().rev().find(|text| text.path == right.path && language(text) == language(right));
        if let Some(left) = closest.or_else(own)
            && is_code(right)
            && left.text != right.text
            && !pairs.iter().any(|pair| pair.left.text == left.text && pair.right.text == right.text)
        {
            pairs.push(Pair { left, right });
        }
    }
    pairs.truncate(fitting(ROOM.0, pairs.iter().map(|pair| shown(pair.left).len() + shown(pair.right).len())));
    pairs.truncate(MOST_PAIRS);
    pairs
}

/// How many of these sizes fit into a room; one always does.
fn fitting(room: usize, sizes: impl Iterator<Item = usize>) -> usize {
    let sums = sizes.scan(0, |sum, size| {
        *sum += size;
        Some(*sum)
    });
    sums.take_while(|sum| *sum <= room).count().max(1)
}

/// All texts of a finding, each by itself.
pub fn every(texts: &[StoredText]) -> Markup {
    let fitting = fitting(ROOM.1, texts.iter().map(|text| shown(text).len())).min(texts.len());
    html! {
        details.text {
            summary { "Every text by itself (" (texts.len()) ")" }
            @for text in &texts[..fitting] { (alone(text)) }
            @if fitting < texts.len() { p.note { "… and " (texts.len() - fitting) " more in the folder's " code { "ir" } "." } }
        }
    }
}

/// The language that a text is in, by its name: `clif` for `clif-opt`, and `ssa` for all the lab's SSA.
fn language(text: &StoredText) -> &str {
    match text.name.split_once('-').map_or(text.name.as_str(), |(first, _)| first) {
        "raised" => "ssa",
        "tac" if text.name != "tac" => "ssa",
        first => first,
    }
}

/// A list of perturbations is a note on a path, not its code.
fn is_code(text: &StoredText) -> bool {
    text.name != "perturbations"
}

fn similarity(a: &StoredText, b: &StoredText) -> f32 {
    TextDiff::from_lines(shown(a), shown(b)).ratio()
}

/// What is shown of a text, and compared.
fn shown(text: &StoredText) -> &str {
    &text.text[..text.text.floor_char_boundary(LONGEST)]
}

/// A row: a line's number and text on each side, and whether the sides differ. A row without any line stands for equal
/// ones that are left out.
type Row<'a> = (Option<(usize, &'a str)>, Option<(usize, &'a str)>, bool);

fn rows<'a>(left: &'a str, right: &'a str) -> Vec<Row<'a>> {
    let (old, new): (Vec<&str>, Vec<&str>) = (left.lines().collect(), right.lines().collect());
    let diff = TextDiff::from_slices(&old, &new);
    let mut rows = Vec::new();
    let mut told = 0;
    for op in diff.grouped_ops(CONTEXT).iter().flatten() {
        let differs = !matches!(op, DiffOp::Equal { .. });
        let (olds, news) = (op.old_range(), op.new_range());
        if olds.start > told {
            rows.push((None, None, false));
        }
        told = olds.end;
        for row in 0..olds.len().max(news.len()) {
            let line = |range: &std::ops::Range<usize>, lines: &[&'a str]| {
                Some(range.start + row).filter(|at| range.contains(at)).map(|at| (at + 1, lines[at]))
            };
            rows.push((line(&olds, &old), line(&news, &new), differs));
        }
    }
    if told < old.len() {
        rows.push((None, None, false));
    }
    rows
}

/// A pair as a table, folded unless it is to be open.
pub fn side_by_side(pair: &Pair, is_open: bool) -> Markup {
    let rows = rows(shown(pair.left), shown(pair.right));
    let differing = rows.iter().filter(|row| row.2).count();
    let label = format!("{} {} beside {} {}", pair.left.path, pair.left.name, pair.right.path, pair.right.name);
    html! {
        details.sides open[is_open] {
            summary { (title(pair.left)) " beside " strong { (title(pair.right)) } " — " (count(differing, "line")) " differ" }
            div.scroll tabindex="0" role="region" aria-label=(label) {
                table.diff {
                    colgroup { col.number; col; col.number; col; }
                    thead { tr {
                        th colspan="2" scope="col" { (title(pair.left)) }
                        th colspan="2" scope="col" { (title(pair.right)) span.wrong { " wrong" } }
                    } }
                    tbody { @for (left, right, differs) in &rows {
                        @if left.is_none() && right.is_none() { tr.left-out { td colspan="4" { "⋯" } } }
                        @else { tr.differs[*differs] { (cell(left, *differs, "−")) (cell(right, *differs, "+")) } }
                    } }
                }
            }
        }
    }
}

/// The sign says what the colour says, for those who don't see it.
fn cell(line: &Option<(usize, &str)>, differs: bool, sign: &str) -> Markup {
    html! {
        @match line {
            Some((number, text)) => {
                td.number { (number) }
                td.code { @if differs { span.sign { (sign) } } (text) }
            }
            None => { td.number {} td.code.empty {} }
        }
    }
}

fn title(text: &StoredText) -> Markup {
    html! { (text.path) " " code { (text.name) } }
}

fn alone(text: &StoredText) -> Markup {
    let is_cut = shown(text).len() < text.text.len();
    html! {
        details.text {
            summary { @if text.path.is_empty() { (text.name) } @else { (title(text)) } }
            pre tabindex="0" { (shown(text)) @if is_cut { "\n… the rest is in the finding's folder" } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(path: &str, name: &str, text: &str) -> StoredText {
        StoredText { path: path.into(), name: name.into(), text: text.into() }
    }

    #[test]
    fn a_wrong_text_stands_beside_the_closest_right_one_of_its_name() {
        let texts = [
            text("c/params", "clif", "a\nx\ny"),
            text("c/none", "clif", "a\nb\nc"),
            text("c/speed", "clif", "a\nb\nd"),
            text("c/speed", "perturbations", "all"),
            text("l/O2", "llvm", "e"),
            text("l/O2", "llvm-O2", "f"),
        ];
        let wrong = BTreeSet::from(["c/speed".to_string(), "l/O2".to_string()]);
        let pairs = pairs(&texts, &wrong);
        let names: Vec<_> = pairs.iter().map(|pair| (pair.left.path.as_str(), pair.right.name.as_str())).collect();
        assert_eq!(names, [("c/none", "clif"), ("l/O2", "llvm-O2")]);
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        assert_eq!([fitting(10, [4, 6, 1].into_iter()), fitting(10, [11].into_iter())], [2, 1]);
        let texts: Vec<_> = (0..20).map(|at| text("c/none", "clif", &format!("{at}").repeat(2 * LONGEST))).collect();
        let html = every(&texts).into_string();
        assert!(
            html.contains("(20)") && html.contains("… and 14 more in the folder's"),
            "{}",
            &html[html.len() - 200..]
        );
        assert_eq!(html.matches("the rest is in the finding's folder").count(), 6, "each is cut too");
        assert!(every(&texts[..1]).into_string().len() < LONGEST + 1000);
    }

    #[test]
    fn rows_stand_beside_each_other_and_differing_ones_are_marked() {
        let rows = rows("a\nb\nc", "a\nB\nB2\nc");
        let expected = [
            (Some((1, "a")), Some((1, "a")), false),
            (Some((2, "b")), Some((2, "B")), true),
            (None, Some((3, "B2")), true),
            (Some((3, "c")), Some((4, "c")), false),
        ];
        assert_eq!(rows, expected);
        let numbers = |count: usize| (0..count).map(|at| format!("{at}\n")).collect::<String>();
        let (long, longer) = (numbers(50), numbers(50) + "x");
        let rows = super::rows(&long, &longer);
        assert_eq!((rows.len(), rows[0], rows[1].0), (2 + CONTEXT, (None, None, false), Some((45, "44"))));
        let (left, right) = (text("x", "ir", "<b>"), text("y", "ir", "b"));
        let html = side_by_side(&Pair { left: &left, right: &right }, true).into_string();
        assert!(html.contains("&lt;b&gt;") && !html.contains("<b>"), "{html}");
        assert!(html.contains("1 line") && html.contains("<tr class=\"differs\">"), "{html}");
    }
}
