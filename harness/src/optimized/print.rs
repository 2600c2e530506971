//! The text, close to LLVM's own: for messages and for people. Nothing reads it.

use std::fmt::{self, Display, Formatter};

use super::{
    Block, BlockData, Constant, Flags, Function, Inst, Label, LaneOp, Op, Origin, Overlap, Signedness, Terminator,
    Type, Value, sign_extend,
};

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Type::Int(bits) => write!(f, "i{bits}"),
            Type::Pointer => f.write_str("ptr"),
            Type::Vector(lanes, bits) => write!(f, "<{lanes} x i{bits}>"),
            Type::Overflow(bits) => write!(f, "{{ i{bits}, i1 }}"),
        }
    }
}

impl Display for Label {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Label::Number(number) => write!(f, "%{number}"),
            Label::Name(name) => write!(f, "%{name}"),
        }
    }
}

impl Display for Flags {
    /// Each promise with a blank after it.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (flag, name) in [
            (Flags::NUW, "nuw"),
            (Flags::NSW, "nsw"),
            (Flags::EXACT, "exact"),
            (Flags::DISJOINT, "disjoint"),
            (Flags::NNEG, "nneg"),
            (Flags::SAMESIGN, "samesign"),
            (Flags::INBOUNDS, "inbounds"),
        ] {
            if self.has(flag) {
                write!(f, "{name} ")?;
            }
        }
        Ok(())
    }
}

/// A value with a type before it or not.
pub(super) struct Operand<'f>(&'f Function, Value);

impl Display for Operand<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let data = &self.0.values[self.1.index()];
        match &data.origin {
            Origin::Constant(lanes) => {
                for (index, lane) in lanes.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { " " })?;
                    match lane {
                        Constant::Bits(bits) => write!(f, "{}", sign_extend(*bits, data.ty.bits()))?,
                        Constant::Poison => f.write_str("poison")?,
                        Constant::Undef => f.write_str("undef")?,
                    }
                }
                Ok(())
            }
            Origin::Table(table, offset) => write!(f, "@table.{table}+{offset}"),
            Origin::Inputs | Origin::Computed => data.label.fmt(f),
        }
    }
}

/// An instruction, a terminator.
pub(super) struct Line<'f, T>(&'f Function, &'f T);

impl Display for Line<'_, Inst> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Line(function, inst) = *self;
        if let Some(dest) = inst.dest {
            write!(f, "{} = ", function.operand(dest))?;
        }
        match &inst.op {
            Op::Lanes(op) => match op.name().split_once(' ') {
                Some((icmp, predicate)) => write!(f, "{icmp} {}{predicate} ", inst.flags)?,
                None => write!(f, "{} {}", op.name(), inst.flags)?,
            },
            Op::FirstNonzero => f.write_str("experimental.cttz.elts ")?,
            Op::Reduce(op) => write!(f, "vector.reduce.{} ", op.name())?,
            Op::WithOverflow(op, Signedness::Signed) => write!(f, "s{}.with.overflow ", op.name())?,
            Op::WithOverflow(op, Signedness::Unsigned) => write!(f, "u{}.with.overflow ", op.name())?,
            Op::Select => f.write_str("select ")?,
            Op::Freeze => f.write_str("freeze ")?,
            Op::Bitcast => f.write_str("bitcast ")?,
            Op::ExtractElement => f.write_str("extractelement ")?,
            Op::InsertElement => f.write_str("insertelement ")?,
            Op::Shuffle(_) => f.write_str("shufflevector ")?,
            Op::ExtractValue(field) => write!(f, "extractvalue {field} of ")?,
            Op::Offset(constant, scales) => {
                write!(f, "getelementptr {}{} bytes", inst.flags, constant)?;
                scales.iter().try_for_each(|scale| write!(f, " + {scale} times"))?;
                f.write_str(", ")?;
            }
            Op::Load(align) => write!(f, "load align {align} ")?,
            Op::Store(align) => write!(f, "store align {align} ")?,
            Op::Alloca(size) => write!(f, "alloca {size} bytes")?,
            Op::Fill => f.write_str("memset ")?,
            Op::Move(Overlap::Undefined) => f.write_str("memcpy ")?,
            Op::Move(Overlap::Allowed) => f.write_str("memmove ")?,
            Op::Emit => f.write_str("emit ")?,
            Op::Assume => f.write_str("assume ")?,
            Op::Trap => f.write_str("trap ")?,
        }
        for (index, &arg) in inst.args.iter().enumerate() {
            write!(f, "{}{} {}", if index == 0 { "" } else { ", " }, function.ty(arg), function.operand(arg))?;
        }
        match inst.dest.map(|dest| function.ty(dest)) {
            Some(ty) if matches!(inst.op, Op::Lanes(LaneOp::Zext | LaneOp::Sext | LaneOp::Trunc) | Op::Bitcast) => {
                write!(f, " to {ty}")?;
            }
            _ => {}
        }
        match inst.range {
            Some(range) => write!(f, " in {}..{}", range.from as i64, range.to as i64),
            None => Ok(()),
        }
    }
}

impl Display for Line<'_, Terminator> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Line(function, term) = *self;
        let block = |block: &Block| &function.blocks[block.index()].label;
        match term {
            Terminator::Br(to) => write!(f, "br {}", block(to)),
            Terminator::Cbr(condition, yes, no) => {
                write!(f, "br i1 {}, {}, {}", function.operand(*condition), block(yes), block(no))
            }
            Terminator::Switch(value, arms, default) => {
                write!(f, "switch {} {}, {} [", function.ty(*value), function.operand(*value), block(default))?;
                arms.iter().try_for_each(|(constant, to)| write!(f, " {constant}: {}", block(to)))?;
                f.write_str(" ]")
            }
            Terminator::Ret(value) => write!(f, "ret {} {}", function.ty(*value), function.operand(*value)),
            Terminator::Unreachable => f.write_str("unreachable"),
        }
    }
}

impl Function {
    /// A value as an operand.
    pub(super) fn operand(&self, value: Value) -> Operand<'_> {
        Operand(self, value)
    }

    /// An instruction's line.
    pub(super) fn instruction<'f>(&'f self, inst: &'f Inst) -> Line<'f, Inst> {
        Line(self, inst)
    }

    /// A terminator's line.
    pub(super) fn terminator<'f>(&'f self, term: &'f Terminator) -> Line<'f, Terminator> {
        Line(self, term)
    }
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for BlockData { label, phis, body, term } in &self.blocks {
            writeln!(f, "{label}:")?;
            for phi in phis {
                write!(f, "  {} = phi {}", self.operand(phi.dest), self.ty(phi.dest))?;
                for (index, (from, value)) in phi.entries.iter().enumerate() {
                    let from = &self.blocks[from.index()].label;
                    write!(f, "{} [ {}, {from} ]", if index == 0 { "" } else { "," }, self.operand(*value))?;
                }
                writeln!(f)?;
            }
            body.iter().try_for_each(|inst| writeln!(f, "  {}", self.instruction(inst)))?;
            writeln!(f, "  {}", self.terminator(term))?;
        }
        Ok(())
    }
}
