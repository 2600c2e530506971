//! `roundtrip part`: what a part of a long run came to. For `scripts/nightly`.

use std::path::PathBuf;

use anyhow::Context;
use harness::record::night::RESULTS;
use harness::record::run_log::{Event, Writer};
use harness::record::{Part, part};

use crate::status::Status;
use crate::terminal::Terminal;

/// Note down in a long run's folder how one of its parts ended
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  roundtrip part target/nightly --name tiny --exit 0 --seconds 61 --budget 60 -- roundtrip fuzz --time 60s
  roundtrip part target/nightly --name planted --exit 101 --seconds 9 --failure 70 -- cargo test --test planted

Appends a line to results.jsonl. 124 and 137, with which timeout(1) ends, mean that the part was inconclusive.
Exit status: 0, or 2 when the line can't be written.")]
pub struct Args {
    /// The run's folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The part's name
    #[arg(long, value_name = "NAME")]
    name: String,
    /// How its command ended
    #[arg(long, value_name = "STATUS")]
    exit: u8,
    /// What a failure of the command means, as an exit status of roundtrip; without it the command is roundtrip itself
    #[arg(long, value_name = "STATUS")]
    failure: Option<u8>,
    /// How long it took
    #[arg(long, value_name = "N")]
    seconds: u64,
    /// How long it was to take
    #[arg(long, value_name = "N")]
    budget: Option<u64>,
    /// The command that does it again
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// Writes the line.
pub fn run(args: &Args, _: &Terminal) -> anyhow::Result<Status> {
    let (status, why) = part::status(args.exit, args.failure);
    let part = Part {
        name: args.name.clone(),
        status,
        why,
        seconds: args.seconds,
        budget: args.budget,
        command: args.command.join(" "),
    };
    let file = args.folder.join(RESULTS);
    let written = Writer::open(&file).and_then(|mut writer| writer.write(Event::Part(part)));
    written.with_context(|| format!("cannot write {}", file.display()))?;
    Ok(Status::Good)
}
