//! For the harness's own faults: a test that fails until the fault is gone.

use std::fmt::Write;

use crate::case::Form;
use crate::report::draft::{Subject, extra};

/// The draft, and the test as a file.
pub(super) fn draft(subject: &Subject<'_>) -> (String, (String, String)) {
    let triage = subject.triage;
    let mut text = format!("# roundtrip: {} is wrong\n\n", triage.stage);
    let _ = write!(text, "{}.\n\nExpected: {}\n\nActual: {}\n\n", triage.why, subject.expected(), subject.actual());
    let _ =
        write!(text, "A test for `harness/tests/`, also beside as `repro.rs`:\n\n```rust\n{}```\n\n", test(subject));
    (text + &extra(subject), ("repro.rs".into(), test(subject)))
}

/// The test: the program agrees on all paths, with the outcomes that are right.
fn test(subject: &Subject<'_>) -> String {
    let (parser, variant) = match subject.case.program.form() {
        Form::Tiny => ("tiny::parse", "Tiny"),
        Form::Tac => ("tac::parse", "Tac"),
        Form::Ssa => ("lab::parse_ssa", "Ssa"),
        Form::Phi => ("lab::parse_phi", "Phi"),
    };
    let name: String =
        subject.triage.signature.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!(
        r##"//! {signature}: {stage}.

use harness::case::{{Case, DEFAULT_FUEL, Program}};
use harness::compare::Verdict;
use harness::path::{{Detail, Path, registry}};

const PROGRAM: &str = r#"{entry}"#;

#[test]
fn {name}() {{
    let runs = harness::directives::parse(PROGRAM).unwrap();
    let program = Program::{variant}(harness::{parser}(PROGRAM).unwrap());
    let case = Case {{ program, vectors: runs.iter().map(|run| run.vector.clone()).collect(), fuel: DEFAULT_FUEL }};
    let registry = registry();
    let paths: Vec<&dyn Path> = registry.iter().map(|path| &**path).collect();
    let report = harness::check(&case, &paths, Detail::default());
    assert_eq!(report.verdict, Verdict::Agree, "{{report:#?}}");
    for (run, expected) in report.runs.iter().zip(&runs) {{
        assert!(expected.expected.is_none_or(|right| right == run.right), "{{run:#?}}");
    }}
}}
"##,
        signature = subject.triage.signature,
        stage = subject.triage.stage,
        entry = subject.entry,
    )
}
