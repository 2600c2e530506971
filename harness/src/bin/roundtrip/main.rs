//! The command line. The only part of the project that knows a terminal: arguments, files, progress, exit statuses.
//!
//! One file a subcommand. What several of them need: [`status`] (exit statuses), [`terminal`] (where output goes),
//! [`source`] (reading programs), [`select`] (choosing paths), [`workers`] (running them in processes of their own),
//! [`panics`] (a fault of the harness itself).

mod check;
mod compare;
mod convert;
mod corpus;
mod fuzz;
mod generate;
mod known;
mod known_bugs;
mod lower;
mod minimize;
mod panics;
mod part;
mod paths;
mod planted;
mod report;
mod run;
mod select;
#[cfg(feature = "plant")]
mod self_test;
mod source;
mod splice;
mod status;
mod summarize;
mod terminal;
mod triage;
mod validate;
mod versions;
mod workers;

use std::process::ExitCode;
use std::time::Duration;

use clap::{ColorChoice, Parser, Subcommand};

use status::Status;
use terminal::Terminal;

/// Compilers allocate all the time: with this allocator, which replaces the C library's for LLVM too, a check takes an
/// eighth less.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const EXAMPLES: &str = "\
Examples:
  roundtrip check program.tiny               run a program through every path and compare
  roundtrip fuzz --seed 1 --programs 1000    the same on generated programs
  roundtrip lower program.tiny --form phi    print one form of a program
  roundtrip paths                            what there is to compare

Exit status:
  0   agree or valid
  1   a finding
  2   usage, unreadable or unparsable input, missing toolchain
  3   nothing worse than inconclusive
  4   only known findings
  70  a fault of roundtrip itself";

/// Differential testing of SSA constructions and compilers.
///
/// One program goes many independent ways to SSA and to machine code. Each way's output must be valid, and all
/// executions must give one outcome; what differs is a finding.
#[derive(Parser)]
#[command(name = "roundtrip", version, after_help = EXAMPLES, arg_required_else_help = true)]
struct Cli {
    /// When to colour output; NO_COLOR turns it off too
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: ColorChoice,
    /// No progress and no notes; results and errors only
    #[arg(short, long, global = true)]
    quiet: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Paths(paths::Args),
    Lower(lower::Args),
    Convert(convert::Args),
    Validate(validate::Args),
    Run(run::Args),
    Check(check::Args),
    Fuzz(fuzz::Args),
    Generate(generate::Args),
    Minimize(minimize::Args),
    Triage(triage::Args),
    #[command(hide = true)]
    TriageStep(triage::step::Args),
    Corpus(corpus::Args),
    Compare(compare::Args),
    #[cfg(feature = "plant")]
    SelfTest(self_test::Args),
    KnownBugs(known_bugs::Args),
    Versions(versions::Args),
    Part(part::Args),
    Summarize(summarize::Args),
    Report(report::Args),
    #[command(hide = true)]
    Worker(workers::serve::Args),
}

fn main() -> ExitCode {
    terminal::end_quietly_on_a_closed_pipe();
    panics::install();
    let cli = Cli::parse();
    let terminal = Terminal::new(cli.color, cli.quiet);
    match panics::catch(|| run_command(&cli.command, &terminal)) {
        Ok(Ok(status)) => status.into(),
        Ok(Err(error)) => {
            terminal.fail(&error);
            Status::of_error(&error).into()
        }
        Err(fault) => {
            terminal.fail(&fault.into());
            Status::Internal.into()
        }
    }
}

fn run_command(command: &Command, terminal: &Terminal) -> anyhow::Result<Status> {
    match command {
        Command::Paths(args) => paths::run(args, terminal),
        Command::Lower(args) => lower::run(args, terminal),
        Command::Convert(args) => convert::run(args, terminal),
        Command::Validate(args) => validate::run(args, terminal),
        Command::Run(args) => run::run(args, terminal),
        Command::Check(args) => check::run(args, terminal),
        Command::Fuzz(args) => fuzz::run(args, terminal),
        Command::Generate(args) => generate::run(args, terminal),
        Command::Minimize(args) => minimize::run(args, terminal),
        Command::Triage(args) => triage::run(args, terminal),
        Command::TriageStep(args) => triage::step::run(args, terminal),
        Command::Corpus(args) => corpus::run(args, terminal),
        Command::Compare(args) => compare::run(args, terminal),
        #[cfg(feature = "plant")]
        Command::SelfTest(args) => self_test::run(args, terminal),
        Command::KnownBugs(args) => known_bugs::run(args, terminal),
        Command::Versions(args) => versions::run(args, terminal),
        Command::Part(args) => part::run(args, terminal),
        Command::Summarize(args) => summarize::run(args, terminal),
        Command::Report(args) => report::run(args, terminal),
        Command::Worker(args) => workers::serve::run(args),
    }
}

/// `60s`, `10m`, `2h`, `500ms`; a bare number is seconds.
fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let bad = || format!("{text:?} is not a time like 60s, 10m or 2h");
    let number: f64 = digits.parse().map_err(|_| bad())?;
    let unit = match &text[digits.len()..] {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(bad()),
    };
    Duration::try_from_secs_f64(number * unit).map_err(|_| bad())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        let seconds = |text| duration(text).map(|time| time.as_secs_f64());
        assert_eq!(seconds("500ms"), Ok(0.5));
        assert_eq!((seconds("90"), seconds("60s")), (Ok(90.0), Ok(60.0)));
        assert_eq!((seconds("10m"), seconds("2h")), (Ok(600.0), Ok(7200.0)));
        for bad in ["", "s", "5d", "-1s", "1e400h", "nan"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }
}
