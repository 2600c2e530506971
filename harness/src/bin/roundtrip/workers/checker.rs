//! Checks given cases in a worker.

use std::cell::RefCell;

use anyhow::Context;
use harness::case::Case;
use harness::compare::{Report, Signature};
use harness::isolate::Trouble;
use harness::path::{Detail, Observation, Path, PathId};

use super::LimitOptions;
use super::coroner::Coroner;
use super::keeper::{Keeper, Pace};
use super::protocol::{Answer, Check, Request, Setup};
use crate::panics::InternalFault;
use crate::planted::Plant;

/// Checks cases on some paths, and survives it.
pub struct Checker {
    ids: Vec<PathId>,
    keeper: RefCell<Keeper>,
}

impl Checker {
    /// A checker for these paths and any part of them.
    pub fn new(paths: &[&dyn Path], plant: &Plant, limits: &LimitOptions) -> Checker {
        let ids: Vec<PathId> = paths.iter().map(|path| path.id()).collect();
        let setup = Setup { paths: ids.clone(), programs: None };
        Checker { ids, keeper: RefCell::new(Keeper::new(setup, &plant.arguments(), limits.limits())) }
    }

    /// Checks a case. A path that dies in a worker that had done something else before is tried again in a new one.
    pub fn check(&self, case: &Case, paths: &[&dyn Path], detail: Detail) -> anyhow::Result<Report> {
        self.report(Pace::Patient, case, paths, detail)
    }

    /// What one path sees of a case. A path that dies has seen that, as a fault.
    pub fn observe(&self, case: &Case, path: &dyn Path, detail: Detail) -> anyhow::Result<Observation> {
        self.ask(Pace::Patient, case, &[path], detail, Request::Observe, |answer| match answer {
            Answer::Observation(observation) => Some(*observation),
            _ => None,
        })
    }

    /// Whether a case keeps this signature.
    pub fn keeps(
        &self,
        case: &Case,
        paths: &[&dyn Path],
        detail: Detail,
        signature: &Signature,
        pace: Pace,
    ) -> anyhow::Result<bool> {
        let report = self.report(pace, case, paths, detail)?;
        Ok(report.signature.is_some_and(|other| signature.is_kept_by(&other)))
    }

    fn report(&self, pace: Pace, case: &Case, paths: &[&dyn Path], detail: Detail) -> anyhow::Result<Report> {
        self.ask(pace, case, paths, detail, Request::Check, |answer| match answer {
            Answer::Report(report) => Some(*report),
            _ => None,
        })
    }

    fn ask<T>(
        &self,
        pace: Pace,
        case: &Case,
        paths: &[&dyn Path],
        detail: Detail,
        wish: fn(Box<Check>) -> Request,
        wished: fn(Answer) -> Option<T>,
    ) -> anyhow::Result<T> {
        let mut keeper = self.keeper.borrow_mut();
        let mut coroner = Coroner::default();
        let index = |path: &&dyn Path| self.ids.iter().position(|id| *id == path.id()).map(|index| index as u32);
        let indices: Vec<u32> = paths.iter().filter_map(index).collect();
        loop {
            let believes = pace == Pace::Hasty || keeper.is_fresh();
            let pace = if pace == Pace::Hasty { pace } else { coroner.pace(0) };
            let mut at = None;
            let check = Check {
                case: case.clone(),
                paths: indices.clone(),
                detail,
                dead: coroner.dead().to_vec(),
                careful: coroner.wants_care(0),
            };
            match once(&mut keeper, (&wish(Box::new(check)), pace), &mut at, wished) {
                Ok(answer) => return Ok(answer?),
                Err(Trouble::Died(death)) => coroner.examine(0, at, &death, believes)?,
                Err(Trouble::Failed(error)) => return Err(error).context("cannot use a worker process"),
                Err(Trouble::Over) => return Err(InternalFault("a worker was given up".into()).into()),
            }
        }
    }
}

/// Asks for something, and waits for what was wished. `at` becomes the path that was announced last.
fn once<T>(
    keeper: &mut Keeper,
    (request, pace): (&Request, Pace),
    at: &mut Option<u32>,
    wished: fn(Answer) -> Option<T>,
) -> Result<Result<T, InternalFault>, Trouble> {
    keeper.ask(request, pace)?;
    loop {
        match keeper.answer(&|| false)? {
            Answer::At(path) => *at = Some(path),
            Answer::Internal(why) => return Ok(Err(InternalFault(why))),
            answer => {
                return Ok(wished(answer).ok_or_else(|| InternalFault("a worker answers what nobody asked".into())));
            }
        }
    }
}
