//! Lowering Tiny to TAC (`docs/LANGUAGE.md` §5, "From Tiny").
//!
//! While it runs, Tiny's variables keep their numbers and temporary `t.k` is number V + k; labels are numbered as they
//! are taken. The numbers of a finished program, by first occurrence and by place, are given at the end.

use super::order;
use super::program::{Assign, Atom, Label, Line, Program, Var};
use crate::names::Names;
use crate::op::Op;
use crate::plant::{self, Fault};
use crate::tiny::{self, Expr, Logic, Stmt};

/// The TAC of a program.
pub fn lower(program: &tiny::Program) -> Program {
    let variables = program.variables.len() as u32;
    let mut lowering = Lowering { lines: Vec::new(), variables, temporaries: 0, labels: 0, loops: Vec::new() };
    lowering.block(&program.body);
    let result = lowering.expr(&program.result, None);
    lowering.lines.push(Line::Ret(result));
    lowering.finish(program)
}

struct Lowering {
    lines: Vec<Line>,
    /// How many variables Tiny has.
    variables: u32,
    /// How many temporaries are taken.
    temporaries: u32,
    /// How many labels are taken; not all of them are placed.
    labels: u32,
    /// The labels of the open loops, *head* and *exit* of each.
    loops: Vec<(Label, Label)>,
}

impl Lowering {
    fn block(&mut self, body: &[Stmt]) {
        for stmt in body {
            match stmt {
                Stmt::Assign(target, value) => {
                    self.expr(value, Some(Var(target.0)));
                }
                Stmt::While(cond, body) => {
                    let (head, exit) = (self.label(), self.label());
                    self.lines.push(Line::Label(head));
                    let cond = self.expr(cond, None);
                    self.lines.push(Line::If { when: false, cond, target: exit });
                    self.loops.push((head, exit));
                    self.block(body);
                    self.loops.pop();
                    self.lines.push(Line::Goto(head));
                    self.lines.push(Line::Label(exit));
                }
                Stmt::If(cond, then, otherwise) => {
                    let (other, end) = (self.label(), self.label());
                    let cond = self.expr(cond, None);
                    let target = if otherwise.is_empty() { end } else { other };
                    self.lines.push(Line::If { when: false, cond, target });
                    self.block(then);
                    if !otherwise.is_empty() {
                        self.lines.push(Line::Goto(end));
                        self.lines.push(Line::Label(other));
                        self.block(otherwise);
                    }
                    self.lines.push(Line::Label(end));
                }
                Stmt::Switch(value, arms, otherwise) => self.switch(value, arms, otherwise),
                Stmt::Do(op, operands) => {
                    let operands: Vec<Atom> = operands.iter().map(|operand| self.expr(operand, None)).collect();
                    self.assign(None, *op, &operands);
                }
                Stmt::Break => {
                    let open = if plant::on(Fault::TacBreakOutermost) { self.loops.first() } else { self.loops.last() };
                    self.lines.extend(open.map(|&(_, exit)| Line::Goto(exit)));
                }
                Stmt::Continue if plant::on(Fault::TacContinueGoesOn) => {}
                Stmt::Continue => self.lines.extend(self.loops.last().map(|&(head, _)| Line::Goto(head))),
                Stmt::Return(value) => {
                    let value = self.expr(value, None);
                    if !plant::on(Fault::TacReturnGoesOn) {
                        self.lines.push(Line::Ret(value));
                    }
                }
            }
        }
    }

    fn switch(&mut self, value: &Expr, arms: &[(i64, Vec<Stmt>)], otherwise: &[Stmt]) {
        let labels: Vec<Label> = arms.iter().map(|_| self.label()).collect();
        let (other, end) = (self.label(), self.label());
        let value = self.expr(value, None);
        let mut default = if otherwise.is_empty() { end } else { other };
        let mut targets: Vec<(i64, Label)> = arms.iter().map(|(constant, _)| *constant).zip(labels.clone()).collect();
        if let (true, Some(first)) = (plant::on(Fault::TacSwitchElseFirst), targets.first_mut()) {
            std::mem::swap(&mut first.1, &mut default);
        }
        self.lines.push(Line::Switch { value, arms: targets, default });
        for (label, (_, arm)) in labels.into_iter().zip(arms) {
            self.lines.push(Line::Label(label));
            self.block(arm);
            self.lines.push(Line::Goto(end));
        }
        if !otherwise.is_empty() {
            self.lines.push(Line::Label(other));
            self.block(otherwise);
        }
        self.lines.push(Line::Label(end));
    }

