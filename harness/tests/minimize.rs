//! The minimizer with cheap predicates: a program "is wrong" when reading one of its operations otherwise changes an
//! outcome, as a faulty lowering would.

use arbitrary::Unstructured;
use harness::case::{Case, Form, Program};
use harness::generate::breaks::{break_function, break_phi_function};
use harness::generate::function::{valid_function, valid_phi_function};
use harness::generate::{self, Choices, Policy, SplitMix64};
use harness::lab::{self, Clause, Function};
use harness::minimize::{Minimized, NotReducible, candidates, minimize};
use harness::op::{End, Op, Outcome};
use harness::tiny::walk;
use harness::tiny::{Expr, Stmt};
use harness::{tac, tiny, validators};

/// Small, because many candidates never end.
const FUEL: u64 = 3_000;

fn tiny_case(text: &str, vectors: &[&[i64]]) -> Case {
    case(Program::Tiny(tiny::parse(text).unwrap()), vectors)
}

fn case(program: Program, vectors: &[&[i64]]) -> Case {
    Case { program, vectors: vectors.iter().map(|vector| vector.to_vec()).collect(), fuel: FUEL }
}

fn text(case: &Case) -> String {
    match &case.program {
        Program::Tiny(program) => program.to_string(),
        Program::Tac(program) => program.to_string(),
        Program::Ssa(function) => function.to_string(),
        Program::Phi(function) => function.to_string(),
    }
}

fn outcome(program: &Program, vector: &[i64], fuel: u64) -> Outcome {
    match program {
        Program::Tiny(program) => tiny::eval(program, vector, fuel).outcome,
        Program::Tac(program) => tac::eval(program, vector, fuel).outcome,
        Program::Ssa(function) => lab::run(function, vector, fuel).outcome,
        Program::Phi(function) => lab::run_phi(function, vector, fuel).outcome,
    }
}

/// Whether some run that ends has another outcome when the program is misread.
fn differs(case: &Case, misread: &dyn Fn(&Program) -> Program) -> bool {
    let wrong = misread(&case.program);
    case.vectors.iter().any(|vector| {
        let right = outcome(&case.program, vector, case.fuel);
        right.end != End::OutOfFuel && outcome(&wrong, vector, case.fuel) != right
    })
}

/// Reads every operation `from` as `to`; with `swapped`, its operands the other way round.
fn misread(program: &Program, from: Op, to: Op, swapped: bool) -> Program {
    let mut program = program.clone();
    let instructions = |op: &mut Op, args: &mut [_]| {
        if *op == from {
            *op = to;
            if swapped {
                args.reverse();
            }
        }
    };
    match &mut program {
        Program::Tiny(program) => {
            for n in 0..walk::expressions(program).len() {
                if let Some(Expr::Binary(op, left, right)) = walk::expression_mut(program, n)
                    && *op == from
                {
                    *op = to;
                    if swapped {
                        std::mem::swap(left, right);
                    }
                }
            }
        }
        Program::Tac(program) => {
            for line in &mut program.lines {
                if let tac::Line::Assign(assign) = line
                    && assign.op == from
                {
                    assign.op = to;
                    if swapped {
                        assign.args.swap(0, 1);
                    }
                }
            }
        }
        Program::Ssa(Function { blocks, .. }) => blocks
            .iter_mut()
            .flat_map(|block| &mut block.body)
            .for_each(|inst| instructions(&mut inst.op, &mut inst.args[..2])),
        Program::Phi(function) => function
            .blocks
            .iter_mut()
            .flat_map(|block| &mut block.body)
            .for_each(|inst| instructions(&mut inst.op, &mut inst.args[..2])),
    }
    program
}

/// Minimizes, and checks what every result must be: still interesting, 1-minimal, its own text, and the same again.
fn minimized(case: &Case, interesting: &dyn Fn(&Case) -> bool) -> Minimized {
    let run = || minimize(case, &mut |case| interesting(case), &mut |_| {}).unwrap();
    let result = run();
    assert!(interesting(&result.case));
    for (pass, candidate) in candidates(&result.case) {
        assert!(!interesting(&candidate), "{pass} goes on:\n{}\n{}", text(&result.case), text(&candidate));
    }
    let parsed = match &result.case.program {
        Program::Tiny(_) => tiny::parse(&text(&result.case)).map(Program::Tiny),
        Program::Tac(_) => tac::parse(&text(&result.case)).map(Program::Tac),
        Program::Ssa(_) => lab::parse_ssa(&text(&result.case)).map(Program::Ssa),
        Program::Phi(_) => lab::parse_phi(&text(&result.case)).map(Program::Phi),
    };
    assert_eq!(parsed.as_ref(), Ok(&result.case.program));
    let again = run();
    assert_eq!((&again.case, again.tests, again.steps), (&result.case, result.tests, result.steps));
    result
}

