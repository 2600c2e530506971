//! A worker's share of a run: it generates, checks and counts programs, and tells its parent every few moments.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use harness::Spent;
use harness::case::{Case, Form, Program};
use harness::compare::Report;
use harness::dialect::Dialect;
use harness::generate::{self, Policy};
use harness::path::{Detail, Path, PathId};
use harness::record::known::{self, Known, settle};
use harness::record::program_text;
use harness::{canary, tac, tiny};
use serde::{Deserialize, Serialize};

use crate::fuzz::schedule::{self, Schedule};
use crate::fuzz::tally::Tally;
use crate::workers::protocol::{Answer, Run};
use crate::workers::serve::Bench;

/// One of so many programs is looked at more closely: is it its own text's program, what traits does it have, how many
/// parameters does each construction leave, would the comparison see a difference?
const CLOSER_LOOK: u64 = 16;

/// A worker tells what it has done after this time. What it has not told is lost when it dies, and done again.
const TELL_AFTER: Duration = Duration::from_millis(20);

/// Which programs a run has.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Programs {
    /// The seed.
    pub seed: u64,
    /// The number of the first.
    pub from: u64,
    /// Their language.
    pub form: Form,
    /// The dialect of their operations.
    pub dialect: Dialect,
    /// `--schedule`.
    pub schedule: Option<String>,
    /// `--machine-code`.
    pub machine_code: u32,
    /// The Tiny programs that others are spliced with. Read once for all workers: findings may be written to their
    /// folder.
    pub pieces: Vec<tiny::Program>,
    /// The corpus, which lists known issues.
    pub corpus: PathBuf,
}

impl Programs {
    /// What the programs may look like.
    pub fn policy(&self) -> Policy {
        Policy { dialect: self.dialect, ..Policy::default() }
    }

    /// The number of the run's `nth` program.
    pub fn number(&self, nth: u64) -> u64 {
        self.from.wrapping_add(nth)
    }
}

/// What a worker has done since it last told.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Part {
    /// The first program that is still to be done.
    pub next: u64,
    /// The counts and times of those done.
    pub tally: Tally,
    /// The finding that the last of them is. The others agree or are inconclusive.
    pub found: Option<(u64, Found)>,
}

/// A finding as a worker saw it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Found {
    /// The program.
    pub case: Case,
    /// What is wrong.
    pub report: Report,
    /// The paths that took part.
    pub took_part: Vec<usize>,
}

/// What a worker knows of its run.
pub struct Job {
    programs: Programs,
    policy: Policy,
    ids: Vec<PathId>,
    schedule: Schedule,
    known: Vec<Known>,
}

impl Job {
    /// The job of a run on these paths.
    pub fn new(programs: Programs, ids: Vec<PathId>) -> anyhow::Result<Job> {
        let schedule = Schedule::new(programs.schedule.as_deref(), &ids)?;
        let known = known::read(&programs.corpus)?;
        let policy = programs.policy();
        Ok(Job { programs, policy, ids, schedule, known })
    }

    /// Checks the programs asked for.
    pub fn run(&self, run: &Run, bench: &Bench<'_>) -> anyhow::Result<()> {
        let new = |next| Part { next, tally: Tally::new(self.ids.len()), found: None };
        let (mut part, mut told) = (new(run.numbers.start), Instant::now());
        for nth in run.numbers.clone() {
            part.found = match self.check(nth, run, bench, &mut part.tally) {
                Ok(found) => found.map(|found| (nth, found)),
                Err(why) => {
                    let program = format!("program {} of seed {}", self.programs.number(nth), self.programs.seed);
                    let why = format!("the generator's {program} {why}");
                    return Ok(bench.seat.send(&Answer::Internal(why))?);
                }
            };
            part.next = nth + 1;
            if part.found.is_some() || part.next == run.numbers.end || told.elapsed() >= TELL_AFTER {
                bench.seat.send(&Answer::Part(Box::new(part)))?;
                (part, told) = (new(nth + 1), Instant::now());
            }
        }
        Ok(())
    }

