//! `roundtrip known-bugs`: real bugs of released compilers. Are the compilers wrong that are known to be ([`replay`]),
//! and would we find these bugs if nobody had told us ([`rediscover`])?

mod rediscover;
mod replay;
mod same;

use crate::status::Status;
use crate::terminal::Terminal;

/// Work with known bugs of released compilers
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  roundtrip known-bugs replay
  roundtrip known-bugs rediscover --bug sdiv --seeds 10 --minutes 1")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Replay(replay::Args),
    Rediscover(rediscover::Args),
}

/// Dispatches.
pub fn run(args: &Args, terminal: &Terminal) -> anyhow::Result<Status> {
    match &args.command {
        Command::Replay(args) => replay::run(args, terminal),
        Command::Rediscover(args) => rediscover::run(args, terminal),
    }
}
