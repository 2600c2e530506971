//! Every operation of the dialect plus in every compiler, on boundary values: by machine code, and by what is raised.

use harness::case::{Case, Program};
use harness::check;
use harness::compare::Verdict;
use harness::op::{Int, Op};
use harness::path::{Detail, Path, registry};
use harness::tac;

/// One path for each construction of each compiler, and those whose optimizers rewrite operations.
const PATHS: [&str; 9] =
    ["tac", "naive", "none", "speed", "params-speed", "phi-O0", "mem2reg-O0", "mem2reg-mid", "alloca-O2"];

/// Numbers around the limits of the widths that matter to the operation.
fn numbers(op: Op) -> Vec<i64> {
    let bits = if let Op::At(_, int) = op { int.bits() } else { 64 };
    let mut numbers = vec![0, 1, 2, 3, 7, -1, -2, bits.into(), i64::from(bits) + 1, 0x1234_5678_9abc_def0, i64::MIN];
    for k in [bits - 1, bits] {
        let power = 1i64.wrapping_shl(k);
        numbers.extend([power, power.wrapping_sub(1), power.wrapping_neg()]);
    }
    numbers
}

/// Runs programs of one operation: on inputs, and on an input and a constant on either side.
fn conforms(ops: impl Iterator<Item = Op>) {
    let paths = registry();
    let paths: Vec<&dyn Path> =
        paths.iter().map(|path| &**path).filter(|path| PATHS.contains(&&*path.id().variant)).collect();
    assert!(paths.len() >= 3);
    let mut raised = 0;
    for op in ops {
        let numbers = numbers(op);
        let other = |k: usize| numbers[(k * 5 + 3) % numbers.len()];
        let mut programs = vec![(format!("x = {op} {}", ["a", "a, b", "a, b, c"][op.arity() - 1]), true)];
        if op.arity() > 1 {
            for k in [0, 3, 5, 7, 12] {
                programs
                    .push((format!("x = {op} a, {}{}", numbers[k], if op.arity() == 3 { ", b" } else { "" }), false));
                programs
                    .push((format!("x = {op} {}, a{}", numbers[k], if op.arity() == 3 { ", b" } else { "" }), false));
            }
        }
        for (text, all_pairs) in programs {
            let program = tac::parse(&format!("# dialect: plus\ninput a, b, c\n  {text}\n  ret x")).expect("a program");
            let mut vectors = Vec::new();
            for (k, &a) in numbers.iter().enumerate() {
                let seconds = if all_pairs && op.arity() > 1 { &numbers[..] } else { &numbers[..1] };
                vectors.extend(seconds.iter().map(|&b| vec![a, b, other(k)]));
            }
            let case = Case { program: Program::Tac(program), vectors, fuel: 100 };
            let report = check(&case, &paths, Detail::default());
            assert_eq!(report.verdict, Verdict::Agree, "{text}\n{report:#?}");
            assert_eq!(report.unsupported, [], "{text}");
            raised += 1;
        }
    }
    assert!(raised > 0);
}

#[test]
fn at_64_bits() {
    conforms(Op::WIDE.iter().copied());
}

fn at(int: Int) {
    conforms(Op::all().filter(|op| matches!(op, Op::At(_, at) if *at == int)));
}

#[test]
fn at_8_bits() {
    at(Int::S8);
    at(Int::U8);
}

#[test]
fn at_16_bits() {
    at(Int::S16);
    at(Int::U16);
}

#[test]
fn at_32_bits() {
    at(Int::S32);
    at(Int::U32);
}