const RUNNING: &str = "input n, k;
    s = 0; i = 1; big = 4611686018427387904;
    while i <= n && k < 100 {
      if i % 3 == 0 || i % 5 == 0 { s = s + i; } else { t = s - k * 2; u = t + big; }
      p = q; q = r; r = i;
      i = i + 1;
    }
    d = s - i;
    if d > 0 { while d > 10 { d = d / 2; } } else { d = -d; }
    return s + t + u + p + d";

#[test]
fn swapped_operands_of_a_subtraction_need_one_subtraction() {
    let wrong = |case: &Case| differs(case, &|program| misread(program, Op::Sub, Op::Sub, true));
    let result = minimized(&tiny_case(RUNNING, &[&[3, 4], &[10, 7]]), &wrong);
    assert_eq!(text(&result.case), "return 0 - 1\n");
    assert_eq!(result.case.vectors, [Vec::<i64>::new()]);
    assert!(result.tests < 60, "{}", result.tests);
}

#[test]
fn a_lagged_copy_in_a_loop_needs_the_loop_and_two_copies() {
    fn lagged(list: &[Stmt]) -> bool {
        list.windows(2).any(|pair| match pair {
            [Stmt::Assign(x, Expr::Var(y)), Stmt::Assign(target, Expr::Var(z))] => {
                target == y && x != y && y != z && x != z
            }
            _ => false,
        })
    }
    let wrong = |case: &Case| {
        let Program::Tiny(program) = &case.program else { return false };
        walk::lists(program)
            .iter()
            .any(|list| list.iter().any(|stmt| matches!(stmt, Stmt::While(_, body) if lagged(body))))
    };
    let result = minimized(&tiny_case(RUNNING, &[&[3, 4], &[10, 7]]), &wrong);
    assert_eq!(text(&result.case), "while 0 {\n  a = b;\n  b = c;\n}\nreturn 0\n");
    assert!(result.tests < 120, "{}", result.tests);
}

const STATEMENTS: &str = "# dialect: plus
    input n, k;
    while i < n {
      i = i + 1;
      switch i % 7 {
        3: { if k > 4 { s = s + 100; continue; } s = s - 1; }
        -1: { s = 0; }
        4: { s = s * 3; if s > k { break; } }
        0: { if i > 20 { return s - i; } }
        else: { s = s + i; }
      }
      t = t + s;
    }
    return t + s";

/// A program of Tiny in which every list of statements is misread.
fn misread_lists(program: &Program, misread: &dyn Fn(&mut Vec<Stmt>)) -> Program {
    let Program::Tiny(program) = program else { panic!("another form") };
    let mut program = program.clone();
    for n in 0..walk::lists(&program).len() {
        if let Some(list) = walk::list_mut(&mut program, n) {
            misread(list);
        }
    }
    Program::Tiny(program)
}

#[test]
fn what_shows_a_statement_of_plus_is_that_statement_and_little_else() {
    let without = |list: &mut Vec<Stmt>, gone: &dyn Fn(&Stmt) -> bool| {
        list.iter_mut().filter(|stmt| gone(stmt)).for_each(|stmt| *stmt = Stmt::If(Expr::Int(0), vec![], vec![]));
    };
    let smallest = |misread: &dyn Fn(&mut Vec<Stmt>)| {
        let wrong = |case: &Case| differs(case, &|program| misread_lists(program, misread));
        text(&minimized(&tiny_case(STATEMENTS, &[&[30, 9], &[9, 2], &[30, 1_000_000]]), &wrong).case)
    };
    let breaks = smallest(&|list| without(list, &|stmt| *stmt == Stmt::Break));
    let continues = smallest(&|list| without(list, &|stmt| *stmt == Stmt::Continue));
    let returns = smallest(&|list| without(list, &|stmt| matches!(stmt, Stmt::Return(_))));
    let exchanged = smallest(&|list| {
        for stmt in list {
            if let Stmt::Switch(_, arms, otherwise) = stmt
                && let Some((_, arm)) = arms.first_mut()
            {
                std::mem::swap(arm, otherwise);
            }
        }
    });
    insta::assert_snapshot!([breaks, continues, returns, exchanged].join("\n"));
}

