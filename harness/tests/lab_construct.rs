//! Construction and pruning: the cases' texts byte for byte, the lesson's figures, Theorem 8.4.9 and Proposition 8.4.12
//! on the cases and on random programs, and size.

mod common;
#[path = "../benches/programs/pathological.rs"]
mod family;

use arbitrary::Unstructured;
use arbtest::arbtest;
use common::{Case, End, Run, cases};
use harness::case::{Form, Program};
use harness::dialect::Dialect;
use harness::generate::function::valid_function;
use harness::generate::{Policy, case_from};
use harness::lab::theorems::{self, Checked};
use harness::lab::{self, Function};

use harness::{tac, tiny};
use serde_json::Value;

/// Holds a function against the text of a case's form (a few large ones are left out) and against its counts.
fn check_form(case: &Case, form: &str, function: &Function) {
    let name = &case.name;
    match case.answers["forms"][form].as_str() {
        Some(text) => assert_eq!(function.to_string(), text, "{name}: {form}"),
        None => assert_eq!(form, "tac-ssa", "{name} has no {form}"),
    }
    let counts =
        [("params", function.param_count()), ("blocks", function.blocks.len()), ("code", function.code_size())];
    for (what, actual) in counts {
        // Blocks and code are counted for some forms only.
        let expected = case.answers[what].as_object().and_then(|counts| counts.get(form)).and_then(Value::as_u64);
        assert_eq!(actual as u64, expected.unwrap_or(actual as u64), "{name}: {what} of {form}");
    }
}

/// Panics with the case's name unless a theorem holds on all of its runs.
fn hold(case: &Case, theorem: impl Fn(&[i64], u64) -> Checked) {
    for run in case.runs() {
        theorem(&run.inputs, case.fuel()).unwrap_or_else(|problem| panic!("{}: {problem}", case.name));
    }
}

/// The cases of `ssa` that are valid.
fn valid_ssa_cases() -> Vec<Case> {
    let valid: Vec<Case> = cases("ssa").into_iter().filter(|case| case.answers["forms"].is_object()).collect();
    assert!(valid.len() > 20);
    valid
}

fn dead_pruned(mut function: Function) -> Function {
    lab::prune_dead(&mut function);
    function
}

fn pruned(function: Function) -> Function {
    let mut function = dead_pruned(function);
    lab::prune_trivial(&mut function);
    function
}

#[test]
fn tiny_cases_have_their_forms() {
    for case in cases("tiny") {
        let program = tiny::parse(&case.text).expect(&case.name);
        let naive = lab::construct_naive(&program);
        check_form(&case, "ssa", &naive);
        check_form(&case, "ssa-live", &dead_pruned(naive.clone()));
        check_form(&case, "ssa-pruned", &pruned(naive));
        check_tac_forms(&case, &tac::lower(&program));
    }
}

#[test]
fn tac_cases_have_their_forms() {
    for case in cases("tac") {
        check_tac_forms(&case, &tac::parse(&case.text).expect(&case.name));
    }
}

fn check_tac_forms(case: &Case, program: &tac::Program) {
    let cfg = tac::cfg(program);
    let maximal = lab::construct_maximal(&cfg);
    check_form(case, "tac-ssa", &maximal);
    check_form(case, "tac-live", &lab::construct_live(&cfg));
    check_form(case, "tac-live", &dead_pruned(maximal.clone()));
    check_form(case, "tac-pruned", &pruned(maximal));
}

#[test]
fn ssa_cases_have_their_forms() {
    for case in valid_ssa_cases() {
        let function = lab::parse_ssa(&case.text).expect(&case.name);
        check_form(&case, "ssa-live", &dead_pruned(function.clone()));
        check_form(&case, "ssa-pruned", &pruned(function));
    }
}

#[test]
fn runs_of_all_forms_end_as_they_should() {
    for case in cases("tiny") {
        let program = tiny::parse(&case.text).expect(&case.name);
        let naive = lab::construct_naive(&program);
        check_runs(&case, |run| run.answers, &[pruned(naive.clone()), naive]);
        check_tac_runs(&case, &tac::lower(&program));
    }
    for case in cases("tac") {
        check_tac_runs(&case, &tac::parse(&case.text).expect(&case.name));
    }
}

fn check_tac_runs(case: &Case, program: &tac::Program) {
    let cfg = tac::cfg(program);
    let maximal = lab::construct_maximal(&cfg);
    check_runs(case, |run| &run.answers["tac_ssa"], &[pruned(maximal.clone()), maximal, lab::construct_live(&cfg)]);
}

fn check_runs(case: &Case, answer: impl for<'a> Fn(&Run<'a>) -> &'a Value, functions: &[Function]) {
    for run in case.runs() {
        for function in functions {
            let end = End::from(lab::run(function, &run.inputs, case.fuel()));
            assert_eq!(end, End::of(answer(&run)), "{} on {:?}\n{function}", case.name, run.inputs);
        }
    }
}

