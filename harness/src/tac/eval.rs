//! TAC's interpreter. A step is an executed line that is not a label (`docs/LANGUAGE.md` §5).

use super::program::{Atom, Line, Program};
use crate::op::{Effects, End, Execution, Outcome};
use crate::plant::{self, Fault};

/// Runs a program on one value for each input, for at most `fuel` steps.
pub fn eval(program: &Program, inputs: &[i64], fuel: u64) -> Execution {
    debug_assert_eq!(inputs.len(), program.inputs, "one value for each input");
    let mut variables = vec![0; program.variables.len()];
    variables[..inputs.len()].copy_from_slice(inputs);
    let places = places(program);
    let mut effects = Effects::default();
    let mut steps = 0;
    // A valid program's last line is a `goto`, a `switch` or a `ret`, so this never runs off the end.
    let mut at = 0;
    let end = loop {
        let line = &program.lines[at];
        at += 1;
        if matches!(line, Line::Label(_)) {
            continue;
        }
        if steps == fuel {
            break End::OutOfFuel;
        }
        steps += 1;
        let value = |atom| match atom {
            Atom::Const(value) => value,
            Atom::Var(var) => variables[var.index()],
        };
        match line {
            Line::Label(_) => {}
            Line::Assign(assign) => match effects.perform(assign.op, assign.args.map(value)) {
                Ok(result) => variables[assign.dest.index()] = result,
                Err(end) => break end,
            },
            Line::Goto(target) => at = places[target.index()],
            Line::If { when, cond, target } => {
                let cond = value(*cond);
                let holds = if plant::on(Fault::TacEvalNegative) { cond > 0 } else { cond != 0 };
                if holds == *when {
                    at = places[target.index()];
                }
            }
            Line::Switch { value: atom, arms, default } => {
                let looked_at = value(*atom);
                let target = arms.iter().find(|(constant, _)| *constant == looked_at).map_or(default, |(_, to)| to);
                at = places[target.index()];
            }
            Line::Ret(atom) => break End::Return(value(*atom)),
        }
    };
    Execution { outcome: Outcome { end, emitted: effects.emitted }, steps }
}

/// Each label's line.
fn places(program: &Program) -> Vec<usize> {
    let mut places = vec![0; program.labels.len()];
    for (at, line) in program.lines.iter().enumerate() {
        if let Line::Label(label) = line {
            places[label.index()] = at;
        }
    }
    places
}
