//! What a run counts and times. Workers count, the parent adds up; the sums do not depend on who did what.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use harness::compare::{Report, Signature};
use harness::generate::Profile;
use harness::op::End;
use harness::path::PathId;
use harness::record::run_log::Verdicts;
use harness::structure::Structure;
use serde::{Deserialize, Serialize};

/// The counts and times of a run, or of a part of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Programs checked.
    pub programs: u64,
    /// The same by verdict.
    pub verdicts: Verdicts,
    /// What the generator makes. Its programs' traits are read off a share of them only.
    pub profile: Profile,
    /// Broken relations of structure: how many programs, and the first one's number.
    pub quality: BTreeMap<Signature, (u64, u64)>,
    /// For each path of the run.
    pub paths: Vec<PathTally>,
    /// Time in the generator.
    pub generate: Duration,
    /// Time in the language's own interpreter, which decides about the fuel.
    pub reference: Duration,
    /// Time in comparing.
    pub compare: Duration,
}

/// What one path did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PathTally {
    /// Programs given to it.
    pub programs: u64,
    /// Input vectors of these programs on which it had to execute something.
    pub due: u64,
    /// Those on which it did.
    pub done: u64,
    /// Those on which it did not, and said why: a fault, or something that it does not take.
    pub excused: u64,
    /// Executions that returned, of its own code and of what it raised.
    pub returns: u64,
    /// Executions that trapped.
    pub traps: u64,
    /// Executions with another outcome than the right one.
    pub wrong: u64,
    /// Programs of which it could not take or raise something.
    pub unsupported: u64,
    /// The same by what it was: `optimize: call llvm.fma`.
    pub reasons: BTreeMap<String, u64>,
    /// Invalid outputs, crashes and hangs.
    pub faults: u64,
    /// How many parameters its constructed SSA has.
    pub structure: StructureTally,
    /// Time in lowering, compiling and running.
    pub observe: Duration,
    /// Time in validating and interpreting what it raised.
    pub judge: Duration,
}

/// Constructed SSA against the yardstick of `harness::structure`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StructureTally {
    /// Programs measured.
    pub programs: u64,
    /// The path's parameters.
    pub params: u64,
    /// The yardstick's.
    pub yardstick: u64,
    /// Programs with fewer parameters than the yardstick.
    pub fewer: u64,
    /// Programs with more.
    pub more: u64,
}

impl StructureTally {
    fn add(&mut self, structure: &Structure) {
        self.programs += 1;
        self.params += structure.params as u64;
        self.yardstick += structure.yardstick as u64;
        self.fewer += u64::from(structure.compared().is_lt());
        self.more += u64::from(structure.compared().is_gt());
    }

    fn merge(&mut self, other: &StructureTally) {
        self.programs += other.programs;
        self.params += other.params;
        self.yardstick += other.yardstick;
        self.fewer += other.fewer;
        self.more += other.more;
    }
}

impl PathTally {
    /// Executions in all.
    pub fn executions(&self) -> u64 {
        self.returns + self.traps
    }

    fn merge(&mut self, other: &PathTally) {
        self.programs += other.programs;
        self.due += other.due;
        self.done += other.done;
        self.excused += other.excused;
        self.returns += other.returns;
        self.traps += other.traps;
        self.wrong += other.wrong;
        self.unsupported += other.unsupported;
        for (reason, programs) in &other.reasons {
            *self.reasons.entry(reason.clone()).or_default() += programs;
        }
        self.faults += other.faults;
        self.structure.merge(&other.structure);
        self.observe += other.observe;
        self.judge += other.judge;
    }
}

impl Tally {
    /// Nothing counted yet, for a run with this many paths.
    pub fn new(paths: usize) -> Tally {
        Tally { paths: vec![PathTally::default(); paths], ..Tally::default() }
    }

