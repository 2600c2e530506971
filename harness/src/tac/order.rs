//! Renumbering a program's variables and labels once it is complete.

use super::program::{Atom, Label, Line, Var};

/// Gives every variable and label its new number: `variables[x]` is the new one of `x`.
pub(super) fn renumber(lines: &mut [Line], variables: &[u32], labels: &[u32]) {
    let variable = |var: &mut Var| var.0 = variables[var.index()];
    let label = |label: &mut Label| label.0 = labels[label.index()];
    let operand = |atom: &mut Atom| {
        if let Atom::Var(var) = atom {
            variable(var);
        }
    };
    for line in lines {
        match line {
            Line::Label(target) => label(target),
            Line::Assign(assign) => variable(&mut assign.dest),
            _ => {}
        }
        line.operands_mut().iter_mut().for_each(operand);
        line.targets_mut().for_each(label);
    }
}
