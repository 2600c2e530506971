//! What the targets share: where things lie in this project, and how a target starts.

use std::env;
use std::path::{Path, PathBuf};

use harness::case::Form;
use harness::fuzzing;

/// This crate's folder.
const FUZZ: &str = env!("CARGO_MANIFEST_DIR");

/// The project's corpus, where the seeds are.
fn corpus() -> PathBuf {
    Path::new(FUZZ).with_file_name("corpus")
}

/// The corpus that findings go to: `ROUNDTRIP_CORPUS`, or the project's.
pub fn findings() -> PathBuf {
    env::var_os("ROUNDTRIP_CORPUS").map_or_else(corpus, PathBuf::from)
}

/// Readies a target that starts from the corpus's programs of these forms. They are copied to `ROUNDTRIP_SEEDS`, or to
/// where cargo-fuzz keeps the target's own corpus.
pub fn start(target: &str, forms: &[Form]) {
    fuzzing::survive_panics();
    let seeds = env::var_os("ROUNDTRIP_SEEDS").map(PathBuf::from);
    let seeds = seeds.unwrap_or_else(|| Path::new(FUZZ).join("corpus").join(target));
    fuzzing::plant_seeds(&corpus(), forms, &seeds);
    #[cfg(feature = "plant")]
    plant();
}

/// [`start`] of a target that goes through the paths. It says which ones it does without.
pub fn start_on_paths(target: &str, forms: &[Form]) {
    start(target, forms);
    for (why, paths) in fuzzing::left_out() {
        eprintln!("left out: {}: {why}", paths.join(", "));
    }
}

/// Plants the fault that `ROUNDTRIP_PLANT` names, to see a target find it.
#[cfg(feature = "plant")]
fn plant() {
    if let Ok(name) = env::var("ROUNDTRIP_PLANT") {
        let fault = harness::plant::Fault::from_name(&name).expect("ROUNDTRIP_PLANT names a fault");
        harness::plant::plant(Some(fault));
    }
}
