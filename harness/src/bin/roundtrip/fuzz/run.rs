//! A run from its first program to its end: what is done with each result as it comes back.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::time::Instant;

use harness::path::{FaultKind, Path, PathId};
use harness::record::Toolchained;
use harness::record::known::Known;
use harness::record::run_log::{End, Event, Limit, Start};

use crate::fuzz::accounts::Accounts;
use crate::fuzz::findings::Findings;
use crate::fuzz::job::{Found, Programs};
use crate::fuzz::log::{self, Log};
use crate::fuzz::pool::{self, Round, Told};
use crate::fuzz::progress::Progress;
use crate::fuzz::schedule::Schedule;
use crate::fuzz::tally::Tally;
use crate::fuzz::{Args, INTERRUPTED, limits, quality, summary};
use crate::panics::InternalFault;
use crate::status::Status;
use crate::terminal::Terminal;
use crate::workers::Checker;
use crate::workers::keeper::Keeper;
use crate::workers::protocol::Setup;

/// What a run has to do with. None of it changes.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// The command line.
    pub args: &'a Args,
    /// The programs.
    pub programs: &'a Programs,
    /// The paths.
    pub paths: &'a [&'a dyn Path],
    /// Their names.
    pub ids: &'a [PathId],
    /// The issues that are filed.
    pub known: &'a [Known],
    /// How many workers at once.
    pub jobs: usize,
    /// Where output goes.
    pub terminal: &'a Terminal,
    /// The progress bar.
    pub progress: &'a Progress,
}

/// A run under way.
pub struct Running<'a> {
    setting: Setting<'a>,
    checker: &'a Checker,
    schedule: Schedule,
    findings: Findings<'a>,
    log: Log,
    start: Instant,
    tally: Tally,
    accounts: Accounts,
    /// The first program that is still to be done.
    next: u64,
    /// For each path, the programs in a row on which it died.
    dying: Vec<u32>,
    /// The paths that are switched off.
    off: Vec<u32>,
    /// What the run falls short of so far.
    shortfalls: Vec<String>,
    /// How many workers died.
    deaths: u64,
}

