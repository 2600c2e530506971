//! The lesson's pathological family (§5): m diamonds, each of which assigns all V variables, so that even minimal SSA
//! has V parameters at every join. Criterion's throughput counts diamonds times variables; construction with pruning is
//! to cost at most 150 ns for each. Beside it stand Cranelift's `SSABuilder` and LLVM's mem2reg on the same
//! control-flow graph. Every figure includes dropping the result.

#[path = "programs/pathological.rs"]
mod program;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use harness::lab::{self, Function};
use harness::{path, tac};

/// As in the command line: it serves LLVM's allocations too.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const DIAMONDS: usize = 10_000;
const VARIABLES: u32 = 20;

fn pathological(criterion: &mut Criterion) {
    let program = program::pathological(DIAMONDS, VARIABLES);
    let cfg = tac::cfg(&tac::lower(&program));

    let mut group = criterion.benchmark_group("pathological");
    group.throughput(Throughput::Elements(DIAMONDS as u64 * u64::from(VARIABLES)));
    group.sample_size(20);
    let mut measure = |name: &str, construct: &dyn Fn() -> Function| {
        group.bench_function(name, |b| b.iter(construct));
    };
    measure("lab naive", &|| lab::construct_naive(black_box(&program)));
    measure("lab naive, pruned", &|| pruned(lab::construct_naive(black_box(&program))));
    measure("lab live", &|| lab::construct_live(black_box(&cfg)));
    measure("lab live, pruned", &|| {
        let mut function = lab::construct_live(black_box(&cfg));
        lab::prune_trivial(&mut function);
        function
    });
    group.bench_function("SSABuilder", |b| b.iter(|| path::cranelift::construct(black_box(&cfg))));
    group.sample_size(10);
    group.bench_function("mem2reg", |b| b.iter(|| path::llvm::construct(black_box(&cfg))));
    group.finish();
}

fn pruned(mut function: Function) -> Function {
    lab::prune_dead(&mut function);
    lab::prune_trivial(&mut function);
    function
}

criterion_group!(benches, pathological);
criterion_main!(benches);
