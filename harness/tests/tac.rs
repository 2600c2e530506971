//! TAC against the cases: lowering from Tiny, the language of its own, the control-flow graph, the interpreter.

mod common;

use common::{Case, End, cases, strings};
use harness::tac::cfg::Terminator;
use harness::{tac, tiny};

/// What both kinds of cases say about a TAC program.
fn check(case: &Case, program: &tac::Program) {
    let name = &case.name;
    let text = program.to_string();
    assert_eq!(text, case.answers["forms"]["tac"], "{name}");
    assert_eq!(tac::parse(&text).as_ref(), Ok(program), "{name}");
    assert_eq!(program.variables.texts().collect::<Vec<_>>(), strings(&case.answers["tac_variables"]), "{name}");
}

#[test]
fn tiny_cases_lower() {
    for case in cases("tiny") {
        let program = tac::lower(&tiny::parse(&case.text).unwrap());
        check(&case, &program);
        assert_eq!(tac::cfg(&program).blocks.len() as u64, case.answers["blocks"]["tac-ssa"], "{}", case.name);
        for run in case.runs() {
            let end = End::from(tac::eval(&program, &run.inputs, case.fuel()));
            assert_eq!(end, End::of(&run.answers["tac"]), "{} {:?}", case.name, run.inputs);
        }
    }
}

#[test]
fn tac_cases_parse_and_run() {
    for case in cases("tac") {
        let program = tac::parse(&case.text).unwrap_or_else(|error| panic!("{}: {error}", case.name));
        check(&case, &program);
        assert_eq!(tac::cfg(&program).blocks.len() as u64, case.answers["blocks"], "{}", case.name);
        for run in case.runs() {
            let end = End::from(tac::eval(&program, &run.inputs, case.fuel()));
            assert_eq!(end, End::of(run.answers), "{} {:?}", case.name, run.inputs);
        }
    }
}

/// The error of a text as `line:column: message (help)`.
fn error(text: &str) -> String {
    match tac::parse(text) {
        Ok(program) => panic!("{text:?} parses as\n{program}"),
        Err(error) => {
            let (line, column) = error.line_column(text);
            let help = error.help.as_ref().map_or(String::new(), |help| format!(" ({help})"));
            format!("{line}:{column}: {error}{help}")
        }
    }
}

#[test]
fn bad_texts_are_refused_where_they_are_wrong() {
    let errors: String =
        cases("tac_bad").iter().map(|case| format!("{}: {}\n", case.name, error(&case.text))).collect();
    insta::assert_snapshot!(errors);
}

#[test]
fn errors_say_what_is_wrong_and_where() {
    let errors: String = [
        "L:\nL:\n  ret 0",
        "input a, b, a\n  ret a",
        "input a,\n  ret a",
        "input a b\n  ret a",
        "  x = add 1\n  ret x",
        "  x = add 1, \n  ret x",
        "  x = select a, b, c\n  ret x",
        "  x = 5\n  ret x",
        "  if a L\nL:\n  ret 0",
        "  if a goto 5\n  ret 0",
        "  if goto L\nL:\n  ret 0",
        "  goto L:\nL:\n  ret 0",
        "  goto M\nL:\n  ret 0",
        "  ret - 5",
        "  ret x // y",
        "  x = copy 1\n  if x goto L\nL:\n  x = copy 2 # end\n\n",
        "  x = copy (1)\n  ret x",
        "# nothing\n",
        "  switch\n  ret 0",
        "L:\n  switch a\n",
        "L:\n  switch a, 1 goto L\n",
        "L:\n  switch a, 1 goto L, b goto L, else goto L",
        "L:\n  switch a, -1 goto L, 2 goto L, -1 goto L, else goto L",
        "L:\n  switch a, 1 L, else goto L",
        "L:\n  switch a, else L",
        "L:\n  switch a, else goto L, 2 goto L",
        "L:\n  switch a, 1 goto M, else goto L",
    ]
    .iter()
    .map(|text| format!("{}\n", error(text)))
    .collect();
    insta::assert_snapshot!(errors);
}

#[test]
fn no_word_is_reserved() {
    let text = "input input\n  goto = copy input\ninput:\n  if if goto goto\n  if = add if, ret\ngoto:\n  ret = copy copy\n  \
                ifz ifz goto input\n  ret ret\n";
    let program = tac::parse(text).unwrap();
    assert_eq!(program.to_string(), text);
    assert_eq!(program.inputs, 1);
    assert_eq!(program.labels.texts().collect::<Vec<_>>(), ["input", "goto"]);
}

#[test]
fn blanks_and_comments_do_not_matter() {
    let text = "# run: 1\n\n\tinput  a.b ,c# two\r\n\nL0 :#label\n x=sub a.b,-5\nif c goto L0\n#\n    ret   x";
    assert_eq!(
        tac::parse(text).unwrap().to_string(),
        "input a.b, c\nL0:\n  x = sub a.b, -5\n  if c goto L0\n  ret x\n"
    );
}

#[test]
fn variables_have_the_canonical_order() {
    let text = "input z.9, m\n  t.10 = add t.2, b\n  t.1 = copy a\n  xx.1 = copy t.3\n  ret c";
    let program = tac::parse(text).unwrap();
    assert_eq!(
        program.variables.texts().collect::<Vec<_>>(),
        ["z.9", "m", "b", "a", "c", "t.1", "t.2", "t.3", "t.10", "xx.1"]
    );
}