#[test]
fn a_boundary_that_matters_stays_and_an_input_that_does_not_goes() {
    let wrong = |case: &Case| {
        let Program::Tiny(program) = &case.program else { return false };
        let by_min = |expr: &&Expr| match expr {
            Expr::Binary(Op::Div, _, right) => **right == Expr::Int(i64::MIN),
            _ => false,
        };
        walk::expressions(program).iter().any(by_min)
            && case.vectors.iter().any(|vector| outcome(&case.program, vector, case.fuel) == End::Return(1).into())
    };
    let given = "input x, y; z = x - y; w = z; if w == z { w = x; } return w / -9223372036854775808";
    let result = minimized(&tiny_case(given, &[&[5, 5], &[i64::MIN, 4]]), &wrong);
    assert_eq!(text(&result.case), "return -9223372036854775808 / -9223372036854775808\n");
}

#[test]
fn an_input_that_matters_stays_with_the_simplest_values() {
    // Two different outcomes need an input, since a program without one has one run.
    let wrong = |case: &Case| {
        let outcomes: Vec<Outcome> =
            case.vectors.iter().map(|vector| outcome(&case.program, vector, case.fuel)).collect();
        outcomes.iter().any(|outcome| *outcome != outcomes[0])
    };
    let result = minimized(&tiny_case(RUNNING, &[&[3, 4], &[10, 7], &[12, 1]]), &wrong);
    assert_eq!(text(&result.case), "input a;\nreturn a\n");
    assert_eq!(result.case.vectors, [[0], [1]]);
}

#[test]
fn random_programs_with_a_misread_comparison_end_small() {
    let wrong = |case: &Case| differs(case, &|program| misread(program, Op::Lt, Op::Le, false));
    let (mut found, mut tests, mut most) = (0, 0, 0);
    for index in 0.. {
        let case = Case { fuel: FUEL, ..generate::case(1, index, Form::Tiny, &Policy::default()) };
        if !wrong(&case) {
            continue;
        }
        let result = minimized(&case, &wrong);
        let Program::Tiny(program) = &result.case.program else { panic!("another form") };
        assert!(program.size() <= 8, "{program}");
        found += 1;
        tests += result.tests;
        most = most.max(result.tests);
        if found == 50 {
            break;
        }
    }
    println!("Tiny: {} tests a program on average, {most} at most", tests / found);
    assert!(tests / found < 150, "{} tests a program", tests / found);
}

#[test]
fn random_tac_programs_with_a_misread_comparison_end_small() {
    let wrong = |case: &Case| differs(case, &|program| misread(program, Op::Lt, Op::Le, false));
    let (mut found, mut tests, mut most) = (0, 0, 0);
    for index in 0.. {
        let case = Case { fuel: FUEL, ..generate::case(1, index, Form::Tac, &Policy::default()) };
        if !wrong(&case) {
            continue;
        }
        let result = minimized(&case, &wrong);
        assert!(text(&result.case).lines().count() <= 8, "{}", text(&result.case));
        found += 1;
        tests += result.tests;
        most = most.max(result.tests);
        if found == 50 {
            break;
        }
    }
    println!("TAC: {} tests a program on average, {most} at most", tests / found);
    assert!(tests / found < 200, "{} tests a program", tests / found);
}

const LOOP: &str = "ssa(n.0)
entry:
  br b.0(0, 1, n.0)
b.0(s.0, i.0, m.0):
  t.0 = le i.0, m.0
  cbr t.0, b.1(), b.2()
b.1:
  t.1 = rem i.0, 2
  cbr t.1, b.3(), b.4()
b.3:
  s.1 = sub s.0, i.0
  br b.5(s.1)
b.4:
  s.2 = add s.0, 9
  br b.5(s.2)
b.5(s.3):
  i.1 = add i.0, 1
  br b.0(s.3, i.1, m.0)
b.2:
  t.2 = mul s.0, 31
  ret t.2
b.6:
  br b.6()
";

#[test]
fn functions_are_reduced_in_both_forms() {
    let function = lab::parse_ssa(LOOP).unwrap();
    let wrong = |case: &Case| differs(case, &|program| misread(program, Op::Sub, Op::Sub, true));
    let phi = lab::args_to_phi(&function);
    let result = minimized(&case(Program::Ssa(function), &[&[4], &[7]]), &wrong);
    assert_eq!(text(&result.case), "ssa\na:\n  a = sub 0, 1\n  ret a\n");
    let result = minimized(&case(Program::Phi(phi), &[&[4], &[7]]), &wrong);
    assert_eq!(text(&result.case), "phi\na:\n  a = sub 0, 1\n  ret a\n");
}

