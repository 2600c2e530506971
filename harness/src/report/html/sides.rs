//! The paths' IR side by side, with the lines marked that differ.

use std::collections::BTreeSet;

use maud::{Markup, html};
use similar::{DiffOp, TextDiff};

use crate::record::read::StoredText;
use crate::report::count;

/// Pairs that are shown; every text is there by itself too.
const MOST_PAIRS: usize = 8;

/// A text of a path that is wrong beside one that it is best compared with.
pub struct Pair<'a> {
    /// The text of a path that is right, or of an earlier stage.
    pub left: &'a StoredText,
    /// The text of the path that is wrong.
    pub right: &'a StoredText,
}

/// The pairs worth looking at: each text of a wrong path with the most similar text of the same name of a right path,
/// or else with an earlier text of its own path.
pub fn pairs<'a>(texts: &'a [StoredText], wrong: &BTreeSet<String>) -> Vec<Pair<'a>> {
    let mut pairs: Vec<Pair> = Vec::new();
    for (at, right) in texts.iter().enumerate().filter(|(_, text)| wrong.contains(&text.path)) {
        let peers = texts.iter().filter(|text| text.name == right.name && !wrong.contains(&text.path));
        let closest = peers.max_by(|a, b| similarity(a, right).total_cmp(&similarity(b, right)));
        let own = || texts[..at].iter().rev().find(|text| text.path == right.path && kind(text) == kind(right));
        if let Some(left) = closest.or_else(own)
            && is_code(right)
            && left.text != right.text
            && !pairs.iter().any(|pair| pair.left.text == left.text && pair.right.text == right.text)
        {
            pairs.push(Pair { left, right });
        }
    }
    pairs.truncate(MOST_PAIRS);
    pairs
}

/// `clif` of `clif-opt`, `raised` of `raised-construct`: texts of one kind are in one language.
fn kind(text: &StoredText) -> &str {
    text.name.split('-').next().unwrap_or_default()
}

/// A list of perturbations is a note on a path, not its code.
fn is_code(text: &StoredText) -> bool {
    text.name != "perturbations"
}

fn similarity(a: &StoredText, b: &StoredText) -> f32 {
    TextDiff::from_lines(&a.text, &b.text).ratio()
}

/// A row: a line's number and text on each side, and whether the sides differ.
type Row<'a> = (Option<(usize, &'a str)>, Option<(usize, &'a str)>, bool);

fn rows<'a>(left: &'a str, right: &'a str) -> Vec<Row<'a>> {
    let (old, new): (Vec<&str>, Vec<&str>) = (left.lines().collect(), right.lines().collect());
    let diff = TextDiff::from_slices(&old, &new);
    let mut rows = Vec::new();
    for op in diff.ops() {
        let differs = !matches!(op, DiffOp::Equal { .. });
        let (olds, news) = (op.old_range(), op.new_range());
        for row in 0..olds.len().max(news.len()) {
            let line = |range: &std::ops::Range<usize>, lines: &[&'a str]| {
                Some(range.start + row).filter(|at| range.contains(at)).map(|at| (at + 1, lines[at]))
            };
            rows.push((line(&olds, &old), line(&news, &new), differs));
        }
    }
    rows
}

/// A pair as a table, folded unless it is to be open.
pub fn side_by_side(pair: &Pair, is_open: bool) -> Markup {
    let rows = rows(&pair.left.text, &pair.right.text);
    let differing = rows.iter().filter(|row| row.2).count();
    let label = format!("{} {} beside {} {}", pair.left.path, pair.left.name, pair.right.path, pair.right.name);
    html! {
        details.sides open[is_open] {
            summary { (title(pair.left)) " beside " strong { (title(pair.right)) } " — " (count(differing, "line")) " differ" }
            div.scroll tabindex="0" role="region" aria-label=(label) {
                table.diff {
                    thead { tr {
                        th colspan="2" scope="col" { (title(pair.left)) }
                        th colspan="2" scope="col" { (title(pair.right)) span.wrong { " wrong" } }
                    } }
                    tbody { @for (left, right, differs) in &rows {
                        tr.differs[*differs] { (cell(left, *differs, "-")) (cell(right, *differs, "+")) }
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

/// One text by itself.
pub fn alone(text: &StoredText) -> Markup {
    html! {
        details.text {
            summary { @if text.path.is_empty() { (text.name) } @else { (title(text)) } }
            pre tabindex="0" { (text.text) }
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
    fn rows_stand_beside_each_other_and_differing_ones_are_marked() {
        let rows = rows("a\nb\nc", "a\nB\nB2\nc");
        let expected = [
            (Some((1, "a")), Some((1, "a")), false),
            (Some((2, "b")), Some((2, "B")), true),
            (None, Some((3, "B2")), true),
            (Some((3, "c")), Some((4, "c")), false),
        ];
        assert_eq!(rows, expected);
        let (left, right) = (text("x", "ir", "<b>"), text("y", "ir", "b"));
        let html = side_by_side(&Pair { left: &left, right: &right }, true).into_string();
        assert!(html.contains("&lt;b&gt;") && !html.contains("<b>"), "{html}");
        assert!(html.contains("1 line") && html.contains("<tr class=\"differs\">"), "{html}");
    }
}
