//! Keeps a worker alive: starts one when there is none, and waits before it does if the last ones died young.

use std::time::Duration;

use harness::isolate::{Limits, Process, Trouble};

use super::protocol::{Answer, Request, Setup};

/// The wait after the first death; it doubles with each that follows before something was done.
const FIRST_WAIT: Duration = Duration::from_millis(5);
/// The longest wait.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

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
    pub fn ask(&mut self, request: &Request) -> Result<(), Trouble> {
        let asked = match &mut self.process {
            Some(process) => process.send(request),
            None => self.start().and_then(|process| process.send(request)),
        };
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

    fn start(&mut self) -> Result<&mut Process, Trouble> {
        if let Some(doublings) = self.deaths.checked_sub(1) {
            std::thread::sleep((FIRST_WAIT * 2_u32.saturating_pow(doublings)).min(LONGEST_WAIT));
        }
        self.has_worked = false;
        let mut process = Process::spawn(self.arguments.iter().map(String::as_str), self.limits)?;
        process.send(&self.setup)?;
        Ok(self.process.insert(process))
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
