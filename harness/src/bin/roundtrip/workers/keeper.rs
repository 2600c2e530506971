//! Keeps a worker alive: starts one when there is none, and waits before it does if the last ones died young.

use std::time::Duration;

use harness::isolate::{Limits, Process, Trouble};

use super::protocol::{Answer, Request, Setup};

/// The wait after the first death; it doubles with each that follows before something was done.
const FIRST_WAIT: Duration = Duration::from_millis(5);
/// The longest wait.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// By how much sooner a path hangs for who is in haste: nearly every one takes a thousandth of what it may.
const HASTE: u32 = 20;
/// At least so much later: a compiler's first program takes longer than others, and machine code that never ends is
/// ended by its own limit (`harness::path::native`), which leaves the worker alive.
const LEAST_TIME: Duration = Duration::from_millis(500);

/// How much it takes to say that a path dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// It dies again in a worker that has done nothing else, and it hangs when all of its time is up.
    Patient,
    /// It dies once, and it hangs soon. For who asks hundreds of times and once more with patience at the end. Where
    /// one path has hung on a program, its further paths hang soon, too.
    Hasty,
}

/// What a path may take of this time.
fn time(patient: Duration, pace: Pace) -> Duration {
    match pace {
        Pace::Patient => patient,
        Pace::Hasty => (patient / HASTE).max(LEAST_TIME).min(patient),
    }
}

/// The keeper of one worker. It belongs to the thread that asks (see `harness::isolate`).
pub struct Keeper {
    setup: Setup,
    /// The worker's command line.
    arguments: Vec<String>,
    limits: Limits,
    process: Option<Process>,
    /// Deaths since something was done.
    deaths: u32,
    /// Whether the present worker has done something.
    has_worked: bool,
}

impl Keeper {
    /// A keeper of a worker that is not there yet. `options` are added to its command line.
    pub fn new(setup: Setup, options: &str, limits: Limits) -> Keeper {
        let arguments = ["worker"].into_iter().chain(options.split_whitespace()).map(str::to_owned).collect();
        Keeper { setup, arguments, limits, process: None, deaths: 0, has_worked: false }
    }

    /// Whether the worker that will hear the next request has not heard any other.
    pub fn is_fresh(&self) -> bool {
        self.process.is_none() || !self.has_worked
    }

    /// Asks the worker something; there is one if there can be.
    pub fn ask(&mut self, request: &Request, pace: Pace) -> Result<(), Trouble> {
        let time = time(self.limits.time, pace);
        if self.process.is_none() {
            let started = self.start();
            self.note(started)?;
        }
        let asked = self.process.as_mut().map_or(Ok(()), |process| process.send(request, time));
        self.note(asked)
    }

    /// Waits for the answer.
    pub fn answer(&mut self, is_over: &dyn Fn() -> bool) -> Result<Answer, Trouble> {
        let Some(process) = &mut self.process else {
            return Err(Trouble::Failed(std::io::Error::other("nothing was asked")));
        };
        let answer = process.receive(is_over);
        if let Ok(Answer::Part(_) | Answer::Report(_) | Answer::Observation(_)) = answer {
            self.deaths = 0;
            self.has_worked = true;
        }
        self.note(answer)
    }

    fn start(&mut self) -> Result<(), Trouble> {
        if let Some(doublings) = self.deaths.checked_sub(1) {
            std::thread::sleep((FIRST_WAIT * 2_u32.saturating_pow(doublings)).min(LONGEST_WAIT));
        }
        self.has_worked = false;
        let mut process = Process::spawn(self.arguments.iter().map(String::as_str), self.limits)?;
        process.send(&self.setup, self.limits.time)?;
        self.process = Some(process);
        Ok(())
    }

    /// A worker in trouble is of no more use.
    fn note<T>(&mut self, result: Result<T, Trouble>) -> Result<T, Trouble> {
        if let Err(trouble) = &result {
            self.deaths += u32::from(matches!(trouble, Trouble::Died(_)));
            self.process = None;
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness::case::DEFAULT_FUEL;
    use harness::path::native;

    #[test]
    fn haste_waits_less_but_for_machine_code_to_end_by_itself() {
        let patient = Duration::from_secs(10);
        assert_eq!(time(patient, Pace::Patient), patient);
        let hasty = time(patient, Pace::Hasty);
        assert!(hasty <= patient / 10 && hasty >= 4 * native::limit(DEFAULT_FUEL), "{hasty:?}");
        assert_eq!(time(Duration::from_millis(7), Pace::Hasty), Duration::from_millis(7), "never longer");
    }
}
