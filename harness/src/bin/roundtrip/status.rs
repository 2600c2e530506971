//! Exit statuses, as `diff` has them.

use std::process::ExitCode;

use harness::compare::Verdict;

use crate::panics::InternalFault;

/// How a command ended. Ordered by weight: of several files, the heaviest status counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// 0: agree or valid.
    Good,
    /// 3: nothing worse than inconclusive.
    Inconclusive,
    /// 4: only known findings.
    Known,
    /// 1: a finding; for `validate` a fault.
    Finding,
    /// 2: usage, unreadable or unparsable input, missing toolchain.
    Usage,
    /// 70: a fault of the harness itself.
    Internal,
}

impl Status {
    /// What a verdict makes of the exit status.
    pub fn of_verdict(verdict: &Verdict) -> Status {
        match verdict {
            Verdict::Agree => Status::Good,
            Verdict::Inconclusive(_) => Status::Inconclusive,
            Verdict::Known(_) => Status::Known,
            _ => Status::Finding,
        }
    }

    /// The number.
    pub fn code(self) -> u8 {
        match self {
            Status::Good => 0,
            Status::Finding => 1,
            Status::Usage => 2,
            Status::Inconclusive => 3,
            Status::Known => 4,
            Status::Internal => 70,
        }
    }

    /// The status with this number.
    pub fn of_code(code: u8) -> Status {
        match code {
            0 => Status::Good,
            1 => Status::Finding,
            2 => Status::Usage,
            3 => Status::Inconclusive,
            4 => Status::Known,
            _ => Status::Internal,
        }
    }

    /// What an error makes of it: input that can't be used, unless the harness itself is at fault.
    pub fn of_error(error: &anyhow::Error) -> Status {
        if error.is::<InternalFault>() { Status::Internal } else { Status::Usage }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status.code())
    }
}
