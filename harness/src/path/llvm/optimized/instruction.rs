//! What each of LLVM's instructions becomes.

use inkwell::llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMTypeKind};

use super::c::{BlockObject, Object};
use super::{Raiser, Reason};
use crate::optimized::{BlockData, Inst, LaneOp, Op, Phi, Terminator, Type, Value};
use crate::path::llvm::compat;

impl Raiser<'_, '_> {
    pub(super) fn block(&mut self, block: BlockObject<'_>) -> Result<BlockData, Reason> {
        use LLVMOpcode::*;
        let (mut phis, mut body, mut term) = (Vec::new(), Vec::new(), None);
        for inst in block.instructions() {
            match inst.opcode() {
                LLVMPHI => phis.push(self.phi(inst)?),
                opcode if compat::is_branch(opcode) => term = Some(self.terminator(inst)?),
                LLVMSwitch | LLVMRet | LLVMUnreachable => term = Some(self.terminator(inst)?),
                LLVMCall => body.extend(self.call(inst)?),
                opcode => {
                    let raised = self.instruction(inst, opcode)?;
                    body.push(raised);
                }
            }
        }
        let index = self.target(block)?.index();
        self.in_entry = false;
        Ok(BlockData {
            label: self.labels[index].clone(),
            phis,
            body,
            term: term.ok_or("a block without a terminator")?,
        })
    }

    fn phi(&mut self, inst: Object<'_>) -> Result<Phi, Reason> {
        let mut entries: Vec<(_, Value)> = Vec::new();
        for (predecessor, value) in inst.incoming() {
            // LLVM has an entry for each edge, here there is one for each predecessor; a multi-edge's entries are
            // equal.
            match self.blocks.get(&predecessor.address()) {
                Some(&block) if entries.iter().all(|(known, _)| *known != block) => {
                    let value = self.operand(value)?;
                    entries.push((block, value));
                }
                _ => {}
            }
        }
        Ok(Phi { dest: self.dest(inst)?, entries })
    }

    fn terminator(&mut self, inst: Object<'_>) -> Result<Terminator, Reason> {
        let targets = inst.successors().map(|block| self.target(block)).collect::<Result<Vec<_>, _>>()?;
        Ok(match (inst.opcode(), &targets[..]) {
            (opcode, &[to]) if compat::is_branch(opcode) => Terminator::Br(to),
            (opcode, &[yes, no]) if compat::is_branch(opcode) => {
                Terminator::Cbr(self.operand(inst.operand(0))?, yes, no)
            }
            (LLVMOpcode::LLVMSwitch, &[default, ref others @ ..]) => {
                let value = self.operand(inst.operand(0))?;
                let bits = self.function.ty(value).bits();
                let arm = |(index, &to): (usize, _)| Ok((super::constant::int(inst.case(index as u32 + 1), bits)?, to));
                Terminator::Switch(value, others.iter().enumerate().map(arm).collect::<Result<_, Reason>>()?, default)
            }
            (LLVMOpcode::LLVMRet, _) if inst.operand_count() == 1 => Terminator::Ret(self.operand(inst.operand(0))?),
            (LLVMOpcode::LLVMUnreachable, _) => Terminator::Unreachable,
            (opcode, _) => return Err(mnemonic(opcode)),
        })
    }

    fn instruction(&mut self, inst: Object<'_>, opcode: LLVMOpcode) -> Result<Inst, Reason> {
        use LLVMOpcode::*;
        let op = match opcode {
            LLVMICmp => Op::Lanes(comparison(inst.predicate())),
            LLVMSelect => Op::Select,
            LLVMFreeze => Op::Freeze,
            LLVMBitCast => Op::Bitcast,
            LLVMPtrToInt | LLVMIntToPtr => self.pointer_cast(inst)?,
            LLVMExtractElement => Op::ExtractElement,
            LLVMInsertElement => Op::InsertElement,
            LLVMShuffleVector => Op::Shuffle(inst.shuffle_mask()),
            LLVMExtractValue => match inst.indices() {
                &[field] => Op::ExtractValue(field),
                _ => return Err("extractvalue".into()),
            },
            LLVMGetElementPtr => return self.offset(inst),
            LLVMLoad | LLVMStore => self.access(inst, opcode)?,
            LLVMAlloca if self.in_entry && inst.operand(0).signed_int() == Some(1) => {
                Op::Alloca(inst.allocated_type().size(self.module))
            }
            _ => Op::Lanes(operation(opcode).ok_or_else(|| mnemonic(opcode))?),
        };
        let count = if opcode == LLVMAlloca { 0 } else { inst.operand_count() };
        let args = inst.operands(count).map(|operand| self.operand(operand)).collect::<Result<_, _>>()?;
        let dest = if opcode == LLVMStore { None } else { Some(self.dest(inst)?) };
        let range = if opcode == LLVMLoad { super::range::of_load(inst)? } else { None };
        Ok(Inst { dest, op, flags: inst.flags(opcode), range, args })
    }

    pub(super) fn dest(&self, inst: Object<'_>) -> Result<Value, Reason> {
        self.values.get(&inst.address()).copied().ok_or_else(|| mnemonic(inst.opcode()))
    }

