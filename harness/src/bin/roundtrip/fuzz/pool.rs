//! Worker processes over the numbers of programs, whose results come back in the order of the numbers, whatever the
//! jobs.
//!
//! A thread for each job has a worker of its own and hands it blocks of numbers. The worker tells every few moments
//! what it has done ([`Part`]). When it dies, the rest is done by a new one, what died being held to account by a
//! [`Coroner`].

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::thread;

use anyhow::Context;
use harness::isolate::Trouble;
use harness::path::PathId;

use crate::fuzz::job::Part;
use crate::panics::InternalFault;
use crate::workers::coroner::Coroner;
use crate::workers::keeper::Keeper;
use crate::workers::protocol::{Answer, Request, Run};

/// How many programs a worker is asked for at once.
const BLOCK: u64 = 64;
/// Parts that may wait for each job before it waits itself.
const WAITING: usize = 64;

/// Programs to do, the same way for all of them.
pub struct Round<'a> {
    /// Their numbers, from the first of the run on.
    pub numbers: Range<u64>,
    /// The paths that are switched off.
    pub off: &'a [u32],
    /// All paths.
    pub ids: &'a [PathId],
}

/// Some programs' results, and what it took to have them.
pub struct Told {
    /// The first of the programs.
    pub first: u64,
    /// What the worker says.
    pub part: Part,
    /// Deaths that did not happen again, in a sentence each.
    pub not_reproduced: Vec<String>,
    /// How many workers it cost.
    pub deaths: u64,
}

/// Does a round on `jobs` workers until `is_over` says so, and hands the results to `each` in order, which may end it.
pub fn in_order(
    jobs: usize,
    round: &Round<'_>,
    keeper: &(dyn Fn() -> Keeper + Sync),
    is_over: &(dyn Fn() -> bool + Sync),
    each: impl FnMut(Told) -> anyhow::Result<ControlFlow<()>>,
) -> anyhow::Result<()> {
    let next = AtomicU64::new(round.numbers.start);
    let stop = AtomicBool::new(false);
    let (send, receive) = mpsc::sync_channel(jobs * WAITING);
    thread::scope(|scope| {
        for number in 0..jobs {
            let (send, next, stop) = (send.clone(), &next, &stop);
            let run = move || {
                let is_over = || stop.load(Ordering::Relaxed) || is_over();
                let mut hand = Hand { round, keeper: keeper(), is_over: &is_over, send: &send };
                while !is_over() {
                    let first = next.fetch_add(BLOCK, Ordering::Relaxed);
                    if first >= round.numbers.end {
                        break;
                    }
                    match hand.block(first..round.numbers.end.min(first.saturating_add(BLOCK))) {
                        Ok(ControlFlow::Continue(())) => {}
                        Ok(ControlFlow::Break(())) => break,
                        Err(error) => {
                            // A receiver that is gone has its own reason to end the run.
                            let _ = send.send(Err(error));
                            break;
                        }
                    }
                }
            };
            let builder = thread::Builder::new().name(format!("job {number}"));
            builder.spawn_scoped(scope, run).context("cannot start a thread")?;
        }
        drop(send);
        let drained = drain(&receive, round.numbers.start, each);
        stop.store(true, Ordering::Relaxed);
        // A thread may be waiting to send.
        drop(receive);
        drained
    })
}

/// Puts the results in order.
fn drain(
    receive: &mpsc::Receiver<anyhow::Result<Told>>,
    mut wanted: u64,
    mut each: impl FnMut(Told) -> anyhow::Result<ControlFlow<()>>,
) -> anyhow::Result<()> {
    let mut early = BTreeMap::new();
    for told in receive {
        let told = told?;
        early.insert(told.first, told);
        while let Some(told) = early.remove(&wanted) {
            wanted = told.part.next;
            if each(told)?.is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// A thread with its worker.
struct Hand<'a> {
    round: &'a Round<'a>,
    keeper: Keeper,
    is_over: &'a dyn Fn() -> bool,
    send: &'a SyncSender<anyhow::Result<Told>>,
}

impl Hand<'_> {
    /// Has a block done, whatever it takes. Breaks when nobody wants it any more.
    fn block(&mut self, numbers: Range<u64>) -> anyhow::Result<ControlFlow<()>> {
        let mut coroner = Coroner::default();
        let mut next = numbers.start;
        let mut at = None;
        while next < numbers.end {
            match self.ask(&mut next, numbers.end, &mut coroner, &mut at) {
                Ok(()) => {}
                Err(Stop::Trouble(Trouble::Died(death))) => {
                    coroner.examine(next, at, &death, false)?;
                }
                Err(Stop::Trouble(Trouble::Over) | Stop::Unwanted) => return Ok(ControlFlow::Break(())),
                Err(Stop::Trouble(Trouble::Failed(error))) => {
                    return Err(error).context("cannot use a worker process");
                }
                Err(Stop::Internal(fault)) => return Err(fault.into()),
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Asks for programs from `next` on: for one if it wants care, for all up to `end` if not. `next` goes on with what
    /// is done, `at` becomes the path that was announced last.
    fn ask(&mut self, next: &mut u64, end: u64, coroner: &mut Coroner, at: &mut Option<u32>) -> Result<(), Stop> {
        let careful = coroner.wants_care(*next);
        let end = if careful { *next + 1 } else { end };
        let (off, dead) = (self.round.off.to_vec(), coroner.dead_on(*next).cloned().collect());
        *at = None;
        let request = Request::Run(Run { numbers: *next..end, off, dead, careful });
        self.keeper.ask(&request, coroner.pace(*next))?;
        while *next < end {
            match self.keeper.answer(self.is_over)? {
                Answer::At(path) => *at = Some(path),
                Answer::Part(part) if *next < part.next && part.next <= end => {
                    self.tell(next, *part, careful, coroner)?;
                }
                Answer::Internal(why) => return Err(Stop::Internal(InternalFault(why))),
                Answer::Part(_) | Answer::Report(_) | Answer::Observation(_) => {
                    return Err(Stop::Internal(InternalFault("a worker answers what nobody asked".into())));
                }
            }
        }
        Ok(())
    }

    fn tell(&mut self, next: &mut u64, part: Part, careful: bool, coroner: &mut Coroner) -> Result<(), Stop> {
        let first = std::mem::replace(next, part.next);
        let not_reproduced = if careful { coroner.not_reproduced(first, self.round.ids) } else { Vec::new() };
        let deaths = std::mem::take(&mut coroner.deaths);
        self.send.send(Ok(Told { first, part, not_reproduced, deaths })).map_err(|_| Stop::Unwanted)
    }
}

/// Why a worker's programs are not all done.
enum Stop {
    Trouble(Trouble),
    Internal(InternalFault),
    /// Nobody takes the results any more.
    Unwanted,
}

impl From<Trouble> for Stop {
    fn from(trouble: Trouble) -> Stop {
        Stop::Trouble(trouble)
    }
}
