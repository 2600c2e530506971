//! Tiny against the cases, and its parser, printer and interpreter against each other.

mod common;

use arbtest::arbitrary::{self, Unstructured};
use arbtest::arbtest;
use common::{End, cases, strings};
use harness::op::{Array, Op};
use harness::tiny::{self, Expr, Logic, MAX_DEPTH, Program, Stmt, Var};
use harness::{directives, syntax::SyntaxError, tac};

#[test]
fn cases_parse_run_and_print() {
    for case in cases("tiny") {
        let name = &case.name;
        let program = tiny::parse(&case.text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let variables: Vec<String> = program.variables.iter().map(|variable| variable.to_string()).collect();
        assert_eq!(variables, strings(&case.answers["variables"]), "{name}");
        assert_eq!(variables[..program.inputs], strings(&case.answers["inputs"]), "{name}");
        for run in case.runs() {
            let end = End::from(tiny::eval(&program, &run.inputs, case.fuel()));
            assert_eq!(end, End::of(run.answers), "{name} {:?}", run.inputs);
        }
        assert_eq!(tiny::parse(&program.to_string()).as_ref(), Ok(&program), "{name}");
        assert_eq!(tiny::parse(case.answers["tiny"].as_str().unwrap()).as_ref(), Ok(&program), "{name}");
    }
}

#[test]
fn directives_of_the_cases_say_what_their_answers_say() {
    for folder in ["tiny", "tac"] {
        for case in cases(folder) {
            let said: Vec<_> = directives::parse(&case.text)
                .unwrap()
                .into_iter()
                .map(|directive| (directive.vector, directive.expected.unwrap().to_string()))
                .collect();
            let runs: Vec<_> =
                case.runs().iter().map(|run| (run.inputs.clone(), End::of(run.answers).outcome)).collect();
            let without_fuel: Vec<_> = runs.iter().filter(|(_, outcome)| outcome != "out of fuel").cloned().collect();
            assert!(said == runs || said == without_fuel, "{}: {said:?}", case.name);
        }
    }
}

/// The error of a text as `line:column: message (help)`.
fn error(text: &str) -> String {
    match tiny::parse(text) {
        Ok(program) => panic!("{text:?} parses as\n{program}"),
        Err(error) => shown(text, &error),
    }
}

fn shown(text: &str, error: &SyntaxError) -> String {
    let (line, column) = error.line_column(text);
    let help = error.help.as_ref().map_or(String::new(), |help| format!(" ({help})"));
    format!("{line}:{column}: {error}{help}")
}

#[test]
fn bad_texts_are_refused_where_they_are_wrong() {
    let errors: String =
        cases("tiny_bad").iter().map(|case| format!("{}: {}\n", case.name, error(&case.text))).collect();
    insta::assert_snapshot!(errors);
}

#[test]
fn errors_say_what_is_wrong_and_where() {
    let errors: String = [
        "a.b = 1; return a",
        "x = 1 y = 2 return 0",
        "x = (1\n+ (2 * 3)\nreturn x",
        "x = 1)\nreturn x",
        "return -9223372036854775809",
        "return - \n 99999999999999999999999999999999999999999999999999999999999999999",
        "x = 1 +; return x",
        "if a { return 1 }",
        "while a { x = 1",
        "if a { } else x = 1",
        "else { } return 1",
        "input a, ; return a",
        "input a\nb = a < 1 == 2\nreturn b",
        "x == 1\nreturn x",
        "return 1; ;",
        "return 1 $",
        "x = return",
    ]
    .iter()
    .map(|text| format!("{}\n", error(text)))
    .collect();
    insta::assert_snapshot!(errors);
}

/// A text's result expression printed anew.
fn reprinted(expression: &str) -> String {
    let program = tiny::parse(&format!("return {expression}")).unwrap_or_else(|error| panic!("{expression}: {error}"));
    program.to_string().trim().trim_start_matches("return ").into()
}

#[test]
fn precedence_and_minimal_parentheses() {
    for (text, printed) in [
        ("((a))+(b*c)", "a + b * c"),
        ("(a+b)*c", "(a + b) * c"),
        ("a-(b-c)-(d)", "a - (b - c) - d"),
        ("a/(b*c)%d", "a / (b * c) % d"),
        ("a||b&&c||d", "a || b && c || d"),
        ("(a||b)&&(c||(d||e))", "(a || b) && (c || (d || e))"),
        ("(a<b)<c", "(a < b) < c"),
        ("a<(b==c)", "a < (b == c)"),
        ("a<b&&c>=d+1", "a < b && c >= d + 1"),
        ("!(a<b)", "!(a < b)"),
        ("!a<b", "!a < b"),
        ("-(a*b)", "-(a * b)"),
        ("-a*b", "-a * b"),
        ("!!-a", "!!-a"),
        ("a - -5", "a - -5"),
        ("a -5", "a - 5"),
        ("a - - 5", "a - -5"),
        ("-\n5", "-5"),
        ("-5*2", "-5 * 2"),
        ("--5", "--5"),
        ("-(5)", "-(5)"),
        ("-(-(5))", "--(5)"),
        ("-(-5)", "--5"),
        ("---5", "---5"),
        ("!(5)", "!5"),
        ("-(0)", "-(0)"),
        ("-0", "0"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("-(9223372036854775807)", "-(9223372036854775807)"),
        ("--9223372036854775808", "--9223372036854775808"),
        ("0 - 9223372036854775807", "0 - 9223372036854775807"),
        ("1 // + 2\n # + 3\n + 4", "1 + 4"),
    ] {
        assert_eq!(reprinted(text), printed, "{text:?}");
        assert_eq!(reprinted(printed), printed);
    }
}

#[test]
fn statements_end_as_the_language_says() {
    let canonical = "input a;\nx = 1;\nif a {\n  y = a - 3;\n} else if x {\n} else {\n  y = 2;\n}\nreturn y\n";
    for text in [
        canonical,
        "input a\nx = 1\nif a { y = a\n- 3 } else if x { } else { y = 2 }\nreturn y",
        "input a;x=1;if a{y=a-3}else if x{}else{y=2;}return y;",
        "# c\ninput\na\n;\nx\n=\n1\n;\nif a{y=a-3\n}else// c\nif x{}else{y=2\n}return y\n;# c",
    ] {
        assert_eq!(tiny::parse(text).unwrap().to_string(), canonical, "{text:?}");
    }
}

#[test]
fn fuel_ends_a_run_before_the_step_that_it_lacks() {
    let program = tiny::parse("x = 1 / 0; return x").unwrap();
    let end = |fuel| {
        let execution = tiny::eval(&program, &[], fuel);
        (execution.outcome.to_string(), execution.steps)
    };
    assert_eq!(end(0), ("out of fuel".into(), 0));
    assert_eq!(end(1), ("trap div-by-zero".into(), 1));
}

#[test]
fn normalize_restores_the_order_of_occurrence() {
    let (a, b, c, unused) = (Var(2), Var(0), Var(1), Var(3));
    let mut program = Program {
        variables: ["in", "c", "a", "unused"].map(Into::into).to_vec(),
        inputs: 1,
        body: vec![Stmt::Assign(a, Expr::Var(c))],
        result: Expr::Var(b),
    };
    assert_eq!(program.variables[unused.index()], "unused".into());
    program.normalize();
    assert_eq!(program, tiny::parse("input in; a = c; return in").unwrap());
}

#[test]
fn normalize_drops_jumps_outside_of_loops_and_arms_that_are_never_taken() {
    let arm = |constant, stmt| (constant, vec![stmt]);
    let arms = vec![arm(1, Stmt::Break), arm(2, Stmt::Return(Expr::Int(1))), arm(1, Stmt::Return(Expr::Int(2)))];
    let inner = vec![Stmt::Switch(Expr::Int(1), arms, Vec::new())];
    let body = vec![Stmt::Continue, Stmt::While(Expr::Int(1), inner.clone()), inner[0].clone()];
    let mut program = Program { variables: Vec::new(), inputs: 0, body, result: Expr::Int(3) };
    program.normalize();
    let text = "while 1 { switch 1 { 1: { break } 2: { return 1 } } } switch 1 { 1: { } 2: { return 1 } } return 3";
    assert_eq!(program, tiny::parse(&format!("{PLUS}{text}")).unwrap());
}

#[test]
fn size_and_depth_count_statements_and_levels() {
    let measures = |text: &str| {
        let program = tiny::parse(text).unwrap();
        (program.size(), program.depth())
    };
    assert_eq!(measures("return 0"), (0, 1));
    assert_eq!(measures("return ((-(x)))"), (0, 2));
    assert_eq!(measures("x = 1; return x"), (1, 2));
    assert_eq!(measures("while a { if b { c = 1 } else { d = -2 + a; e = 3 } } return 0"), (5, 5));
    let text = "switch a { 1: { break = 2 } -1: { while 1 { continue } } else: { return -b } } return 0";
    assert_eq!(measures(&format!("{PLUS}{text}")), (5, 3));
}

const PLUS: &str = "# dialect: plus\n";

/// One program for each way to nest, `levels` deep in [`Program::depth`]'s count.
fn nests(levels: usize) -> Vec<String> {
    let repeat = |piece: &str, count: usize| piece.repeat(count);
    vec![
        format!("return {}a", repeat("-", levels - 1)),
        format!("return {}a", repeat("!", levels - 1)),
        format!("return a{}", repeat(" + a", levels - 1)),
        format!("return a{}", repeat(" && a", levels - 1)),
        format!("return {}a{}", repeat("a - (", levels - 1), repeat(")", levels - 1)),
        format!("return {}a{}", repeat("a || (", levels - 1), repeat(")", levels - 1)),
        format!("{}x = 1{} return x", repeat("while a {", levels - 2), repeat("}", levels - 2)),
        format!("{}x = 1{} return x", repeat("if a {", levels - 2), repeat("}", levels - 2)),
        format!("{}x = 1{} return x", repeat("if a {} else {", levels - 2), repeat("}", levels - 2)),
        format!("if a {{}} {} return x", repeat("else if a {} ", levels - 2)),
        format!("{PLUS}{}x = 1{} return x", repeat("switch a { 1: {", levels - 2), repeat("}}", levels - 2)),
        format!("{PLUS}{}x = 1{} return x", repeat("switch a { else: {", levels - 2), repeat("}}", levels - 2)),
        format!("{PLUS}{}return a{} return x", repeat("while a {", levels - 1), repeat("}", levels - 1)),
        format!(
            "{}x = {}a{} return x",
            repeat("if a {", levels / 2),
            repeat("-", levels - 2 - levels / 2),
            repeat("}", levels / 2)
        ),
    ]
}

#[test]
fn the_deepest_programs_are_processed_on_a_small_stack() {
    let everything = || {
        for text in nests(MAX_DEPTH) {
            let mut program = tiny::parse(&text).unwrap();
            assert_eq!(program.depth(), MAX_DEPTH);
            let copy = program.clone();
            program.normalize();
            assert_eq!(program, copy);
            assert_eq!(tiny::parse(&program.to_string()).as_ref(), Ok(&program));
            let end = tiny::eval(&program, &[], 10_000).outcome;
            let lowered = tac::lower(&program);
            assert_eq!(tac::eval(&lowered, &[], 10_000).outcome, end);
            assert_eq!(tac::parse(&lowered.to_string()), Ok(lowered));
        }
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(everything).unwrap().join().unwrap();
}

#[test]
fn deeper_programs_are_refused_however_deep() {
    for levels in [MAX_DEPTH + 1, 100_000] {
        for text in nests(levels) {
            let message = error(&text);
            assert!(message.contains("nested more than 1000 levels deep"), "{message}");
        }
    }
    let open = "(".repeat(100_000);
    assert!(error(&format!("return {open}")).contains("nested more than"), "unclosed parentheses");
    assert!(error(&"while a {".repeat(100_000)).contains("nested more than"), "unclosed blocks");
}

#[test]
fn a_long_program_parses() {
    let text = "x = x + 1;\n".repeat(100_000) + "return x";
    let program = tiny::parse(&text).unwrap();
    assert_eq!(tiny::eval(&program, &[], u64::MAX).outcome.to_string(), "return 100000");
}

/// Any program, for the printer: its names are distinct, its variables in any order.
fn program(u: &mut Unstructured) -> arbitrary::Result<Program> {
    let variables = ["a", "b", "x1", "_", "iffy", "t"].map(Box::from).to_vec();
    let inputs = u.int_in_range(0..=3)?;
    let mut program = Program { variables, inputs, body: block(u, 2)?, result: expr(u, 4)? };
    program.normalize();
    Ok(program)
}

fn block(u: &mut Unstructured, depth: usize) -> arbitrary::Result<Vec<Stmt>> {
    let length = u.int_in_range(0..=3)?;
    (0..length)
        .map(|_| {
            Ok(match u.int_in_range(0..=if depth == 0 { 5 } else { 10 })? {
                0 => Stmt::Assign(var(u)?, expr(u, 3)?),
                1 => Stmt::Break,
                2 => Stmt::Continue,
                3 => Stmt::Return(expr(u, 2)?),
                4 => Stmt::Do(Op::Emit, vec![expr(u, 2)?]),
                5 => Stmt::Do(Op::Store(Array::ANY), vec![expr(u, 2)?, expr(u, 2)?]),
                6 | 7 => Stmt::While(expr(u, 2)?, block(u, depth - 1)?),
                8 => {
                    let arms = [-5, 0, 1, 7].into_iter().take(u.int_in_range(0..=4)?);
                    let arms = arms.map(|constant| Ok((constant, block(u, depth - 1)?)));
                    let arms = arms.collect::<arbitrary::Result<_>>()?;
                    Stmt::Switch(expr(u, 2)?, arms, block(u, depth - 1)?)
                }
                _ => Stmt::If(expr(u, 2)?, block(u, depth - 1)?, block(u, depth - 1)?),
            })
        })
        .collect()
}

fn expr(u: &mut Unstructured, depth: usize) -> arbitrary::Result<Expr> {
    use Op::*;
    let operand = |u: &mut Unstructured| Ok(Box::new(expr(u, depth - 1)?));
    Ok(match u.int_in_range(0..=if depth == 0 { 1 } else { 5 })? {
        0 => Expr::Var(var(u)?),
        1 => Expr::Int(*u.choose(&[0, 1, -1, 5, -5, 1000, i64::MIN, i64::MAX])?),
        2 => Expr::Unary(*u.choose(&[Neg, Not])?, operand(u)?),
        3 => Expr::Logic(*u.choose(&[Logic::And, Logic::Or])?, operand(u)?, operand(u)?),
        _ => {
            let op = *u.choose(&[Add, Sub, Mul, Div, Rem, Eq, Ne, Lt, Le, Gt, Ge])?;
            Expr::Binary(op, operand(u)?, operand(u)?)
        }
    })
}

fn var(u: &mut Unstructured) -> arbitrary::Result<Var> {
    Ok(Var(u.int_in_range(0..=5)?))
}

#[test]
fn what_is_printed_parses_back() {
    arbtest(|u| {
        let program = program(u)?;
        let text = program.to_string();
        assert_eq!(tiny::parse(&text).as_ref(), Ok(&program), "{text}");
        Ok(())
    })
    .budget_ms(1_000);
}

#[test]
fn lowering_keeps_the_outcome() {
    arbtest(|u| {
        let program = program(u)?;
        let inputs: Vec<i64> = (0..program.inputs).map(|_| u.arbitrary()).collect::<arbitrary::Result<_>>()?;
        let direct = tiny::eval(&program, &inputs, 1_000).outcome;
        let lowered = tac::lower(&program);
        let through_tac = tac::eval(&lowered, &inputs, 100_000).outcome;
        if direct.end != harness::op::End::OutOfFuel {
            assert_eq!(through_tac, direct, "{program}");
        }
        assert_eq!(tac::parse(&lowered.to_string()).as_ref(), Ok(&lowered));
        Ok(())
    })
    .budget_ms(1_000);
}

#[test]
fn garbage_never_panics() {
    const PIECES: [&str; 24] = [
        "input",
        "while",
        "if",
        "else",
        "return",
        "a",
        "b.c",
        "5",
        "9223372036854775808",
        "-",
        "!",
        "(",
        ")",
        "{",
        "}",
        "=",
        "==",
        "<",
        "&&",
        ";",
        ",",
        "\n",
        "#",
        "é",
    ];
    arbtest(|u| {
        let length = u.int_in_range(0..=30)?;
        let mut text = String::new();
        for _ in 0..length {
            text += *u.choose(&PIECES)?;
            text += " ";
        }
        for result in [tiny::parse(&text).map(|p| p.to_string()), tac::parse(&text).map(|p| p.to_string())] {
            if let Err(error) = result {
                assert!(text.get(error.span.clone()).is_some(), "{text:?}: {error:?}");
            }
        }
        Ok(())
    })
    .budget_ms(1_000);
}
