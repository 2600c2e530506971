//! `roundtrip compare`: two versions or option sets, over a corpus and generated programs.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail};
use harness::case::{Case, DEFAULT_FUEL, Form};
use harness::compare::Standing;
use harness::compare::versions::{Change, Comparison, Row, Seen, Spread, median};
use harness::generate::{self, Policy};
use harness::path::{Detail, Path, registry};
use harness::record;
use harness::report::{self, count, html};
use serde_json::json;

use crate::planted::Plant;
use crate::select::PathOptions;
use crate::source::{InputForm, RunOptions, Source};
use crate::status::Status;
use crate::terminal::{Format, Terminal};
use crate::validate::violations;
use crate::workers::{Checker, LimitOptions};

/// Compare versions or option sets of compilers: what changed in verdicts, IR, code size and compile time
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  roundtrip compare --paths 'llvm@19/*' --paths 'llvm@22.1.8/*'
  roundtrip compare --paths cranelift@0.122/speed --paths cranelift/speed corpus/known-bugs
  roundtrip compare --paths cranelift/none --paths cranelift/speed --programs 100 --seed 1 --format json
  roundtrip compare --paths 'llvm@14/*-O2' --paths 'llvm/*-O2' --html llvm.html

Paths of one variant are compared; two single paths are compared whatever they are called. The first --paths is compared
with each of the others. `scripts/toolchain add` installs versions. Sizes and times are of programs that both are right on;
times are of one after the other in turn, and the spread is that of the programs' ratios.
Exit status: 0 no regression, 1 the second is wrong where the first was right, 2 usage or missing toolchain.")]
pub struct Args {
    /// Programs
    #[arg(value_name = "DIR", default_value = "corpus")]
    folder: PathBuf,
    /// One side: comma-separated globs over path names; again for another
    #[arg(long, value_name = "GLOBS", required = true)]
    paths: Vec<String>,
    /// How many generated programs to compare too
    #[arg(long, value_name = "N", default_value_t = 0)]
    programs: u64,
    /// Where they come from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How often each compilation is timed, one side after the other
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Write it as a page too, with every program
    #[arg(long, value_name = "OUT")]
    html: Option<PathBuf>,
    #[command(flatten)]
    limits: LimitOptions,
    #[command(flatten)]
    plant: Plant,
}

/// Two paths that are compared.
struct Pair<'a> {
    first: &'a dyn Path,
    second: &'a dyn Path,
}

/// Compares pair by pair, program by program.
pub fn run(args: &Args, terminal: &Terminal) -> anyhow::Result<Status> {
    args.plant.apply();
    let select = |globs: &String| PathOptions { paths: Some(globs.clone()) }.select(terminal);
    let sides = args.paths.iter().map(select).collect::<anyhow::Result<Vec<_>>>()?;
    let pairs = pairs(&sides, terminal)?;
    let programs = programs(args, terminal)?;
    let own: Vec<Box<dyn Path>> = registry().into_iter().filter(|path| path.id().version.is_none()).collect();
    let mut once = BTreeSet::new();
    let all = own.iter().chain(sides.iter().flatten()).map(|path| &**path);
    let all: Vec<&dyn Path> = all.filter(|path| once.insert(path.id())).collect();
    let checker = Checker::new(&all, &args.plant, &args.limits);
    if cfg!(debug_assertions) {
        terminal.note("this is a build for debugging: what is linked in compiles slower than what is installed");
    }
    let mut status = Status::Good;
    let mut comparisons = Vec::new();
    for pair in &pairs {
        let rows = programs.iter().map(|(name, case)| row(name, case, pair, &own, &checker, args.repeat));
        let rows = rows.collect::<anyhow::Result<Vec<Row>>>()?;
        let comparison = Comparison::new(pair.first.id().to_string(), pair.second.id().to_string(), rows);
        if comparison.rows.iter().any(|row| row.change() == Some(Change::Regression)) {
            status = Status::Finding;
        }
        print(&comparison, args.format, terminal)?;
        comparisons.push(comparison);
    }
    if let Some(file) = &args.html {
        record::write(file, &html::comparisons(&comparisons))
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(status)
}

/// Who is compared with whom.
fn pairs<'a>(sides: &'a [Vec<Box<dyn Path>>], terminal: &Terminal) -> anyhow::Result<Vec<Pair<'a>>> {
    let [first, others @ ..] = sides else { bail!("say --paths twice: what is compared with what?") };
    if others.is_empty() {
        bail!("say --paths twice: what is compared with what?");
    }
    let mut pairs = Vec::new();
    for second in others {
        if let ([first], [second]) = (&first[..], &second[..]) {
            pairs.push(Pair { first: &**first, second: &**second });
            continue;
        }
        for one in first {
            match second.iter().find(|other| other.id().short() == one.id().short()) {
                Some(other) => pairs.push(Pair { first: &**one, second: &**other }),
                None => terminal.note(format!("{} has no counterpart", one.id())),
            }
        }
    }
    if pairs.is_empty() {
        bail!("no path of the first --paths has a counterpart of the same variant in another");
    }
    Ok(pairs)
}

