//! Construction and pruning: the cases' texts byte for byte, the lesson's figures, Theorem 8.4.9 and Proposition 8.4.12
//! on the cases and on random programs, and size.

#[path = "../benches/family/mod.rs"]
mod family;
mod random;

use std::fs;
use std::path::PathBuf;

use arbtest::arbtest;
use harness::lab::{self, Function};
use harness::op::Outcome;
use harness::{tac, tiny};
use serde_json::Value;

/// A case of `tests/cases`: its text, and its right answers.
struct Case {
    name: String,
    text: String,
    answers: Value,
}

/// The cases of a folder that have the forms of a valid program.
fn cases(folder: &str) -> Vec<Case> {
    let folder_path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(folder);
    let entries = fs::read_dir(&folder_path).expect("the folder of cases").map(|entry| entry.expect("an entry").path());
    let mut cases: Vec<Case> = entries
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| {
            let json = fs::read_to_string(&path).expect("the answers");
            let text = fs::read_to_string(path.with_extension(folder)).expect("the program");
            let answers = serde_json::from_str(&json).expect("the answers are JSON");
            Case { name: path.display().to_string(), text, answers }
        })
        .filter(|case| case.answers["forms"].is_object())
        .collect();
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(cases.len() >= 20, "{} has too few cases", folder_path.display());
    cases
}

impl Case {
    /// Holds a function against the text of a form (a few large ones are left out), and against its counts.
    fn check_form(&self, form: &str, function: &Function) {
        let name = &self.name;
        if let Some(text) = self.answers["forms"][form].as_str() {
            assert_eq!(function.to_string(), text, "{name}: {form}");
        } else {
            assert_eq!(form, "tac-ssa", "{name}: no text of {form}");
        }
        self.check_count("params", form, function.param_count());
        self.check_count("blocks", form, function.blocks.len());
        self.check_count("code", form, function.code_size());
    }

    fn check_count(&self, what: &str, form: &str, actual: usize) {
        // A file in TAC or SSA has one form whose blocks and code are counted.
        let expected = match &self.answers[what] {
            Value::Object(counts) => counts.get(form).and_then(Value::as_u64),
            _ => None,
        };
        if let Some(expected) = expected {
            assert_eq!(actual as u64, expected, "{}: {what} of {form}", self.name);
        }
    }

    fn fuel(&self) -> u64 {
        self.answers["fuel"].as_u64().expect("a fuel")
    }

    /// The input vectors of the runs.
    fn vectors(&self) -> Vec<Vec<i64>> {
        let number = |value: &Value| value.as_str().and_then(|text| text.parse().ok()).expect("a number in a string");
        let runs = self.answers["runs"].as_array().expect("runs");
        runs.iter().map(|run| run["inputs"].as_array().expect("inputs").iter().map(number).collect()).collect()
    }

    /// Panics with the case's name unless a theorem holds on all of its runs.
    fn hold(&self, theorem: impl Fn(&[i64], u64) -> Result<(), String>) {
        for vector in self.vectors() {
            if let Err(error) = theorem(&vector, self.fuel()) {
                panic!("{} on {vector:?}: {error}", self.name);
            }
        }
    }
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
        case.check_form("ssa", &naive);
        case.check_form("ssa-live", &dead_pruned(naive.clone()));
        case.check_form("ssa-pruned", &pruned(naive));
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
    case.check_form("tac-ssa", &maximal);
    case.check_form("tac-live", &lab::construct_live(&cfg));
    case.check_form("tac-live", &dead_pruned(maximal.clone()));
    case.check_form("tac-pruned", &pruned(maximal));
}

#[test]
fn ssa_cases_have_their_forms() {
    for case in cases("ssa") {
        let function = lab::parse_ssa(&case.text).expect(&case.name);
        case.check_form("ssa-live", &dead_pruned(function.clone()));
        case.check_form("ssa-pruned", &pruned(function));
    }
}