impl<'a> Running<'a> {
    /// A run that has done nothing yet. Findings are minimized on `checker`.
    pub fn new(setting: Setting<'a>, checker: &'a Checker) -> anyhow::Result<Running<'a>> {
        let Setting { args, paths, ids, terminal, progress, .. } = setting;
        let schedule = Schedule::new(args.schedule.as_deref(), ids)?;
        terminal.note(format!("schedule: {}; what is not named runs always", schedule.text()));
        let on = (0..ids.len()).filter(|&path| schedule.is_on(path)).collect();
        Ok(Running {
            setting,
            checker,
            schedule,
            findings: Findings::new(args, (ids, paths, on), checker, terminal, progress),
            log: Log::open(args.log.as_deref())?,
            start: Instant::now(),
            tally: Tally::new(ids.len()),
            accounts: Accounts::new(ids.len()),
            next: 0,
            dying: vec![0; ids.len()],
            off: Vec::new(),
            shortfalls: Vec::new(),
            deaths: 0,
        })
    }

    /// Does all that is wanted.
    pub fn run(&mut self) -> anyhow::Result<()> {
        let Setting { args, programs, ids, jobs, terminal, progress, .. } = self.setting;
        self.log.write(Event::Start(self.begins()), terminal);
        let start = self.start;
        let is_over =
            || INTERRUPTED.load(Ordering::Relaxed) || (args.programs.is_none() && start.elapsed() >= args.time);
        let setup = Setup { paths: ids.to_vec(), programs: Some(programs.clone()) };
        let options = args.plant.arguments();
        let keeper = || Keeper::new(setup.clone(), &options, args.limits.limits());
        let end = args.programs.unwrap_or(u64::MAX);
        // A path that is switched off ends a round: what others have done with it meanwhile is done again without it,
        // so that the results do not depend on the jobs.
        loop {
            let off = self.off.clone();
            let round = Round { numbers: self.next..end, off: &off, ids };
            pool::in_order(jobs, &round, &keeper, &is_over, |told| self.take(told))?;
            if self.off == off {
                break;
            }
        }
        progress.finish();
        Ok(())
    }

    /// Takes results in. Breaks when the programs after these are not to be done like this.
    fn take(&mut self, told: Told) -> anyhow::Result<ControlFlow<()>> {
        let Setting { args, programs, ids, terminal, progress, .. } = self.setting;
        let Told { first, part, not_reproduced, deaths } = told;
        self.tally.merge(&part.tally);
        progress.add(&part.tally.verdicts);
        self.accounts.part(&part);
        self.deaths += deaths;
        let dead = part.found.as_ref().map(|(_, found)| dead(found, ids)).unwrap_or_default();
        for nth in first..part.next {
            let mut took_part = self.schedule.paths(programs.seed, programs.number(nth), nth);
            took_part.retain(|&path| !self.off.contains(&(path as u32)));
            self.accounts.program(&took_part);
            for &path in &took_part {
                let died = nth + 1 == part.next && dead.contains(&path);
                self.dying[path] = if died { self.dying[path] + 1 } else { 0 };
            }
        }
        self.next = part.next;
        for death in not_reproduced {
            let (number, seed) = (programs.number(first), programs.seed);
            self.fall_short(format!(
                "{death}, on program {number} of seed {seed}, did not happen again in a new process"
            ));
        }
        if let Some((nth, found)) = &part.found
            && let Some(logged) = self.findings.add(programs.number(*nth), found)?
        {
            self.log.write(Event::Finding(logged), terminal);
        }
        let totals =
            || log::totals(&self.tally, ids, &self.findings.counts().signatures, self.deaths, self.start.elapsed());
        self.log.progress(totals, terminal);
        let different = self.findings.counts().identities.len() as u64;
        let enough = args.findings.is_some_and(|wanted| different >= wanted);
        if self.switch_off() || enough { Ok(ControlFlow::Break(())) } else { Ok(ControlFlow::Continue(())) }
    }

    /// Switches off the paths that do nothing but die. Tells whether there are new ones.
    fn switch_off(&mut self) -> bool {
        let hopeless = |&path: &usize| self.dying[path] >= limits::DEATHS_IN_A_ROW;
        let hopeless: Vec<usize> = (0..self.dying.len()).filter(hopeless).collect();
        for &path in &hopeless {
            self.dying[path] = 0;
            self.off.push(path as u32);
            let (id, times) = (&self.setting.ids[path], limits::DEATHS_IN_A_ROW);
            let last = self.setting.programs.number(self.next - 1);
            self.fall_short(format!("{id} IS SWITCHED OFF after program {last}: it died on {times} programs in a row"));
        }
        !hopeless.is_empty()
    }

    fn fall_short(&mut self, why: String) {
        self.setting.progress.aside(|| self.setting.terminal.warn(&why));
        self.shortfalls.push(why);
    }

    /// Prints what the run came to.
    pub fn end(mut self) -> anyhow::Result<Status> {
        let Setting { args, ids, jobs, terminal, .. } = self.setting;
        let tally = &self.tally;
        let elapsed = self.start.elapsed();
        let options = self.findings.options(self.setting.paths);
        for recorded in quality::record(&self.setting, self.checker, &options, &tally.quality) {
            recorded.map_or_else(|error| terminal.warn(format!("{error:#}")), |done| terminal.note(done));
        }
        summary::print(tally, ids, self.findings.counts(), args.format, terminal)?;
        summary::print_times(tally, ids, elapsed, jobs, terminal);
        if INTERRUPTED.load(Ordering::Relaxed) {
            terminal.note("interrupted; this is what was found so far");
        }
        let on: Vec<usize> = (0..ids.len()).filter(|&path| self.schedule.is_on(path)).collect();
        self.shortfalls.extend(limits::shortfalls(tally, ids, &on));
        self.shortfalls.extend(self.log.shortfall.clone());
        self.shortfalls.iter().for_each(|shortfall| terminal.warn(shortfall));
        let faults = self.accounts.faults(tally, ids);
        let status = match (faults.is_empty(), tally.verdicts.findings(), self.shortfalls.is_empty()) {
            (false, ..) => Status::Internal,
            (true, 0, true) if tally.verdicts.known > 0 => Status::Known,
            (true, 0, true) => Status::Good,
            (true, 0, false) => Status::Inconclusive,
            _ => Status::Finding,
        };
        let totals = log::totals(tally, ids, &self.findings.counts().signatures, self.deaths, elapsed);
        let shortfalls = [self.shortfalls, faults.clone()].concat();
        self.log.write(Event::End(End { totals, shortfalls, exit: status.code() }), terminal);
        if faults.is_empty() {
            terminal.note(self.accounts.text(tally));
            Ok(status)
        } else {
            Err(InternalFault(format!("the books of this run do not balance: {}", faults.join("; "))).into())
        }
    }

    fn begins(&self) -> Start {
        let Setting { args, paths, jobs, .. } = self.setting;
        let Args { seed, from, programs, time, .. } = *args;
        Start {
            roundtrip: env!("CARGO_PKG_VERSION").into(),
            seed,
            from,
            form: self.setting.programs.form,
            jobs,
            limit: programs.map_or(Limit::Seconds(time.as_secs_f64()), Limit::Programs),
            paths: paths.iter().map(|&path| Toolchained::of(path)).collect(),
        }
    }
}

/// The paths that crash or hang on a program.
fn dead(found: &Found, ids: &[PathId]) -> Vec<usize> {
    let died = |path: &&usize| {
        let mut faults = found.report.faults.iter().filter(|fault| fault.path == ids[**path]);
        faults.any(|fault| fault.kind != FaultKind::Invalid)
    };
    found.took_part.iter().filter(died).copied().collect()
}
