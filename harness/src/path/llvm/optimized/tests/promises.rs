//! What is promised after some runs: what all of them keep, by a second formulation of each promise, and no more.

use inkwell::context::Context;

use super::{Vector, module, numbers, text};
use crate::case::{Case, Form, Program};
use crate::dialect::Dialect;
use crate::generate::{self, Policy};
use crate::judge;
use crate::op::{End, Outcome};
use crate::path::llvm::machine::{CodeGen, Machine};
use crate::path::llvm::optimized::{promises, raise};
use crate::path::llvm::session::Session;
use crate::path::{Detail, Path, Stage, llvm};
use crate::{check, tac, tiny};

fn case(program: &str, vectors: &[Vector]) -> Case {
    let vectors = vectors.iter().map(|vector| vector.to_vec()).collect();
    Case { program: Program::Tac(tac::parse(program).unwrap()), vectors, fuel: 1000 }
}

/// The function's text with the promises that it keeps on these vectors.
fn promising(body: &str, vectors: &[Vector]) -> String {
    let session = Session::new();
    let module = module(&session, &text("", body));
    let context: &Context = &session.context;
    let added = Machine::with(CodeGen::None, |machine| {
        machine.adopt(&module);
        promises::add(context, &module, &case("ret 0", vectors))
    });
    assert!(added.is_ok() && module.verify().is_ok());
    raise(&module).unwrap();
    module.print_to_string().to_string()
}

/// Whether a promise is kept on two numbers.
type Keeps = fn(i64, i64) -> bool;

const WRAPPING: [(&str, Keeps, Keeps); 4] = [
    ("add", |x, y| (x as u64).checked_add(y as u64).is_some(), |x, y| x.checked_add(y).is_some()),
    ("sub", |x, y| (x as u64).checked_sub(y as u64).is_some(), |x, y| x.checked_sub(y).is_some()),
    ("mul", |x, y| (x as u64).checked_mul(y as u64).is_some(), |x, y| x.checked_mul(y).is_some()),
    ("shl", |x, y| (x as u64) << y >> y == x as u64, |x, y| x << y >> y == x),
];

const OTHERS: [(&str, &str, Keeps); 7] = [
    ("udiv exact", "udiv", |x, y| (x as u64).is_multiple_of(y as u64)),
    ("sdiv exact", "sdiv", |x, y| x.wrapping_rem(y) == 0),
    ("lshr exact", "lshr", |x, y| x as u64 >> y << y == x as u64),
    ("ashr exact", "ashr", |x, y| x >> y << y == x),
    ("or disjoint", "or", |x, y| x & y == 0),
    ("icmp samesign slt", "icmp slt", |x, y| (x < 0) == (y < 0)),
    ("icmp samesign eq", "icmp eq", |x, y| (x < 0) == (y < 0)),
];

/// Pairs of runs of an operation on numbers on which it is defined.
fn runs(op: &str) -> Vec<[Vector; 2]> {
    let second: Vec<i64> = match op {
        "shl" | "lshr" | "ashr" => vec![0, 1, 5, 63],
        "udiv" | "sdiv" => vec![1, 2, 3, -1, i64::MAX],
        _ => vec![0, 1, -1, 6, i64::MIN, i64::MAX],
    };
    let pairs: Vec<Vector> = numbers().into_iter().flat_map(|x| second.iter().map(move |&y| [x, y, 0])).collect();
    let defined = |pair: &[Vector; 2]| pair.iter().all(|[x, y, _]| op != "sdiv" || (*x, *y) != (i64::MIN, -1));
    pairs.windows(2).map(|pair| [pair[0], pair[1]]).filter(defined).step_by(7).collect()
}

#[test]
fn a_flag_is_there_exactly_when_every_run_keeps_it() {
    let check = |op: &str, flags: &[(&str, Keeps)]| {
        let mut seen = [false; 2];
        for vectors in runs(op) {
            let text = promising(&format!("%r = {op} i64 %x, %y\nret i64 %x"), &vectors);
            let line = text.lines().find(|line| line.contains("%r =")).unwrap();
            let head = line.split(" i64").next().unwrap();
            for (flag, keeps) in flags {
                let kept = vectors.iter().all(|&[x, y, _]| keeps(x, y));
                assert_eq!(head.contains(flag), kept, "{vectors:?}: {line}");
                seen[usize::from(kept)] = true;
            }
        }
        assert_eq!(seen, [true; 2], "{op}");
    };
    for (op, unsigned, signed) in WRAPPING {
        check(op, &[("nuw", unsigned), ("nsw", signed)]);
    }
    for (with, op, keeps) in OTHERS {
        check(op, &[(with, keeps)]);
    }
}

