//! What a parent asks of a worker, and what the worker answers. Paths go by their index in [`Setup::paths`].

use std::ops::Range;

use harness::case::Case;
use harness::compare::Report;
use harness::path::{Detail, Fault, Observation, PathId};
use serde::{Deserialize, Serialize};

use crate::fuzz::job::{Part, Programs};

/// The first message to a worker: what it has to know for good.
#[derive(Clone, Serialize, Deserialize)]
pub struct Setup {
    /// The paths.
    pub paths: Vec<PathId>,
    /// The programs that [`Request::Run`] numbers.
    pub programs: Option<Programs>,
}

/// A wish of the parent.
#[derive(Serialize, Deserialize)]
pub enum Request {
    /// Programs of the run. Answered by [`Answer::Part`]s up to the end.
    Run(Run),
    /// A case. Answered by a [`Answer::Report`].
    Check(Box<Check>),
    /// A case, seen by one path and not judged. Answered by an [`Answer::Observation`].
    Observe(Box<Check>),
}

/// See [`Request::Run`].
#[derive(Serialize, Deserialize)]
pub struct Run {
    /// Their numbers, from the first of the run on.
    pub numbers: Range<u64>,
    /// The paths that are switched off.
    pub off: Vec<u32>,
    /// What is known to die.
    pub dead: Vec<Dead>,
    /// Whether to announce every path.
    pub careful: bool,
}

/// See [`Request::Check`] and [`Request::Observe`].
#[derive(Serialize, Deserialize)]
pub struct Check {
    /// The case.
    pub case: Case,
    /// The paths that take part.
    pub paths: Vec<u32>,
    /// How much to tell.
    pub detail: Detail,
    /// What is known to die. The program's number is 0.
    pub dead: Vec<Dead>,
    /// Whether to announce every path.
    pub careful: bool,
}

/// A path that is not to run on a program, because it has died on it: this is what there is to observe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dead {
    /// The program's number.
    pub program: u64,
    /// The path. From the number of paths on they are the validators.
    pub path: u32,
    /// How it died.
    pub fault: Fault,
}

/// What a worker says.
#[derive(Serialize, Deserialize)]
pub enum Answer {
    /// This path begins now: when the parent asked for care.
    At(u32),
    /// Some more programs are done.
    Part(Box<Part>),
    /// What came of the case.
    Report(Box<Report>),
    /// What the path saw of the case.
    Observation(Box<Observation>),
    /// The harness itself is at fault.
    Internal(String),
}
