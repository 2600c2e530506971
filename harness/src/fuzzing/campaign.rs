//! The main job under a fuzzing engine: a finding is minimized, written to the corpus, shown, and ends the process.
//!
//! A program takes one path of each independence group, drawn by the program itself: it is the groups that are
//! compared, and a compiler's slowest pipelines would cost more than all else together. A finding is then seen on all
//! paths.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

use crate::case::Case;
use crate::compare::{Identity, NOT_MINIMIZED};
use crate::generate::{Choices, SplitMix64};
use crate::minimize::shape;
use crate::path::{self, Detail, Path, PathId};
use crate::record::known::{self, Known};
use crate::{check, minimize, record, report};

/// A property: the paths agree on the case, known issues of `corpus` apart. A finding goes there, if that folder
/// exists.
///
/// # Panics
///
/// With the identity of the finding, if it is one.
pub fn roundtrip(case: &Case, corpus: &std::path::Path) {
    static KNOWN: OnceLock<Vec<Known>> = OnceLock::new();
    let known = KNOWN.get_or_init(|| known::read(corpus).expect("the corpus's known issues can be read"));
    let drawn = draw(case);
    let again = |paths: &[&dyn Path]| Ok::<_, Infallible>(check(case, paths, Detail::default()));
    let Ok(report) = again(&drawn).and_then(|report| known::settle(known, report, &drawn, &again));
    if report.verdict.is_finding() {
        panic!("{}", found(case, &drawn, corpus));
    }
}

/// The paths that can't be used here, by the reason: no target takes them.
pub fn left_out() -> BTreeMap<String, Vec<String>> {
    let mut left_out = BTreeMap::<String, Vec<String>>::new();
    for path in path::registry() {
        if let Some(why) = path.toolchain().unavailable {
            left_out.entry(why).or_default().push(path.id().to_string());
        }
    }
    left_out
}

/// Every path that can be used here, by its group.
fn groups() -> &'static BTreeMap<String, Vec<Box<dyn Path>>> {
    static GROUPS: OnceLock<BTreeMap<String, Vec<Box<dyn Path>>>> = OnceLock::new();
    GROUPS.get_or_init(|| {
        let mut groups = BTreeMap::new();
        for path in path::registry().into_iter().filter(|path| path.toolchain().unavailable.is_none()) {
            groups.entry(path.toolchain().group).or_insert_with(Vec::new).push(path);
        }
        groups
    })
}

/// One path of each group. Which one depends on the case alone, so that a run repeats.
fn draw(case: &Case) -> Vec<&'static dyn Path> {
    let mut hasher = DefaultHasher::new();
    record::case_text(case, &[]).hash(&mut hasher);
    let mut choices = SplitMix64::new(hasher.finish(), 0);
    groups().values().map(|paths| &*paths[choices.below(paths.len() as u32) as usize]).collect()
}

/// Minimizes a finding, writes it down, shows it and gives its identity, all as `roundtrip check` sees it.
fn found(case: &Case, drawn: &[&dyn Path], corpus: &std::path::Path) -> String {
    let original = check(case, drawn, Detail::default());
    let mut same = |case: &Case| check(case, drawn, Detail::default()).signature == original.signature;
    let (minimized, shape) = match minimize::minimize(case, &mut same, &mut |_| {}) {
        Ok(minimized) => {
            let shape = shape::shape(&minimized.case, &mut same);
            (minimized.case, shape)
        }
        Err(error) => {
            eprintln!("not minimized: {error}");
            (case.clone(), NOT_MINIMIZED.into())
        }
    };
    let all: Vec<&dyn Path> = groups().values().flatten().map(|path| &**path).collect();
    let report = check(&minimized, &all, Detail { texts: true, ..Detail::default() });
    let order: Vec<PathId> = path::registry().iter().map(|path| path.id()).collect();
    let (Some(signature), Some(identity)) = (report.signature.clone(), Identity::of(&report, &order, &shape, false))
    else {
        // Only a path that does not do the same twice comes here.
        return original.signature.map_or_else(String::new, |signature| signature.0);
    };
    if corpus.is_dir() {
        let finding = record::Finding {
            identity: &identity,
            signature: &signature,
            original: (case, &check(case, &all, Detail::default())),
            minimized: (&minimized, &report),
            origin: "a fuzz target".into(),
            paths: all.iter().map(|&path| record::Toolchained::of(path)).collect(),
            options: String::new(),
        };
        match record::record(corpus, &finding) {
            Ok(recorded) => eprintln!("recorded in {}", recorded.folder().display()),
            Err(error) => eprintln!("not recorded in {}: {error}", corpus.display()),
        }
    }
    let text = record::finding_text(&minimized, &report);
    let name = format!("minimized.{}", minimized.program.form().extension());
    eprintln!("{}", report::Checked::new(&name, &text, report, Vec::new()).text(false));
    identity.0
}
