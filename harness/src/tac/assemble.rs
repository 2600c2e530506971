//! A program from lines that somebody wrote or changed: names, and the canonical order of variables and labels.

use super::order;
use super::program::{Label, Line, Program, Var};
use crate::names::Names;

/// What a number that has not been met yet is mapped to.
const UNSEEN: u32 = u32::MAX;

/// Makes a program of lines whose variables and labels have any numbers: the inputs are the first `inputs` variables.
///
/// The program's variables are the inputs and those that occur, in canonical order (`docs/LANGUAGE.md` §5); its labels
/// are those that stand in the text, in that order. The two functions name an old number. The lines must be valid:
/// every target stands once in the text, and the last line is one that control
/// never goes on from.
pub fn assemble(
    mut lines: Vec<Line>,
    inputs: usize,
    variable_name: impl Fn(Var) -> Box<str>,
    label_name: impl Fn(Label) -> Box<str>,
) -> Program {
    // Order of first occurrence, a target before its operands.
    let mut order: Vec<Var> = (0..inputs as u32).map(Var).collect();
    let mut new: Vec<u32> = (0..inputs as u32).collect();
    for line in &lines {
        line.each_variable(|var| {
            if new.len() <= var.index() {
                new.resize(var.index() + 1, UNSEEN);
            }
            if new[var.index()] == UNSEEN {
                new[var.index()] = 0;
                order.push(var);
            }
        });
    }
    let mut named: Vec<(Var, Box<str>)> = order.into_iter().map(|var| (var, variable_name(var))).collect();
    // Names with a dot come last, shorter ones first; the sort is stable, so the others keep their order.
    named[inputs..].sort_by(|(_, a), (_, b)| match (a.contains('.'), b.contains('.')) {
        (false, false) => std::cmp::Ordering::Equal,
        (true, true) => (a.len(), a).cmp(&(b.len(), b)),
        (a_dotted, b_dotted) => a_dotted.cmp(&b_dotted),
    });
    let mut variables = Names::default();
    for (var, name) in named {
        new[var.index()] = variables.push(name);
    }

    let mut labels = Names::default();
    let mut new_labels: Vec<u32> = Vec::new();
    for line in &lines {
        if let Line::Label(label) = line {
            let index = label.index();
            if new_labels.len() <= index {
                new_labels.resize(index + 1, UNSEEN);
            }
            new_labels[index] = labels.push(label_name(*label));
        }
    }

    order::renumber(&mut lines, &new, &new_labels);
    Program { variables, inputs, labels, lines }
}
