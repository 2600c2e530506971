//! The programs that generated ones are spliced with, for `fuzz` and `generate`.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, anyhow, bail};
use harness::case::Form;
use harness::dialect::Dialect;
use harness::{record, tiny};

/// Where they come from.
#[derive(clap::Args)]
pub struct SpliceOptions {
    /// Splice one of four Tiny programs with one of those in this folder: the results depend on them too
    #[arg(long, value_name = "DIR")]
    splice: Option<PathBuf>,
}

impl SpliceOptions {
    /// The folder's Tiny programs that the dialect allows, in the order of their paths; none if there is no folder.
    pub fn pieces(&self, dialect: Dialect) -> anyhow::Result<Vec<tiny::Program>> {
        let Some(folder) = &self.splice else { return Ok(Vec::new()) };
        let shown = folder.display();
        let entries = record::entries(folder).with_context(|| format!("cannot read {shown}"))?;
        let mut pieces = Vec::new();
        for file in entries.into_iter().map(|entry| entry.file) {
            if file.extension().is_none_or(|extension| extension != Form::Tiny.extension()) {
                continue;
            }
            let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
            let program = tiny::parse(&text).map_err(|error| anyhow!("{}: {error}", file.display()))?;
            if program.dialect() <= dialect {
                pieces.push(program);
            }
        }
        if pieces.is_empty() {
            bail!("{shown} has no Tiny program of the dialect {dialect}: there is nothing to splice");
        }
        Ok(pieces)
    }
}
