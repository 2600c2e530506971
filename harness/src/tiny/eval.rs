//! Tiny's interpreter, the reference for every other path (`docs/LANGUAGE.md` §1, "Steps and fuel").
//!
//! It walks the tree and counts what the naive SSA of Algorithm 8.4.7 would execute. A step is taken before the
//! operation that it pays for, so the operation that traps is counted.

use super::ast::{Expr, Logic, Program, Stmt};
use crate::op::{Effects, End, Execution, Op, Outcome};
use crate::plant::{self, Fault};

/// Runs a program on one value for each input, for at most `fuel` steps.
pub fn eval(program: &Program, inputs: &[i64], fuel: u64) -> Execution {
    debug_assert_eq!(inputs.len(), program.inputs, "one value for each input");
    let mut variables = vec![0; program.variables.len()];
    variables[..inputs.len()].copy_from_slice(inputs);
    let mut machine = Machine { variables, effects: Effects::default(), left: fuel };
    let end = match machine.program(program) {
        Ok(value) | Err(Leave::Return(value)) => End::Return(value),
        Err(Leave::Stop(end)) => end,
        Err(Leave::Break | Leave::Continue) => unreachable!("they stand in loops alone"),
    };
    Execution { outcome: Outcome { end, emitted: machine.effects.emitted }, steps: fuel - machine.left }
}

/// Why control leaves a block before its end.
enum Leave {
    Stop(End),
    Break,
    Continue,
    Return(i64),
}

impl From<End> for Leave {
    fn from(end: End) -> Leave {
        Leave::Stop(end)
    }
}

struct Machine {
    variables: Vec<i64>,
    effects: Effects,
    /// The fuel that is left.
    left: u64,
}

impl Machine {
    fn program(&mut self, program: &Program) -> Result<i64, Leave> {
        self.block(&program.body)?;
        let value = self.expr(&program.result)?;
        self.step()?;
        Ok(value)
    }

    fn block(&mut self, body: &[Stmt]) -> Result<(), Leave> {
        for stmt in body {
            match stmt {
                Stmt::Assign(target, value) => self.variables[target.index()] = self.expr(value)?,
                Stmt::While(cond, body) => {
                    self.step()?;
                    while self.condition(cond)? {
                        match self.block(body) {
                            Ok(()) => self.step()?,
                            Err(Leave::Continue) => {}
                            Err(Leave::Break) => break,
                            Err(leave) => return Err(leave),
                        }
                    }
                }
                Stmt::If(cond, then, otherwise) => {
                    let arm = if self.condition(cond)? { then } else { otherwise };
                    self.block(arm)?;
                    self.step()?;
                }
                Stmt::Switch(value, arms, otherwise) => {
                    let value = self.expr(value)?;
                    self.step()?;
                    let arm = arms.iter().find(|(constant, _)| *constant == value).map_or(otherwise, |(_, arm)| arm);
                    self.block(arm)?;
                    self.step()?;
                }
                Stmt::Do(op, operands) => {
                    let mut values = [0; 3];
                    for (value, operand) in values.iter_mut().zip(operands) {
                        *value = self.expr(operand)?;
                    }
                    self.step()?;
                    self.effects.perform(*op, values)?;
                }
                Stmt::Break => {
                    self.step()?;
                    return Err(Leave::Break);
                }
                Stmt::Continue => {
                    self.step()?;
                    return Err(Leave::Continue);
                }
                Stmt::Return(value) => {
                    let value = self.expr(value)?;
                    self.step()?;
                    return Err(Leave::Return(value));
                }
            }
        }
        Ok(())
    }

    /// A condition and the `cbr` that it steers.
    fn condition(&mut self, cond: &Expr) -> Result<bool, End> {
        let value = self.expr(cond)?;
        self.step()?;
        Ok(value != 0)
    }

    /// Leaves are most of a tree: they are read in place, without a call.
    #[inline(always)]
    fn expr(&mut self, expr: &Expr) -> Result<i64, End> {
        match expr {
            Expr::Int(value) => Ok(*value),
            Expr::Var(var) => Ok(self.variables[var.index()]),
            _ => self.operation(expr),
        }
    }

    fn operation(&mut self, expr: &Expr) -> Result<i64, End> {
        match expr {
            Expr::Int(_) | Expr::Var(_) => self.expr(expr),
            Expr::Unary(op, operand) => {
                let value = self.expr(operand)?;
                self.step()?;
                self.effects.perform(*op, [value, 0, 0])
            }
            Expr::Binary(op, left, right) => {
                let left = self.expr(left)?;
                let right = self.expr(right)?;
                self.step()?;
                self.effects.perform(*op, [left, right, 0])
            }
            Expr::Select(operands) => {
                let [condition, yes, no] = &**operands;
                let operands = [self.expr(condition)?, self.expr(yes)?, self.expr(no)?];
                self.step()?;
                Ok(Op::Select.eval(operands)?)
            }
            Expr::Logic(logic, left, right) => {
                let decided_by = *logic == Logic::Or;
                if self.condition(left)? == decided_by {
                    return Ok(i64::from(decided_by));
                }
                let right = self.expr(right)?;
                // `ne` and `br`.
                self.step()?;
                let value = if plant::on(Fault::TinyEvalLogic) { right } else { Op::Ne.eval([right, 0, 0])? };
                self.step()?;
                Ok(value)
            }
        }
    }

    #[inline]
    fn step(&mut self) -> Result<(), End> {
        self.left = self.left.checked_sub(1).ok_or(End::OutOfFuel)?;
        Ok(())
    }
}