#[test]
fn casts_and_loads_promise_too() {
    let body = "%a = trunc i64 %x to i8\n%b = zext i8 %a to i64\nret i64 %b";
    let text = promising(body, &[[5, 0, -3], [100, 1, 4], [0, 1, 0]]);
    for part in ["trunc nuw nsw i64", "zext nneg i8", "!{i64 0, i64 128}", "!{i64 0, i64 2}", "!{i64 -8, i64 8}"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let text = promising(body, &[[200, i64::MIN, i64::MAX], [5, 0, 0]]);
    assert!(text.contains("trunc nuw i64") && text.contains("zext i8"), "{text}");
    assert!(text.contains("!{i64 0, i64 -9223372036854775808}"), "{text}");
    assert_eq!(text.matches("!range").count(), 2, "all numbers are no range\n{text}");
}

#[test]
fn addresses_promise_to_stay_within_their_object() {
    let body = "%array = alloca [4 x i64]\n%place = getelementptr [4 x i64], ptr %array, i64 0, i64 %x
store i64 %y, ptr %array\n%far = getelementptr i64, ptr %place, i64 %z\nret i64 %y";
    let lines = |vectors: &[Vector]| {
        let text = promising(body, vectors);
        let line = |name: &str| text.lines().find(|line| line.contains(name)).unwrap().to_string();
        [line("%place ="), line("%far =")]
    };
    let [place, far] = lines(&[[3, 0, -2], [4, 0, 0]]);
    assert!(place.contains("getelementptr inbounds nuw [4"), "{place}");
    assert!(far.contains("getelementptr inbounds i64"), "{far}");
    let [place, far] = lines(&[[5, 0, 1], [0, 0, 0]]);
    assert!(place.contains("getelementptr nusw nuw [4") && far.contains("getelementptr nusw nuw i64"), "{place}{far}");
    let [_, far] = lines(&[[0, 0, i64::MIN]]);
    assert!(far.contains("getelementptr i64"), "{far}");
}

const BRANCH: &str = "%c = icmp slt i64 %x, 10\nbr i1 %c, label %a, label %b
a:\n%p = add i64 %x, 1\nret i64 %p\nb:\n%q = add i64 %x, 1\nret i64 %q";

#[test]
fn what_never_runs_promises_nothing_and_branches_have_weights() {
    let text = promising(BRANCH, &[[1, 0, 0], [2, 0, 0]]);
    assert!(text.contains("%p = add nuw nsw i64") && text.contains("%q = add i64"), "{text}");
    assert!(text.contains(r#"!{!"branch_weights", i32 2, i32 0}"#), "{text}");
    let text = promising(BRANCH, &[[1, 0, 0], [i64::MAX, 0, 0], [20, 0, 0]]);
    assert!(text.contains("%q = add nuw i64"), "{text}");
    assert!(text.contains(r#"!{!"branch_weights", i32 1, i32 2}"#), "{text}");
}

#[test]
fn a_run_that_does_not_end_or_is_undefined_leaves_no_promise() {
    let plain = |body: &str, vectors: &[Vector]| {
        let text = promising(body, vectors);
        assert!(!text.contains("nuw") && !text.contains("!range") && !text.contains("!prof"), "{text}");
    };
    plain("%r = add i64 %x, 1\nbr label %l\nl:\nbr label %l", &[[1, 2, 3]]);
    plain("%r = add i64 %x, 1\n%p = shl i64 %x, 64\nret i64 %p", &[[1, 2, 3]]);
}

/// The argument of `docs/POISON.md`, run: with all promises, before any pass, the reference's outcome on every vector.
#[test]
fn promises_as_written_change_no_outcome() {
    let paths: Vec<Box<dyn Path>> =
        llvm::paths().into_iter().filter(|path| path.id().variant.ends_with("O2-flags")).collect();
    assert_eq!(paths.len(), 4);
    let detail = Detail { texts: true, construct_only: true, ..Detail::default() };
    let (mut promises, mut runs) = (0, 0);
    for index in 0..60 {
        let form = [Form::Tiny, Form::Tac][index as usize % 2];
        let policy = Policy { dialect: Dialect::Plus, fuel: 3000, ..Policy::default() };
        let mut case = generate::case(31, index, form, &policy);
        let reference = judge::reference(&case);
        let ends: Vec<bool> = reference.iter().map(|run| !run.is_out_of_fuel()).collect();
        let mut keep = ends.iter();
        case.vectors.retain(|_| *keep.next().unwrap());
        let right: Vec<Option<Outcome>> =
            reference.iter().filter(|run| !run.is_out_of_fuel()).map(|run| Some(run.outcome.clone())).collect();
        for path in paths.iter().filter(|path| !path.id().variant.starts_with("steps")) {
            let observation = path.observe(&case, detail);
            assert_eq!(observation.interpreted, [(Stage::Construct, right.clone())], "{:?}", case.program);
            let (_, text) = observation.texts.iter().find(|(name, _)| name == "llvm-flags").unwrap();
            promises += text.matches("nsw").count() + text.matches("!range").count();
            runs += right.len();
        }
    }
    assert!(promises > 1000 && runs > 200, "{promises} promises, {runs} runs");
}

/// A vector on which the reference does not end takes no part: what it breaks is promised all the same, and no compiled
/// code runs on it.
#[test]
fn a_vector_without_end_has_no_say() {
    let program = "input a; s = a + 1; while s < a { } return s";
    let case = Case {
        program: Program::Tiny(tiny::parse(program).unwrap()),
        vectors: vec![vec![5], vec![i64::MAX], vec![9]],
        fuel: 1000,
    };
    let paths: Vec<Box<dyn Path>> =
        llvm::paths().into_iter().filter(|path| path.id().variant.ends_with("-flags")).collect();
    let paths: Vec<&dyn Path> = paths.iter().map(|path| &**path).collect();
    let report = check(&case, &paths, Detail { texts: true, ..Detail::default() });
    assert_eq!(report.signature, None);
    let ends: Vec<End> = report.runs.iter().map(|run| run.right.end).collect();
    assert_eq!(ends, [End::Return(6), End::OutOfFuel, End::Return(10)]);
    let observed = paths[0]
        .observe(&Case { vectors: vec![vec![5], vec![9]], ..case }, Detail { texts: true, ..Detail::default() });
    let (_, text) = observed.texts.iter().find(|(name, _)| name == "llvm-flags").unwrap();
    assert!(text.contains("add nuw nsw i64"), "{text}");
}
