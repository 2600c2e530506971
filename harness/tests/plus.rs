//! The dialect plus: its texts, what core makes of them, and that constructions and reduction take its operations.

use harness::case::{Case, Form, Program};
use harness::dialect::Dialect;
use harness::generate::{self, Policy};
use harness::lab::theorems;
use harness::minimize::minimize;
use harness::op::{End, Int, Narrow, Op};
use harness::syntax::SyntaxError;
use harness::tiny::{self, Expr};
use harness::{lab, tac};

/// A result expression printed anew; it must be the same program then.
fn reprinted(expression: &str) -> String {
    let text = format!("return {expression}");
    let program = tiny::parse_in(&text, Dialect::Plus).unwrap_or_else(|error| panic!("{expression}: {error}"));
    let printed = program.to_string();
    assert_eq!(tiny::parse(&printed).as_ref(), Ok(&program), "{printed}");
    printed.trim().rsplit_once("return ").unwrap().1.into()
}

#[test]
fn operators_bind_as_in_rust_and_calls_need_no_parentheses() {
    for (text, printed) in [
        ("a|b^c&d<<e+f", "a | b ^ c & d << e + f"),
        ("(((((a|b)^c)&d)<<e)+f)", "((((a | b) ^ c) & d) << e) + f"),
        ("(a&b)==(c|d)", "a & b == c | d"),
        ("a&(b==c)", "a & (b == c)"),
        ("a<<b>>c>>>d", "a << b >> c >>> d"),
        ("a<<(b<<c)", "a << (b << c)"),
        ("~-a", "~-a"),
        ("~(a+1)", "~(a + 1)"),
        ("a<u b", "a <u b"),
        ("a< u", "a < u"),
        ("a <=u 1", "a <=u 1"),
        ("a >u(b) && c>=u d", "a >u b && c >=u d"),
        ("a/u b%u c * d", "a /u b %u c * d"),
        ("a - (b /u c)", "a - b /u c"),
        ("select(a || b, (c), d + 1)", "select(a || b, c, d + 1)"),
        ("-min(a, max(b, c))", "-min(a, max(b, c))"),
        ("add.s8(a, b) + shr.u32(a,\n1)", "add.s8(a, b) + shr.u32(a, 1)"),
        ("add(a, xor(b, 1))", "a + (b ^ 1)"),
        ("min * select - popcnt", "min * select - popcnt"),
    ] {
        assert_eq!(reprinted(text), printed, "{text}");
    }
}

/// A program of plus printed anew; it must be the same program then.
fn reprinted_program(text: &str) -> String {
    let program = tiny::parse_in(text, Dialect::Plus).unwrap_or_else(|error| panic!("{}", shown(text, &error)));
    let printed = program.to_string();
    assert_eq!(tiny::parse(&printed).as_ref(), Ok(&program), "{printed}");
    printed
}

#[test]
fn statements_are_laid_out_and_their_words_are_not_reserved() {
    let text = "input a; while a { switch a+1 { 5: { break } - 5 : { a=1; continue; } else: { if a { return -a } } } }
        switch a { } return a; a = 2; switch a { 0: { } }
        break = 1; continue
        = break + switch; switch = 2
        return switch;";
    assert_eq!(
        reprinted_program(text),
        "# dialect: plus
input a;
while a {
  switch a + 1 {
    5: {
      break;
    }
    -5: {
      a = 1;
      continue;
    }
    else: {
      if a {
        return -a;
      }
    }
  }
}
switch a {
}
return a;
a = 2;
switch a {
  0: {
  }
}
break = 1;
continue = break + switch;
switch = 2;
return switch
"
    );
    // In core they are names like any other.
    assert!(tiny::parse("break = 1; switch = break; return continue").is_ok());
}

