//! TAC's printer: labels and the `input` line at the margin, all else indented by two blanks.

use std::fmt::{self, Display, Formatter};

use super::program::{Atom, Line, Program};

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let dialect = self.lines.iter().filter_map(|line| match line {
            Line::Assign(assign) => Some(assign.op.dialect()),
            _ => None,
        });
        f.write_str(dialect.max().unwrap_or_default().directive())?;
        for input in 0..self.inputs as u32 {
            f.write_str(if input == 0 { "input " } else { ", " })?;
            write!(f, "{}", self.variables.get(input))?;
        }
        if self.inputs > 0 {
            f.write_str("\n")?;
        }
        for line in &self.lines {
            self.line(line, f)?;
            f.write_str("\n")?;
        }
        Ok(())
    }
}

impl Program {
    fn line(&self, line: &Line, f: &mut Formatter<'_>) -> fmt::Result {
        match line {
            Line::Label(label) => write!(f, "{}:", self.labels.get(label.0)),
            Line::Assign(assign) => {
                write!(f, "  {} = {}", self.variables.get(assign.dest.0), assign.op)?;
                for (index, operand) in assign.operands().iter().enumerate() {
                    f.write_str(if index == 0 { " " } else { ", " })?;
                    self.atom(*operand, f)?;
                }
                Ok(())
            }
            Line::Goto(target) => write!(f, "  goto {}", self.labels.get(target.0)),
            Line::If { when, cond, target } => {
                f.write_str(if *when { "  if " } else { "  ifz " })?;
                self.atom(*cond, f)?;
                write!(f, " goto {}", self.labels.get(target.0))
            }
            Line::Switch { value, arms, default } => {
                f.write_str("  switch ")?;
                self.atom(*value, f)?;
                for (constant, target) in arms {
                    write!(f, ", {constant} goto {}", self.labels.get(target.0))?;
                }
                write!(f, ", else goto {}", self.labels.get(default.0))
            }
            Line::Ret(atom) => {
                f.write_str("  ret ")?;
                self.atom(*atom, f)
            }
        }
    }

    fn atom(&self, atom: Atom, f: &mut Formatter<'_>) -> fmt::Result {
        match atom {
            Atom::Const(value) => write!(f, "{value}"),
            Atom::Var(var) => write!(f, "{}", self.variables.get(var.0)),
        }
    }
}
