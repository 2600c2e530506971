//! The table of meanings against Cranelift's own machine code: each opcode at each width, on boundary values, as
//! written and as the optimizer leaves it, for both machines.

use std::cell::RefCell;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, Opcode, Type, Value, types};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};

use super::compiler::{Compiler, Stop};
use super::machine::Machine;
use super::promises::Promises;
use super::{VARIANTS, Variant, emit, target};
use crate::case::{Case, Program};
use crate::lab;
use crate::op::End;
use crate::path::{Detail, Observation};

const WIDTHS: [Type; 4] = [types::I8, types::I16, types::I32, types::I64];

const UNARY: [Opcode; 8] =
    [Opcode::Ineg, Opcode::Bnot, Opcode::Iabs, Opcode::Clz, Opcode::Ctz, Opcode::Popcnt, Opcode::Bitrev, Opcode::Bswap];

const BINARY: [Opcode; 21] = [
    Opcode::Iadd,
    Opcode::Isub,
    Opcode::Imul,
    Opcode::Band,
    Opcode::Bor,
    Opcode::Bxor,
    Opcode::Smin,
    Opcode::Smax,
    Opcode::Umin,
    Opcode::Umax,
    Opcode::Ishl,
    Opcode::Ushr,
    Opcode::Sshr,
    Opcode::Rotl,
    Opcode::Rotr,
    Opcode::Smulhi,
    Opcode::Umulhi,
    Opcode::Udiv,
    Opcode::Urem,
    Opcode::Sdiv,
    Opcode::Srem,
];

const TERNARY: [Opcode; 3] = [Opcode::Select, Opcode::SelectSpectreGuard, Opcode::Bitselect];

const CONDITIONS: [IntCC; 10] = [
    IntCC::Equal,
    IntCC::NotEqual,
    IntCC::SignedLessThan,
    IntCC::SignedLessThanOrEqual,
    IntCC::SignedGreaterThan,
    IntCC::SignedGreaterThanOrEqual,
    IntCC::UnsignedLessThan,
    IntCC::UnsignedLessThanOrEqual,
    IntCC::UnsignedGreaterThan,
    IntCC::UnsignedGreaterThanOrEqual,
];

/// Numbers with many bit patterns around every width's limits.
fn numbers() -> Vec<i64> {
    let mut numbers = vec![0, 1, 2, 3, 7, -1, -2, 0x1234_5678_9abc_def0, i64::MIN, i64::MAX];
    for k in [7, 8, 15, 16, 31, 32, 63] {
        let power = 1i64 << k;
        numbers.extend([power, power.wrapping_sub(1), power.wrapping_neg()]);
    }
    numbers
}

/// Vectors of three values: every pair of numbers first.
fn pairs() -> Vec<Vec<i64>> {
    let numbers = numbers();
    let pairs = numbers.iter().flat_map(|&a| numbers.iter().map(move |&b| (a, b)));
    pairs.map(|(a, b)| vec![a, b, a.rotate_left(13) ^ b]).collect()
}

/// Vectors of three values of which only the first matters.
fn singles() -> Vec<Vec<i64>> {
    numbers().into_iter().map(|a| vec![a, 0, 0]).collect()
}

