//! `roundtrip summarize`: what a long run came to, for people, for test tools, for GitHub.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use harness::record::night::Night;
use harness::report::{github, junit, night};

use crate::status::Status;
use crate::terminal::Terminal;

/// Sum up a long run: `summary.md` and `junit.xml` in its folder, and the exit status of all its parts
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  roundtrip summarize target/nightly
  roundtrip summarize target/nightly --annotations

It can be done at any time, while the run goes on or after it was killed.
Exit status: the heaviest of the parts', 1 with a finding, 3 when no program was compared or a part did not end.")]
pub struct Args {
    /// The run's folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Print annotations for GitHub Actions
    #[arg(long)]
    annotations: bool,
}

/// Writes the files.
pub fn run(args: &Args, terminal: &Terminal) -> anyhow::Result<Status> {
    let folder = &args.folder;
    let night = Night::read(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    replace(folder, "summary.md", &night::summary(&night))?;
    replace(folder, "junit.xml", &junit::junit(&night))?;
    if args.annotations {
        github::annotations(&night).iter().try_for_each(|line| terminal.line(line))?;
    }
    Ok(Status::of_code(night.status()))
}

/// Writes a file beside and gives it its name: whoever looks sees it whole.
fn replace(folder: &Path, name: &str, text: &str) -> anyhow::Result<()> {
    let write = || {
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(text.as_bytes())?;
        fs::set_permissions(file.path(), std::os::unix::fs::PermissionsExt::from_mode(0o644))?;
        file.persist(folder.join(name)).map_err(|error| error.error)
    };
    write().with_context(|| format!("cannot write {}", folder.join(name).display()))?;
    Ok(())
}