/// The corpus and the generated programs, by name. A function that is not valid has no meaning to compare.
fn programs(args: &Args, terminal: &Terminal) -> anyhow::Result<Vec<(String, Case)>> {
    let folder = args.folder.display();
    let mut programs = Vec::new();
    for entry in record::entries(&args.folder).with_context(|| format!("cannot read {folder}"))? {
        let source = Source::read(&entry.file, &InputForm { input_form: None, dialect: None })?;
        let name = source.name.clone();
        let loaded = source.load(&RunOptions { inputs: Vec::new(), fuel: DEFAULT_FUEL }, terminal)?;
        if violations(&loaded.case.program).is_empty() {
            programs.push((name, loaded.case));
        }
    }
    for index in 0..args.programs {
        let form = if index % 4 == 3 { Form::Tac } else { Form::Tiny };
        let case = generate::case(args.seed, index, form, &Policy::default());
        programs.push((format!("{} {index} of seed {}", form.extension(), args.seed), case));
    }
    if programs.is_empty() {
        bail!("{folder} holds no program: nothing to compare on; --programs N generates some");
    }
    Ok(programs)
}

/// One program under a pair: whether both are right, seen by a worker process; if they are, what it costs, measured
/// here.
fn row(
    name: &str,
    case: &Case,
    pair: &Pair<'_>,
    own: &[Box<dyn Path>],
    checker: &Checker,
    repeat: u32,
) -> anyhow::Result<Row> {
    let seen = |path: &dyn Path| -> anyhow::Result<Seen> {
        let others = own.iter().map(|path| &**path).filter(|other| other.id() != path.id());
        let paths: Vec<&dyn Path> = others.chain([path]).collect();
        let standing = checker.check(case, &paths, Detail::default())?.standing(&path.id());
        Ok(Seen { standing, size: None, time: Duration::ZERO })
    };
    let mut row = Row { program: name.to_string(), first: seen(pair.first)?, second: seen(pair.second)? };
    if row.first.standing == Standing::Right && row.second.standing == Standing::Right {
        measure(case, pair, repeat, &mut row);
    }
    Ok(row)
}

/// The processor time that this thread has had; what others do on the machine doesn't count.
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: it only writes to where it is told to.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) != 0 };
    if failed { Duration::ZERO } else { Duration::new(time.tv_sec as u64, time.tv_nsec as u32) }
}

/// Measures one side and the other in turn, so that a machine that gets slower does so for both.
fn measure(case: &Case, pair: &Pair<'_>, repeat: u32, row: &mut Row) {
    if [pair.first, pair.second].iter().any(|path| path.id().variant.ends_with("-flags")) {
        // What these promise they learn from the runs, which would count as compiling.
        for (path, seen) in [(pair.first, &mut row.first), (pair.second, &mut row.second)] {
            seen.size = path.observe(case, Detail::default()).size;
        }
        return;
    }
    let unrun = Case { vectors: Vec::new(), ..case.clone() };
    let mut times: [Vec<Duration>; 2] = [Vec::new(), Vec::new()];
    for _ in 0..repeat {
        for ((path, seen), times) in
            [(pair.first, &mut row.first), (pair.second, &mut row.second)].into_iter().zip(&mut times)
        {
            let start = processor_time();
            let observation = path.observe(&unrun, Detail::default());
            times.push(processor_time().saturating_sub(start));
            seen.size = observation.size;
        }
    }
    [row.first.time, row.second.time] = times.map(median);
}

fn print(comparison: &Comparison, format: Format, terminal: &Terminal) -> anyhow::Result<()> {
    let Comparison { first, second, summary, .. } = comparison;
    if format == Format::Json {
        for (change, row) in comparison.changed() {
            terminal.json(&json!({ "first": first, "second": second, "change": change, "row": row }))?;
        }
        return terminal.json(&json!({ "first": first, "second": second, "summary": summary }));
    }
    terminal.line(format!("{first} → {second}: {}", count(summary.programs, "program")))?;
    for (change, row) in comparison.changed() {
        let (was, is) = (&row.first.standing, &row.second.standing);
        terminal.line(format!("  {}: {}: {was} → {is}", change.name(), row.program))?;
    }
    let counts = summary.changes.iter().map(|(change, count)| [change.name().to_string(), count.to_string()]);
    let sums = |(first, second): (u64, u64)| format!("{first} → {second}");
    let times = summary.microseconds.map(|(first, second)| format!("{first} → {second} µs, "));
    let numbers = [
        ["parameters".to_string(), sums(summary.parameters)],
        ["instructions".into(), sums(summary.instructions)],
        ["code size".into(), ratio(summary.code)],
        ["compile time".into(), times.unwrap_or_default() + &ratio(summary.time)],
    ];
    terminal.line(report::table(["", "first → second"], counts.chain(numbers)))
}

fn ratio(spread: Option<Spread>) -> String {
    match spread {
        Some(Spread { median, low, high }) => format!("× {median:.2} (half within {low:.2} and {high:.2})"),
        None => "nothing measured".into(),
    }
}
