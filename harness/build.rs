//! Tells the code which version of a compiler it is built with, and which sources it is built from.
//!
//! - `cranelift_before = "0.93"`, `llvm_before = "15"`: the compiler is older than that; `llvm_from = "23"`: it is not.
//!   The versions that the harness itself links in set none of them. `scripts/toolchain` builds the others: its
//!   manifests are named for the compiler and have the compiler's version.
//! - `shared_object`: this is such a build.
//! - `ROUNDTRIP_SOURCES_CRANELIFT`, `ROUNDTRIP_SOURCES_LLVM`: a fingerprint of the sources that a shared object of that
//!   compiler is made of. What was built from other sources may lower programs otherwise, or not even agree on the
//!   bytes that describe them (`path/wire.rs`).

use std::fs;
use std::path::{Path, PathBuf};

/// Where Cranelift's interface changed under our code: `path/cranelift/compat.rs` says how.
const CRANELIFT: [&str; 22] = [
    "0.81", "0.82", "0.84", "0.87", "0.89", "0.90", "0.91", "0.92", "0.93", "0.94", "0.95", "0.96", "0.107", "0.109",
    "0.113", "0.115", "0.119", "0.120", "0.122", "0.130", "0.133", "0.134",
];
/// The same for LLVM, with its behaviour: `path/llvm/compat.rs`.
const LLVM: [&str; 9] = ["14", "15", "16", "17", "18", "19", "20", "21", "22"];

/// Where it changed after the version that the harness links in.
const LLVM_SINCE: [&str; 1] = ["23"];

/// The root of a shared object.
const ROOT: &str = "src/toolchain.rs";
/// What a compiler's shared object has nothing of, though it lies in what the root names.
const FOREIGN: [(&str, &[&str]); 2] =
    [("CRANELIFT", &["src/path/llvm", "src/optimized"]), ("LLVM", &["src/path/cranelift", "src/path/qemu"])];

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
    let values = LLVM_SINCE.map(|change| format!("{change:?}")).join(", ");
    println!("cargo::rustc-check-cfg=cfg(llvm_from, values({values}))");
    for change in LLVM_SINCE.iter().filter(|change| name == "toolchain-llvm" && !older(&version, change)) {
        println!("cargo::rustc-cfg=llvm_from={change:?}");
    }
    for (compiler, foreign) in FOREIGN {
        println!("cargo::rustc-env=ROUNDTRIP_SOURCES_{compiler}={:016x}", fingerprint(sources(), foreign));
    }
}

/// Whether a version stands before another in the order of their numbers.
fn older(version: &str, than: &str) -> bool {
    let numbers = |version: &str| -> Vec<u64> { version.split('.').filter_map(|part| part.parse().ok()).collect() };
    numbers(version) < numbers(than)
}

/// What a shared object is made of: its root, and the files and folders of the modules that this names.
fn sources() -> Vec<PathBuf> {
    let root = fs::read_to_string(ROOT).unwrap_or_else(|error| panic!("{ROOT}: {error}"));
    let modules = root.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    let places = modules.flat_map(|module| [format!("src/{module}.rs"), format!("src/{module}")]);
    let places = places.map(PathBuf::from).filter(|place| place.exists());
    places.chain([PathBuf::from(ROOT)]).collect()
}

/// A number that changes with the files' places and contents (FNV-1a), of what is neither foreign nor a test.
fn fingerprint(mut todo: Vec<PathBuf>, foreign: &[&str]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    while let Some(place) = todo.pop() {
        if place.file_stem() == Some("tests".as_ref()) || foreign.iter().any(|foreign| place == Path::new(foreign)) {
            continue;
        }
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
