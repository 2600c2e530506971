//! Triage on trial: of each fault planted in the harness's own lowerings it says who is accused, where, and by which
//! pass; and its drafts hold what is right: the one for Cranelift is read and run by Cranelift's own reader and
//! interpreter, the one for LLVM by `opt` and `lli` where there are any.
//!
//! A few faults, one of each kind, in every `cargo test`; `ROUNDTRIP_PLANT=all` (`scripts/test --long`) tries all.

use std::path::Path;

use assert_cmd::cargo::cargo_bin_cmd;
use harness::op::{End, Outcome};
use harness::path::check_filetest;
use harness::plant::Fault;
use harness::report::draft::llvm;
use serde_json::Value;

/// One path of each kind, and some that show a fault alone.
const PATHS: &str = "tiny/*,lab/*,cranelift/{none,speed,params-none,perturbed-direct,perturbed-order},\
                     llvm/{phi-O0,alloca-O0,mem2reg-O0,phi-mid,mem2reg-mid}";

/// A fault, the program that shows it, and what triage must say: the group, the stage, what the pass contains.
type Case = (Fault, &'static str, [&'static str; 3]);

const DIAMOND: &str = "input x;\n# run: 1\n# run: 0\nif x > 0 { y = 1; } else { y = 2; }\nreturn y\n";
const SWAP: &str = "input a, b;\n# run: 1, 5\nn = 3;\nwhile n > 0 { t = a; a = b; b = t; n = n - 1; }\nreturn a - b\n";
const LOOP: &str = "input x;\n# run: 5\ny = 0;\nwhile x > 0 { x = x - 1; y = y + x; }\nreturn y\n";
const SUB: &str = "input x, y;\n# run: 5, 3\nreturn x - y\n";
const DIV: &str = "input x, y;\n# run: -9223372036854775808, -1\nreturn x / y\n";
const TRUTH: &str = "input x;\n# run: 4294967296\n# run: 2\ny = 0;\nif x { y = 1; }\nreturn y\n";

const NEVER: &str = "if 0 { a = -(0); }\nreturn 0\n";
const UNREACHABLE: &str = "# run: 5\ninput a\ngoto L\nD:\na = add a, 1\ngoto L\nL:\nret a\n";

/// In every run.
const QUICK: [Case; 9] = [
    (Fault::LabSequentialCopy, SWAP, ["lab", "interpreter", ""]),
    (Fault::LabPhiSequentialCopy, SWAP, ["lab", "phi-interpreter", ""]),
    (Fault::LabLoopExitEnv, LOOP, ["lab", "naive", ""]),
    (Fault::TacSwapSub, SUB, ["tac", "tac", ""]),
    (Fault::ClifLtIsLe, "input x, y;\n# run: 3, 3\nreturn x < y\n", ["cranelift", "lower", ""]),
    (Fault::ClifWrongRewrite, SUB, ["cranelift", "optimize", "opt_level=speed"]),
    (Fault::ClifTrapCode, DIV, ["cranelift", "execute", ""]),
    (Fault::LlvmInputOrder, SUB, ["llvm", "lower", ""]),
    (
        Fault::LlvmNoWrap,
        "input x;\n# run: 9223372036854775807\nreturn x + 1 > x\n",
        // Raised, the flag is seen before any pass makes use of it.
        ["llvm", "lower", ""],
    ),
];