#[test]
fn theorems_hold_on_the_cases() {
    for case in cases("tiny") {
        let program = tiny::parse(&case.text).expect(&case.name);
        hold(&case, |vector, fuel| theorems::construction_keeps_the_program(&program, vector, fuel));
        let lines = tac::lower(&program);
        hold(&case, |vector, fuel| theorems::constructions_from_tac_agree(&lines, vector, fuel));
    }
    for case in cases("tac") {
        let lines = tac::parse(&case.text).expect(&case.name);
        hold(&case, |vector, fuel| theorems::constructions_from_tac_agree(&lines, vector, fuel));
        let maximal = lab::construct_maximal(&tac::cfg(&lines));
        hold(&case, |vector, fuel| theorems::pruning_keeps_the_behavior(&maximal, vector, fuel));
    }
    for case in valid_ssa_cases() {
        let function = lab::parse_ssa(&case.text).expect(&case.name);
        hold(&case, |vector, fuel| theorems::pruning_keeps_the_behavior(&function, vector, fuel));
    }
}

/// Tries a property on arbitrary data for a second.
fn check(mut property: impl FnMut(&mut Unstructured) -> arbitrary::Result<Checked>) {
    arbtest(|u| {
        property(u)?.unwrap_or_else(|problem| panic!("{problem}"));
        Ok(())
    })
    .budget_ms(1_000)
    .size_max(4_096);
}

/// A program of either dialect.
fn any_program(u: &mut Unstructured) -> arbitrary::Result<tiny::Program> {
    let policy = Policy { dialect: *u.choose(&[Dialect::Core, Dialect::Plus])?, ..Policy::default() };
    let Program::Tiny(program) = case_from(u, Form::Tiny, &policy).program else { panic!("asked for Tiny") };
    Ok(program)
}

/// A small value for each input.
fn vector(inputs: usize, u: &mut Unstructured) -> arbitrary::Result<Vec<i64>> {
    (0..inputs).map(|_| u.int_in_range(-3..=3)).collect()
}

#[test]
fn construction_keeps_any_program() {
    check(|u| {
        let program = any_program(u)?;
        let inputs = vector(program.inputs, u)?;
        Ok(theorems::construction_keeps_the_program(&program, &inputs, 2_000))
    });
}

#[test]
fn pruning_keeps_the_behavior_of_any_program() {
    check(|u| {
        let program = any_program(u)?;
        let inputs = vector(program.inputs, u)?;
        Ok(theorems::pruning_keeps_the_behavior(&lab::construct_naive(&program), &inputs, 500))
    });
}

#[test]
fn pruning_keeps_the_behavior_of_any_function() {
    check(|u| {
        let function = valid_function(u)?;
        let inputs = vector(function.inputs.len(), u)?;
        Ok(theorems::pruning_keeps_the_behavior(&function, &inputs, 200))
    });
}

#[test]
fn constructions_and_pruning_agree_on_any_graph() {
    check(|u| {
        let program = any_graph(u)?;
        let inputs = vector(program.inputs, u)?;
        let agree = theorems::constructions_from_tac_agree(&program, &inputs, 200);
        let maximal = lab::construct_maximal(&tac::cfg(&program));
        Ok(agree.and_then(|()| theorems::pruning_keeps_the_behavior(&maximal, &inputs, 200)))
    });
}

/// A small TAC program of any shape: stretches of assignments, each with a label before it and any jump or none after
/// it. Unreachable code, endless and irreducible loops and unwritten variables are frequent.
fn any_graph(u: &mut Unstructured) -> arbitrary::Result<tac::Program> {
    const NAMES: [&str; 5] = ["a", "b", "c", "d", "t.0"];
    let stretches = u.int_in_range(1..=8)?;
    let atom = |u: &mut Unstructured| {
        Ok(if u.ratio(1, 3)? { u.int_in_range(-2..=5)?.to_string() } else { (*u.choose(&NAMES)?).to_owned() })
    };
    let label = |u: &mut Unstructured| Ok(format!("L{}", u.int_in_range(0..=stretches - 1)?));

    let mut text = (*u.choose(&["", "input a\n", "input b, t.0\n"])?).to_owned();
    for stretch in 0..stretches {
        text += &format!("L{stretch}:\n");
        for _ in 0..u.int_in_range(0..=3)? {
            let dest = *u.choose(&NAMES)?;
            text += &match *u.choose(&["copy", "copy", "add", "sub", "div", "lt"])? {
                "copy" => format!("  {dest} = copy {}\n", atom(u)?),
                op => format!("  {dest} = {op} {}, {}\n", atom(u)?, atom(u)?),
            };
        }
        text += &match u.int_in_range(0..=6)? {
            0 => format!("  goto {}\n", label(u)?),
            1 | 2 => format!("  if {} goto {}\n", atom(u)?, label(u)?),
            3 | 4 => format!("  ifz {} goto {}\n", atom(u)?, label(u)?),
            5 => format!("  ret {}\n", atom(u)?),
            _ => String::new(),
        };
    }
    text += &format!("  ret {}\n", atom(u)?);
    Ok(tac::parse(&text).expect("a right program"))
}

