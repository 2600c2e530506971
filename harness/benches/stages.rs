//! The lab's stages on one everyday program, and all of them in a row, on it and on generated programs: at least 20,000
//! programs a second.

#[path = "programs/two_loops.rs"]
mod program;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use harness::case::{Form, Program};
use harness::generate::{self, Policy};
use harness::lab::{self, Function};
use harness::op::End;
use harness::{tac, tiny};

use program::TWO_LOOPS;

const INPUTS: [i64; 2] = program::INPUTS[0];

const FUEL: u64 = 100_000;

/// How many programs are generated in an iteration: enough for large and small ones.
const GENERATED: u64 = 1_000;

fn pruned(program: &tiny::Program) -> Function {
    let mut function = lab::construct_naive(program);
    lab::prune_dead(&mut function);
    lab::prune_trivial(&mut function);
    function
}

fn stages(criterion: &mut Criterion) {
    let program = tiny::parse(TWO_LOOPS).expect("the program is right");
    let lines = tac::lower(&program);
    let cfg = tac::cfg(&lines);
    let naive = lab::construct_naive(&program);
    let mut live = naive.clone();
    lab::prune_dead(&mut live);
    let ssa = pruned(&program);
    let phi = lab::args_to_phi(&ssa);
    let text = ssa.to_string();

    let mut group = criterion.benchmark_group("stages");
    group.bench_function("tiny parse", |b| b.iter(|| tiny::parse(black_box(TWO_LOOPS))));
    group.bench_function("tiny eval", |b| b.iter(|| tiny::eval(black_box(&program), &INPUTS, FUEL)));
    group.bench_function("tac lower", |b| b.iter(|| tac::lower(black_box(&program))));
    group.bench_function("tac cfg", |b| b.iter(|| tac::cfg(black_box(&lines))));
    group.bench_function("construct naive", |b| b.iter(|| lab::construct_naive(black_box(&program))));
    group.bench_function("construct maximal", |b| b.iter(|| lab::construct_maximal(black_box(&cfg))));
    group.bench_function("construct live", |b| b.iter(|| lab::construct_live(black_box(&cfg))));
    // The clone that the prunings start from is part of their figures.
    group.bench_function("clone", |b| b.iter(|| black_box(&naive).clone()));
    group.bench_function("prune dead", |b| {
        b.iter(|| {
            let mut function = black_box(&naive).clone();
            lab::prune_dead(&mut function);
            function
        });
    });
    group.bench_function("prune trivial", |b| {
        b.iter(|| {
            let mut function = black_box(&live).clone();
            lab::prune_trivial(&mut function);
            function
        });
    });
    group.bench_function("args to phi", |b| b.iter(|| lab::args_to_phi(black_box(&ssa))));
    group.bench_function("phi to args", |b| b.iter(|| lab::phi_to_args(black_box(&phi))));
    group.bench_function("validate", |b| b.iter(|| lab::validate(black_box(&ssa))));
    group.bench_function("validate phi", |b| b.iter(|| lab::validate_phi(black_box(&phi))));
    group.bench_function("interpret", |b| b.iter(|| lab::run(black_box(&ssa), &INPUTS, FUEL)));
    group.bench_function("interpret phi", |b| b.iter(|| lab::run_phi(black_box(&phi), &INPUTS, FUEL)));
    group.bench_function("print ssa", |b| b.iter(|| black_box(&ssa).to_string()));
    group.bench_function("parse ssa", |b| b.iter(|| lab::parse_ssa(black_box(&text))));
    group.bench_function("all but generate", |b| b.iter(|| all(black_box(&program), &INPUTS, FUEL)));

    group.throughput(Throughput::Elements(GENERATED));
    let generate = |index| generate::case(1, index, Form::Tiny, &Policy::default());
    group.bench_function("generate", |b| b.iter(|| (0..GENERATED).for_each(|index| drop(black_box(generate(index))))));
    group.bench_function("generate and all", |b| {
        b.iter(|| {
            for case in (0..GENERATED).map(generate) {
                let Program::Tiny(program) = &case.program else { unreachable!("Tiny was asked for") };
                all(program, &case.vectors[0], case.fuel);
            }
        });
    });
    group.finish();
}

/// All that the lab does with a program and one vector.
fn all(program: &tiny::Program, inputs: &[i64], fuel: u64) {
    let expected = tiny::eval(program, inputs, fuel);
    let naive = lab::construct_naive(program);
    let ssa = pruned(program);
    let split = lab::split_conflicts(&ssa);
    let phi = lab::args_to_phi(&split);
    let valid = lab::validate(&naive).is_empty()
        && lab::validate(&ssa).is_empty()
        && lab::validate_phi(&phi).is_empty()
        && lab::phi_to_args(&phi) == split;
    // Split edges cost steps, so fuel may end that run alone.
    let phi_end = lab::run_phi(&phi, inputs, fuel).outcome;
    let same = lab::run(&naive, inputs, fuel) == expected
        && lab::run(&ssa, inputs, fuel) == expected
        && (phi_end == expected.outcome || phi_end.end == End::OutOfFuel);
    assert!(valid && same);
}

criterion_group!(benches, stages);
criterion_main!(benches);
