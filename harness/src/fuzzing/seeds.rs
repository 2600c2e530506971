//! Where a target starts: the programs of the project's corpus.
//!
//! libFuzzer writes what it finds interesting, thousands of files, into the first folder that it is given, and
//! cargo-fuzz gives it `fuzz/corpus/TARGET`. The project's corpus must not be flooded, so that folder is not committed,
//! and the corpus's programs are copied there, but for the findings: a target would end with the first of them.

use std::fs;
use std::path::Path;

use crate::case::Form;
use crate::record;

/// Copies the corpus's programs of these forms into libFuzzer's folder, if that exists. What is there already stays.
pub fn plant_seeds(corpus: &Path, forms: &[Form], folder: &Path) {
    let Ok(entries) = record::entries(corpus) else { return };
    if !folder.is_dir() {
        return;
    }
    for entry in entries {
        let extension = entry.file.extension().and_then(|extension| Form::from_extension(extension.to_str()?));
        let Ok(within) = entry.file.strip_prefix(corpus) else { continue };
        if within.starts_with("findings") {
            continue;
        }
        let seed = folder.join(within.to_string_lossy().replace('/', "-"));
        if extension.is_some_and(|form| forms.contains(&form)) && !seed.exists() {
            // One seed less is no reason to stop.
            let _ = fs::copy(&entry.file, seed);
        }
    }
}