    /// Generates, checks and counts one program.
    fn check(&self, nth: u64, run: &Run, bench: &Bench<'_>, tally: &mut Tally) -> Result<Option<Found>, String> {
        bench.seat.now().program(nth);
        let number = self.programs.number(nth);
        let start = Instant::now();
        let Programs { seed, form, .. } = self.programs;
        let case = generate::case_of_pieces(seed, number, form, &self.policy, &self.programs.pieces);
        tally.generate += start.elapsed();
        if nth.is_multiple_of(CLOSER_LOOK) {
            is_its_text(&case).map_err(|why| format!("is rejected: {why}"))?;
            tally.profile.add_program(&case.program);
        }
        let mut took_part = self.schedule.paths(seed, number, nth);
        took_part.retain(|&path| !run.off.contains(&(path as u32)));
        let indices: Vec<u32> = took_part.iter().map(|&path| path as u32).collect();
        let watched = bench.watched(&indices, nth, &run.dead, run.careful);
        let paths: Vec<&dyn Path> = watched.iter().map(|path| path as &dyn Path).collect();
        // The paths are observed in their order, so the times come in this order too.
        let mut observed = took_part.iter();
        let mut current = 0;
        let no_code = !schedule::runs_code(seed, number, self.programs.machine_code);
        let detail = Detail { structure: nth.is_multiple_of(CLOSER_LOOK), no_code, ..Detail::default() };
        let report = harness::check_timed(&case, &paths, detail, &mut |spent| {
            bench.note(&spent);
            match spent {
                Spent::Reference(time) => tally.reference += time,
                Spent::Observe(_, time) => {
                    current = observed.next().copied().unwrap_or(current);
                    tally.paths[current].observe += time;
                }
                Spent::Judge(_, time) => tally.paths[current].judge += time,
                Spent::Compare(time) => tally.compare += time,
            }
        });
        // What `settle` runs pass by pass is no path of this run's: the one that it takes apart is held to account.
        let taken_apart = |steps: PathId| {
            let is_it = |id: &PathId| id.version == steps.version && steps.variant == format!("steps-{}", id.variant);
            self.ids.iter().position(is_it).filter(|_| !self.ids.contains(&steps))
        };
        let again = |paths: &[&dyn Path]| {
            let stranger = paths.iter().find_map(|path| taken_apart(path.id()));
            Ok::<_, String>(harness::check_timed(&case, paths, detail, &mut |spent| {
                bench.note(&spent);
                if let (Spent::Reference(_), Some(index)) = (&spent, stranger) {
                    bench.seat.now().path(index as u32);
                }
            }))
        };
        let report = settle(&self.known, report, &paths, &again)?;
        let start = Instant::now();
        if nth.is_multiple_of(CLOSER_LOOK)
            && let Some(what) = canary::overlooked(&case)
        {
            return Err(format!("makes the comparison overlook {what} that was put there"));
        }
        tally.add(number, &report, &self.ids, &took_part);
        tally.compare += start.elapsed();
        Ok(report.verdict.is_finding().then_some(Found { case, report, took_part }))
    }
}

/// A generated program must be the one that its text says: the corpus and every report hold the text.
fn is_its_text(case: &Case) -> Result<(), String> {
    let text = program_text(&case.program);
    let again = match case.program.form() {
        Form::Tiny => tiny::parse(&text).map(Program::Tiny),
        _ => tac::parse(&text).map(Program::Tac),
    };
    match again {
        Ok(program) if program == case.program => Ok(()),
        Ok(_) => Err(format!("its text is another program:\n{text}")),
        Err(error) => Err(format!("its text does not parse: {error}\n{text}")),
    }
}

/// The smallest program of a language, to see which paths take it.
pub fn probe(form: Form) -> anyhow::Result<Case> {
    let program = match form {
        Form::Tiny => tiny::parse("return 0").map(Program::Tiny),
        _ => tac::parse("ret 0").map(Program::Tac),
    };
    Ok(Case { program: program.map_err(|error| anyhow!(error))?, vectors: vec![vec![]], fuel: 100 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_not_its_text_is_rejected() {
        let mut program = tiny::parse("a = 1\nb = 2\nreturn a - b").unwrap();
        let case = |program| Case { program: Program::Tiny(program), vectors: vec![vec![]], fuel: 10 };
        assert_eq!(is_its_text(&case(program.clone())), Ok(()));
        // Not in order of first occurrence.
        program.variables.push("unused".into());
        assert!(is_its_text(&case(program)).unwrap_err().contains("another program"));
    }
}