#[test]
fn the_running_example_has_the_lessons_figures() {
    let euler1 = cases("tiny").into_iter().find(|case| case.name == "euler1").expect("euler1");
    let program = tiny::parse(&euler1.text).expect("euler1");
    let naive = lab::construct_naive(&program);
    assert_eq!(naive.code_size(), 17);
    for function in [naive.clone(), pruned(naive)] {
        let run = lab::run(&function, &[], 1_000);
        assert_eq!((run.outcome.to_string(), run.steps), ("return 33".to_string(), 127));
    }

    let cfg = tac::cfg(&tac::lower(&program));
    let maximal = lab::construct_maximal(&cfg);
    let params = [&maximal, &dead_pruned(maximal.clone()), &pruned(maximal.clone())].map(Function::param_count);
    assert_eq!(params, [81, 26, 4]);
}

#[test]
fn the_pathological_family_keeps_its_parameters() {
    let (diamonds, variables) = (10_000, 20);
    let program = family::pathological(diamonds, variables);
    let function = pruned(lab::construct_naive(&program));
    assert_eq!(function.param_count(), diamonds * variables as usize);
    converts(&function);
    let mut function = lab::construct_live(&tac::cfg(&tac::lower(&program)));
    lab::prune_trivial(&mut function);
    assert_eq!(function.param_count(), diamonds * variables as usize);
    assert!(lab::validate(&function).is_empty());
}

/// A large function without conflicts is valid in both forms, and either gives back the other.
fn converts(function: &Function) {
    assert!(lab::validate(function).is_empty());
    assert!(lab::split_conflicts(function) == *function);
    let phi = lab::args_to_phi(function);
    assert!(lab::validate_phi(&phi).is_empty());
    assert!(lab::phi_to_args(&phi) == *function);
}

/// A chain of 100,000 blocks, each the target of a conditional branch over the one before, with variables that stay as
/// they are: every parameter is trivial.
#[test]
fn a_long_chain_converts_and_loses_all_its_parameters() {
    let mut text = String::from("input a, b\n");
    for block in 0..100_000 {
        text += &format!("  if a goto L{block}\nL{block}:\n");
    }
    text += "  c = add a, b\n  ret c\n";
    let mut function = lab::construct_live(&tac::cfg(&tac::parse(&text).expect("a chain")));
    assert_eq!(function.param_count(), 2 * 100_000);
    converts(&function);
    lab::prune_trivial(&mut function);
    assert_eq!(function.param_count(), 0);
    assert!(lab::validate(&function).is_empty());
}

/// Loops within loops, so that the parameters become trivial from the innermost loop outwards, while many others in the
/// innermost loop watch the one that is replaced each time.
#[test]
fn trivial_parameters_of_deep_loops_take_their_watchers_along() {
    let (loops, diamonds) = (20_000, 20_000);
    let mut text = String::from("input x, c\n  y = copy x\n");
    for depth in 0..loops {
        text += &format!("HEAD{depth}:\n  ifz c goto EXIT{depth}\n");
    }
    for diamond in 0..diamonds {
        text += &format!("  y = copy x\n  if c goto L{diamond}\n  y = add x, {diamond}\nL{diamond}:\n  c = sub c, y\n");
    }
    for depth in (0..loops).rev() {
        text += &format!("  goto HEAD{depth}\nEXIT{depth}:\n");
    }
    text += "  ret x\n";
    let mut function = lab::construct_live(&tac::cfg(&tac::parse(&text).expect("loops")));
    lab::prune_trivial(&mut function);
    // Of x nothing is left; c merges in every header, y after every diamond.
    assert_eq!(function.param_count(), loops + diamonds);
}

#[test]
fn a_tree_of_the_greatest_depth_is_constructed_on_a_small_stack() {
    let depth = (tiny::MAX_DEPTH - 2) / 2;
    let nested_ifs = format!("{}x = 1;{}return x", "if x { while x { ".repeat(depth), "}}".repeat(depth));
    let nested_logic = format!("return {}1{}", "(1 && ".repeat(tiny::MAX_DEPTH - 2), ")".repeat(tiny::MAX_DEPTH - 2));
    for text in [nested_ifs, nested_logic] {
        let program = tiny::parse(&text).expect("within the greatest depth");
        let construct = move || lab::construct_naive(&program).blocks.len();
        let blocks = std::thread::Builder::new().stack_size(2 << 20).spawn(construct).expect("a thread").join();
        assert!(blocks.expect("no overflow") > tiny::MAX_DEPTH);
    }
}