/// What the language says, in a trace of values and in steps (`docs/LANGUAGE.md` §8); the SSA and the TAC agree.
#[test]
fn statements_do_what_the_language_says() {
    for (text, input, outcome, steps) in [
        ("input a; switch a { 1: { x = 10 } 2: { x = 20 } else: { x = 30 } } return x", 2, 20, 3),
        ("input a; switch a { 1: { x = 10 } 2: { x = 20 } else: { x = 30 } } return x", 3, 30, 3),
        ("input a; switch a { 1: { x = 10 } } return x", 2, 0, 3),
        // An arm ends with its block; `break` is the loop's.
        ("input a; while 1 { switch a { 1: { a = 5; break } 2: { a = 1 } } } return a", 2, 5, 0),
        ("input a; while 1 { a = a + 1; switch a { 4: { break } } } return a", 2, 4, 1 + 5 + 4 + 1),
        ("input a; while a { a = a - 1; if a == 3 { break } s = s + a } return s", 6, 5 + 4, 0),
        ("input a; while a { a = a - 1; if a == 3 { continue } s = s + a } return s", 5, 4 + 2 + 1, 0),
        ("input a; while a { a = 0; continue; a = 9 } return a", 5, 0, 1 + 1 + 1 + 1 + 1),
        ("input a; while 1 { while 1 { break } a = a + 1; if a > 9 { return a + 100 } } return a", 5, 110, 0),
        ("input a; if a { return 1 } return 2", 5, 1, 2),
        ("input a; return a + 1; return 1 / 0", 5, 6, 2),
    ] {
        let text = format!("# dialect: plus\n{text}");
        let program = tiny::parse(&text).unwrap_or_else(|error| panic!("{}", shown(&text, &error)));
        let run = tiny::eval(&program, &[input], 1000);
        assert_eq!(run.outcome, End::Return(outcome).into(), "{text}");
        assert!(steps == 0 || run.steps == steps, "{text}: {}", run.steps);
        let holds = theorems::construction_keeps_the_program(&program, &[input], 500)
            .and_then(|()| theorems::constructions_from_tac_agree(&tac::lower(&program), &[input], 500));
        assert_eq!(holds, Ok(()), "{text}");
        assert_eq!(tac::eval(&tac::lower(&program), &[input], 2000).outcome, run.outcome, "{text}");
    }
}

fn shown(text: &str, error: &SyntaxError) -> String {
    let (line, column) = error.line_column(text);
    let help = error.help.as_ref().map_or(String::new(), |help| format!(" ({help})"));
    format!("{line}:{column}: {error}{help}\n")
}

#[test]
fn errors_say_what_is_wrong_and_where() {
    let plus = |text: &str| shown(text, &tiny::parse_in(text, Dialect::Plus).unwrap_err());
    let mut errors: String = [
        "return mni(a, b)",
        "return min(a)",
        "return abs(a, b)",
        "return select(a, b, c, d)",
        "return min(a, b",
        "return min(a; b)",
        "return min()",
        "return copy(a)",
        "return add.s64(a, b)",
        "return a <u b <u c",
        "return a << << b",
        "return abs (1)",
    ]
    .into_iter()
    .map(plus)
    .collect();
    for text in ["return a & b", "return a >>> 1", "x = ~a; return x", "return min(a, b)", "# dialect: more\nreturn 0"]
    {
        errors += &shown(text, &tiny::parse(text).unwrap_err());
    }
    errors += &[
        "switch a { 1: { } 1: { } } return 0",
        "switch a { 1 { } } return 0",
        "switch a { 1: x = 1; } return 0",
        "switch a { else: { } 1: { } } return 0",
        "switch a { - a: { } } return 0",
        "switch a { 9223372036854775808: { } } return 0",
        "switch a 1: { } return 0",
        "switch a { 1: { }",
        "switch a { 1: { x = 1",
        "break; return 0",
        "while a { } if a { switch b { 1: { continue } } } return 0",
        "while a { break x = 1 } return 0",
        "while a { return 1 }",
        "return 1; ; return 2",
        "return 1 return 2",
    ]
    .into_iter()
    .map(plus)
    .collect::<String>();
    for text in ["switch a { } return 0", "while 1 { break; } return 0", "return 1; return 2", "if a { return 1 }"] {
        errors += &shown(text, &tiny::parse(text).unwrap_err());
    }
    let text = "# dialect: core\n  x = min a, b\n  ret x";
    errors += &shown(text, &tac::parse(text).unwrap_err());
    let text = "# dialect: plus\n  x = minn a, b\n  ret x";
    errors += &shown(text, &tac::parse(text).unwrap_err());
    let text = "e:\n  x = add.s8 1, 2\n  ret x\n";
    errors += &shown(text, &lab::parse_ssa(text).unwrap_err());
    insta::assert_snapshot!(errors);
}

