//! The compilers' paths on the program of the bench `stages`, each from the program to its outcomes, and whole checks as
//! the main job makes them. The aims, on one core: 1,500 checks a second with Cranelift none and speed; 400 with LLVM's
//! phi and alloca paths at O0 and the mid-end list besides.

#[path = "programs/two_loops.rs"]
mod program;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use harness::case::{Case, DEFAULT_FUEL, Program};
use harness::path::{Detail, Path, registry};
use harness::{check, tiny};

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

criterion_group!(benches, compilers);
criterion_main!(benches);