    /// An expression, written to a variable if there is one. Gives the atom that holds its value.
    fn expr(&mut self, expr: &Expr, to: Option<Var>) -> Atom {
        match expr {
            Expr::Int(value) => self.atom(Atom::Const(*value), to),
            Expr::Var(var) => self.atom(Atom::Var(Var(var.0)), to),
            Expr::Unary(op, operand) => {
                let operand = self.expr(operand, None);
                self.assign(to, *op, &[operand])
            }
            Expr::Binary(op, left, right) => {
                let left = self.expr(left, None);
                let right = self.expr(right, None);
                if plant::on(Fault::TacSwapSub) && *op == Op::Sub {
                    self.assign(to, *op, &[right, left])
                } else {
                    self.assign(to, *op, &[left, right])
                }
            }
            Expr::Select(operands) => {
                let operands = operands.each_ref().map(|operand| self.expr(operand, None));
                self.assign(to, Op::Select, &operands)
            }
            Expr::Logic(logic, left, right) => self.logic(*logic, left, right, to),
        }
    }

    fn atom(&mut self, atom: Atom, to: Option<Var>) -> Atom {
        if to.is_some() { self.assign(to, Op::Copy, &[atom]) } else { atom }
    }

    fn logic(&mut self, logic: Logic, left: &Expr, right: &Expr, to: Option<Var>) -> Atom {
        let to = Some(to.unwrap_or_else(|| self.temporary()));
        let (side, end) = (self.label(), self.label());
        // The operand's truth value that decides, and the value of the whole then.
        let decisive = logic == Logic::Or;
        let when = if plant::on(Fault::TacOrPolarity) { false } else { decisive };
        let cond = self.expr(left, None);
        self.lines.push(Line::If { when, cond, target: side });
        let cond = self.expr(right, None);
        self.lines.push(Line::If { when, cond, target: side });
        self.assign(to, Op::Copy, &[Atom::Const(i64::from(!decisive))]);
        self.lines.push(Line::Goto(end));
        self.lines.push(Line::Label(side));
        let value = self.assign(to, Op::Copy, &[Atom::Const(i64::from(decisive))]);
        self.lines.push(Line::Label(end));
        value
    }

    /// Writes an operation's result to a variable, or to a new temporary.
    fn assign(&mut self, to: Option<Var>, op: Op, operands: &[Atom]) -> Atom {
        let dest = to.unwrap_or_else(|| self.temporary());
        self.lines.push(Line::Assign(Assign::new(dest, op, operands)));
        Atom::Var(dest)
    }

    fn temporary(&mut self) -> Var {
        self.temporaries += 1;
        Var(self.variables + self.temporaries - 1)
    }

    fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels - 1)
    }

    fn finish(mut self, source: &tiny::Program) -> Program {
        #[cfg(feature = "plant")]
        if plant::on(Fault::TacEmitOrder) {
            exchange_emits(&mut self.lines);
        }
        let mut variables = Names::default();
        let mut numbers = vec![0; (self.variables + self.temporaries) as usize];
        for var in occurring(&self.lines, source) {
            numbers[var.index()] = variables.push(source.variables[var.index()].clone());
        }
        let t = variables.base("t");
        for k in 0..self.temporaries {
            numbers[(self.variables + k) as usize] = variables.push_version(t, k);
        }

        let mut labels = Names::default();
        let mut places = vec![0; self.labels as usize];
        let l = labels.base("L");
        for line in &self.lines {
            if let Line::Label(label) = line {
                places[label.index()] = labels.push_numbered(l, label.0);
            }
        }

        order::renumber(&mut self.lines, &numbers, &places);
        Program { variables, inputs: source.inputs, labels, lines: self.lines }
    }
}

/// [`Fault::TacEmitOrder`]
#[cfg(feature = "plant")]
fn exchange_emits(lines: &mut [Line]) {
    for at in 1..lines.len() {
        let [Line::Assign(first), Line::Assign(second)] = &mut lines[at - 1..=at] else { continue };
        if first.op == Op::Emit && second.op == Op::Emit && second.args[0] != Atom::Var(first.dest) {
            std::mem::swap(&mut first.args, &mut second.args);
        }
    }
}

/// The inputs, and Tiny's other variables by their first occurrence in the lines. The order is not that of V: `x = a ||
/// b` names `x` after its operands.
fn occurring(lines: &[Line], source: &tiny::Program) -> Vec<Var> {
    let mut order: Vec<Var> = (0..source.inputs as u32).map(Var).collect();
    let mut seen = vec![false; source.variables.len()];
    seen[..source.inputs].fill(true);
    for line in lines {
        line.each_variable(|var| {
            // Temporaries have no place in `seen`.
            if let Some(seen @ false) = seen.get_mut(var.index()) {
                *seen = true;
                order.push(var);
            }
        });
    }
    order
}