/// What is printed says its dialect if it needs it, in all four languages.
#[test]
fn a_text_that_needs_plus_says_so() {
    let program = tiny::parse("# dialect: plus\ninput a; return rotl(a, 3) + 1").unwrap();
    assert_eq!(program.to_string(), "# dialect: plus\ninput a;\nreturn rotl(a, 3) + 1\n");
    let lowered = tac::lower(&program);
    assert_eq!(tac::parse(&lowered.to_string()), Ok(lowered.clone()));
    let function = lab::construct_naive(&program);
    assert_eq!(
        function.to_string(),
        "# dialect: plus\nssa(a.0)\nentry:\n  t.0 = rotl a.0, 3\n  t.1 = add t.0, 1\n  ret t.1\n"
    );
    assert_eq!(lab::parse_ssa(&function.to_string()).unwrap().to_string(), function.to_string());
    let phi = lab::args_to_phi(&function);
    assert_eq!(lab::parse_phi(&phi.to_string()).unwrap().to_string(), phi.to_string());
    // Core alone, though the text allows more.
    assert_eq!(tiny::parse("# dialect: plus\nreturn 1").unwrap().to_string(), "return 1\n");
}

#[test]
fn every_operation_can_be_written_in_every_language() {
    for op in Op::all() {
        let operands = ["a", "b", "c"][..op.arity()].join(", ");
        let text = format!("# dialect: plus\ninput a, b, c\n  x = {op} {operands}\n  ret x\n");
        let program = tac::parse(&text).unwrap_or_else(|error| panic!("{op}: {error}"));
        assert_eq!(program.to_string().trim_start_matches("# dialect: plus\n"), &text["# dialect: plus\n".len()..]);
        if op == Op::Copy {
            continue;
        }
        let result = format!("return {op}({operands})");
        let program = tiny::parse_in(&result, Dialect::Plus).unwrap_or_else(|error| panic!("{op}: {error}"));
        assert_eq!(program.result.op(), Some(op));
        assert_eq!(tiny::parse(&program.to_string()).as_ref(), Ok(&program), "{op}");
    }
}

/// Theorem 8.4.9 holds for the new operations too: the same outcomes and the same steps.
#[test]
fn constructions_keep_programs_of_plus() {
    let policy = Policy { dialect: Dialect::Plus, ..Policy::default() };
    for index in 0..150 {
        let case = generate::case(4, index, Form::Tiny, &policy);
        let Program::Tiny(program) = &case.program else { panic!("another form") };
        for vector in &case.vectors {
            let holds = theorems::construction_keeps_the_program(program, vector, 2000)
                .and_then(|()| theorems::constructions_from_tac_agree(&tac::lower(program), vector, 2000));
            assert_eq!(holds, Ok(()), "program {index}\n{program}");
        }
    }
}

/// What does not matter to a finding becomes one of the lesson's operations; what matters stays.
#[test]
fn reduction_keeps_the_operation_that_matters() {
    let narrow_division = Op::At(Narrow::Div, Int::S8);
    let text = "input a, b; x = rotl(a, b) ^ clz(a); y = select(x <u a, min.u16(x, b), mulhi(x, a)); \
                return div.s8(y & 255, popcnt(b) | 1) + y";
    let program = Program::Tiny(tiny::parse_in(text, Dialect::Plus).unwrap());
    for form in [Form::Tiny, Form::Tac, Form::Ssa] {
        let Program::Tiny(tiny) = &program else { panic!("another form") };
        let program = match form {
            Form::Tiny => program.clone(),
            Form::Tac => Program::Tac(tac::lower(tiny)),
            _ => Program::Ssa(lab::construct_naive(tiny)),
        };
        let case = Case { program, vectors: vec![vec![1, 2]], fuel: 100 };
        let has = |case: &Case, wanted: Op| match &case.program {
            Program::Tiny(program) => tiny::walk::expressions(program).iter().any(|expr| expr.op() == Some(wanted)),
            Program::Tac(program) => {
                program.lines.iter().any(|line| matches!(line, tac::Line::Assign(assign) if assign.op == wanted))
            }
            Program::Ssa(function) => {
                function.blocks.iter().flat_map(|block| &block.body).any(|inst| inst.op == wanted)
            }
            Program::Phi(_) => false,
        };
        let smallest = minimize(&case, &mut |case| has(case, narrow_division), &mut |_| {}).unwrap().case;
        let others = Op::all().filter(|&op| op != narrow_division && op.dialect() == Dialect::Plus);
        assert_eq!(others.filter(|&op| has(&smallest, op)).count(), 0, "{form:?}");
        // The operation at 64 bits does where only an operation matters.
        let any = |case: &Case| Op::all().any(|op| op.can_trap() && has(case, op));
        let smallest = minimize(&case, &mut |case| any(case), &mut |_| {}).unwrap().case;
        assert!(has(&smallest, Op::Div), "{form:?}");
    }
    assert!(matches!(program, Program::Tiny(tiny::Program { result: Expr::Binary(..), .. })));
}
