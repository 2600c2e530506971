//! Partings of small functions, and what must not be said.

use super::*;
use crate::case::Program;
use crate::compare::Source;
use crate::path::PathId;
use crate::tiny;

fn form(path: &str, stage: Stage, text: &str) -> Form {
    Form { path: path.into(), stage, function: lab::parse_raised(text).unwrap() }
}

/// One run on which the first of the forms is right and the others are wrong.
fn run(inputs: &[i64], forms: &[Form]) -> Run {
    let class = |form: &Form| {
        let (compiler, variant) = form.path.split_once('/').unwrap();
        let path = PathId::new(compiler, None, variant);
        let source = Source { path, stage: form.stage, group: compiler.into() };
        Class { outcome: lab::run(&form.function, inputs, STEPS).outcome, sources: vec![source] }
    };
    let classes: Vec<Class> = forms.iter().map(class).collect();
    Run { inputs: inputs.to_vec(), right: classes[0].outcome.clone(), classes }
}

fn parting(program: &str, inputs: &[i64], forms: &[Form]) -> Option<Parting> {
    let parsed = Program::Tiny(tiny::parse(program).unwrap());
    find(&parsed, program, &[run(inputs, forms)], forms)
}

fn shown(side: &Side) -> (&str, &str, &str) {
    (&side.listing[side.span.clone()], &side.block, &side.happens)
}

const PROGRAM: &str = "input n, s;\nwhile n > 0 { s = s - n; n = n - 1; }\nreturn s";

/// The pruned SSA of `PROGRAM`.
fn pruned() -> String {
    let mut function = lab::construct_naive(&tiny::parse(PROGRAM).unwrap());
    lab::prune_dead(&mut function);
    lab::prune_trivial(&mut function);
    function.to_string()
}

#[test]
fn a_wrong_operand_is_pointed_at_with_its_statement() {
    let right = form("lab/pruned", Stage::Construct, &pruned());
    // Names as a compiler has them, and the first subtraction's operands exchanged.
    let other = "ssa(v0, v1)\nblock0:\n  br block1(v0, v1)\nblock1(v2, v3):\n  v4 = gt v2, 0\n  cbr v4, block2(), block3()\n\
                 block2:\n  v5 = sub v2, v3\n  v6 = sub v2, 1\n  br block1(v6, v5)\nblock3:\n  ret v3\n";
    let parting = parting(PROGRAM, &[2, 9], &[right, form("c/none", Stage::Construct, other)]).unwrap();
    assert_eq!(shown(&parting.right), ("t.1 = sub s.1, n.1", "b.1", "t.1 is 7"));
    assert_eq!(shown(&parting.wrong), ("v5 = sub v2, v3", "block2", "v5 is -7"));
    assert_eq!((parting.visit, parting.inputs.as_slice()), (1, &[2, 9][..]));
    assert_eq!(parting.wrong.form, "c/none, as constructed");
    assert_eq!(&PROGRAM[parting.source.unwrap()], "s = s - n");
}

#[test]
fn statements_of_plus_are_found_in_the_text() {
    let program =
        "# dialect: plus\ninput n; while n { switch n % 3 { 1: { n = n * 5; break; } } n = n / 2 }\nreturn n - 1";
    let right = lab::construct_naive(&tiny::parse(program).unwrap()).to_string();
    for (input, operation, other, source) in
        [(5, "rem", "div", "switch n % 3"), (4, "mul", "add", "n = n * 5"), (4, "sub", "add", "return n - 1")]
    {
        let wrong = form("lab/pruned", Stage::Construct, &right.replace(operation, other));
        let right = form("lab/naive", Stage::Construct, &right);
        let parting = parting(program, &[input], &[right, wrong]).unwrap();
        assert_eq!(&program[parting.source.unwrap()], source);
    }
    // It is not clear where statements begin when a variable has a statement's word for a name.
    let program = "input switch; x = 8 - switch; return x * 2";
    let right = lab::construct_naive(&tiny::parse(program).unwrap()).to_string();
    let wrong = form("lab/pruned", Stage::Construct, &right.replace("sub", "add"));
    let parting = parting(program, &[4], &[form("lab/naive", Stage::Construct, &right), wrong]).unwrap();
    assert_eq!((shown(&parting.right).2, parting.source), ("t.0 is 4", None));
}

