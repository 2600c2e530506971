//! `junit.xml`: a long run for tools that show test results. A test case for each part, each finding and each entry of
//! the corpus.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use crate::record::night::Night;
use crate::record::part;

/// The document.
pub fn junit(night: &Night) -> String {
    let mut report = Report::new("roundtrip");
    report.add_test_suite(parts(night));
    report.add_test_suite(findings(night));
    report.add_test_suite(corpus(night));
    report.to_string().expect("a report in memory is written")
}

fn parts(night: &Night) -> TestSuite {
    let mut suite = TestSuite::new("parts");
    for part in &night.parts {
        let name = part::name(part.status).unwrap_or("unknown");
        let why = part.why.as_deref().unwrap_or(name);
        let status = match part.status {
            0 => TestCaseStatus::success(),
            1 => failed(NonSuccessKind::Failure, name, why),
            4 => skipped(why),
            _ => failed(NonSuccessKind::Error, name, why),
        };
        let mut case = TestCase::new(part.name.as_str(), status);
        case.set_classname("parts").set_time(Duration::from_secs(part.seconds));
        case.set_system_out(format!("{}\n", part.command));
        suite.add_test_case(case);
    }
    for name in &night.unfinished {
        let status = failed(NonSuccessKind::Error, "unfinished", "it did not end");
        let mut case = TestCase::new(name.as_str(), status);
        case.set_classname("parts");
        suite.add_test_case(case);
    }
    suite
}

fn findings(night: &Night) -> TestSuite {
    let mut suite = TestSuite::new("findings");
    for finding in &night.findings {
        let status = failed(NonSuccessKind::Failure, &finding.verdict, &finding.signature);
        let mut case = TestCase::new(finding.signature.as_str(), status);
        case.set_classname("findings");
        case.set_system_out(format!("{}\n{}", finding.file.display(), finding.program));
        suite.add_test_case(case);
    }
    for finding in &night.quality {
        let mut case = TestCase::new(finding.signature.as_str(), skipped("slower code is no failure"));
        case.set_classname("findings");
        suite.add_test_case(case);
    }
    for artifact in &night.artifacts {
        let name = artifact.display().to_string();
        let status = failed(NonSuccessKind::Failure, "artifact", "a fuzz target failed on this input");
        let mut case = TestCase::new(name.as_str(), status);
        case.set_classname("findings");
        suite.add_test_case(case);
    }
    suite
}

fn corpus(night: &Night) -> TestSuite {
    let mut suite = TestSuite::new("corpus");
    for entry in &night.replayed {
        let status = if entry.ok {
            TestCaseStatus::success()
        } else {
            let signature = entry.signature.as_deref().unwrap_or(&entry.verdict);
            failed(NonSuccessKind::Failure, &entry.verdict, &format!("expected {}, is {signature}", entry.expected))
        };
        let mut case = TestCase::new(entry.file.as_str(), status);
        case.set_classname("corpus");
        suite.add_test_case(case);
    }
    suite
}

fn failed(kind: NonSuccessKind, name: &str, message: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(name).set_message(message);
    status
}

fn skipped(message: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(message);
    status
}
