//! Simpler operations, for all languages alike.

use crate::dialect::Dialect;
use crate::op::Op;

/// The operations to try instead of `op`, which takes as many operands: the one at 64 bits, then the lesson's.
pub fn simpler(op: Op) -> Vec<Op> {
    let mut all = Vec::new();
    if let Op::At(narrow, int) = op {
        all.push(narrow.wide(int));
    }
    if op.dialect() == Dialect::Plus {
        match op.arity() {
            1 => all.extend([Op::Neg, Op::Not]),
            2 => all.extend([Op::Add, Op::Sub, Op::Mul, Op::Lt, Op::Div]),
            _ => {}
        }
    }
    all.retain(|simpler| *simpler != op);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chain_ends_with_the_lessons_operations() {
        for op in Op::all() {
            for simpler in simpler(op) {
                assert_eq!(simpler.arity(), op.arity());
                assert!(!matches!(simpler, Op::At(..)), "{op}: {simpler}");
            }
            assert_eq!(simpler(op).is_empty(), op.dialect() == Dialect::Core || op == Op::Select);
        }
    }
}
