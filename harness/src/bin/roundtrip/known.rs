//! Known issues on the command line: what is filed already is no finding.

use std::path::PathBuf;

use harness::record::known::{self, Known};

/// Where known issues are listed, for the commands that check given programs.
#[derive(clap::Args)]
pub struct KnownOptions {
    /// The corpus whose known/*.toml list the issues that are filed already
    #[arg(long, value_name = "DIR", default_value = "corpus")]
    corpus: PathBuf,
}

impl KnownOptions {
    /// The issues.
    pub fn read(&self) -> anyhow::Result<Vec<Known>> {
        Ok(known::read(&self.corpus)?)
    }
}
