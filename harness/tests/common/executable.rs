//! Programs that a test writes and then runs.

use std::fs::File;
use std::path::Path;
use std::process::Command;

/// Writes a program. Another process writes it: what this one has open for writing, a child that another test starts at
/// that moment has open too, and nobody can run it as long (`ETXTBSY`).
pub fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let beside = path.with_added_extension("text");
    std::fs::write(&beside, text).unwrap();
    let text = File::open(&beside).unwrap();
    let status = Command::new("install").args(["-m", "755", "/dev/stdin"]).arg(path).stdin(text).status().unwrap();
    assert!(status.success(), "{}", path.display());
    std::fs::remove_file(beside).unwrap();
}