/// The variables of a lowered program come in the TAC's order, not in V's.
#[test]
fn lowering_orders_variables_by_the_tac() {
    let program = tac::lower(&tiny::parse("x = (a || t) + b; return x").unwrap());
    assert_eq!(program.variables.texts().collect::<Vec<_>>(), ["a", "t", "x", "b", "t.0"]);
}

/// The blocks' terminators, each as its kind and targets.
fn shape(text: &str) -> Vec<String> {
    let graph = tac::cfg(&tac::parse(text).unwrap());
    graph
        .blocks
        .iter()
        .map(|block| {
            let kind = match block.term {
                Terminator::Br(_) => "br",
                Terminator::Cbr(..) => "cbr",
                Terminator::Switch(..) => "switch",
                Terminator::Ret(_) => "ret",
            };
            let targets: Vec<String> = block.term.targets().map(|target| format!(" B{target}")).collect();
            format!("{} {kind}{}", block.body.len(), targets.concat())
        })
        .collect()
}

#[test]
fn blocks_begin_where_the_language_says() {
    // A label that no jump names begins nothing; labels in a row share a block.
    assert_eq!(shape("x = copy 1\nL:\nx = copy 2\nret x"), ["2 ret"]);
    assert_eq!(shape("x = copy 1\nL:\nM:\nx = copy 2\nif x goto M\nret x"), ["1 br B1", "1 cbr B1 B2", "0 ret"]);
    // Both targets of a jump can be the next block.
    assert_eq!(shape("ifz a goto L\nL:\nret a"), ["0 cbr B1 B1", "0 ret"]);
    assert_eq!(shape("if a goto L\nx = copy 1\nL:\nret a"), ["0 cbr B2 B1", "1 br B2", "0 ret"]);
    assert_eq!(shape("ifz a goto L\nx = copy 1\nL:\nret a"), ["0 cbr B1 B2", "1 br B2", "0 ret"]);
    assert_eq!(
        shape("switch a, 1 goto L, 7 goto M, else goto L\nx = copy 1\nL:\nx = copy 2\nM:\nret x"),
        ["0 switch B2 B3 B2", "1 br B2", "1 br B3", "0 ret"]
    );
    assert_eq!(shape("L:\nswitch 1, else goto L"), ["0 br B1", "0 switch B1"]);
    // A jump to the first line puts an empty block in front, also from unreachable code.
    assert_eq!(shape("N:\nL:\nret 1\ngoto L"), ["0 br B1", "0 ret", "0 br B1"]);
    assert_eq!(shape("N:\nret 1\ngoto M\nM:\nret 2"), ["0 ret", "0 br B2", "0 ret"]);
    // Unreachable blocks stay in their place.
    assert_eq!(shape("goto L\nx = copy 1\nL:\nret x"), ["0 br B2", "1 br B2", "0 ret"]);
}

#[test]
fn fuel_ends_a_run_before_the_line_that_it_lacks() {
    let program = tac::parse("L:\n  x = div 1, 0\n  ret x").unwrap();
    let end = |fuel| End::from(tac::eval(&program, &[], fuel));
    assert_eq!(end(0), End { outcome: "out of fuel".into(), steps: 0 });
    assert_eq!(end(1), End { outcome: "trap div-by-zero".into(), steps: 1 });
    let endless = tac::parse("L:\nM:\n  goto L").unwrap();
    assert_eq!(End::from(tac::eval(&endless, &[], 7)), End { outcome: "out of fuel".into(), steps: 7 });
}

#[test]
fn a_switch_goes_where_its_constants_say() {
    let text = "input a\n  switch a, 1 goto L, -9223372036854775808 goto M, else goto N\nL:\n  ret 10\nM:\n  ret 20\nN:\n  \
                ret a\n";
    let program = tac::parse(text).unwrap();
    assert_eq!(program.to_string(), text);
    let run = |input: i64| End::from(tac::eval(&program, &[input], 10));
    for (input, result) in [(1, 10_i64), (i64::MIN, 20), (0, 0), (-1, -1), (4294967297, 4294967297)] {
        assert_eq!(run(input), End { outcome: format!("return {result}"), steps: 2 }, "{input}");
    }
    let words = "  switch = copy 1\nelse:\n  switch switch, 1 goto else, else goto switch\nswitch:\n  ret else\n";
    assert_eq!(tac::parse(words).unwrap().to_string(), words);
}

#[test]
fn a_switch_has_no_more_arms_than_a_thousand() {
    let switch = |arms: usize| {
        let arms: String = (0..arms).map(|k| format!("{k} goto L, ")).collect();
        error(&format!("L:\n  switch a, {arms}else L"))
    };
    assert!(switch(1000).contains("expected `goto`"), "{}", switch(1000));
    assert!(switch(1001).contains("at most 1000 arms"), "{}", switch(1001));
}

#[test]
fn long_programs_parse() {
    let lines: String =
        (0..50_000).map(|k| format!("L{k}:\n  x{k} = add x{k}, 1\n  if x{k} goto L{}\n", k / 2)).collect();
    let program = tac::parse(&(lines + "  ret 0")).unwrap();
    assert_eq!(program.variables.len(), 50_000);
    // One for each `if`, the one after the last, and the entry in front.
    assert_eq!(tac::cfg(&program).blocks.len(), 50_002);
}