    /// Counts the report of program `number`. `ids` are the names of all the run's paths, `took_part` the indices of
    /// those that saw the program, in the order in which the report has them.
    pub fn add(&mut self, number: u64, report: &Report, ids: &[PathId], took_part: &[usize]) {
        self.programs += 1;
        self.verdicts.add(&report.verdict);
        let mut last = 0;
        // What a report lists goes by the paths' order, so the next is mostly the one before or the one after it.
        let mut index = |id: &PathId| {
            let turns = (0..took_part.len()).map(|n| (last + n) % took_part.len());
            let found = turns.into_iter().find(|&at| ids[took_part[at]] == *id)?;
            last = found;
            Some(took_part[found])
        };
        let mut excused = vec![false; ids.len()];
        for path in report.faults.iter().filter_map(|fault| index(&fault.path)) {
            self.paths[path].faults += 1;
            excused[path] = true;
        }
        let reasons: BTreeSet<(usize, String)> = (report.unsupported.iter())
            .filter_map(|(id, unsupported)| {
                Some((index(id)?, format!("{}: {}", unsupported.stage, unsupported.reason)))
            })
            .collect();
        for path in reasons.iter().map(|(path, _)| *path).collect::<BTreeSet<_>>() {
            self.paths[path].unsupported += 1;
            excused[path] = true;
        }
        for (path, reason) in reasons {
            *self.paths[path].reasons.entry(reason).or_default() += 1;
        }
        let mut done = vec![(0, 0); ids.len()];
        let mut due = 0;
        for run in &report.runs {
            self.profile.runs += 1;
            self.profile.traps += u64::from(matches!(run.right.end, End::Trap(_)));
            self.profile.out_of_fuel += u64::from(run.right.end == End::OutOfFuel);
            if run.right.end == End::OutOfFuel {
                continue;
            }
            due += 1;
            for class in &run.classes {
                for at in class.sources.iter().filter_map(|source| index(&source.path)) {
                    // A path that ran at several stages ran once; `due` is this run's number.
                    if done[at].1 != due {
                        done[at] = (done[at].0 + 1, due);
                    }
                    let path = &mut self.paths[at];
                    path.returns += u64::from(matches!(class.outcome.end, End::Return(_)));
                    path.traps += u64::from(matches!(class.outcome.end, End::Trap(_)));
                    path.wrong += u64::from(class.outcome != run.right);
                }
            }
        }
        for &path in took_part {
            let (done, _) = done[path];
            let counts = &mut self.paths[path];
            counts.programs += 1;
            counts.due += due;
            counts.done += done;
            counts.excused += if excused[path] { due - done } else { 0 };
        }
        for structure in &report.structure {
            if let Some(path) = index(&structure.path) {
                self.paths[path].structure.add(structure);
            }
        }
        for relation in report.quality().into_keys() {
            self.add_quality(relation, 1, number);
        }
    }

    fn add_quality(&mut self, relation: Signature, programs: u64, first: u64) {
        let entry = self.quality.entry(relation).or_insert((0, first));
        *entry = (entry.0 + programs, entry.1.min(first));
    }

    /// Adds another part's counts.
    pub fn merge(&mut self, other: &Tally) {
        self.programs += other.programs;
        self.verdicts.merge(&other.verdicts);
        self.profile.merge(&other.profile);
        for (relation, &(programs, first)) in &other.quality {
            self.add_quality(relation.clone(), programs, first);
        }
        for (sum, path) in self.paths.iter_mut().zip(&other.paths) {
            sum.merge(path);
        }
        self.generate += other.generate;
        self.reference += other.reference;
        self.compare += other.compare;
    }
}

#[cfg(test)]
mod tests {
    use harness::compare::Verdict;
    use harness::path::{Stage, Unsupported};

    use super::*;

    #[test]
    fn what_is_unsupported_counts_once_a_program_for_each_path_and_reason() {
        let ids = ["a", "b"].map(|variant| PathId::new("lab", None, variant));
        let unsupported = |id: &PathId, reason: &str| {
            (id.clone(), Unsupported { stage: Stage::Optimize, reason: reason.to_string() })
        };
        let (runs, faults, notes, structure, texts) = Default::default();
        let unsupported = vec![unsupported(&ids[1], "x"), unsupported(&ids[1], "y"), unsupported(&ids[1], "x")];
        let verdict = Verdict::Agree;
        let report = Report { verdict, signature: None, runs, faults, unsupported, notes, structure, texts };
        let mut tally = Tally::new(2);
        tally.add(0, &report, &ids, &[0, 1]);
        let mut both = tally.clone();
        both.merge(&tally);
        assert_eq!(both.paths.iter().map(|path| path.unsupported).collect::<Vec<_>>(), [0, 2]);
        let reasons = both.paths[1].reasons.iter().map(|(reason, &n)| (reason.as_str(), n));
        assert_eq!(reasons.collect::<Vec<_>>(), [("optimize: x", 2), ("optimize: y", 2)]);
    }
}
