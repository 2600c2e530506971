//! TAC against the cases: lowering from Tiny, the language of its own, the control-flow graph, the interpreter.

mod common;

use common::{Case, End, cases, strings};
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
