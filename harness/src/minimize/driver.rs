//! The search: passes one after the other, down to a case that none of them makes smaller.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::measure::Measure;
use super::passes::{Attempt, Pass, empty, groups};
use crate::case::Case;
use crate::plant::{self, Fault};

/// The result.
#[derive(Clone, Debug)]
pub struct Minimized {
    /// The smallest interesting case that was found.
    pub case: Case,
    /// How often the predicate was asked.
    pub tests: usize,
    /// How many candidates were accepted.
    pub steps: usize,
}

/// Why there is nothing to minimize.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotReducible {
    /// The predicate does not hold on the original.
    #[error("the original case does not show the finding; is it the same program, with the same inputs and paths?")]
    OriginalNotInteresting,
    /// The predicate holds on the empty program.
    #[error("the empty program shows the finding too, so it does not depend on this program")]
    EmptyInteresting,
}

/// Where the search is, after a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The pass that proposed the tested case.
    pub pass: &'static str,
    /// Tests so far.
    pub tests: usize,
    /// Whether the tested case was interesting.
    pub accepted: bool,
    /// The nodes of the smallest case so far.
    pub nodes: usize,
    /// The nodes of the original.
    pub original_nodes: usize,
}

/// Finds a smallest case for which `interesting` holds, starting from one for which it does.
///
/// `progress` is called after every test of a candidate.
pub fn minimize(
    case: &Case,
    interesting: &mut dyn FnMut(&Case) -> bool,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Minimized, NotReducible> {
    if !interesting(case) {
        return Err(NotReducible::OriginalNotInteresting);
    }
    if interesting(&empty(case)) {
        return Err(NotReducible::EmptyInteresting);
    }
    let measure = Measure::of(case);
    let mut search = Search {
        best: case.clone(),
        original_nodes: measure.nodes(),
        tested: HashSet::from([fingerprint(&measure), fingerprint(&Measure::of(&empty(case)))]),
        measure,
        interesting,
        progress,
        tests: 2,
        steps: 0,
    };
    // A later group only gets to work on what the earlier ones can't make smaller.
    let groups = groups(case.program.form());
    let mut at = 0;
    while let Some(group) = groups.get(at) {
        let steps = search.steps;
        group.iter().for_each(|pass| search.run(pass));
        at = if search.steps > steps { 0 } else { at + 1 };
    }
    Ok(Minimized { case: search.best, tests: search.tests, steps: search.steps })
}

/// What all passes propose for a case, with the pass's name: each smaller than the case.
///
/// A case is 1-minimal when none of these is interesting.
pub fn candidates(case: &Case) -> impl Iterator<Item = (&'static str, Case)> + '_ {
    let measure = Measure::of(case);
    let passes = groups(case.program.form()).iter().copied().flatten();
    let all = passes.flat_map(|pass| {
        (0..).map_while(|n| match (pass.attempt)(case, n) {
            Attempt::End => None,
            Attempt::Nothing => Some(None),
            Attempt::Candidate(candidate) => Some(Some((pass.name, candidate))),
        })
    });
    all.flatten().filter(move |(_, candidate)| Measure::of(candidate) < measure)
}

struct Search<'a> {
    best: Case,
    measure: Measure,
    original_nodes: usize,
    /// The texts that were tested.
    tested: HashSet<u64>,
    interesting: &'a mut dyn FnMut(&Case) -> bool,
    progress: &'a mut dyn FnMut(&Progress),
    tests: usize,
    steps: usize,
}

impl Search<'_> {
    /// Goes through a pass once. After an accepted candidate it goes on at the same place, where something else is now.
    fn run(&mut self, pass: &Pass) {
        let mut n = 0;
        loop {
            match (pass.attempt)(&self.best, n) {
                Attempt::End => return,
                Attempt::Nothing => n += 1,
                Attempt::Candidate(candidate) => {
                    if !self.accept(pass, candidate) {
                        n += 1;
                    }
                }
            }
        }
    }

    /// Tests a candidate, if it is smaller and new, and takes it if it is interesting.
    fn accept(&mut self, pass: &Pass, candidate: Case) -> bool {
        let measure = Measure::of(&candidate);
        if measure >= self.measure || !self.tested.insert(fingerprint(&measure)) {
            return false;
        }
        self.tests += 1;
        let keeps_all = plant::on(Fault::MinimizeKeepsAll);
        let drifts = plant::on(Fault::MinimizeDrifts) && self.tests > 2;
        let is_wanted = !keeps_all || candidate.program.statements() == self.best.program.statements();
        let accepted = is_wanted && (drifts || (self.interesting)(&candidate));
        if accepted {
            self.steps += 1;
            self.best = candidate;
            self.measure = measure;
        }
        let (nodes, original_nodes) = (self.measure.nodes(), self.original_nodes);
        (self.progress)(&Progress { pass: pass.name, tests: self.tests, accepted, nodes, original_nodes });
        accepted
    }
}

fn fingerprint(measure: &Measure) -> u64 {
    let mut hasher = DefaultHasher::new();
    measure.text().hash(&mut hasher);
    hasher.finish()
}
