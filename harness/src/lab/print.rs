//! Printing both forms (`docs/LANGUAGE.md` §2 and §3). Any function can be printed, valid or not, also with
//! the `trap` terminator, which only raised functions have and which does not parse.

use std::fmt::{self, Display, Formatter};

use crate::dialect::Dialect;
use crate::lab::{Atom, Block, Function, Inst, Phi, PhiFunction, Target, Terminator, Value};
use crate::names::Names;

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let names = Tables { values: &self.value_names, blocks: &self.block_names };
        f.write_str(dialect(self.blocks.iter().flat_map(|block| &block.body)).directive())?;
        names.header(f, "ssa", &self.inputs)?;
        for block in &self.blocks {
            names.block(f, block.name)?;
            if !block.params.is_empty() {
                names.parenthesized(f, &block.params)?;
            }
            f.write_str(":\n")?;
            block.body.iter().try_for_each(|inst| names.inst(f, inst))?;
            names.terminator(f, &block.term, |f, Target { block, args }| {
                names.block(f, *block)?;
                f.write_str("(")?;
                separated(f, args, |f, &atom| names.atom(f, atom))?;
                f.write_str(")")
            })?;
        }
        Ok(())
    }
}

impl Display for PhiFunction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let names = Tables { values: &self.value_names, blocks: &self.block_names };
        f.write_str(dialect(self.blocks.iter().flat_map(|block| &block.body)).directive())?;
        names.header(f, "phi", &self.inputs)?;
        for block in &self.blocks {
            names.block(f, block.name)?;
            f.write_str(":\n")?;
            block.phis.iter().try_for_each(|phi| names.phi(f, phi))?;
            block.body.iter().try_for_each(|inst| names.inst(f, inst))?;
            names.terminator(f, &block.term, |f, &target| names.block(f, target))?;
        }
        Ok(())
    }
}

/// The dialect that a text with these instructions needs.
fn dialect<'f>(insts: impl Iterator<Item = &'f Inst>) -> Dialect {
    insts.map(|inst| inst.op.dialect()).max().unwrap_or_default()
}

/// The two name spaces of a function.
#[derive(Clone, Copy)]
struct Tables<'f> {
    values: &'f Names,
    blocks: &'f Names,
}

impl Tables<'_> {
    fn value(self, f: &mut Formatter<'_>, value: Value) -> fmt::Result {
        self.values.get(value.0).fmt(f)
    }

    fn block(self, f: &mut Formatter<'_>, block: Block) -> fmt::Result {
        self.blocks.get(block.0).fmt(f)
    }

    fn atom(self, f: &mut Formatter<'_>, atom: Atom) -> fmt::Result {
        match atom {
            Atom::Const(constant) => constant.fmt(f),
            Atom::Value(value) => self.value(f, value),
        }
    }

    fn parenthesized(self, f: &mut Formatter<'_>, values: &[Value]) -> fmt::Result {
        f.write_str("(")?;
        separated(f, values, |f, &value| self.value(f, value))?;
        f.write_str(")")
    }

    fn header(self, f: &mut Formatter<'_>, form: &str, inputs: &[Value]) -> fmt::Result {
        f.write_str(form)?;
        if !inputs.is_empty() {
            self.parenthesized(f, inputs)?;
        }
        f.write_str("\n")
    }

    fn inst(self, f: &mut Formatter<'_>, inst: &Inst) -> fmt::Result {
        f.write_str("  ")?;
        self.value(f, inst.dest)?;
        write!(f, " = {} ", inst.op)?;
        separated(f, inst.operands(), |f, &atom| self.atom(f, atom))?;
        f.write_str("\n")
    }

    /// The entries stand in the order of the predecessors' blocks, whatever their order in the data.
    fn phi(self, f: &mut Formatter<'_>, phi: &Phi) -> fmt::Result {
        let mut entries = phi.entries.clone();
        entries.sort_by_key(|&(predecessor, _)| predecessor);
        f.write_str("  ")?;
        self.value(f, phi.dest)?;
        f.write_str(" = phi")?;
        if !entries.is_empty() {
            f.write_str(" ")?;
        }
        separated(f, &entries, |f, &(predecessor, atom)| {
            f.write_str("[")?;
            self.atom(f, atom)?;
            f.write_str(", ")?;
            self.block(f, predecessor)?;
            f.write_str("]")
        })?;
        f.write_str("\n")
    }

    fn terminator<T>(
        self,
        f: &mut Formatter<'_>,
        term: &Terminator<T>,
        target: impl Fn(&mut Formatter<'_>, &T) -> fmt::Result,
    ) -> fmt::Result {
        match term {
            Terminator::Br(to) => {
                f.write_str("  br ")?;
                target(f, to)?;
            }
            Terminator::Cbr(cond, yes, no) => {
                f.write_str("  cbr ")?;
                self.atom(f, *cond)?;
                f.write_str(", ")?;
                target(f, yes)?;
                f.write_str(", ")?;
                target(f, no)?;
            }
            Terminator::Switch(value, arms, default) => {
                f.write_str("  switch ")?;
                self.atom(f, *value)?;
                f.write_str(", ")?;
                for (constant, to) in arms {
                    write!(f, "{constant}: ")?;
                    target(f, to)?;
                    f.write_str(", ")?;
                }
                target(f, default)?;
            }
            Terminator::Ret(atom) => {
                f.write_str("  ret ")?;
                self.atom(f, *atom)?;
            }
            Terminator::Trap(trap) => write!(f, "  trap {trap}")?,
        }
        f.write_str("\n")
    }
}

/// Items with `, ` between them.
fn separated<T>(
    f: &mut Formatter<'_>,
    items: &[T],
    item: impl Fn(&mut Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    for (index, each) in items.iter().enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        item(f, each)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::lab::{self, Atom, Inst, Terminator};
    use crate::op::{Op, Trap};

    #[test]
    fn raised_functions_can_be_printed() {
        let mut function = lab::parse_ssa("ssa(a)\nentry:\n  x = copy a\n  ret x\n").unwrap();
        let block = &mut function.blocks[0];
        let a = Atom::Value(function.inputs[0]);
        block.body[0] = Inst::new(block.body[0].dest, Op::Select, &[a, Atom::Const(1), a]);
        block.term = Terminator::Trap(Trap::DivByZero);
        assert_eq!(function.to_string(), "# dialect: plus\nssa(a)\nentry:\n  x = select a, 1, a\n  trap div-by-zero\n");
    }

    #[test]
    fn entries_are_printed_in_the_order_of_the_blocks() {
        let text = "e:\n  cbr 1, a, b\na:\n  br j\nb:\n  br j\nj:\n  x = phi [2, b], [1, a]\n  ret x\n";
        let printed = lab::parse_phi(text).unwrap().to_string();
        assert!(printed.contains("\n  x = phi [1, a], [2, b]\n"), "{printed}");
    }
}
