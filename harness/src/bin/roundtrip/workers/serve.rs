//! The hidden subcommand `worker`: the other end of a [`Keeper`](super::keeper::Keeper).

use std::os::fd::RawFd;
use std::thread;

use anyhow::{Context, bail};
use harness::Spent;
use harness::case::Case;
use harness::compare::Report;
use harness::isolate::Seat;
use harness::path::{Detail, Fault, FaultKind, Observation, Path, PathId, Toolchain, now, panics, validators};
use harness::validators;

use super::protocol::{Answer, Check, Dead, Request, Setup};
use crate::check::check_case;
use crate::fuzz::job::Job;
use crate::panics as faults;
use crate::planted::Plant;
use crate::select;
use crate::status::Status;

/// Compilers recurse; this is what a process's first thread has at least.
const STACK_BYTES: usize = 16 << 20;

/// Runs paths for another roundtrip process
#[derive(clap::Args)]
pub struct Args {
    #[arg(long)]
    page: RawFd,
    #[arg(long)]
    memory: u64,
    #[command(flatten)]
    plant: Plant,
}

/// Answers until nobody asks any more.
pub fn run(args: &Args) -> anyhow::Result<Status> {
    args.plant.apply();
    // SAFETY: the parent that started this process names a descriptor that it left for it.
    let seat = unsafe { Seat::take(args.page, args.memory) }.context("a worker is started by roundtrip alone")?;
    let thread = thread::Builder::new().name("worker".into()).stack_size(STACK_BYTES).spawn(move || serve(seat));
    match thread.context("cannot start a thread")?.join() {
        Ok(served) => served.map(|()| Status::Good),
        Err(_) => Err(faults::InternalFault("a worker panicked".into()).into()),
    }
}

fn serve(mut seat: Seat) -> anyhow::Result<()> {
    let Some(Setup { paths, programs }) = seat.receive()? else { return Ok(()) };
    let job = programs.map(|programs| Job::new(programs, paths.clone())).transpose()?;
    let paths: Vec<Ready> = select::exactly(&paths)?.into_iter().map(Ready::of).collect();
    while let Some(request) = seat.receive()? {
        let bench = Bench { seat: &seat, paths: &paths };
        let answered = faults::catch(|| match (request, &job) {
            (Request::Run(run), Some(job)) => job.run(&run, &bench),
            (Request::Run(_), None) => bail!("no programs were named"),
            (Request::Check(check), _) => Ok(seat.send(&Answer::Report(Box::new(bench.check(*check))))?),
            (Request::Observe(check), _) => Ok(seat.send(&Answer::Observation(Box::new(bench.observe(*check)?)))?),
        });
        match answered {
            Ok(answered) => answered?,
            Err(fault) => seat.send(&Answer::Internal(fault.0))?,
        }
    }
    Ok(())
}

/// A path, and what it would make anew each time that it is asked.
pub struct Ready {
    path: Box<dyn Path>,
    /// Its name.
    pub id: PathId,
    toolchain: Toolchain,
}

impl Ready {
    fn of(path: Box<dyn Path>) -> Ready {
        Ready { id: path.id(), toolchain: path.toolchain(), path }
    }
}

/// Where a worker works.
pub struct Bench<'a> {
    /// What joins it to its parent.
    pub seat: &'a Seat,
    /// The paths.
    pub paths: &'a [Ready],
}

impl<'a> Bench<'a> {
    /// The paths of these indices for program `number`, so that a death finds its path.
    pub fn watched(&self, indices: &[u32], number: u64, dead: &[Dead], careful: bool) -> Vec<Watched<'a>> {
        let watched = |&index: &u32| Watched {
            ready: &self.paths[index as usize],
            index,
            seat: self.seat,
            dead: dead.iter().find(|dead| dead.program == number && dead.path == index).map(|dead| dead.fault.clone()),
            careful,
        };
        self.seat.now().program(number);
        indices.iter().map(watched).collect()
    }

    /// Checks a case.
    fn check(&self, Check { case, paths, detail, dead, careful }: Check) -> Report {
        let watched = self.watched(&paths, 0, &dead, careful);
        let judges = validators();
        for (judge, index) in judges.iter().zip(self.paths.len() as u32..) {
            if let Some(dead) = dead.iter().find(|dead| dead.path == index) {
                return validators::died(judge, &dead.fault);
            }
            // Once for nothing, to see which it is if one dies.
            self.seat.now().path(index);
            validators::judge(judge, &case.program);
        }
        self.seat.now().harness();
        let paths: Vec<&dyn Path> = watched.iter().map(|path| path as &dyn Path).collect();
        check_case(&case, &paths, detail, &mut |spent| self.note(&spent))
    }

    /// What the one path of a check sees.
    fn observe(&self, Check { case, paths, detail, dead, careful }: Check) -> anyhow::Result<Observation> {
        let watched = self.watched(&paths, 0, &dead, careful);
        let path = watched.first().context("no path was named")?;
        let observation = path.observe(&case, detail);
        self.seat.now().harness();
        Ok(observation)
    }

    /// Follows a check: between two paths the harness itself is at work.
    pub fn note(&self, spent: &Spent<'_>) {
        if let Spent::Judge(..) = spent {
            self.seat.now().harness();
        }
    }
}

/// A path in a worker: it says that it is at work, and what it does to the worker is known by that.
pub struct Watched<'a> {
    ready: &'a Ready,
    index: u32,
    seat: &'a Seat,
    /// How it died on this program.
    dead: Option<Fault>,
    careful: bool,
}

impl Path for Watched<'_> {
    fn id(&self) -> PathId {
        self.ready.id.clone()
    }

    fn toolchain(&self) -> Toolchain {
        self.ready.toolchain.clone()
    }

    fn observe(&self, case: &Case, detail: Detail) -> Observation {
        if let Some(fault) = &self.dead {
            return failed(fault.clone());
        }
        self.seat.now().path(self.index);
        // A parent that can't be told is gone, and so is this process soon.
        if self.careful && self.seat.send(&Answer::At(self.index)).is_err() {
            return Observation::unsupported("the worker's parent is gone");
        }
        let seen = panics::catch(|| self.ready.path.observe(case, detail));
        self.seat.now().judging();
        seen.unwrap_or_else(|said| {
            // What was said tells more than where, and comes first.
            let said = said.split_once(": ").map_or(said.clone(), |(place, said)| format!("{said} ({place})"));
            let message = format!("panic in the compiler: {said}");
            failed(Fault { stage: now::stage(), kind: FaultKind::Crash, message })
        })
    }
}

/// All that there is to observe of a path that came to nothing.
fn failed(fault: Fault) -> Observation {
    let mut observation = Observation::empty();
    observation.faults.push(fault);
    observation
}
