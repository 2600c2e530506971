//! Tiny's printer: one canonical layout, and parentheses only where the tree needs them.
//!
//! Property: `parse(print(p)) == p` for every normalized program of which the parser could accept a text.

use std::fmt::{self, Display, Formatter, Write};

use super::ast::{Expr, Logic, Program, Stmt, Var};
use super::expression::Level;
use crate::op::Op;

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.dialect().directive())?;
        let mut printer = Printer { variables: &self.variables, out: f };
        if let Some((first, others)) = self.variables[..self.inputs].split_first() {
            write!(printer.out, "input {first}")?;
            for input in others {
                write!(printer.out, ", {input}")?;
            }
            printer.out.write_str(";\n")?;
        }
        printer.block(&self.body, 0)?;
        printer.out.write_str("return ")?;
        printer.expr(&self.result, Level::Or)?;
        printer.out.write_str("\n")
    }
}

struct Printer<'a, 'f> {
    variables: &'a [Box<str>],
    out: &'a mut Formatter<'f>,
}

impl Printer<'_, '_> {
    fn block(&mut self, body: &[Stmt], indent: usize) -> fmt::Result {
        for stmt in body {
            self.indent(indent)?;
            self.stmt(stmt, indent)?;
            self.out.write_char('\n')?;
        }
        Ok(())
    }

    fn stmt(&mut self, stmt: &Stmt, indent: usize) -> fmt::Result {
        match stmt {
            Stmt::Assign(target, value) => {
                self.var(*target)?;
                self.out.write_str(" = ")?;
                self.expr(value, Level::Or)?;
                self.out.write_str(";")
            }
            Stmt::While(cond, body) => {
                self.out.write_str("while ")?;
                self.expr(cond, Level::Or)?;
                self.braces(body, indent)
            }
            Stmt::If(cond, then, otherwise) => {
                self.out.write_str("if ")?;
                self.expr(cond, Level::Or)?;
                self.braces(then, indent)?;
                match &otherwise[..] {
                    [] => Ok(()),
                    [chained @ Stmt::If(..)] => {
                        self.out.write_str(" else ")?;
                        self.stmt(chained, indent)
                    }
                    _ => {
                        self.out.write_str(" else")?;
                        self.braces(otherwise, indent)
                    }
                }
            }
            Stmt::Switch(value, arms, otherwise) => {
                self.out.write_str("switch ")?;
                self.expr(value, Level::Or)?;
                self.out.write_str(" {\n")?;
                for (constant, arm) in arms {
                    self.indent(indent + 1)?;
                    write!(self.out, "{constant}:")?;
                    self.braces(arm, indent + 1)?;
                    self.out.write_char('\n')?;
                }
                if !otherwise.is_empty() {
                    self.indent(indent + 1)?;
                    self.out.write_str("else:")?;
                    self.braces(otherwise, indent + 1)?;
                    self.out.write_char('\n')?;
                }
                self.indent(indent)?;
                self.out.write_char('}')
            }
            Stmt::Do(op, operands) => {
                match (op.array(), &operands[..]) {
                    (Some(array), [index, value]) => {
                        write!(self.out, "{array}[")?;
                        self.expr(index, Level::Or)?;
                        self.out.write_str("] = ")?;
                        self.expr(value, Level::Or)?;
                    }
                    _ => {
                        write!(self.out, "{op} ")?;
                        operands.iter().try_for_each(|operand| self.expr(operand, Level::Or))?;
                    }
                }
                self.out.write_char(';')
            }
            Stmt::Break => self.out.write_str("break;"),
            Stmt::Continue => self.out.write_str("continue;"),
            Stmt::Return(value) => {
                self.out.write_str("return ")?;
                self.expr(value, Level::Or)?;
                self.out.write_char(';')
            }
        }
    }

    fn braces(&mut self, body: &[Stmt], indent: usize) -> fmt::Result {
        self.out.write_str(" {\n")?;
        self.block(body, indent + 1)?;
        self.indent(indent)?;
        self.out.write_char('}')
    }

    fn indent(&mut self, indent: usize) -> fmt::Result {
        (0..indent).try_for_each(|_| self.out.write_str("  "))
    }

    /// An expression where one that binds at least as tight as `level` can stand.
    fn expr(&mut self, expr: &Expr, level: Level) -> fmt::Result {
        let own = match expr {
            Expr::Int(value) => return write!(self.out, "{value}"),
            Expr::Var(var) => return self.var(*var),
            Expr::Logic(Logic::And, ..) => Level::And,
            Expr::Logic(Logic::Or, ..) => Level::Or,
            Expr::Unary(Op::Load(array), index) => {
                write!(self.out, "{array}[")?;
                self.expr(index, Level::Or)?;
                return self.out.write_char(']');
            }
            Expr::Unary(op, _) if op.symbol().is_some() => Level::Unary,
            Expr::Binary(op, ..) if op.symbol().is_some() => Level::of(*op),
            Expr::Unary(op, _) | Expr::Binary(op, ..) => return self.call(*op, expr),
            Expr::Select(_) => return self.call(Op::Select, expr),
        };
        if own < level {
            return self.parenthesized(expr);
        }
        match expr {
            Expr::Unary(op, operand) => {
                self.out.write_str(op.symbol().unwrap_or_default())?;
                match **operand {
                    // `-5` would be a literal.
                    Expr::Int(0..) if *op == Op::Neg => self.parenthesized(operand),
                    _ => self.expr(operand, Level::Unary),
                }
            }
            Expr::Binary(op, left, right) => self.infix(op.symbol().unwrap_or_default(), own, left, right),
            Expr::Logic(Logic::And, left, right) => self.infix("&&", own, left, right),
            Expr::Logic(Logic::Or, left, right) => self.infix("||", own, left, right),
            Expr::Int(_) | Expr::Var(_) | Expr::Select(_) => Ok(()),
        }
    }

    /// `min(a, b)`
    fn call(&mut self, op: Op, expr: &Expr) -> fmt::Result {
        write!(self.out, "{op}")?;
        for (index, operand) in expr.operands().enumerate() {
            self.out.write_str(if index == 0 { "(" } else { ", " })?;
            self.expr(operand, Level::Or)?;
        }
        self.out.write_char(')')
    }

    fn infix(&mut self, symbol: &str, level: Level, left: &Expr, right: &Expr) -> fmt::Result {
        // All operators associate to the left but comparisons, which don't associate.
        self.expr(left, if level == Level::Compare { level.tighter() } else { level })?;
        self.out.write_char(' ')?;
        self.out.write_str(symbol)?;
        self.out.write_char(' ')?;
        self.expr(right, level.tighter())
    }

    fn parenthesized(&mut self, expr: &Expr) -> fmt::Result {
        self.out.write_char('(')?;
        self.expr(expr, Level::Or)?;
        self.out.write_char(')')
    }

    fn var(&mut self, var: Var) -> fmt::Result {
        self.out.write_str(&self.variables[var.index()])
    }
}
