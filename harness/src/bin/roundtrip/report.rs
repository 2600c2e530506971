//! `roundtrip report`: what runs left in a folder, as one page.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use harness::record::read;
use harness::report::{count, html};

use crate::status::Status;
use crate::terminal::Terminal;

/// Write what runs left in a folder as one page that needs no network
///
/// The folder is a corpus, or whatever holds findings and the logs of runs at any depth: verdicts and throughput over
/// time, every path, and the findings, the surest and smallest first.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  roundtrip fuzz --time 1h --corpus night --log night/run.jsonl; roundtrip report night --html night/report.html
  roundtrip report corpus --html corpus.html

Exit status: 0 when the page is written, whatever it tells; 2 when the folder can't be read or the page not be written.")]
pub struct Args {
    /// The folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Where the page is written
    #[arg(long, value_name = "OUT")]
    html: PathBuf,
}

/// Reads the folder and writes the page.
pub fn run(args: &Args, terminal: &Terminal) -> anyhow::Result<Status> {
    if !args.folder.is_dir() {
        bail!("{} is no folder; `roundtrip report` wants a corpus or the output of a run", args.folder.display());
    }
    let below = read::below(&args.folder).with_context(|| format!("cannot read {}", args.folder.display()))?;
    if below.findings.is_empty() && below.logs.is_empty() {
        terminal.warn(format!("neither a finding nor a run's log lies below {}", args.folder.display()));
    }
    below.problems.iter().for_each(|problem| terminal.warn(problem));
    let page = html::page(&args.folder, &below);
    write(&args.html, &page).with_context(|| format!("cannot write {}", args.html.display()))?;
    let (findings, logs) = (count(below.findings.len(), "finding"), count(below.logs.len(), "log"));
    terminal.note(format!("{findings} and {logs} in {}", args.html.display()));
    Ok(Status::Good)
}

/// Writes beside and renames: a reader sees the old page or the new one.
fn write(file: &Path, page: &str) -> anyhow::Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut builder = tempfile::Builder::new();
    use std::os::unix::fs::PermissionsExt;
    // A temporary file is its owner's alone; a page is everybody's.
    let mut beside = builder.permissions(std::fs::Permissions::from_mode(0o644)).tempfile_in(folder)?;
    beside.write_all(page.as_bytes())?;
    beside.persist(file)?;
    Ok(())
}