    /// An address is a number, so that the cast extends it or cuts it.
    fn pointer_cast(&self, inst: Object<'_>) -> Result<Op, Reason> {
        let bits = |object: Object<'_>| object.ty().raised().map(Type::bits).ok_or_else(|| mnemonic(inst.opcode()));
        let (from, to) = (bits(inst.operand(0))?, bits(inst)?);
        Ok(Op::Lanes(if from > to { LaneOp::Trunc } else { LaneOp::Zext }))
    }

    fn access(&self, inst: Object<'_>, opcode: LLVMOpcode) -> Result<Op, Reason> {
        let is_load = opcode == LLVMOpcode::LLVMLoad;
        let accessed = if is_load { inst } else { inst.operand(0) };
        let ty = accessed.ty().raised();
        match ty {
            // Lanes that are no whole bytes lie packed in memory.
            Some(Type::Vector(_, bits)) if bits % 8 != 0 => return Err(format!("{} <i{bits}>", mnemonic(opcode))),
            Some(Type::Overflow(_)) | None => return Err(mnemonic(opcode)),
            Some(_) => {}
        }
        if inst.is_special_access() {
            return Err(format!("{} volatile or atomic", mnemonic(opcode)));
        }
        if let Some(kind) = ["noundef", "nonnull", "align"].into_iter().find(|kind| inst.has_metadata(kind)) {
            return Err(format!("{} with !{kind}", mnemonic(opcode)));
        }
        Ok(if is_load { Op::Load(inst.alignment()) } else { Op::Store(inst.alignment()) })
    }

    /// `getelementptr`: its first index counts in its own type, each further one in that of the elements of the last.
    fn offset(&mut self, inst: Object<'_>) -> Result<Inst, Reason> {
        let (mut constant, mut scales) = (0_i64, Vec::new());
        let mut args = vec![self.operand(inst.operand(0))?];
        let mut counted = inst.element_type();
        for (index, operand) in inst.operands(inst.operand_count()).enumerate().skip(1) {
            if index > 1 {
                if !matches!(counted.kind(), LLVMTypeKind::LLVMArrayTypeKind | LLVMTypeKind::LLVMVectorTypeKind) {
                    return Err("getelementptr into a struct".into());
                }
                counted = counted.element();
            }
            let scale = counted.size(self.module) as i64;
            match operand.signed_int() {
                Some(by) => {
                    let by = scale.checked_mul(by).and_then(|by| constant.checked_add(by));
                    constant = by.ok_or("getelementptr by more than there is")?;
                }
                None => {
                    args.push(self.operand(operand)?);
                    scales.push(scale);
                }
            }
        }
        let is_scalar = args.iter().all(|&arg| self.function.ty(arg).lanes() == 1);
        let op = if is_scalar { Op::Offset(constant, scales) } else { return Err("getelementptr of vectors".into()) };
        Ok(Inst {
            dest: Some(self.dest(inst)?),
            op,
            flags: inst.flags(LLVMOpcode::LLVMGetElementPtr),
            range: None,
            args,
        })
    }
}

/// The instructions that do the same on each lane.
fn operation(opcode: LLVMOpcode) -> Option<LaneOp> {
    use LLVMOpcode::*;
    Some(match opcode {
        LLVMAdd => LaneOp::Add,
        LLVMSub => LaneOp::Sub,
        LLVMMul => LaneOp::Mul,
        LLVMUDiv => LaneOp::Udiv,
        LLVMSDiv => LaneOp::Sdiv,
        LLVMURem => LaneOp::Urem,
        LLVMSRem => LaneOp::Srem,
        LLVMShl => LaneOp::Shl,
        LLVMLShr => LaneOp::Lshr,
        LLVMAShr => LaneOp::Ashr,
        LLVMAnd => LaneOp::And,
        LLVMOr => LaneOp::Or,
        LLVMXor => LaneOp::Xor,
        LLVMZExt => LaneOp::Zext,
        LLVMSExt => LaneOp::Sext,
        LLVMTrunc => LaneOp::Trunc,
        _ => return None,
    })
}

fn comparison(predicate: LLVMIntPredicate) -> LaneOp {
    match predicate {
        LLVMIntPredicate::LLVMIntEQ => LaneOp::Eq,
        LLVMIntPredicate::LLVMIntNE => LaneOp::Ne,
        LLVMIntPredicate::LLVMIntUGT => LaneOp::Ugt,
        LLVMIntPredicate::LLVMIntUGE => LaneOp::Uge,
        LLVMIntPredicate::LLVMIntULT => LaneOp::Ult,
        LLVMIntPredicate::LLVMIntULE => LaneOp::Ule,
        LLVMIntPredicate::LLVMIntSGT => LaneOp::Sgt,
        LLVMIntPredicate::LLVMIntSGE => LaneOp::Sge,
        LLVMIntPredicate::LLVMIntSLT => LaneOp::Slt,
        LLVMIntPredicate::LLVMIntSLE => LaneOp::Sle,
    }
}

/// An opcode as LLVM writes it.
pub(super) fn mnemonic(opcode: LLVMOpcode) -> Reason {
    format!("{opcode:?}").trim_start_matches("LLVM").to_lowercase()
}
