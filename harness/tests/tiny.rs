//! Tiny against the cases, and its parser, printer and interpreter against each other.

mod common;

use common::{End, cases, strings};
use harness::tiny;

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