#[test]
fn theorems_hold_on_the_cases() {
    for case in cases("tiny") {
        let program = tiny::parse(&case.text).expect(&case.name);
        case.hold(|vector, fuel| lab::theorem_8_4_9(&program, vector, fuel));
        let lines = tac::lower(&program);
        case.hold(|vector, fuel| lab::constructions_from_tac(&lines, vector, fuel));
    }
    for case in cases("tac") {
        let lines = tac::parse(&case.text).expect(&case.name);
        case.hold(|vector, fuel| lab::constructions_from_tac(&lines, vector, fuel));
        let maximal = lab::construct_maximal(&tac::cfg(&lines));
        case.hold(|vector, fuel| lab::proposition_8_4_12(&maximal, vector, fuel));
    }
    for case in cases("ssa") {
        let function = lab::parse_ssa(&case.text).expect(&case.name);
        case.hold(|vector, fuel| lab::proposition_8_4_12(&function, vector, fuel));
    }
}

#[test]
fn theorem_8_4_9() {
    arbtest(|u| {
        let program = random::tiny_program(u)?;
        let vector = random::vector(program.inputs, u)?;
        lab::theorem_8_4_9(&program, &vector, 2_000).unwrap_or_else(|error| panic!("{error}"));
        Ok(())
    });
}

#[test]
fn proposition_8_4_12_on_structured_programs() {
    arbtest(|u| {
        let program = random::tiny_program(u)?;
        let vector = random::vector(program.inputs, u)?;
        let naive = lab::construct_naive(&program);
        lab::proposition_8_4_12(&naive, &vector, 2_000).unwrap_or_else(|error| panic!("{error}"));
        Ok(())
    });
}

#[test]
fn constructions_and_proposition_8_4_12_on_arbitrary_graphs() {
    arbtest(|u| {
        let program = random::tac_program(u)?;
        let vector = random::vector(program.inputs, u)?;
        lab::constructions_from_tac(&program, &vector, 500).unwrap_or_else(|error| panic!("{error}"));
        let maximal = lab::construct_maximal(&tac::cfg(&program));
        lab::proposition_8_4_12(&maximal, &vector, 500).unwrap_or_else(|error| panic!("{error}"));
        Ok(())
    });
}

#[test]
fn the_running_example_has_the_lessons_figures() {
    let euler1 = cases("tiny").into_iter().find(|case| case.name.ends_with("/euler1.json")).expect("euler1");
    let program = tiny::parse(&euler1.text).expect("euler1");
    let naive = lab::construct_naive(&program);
    assert_eq!(naive.code_size(), 17);
    for function in [naive.clone(), pruned(naive)] {
        let run = lab::run(&function, &[], 1_000);
        assert_eq!((run.outcome, run.steps), (Outcome::Return(33), 127));
    }

    let cfg = tac::cfg(&tac::lower(&program));
    let maximal = lab::construct_maximal(&cfg);
    let params = [&maximal, &dead_pruned(maximal.clone()), &pruned(maximal.clone())].map(Function::param_count);
    assert_eq!(params, [81, 26, 4]);
}

#[test]
fn the_pathological_family_keeps_its_parameters() {
    let (diamonds, variables) = (2_000, 20);
    let program = family::pathological(diamonds, variables);
    let function = pruned(lab::construct_naive(&program));
    assert_eq!(function.param_count(), diamonds * variables as usize);
    assert!(lab::validate(&function).is_empty());
    let mut function = lab::construct_live(&tac::cfg(&tac::lower(&program)));
    lab::prune_trivial(&mut function);
    assert_eq!(function.param_count(), diamonds * variables as usize);
    assert!(lab::validate(&function).is_empty());
}

/// A chain of 100,000 blocks, each the target of a conditional branch over the one before, with variables that stay as
/// they are: every parameter is trivial.
#[test]
fn a_long_chain_loses_all_its_parameters() {
    let mut text = String::from("input a, b\n");
    for block in 0..100_000 {
        text += &format!("  if a goto L{block}\nL{block}:\n");
    }
    text += "  c = add a, b\n  ret c\n";
    let mut function = lab::construct_live(&tac::cfg(&tac::parse(&text).expect("a chain")));
    assert_eq!(function.param_count(), 2 * 100_000);
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