#[test]
fn a_wrong_branch_is_pointed_at_in_the_round_in_which_it_is_taken() {
    let right = form("lab/pruned", Stage::Construct, &pruned());
    // Other operations, so that values are not compared; it leaves the loop one round too early.
    let other = "ssa(v0, v1)\nblock0:\n  br block1(v0, v1)\nblock1(v2, v3):\n  v4 = gt v2, 1\n  v9 = copy v4\n  \
                 cbr v9, block2(), block3()\nblock2:\n  v5 = sub v3, v2\n  v6 = sub v2, 1\n  br block1(v6, v5)\n\
                 block3:\n  ret v3\n";
    let parting = parting(PROGRAM, &[3, 9], &[right, form("c/speed", Stage::Optimize, other)]).unwrap();
    assert_eq!(shown(&parting.right), ("cbr t.0, b.1(), b.2()", "b.0", "goes to b.1"));
    assert_eq!(shown(&parting.wrong), ("cbr v9, block2(), block3()", "block1", "goes to block3"));
    assert_eq!((parting.visit, parting.wrong.form.as_str()), (3, "c/speed, optimized"));
    assert_eq!(parting.source, None, "a branch is no operation");
}

#[test]
fn forms_of_the_lab_are_compared_by_name() {
    let naive = form("lab/naive", Stage::Construct, &lab::construct_naive(&tiny::parse(PROGRAM).unwrap()).to_string());
    // As if pruning had put the wrong atom in place of a parameter that it removed.
    let wrong = form("lab/pruned", Stage::Construct, &pruned().replace("sub s.1, n.1", "sub s.1, n.0"));
    let parting = parting(PROGRAM, &[2, 9], &[naive, wrong]).unwrap();
    assert_eq!(shown(&parting.right), ("t.1 = sub s.1, n.1", "b.1", "t.1 is 6"));
    assert_eq!((shown(&parting.wrong).2, parting.visit), ("t.1 is 5", 2));
}

#[test]
fn a_trap_stands_at_the_instruction_that_traps() {
    let program = "input a;\nreturn 6 / a";
    let right = form("lab/naive", Stage::Construct, "ssa(a.0)\nentry:\n  t.0 = div 6, a.0\n  ret t.0\n");
    let wrong = form("c/none", Stage::Construct, "ssa(v0)\nb:\n  v1 = copy v0\n  v2 = mul v1, 0\n  ret v2\n");
    let parting = parting(program, &[0], &[right, wrong]).unwrap();
    assert_eq!(shown(&parting.right), ("t.0 = div 6, a.0", "entry", "traps: div-by-zero"));
    assert_eq!(shown(&parting.wrong), ("ret v2", "b", "returns 0"));
    assert_eq!(&program[parting.source.unwrap()], "return 6 / a");
}

#[test]
fn constructions_from_tac_are_compared_with_the_labs_own() {
    let text = "input n, s;\nif n && s { s = s - n; }\nreturn s";
    let program = tiny::parse(text).unwrap();
    let right = form("lab/naive", Stage::Construct, &lab::construct_naive(&program).to_string());
    let mut tac = lab::construct_live(&tac::cfg(&tac::lower(&program)));
    lab::prune_trivial(&mut tac);
    assert_eq!(pair::blocks(&right.function, &tac), None, "the naive form has other blocks");
    let exchanged = form("c/none", Stage::Construct, &tac.to_string().replace("sub s.0, n.0", "sub n.0, s.0"));
    let found = parting(text, &[1, 9], &[right.clone(), exchanged]).unwrap();
    assert_eq!(found.right.form, "the lab's SSA of the TAC");
    assert!(found.right.happens.ends_with(" is 8") && found.wrong.happens.ends_with(" is -8"), "{found:?}");
    assert_eq!(&text[found.source.unwrap()], "s = s - n");
    // Another operation: its value is not held against that of the right one; what that leads to is.
    let other = form("c/none", Stage::Construct, &tac.to_string().replace("= sub", "= add"));
    let found = parting(text, &[1, 9], &[right, other]).unwrap();
    assert!(found.wrong.span.start > found.wrong.listing.find("add").unwrap(), "{found:?}");
}