#[test]
fn a_function_that_needs_its_loop_keeps_it_and_stays_valid() {
    let function = lab::parse_ssa(LOOP).unwrap();
    // Some block passes an argument to itself or to an earlier block, and the run ends.
    let wrong = |case: &Case| {
        let Program::Ssa(function) = &case.program else { return false };
        assert!(lab::validate(function).is_empty());
        let back = function.blocks.iter().enumerate().any(|(at, block)| {
            block.term.targets().any(|target| target.block.index() <= at && !target.args.is_empty())
        });
        back && case.vectors.iter().all(|vector| outcome(&case.program, vector, case.fuel) != End::OutOfFuel.into())
    };
    let result = minimized(&case(Program::Ssa(function), &[&[4]]), &wrong);
    let Program::Ssa(function) = &result.case.program else { panic!("another form") };
    assert!(function.blocks.len() <= 3 && function.param_count() == 1, "{function}");
}

#[test]
fn no_candidate_of_a_valid_function_is_invalid() {
    let policy = Policy { size: 8, ..Policy::default() };
    for index in 0..10 {
        for form in [Form::Ssa, Form::Phi] {
            let case = generate::case(1, index, form, &policy);
            for (pass, candidate) in candidates(&case) {
                let faults = match &candidate.program {
                    Program::Ssa(function) => lab::validate(function),
                    Program::Phi(function) => lab::validate_phi(function),
                    other => panic!("{pass} made {other:?}"),
                };
                assert!(faults.is_empty(), "{pass}: {faults:?}\n{}", text(&candidate));
                assert!(candidate.vectors.iter().all(|vector| vector.len() == candidate.program.inputs()));
            }
        }
    }
}

/// Whatever a function breaks, in either form: what is left is little more than the place that breaks it.
#[test]
fn invalid_functions_are_reduced_too() {
    let mut reduced = 0;
    for (&clause, seed) in Clause::ALL.iter().flat_map(|clause| (0..6).map(move |seed| (clause, seed))) {
        let mut choices = SplitMix64::new(seed, 5);
        let bytes: Vec<u8> = (0..100).flat_map(|_| choices.bits().to_le_bytes()).collect();
        let u = &mut Unstructured::new(&bytes);
        let (mut ssa, mut phi) = (valid_function(u).unwrap(), valid_phi_function(u).unwrap());
        let mut broken = Vec::new();
        if break_function(&mut ssa, clause, u).unwrap() {
            broken.push(Program::Ssa(lab::parse_ssa(&ssa.to_string()).unwrap()));
        }
        if break_phi_function(&mut phi, clause, u).unwrap() {
            broken.push(Program::Phi(lab::parse_phi(&phi.to_string()).unwrap()));
        }
        for program in broken {
            let touches = |case: &Case| validators::touched(&case.program).unwrap().contains(&clause);
            let small = text(&minimized(&case(program, &[]), &touches).case);
            assert!(small.lines().count() <= 98, "{clause:?}\n{small}");
            reduced += 1;
        }
    }
    assert!(reduced > 60, "{reduced}");
}

#[test]
fn a_predicate_is_checked_before_anything_else() {
    let given = tiny_case("return 1", &[&[]]);
    let run = |answer: &dyn Fn(&Case) -> bool| minimize(&given, &mut |case| answer(case), &mut |_| {}).map(|_| ());
    assert_eq!(run(&|_| false), Err(NotReducible::OriginalNotInteresting));
    assert_eq!(run(&|_| true), Err(NotReducible::EmptyInteresting));
    assert_eq!(run(&|case| text(case) != "return 0\n"), Ok(()));
}

#[test]
fn progress_tells_every_test_and_the_size_goes_down() {
    let wrong = |case: &Case| differs(case, &|program| misread(program, Op::Sub, Op::Sub, true));
    let mut seen = Vec::new();
    let given = tiny_case(RUNNING, &[&[10, 7]]);
    let result = minimize(&given, &mut |case| wrong(case), &mut |progress| seen.push(*progress)).unwrap();
    assert_eq!(seen.len() + 2, result.tests);
    assert_eq!(seen.iter().filter(|progress| progress.accepted).count(), result.steps);
    assert!(seen.windows(2).all(|pair| pair[0].tests + 1 == pair[1].tests && pair[0].nodes >= pair[1].nodes));
}

#[test]
fn no_text_is_tested_twice() {
    let mut tested = std::collections::HashSet::new();
    let given = tiny_case(RUNNING, &[&[10, 7], &[3, 4]]);
    let mut wrong = |case: &Case| {
        assert!(tested.insert((text(case), case.vectors.clone())), "twice: {}", text(case));
        differs(case, &|program| misread(program, Op::Le, Op::Lt, false))
    };
    minimize(&given, &mut wrong, &mut |_| {}).unwrap();
}