/// The others, in the long form.
const MORE: [Case; 20] = [
    (Fault::LabPhiSwapEntries, DIAMOND, ["lab", "phi", ""]),
    (Fault::LabPruneIgnoresLast, DIAMOND, ["lab", "pruned", ""]),
    (Fault::LabDeadForgetsRet, DIAMOND, ["lab", "pruned", ""]),
    (Fault::LabNoDominanceCheck, NEVER, ["lab", "validator", ""]),
    (Fault::LabIfSameArm, DIAMOND, ["lab", "naive", ""]),
    (Fault::LabNoNormalise, "input x, y;\n# run: 1, 5\nreturn x && y\n", ["lab", "naive", ""]),
    (Fault::TacOrPolarity, "return 1 || 1\n", ["tac", "tac", ""]),
    (Fault::ClifRemSign, "input x, y;\n# run: -7, 3\nreturn x % y\n", ["cranelift", "lower", ""]),
    (Fault::ClifNarrowCondition, TRUTH, ["cranelift", "lower", ""]),
    (
        Fault::ClifStaleVariable,
        "input x;\n# run: 5\ny = x + 1;\ny = y * 2;\nreturn y\n",
        ["cranelift", "construct", ""],
    ),
    (Fault::ClifSealUnreachable, UNREACHABLE, ["cranelift", "construct", ""]),
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
    let file = folder.join(if program.contains("return") { "program.tiny" } else { "program.tac" });
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
    let more = MORE.into_iter().filter(|_| all);
    let wrong: Vec<String> = (QUICK.into_iter().chain(more))
        .filter_map(|case| expect(case).err().map(|why| format!("{}: {why}", case.0.name())))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The files of a triage.
fn files(fault: Fault, program: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    triage(fault, program, folder.path()).unwrap();
    folder
}

#[test]
fn a_draft_for_cranelift_is_a_test_with_the_right_values() {
    // What is taken away matters, so that the inputs stay.
    let program = "input x, y;\n# run: 5, 3\n# run: -9, 3\nreturn x - y * y\n";
    let folder = files(Fault::ClifWrongRewrite, program);
    let text = std::fs::read_to_string(folder.path().join("out/repro.clif")).unwrap();
    let entry = std::fs::read_to_string(folder.path().join("out/entry.tiny")).unwrap();
    let tiny = harness::tiny::parse(&entry).unwrap();
    let draft = std::fs::read_to_string(folder.path().join("out/draft.md")).unwrap();
    assert!(text.contains("test run\nset opt_level=speed\n") && draft.contains(&text), "{draft}");
    for section in
        ["Steps to Reproduce", "Expected Results", "Actual Results", "Versions and Environment", "Extra Info"]
    {
        assert!(draft.contains(&format!("\n### {section}\n")), "{section}\n{draft}");
    }
    // Cranelift's interpreter and the harness's agree on what is expected.
    let runs = check_filetest(&text).unwrap_or_else(|why| panic!("{why}\n{text}"));
    assert!(runs > 0 && draft.contains("Cranelift's own interpreter gives what is expected"), "{draft}");
    for run in harness::directives::parse(&entry).unwrap() {
        let right = harness::tiny::eval(&tiny, &run.vector, 1000).outcome;
        let inputs: Vec<String> = run.vector.iter().map(i64::to_string).collect();
        let expected = format!("; run: %main({}) == {}\n", inputs.join(", "), right.to_string().replace("return ", ""));
        assert!(text.contains(&expected), "{expected}\n{text}");
    }
}

#[test]
fn a_module_for_llvm_shows_right_and_wrong_to_opt_and_lli() {
    use std::process::Command;

    let folder = tempfile::tempdir().unwrap();
    let run = |command: &mut Command| command.current_dir(folder.path()).output().unwrap();
    std::fs::write(folder.path().join("a.tiny"), "# dialect: plus\ninput x;\ny = emit(3);\nreturn (emit(x) + x) / 2\n")
        .unwrap();
    let lowered = run(Command::new(env!("CARGO_BIN_EXE_roundtrip")).args(["lower", "a.tiny", "--form", "llvm"]));
    // A flag that does not hold, which nothing but `instcombine` makes use of.
    let text = String::from_utf8(lowered.stdout).unwrap().replace("= add i64", "= add nsw i64");
    assert!(text.contains("nsw"), "{text}");
    let right = Outcome { end: End::Return((i64::MAX.wrapping_add(i64::MAX)) / 2), emitted: vec![3, i64::MAX] };
    std::fs::write(folder.path().join("repro.ll"), llvm::module(&text, &[i64::MAX], &right)).unwrap();
    // The tools come with LLVM's development files, under their version's name or plainly.
    let version = "22";
    let tool = |name: &str| {
        let named = [format!("{name}-{version}"), name.to_string()];
        let is_it = |name: &String| {
            let said = Command::new(name).arg("--version").output();
            said.is_ok_and(|said| String::from_utf8_lossy(&said.stdout).contains(&format!("LLVM version {version}.")))
        };
        named.into_iter().find(is_it)
    };
    let (Some(opt), Some(lli)) = (tool("opt"), tool("lli")) else {
        eprintln!("no opt and lli of LLVM {version} here: the module was not tried");
        return;
    };
    assert_eq!(run(Command::new(&lli).args(["-O0", "repro.ll"])).status.code(), Some(0));
    for emitted in [vec![3], vec![3, 4], vec![3, i64::MAX, 5]] {
        let other = Outcome { emitted, ..right.clone() };
        std::fs::write(folder.path().join("other.ll"), llvm::module(&text, &[i64::MAX], &other)).unwrap();
        assert_eq!(run(Command::new(&lli).args(["-O0", "other.ll"])).status.code(), Some(1));
    }
    let passes = "-passes=instcombine<no-verify-fixpoint>";
    assert!(run(Command::new(&opt).args(["-S", passes, "repro.ll", "-o", "after.ll"])).status.success());
    assert_eq!(run(Command::new(&lli).args(["-O0", "after.ll"])).status.code(), Some(1));
}

#[test]
fn a_draft_for_the_harness_is_a_test() {
    let folder = files(Fault::TacSwapSub, SUB);
    let text = std::fs::read_to_string(folder.path().join("out/repro.rs")).unwrap();
    let tokens: proc_macro2::TokenStream = text.parse().unwrap();
    assert!(tokens.to_string().contains("# [test] fn disagree_"), "{tokens}");
    // The entry is that program with its right outcomes.
    let entry = folder.path().join("out/entry.tiny");
    assert!(text.contains(&std::fs::read_to_string(&entry).unwrap()));
    let mut check = cargo_bin_cmd!("roundtrip");
    check.arg("check").arg(&entry).assert().success();
}
