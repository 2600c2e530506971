//! A report as known issues make it: what is known is no finding.

use std::collections::BTreeSet;

use super::{Again, Known};
use crate::compare::{Report, Verdict};
use crate::path::{self, PathId, installed};

/// A report as it is when known issues are no findings. Everything wrong must be known: what remains when the paths
/// that have a known issue are left out is looked at `again`, so that one issue hides no other; and so is a path pass
/// by pass, where an issue is one pass's.
pub fn settle<E>(
    known: &[Known],
    report: Report,
    paths: &[&dyn path::Path],
    again: &Again<'_, E>,
) -> Result<Report, E> {
    let mut issues: Vec<&str> = Vec::new();
    let mut paths = paths.to_vec();
    let mut left = None;
    loop {
        let current = left.as_ref().unwrap_or(&report);
        if !current.verdict.is_finding() {
            break;
        }
        let mut found = known_in(known, current, again)?;
        for alone in one_by_one(current, &paths) {
            if found.is_none() {
                found = known_in(known, &again(&alone)?, again)?;
            }
        }
        let Some((issue, by_it)) = found else { return Ok(left.unwrap_or(report)) };
        issues.push(&issue.name);
        let before = paths.len();
        paths.retain(|path| !by_it.contains(&path.id()));
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

/// The first issue that a report may be, with the paths that have it.
fn known_in<'k, E>(
    known: &'k [Known],
    report: &Report,
    again: &Again<'_, E>,
) -> Result<Option<(&'k Known, BTreeSet<PathId>)>, E> {
    for issue in known.iter().filter(|issue| issue.covers(report)) {
        let by_it = issue.wrong_by_it(report, again)?;
        if !by_it.is_empty() {
            return Ok(Some((issue, by_it)));
        }
    }
    Ok(None)
}

/// Where several compilers are wrong, each one's paths beside those of who is right: an issue is of one compiler.
fn one_by_one<'p>(report: &Report, paths: &[&'p dyn path::Path]) -> Vec<Vec<&'p dyn path::Path>> {
    let compilers: BTreeSet<&str> = report.wrong().into_iter().map(|path| &*path.compiler).collect();
    if compilers.len() < 2 {
        return Vec::new();
    }
    let of = |compiler: &str| {
        let takes_part = |id: PathId| id.compiler == compiler || !compilers.contains(&*id.compiler);
        paths.iter().copied().filter(|path| takes_part(path.id())).collect()
    };
    compilers.iter().copied().map(of).collect()
}

/// Those that run pass by pass of paths that have an issue of a pass: what [`settle`] looks at beside these paths.
pub fn settling_paths(known: &[Known], paths: &[&dyn path::Path]) -> Vec<Box<dyn path::Path>> {
    let of_passes: Vec<&Known> = known.iter().filter(|issue| issue.pass.is_some()).collect();
    let ids = paths.iter().map(|path| path.id()).filter(|id| of_passes.iter().any(|issue| issue.concerns(id)));
    let is_new = |id: &PathId| paths.iter().all(|path| path.id() != *id);
    ids.filter_map(|id| installed::in_steps(&id)).filter(|steps| is_new(&steps.id())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{Case, DEFAULT_FUEL, Program};
    use crate::path::Detail;
    use crate::record::known::read;

    /// The issues of these compilers, called after them.
    fn known(compilers: &[&str]) -> Vec<Known> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("known")).unwrap();
        for compiler in compilers {
            let entry = format!(
                "summary = ''\nlink = ''\nsignature = 'disagree.*.{compiler}*'\ncompiler = '{compiler}'\n\
                 versions = '*'\nform = 'tiny'\nprogram = ''\n"
            );
            std::fs::write(folder.path().join(format!("known/{compiler}.toml")), entry).unwrap();
        }
        read(folder.path()).unwrap()
    }

    #[test]
    fn issues_of_two_compilers_that_one_program_shows_are_both_known() {
        let program = Program::Tiny(crate::tiny::parse("input x;\nreturn x").unwrap());
        let case = Case { program, vectors: vec![vec![7]], fuel: DEFAULT_FUEL };
        let registry = crate::path::registry();
        let paths: Vec<&dyn path::Path> = registry.iter().map(|path| &**path).collect();
        // All that is told of these paths, of which two are wrong.
        let looked = |paths: &[&dyn path::Path]| {
            let mut report = crate::check(&case, paths, Detail::default());
            let class = &mut report.runs[0].classes[0];
            let is_wrong = |id: &PathId| ["lab/phi", "tiny/eval"].contains(&&*id.short());
            let (sources, right) = class.sources.drain(..).partition(|source| is_wrong(&source.path));
            class.sources = right;
            let sources: Vec<crate::compare::Source> = sources;
            let groups: BTreeSet<String> = sources.iter().map(|source| source.path.compiler.clone()).collect();
            if !groups.is_empty() {
                let names = groups.into_iter().collect::<Vec<_>>().join(",");
                (report.verdict, report.signature) =
                    (Verdict::Disagree, Some(crate::compare::Signature(format!("disagree.execute.{names}"))));
                report.runs[0]
                    .classes
                    .push(crate::compare::Class { outcome: crate::op::End::Return(0).into(), sources });
            }
            report
        };
        let again = |paths: &[&dyn path::Path]| Ok::<_, ()>(looked(paths));
        let settled = |compilers: &[&str]| settle(&known(compilers), looked(&paths), &paths, &again).unwrap().verdict;
        assert_eq!(looked(&paths).signature.unwrap().0, "disagree.execute.lab,tiny");
        assert_eq!(settled(&["lab", "tiny"]), Verdict::Known("lab, tiny".into()));
        assert_eq!(settled(&["lab"]), Verdict::Disagree);
        assert_eq!(settled(&["tiny"]), Verdict::Disagree);
    }

    #[test]
    fn one_issue_hides_no_other_finding() {
        let known = known(&["lab"]);

        let program = Program::Tiny(crate::tiny::parse("input x;\nreturn x").unwrap());
        let case = Case { program, vectors: vec![vec![7]], fuel: DEFAULT_FUEL };
        let registry = crate::path::registry();
        let paths: Vec<&dyn path::Path> = registry.iter().map(|path| &**path).collect();
        let agrees = crate::check(&case, &paths, Detail::default());
        let shows = |signature: &str, wrong: &str| {
            let mut report = agrees.clone();
            report.verdict = Verdict::Disagree;
            report.signature = Some(crate::compare::Signature(signature.into()));
            let class = &mut report.runs[0].classes[0];
            let (sources, right) = class.sources.drain(..).partition(|source| source.path.short() == wrong);
            class.sources = right;
            let outcome = crate::op::End::Return(0).into();
            report.runs[0].classes.push(crate::compare::Class { outcome, sources });
            report
        };
        let settled = |left: Report| {
            let again = |paths: &[&dyn path::Path]| {
                assert!(paths.iter().all(|path| path.id().short() != "lab/phi"));
                Ok::<_, ()>(left.clone())
            };
            settle(&known, shows("disagree.execute.lab~", "lab/phi"), &paths, &again).unwrap()
        };
        assert_eq!(settled(agrees.clone()).verdict, Verdict::Known("lab".into()));
        let other = shows("disagree.execute.tac", "lab/tac");
        assert_eq!(settled(other.clone()), Report { verdict: Verdict::Disagree, ..other }, "its signature is another");
    }
}
