//! `roundtrip check`: the main job on given programs.

use std::path::PathBuf;

use anyhow::Context;
use harness::case::{Case, Program};
use harness::compare::{Report, Verdict};
use harness::parting::{self, Parting};
use harness::path::interpreters::Interpreter;
use harness::path::{Detail, Path, validators};
use harness::record::known::{Known, settle, settling_paths};
use harness::report::{self, Checked};
use harness::{Spent, validators};

use crate::known::KnownOptions;
use crate::planted::Plant;
use crate::select::PathOptions;
use crate::source::{InputForm, Loaded, RunOptions, Source};
use crate::status::Status;
use crate::terminal::{Format, Terminal};
use crate::validate::violations;
use crate::workers::{Checker, LimitOptions};

/// Run programs through every path, validate what the paths make, and compare
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  roundtrip check program.tiny
  roundtrip check program.tiny --inputs 10,3 --inputs -1,0
  roundtrip check deep-nest.tiny --hang-after 60s
  roundtrip check *.tac --paths 'lab/*,cranelift/*' --format json

A file's `# run: 10, 3 => return 23` lines say what to run and what is right; another outcome is a finding. Its
`# path: llvm/phi:gvn` lines name paths beside the usual ones, unless --paths says which to take.
Constructed SSA that is worse than the lab's (`quality`) is told below the verdict, and no part of the exit status.
Exit status: 0 all agree, 1 a finding, 2 a file that can't be used, 3 nothing worse than inconclusive, 4 only findings
that the corpus knows as filed issues.")]
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
    #[command(flatten)]
    known: KnownOptions,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    #[command(flatten)]
    plant: Plant,
}

/// Checks each file; one that can't be used does not keep the others from being checked.
pub fn run(args: &Args, terminal: &Terminal) -> anyhow::Result<Status> {
    args.plant.apply();
    let sources: Vec<_> = args.files.iter().map(|file| Source::read(file, &args.input_form)).collect();
    let texts = sources.iter().filter_map(|source| Some(source.as_ref().ok()?.text.as_str()));
    let selected = args.paths.select_for(texts, terminal)?;
    let known = args.known.read()?;
    let steps = settling_paths(&known, &selected.all());
    let all: Vec<&dyn Path> = selected.all().into_iter().chain(steps.iter().map(|path| &**path)).collect();
    let checker = Checker::new(&all, &args.plant, &args.limits);
    let mut status = Status::Good;
    for source in sources {
        let checked = source.and_then(|source| {
            let paths = selected.of(&source.text).with_context(|| source.name.clone())?;
            check_loaded(source.load(&args.options, terminal)?, &paths, &checker, &known)
        });
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

/// Checks a file's program on its runs. What is known is no finding.
pub fn check_loaded(
    loaded: Loaded,
    paths: &[&dyn Path],
    checker: &Checker,
    known: &[Known],
) -> anyhow::Result<Checked> {
    let Loaded { source, case, expectations } = loaded;
    let check = |paths: &[&dyn Path]| checker.check(&case, paths, Detail { structure: true, ..Detail::default() });
    let report = settle(known, check(paths)?, paths, &check)?;
    // Texts take time, and only a difference has use for them.
    let parting = if report.verdict == Verdict::Disagree {
        parting_of(&case, &source.text, &checker.check(&case, paths, Detail { texts: true, ..Detail::default() })?)
    } else {
        None
    };
    Ok(Checked::new(&source.name, &source.text, report, expectations).with_parting(parting))
}

/// Where executions part, told from a report that has the texts.
pub fn parting_of(case: &Case, text: &str, report: &Report) -> Option<Parting> {
    let texts = report.texts.iter().map(|(path, name, text)| (path.to_string(), name.as_str(), text.as_str()));
    parting::find(&case.program, text, &report.runs, &parting::forms(texts))
}

/// Checks a case. A function on which validators differ is a finding by itself. An invalid function has no meaning:
/// nothing is run, and its faults, by the lab and by the compilers' verifiers, are the report. All of it is done in
/// this process; `spent` follows it.
pub fn check_case(case: &Case, paths: &[&dyn Path], detail: Detail, spent: &mut dyn FnMut(Spent<'_>)) -> Report {
    let judges = validators();
    if let Some(report) = validators::check(case, &judges).filter(|report| report.verdict.is_finding()) {
        return report;
    }
    if violations(&case.program).is_empty() {
        return harness::check_timed(case, paths, detail, spent);
    }
    let judge: &dyn Path = if let Program::Phi(_) = case.program { &Interpreter::Phi } else { &Interpreter::Naive };
    let mut report = harness::check_timed(&Case { vectors: Vec::new(), ..case.clone() }, &[judge], detail, spent);
    report.faults.extend(validators::rejections(case, &judges));
    report
}

/// Prints a report.
pub fn print(checked: &Checked, format: Format, terminal: &Terminal) -> anyhow::Result<()> {
    match format {
        Format::Text => terminal.line(checked.text(terminal.color)),
        Format::Json => terminal.json(&report::check_object(checked)),
    }
}
