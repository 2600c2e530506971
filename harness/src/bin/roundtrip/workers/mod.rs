//! Checking in worker processes (`harness::isolate`): `fuzz`, `check`, `minimize` and `corpus check` run no path in
//! their own process.
//!
//! [`protocol`] is what is asked and answered. [`serve`] is the worker's side, the hidden subcommand `worker`. On the
//! parent's, a [`keeper`] has one worker alive whenever it is needed, and a [`coroner`] decides what a death says about
//! a program; [`checker`] checks given cases that way, and `fuzz/pool.rs` generated ones.

pub mod checker;
pub mod coroner;
pub mod keeper;
pub mod protocol;
pub mod serve;

use std::time::Duration;

use harness::isolate::Limits;

pub use checker::Checker;
pub use keeper::Pace;

/// What a path may use, for the commands that run paths.
#[derive(clap::Args)]
pub struct LimitOptions {
    /// Processor time on one path of one program after which it hangs; ten times as much by the clock
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = super::duration)]
    pub hang_after: Duration,
    /// Megabytes of address space for the process that paths run in; its allocator reserves 1024 of them at once
    #[arg(long, value_name = "MB", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(2048..1 << 30))]
    pub memory: u64,
}

impl LimitOptions {
    /// The limits asked for.
    pub fn limits(&self) -> Limits {
        Limits { memory: self.memory << 20, time: self.hang_after }
    }
}
