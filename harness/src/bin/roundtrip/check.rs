//! `roundtrip check`: the main job on given programs.

use std::path::PathBuf;

use harness::path::{Detail, Path};
use harness::report::{self, Checked};

use crate::planted::Plant;
use crate::select::PathOptions;
use crate::source::{InputForm, Loaded, RunOptions, Source};
use crate::status::Status;
use crate::terminal::{Format, Terminal};
use crate::workers::{Checker, LimitOptions};

/// Run programs through every path, validate what the paths make, and compare
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  roundtrip check program.tiny
  roundtrip check program.tiny --inputs 10,3 --inputs -1,0
  roundtrip check deep-nest.tiny --hang-after 60s
  roundtrip check *.tac --paths 'lab/*,cranelift/*' --format json

A file's `# run: 10, 3 => return 23` lines say what to run and what is right; another outcome is a finding.
Exit status: 0 all agree, 1 a finding, 2 a file that can't be used, 3 nothing worse than inconclusive.")]
pub struct Args {
    /// Programs; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    input_form: InputForm,
    #[command(flatten)]
    options: RunOptions,
    #[command(flatten)]
    paths: PathOptions,
    #[command(flatten)]
    limits: LimitOptions,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    #[command(flatten)]
    plant: Plant,
}

/// Checks each file; one that can't be used does not keep the others from being checked.
pub fn run(args: &Args, terminal: &Terminal) -> anyhow::Result<Status> {
    args.plant.apply();
    let paths = args.paths.select(terminal)?;
    let paths: Vec<&dyn Path> = paths.iter().map(|path| &**path).collect();
    let checker = Checker::new(&paths, &args.plant, &args.limits);
    let mut status = Status::Good;
    for file in &args.files {
        let checked = Source::read(file, &args.input_form)
            .and_then(|source| source.load(&args.options, terminal))
            .and_then(|loaded| check_loaded(loaded, &paths, &checker));
        match checked {
            Ok(checked) => {
                print(&checked, args.format, terminal)?;
                status = status.max(Status::of_verdict(&checked.report.verdict));
            }
            Err(error) => {
                terminal.fail(&error);
                status = status.max(Status::of_error(&error));
            }
        }
    }
    Ok(status)
}

/// Checks a file's program on its runs.
pub fn check_loaded(loaded: Loaded, paths: &[&dyn Path], checker: &Checker) -> anyhow::Result<Checked> {
    let Loaded { source, case, expectations } = loaded;
    let report = checker.check(&case, paths, Detail { structure: true, ..Detail::default() })?;
    Ok(Checked::new(&source.name, &source.text, report, expectations))
}

/// Prints a report.
pub fn print(checked: &Checked, format: Format, terminal: &Terminal) -> anyhow::Result<()> {
    match format {
        Format::Text => terminal.line(checked.text(terminal.color)),
        Format::Json => terminal.json(&report::check_object(checked)),
    }
}
