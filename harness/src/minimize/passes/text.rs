//! Functions that are invalid: those of [`super::ssa`] can't take them all, and take rules into account that do not
//! hold. On the lines and tokens of the text; what does not parse is not proposed.

use super::ssa::{function_of, short_names};
use super::{Attempt, Pass, chunks};
use crate::case::{Case, Program};
use crate::lab::{self, Function, PhiFunction};
use crate::names::Names;

/// All of them.
pub const PASSES: &[Pass] = &[
    Pass { name: "delete blocks of text", attempt: |case, n| on_text(case, n, delete_block) },
    Pass { name: "delete lines of text", attempt: |case, n| on_text(case, n, delete_lines) },
    Pass { name: "end blocks of text early", attempt: |case, n| on_text(case, n, end_early) },
    Pass { name: "delete tokens", attempt: |case, n| on_text(case, n, delete_tokens) },
    Pass { name: "replace tokens", attempt: |case, n| on_text(case, n, replace_token) },
    Pass { name: "rename in text", attempt: rename },
];

/// Applies a pass from lines to lines.
fn on_text(case: &Case, n: usize, pass: fn(&[&str], usize) -> Attempt<Vec<String>>) -> Attempt<Case> {
    let Some(text) = invalid(case, |values, blocks| (values.clone(), blocks.clone())) else {
        return Attempt::End;
    };
    match pass(&text.lines().collect::<Vec<_>>(), n) {
        Attempt::Candidate(lines) => parsed(case, &lines.join("\n")).into(),
        Attempt::Nothing => Attempt::Nothing,
        Attempt::End => Attempt::End,
    }
}

/// The text of an invalid function with other names. A phi function whose entry is branched to counts, because as a
/// block-argument function it is invalid.
fn invalid(case: &Case, names: fn(&Names, &Names) -> (Names, Names)) -> Option<String> {
    if function_of(case).is_some_and(|function| lab::validate(&function).is_empty()) {
        return None;
    }
    match &case.program {
        Program::Ssa(function) => {
            let (value_names, block_names) = names(&function.value_names, &function.block_names);
            Some(Function { value_names, block_names, ..function.clone() }.to_string())
        }
        Program::Phi(function) => {
            let (value_names, block_names) = names(&function.value_names, &function.block_names);
            Some(PhiFunction { value_names, block_names, ..function.clone() }.to_string())
        }
        Program::Tiny(_) | Program::Tac(_) => None,
    }
}

/// The case with another text in the same form.
fn parsed(case: &Case, text: &str) -> Option<Case> {
    let program = match case.program {
        Program::Phi(_) => Program::Phi(lab::parse_phi(text).ok()?),
        _ => Program::Ssa(lab::parse_ssa(text).ok()?),
    };
    let mut vectors = case.vectors.clone();
    // Nothing of an invalid function runs, so any values will do.
    vectors.iter_mut().for_each(|vector| vector.resize(program.inputs(), 0));
    vectors.dedup();
    Some(Case { program, vectors, fuel: case.fuel })
}

/// Deletes a block.
fn delete_block(lines: &[&str], n: usize) -> Attempt<Vec<String>> {
    let mut heads = (0..lines.len()).filter(|&at| lines[at].ends_with(':')).skip(n);
    let Some(first) = heads.next() else { return Attempt::End };
    let next = heads.next().unwrap_or(lines.len());
    Attempt::Candidate([&lines[..first], &lines[next..]].concat().into_iter().map(String::from).collect())
}

/// Deletes a range of lines: long ranges first.
fn delete_lines(lines: &[&str], n: usize) -> Attempt<Vec<String>> {
    let Some(range) = chunks(lines.len()).nth(n) else { return Attempt::End };
    let mut less: Vec<String> = lines.iter().map(|&line| line.into()).collect();
    less.drain(range);
    Attempt::Candidate(less)
}

/// How many ways [`end_early`] has for one line.
const ENDINGS: usize = 3;

/// Lets a block return 0, or take one branch always.
fn end_early(lines: &[&str], n: usize) -> Attempt<Vec<String>> {
    let Some(line) = lines.get(n / ENDINGS) else { return Attempt::End };
    let Some((word, rest)) = line.trim_start().split_once(' ') else { return Attempt::Nothing };
    let targets = rest.split_once(", ").map(|(_, targets)| targets);
    let end = match (word, n % ENDINGS, targets) {
        ("br" | "cbr", 0, _) => "ret 0".into(),
        ("cbr", 1, Some(targets)) => format!("br {}", targets.split_inclusive(')').next().unwrap_or_default()),
        ("cbr", 2, Some(targets)) => format!("br {}", targets.rsplit("), ").next().unwrap_or_default()),
        _ => return Attempt::Nothing,
    };
    Attempt::Candidate(with_line(lines, n / ENDINGS, end))
}

/// The most tokens that are one thing: a phi's entry and a comma.
const TOKENS: usize = 6;

/// Deletes neighbouring tokens of one line.
fn delete_tokens(lines: &[&str], n: usize) -> Attempt<Vec<String>> {
    let Some((at, tokens, first)) = place(lines, n / TOKENS) else { return Attempt::End };
    let count = TOKENS - n % TOKENS;
    if first + count > tokens.len() {
        return Attempt::Nothing;
    }
    Attempt::Candidate(with_line(lines, at, [&tokens[..first], &tokens[first + count..]].concat().join(" ")))
}

/// Puts 0 for a token.
fn replace_token(lines: &[&str], n: usize) -> Attempt<Vec<String>> {
    let Some((at, mut tokens, place)) = place(lines, n) else { return Attempt::End };
    tokens[place] = "0";
    Attempt::Candidate(with_line(lines, at, tokens.join(" ")))
}

/// The text's `n`th token: its line, the tokens of that line, its place among them.
fn place<'t>(lines: &[&'t str], n: usize) -> Option<(usize, Vec<&'t str>, usize)> {
    let mut places = lines.iter().enumerate().flat_map(|(at, line)| (0..tokens(line).len()).map(move |i| (at, i)));
    let (at, i) = places.nth(n)?;
    Some((at, tokens(lines[at]), i))
}

/// Words and single signs; a constant's minus belongs to it.
fn tokens(line: &str) -> Vec<&str> {
    let is_sign = |c: char| "[](),:=".contains(c);
    line.split_inclusive(is_sign)
        .flat_map(|part| {
            let (words, sign) = part.split_at(part.trim_end_matches(is_sign).len());
            words.split_whitespace().chain((!sign.is_empty()).then_some(sign))
        })
        .collect()
}

fn with_line(lines: &[&str], at: usize, line: String) -> Vec<String> {
    let mut changed: Vec<String> = lines.iter().map(|&line| line.into()).collect();
    changed[at] = line;
    changed
}

/// Names the values `a`, `b`, ... and the blocks too.
fn rename(case: &Case, n: usize) -> Attempt<Case> {
    if n > 0 {
        return Attempt::End;
    }
    let text = invalid(case, |values, blocks| (short_names(values.len()), short_names(blocks.len())));
    text.and_then(|text| parsed(case, &text)).into()
}
