//! Tells the code which version of a compiler it is built with, and which sources it is built from.
//!
//! - `cranelift_before = "0.93"`, `llvm_before = "15"`: the compiler is older than that. The newest versions, which the
//!   harness itself links in, set none of them. `scripts/toolchain` builds the others: its manifests are named for the
//!   compiler and have the compiler's version.
//! - `shared_object`: this is such a build.
//! - `ROUNDTRIP_SOURCES`: a fingerprint of the sources that both kinds of build are made of. What was built from other
//!   sources may lower programs otherwise, or not even agree on the bytes that describe them (`path/wire.rs`).

use std::fs;
use std::path::{Path, PathBuf};

/// Where Cranelift's interface changed under our code: `path/cranelift/compat.rs` says how.
const CRANELIFT: [&str; 15] = [
    "0.87", "0.90", "0.91", "0.92", "0.93", "0.94", "0.96", "0.109", "0.113", "0.115", "0.120", "0.122", "0.130",
    "0.133", "0.134",
];
/// The same for LLVM, with its behaviour: `path/llvm/compat.rs`.
const LLVM: [&str; 8] = ["14", "15", "16", "17", "18", "19", "20", "22"];

/// What a shared object is made of, below `src`.
const SOURCES: [&str; 10] =
    ["case.rs", "lab", "names.rs", "op.rs", "optimized", "path", "plant.rs", "syntax.rs", "tac", "tiny"];

fn main() {
    let name = std::env::var("CARGO_PKG_NAME").unwrap_or_default();
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(shared_object)");
    if name.starts_with("toolchain-") {
        println!("cargo::rustc-cfg=shared_object");
    }
    for (compiler, changes) in [("cranelift", &CRANELIFT[..]), ("llvm", &LLVM[..])] {
        let values: Vec<String> = changes.iter().map(|change| format!("{change:?}")).collect();
        println!("cargo::rustc-check-cfg=cfg({compiler}_before, values({}))", values.join(", "));
        for change in changes.iter().filter(|change| name == format!("toolchain-{compiler}") && older(&version, change))
        {
            println!("cargo::rustc-cfg={compiler}_before={change:?}");
        }
    }
    println!(
        "cargo::rustc-env=ROUNDTRIP_SOURCES={:016x}",
        fingerprint(&SOURCES.map(|name| Path::new("src").join(name)))
    );
}

/// Whether a version stands before another in the order of their numbers.
fn older(version: &str, than: &str) -> bool {
    let numbers = |version: &str| -> Vec<u64> { version.split('.').filter_map(|part| part.parse().ok()).collect() };
    numbers(version) < numbers(than)
}

/// A number that changes with the files' places and contents (FNV-1a).
fn fingerprint(places: &[PathBuf]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut todo = places.to_vec();
    while let Some(place) = todo.pop() {
        println!("cargo::rerun-if-changed={}", place.display());
        match fs::read_dir(&place) {
            Ok(entries) => {
                let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
                entries.sort();
                todo.extend(entries);
            }
            Err(_) => {
                let contents = fs::read(&place).unwrap_or_else(|error| panic!("{}: {error}", place.display()));
                for byte in place.as_os_str().as_encoded_bytes().iter().chain(&contents) {
                    hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
                }
            }
        }
    }
    hash
}
