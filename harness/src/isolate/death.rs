//! What became of a worker that is no more, and how a finding says so.

use std::fmt;

use super::now::Place;
use crate::path::{Fault, FaultKind, Stage};

/// A worker's end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Death {
    /// How it ended.
    pub how: How,
    /// What it was doing.
    pub place: Place,
    /// The end of what it wrote to standard error.
    pub said: String,
}

/// How a worker ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// By this signal.
    Signal(i32),
    /// By itself, with this exit status.
    Exit(i32),
    /// It outran its limit and was killed.
    Hang,
    /// Something wrote to the parent's messages, or closed them, and it was killed.
    Garbage,
}

/// What an abort is about, in what is said on the way.
const TELLING: [&str; 6] = ["panicked at", "ERROR: ", "Assertion", "assertion", "terminate called", "fatal"];
/// What is said when memory has run out: by Rust, by C++, by LLVM.
const NO_MEMORY: [&str; 3] = ["memory allocation of", "bad_alloc", "ut of memory"];
/// What Rust's library says of any thread of its own, whoever's code has filled the stack.
const NO_STACK: &str = "has overflowed its stack";

impl Death {
    /// The death as a fault of the path that was at work. The message becomes part of a signature, so what tells kinds
    /// apart comes first.
    pub fn fault(&self) -> Fault {
        let kind = if self.how == How::Hang { FaultKind::Hang } else { FaultKind::Crash };
        // Garbage is noticed later than it is written; the place says where the path was then. Compiled code it is most
        // likely of.
        let stage = if self.how == How::Garbage { Stage::Execute } else { self.place.stage };
        Fault { stage, kind, message: self.to_string() }
    }

    fn whose(&self) -> &'static str {
        match self.place {
            Place { path: None, .. } => "the harness",
            Place { judging: true, .. } => "judging the output",
            Place { stage: Stage::Execute, .. } => "compiled code",
            _ => "the compiler",
        }
    }

    /// The line that says most: the first that tells of an error, or else the last.
    fn telling_line(&self) -> Option<&str> {
        let mut lines = self.said.lines().map(str::trim).filter(|line| !line.is_empty());
        let telling = lines.clone().find(|line| TELLING.iter().any(|telling| line.contains(telling)));
        telling.or_else(|| lines.next_back())
    }
}

impl fmt::Display for Death {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whose = self.whose();
        let ran_out = |of: &[&str]| of.iter().any(|said| self.said.contains(said));
        match self.how {
            How::Hang => return write!(f, "hang in {whose}"),
            How::Garbage => return write!(f, "garbage among the worker's answers"),
            How::Signal(libc::SIGABRT) if ran_out(&[NO_STACK]) => return write!(f, "stack overflow in {whose}"),
            How::Signal(libc::SIGABRT) if ran_out(&NO_MEMORY) => return write!(f, "memory limit in {whose}"),
            How::Signal(libc::SIGABRT) => write!(f, "abort in {whose}")?,
            How::Signal(signal) => return write!(f, "{} in {whose}", name(signal)),
            How::Exit(status) => write!(f, "exit with status {status} in {whose}")?,
        }
        self.telling_line().map_or(Ok(()), |line| write!(f, ": {line}"))
    }
}

fn name(signal: i32) -> String {
    let name = match signal {
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGBUS => "SIGBUS",
        libc::SIGILL => "SIGILL",
        libc::SIGFPE => "SIGFPE",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGSYS => "SIGSYS",
        libc::SIGKILL => "SIGKILL (from outside: the system's memory may have run out)",
        libc::SIGTERM => "SIGTERM (from outside)",
        _ => return format!("signal {signal}"),
    };
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn death(how: How, said: &str) -> Death {
        let place = Place { program: Some(1), path: Some(2), judging: false, stage: Stage::Optimize, turn: 1 };
        Death { how, place, said: said.into() }
    }

    #[test]
    fn kinds_of_death_are_told_apart() {
        let abort = How::Signal(libc::SIGABRT);
        let overflow = "\nthread 'worker' has overflowed its stack\nfatal runtime error: stack overflow, aborting\n";
        for (how, said, message) in [
            (abort, "note\nLLVM ERROR: no such register\nbye", "abort in the compiler: LLVM ERROR: no such register"),
            (abort, "a.cpp:7: f: Assertion `x' failed.\n", "abort in the compiler: a.cpp:7: f: Assertion `x' failed."),
            (abort, "", "abort in the compiler"),
            (abort, overflow, "stack overflow in the compiler"),
            (abort, "memory allocation of 8 bytes failed", "memory limit in the compiler"),
            (How::Signal(libc::SIGSEGV), "whatever", "SIGSEGV in the compiler"),
            (How::Exit(3), "usage", "exit with status 3 in the compiler: usage"),
            (How::Hang, "", "hang in the compiler"),
            (How::Garbage, "", "garbage among the worker's answers"),
        ] {
            assert_eq!(death(how, said).to_string(), message);
        }
        assert_eq!(death(How::Hang, "").fault().kind, FaultKind::Hang);
        assert_eq!(death(abort, "").fault().stage, Stage::Optimize);
    }

    #[test]
    fn whose_code_it_was_is_told() {
        let place = death(How::Hang, "").place;
        let whose = |place| Death { how: How::Hang, place, said: String::new() }.to_string();
        assert_eq!(whose(Place { stage: Stage::Execute, ..place }), "hang in compiled code");
        assert_eq!(whose(Place { judging: true, ..place }), "hang in judging the output");
        assert_eq!(whose(Place { path: None, ..place }), "hang in the harness");
    }
}
