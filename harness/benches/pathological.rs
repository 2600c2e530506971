//! The lesson's pathological family (§5): m diamonds, each of which assigns all V variables, so that even minimal SSA has
//! V parameters at every join. Criterion's throughput counts diamonds times variables; construction with pruning is to
//! cost at most 150 ns for each.

mod family;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use harness::lab::{self, Function};
use harness::tac;

const DIAMONDS: usize = 10_000;
const VARIABLES: u32 = 20;

fn pathological(criterion: &mut Criterion) {
    let program = family::pathological(DIAMONDS, VARIABLES);
    let cfg = tac::cfg(&tac::lower(&program));

    let mut group = criterion.benchmark_group("pathological");
    group.throughput(Throughput::Elements(DIAMONDS as u64 * u64::from(VARIABLES)));
    group.sample_size(20);
    group.bench_function("lab naive", |b| b.iter(|| lab::construct_naive(black_box(&program))));
    group.bench_function("lab naive, pruned", |b| b.iter(|| pruned(lab::construct_naive(black_box(&program)))));
    group.bench_function("lab live", |b| b.iter(|| lab::construct_live(black_box(&cfg))));
    group.bench_function("lab live, pruned", |b| {
        b.iter(|| {
            let mut function = lab::construct_live(black_box(&cfg));
            lab::prune_trivial(&mut function);
            function
        });
    });
    group.finish();
}

fn pruned(mut function: Function) -> Function {
    lab::prune_dead(&mut function);
    lab::prune_trivial(&mut function);
    function
}

criterion_group!(benches, pathological);
criterion_main!(benches);
