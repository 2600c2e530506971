//! Known issues on the command line: what is filed already is no finding.

use std::path::PathBuf;

use harness::compare::{Report, Verdict};
use harness::path::Path;
use harness::record::known::{self, Known};

/// Where known issues are listed, for the commands that check given programs.
#[derive(clap::Args)]
pub struct KnownOptions {
    /// The corpus whose known/*.toml list the issues that are filed already
    #[arg(long, value_name = "DIR", default_value = "corpus")]
    corpus: PathBuf,
}

impl KnownOptions {
    /// The issues.
    pub fn read(&self) -> anyhow::Result<Vec<Known>> {
        Ok(known::read(&self.corpus)?)
    }
}

/// A report as it is when known issues are no findings. Everything wrong must be known: what remains when the paths that
/// have a known issue are left out is looked at `again`, so that one issue hides no other.
pub fn settle(
    known: &[Known],
    report: Report,
    paths: &[&dyn Path],
    again: &dyn Fn(&[&dyn Path]) -> anyhow::Result<Report>,
) -> anyhow::Result<Report> {
    let mut issues: Vec<&str> = Vec::new();
    let mut paths = paths.to_vec();
    let mut left = None;
    loop {
        let current = left.as_ref().unwrap_or(&report);
        if !current.verdict.is_finding() {
            break;
        }
        let Some(issue) = known.iter().find(|issue| issue.covers(current)) else {
            return Ok(left.unwrap_or(report));
        };
        issues.push(&issue.name);
        let (wrong, before) = (current.wrong(), paths.len());
        paths.retain(|path| !wrong.contains(&path.id()));
        if paths.is_empty() || paths.len() == before {
            break;
        }
        left = Some(again(&paths)?);
    }
    if issues.is_empty() {
        return Ok(report);
    }
    Ok(Report { verdict: Verdict::Known(issues.join(", ")), ..report })
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness::case::{Case, DEFAULT_FUEL, Program};
    use harness::path::{self, Detail};

    #[test]
    fn one_issue_hides_no_other_finding() {
        let folder = tempfile::tempdir().unwrap();
        let entry = "summary = ''\nlink = ''\nsignature = 'disagree.*.lab*'\ncompiler = 'lab'\nversions = '*'\n\
                     form = 'tiny'\nprogram = ''\n";
        std::fs::create_dir(folder.path().join("known")).unwrap();
        std::fs::write(folder.path().join("known/a.toml"), entry).unwrap();
        let known = known::read(folder.path()).unwrap();

        let program = Program::Tiny(harness::tiny::parse("input x;\nreturn x").unwrap());
        let case = Case { program, vectors: vec![vec![7]], fuel: DEFAULT_FUEL };
        let registry = path::registry();
        let paths: Vec<&dyn Path> = registry.iter().map(|path| &**path).collect();
        let agrees = harness::check(&case, &paths, Detail::default());
        let shows = |signature: &str, wrong: &str| {
            let mut report = agrees.clone();
            report.verdict = Verdict::Disagree;
            report.signature = Some(harness::compare::Signature(signature.into()));
            let class = &mut report.runs[0].classes[0];
            let (sources, right) = class.sources.drain(..).partition(|source| source.path.short() == wrong);
            class.sources = right;
            let outcome = harness::op::End::Return(0).into();
            report.runs[0].classes.push(harness::compare::Class { outcome, sources });
            report
        };
        let settled = |left: Report| {
            let again = |paths: &[&dyn Path]| {
                assert!(paths.iter().all(|path| path.id().short() != "lab/phi"));
                Ok(left.clone())
            };
            settle(&known, shows("disagree.execute.lab~", "lab/phi"), &paths, &again).unwrap()
        };
        assert_eq!(settled(agrees.clone()).verdict, Verdict::Known("a".into()));
        let other = shows("disagree.execute.tac", "lab/tac");
        assert_eq!(settled(other.clone()), Report { verdict: Verdict::Disagree, ..other }, "its signature is another");
    }
}
