//! The harness itself on trial: each fault planted in its own lowerings is found by the main job, minimized to at most 8
//! statements and recorded.
//!
//! A few faults, one in each part, run in every `cargo test`; `ROUNDTRIP_PLANT=all` (the nightly job) tries all, and
//! `ROUNDTRIP_PLANT=NAME` one. Planting is for a whole process, so each fault gets a process of its own: the binary.

use std::path::Path;
use std::process::Command;

use harness::case::DEFAULT_FUEL;
use harness::plant::Fault;
use harness::tiny;

/// Programs to look at before a fault counts as missed.
const PROGRAMS: &str = "2000";

/// The largest minimized program, in statements.
const STATEMENTS: usize = 8;

/// What `cargo test` tries when nobody says otherwise: construction, conversion, validation, TAC, both compilers,
/// an optimizer.
const QUICK: [Fault; 11] = [
    Fault::LabIfSameArm,
    Fault::LabBreakStaleValues,
    Fault::LabPhiSwapEntries,
    Fault::LabNoDominanceCheck,
    Fault::TacOrPolarity,
    Fault::ClifLtIsLe,
    Fault::ClifTrapCode,
    Fault::ClifNarrowSign,
    Fault::LlvmPhiSwap,
    Fault::LlvmEmitIsPure,
    Fault::LlvmPassAddsFlag,
];

/// Those in operations and statements that only the dialect plus has.
const PLUS: [Fault; 17] = [
    Fault::ClifNarrowSign,
    Fault::LlvmShiftUnmasked,
    Fault::LabBreakStaleValues,
    Fault::LabArmStaleValues,
    Fault::TacBreakToHead,
    Fault::TacContinueGoesOn,
    Fault::TacReturnGoesOn,
    Fault::TacSwitchElseFirst,
    Fault::TacEmitOrder,
    Fault::LabPruneDropsEmit,
    Fault::TacPerturbDropsEmit,
    Fault::ClifEmitNarrow,
    Fault::LlvmEmitIsPure,
    Fault::ClifArrayEnd,
    Fault::ClifArraySignedIndex,
    Fault::LlvmArrayNotZeroed,
    Fault::LlvmArrayShort,
];

#[test]
fn planted_faults_are_found_minimized_and_recorded() {
    let faults = match std::env::var("ROUNDTRIP_PLANT") {
        Err(_) => QUICK.to_vec(),
        Ok(name) if name == "all" => Fault::ALL.to_vec(),
        Ok(name) => vec![Fault::from_name(&name).unwrap_or_else(|| panic!("there is no fault {name}"))],
    };
    let missed: Vec<String> = faults
        .iter()
        .filter_map(|&fault| find(fault).err().map(|why| format!("{} ({}): {why}", fault.name(), fault.description())))
        .collect();
    assert!(missed.is_empty(), "{} of {} faults:\n{}", missed.len(), faults.len(), missed.join("\n"));
}

/// Fuzzes with a fault planted until the first finding.
fn find(fault: Fault) -> Result<(), String> {
    let corpus = tempfile::tempdir().map_err(|error| error.to_string())?;
    let output = Command::new(env!("CARGO_BIN_EXE_roundtrip"))
        .args(["fuzz", "--seed", "1", "--programs", PROGRAMS, "--findings", "1", "--quiet", "--plant", fault.name()])
        .args(["--dialect", if PLUS.contains(&fault) { "plus" } else { "core" }])
        .args(schedule(fault))
        .arg("--corpus")
        .arg(corpus.path())
        .output()
        .map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.code() != Some(1) {
        return Err(format!("exit status {:?} after {PROGRAMS} programs\n{said}", output.status.code()));
    }
    let findings = corpus.path().join("findings");
    let found = std::fs::read_dir(&findings).map_err(|error| error.to_string())?.flatten();
    // Cranelift's quality, which the first program may show, is no fault of ours.
    let is_fault = |entry: &std::fs::DirEntry| !entry.file_name().as_encoded_bytes().starts_with(b"quality.");
    let found: Vec<_> = found.filter(is_fault).map(|entry| entry.path()).collect();
    let [finding] = &found[..] else { return Err(format!("{} findings recorded, not one\n{said}", found.len())) };
    recorded(finding)
}

/// Poison that only some bits depend on takes the longer pipelines, which run on few programs.
fn schedule(fault: Fault) -> &'static [&'static str] {
    match fault {
        Fault::LlvmPassSelectToAnd => &["--schedule", "llvm/steps-O2=100%"],
        _ => &[],
    }
}

/// A record is complete, its program small, and its right outcomes are Tiny's own.
fn recorded(finding: &Path) -> Result<(), String> {
    let read = |name: &str| std::fs::read_to_string(finding.join(name)).map_err(|error| format!("{name}: {error}"));
    for name in ["original.tiny", "finding.json", "README.md"] {
        if read(name)?.is_empty() {
            return Err(format!("{name} is empty"));
        }
    }
    let text = read("min.tiny")?;
    let program = tiny::parse(&text).map_err(|error| format!("min.tiny: {error}\n{text}"))?;
    if program.size() > STATEMENTS {
        return Err(format!("{} statements\n{text}", program.size()));
    }
    let directives = harness::directives::parse(&text).map_err(|error| format!("min.tiny: {error}"))?;
    if directives.is_empty() {
        return Err(format!("no run directive\n{text}"));
    }
    // This process has no fault planted.
    for directive in directives {
        let own = tiny::eval(&program, &directive.vector, DEFAULT_FUEL).outcome;
        if directive.expected.as_ref() != Some(&own) {
            return Err(format!("recorded as right: {:?}, Tiny gives {own}\n{text}", directive.expected));
        }
    }
    match finding.join("ir").read_dir().map(Iterator::count) {
        Ok(texts) if texts > 1 => Ok(()),
        found => Err(format!("IR texts of the sides: {found:?}")),
    }
}
