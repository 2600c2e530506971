//! What a finding costs: to compare what all of the harness's own paths gave, which every program pays, and to minimize
//! an everyday program under a cheap predicate, so that it is the minimizer's own time.

#[path = "programs/two_loops.rs"]
mod program;

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use harness::case::{Case, DEFAULT_FUEL, Program};
use harness::path::{Detail, interpreters};
use harness::{compare, judge, minimize, tiny};

use program::{INPUTS, TWO_LOOPS};

fn findings(criterion: &mut Criterion) {
    let program = Program::Tiny(tiny::parse(TWO_LOOPS).expect("the program is right"));
    let vectors = INPUTS.map(Vec::from).to_vec();
    let case = Case { program, vectors, fuel: DEFAULT_FUEL };

    let reference = judge::reference(&case);
    let judged: Vec<_> = interpreters::paths()
        .iter()
        .map(|path| {
            let observation = path.observe(&case, Detail::default());
            judge::judge(path.id(), path.toolchain().group, observation, &case, (&reference, None))
        })
        .collect();

    let mut group = criterion.benchmark_group("findings");
    group.bench_function("compare", |b| {
        let compare = |judged| compare::compare(black_box(&case.vectors), &reference, judged);
        b.iter_batched(|| judged.clone(), compare, BatchSize::SmallInput);
    });
    group.sample_size(20);
    group.bench_function("minimize", |b| {
        b.iter(|| minimize::minimize(black_box(&case), &mut runs_on, &mut |_| {}).expect("reducible"));
    });
    group.finish();
}

/// Whether one of the runs takes 50 steps: something of a loop must stay.
fn runs_on(case: &Case) -> bool {
    let Program::Tiny(program) = &case.program else { return false };
    case.vectors.iter().any(|vector| tiny::eval(program, vector, case.fuel).steps >= 50)
}

criterion_group!(benches, findings);
criterion_main!(benches);
