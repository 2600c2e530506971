//! Where two executions of one program part: the first block, and there the first value or branch, in which the SSA of
//! a path that is wrong does something else than SSA that is right.
//!
//! Two functions are compared only where that means something. Their blocks must correspond: the same terminators lead,
//! from the entry on, to blocks that pair off one to one. Values are held against each other by name between forms of
//! the lab, where pruning and conversion keep names, and by place between other constructions, as long as the paired
//! blocks hold the same operations; after optimization only branches and returns are. Everything that is said is what
//! the lab's interpreter saw; where nothing can be compared, nothing is said.

mod pair;
mod source;
mod visits;

use std::ops::Range;

use crate::case::Program;
use crate::compare::{Class, Run};
use crate::lab::{self, Function};
use crate::op::End;
use crate::path::Stage;
use crate::tac;
use pair::Alignment;

/// Steps of either function that are looked at. A minimized program takes few.
const STEPS: u64 = 10_000;

/// A path's SSA at one stage, as it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// The path.
    pub path: String,
    /// When it had it.
    pub stage: Stage,
    /// The function.
    pub function: Function,
}

/// Where two executions part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parting {
    /// The inputs of the run.
    pub inputs: Vec<i64>,
    /// What the SSA that is right does there.
    pub right: Side,
    /// What the SSA that is wrong does there.
    pub wrong: Side,
    /// How often the block has been entered by then.
    pub visit: usize,
    /// The part of the program's text that the place comes from, where that is known.
    pub source: Option<Range<usize>>,
}

/// One side of a parting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// Whose SSA it is.
    pub form: String,
    /// Its text.
    pub listing: String,
    /// The bytes of the text to look at: a parameter list, an instruction, a terminator.
    pub span: Range<usize>,
    /// The bytes of the lines around it, within the block.
    pub shown: Range<usize>,
    /// The block's name.
    pub block: String,
    /// What happens there: `t.3 is 4`, `goes to b.2`, `returns 7`.
    pub happens: String,
}

/// The forms among texts that paths gave: each a path, the text's name and the text.
pub fn forms<'a>(texts: impl IntoIterator<Item = (String, &'a str, &'a str)>) -> Vec<Form> {
    let form = |(path, name, text): (String, &str, &str)| {
        let stage = match name {
            "raised-optimize" => Stage::Optimize,
            "raised-construct" | "ssa" | "ssa-pruned" | "tac-ssa" | "tac-live" | "tac-perturbed-live"
            | "tac-pruned" | "tac-perturbed" => Stage::Construct,
            _ => return None,
        };
        let function = lab::parse_raised(text).ok().filter(|function| lab::validate(function).is_empty())?;
        Some(Form { path, stage, function })
    };
    texts.into_iter().filter_map(form).collect()
}

/// The first place where a form that is wrong parts from one that is right. `text` is the program's.
pub fn find(program: &Program, text: &str, runs: &[Run], forms: &[Form]) -> Option<Parting> {
    let mut rights: Vec<Form> = Vec::new();
    rights.extend(of_tac(program));
    runs.iter().find_map(|run| {
        let class = |class: &Class| class.outcome != run.right;
        let mut wrong: Vec<&Form> = run.classes.iter().filter(|c| class(c)).flat_map(|c| of_class(c, forms)).collect();
        // What is wrong first is looked at first.
        wrong.sort_by_key(|form| form.stage);
        let right: Vec<&Form> = run.classes.iter().filter(|c| !class(c)).flat_map(|c| of_class(c, forms)).collect();
        wrong.into_iter().find_map(|wrong| {
            let own = right.iter().filter(|right| right.path == wrong.path).copied();
            let peers = right.iter().filter(|right| right.path != wrong.path && right.stage <= wrong.stage).copied();
            let mut candidates = own.chain(peers).chain(&rights);
            candidates.find_map(|right| part(program, text, run, right, wrong))
        })
    })
}

/// The forms that gave a class's outcome.
fn of_class<'f>(class: &Class, forms: &'f [Form]) -> Vec<&'f Form> {
    let is_in = |form: &&Form| {
        class.sources.iter().any(|source| source.stage == form.stage && source.path.to_string() == form.path)
    };
    forms.iter().filter(is_in).collect()
}

/// What the lab makes of a program's three-address code: its blocks are those of the constructions from TAC.
fn of_tac(program: &Program) -> Option<Form> {
    let Program::Tiny(program) = program else { return None };
    let mut function = lab::construct_live(&tac::cfg(&tac::lower(program)));
    lab::prune_trivial(&mut function);
    Some(Form { path: "the lab's SSA of the TAC".into(), stage: Stage::Construct, function })
}

fn part(program: &Program, text: &str, run: &Run, right: &Form, wrong: &Form) -> Option<Parting> {
    let blocks = pair::blocks(&right.function, &wrong.function)?;
    let outcome = |form: &Form| lab::run(&form.function, &run.inputs, STEPS).outcome;
    // A form is on the side that it is said to be on, in this process too.
    if outcome(right) != run.right
        || matches!(outcome(wrong), outcome if outcome == run.right || outcome.end == End::OutOfFuel)
    {
        return None;
    }
    let keep_names = |form: &Form| {
        !matches!(program, Program::Tac(_)) && matches!(form.path.as_str(), "lab/naive" | "lab/pruned" | "lab/phi")
    };
    let alignment = if keep_names(right) && keep_names(wrong) {
        Alignment::Name
    } else if wrong.stage == Stage::Construct {
        Alignment::Place
    } else {
        Alignment::None
    };
    let found = pair::first_difference(&right.function, &wrong.function, &blocks, &run.inputs, alignment)?;
    let name = |form: &Form| match form.stage {
        Stage::Optimize => format!("{}, optimized", form.path),
        _ if form.path.starts_with("lab/") || !form.path.contains('/') => form.path.clone(),
        _ => format!("{}, as constructed", form.path),
    };
    Some(Parting {
        inputs: run.inputs.clone(),
        source: source::of(program, text, &right.function, found.right.at),
        right: side(name(right), &right.function, found.right),
        wrong: side(name(wrong), &wrong.function, found.wrong),
        visit: found.visit,
    })
}

/// Lines of a block that are shown before and after the one to look at.
const AROUND: (usize, usize) = (8, 3);

fn side(form: String, function: &Function, place: pair::Place) -> Side {
    let listing = function.to_string();
    // The listing begins with the function's line, before which may stand the dialect; a block has a line for its
    // header, one for each instruction, one for the terminator.
    let lines = |block: usize| function.blocks[block].body.len() + 2;
    let first_block = listing.lines().take_while(|line| !line.starts_with("ssa")).count() + 1;
    let header = first_block + (0..place.at.block).map(lines).sum::<usize>();
    let line = header + place.at.line;
    let first = header.max(line.saturating_sub(AROUND.0));
    let last = (header + lines(place.at.block) - 1).min(line + AROUND.1);
    let start = |line: usize| listing.split_inclusive('\n').take(line).map(str::len).sum::<usize>();
    let end = |line: usize| start(line + 1) - 1;
    let indent = listing[start(line)..].len() - listing[start(line)..].trim_start().len();
    Side {
        form,
        span: start(line) + indent..end(line),
        shown: start(first)..end(last),
        block: function.block_names.get(place.at.block as u32).to_string(),
        listing,
        happens: place.happens,
    }
}

#[cfg(test)]
mod tests;
