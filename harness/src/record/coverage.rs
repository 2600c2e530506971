//! How much of the harness's own code a run executed, by module: what `llvm-cov export --summary-only` says, summed up.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use serde::Deserialize;

/// Where the modules' files lie, within any checkout.
const SOURCES: &str = "harness/src/";

/// Lines of code, and those that were executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Lines {
    /// All of them.
    pub count: u64,
    /// Those that were executed.
    pub covered: u64,
}

impl Lines {
    /// The share that was executed, in percent.
    pub fn percent(self) -> f64 {
        if self.count == 0 { 100.0 } else { 100.0 * self.covered as f64 / self.count as f64 }
    }

    /// Adds others.
    pub fn add(&mut self, other: Lines) {
        self.count += other.count;
        self.covered += other.covered;
    }
}

#[derive(Deserialize)]
struct Export {
    data: Vec<Data>,
}

#[derive(Deserialize)]
struct Data {
    files: Vec<File>,
}

#[derive(Deserialize)]
struct File {
    filename: String,
    summary: Summary,
}

#[derive(Deserialize)]
struct Summary {
    lines: Lines,
}

/// Reads an export: the lines of each module of the harness. Other code's are left out.
pub fn read(file: &Path) -> io::Result<BTreeMap<String, Lines>> {
    let export: Export = serde_json::from_slice(&fs::read(file)?)?;
    let mut modules = BTreeMap::new();
    for File { filename, summary } in export.data.into_iter().flat_map(|data| data.files) {
        if let Some((_, within)) = filename.split_once(SOURCES) {
            modules.entry(module(within)).or_insert_with(Lines::default).add(summary.lines);
        }
    }
    Ok(modules)
}

/// `lab` of `lab/prune/dead.rs`, `op` of `op.rs`.
fn module(within: &str) -> String {
    within.split('/').next().unwrap_or_default().trim_end_matches(".rs").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_summed_up_by_module() {
        let file = |name: &str, count, covered| {
            format!(r#"{{"filename": "{name}", "summary": {{"lines": {{"count": {count}, "covered": {covered}}}}}}}"#)
        };
        let files = [
            file("/x/harness/src/lab/prune/dead.rs", 10, 5),
            file("/x/harness/src/lab/mod.rs", 10, 10),
            file("/x/harness/src/op.rs", 4, 1),
            file("/x/registry/serde/src/lib.rs", 100, 0),
        ];
        let folder = tempfile::tempdir().unwrap();
        let export = folder.path().join("coverage.json");
        fs::write(&export, format!(r#"{{"data": [{{"files": [{}]}}], "type": "x"}}"#, files.join(","))).unwrap();
        let modules = read(&export).unwrap();
        let lab = Lines { count: 20, covered: 15 };
        assert_eq!(modules, [("lab".into(), lab), ("op".into(), Lines { count: 4, covered: 1 })].into());
        assert_eq!((lab.percent(), Lines::default().percent()), (75.0, 100.0));
    }
}
