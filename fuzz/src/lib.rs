//! What the targets share: where things lie in this project, and how a target starts.

use std::path::{Path, PathBuf};

use harness::case::Form;
use harness::fuzzing;

/// This crate's folder.
const FUZZ: &str = env!("CARGO_MANIFEST_DIR");

/// The project's corpus: seeds come from there, findings go there.
pub fn corpus() -> PathBuf {
    Path::new(FUZZ).with_file_name("corpus")
}

/// Readies a target that starts from the corpus's programs of these forms.
pub fn start(target: &str, forms: &[Form]) {
    fuzzing::survive_panics();
    fuzzing::plant_seeds(&corpus(), forms, &Path::new(FUZZ).join("corpus").join(target));
    #[cfg(feature = "plant")]
    plant();
}

/// Plants the fault that `ROUNDTRIP_PLANT` names, to see a target find it.
#[cfg(feature = "plant")]
fn plant() {
    if let Ok(name) = std::env::var("ROUNDTRIP_PLANT") {
        let fault = harness::plant::Fault::from_name(&name).expect("ROUNDTRIP_PLANT names a fault");
        harness::plant::plant(Some(fault));
    }
}
