//! What a worker's death says about a program.
//!
//! A death is held against the path that was at work, but not at once: memory that has leaked for hours, or a wild
//! write of an earlier program, may have been the cause. The program is checked again in a new worker. A path that dies
//! there again is dead on this program: the program is checked once more without it, the death in its place as a fault.
//! One that does not is reported as not reproduced, and its program counts as what it came to then.
//!
//! A worker that is asked for care announces each path, so that rubbish among its answers, which may be noticed much
//! later than it was written, is known by what it follows.

use std::collections::BTreeMap;

use anyhow::bail;
use harness::isolate::{Death, How};
use harness::path::{FaultKind, PathId};

use super::keeper::Pace;
use super::protocol::Dead;
use crate::panics::InternalFault;

/// Deaths at the start of a worker, one after the other, after which there is no use in another.
const STARTS: u32 = 8;

/// The deaths around some programs that are being checked.
#[derive(Default)]
pub struct Coroner {
    dead: Vec<Dead>,
    /// Who died once: the program, the path if it was one, and the death.
    suspects: BTreeMap<(u64, Option<u32>), String>,
    /// Programs below this number are to be done alone and with care.
    careful_below: u64,
    /// Workers that died before they began anything.
    starts: u32,
    /// Deaths in all.
    pub deaths: u64,
}

impl Coroner {
    /// The paths that are dead on a program.
    pub fn dead_on(&self, program: u64) -> impl Iterator<Item = &Dead> {
        self.dead.iter().filter(move |dead| dead.program == program)
    }

    /// What is known to die.
    pub fn dead(&self) -> &[Dead] {
        &self.dead
    }

    /// How a program's further paths are to be asked: what many paths hang on must not take each one's time.
    pub fn pace(&self, program: u64) -> Pace {
        let hangs = |dead: &Dead| dead.fault.kind == FaultKind::Hang;
        if self.dead_on(program).any(hangs) { Pace::Hasty } else { Pace::Patient }
    }

    /// Whether a program is to be done alone and with care.
    pub fn wants_care(&self, program: u64) -> bool {
        program < self.careful_below
    }

    /// Takes in a death. The worker had been asked for `asked` and what follows, and announced the path `at` if it was
    /// asked for care. `believes` has the first death count.
    pub fn examine(&mut self, asked: u64, at: Option<u32>, death: &Death, believes: bool) -> anyhow::Result<()> {
        self.deaths += 1;
        let Some(program) = death.place.program else {
            self.starts += 1;
            if self.starts >= STARTS {
                bail!("worker processes die as soon as they are started: {death}");
            }
            return Ok(());
        };
        self.starts = 0;
        let was_careful = self.wants_care(asked);
        let program = if was_careful { asked } else { program.max(asked) };
        self.careful_below = program + 1;
        let path = match death.how {
            How::Garbage if !was_careful => return Ok(()),
            How::Garbage => at,
            _ => death.place.path,
        };
        let is_first = self.suspects.insert((program, path), death.to_string()).is_none();
        // Where one path hangs, the others that hang as well need not each be waited for twice.
        let hangs_too = path.is_some() && death.how == How::Hang && self.pace(program) == Pace::Hasty;
        match path {
            _ if is_first && !(believes || hangs_too) => {}
            None => return Err(InternalFault(format!("{death}, on program {program}")).into()),
            Some(path) => self.dead.push(Dead { program, path, fault: death.fault() }),
        }
        Ok(())
    }

    /// Who died on a program once and not again, in a sentence each.
    pub fn not_reproduced(&self, program: u64, ids: &[PathId]) -> Vec<String> {
        let on_it = self.suspects.range((program, None)..=(program, Some(u32::MAX)));
        let alive = on_it.filter(|((_, path), _)| !self.dead_on(program).any(|dead| Some(dead.path) == *path));
        let who = |path: &Option<u32>| path.and_then(|path| ids.get(path as usize)).map(|id| format!("{id}: "));
        alive.map(|((_, path), death)| format!("{}{death}", who(path).unwrap_or_default())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness::isolate::Place;
    use harness::path::Stage;

    fn death(program: u64, path: Option<u32>, how: How) -> Death {
        let place = Place { program: Some(program), path, judging: false, stage: Stage::Compile, turn: 0 };
        Death { how, place, said: String::new() }
    }

    #[test]
    fn who_dies_twice_is_dead_and_who_dies_once_is_told() {
        let mut coroner = Coroner::default();
        let ids = [PathId::new("a", None, "b"), PathId::new("c", None, "d")];
        coroner.examine(3, None, &death(5, Some(1), How::Hang), false).unwrap();
        assert!(coroner.dead().is_empty() && coroner.wants_care(5) && !coroner.wants_care(6));
        assert_eq!(coroner.not_reproduced(5, &ids), ["c/d: hang in the compiler"]);
        coroner.examine(5, Some(1), &death(5, Some(1), How::Hang), false).unwrap();
        assert_eq!(coroner.dead_on(5).count(), 1);
        assert_eq!((coroner.pace(5), coroner.pace(6)), (Pace::Hasty, Pace::Patient));
        assert!(coroner.dead_on(4).next().is_none() && coroner.not_reproduced(5, &ids).is_empty());
        coroner.examine(8, None, &death(8, Some(0), How::Signal(6)), true).unwrap();
        assert_eq!(coroner.dead().len(), 2, "believed at once");
        assert_eq!(coroner.pace(8), Pace::Patient, "it did not hang");
        coroner.examine(5, Some(0), &death(5, Some(0), How::Signal(6)), false).unwrap();
        assert_eq!(coroner.dead_on(5).count(), 1, "a crash is believed when it happens again");
        coroner.examine(5, Some(2), &death(5, Some(2), How::Hang), false).unwrap();
        assert_eq!(coroner.dead_on(5).count(), 2, "a further hang is believed at once");
    }

    #[test]
    fn garbage_is_held_against_nobody_until_it_was_looked_for() {
        let mut coroner = Coroner::default();
        coroner.examine(3, None, &death(9, Some(0), How::Garbage), true).unwrap();
        assert!(coroner.dead().is_empty() && coroner.wants_care(3) && coroner.wants_care(9));
        coroner.examine(4, Some(1), &death(4, Some(0), How::Garbage), true).unwrap();
        assert_eq!((coroner.dead()[0].program, coroner.dead()[0].path), (4, 1), "the path that was announced");
    }

    #[test]
    fn the_harness_itself_is_at_fault_when_it_dies_twice() {
        let mut coroner = Coroner::default();
        coroner.examine(3, None, &death(3, None, How::Hang), false).unwrap();
        let error = coroner.examine(3, None, &death(3, None, How::Hang), false).unwrap_err();
        assert!(error.is::<InternalFault>(), "{error}");
    }

    #[test]
    fn workers_that_cannot_start_are_given_up() {
        let mut coroner = Coroner::default();
        let mut stillborn = death(0, None, How::Exit(2));
        stillborn.place.program = None;
        let given_up = (0..100).position(|_| coroner.examine(0, None, &stillborn, false).is_err());
        assert_eq!(given_up, Some(STARTS as usize - 1));
    }
}
