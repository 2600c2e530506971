//! Where a target starts: the programs of the project's corpus.
//!
//! libFuzzer writes what it finds interesting into the first folder that it is given, thousands of files, and cargo-fuzz
//! gives it `fuzz/corpus/TARGET`. The project's corpus must not be flooded, so that folder is not committed, and the
//! corpus's programs are copied there.

use std::fs;
use std::path::Path;

use crate::case::Form;

/// Copies the corpus's programs of this form into libFuzzer's folder, if that exists; those that are there already stay.
pub fn plant_seeds(corpus: &Path, form: Form, folder: &Path) {
    let Ok(entries) = crate::record::entries(corpus) else { return };
    if !folder.is_dir() {
        return;
    }
    for entry in entries {
        let is_wanted = entry.file.extension().is_some_and(|extension| extension == form.extension());
        let Ok(within) = entry.file.strip_prefix(corpus) else { continue };
        let name = within.to_string_lossy().replace('/', "-");
        if is_wanted && !folder.join(&name).exists() {
            // A seed less is no reason to stop.
            let _ = fs::copy(&entry.file, folder.join(name));
        }
    }
}