type Body<'a> = &'a dyn Fn(&mut FunctionBuilder<'_>, [Value; 3]) -> Value;

/// Compiles a function of three inputs, narrowed to `width`, and compares what its machine code gives with what the
/// raised forms give.
fn check(name: &str, width: Type, vectors: Vec<Vec<i64>>, body: Body<'_>) {
    thread_local! {
        /// Kept, since an emulator takes a while to start.
        static COMPILER: RefCell<Compiler> = RefCell::new(Compiler::new().expect("a compiler"));
    }
    let source = lab::parse_ssa("ssa(a, b, c)\nentry:\n  ret 0").expect("a function");
    let program = Program::Ssa(source);
    let few = vectors.iter().step_by(7).cloned().collect();
    let all = Case { program: program.clone(), vectors, fuel: 100 };
    let few = Case { program, vectors: few, fuel: 100 };
    let emulated = |variant: &&Variant| variant.machine == Machine::Aarch64;
    for variant in VARIANTS[..2].iter().chain(VARIANTS.iter().filter(emulated)) {
        let case = if emulated(&variant) { &few } else { &all };
        let at = format!("{name}.{width}, {}", variant.name);
        let isa = target(*variant, &[]).expect("a target");
        let lower = |function: &mut ir::Function, context: &mut FunctionBuilderContext| {
            emit::declare(function, isa.as_ref());
            let mut builder = FunctionBuilder::new(function, context);
            let entry = builder.create_block();
            builder.switch_to_block(entry);
            let (loaded, _) = emit::load_inputs(&mut builder, entry, 3, std::iter::empty(), Promises::Nothing);
            let narrowed = [0, 1, 2].map(|i| match width {
                types::I64 => loaded[i],
                _ => builder.ins().ireduce(width, loaded[i]),
            });
            let result = body(&mut builder, narrowed);
            let wide = match builder.func.dfg.value_type(result) {
                types::I64 => result,
                _ => builder.ins().uextend(types::I64, result),
            };
            builder.ins().return_(&[wide]);
            builder.seal_all_blocks();
            builder.finalize(isa.frontend_config());
        };
        let mut seen = Observation::empty();
        let detail = Detail { texts: true, ..Detail::default() };
        match COMPILER.with_borrow_mut(|compiler| compiler.observe(isa.as_ref(), lower, case, detail, &mut seen)) {
            Ok(()) => {}
            Err(Stop::Fault(fault)) => panic!("{at}: {fault:?}"),
            Err(Stop::Unsupported(unsupported)) => panic!("{at}: {unsupported:?}"),
        }
        assert_eq!((&seen.unsupported[..], seen.raised.len()), (&[][..], 2), "{at}");
        for raised in &seen.raised {
            assert_eq!(lab::validate(&raised.function), [], "{at}\n{}", raised.function);
            for (vector, native) in case.vectors.iter().zip(&seen.outcomes) {
                let interpreted = lab::run(&raised.function, vector, 100).outcome;
                assert_eq!(
                    Some(&interpreted),
                    native.as_ref(),
                    "{at}, {}, {vector:x?}\n{}",
                    raised.stage,
                    raised.function
                );
            }
        }
        let returned = seen.outcomes.iter().flatten().filter(|it| matches!(it.end, End::Return(_))).count();
        assert!(2 * returned > case.vectors.len(), "{at}: only {returned} vectors give a result");
    }
}

/// Whether the back ends and the lab have the opcode at this width.
fn exists(opcode: Opcode, width: Type) -> bool {
    match opcode {
        Opcode::Bswap | Opcode::Smulhi | Opcode::Umulhi => width != types::I8,
        Opcode::Sdiv => width == types::I64,
        _ => true,
    }
}

#[test]
fn unary_operations() {
    for opcode in UNARY {
        for width in WIDTHS.into_iter().filter(|&width| exists(opcode, width)) {
            check(&opcode.to_string(), width, singles(), &|builder, [a, ..]| {
                let (inst, dfg) = builder.ins().Unary(opcode, width, a);
                dfg.first_result(inst)
            });
        }
    }
}

#[test]
fn binary_operations() {
    for opcode in BINARY {
        for width in WIDTHS.into_iter().filter(|&width| exists(opcode, width)) {
            check(&opcode.to_string(), width, pairs(), &|builder, [a, b, _]| {
                let (inst, dfg) = builder.ins().Binary(opcode, width, a, b);
                dfg.first_result(inst)
            });
        }
    }
}

/// Division and shifts by constants are where the optimizer brings in the most.
#[test]
fn binary_operations_with_a_constant() {
    for opcode in BINARY {
        for width in WIDTHS.into_iter().filter(|&width| exists(opcode, width)) {
            for constant in [1, 3, 7, 8, -1, -8, 10, i64::MIN >> (64 - width.bits())] {
                check(&format!("{opcode} by {constant}"), width, singles(), &|builder, [a, ..]| {
                    let constant = constant & (u64::MAX >> (64 - width.bits())) as i64;
                    let b = builder.ins().iconst(width, constant);
                    let (inst, dfg) = builder.ins().Binary(opcode, width, a, b);
                    dfg.first_result(inst)
                });
            }
        }
    }
}

#[test]
fn ternary_operations() {
    for opcode in TERNARY {
        for width in WIDTHS {
            check(&opcode.to_string(), width, pairs(), &|builder, [a, b, c]| {
                let (inst, dfg) = builder.ins().Ternary(opcode, width, a, b, c);
                dfg.first_result(inst)
            });
        }
    }
}

#[test]
fn comparisons() {
    for condition in CONDITIONS {
        for width in WIDTHS {
            check(&format!("icmp {condition}"), width, pairs(), &|builder, [a, b, _]| {
                builder.ins().icmp(condition, a, b)
            });
        }
    }
}

#[test]
fn conversions() {
    for from in WIDTHS {
        for to in WIDTHS {
            check(&format!("bmask.{from}"), from, singles(), &|builder, [a, ..]| builder.ins().bmask(to, a));
            if from.bits() < to.bits() {
                check(&format!("sextend to {to}"), from, singles(), &|builder, [a, ..]| builder.ins().sextend(to, a));
                check(&format!("uextend to {to}"), from, singles(), &|builder, [a, ..]| builder.ins().uextend(to, a));
            }
        }
    }
}
