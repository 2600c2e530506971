//! Whether what was found is the bug that was looked for.
//!
//! A version that is wrong may be so in many ways, and a search meets the most frequent of them first. A program shows
//! a known bug when the path is wrong on it, what is right with the bug's own program is right, and:
//!
//! - where the bug is of one pass of LLVM, that is the first wrong one. The versions after those that are wrong must be
//!   right: what mended the bug mends this too. What earlier ones do, and other pipelines of the wrong ones, which have
//!   the pass as well, is chance;
//! - else it has everything that the known program is made of once it is minimized (`harness::minimize::shape`), and the
//!   same narrow operations: a version that is wrong at one of them is wrong at many.

use anyhow::{Context, bail};
use harness::case::{Case, DEFAULT_FUEL};
use harness::compare::Standing;
use harness::minimize::{narrow_operations, shape};
use harness::op::Op;
use harness::path::installed::Version;
use harness::path::{Detail, Path, registry};
use harness::record::known_bugs::{KnownBug, numbers};

use super::replay::named;
use crate::minimize::smallest;
use crate::planted::Plant;
use crate::source::{RunOptions, Source};
use crate::terminal::Terminal;
use crate::workers::{Checker, LimitOptions};

/// What a finding of the bug has.
enum Mark {
    /// The pass that is wrong.
    Pass(String),
    /// What its program is made of.
    Parts { shape: String, narrow: Vec<(Op, u32)> },
}

/// What a known bug is recognised by.
pub struct Same {
    mark: Mark,
    checker: Checker,
    /// The interpreters, the path that is wrong, and that path and its like where they are right.
    paths: Vec<Box<dyn Path>>,
    /// Where the path that is wrong stands among them; those that are right follow it.
    wrong: usize,
}

impl Same {
    /// Learns a bug from its program, which `path` must be wrong on.
    pub fn learn(
        source: Source,
        bug: &KnownBug,
        (path, versions): (Box<dyn Path>, &[Version]),
        (plant, limits): (&Plant, &LimitOptions),
        terminal: &Terminal,
    ) -> anyhow::Result<Same> {
        let (named, _) = named(&source.name, bug, versions)?;
        let mut paths: Vec<Box<dyn Path>> =
            registry().into_iter().filter(|path| ["tiny", "lab"].contains(&&*path.id().compiler)).collect();
        let wrong = paths.len();
        paths.push(path);
        let age = |path: &dyn Path| path.id().version.map(|version| numbers(&version));
        let last = named.iter().filter(|(_, wrong)| *wrong).filter_map(|(path, _)| age(&**path)).max();
        let is_mended = named.iter().any(|(path, _)| age(&**path) > last);
        let by_chance = |path: &dyn Path| bug.pass.is_some() && is_mended && age(path) <= last;
        let right = named.into_iter().filter(|(path, wrong)| !wrong && !by_chance(&**path));
        paths.extend(right.map(|(path, _)| path));
        let all: Vec<&dyn Path> = paths.iter().map(|path| &**path).collect();
        let checker = Checker::new(&all, plant, limits);

        let (name, id) = (source.name.clone(), all[wrong].id());
        let case = source.load(&RunOptions { inputs: Vec::new(), fuel: DEFAULT_FUEL }, terminal)?.case;
        let few = &all[..=wrong];
        let report = checker.check(&case, few, Detail::default())?;
        if !matches!(report.standing(&id), Standing::Wrong(_)) {
            bail!("{id} is not wrong on {name}: roundtrip known-bugs replay");
        }
        let mark = match &bug.pass {
            Some(pass) => Mark::Pass(pass.clone()),
            None => {
                let smallest = smallest(&case, &report, few, &checker, &|| false, &|_| {}).with_context(|| name)?;
                Mark::Parts { shape: smallest.shape, narrow: narrow_operations(&smallest.case.program) }
            }
        };
        Ok(Same { mark, checker, paths, wrong })
    }

    /// Whether a finding's program, minimized, shows this bug.
    pub fn shows_in(&self, case: &Case, identity: &str) -> anyhow::Result<bool> {
        let has_it = match &self.mark {
            Mark::Pass(pass) => identity.split('.').any(|part| part == pass),
            Mark::Parts { shape, narrow } => {
                let its = narrow_operations(&case.program);
                shape::has(case, shape) && narrow.iter().all(|operation| its.contains(operation))
            }
        };
        if !has_it {
            return Ok(false);
        }
        let paths: Vec<&dyn Path> = self.paths.iter().map(|path| &**path).collect();
        let report = self.checker.check(case, &paths, Detail::default())?;
        let is_wrong = |path: &dyn Path| matches!(report.standing(&path.id()), Standing::Wrong(_));
        Ok(is_wrong(paths[self.wrong]) && !paths[self.wrong + 1..].iter().any(|path| is_wrong(*path)))
    }
}
