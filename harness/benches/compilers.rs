//! The compilers' paths on the program of the bench `stages`, each from the program to its outcomes, and whole checks
//! as the main job makes them. The aims, on one core: 1,500 checks a second with Cranelift none and speed; 400 with
//! LLVM's phi and alloca paths at O0 and the mid-end list besides. And what it costs to look at an optimizer's output:
//! the aim is less than 5% of `default<O2>`.

#[path = "programs/two_loops.rs"]
mod program;

use std::cell::Cell;
use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use harness::case::{Case, DEFAULT_FUEL, Form, Program};
use harness::generate::{self, Policy};
use harness::path::llvm::{Costs, costs};
use harness::path::{Detail, Path, registry};
use harness::{check, judge, tac, tiny};

/// As in the command line.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const LAB: [&str; 6] = ["tiny/eval", "lab/naive", "lab/pruned", "lab/phi", "lab/tac", "lab/validator"];
const CRANELIFT: [&str; 2] = ["cranelift/none", "cranelift/speed"];
const LLVM: [&str; 3] = ["llvm/phi-O0", "llvm/alloca-O0", "llvm/alloca-mid"];

fn compilers(criterion: &mut Criterion) {
    let program = Program::Tiny(tiny::parse(program::TWO_LOOPS).expect("the program is right"));
    let case = Case { program, vectors: program::INPUTS.map(Vec::from).to_vec(), fuel: DEFAULT_FUEL };
    let paths = registry();
    let named = |names: &[&str]| -> Vec<&dyn Path> {
        paths.iter().map(|path| &**path).filter(|path| names.contains(&path.id().short().as_str())).collect()
    };

    let mut group = criterion.benchmark_group("observe");
    for path in named(&[&LAB[..], &CRANELIFT, &LLVM, &["llvm/mem2reg-O0", "llvm/phi-O2", "llvm/phi-O2-cg0"]].concat()) {
        group.bench_function(path.id().short(), |b| b.iter(|| path.observe(black_box(&case), Detail::default())));
    }
    group.finish();

    let mut group = criterion.benchmark_group("check");
    for (name, names) in [
        ("lab", LAB.to_vec()),
        ("lab, Cranelift", [&LAB[..], &CRANELIFT].concat()),
        ("lab, Cranelift, LLVM", [&LAB[..], &CRANELIFT, &LLVM].concat()),
    ] {
        let paths = named(&names);
        assert_eq!(paths.len(), names.len(), "a path of {names:?} is not there");
        group.bench_function(name, |b| b.iter(|| check(black_box(&case), &paths, Detail::default())));
    }
    group.finish();
}

/// Raising and running what `default<O2>` makes, beside the pipeline itself, both timed in the same iterations.
fn optimized(criterion: &mut Criterion) {
    let two_loops = Program::Tiny(tiny::parse(program::TWO_LOOPS).expect("the program is right"));
    let two_loops = Case { program: two_loops, vectors: program::INPUTS.map(Vec::from).to_vec(), fuel: DEFAULT_FUEL };
    let generated = |form| (0..100).map(move |index| generate::case(1, index, form, &Policy::default()));
    for (name, cases) in [
        ("two loops", vec![two_loops]),
        ("generated Tiny", generated(Form::Tiny).collect()),
        ("generated TAC", generated(Form::Tac).collect()),
    ] {
        let cases: Vec<(tac::Cfg, Case)> = cases.into_iter().map(|case| (graph(&case.program), ending(case))).collect();
        let total = Cell::new(Costs::default());
        let part = |part: fn(&Costs) -> Duration| {
            let total = &total;
            let mut cases = cases.iter().cycle();
            move |iterations: u64| -> Duration {
                let once = |(cfg, case): &(tac::Cfg, Case)| {
                    let costs = costs(cfg, "default<O2>", black_box(case)).unwrap_or_default();
                    let Costs { passes, raise, interpret } = total.get();
                    let sum = Costs {
                        passes: passes + costs.passes,
                        raise: raise + costs.raise,
                        interpret: interpret + costs.interpret,
                    };
                    total.set(sum);
                    part(&costs)
                };
                cases.by_ref().take(iterations as usize).map(once).sum()
            }
        };
        let mut group = criterion.benchmark_group(format!("optimized form, {name}"));
        let (mut passes, mut raise, mut run) = (part(|it| it.passes), part(|it| it.raise), part(|it| it.interpret));
        group.bench_function("default<O2>", |b| b.iter_custom(&mut passes));
        group.bench_function("raise", |b| b.iter_custom(&mut raise));
        group.bench_function("run", |b| b.iter_custom(&mut run));
        group.finish();
        let Costs { passes, raise, interpret } = total.get();
        let share = (raise + interpret).as_secs_f64() * 100.0 / passes.as_secs_f64();
        println!("optimized form, {name}: raising and running cost {share:.2}% of default<O2>");
    }
}

/// The case with those vectors that end within the fuel, as a check has it.
fn ending(mut case: Case) -> Case {
    let mut ends = judge::reference(&case).into_iter().map(|run| !run.is_out_of_fuel());
    case.vectors.retain(|_| ends.next().unwrap_or_default());
    case
}

fn graph(program: &Program) -> tac::Cfg {
    match program {
        Program::Tiny(program) => tac::cfg(&tac::lower(program)),
        Program::Tac(program) => tac::cfg(program),
        _ => unreachable!("only Tiny and TAC are generated"),
    }
}

criterion_group!(benches, compilers, optimized);
criterion_main!(benches);
