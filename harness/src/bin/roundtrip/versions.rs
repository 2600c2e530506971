//! `roundtrip versions`: a corpus on every version of every compiler that is here.

use std::path::{Path as FilePath, PathBuf};

use anyhow::{Context, anyhow, bail};
use harness::case::DEFAULT_FUEL;
use harness::compare::matrix::{Cell, CellVerdict, Matrix, MatrixRow};
use harness::path::installed::Version;
use harness::path::{Detail, Path, registry};
use harness::record;
use harness::record::known_bugs::{Claim, KnownBug};
use harness::report;

use crate::planted::Plant;
use crate::select;
use crate::source::{InputForm, Loaded, RunOptions, Source};
use crate::status::Status;
use crate::terminal::{Format, Terminal};
use crate::validate::violations;
use crate::workers::{Checker, LimitOptions};

/// Run a corpus on every version of every compiler: which programs is which version wrong on?
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  roundtrip versions
  roundtrip versions corpus/known-bugs --format json
  roundtrip versions --out night/versions.json; roundtrip report night --html night/report.html

All paths of what is linked in and of what scripts/toolchain has added are taken, and those that a known bug names. A cell
is `right` when all paths that take the program are; when some are wrong, `known` on a version that the program's comments
say is wrong (as in `known-bugs replay --help`), else `WRONG`, with how many; `–` no path takes it, `·` none runs.
Exit status: 0 right, or wrong as known, 1 a version is wrong that isn't known to be, 2 a file or a shared object that
can't be used.")]
pub struct Args {
    /// A folder of programs
    #[arg(value_name = "DIR", default_value = "corpus")]
    folder: PathBuf,
    /// Write the table here too, for `roundtrip report` and `summarize`
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    #[command(flatten)]
    limits: LimitOptions,
    #[command(flatten)]
    plant: Plant,
}

/// A program with what is known of it.
struct Known {
    loaded: Loaded,
    bug: KnownBug,
}

/// A version's paths.
struct Column {
    version: Version,
    paths: Vec<Box<dyn Path>>,
}

/// Fills the table, version by version: a worker has then one compiler to load.
pub fn run(args: &Args, terminal: &Terminal) -> anyhow::Result<Status> {
    args.plant.apply();
    let programs = programs(&args.folder, terminal)?;
    let (mut versions, usable) = select::versions(terminal);
    let numbers = |version: &str| -> Vec<u64> { version.split('.').filter_map(|part| part.parse().ok()).collect() };
    versions.sort_by_cached_key(|it| (it.compiler.clone(), numbers(&it.version)));
    let own: Vec<Box<dyn Path>> = registry().into_iter().filter(|path| path.id().version.is_none()).collect();
    let row = |known: &Known| MatrixRow { program: known.loaded.source.name.clone(), cells: Vec::new() };
    let mut table = Matrix { versions: Vec::new(), rows: programs.iter().map(row).collect() };
    for version in versions {
        let column = Column::new(version, &programs, terminal)?;
        let all: Vec<&dyn Path> = own.iter().chain(&column.paths).map(|path| &**path).collect();
        let checker = Checker::new(&all, &args.plant, &args.limits);
        for (known, row) in programs.iter().zip(&mut table.rows) {
            row.cells.push(column.cell(known, &own, &checker)?);
        }
        let name = format!("{}@{}", column.version.compiler, column.version.version);
        terminal.note(format!("{name}: {}", report::count(column.paths.len(), "path")));
        table.versions.push(name);
    }
    if let Some(file) = &args.out {
        let text = serde_json::to_string(&table)? + "\n";
        record::write(file, &text).with_context(|| format!("cannot write {}", file.display()))?;
    }
    match args.format {
        Format::Text => terminal.line(report::matrix_text(&table, terminal.color))?,
        Format::Json => terminal.json(&serde_json::to_value(&table)?)?,
    }
    for (known, row) in programs.iter().zip(&table.rows) {
        let versions = row.cells.iter().filter(|cell| cell.verdict == CellVerdict::Known).count();
        if versions > 0 {
            let source = known.bug.source.as_deref().unwrap_or("no source given");
            terminal.note(format!("{}: known, on {}: {source}", row.program, report::count(versions, "version")));
        }
    }
    terminal.note(report::matrix_counts(&table));
    Ok(usable.max(if table.count(CellVerdict::Wrong) == 0 { Status::Good } else { Status::Finding }))
}

/// The corpus. A function that is not valid has no meaning; `corpus check` is for those.
fn programs(folder: &FilePath, terminal: &Terminal) -> anyhow::Result<Vec<Known>> {
    let mut programs = Vec::new();
    for entry in record::entries(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let source = Source::read(&entry.file, &InputForm { input_form: None, dialect: None })?;
        // What is no claim about versions is no known bug; `known-bugs replay` tells it from an error.
        let bug = KnownBug::parse(&source.text).unwrap_or_default();
        let loaded = source.load(&RunOptions { inputs: Vec::new(), fuel: DEFAULT_FUEL }, terminal)?;
        if violations(&loaded.case.program).is_empty() {
            programs.push(Known { loaded, bug });
        }
    }
    if programs.is_empty() {
        bail!("{} holds no program", folder.display());
    }
    Ok(programs)
}

impl Column {
    /// A version's listed paths, and those of its compiler that known bugs name.
    fn new(version: Version, programs: &[Known], terminal: &Terminal) -> anyhow::Result<Column> {
        let mut paths = version.paths().map_err(|reason| anyhow!(reason))?;
        let claims = programs.iter().flat_map(|known| &known.bug.claims);
        for variant in claims.filter(|claim| claim.compiler == version.compiler).flat_map(|claim| &claim.variants) {
            if paths.iter().all(|path| path.id().variant != *variant) {
                paths.extend(version.path(variant).map_err(|reason| anyhow!(reason))?);
            }
        }
        Ok(Column { version, paths: select::available(paths, terminal) })
    }

    /// A program on the listed paths, and on those that what is known of it names.
    fn cell(&self, known: &Known, own: &[Box<dyn Path>], checker: &Checker) -> anyhow::Result<Cell> {
        let Version { compiler, version, .. } = &self.version;
        let expects_wrong = |variant: &str| known.bug.expects_wrong(compiler, version, variant);
        let takes_part = |path: &&dyn Path| {
            let variant = path.id().variant;
            !variant.contains(':') || expects_wrong(&variant).is_some()
        };
        let theirs: Vec<&dyn Path> = self.paths.iter().map(|path| &**path).filter(takes_part).collect();
        let all: Vec<&dyn Path> = own.iter().map(|path| &**path).chain(theirs.iter().copied()).collect();
        let report = checker.check(&known.loaded.case, &all, Detail::default())?;
        // Whoever is wrong on such a version shows the same bug, named or not.
        let bug = |claim: &Claim| claim.wrong && claim.compiler == *compiler && claim.contains(version);
        let is_wrong = known.bug.claims.iter().any(bug);
        Ok(Cell::of(theirs.iter().map(|path| {
            let id = path.id();
            let wrong = expects_wrong(&id.variant).unwrap_or(is_wrong);
            (id.variant.clone(), report.standing(&id), wrong)
        })))
    }
}
