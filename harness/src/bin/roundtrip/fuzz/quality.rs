//! Findings of kind `quality` (`harness::structure`): at the end of a run the first program of each broken relation is
//! minimized with the relation kept, and recorded. Nothing of this is a verdict, and the run itself only counts.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use anyhow::Context;
use harness::case::Case;
use harness::compare::{Identity, Signature, Verdict};
use harness::generate;
use harness::path::{Detail, Path};
use harness::record::{self, Finding, Recorded, Toolchained};

use crate::fuzz::INTERRUPTED;
use crate::fuzz::run::Setting;
use crate::minimize;
use crate::workers::Checker;

/// Records the first program of each relation, as far as no earlier run did. `quality` has its number. Gives what
/// became of each, for people.
pub fn record(
    setting: &Setting<'_>,
    checker: &Checker,
    options: &str,
    quality: &BTreeMap<Signature, (u64, u64)>,
) -> Vec<anyhow::Result<String>> {
    let corpus = &setting.args.corpus;
    let each = quality.iter().map(|(signature, &(_, first))| {
        if let Some(issue) = setting.known.iter().find(|issue| issue.is_named(signature)) {
            return Ok(format!("{signature}: known, {} ({})", issue.name, issue.link));
        }
        if let Some(folder) = record::recorded(corpus, &identity(signature)) {
            return Ok(format!("{signature}: recorded before in {}", folder.display()));
        }
        if INTERRUPTED.load(Ordering::Relaxed) {
            return Ok(format!("{signature}: not recorded, the run was interrupted"));
        }
        let recorded = record_first(setting, checker, options, signature, first)
            .with_context(|| format!("cannot record {signature} in {}", corpus.display()))?;
        Ok(format!("{signature}: recorded in {}", recorded.folder().display()))
    });
    each.collect()
}

/// A relation of a compiler is one finding, whatever the program.
fn identity(signature: &Signature) -> Identity {
    Identity(signature.0.clone())
}

fn record_first(
    setting: &Setting<'_>,
    checker: &Checker,
    options: &str,
    signature: &Signature,
    first: u64,
) -> anyhow::Result<Recorded> {
    let (seed, paths) = (setting.programs.seed, setting.paths);
    let (form, pieces) = (setting.programs.form, &setting.programs.pieces);
    let original = generate::case_of_pieces(seed, first, form, &setting.programs.policy(), pieces);
    let looked =
        |case: &Case, texts| checker.check(case, paths, Detail { texts, structure: true, ..Detail::default() });
    let report = looked(&original, false)?;
    let quality = report.quality();
    let broken = quality.get(signature).and_then(|(_, broken)| broken.first());
    let broken = broken.with_context(|| format!("program {first} does not show it again"))?;
    let path = paths.iter().copied().filter(|path| path.id() == broken.path).collect::<Vec<_>>();
    let minimized = smallest(&original, signature, &path, checker)?;
    let finding = Finding {
        identity: &identity(signature),
        signature,
        original: (&original, &report),
        minimized: (&minimized, &looked(&minimized, true)?),
        origin: format!("program {first} of seed {seed}"),
        paths: paths.iter().map(|&path| Toolchained::of(path)).collect(),
        options: options.into(),
    };
    Ok(record::record(&setting.args.corpus, &finding)?)
}

/// The smallest program on which a path breaks the relation, and which is no finding of another kind there.
fn smallest(original: &Case, signature: &Signature, path: &[&dyn Path], checker: &Checker) -> anyhow::Result<Case> {
    let breaks = |case: &Case| {
        let report = checker.check(case, path, Detail { structure: true, ..Detail::default() })?;
        Ok(report.verdict == Verdict::Agree && report.quality().contains_key(signature))
    };
    minimize::search(original, &breaks, &|| false, &|_| {})
}
