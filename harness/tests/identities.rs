//! Deduplication on trial: each fault planted in the harness's own lowerings, found from different seeds, is one finding
//! or two, and no two faults are the same finding (`harness::compare::Identity`).
//!
//! A few faults of one lowering and a few seeds run in every `cargo test`; `ROUNDTRIP_PLANT=all` (the nightly job) finds
//! every fault 20 times and prints the table, `ROUNDTRIP_PLANT=NAME` one fault. A fault has a process of its own.

#[path = "common/planted.rs"]
mod common;

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::options;
use harness::plant::Fault;

/// Programs to look at before a fault counts as missed.
const PROGRAMS: &str = "4000";

/// The most identities that one fault may have.
const MOST: usize = 2;

/// Faults that share an identity, and why nothing that can be observed tells them apart.
const ALIKE: [(Fault, Fault, &str); 0] = [];

/// What `cargo test` tries when nobody says otherwise: faults of one lowering, which have one signature.
const QUICK: [Fault; 3] = [Fault::ClifLtIsLe, Fault::ClifRemSign, Fault::ClifStaleVariable];

#[test]
fn a_fault_is_one_finding_or_two_and_no_two_faults_are_one() {
    let (faults, seeds) = match std::env::var("ROUNDTRIP_PLANT") {
        Err(_) => (QUICK.to_vec(), 2),
        Ok(name) if name == "all" => (Fault::ALL.to_vec(), 20),
        Ok(name) => (vec![Fault::from_name(&name).unwrap_or_else(|| panic!("there is no fault {name}"))], 20),
    };
    let (table, mut wrong) = found(&faults, seeds);
    for (fault, identities) in faults.iter().zip(&table) {
        println!("{}", fault.name());
        identities.iter().for_each(|(identity, count)| println!("  {count:3}  {identity}"));
        if identities.len() > MOST {
            wrong.push(format!("{} has {} identities", fault.name(), identities.len()));
        }
    }
    for (i, (&first, identities)) in faults.iter().zip(&table).enumerate() {
        for (&second, others) in faults.iter().zip(&table).skip(i + 1) {
            let shared: Vec<&String> = identities.keys().filter(|identity| others.contains_key(*identity)).collect();
            let alike = ALIKE.iter().any(|&(one, other, _)| (one, other) == (first, second));
            if !shared.is_empty() && !alike {
                wrong.push(format!("{} and {} share {shared:?}", first.name(), second.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// For each fault, how often each identity was the first finding of a seed; and what was not found.
fn found(faults: &[Fault], seeds: usize) -> (Vec<BTreeMap<String, usize>>, Vec<String>) {
    let table = Mutex::new((vec![BTreeMap::new(); faults.len()], Vec::new()));
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let job = next.fetch_add(1, Ordering::Relaxed);
            let (at, seed) = (job / seeds, 1 + job % seeds);
            let Some(&fault) = faults.get(at) else { return };
            let identity = first_finding(fault, seed);
            let mut table = table.lock().unwrap();
            match identity {
                Ok(identity) => *table.0[at].entry(identity).or_insert(0) += 1,
                Err(why) => table.1.push(format!("{}, seed {seed}: {why}", fault.name())),
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, Into::into);
    std::thread::scope(|scope| (0..threads).for_each(|_| _ = scope.spawn(work)));
    table.into_inner().unwrap()
}

/// Fuzzes with a fault planted until the first finding, and gives its identity.
fn first_finding(fault: Fault, seed: usize) -> Result<String, String> {
    let corpus = tempfile::tempdir().map_err(|error| error.to_string())?;
    let output = Command::new(env!("CARGO_BIN_EXE_roundtrip"))
        .args(["fuzz", "--programs", PROGRAMS, "--findings", "1", "--jobs", "1", "--quiet", "--format", "json"])
        .args(["--seed", &seed.to_string(), "--plant", fault.name()])
        .args(options(fault))
        .arg("--corpus")
        .arg(corpus.path())
        .output()
        .map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stderr);
    let last = String::from_utf8_lossy(&output.stdout).lines().last().unwrap_or_default().to_string();
    let summary: serde_json::Value = serde_json::from_str(&last).map_err(|error| format!("{error}\n{said}"))?;
    let identities = summary["summary"]["identities"].as_object().ok_or_else(|| said.clone())?;
    identities.keys().next().cloned().ok_or_else(|| format!("no finding in {PROGRAMS} programs\n{said}"))
}