#[test]
fn nothing_is_said_where_nothing_can_be_compared() {
    let right = form("lab/naive", Stage::Construct, "ssa(a)\nentry:\n  br x(a)\nx(y):\n  ret y\n");
    let program = "input a;\nreturn a";
    // Other blocks.
    let wrong = form("c/none", Stage::Optimize, "ssa(a)\nentry:\n  br x()\nx:\n  br y()\ny:\n  ret 1\n");
    assert_eq!(parting(program, &[7], &[right.clone(), wrong]), None);
    // On the wrong side by the record, but right when it is run here.
    let same = form("c/none", Stage::Construct, "ssa(a)\nentry:\n  br x(a)\nx(y):\n  ret y\n");
    let forms = [right, same];
    let mut run = run(&[7], &forms);
    run.classes[1].outcome = End::Return(8).into();
    let parsed = Program::Tiny(tiny::parse(program).unwrap());
    assert_eq!(find(&parsed, program, &[run], &forms), None);
    // What is not valid is not run.
    assert_eq!(super::forms([("c/none".into(), "raised-construct", "e:\n  ret ghost\n")]), []);
}

#[test]
fn every_operation_of_generated_programs_has_its_statement() {
    use crate::case::Form as Language;
    use crate::generate::{self, Policy};
    for index in 0..200 {
        let case = generate::case(3, index, Language::Tiny, &Policy::default());
        let text = crate::record::program_text(&case.program);
        let Program::Tiny(program) = &case.program else { panic!("{text}") };
        for function in [lab::construct_naive(program), lab::construct_maximal(&tac::cfg(&tac::lower(program)))] {
            for (block, data) in function.blocks.iter().enumerate() {
                for (index, inst) in data.body.iter().enumerate() {
                    let span = source::of(&case.program, &text, &function, pair::At { block, line: index + 1 });
                    let part = &text[span.unwrap_or_else(|| panic!("{inst:?} of\n{text}\n{function}"))];
                    let sign = match inst.op.name() {
                        "add" => "+",
                        "sub" | "neg" => "-",
                        "mul" => "*",
                        "div" => "/",
                        "rem" => "%",
                        "lt" => "<",
                        "gt" => ">",
                        "le" => "<=",
                        "ge" => ">=",
                        "eq" => "==",
                        "not" => "!",
                        _ => "",
                    };
                    assert!(part.contains(sign), "{inst:?} is not of {part:?} in\n{text}");
                }
            }
        }
    }
}

#[test]
fn what_is_emitted_is_pointed_at_wherever_it_comes_from() {
    let text = |emits: &str| format!("# dialect: plus\nssa(a)\ne:\n  x = emit a\n{emits}  ret 1\n");
    let right = form("lab/pruned", Stage::Construct, &text("  y = emit 2\n"));
    let program = "input a;\nreturn 1";
    let parting_with = |stage, emits: &str| {
        let wrong = form("c/none", stage, &text(emits));
        parting(program, &[5], &[right.clone(), wrong]).unwrap()
    };
    let other = parting_with(Stage::Construct, "  y = neg 3\n  z = emit 3\n");
    assert_eq!(shown(&other.right), ("y = emit 2", "e", "emits 2"));
    assert_eq!(shown(&other.wrong), ("z = emit 3", "e", "emits 3"));
    let lost = parting_with(Stage::Optimize, "");
    assert_eq!(shown(&lost.wrong), ("ret 1", "e", "emits nothing more"));
}
