//! Triage on trial: of each fault planted in the harness's own lowerings it says who is accused, where, and by which pass;
//! and its drafts hold what is right.
//!
//! A few faults, one of each kind, in every `cargo test`; `ROUNDTRIP_PLANT=all` (the nightly job) tries all.

use std::path::Path;

use assert_cmd::cargo::cargo_bin_cmd;
use harness::plant::Fault;
use serde_json::Value;

/// One path of each kind, and some that show a fault alone.
const PATHS: &str = "tiny/*,lab/*,cranelift/{none,speed,params-none,perturbed-direct,perturbed-order},\
                     llvm/{phi-O0,alloca-O0,mem2reg-O0,phi-mid}";

/// A fault, the program that shows it, and what triage must say: the group, the stage, what the pass contains.
type Case = (Fault, &'static str, [&'static str; 3]);

const DIAMOND: &str = "input x;\n# run: 1\n# run: 0\nif x > 0 { y = 1; } else { y = 2; }\nreturn y\n";
const SWAP: &str = "input a, b;\n# run: 1, 5\nn = 3;\nwhile n > 0 { t = a; a = b; b = t; n = n - 1; }\nreturn a - b\n";
const LOOP: &str = "input x;\n# run: 5\ny = 0;\nwhile x > 0 { x = x - 1; y = y + x; }\nreturn y\n";
const SUB: &str = "input x, y;\n# run: 5, 3\nreturn x - y\n";
const DIV: &str = "input x, y;\n# run: -9223372036854775808, -1\nreturn x / y\n";
const TRUTH: &str = "input x;\n# run: 4294967296\n# run: 2\ny = 0;\nif x { y = 1; }\nreturn y\n";

/// In every run.
const QUICK: [Case; 9] = [
    (Fault::LabSequentialCopy, SWAP, ["lab", "interpreter", ""]),
    (Fault::LabPhiSequentialCopy, SWAP, ["lab", "phi-interpreter", ""]),
    (Fault::LabLoopExitEnv, LOOP, ["lab", "naive", ""]),
    (Fault::TacSwapSub, SUB, ["tac", "tac", ""]),
    (Fault::ClifLtIsLe, "input x, y;\n# run: 3, 3\nreturn x < y\n", ["cranelift", "lower", ""]),
    (Fault::ClifWrongRewrite, SUB, ["cranelift", "optimize", "opt_level=none"]),
    (Fault::ClifTrapCode, DIV, ["cranelift", "execute", ""]),
    (Fault::LlvmInputOrder, SUB, ["llvm", "lower", ""]),
    (
        Fault::LlvmNoWrap,
        "input x;\n# run: 9223372036854775807\nreturn x + 1 > x\n",
        ["llvm", "optimize", " early-cse on f"],
    ),
];

/// The others, by night.
const MORE: [Case; 20] = [
    (Fault::LabPhiSwapEntries, DIAMOND, ["lab", "phi", ""]),
    (Fault::LabPruneIgnoresLast, DIAMOND, ["lab", "pruned", ""]),
    (Fault::LabDeadForgetsRet, DIAMOND, ["lab", "pruned", ""]),
    (Fault::LabNoDominanceCheck, DIAMOND, ["lab", "validator", ""]),
    (Fault::LabIfSameArm, DIAMOND, ["lab", "naive", ""]),
    (Fault::LabNoNormalise, "input x, y;\n# run: 1, 5\nreturn x && y\n", ["lab", "naive", ""]),
    (Fault::TacOrPolarity, "input x, y;\n# run: 0, 5\n# run: 1, 0\nreturn x || y\n", ["tac", "tac", ""]),
    (Fault::ClifRemSign, "input x, y;\n# run: -7, 3\nreturn x % y\n", ["cranelift", "lower", ""]),
    (Fault::ClifNarrowCondition, TRUTH, ["cranelift", "lower", ""]),
    (
        Fault::ClifStaleVariable,
        "input x;\n# run: 5\ny = x + 1;\ny = y * 2;\nreturn y\n",
        ["cranelift", "construct", ""],
    ),
    (Fault::ClifSealUnreachable, "", ["cranelift", "construct", ""]),
    (Fault::ClifFarBranch, DIAMOND, ["cranelift", "construct", ""]),
    (Fault::ClifDirectSense, LOOP, ["cranelift", "construct", ""]),
    (Fault::ClifDropArgument, SWAP, ["lab+cranelift", "lower", ""]),
    (Fault::LlvmSaturatingAdd, "input x;\n# run: 9223372036854775807\nreturn x + 1\n", ["llvm", "lower", ""]),
    (Fault::LlvmUnsignedGt, "input x, y;\n# run: -1, 1\nreturn x > y\n", ["llvm", "lower", ""]),
    (Fault::LlvmPhiSwap, DIAMOND, ["lab+llvm", "lower", ""]),
    (Fault::LlvmInitOne, "input x;\n# run: 1\nreturn x + z\n", ["llvm", "lower", ""]),
    (Fault::LlvmNoOverflowGuard, DIV, ["llvm", "lower", ""]),
    (Fault::LlvmTruncCondition, TRUTH, ["llvm", "lower", ""]),
];

/// Triages a program with a fault planted, into a folder.
fn triage(fault: Fault, program: &str, folder: &Path) -> Result<Value, String> {
    let file = folder.join("program.tiny");
    std::fs::write(&file, program).unwrap();
    let out = folder.join("out");
    let mut command = cargo_bin_cmd!("roundtrip");
    command.args(["triage", "--quiet", "--replays", "2", "--paths", PATHS, "--plant", fault.name()]);
    let output = command.arg(&file).arg("--out").arg(&out).output().unwrap();
    if output.status.code() != Some(0) {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(serde_json::from_str(&std::fs::read_to_string(out.join("triage.json")).unwrap()).unwrap())
}

fn expect((fault, program, [group, stage, pass]): Case) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let triage = triage(fault, program, folder.path())?;
    let found =
        [&triage["accused"]["group"], &triage["stage"], &triage["pass"]].map(|it| it.as_str().unwrap_or_default());
    if found[0] != group || found[1] != stage || !found[2].contains(pass) || pass.is_empty() != found[2].is_empty() {
        return Err(format!("{found:?}, not {:?}\n{triage:#}", [group, stage, pass]));
    }
    let draft = std::fs::read_to_string(folder.path().join("out/draft.md")).unwrap();
    let names_what = [triage["signature"].as_str().unwrap(), group, triage["confidence"].as_str().unwrap()];
    match names_what.into_iter().find(|what| !draft.contains(what)) {
        None => Ok(()),
        Some(missing) => Err(format!("the draft does not name {missing}:\n{draft}")),
    }
}

#[test]
fn planted_faults_are_localised() {
    let all = std::env::var("ROUNDTRIP_PLANT").is_ok_and(|name| name == "all");
    let more = MORE.into_iter().filter(|(_, program, _)| all && !program.is_empty());
    let wrong: Vec<String> = (QUICK.into_iter().chain(more))
        .filter_map(|case| expect(case).err().map(|why| format!("{}: {why}", case.0.name())))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
