//! `check`, `generate` and `fuzz`: the main job.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use assert_cmd::cargo::cargo_bin;
use serde_json::Value;

use crate::{OWN_PATHS, case, file, ran, roundtrip, run, words};

/// `fuzz` with these options on the paths that every build has, recording into a fresh folder.
fn fuzz(options: &str) -> (crate::Ran, tempfile::TempDir) {
    let corpus = tempfile::tempdir().unwrap();
    let mut command = roundtrip();
    command.args(["fuzz", "--paths", OWN_PATHS, "--corpus"]).arg(corpus.path()).args(words(options));
    (ran(&mut command), corpus)
}

#[test]
fn check_says_what_agrees() {
    let euler = case("tiny/euler1.tiny");
    let ran = run(["check", euler.to_str().unwrap(), "--paths", OWN_PATHS]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    assert_eq!(ran.stdout, format!("{}: agree (1 run on 5 paths)\n", euler.display()));
}

#[test]
fn check_takes_all_four_languages() {
    let files = ["tiny/gcd.tiny", "tac/irr_swap.tac", "ssa/v_critical_edge.ssa", "phi/ok_swap.phi"].map(case);
    let mut command = roundtrip();
    let ran = ran(command.args(["check", "--format", "json"]).args(&files));
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    for (line, file) in ran.stdout.lines().zip(&files) {
        let object: Value = serde_json::from_str(line).unwrap();
        assert_eq!(object["file"], file.to_str().unwrap());
        assert_eq!(object["verdict"], "agree");
        assert_eq!(object["faults"], serde_json::json!([]));
        assert!(object.get("signature").is_none());
        let class = &object["runs"][0]["classes"][0];
        assert!(class["outcome"].is_string() && !class["paths"].as_array().unwrap().is_empty(), "{line}");
        assert_eq!(object["runs"][0]["classes"].as_array().unwrap().len(), 1, "{line}");
    }
}

#[test]
fn an_outcome_that_the_file_does_not_expect_is_a_finding() {
    let (_folder, path) = file("a.tiny", "# run: 3 => return 4\ninput x;\nreturn x\n");
    let text = run(["check", path.to_str().unwrap()]);
    assert_eq!(text.status, 1);
    assert!(text.stdout.contains("a.tiny:1:1"), "{}", text.stdout);
    assert!(text.stdout.contains("expected return 4, right is return 3"), "{}", text.stdout);
    let json = run(["check", path.to_str().unwrap(), "--format", "json"]);
    let object: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((&object["verdict"], &object["signature"]), (&"disagree".into(), &"disagree.expected".into()));
    assert_eq!(object["runs"][0]["inputs"], serde_json::json!([3]));
    // The option overrides the file's runs, and what they expect.
    assert_eq!(run(["check", path.to_str().unwrap(), "--inputs", "5"]).status, 0);
}

#[test]
fn an_outcome_that_the_fuel_does_not_reach_is_not_met() {
    let (_folder, path) = file("a.tiny", "# run: 0 => return 0\n# run: 1 => return 5\ninput a; while a { } return a");
    let ran = run(["check", path.to_str().unwrap(), "--paths", OWN_PATHS]);
    assert_eq!(ran.status, 3, "{}", ran.stdout);
    assert!(ran.stdout.contains("inconclusive: out of fuel where the file expects return 5"), "{}", ran.stdout);
    let (_folder, path) =
        file("a.tiny", "# run: 0 => return 0\n# run: 1 => out of fuel\ninput a; while a { } return a");
    assert_eq!(run(["check", path.to_str().unwrap(), "--paths", OWN_PATHS]).status, 0);
}

#[test]
fn minimize_says_that_only_the_files_expectation_is_not_met() {
    let (_folder, path) = file("a.tiny", "# run: => return 4\nreturn 3\n");
    let ran = run(["minimize", path.to_str().unwrap()]);
    assert_eq!(ran.status, 2, "{}", ran.stdout);
    assert!(ran.stderr.contains("its verdict is agree, though not on what the file expects"), "{}", ran.stderr);
}

#[test]
fn colour_is_there_when_asked_for() {
    let (_folder, path) = file("a.tiny", "# run: => return 4\nreturn 3\n");
    let check = |color: &str| run(["check", path.to_str().unwrap(), "--color", color]).stdout;
    assert!(check("always").contains("\x1b[") && !check("never").contains("\x1b["));
    assert!(!check("auto").contains("\x1b["), "standard output is no terminal here");
}

#[test]
fn without_runs_the_vectors_are_said() {
    let (_folder, path) = file("a.tiny", "input x, y;\nreturn x - y\n");
    let ran = run(["check", path.to_str().unwrap(), "--paths", OWN_PATHS]);
    assert!(ran.stdout.ends_with("agree (6 runs on 5 paths)\n"), "{}", ran.stdout);
    assert!(ran.stderr.contains("no `# run:` line; it runs on (0, 0), (1, 2), "), "{}", ran.stderr);
    let quiet = run(["check", path.to_str().unwrap(), "--quiet"]);
    assert_eq!((quiet.status, quiet.stderr.as_str()), (0, ""));
}

#[test]
fn a_program_that_does_not_end_is_inconclusive() {
    let (_folder, path) = file("a.tiny", "while 1 { }\nreturn 0\n");
    let ran = run(["check", path.to_str().unwrap()]);
    assert_eq!(ran.status, 3);
    assert!(ran.stdout.contains("a.tiny: inconclusive: out of fuel"), "{}", ran.stdout);
}

#[test]
fn an_invalid_function_is_an_invalid_program() {
    for (name, rule) in [("ssa/s1_s3.ssa", "S1"), ("ssa/s2_one_arm.ssa", "S2"), ("phi/bad_twice.phi", "twice")] {
        let ran = run(["check", case(name).to_str().unwrap(), "--format", "json"]);
        let object: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!((ran.status, &object["verdict"]), (1, &"invalid".into()), "{name}");
        assert!(object["faults"][0]["message"].as_str().unwrap().contains(rule), "{}", ran.stdout);
    }
}

#[test]
fn every_validator_that_rejects_a_function_says_why() {
    let ran = run(["check", case("ssa/s2_one_arm.ssa").to_str().unwrap()]);
    let said = |part: &str| ran.stdout.contains(part);
    assert!(said("S2: "), "{}", ran.stdout);
    assert_eq!(said("uses value"), cfg!(feature = "cranelift"), "{}", ran.stdout);
    assert_eq!(said("Instruction does not dominate all uses!"), cfg!(feature = "llvm"), "{}", ran.stdout);
}

#[test]
fn generated_programs_are_the_same_every_time_and_agree() {
    for form in ["tiny", "tac"] {
        let options = words(&format!("generate --seed 5 --count 6 --form {form}"));
        let printed = run(&options).stdout;
        assert_eq!(printed, run(&options).stdout);
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(ran(roundtrip().args(&options).arg("--out").arg(folder.path())).status, 0);
        let mut files: Vec<_> = folder.path().read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        assert_eq!(files.len(), 6);
        let written: String = files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
        assert_eq!(written, printed);
        // Each file holds the right outcomes, so that it is a test by itself.
        assert!(written.contains(" => return "), "{written}");
        let checked = ran(roundtrip().arg("check").args(&files).args(["--paths", OWN_PATHS]));
        assert_ne!(checked.status, 1, "{}", checked.stdout);
        assert_ne!(checked.status, 2, "{}", checked.stderr);
    }
}

#[test]
fn fuzz_counts_the_same_whatever_the_jobs() {
    let run = |jobs: u32| fuzz(&format!("--seed 3 --programs 60 --format json --jobs {jobs}")).0;
    let (one, three) = (run(1), run(3));
    assert_eq!(one.status, 0, "{}{}", one.stdout, one.stderr);
    assert_eq!(one.stdout, three.stdout);
    let summary = &serde_json::from_str::<Value>(&one.stdout).unwrap()["summary"];
    assert_eq!(summary["programs"], 60);
    let paths: Vec<_> =
        summary["paths"].as_array().unwrap().iter().map(|path| path["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["tiny/eval", "lab/naive", "lab/pruned", "lab/phi", "lab/tac"]);
    assert!(summary["paths"].as_array().unwrap().iter().all(|path| path["runs"].as_u64().unwrap() > 60));
}

#[test]
fn spliced_programs_are_the_same_whatever_the_jobs() {
    let agree = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus/agree");
    let generated = |splice: &str| run(words(&format!("generate --seed 5 --count 12 {splice}"))).stdout;
    let splice = format!("--splice {agree}");
    assert!(generated(&splice) == generated(&splice) && generated(&splice) != generated(""));
    let fuzzed = |options: &str| fuzz(&format!("--seed 5 --programs 100 --format json {options}")).0;
    let one = fuzzed(&format!("{splice} --jobs 1"));
    assert_eq!(one.status, 0, "{}{}", one.stdout, one.stderr);
    assert_eq!(one.stdout, fuzzed(&format!("{splice} --jobs 3")).stdout);
    assert_ne!(one.stdout, fuzzed("--jobs 1").stdout);
    let empty = tempfile::tempdir().unwrap();
    let ran = ran(roundtrip().args(words("generate --seed 1 --count 1 --splice")).arg(empty.path()));
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("there is nothing to splice"), "{}", ran.stderr);
}

#[test]
fn fuzz_ends_with_tables_and_the_profile() {
    let (ran, corpus) = fuzz("--programs 40");
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    for line in ["verdict ", "programs ", "generator ", "runs ended within the fuel ", "path ", "lab/phi "] {
        assert!(ran.stdout.lines().any(|printed| printed.starts_with(line)), "{line}: {}", ran.stdout);
    }
    for part in ["generate ", "lab ", "validate and interpret ", "compare and count ", "% of time", "programs/s"] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    assert_eq!(corpus.path().read_dir().unwrap().count(), 0, "no finding, no folder");
}

/// Without an emulator its paths are left out and named once, and to ask for one says what to do.
#[cfg(feature = "cranelift")]
#[test]
fn what_this_machine_cannot_run_is_left_out_and_said() {
    let program = case("tiny/euler1.tiny");
    let check = |paths: &[&str]| ran(roundtrip().arg("check").arg(&program).args(paths).env("PATH", ""));
    // Among others that can be run, a glob leaves them out as everything does, even after a name was taken out.
    let among_others = ["tiny/*,cranelift/*", "tiny/*,!cranelift/aarch64-none,cranelift/*"];
    let all = [check(&[])].into_iter().chain(among_others.map(|globs| check(&["--paths", globs])));
    for all in all {
        assert_eq!(all.status, 0, "{}", all.stderr);
        let left_out = all.stderr.lines().filter(|line| line.contains("left out: ")).collect::<Vec<_>>();
        assert!(left_out.len() == 1 && left_out[0].contains("/aarch64-none, "), "{left_out:?}");
        assert!(left_out[0].contains("qemu-aarch64 can't be run"), "{left_out:?}");
        assert!(!all.stdout.contains("aarch64"), "{}", all.stdout);
    }
    for asked_for in
        ["cranelift/aarch64-none", "tiny/*,cranelift/aarch64-none,cranelift/*", "tiny/*,cranelift/aarch64*"]
    {
        let asked = check(&["--paths", asked_for]);
        assert_eq!(asked.status, 2, "{asked_for}: {}", asked.stderr);
        let why = "aarch64-none is not available: qemu-aarch64 can't be run";
        assert!(asked.stderr.contains(why) && asked.stderr.contains("scripts/setup"), "{asked_for}: {}", asked.stderr);
    }
}

/// An emulator that ends at once has run no code, so no code can be wrong.
#[cfg(feature = "cranelift")]
#[test]
fn an_emulator_that_does_not_work_is_no_finding() {
    let script = "#!/bin/sh\n[ \"$1\" = --version ] && echo version 7.2\nexit 1\n";
    let folder = tempfile::tempdir().unwrap();
    crate::executable::write(&folder.path().join("qemu-aarch64"), script);
    let paths = ["--format", "json", "--paths", "tiny/*,cranelift/aarch64-none"];
    let mut check = roundtrip();
    let checked = ran(check.arg("check").arg(case("tiny/euler1.tiny")).args(paths).env("PATH", folder.path()));
    assert_eq!(checked.status, 0, "{}{}", checked.stdout, checked.stderr);
    assert!(checked.stdout.contains("qemu-aarch64 starts and runs nothing"), "{}{}", checked.stdout, checked.stderr);
}

#[test]
fn fuzz_runs_arbitrary_control_flow_without_the_paths_that_do_not_take_it() {
    let (ran, _corpus) = fuzz("--programs 40 --form tac");
    assert!(matches!(ran.status, 0 | 3), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("tiny/eval is left out"), "{}", ran.stderr);
    assert!(!ran.stdout.contains("tiny/eval"), "{}", ran.stdout);
    assert!(ran.stdout.contains("irreducible loops"), "{}", ran.stdout);
}

#[test]
fn a_schedule_is_printed_and_kept() {
    let (ran, _corpus) = fuzz("--programs 200 --schedule lab/phi=10%,tiny/*=0 --format json");
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("schedule: lab/phi=10%,tiny/*=0,llvm/"), "{}", ran.stderr);
    let summary = &serde_json::from_str::<Value>(&ran.stdout).unwrap()["summary"];
    let programs: Vec<u64> =
        summary["paths"].as_array().unwrap().iter().map(|path| path["programs"].as_u64().unwrap()).collect();
    assert_eq!((programs[0], programs[1]), (0, 200));
    assert!((2..60).contains(&programs[3]), "{programs:?}");
}

#[test]
fn an_empty_run_is_a_failure() {
    for options in ["--programs 0", "--jobs 0 --programs 5", "--programs 5 --time 5s", "--schedule lab/phi=x"] {
        let (ran, _corpus) = fuzz(options);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{options}");
        assert!(ran.stderr.contains("error"), "{options}: {}", ran.stderr);
    }
    let (ran, _corpus) = fuzz("--time 0s");
    assert_eq!(ran.status, 3);
    assert!(ran.stderr.contains("no program ran"), "{}", ran.stderr);
}

#[test]
fn a_run_that_compares_nothing_fails() {
    let (ran, _corpus) = fuzz("--programs 8 --schedule *=0");
    assert_eq!(ran.status, 3, "{}", ran.stderr);
    assert!(ran.stderr.contains("nothing could be compared"), "{}", ran.stderr);
}

#[test]
fn paths_are_chosen_by_globs() {
    let euler = case("tiny/euler1.tiny");
    let check = |globs: &str| run(["check", euler.to_str().unwrap(), "--paths", globs]);
    assert!(check("lab/{naive,p[hr]*}").stdout.contains("on 3 paths"));
    assert!(check("lab/{naive,p[hr]*},!lab/{tac,phi}").stdout.contains("on 2 paths"));
    assert!(check("!lab/*,!cranelift/*,!llvm/*").stdout.contains("on 1 path"));
    for (globs, why) in
        [("nobody", "no path is called nobody"), ("!lab/*,lab/[", "not a glob"), ("lab/phi,!lab/phi", "no path")]
    {
        let ran = check(globs);
        assert!(ran.status == 2 && ran.stderr.contains(why), "{globs}: {}", ran.stderr);
    }
}

#[test]
fn a_reader_that_goes_away_ends_the_command_quietly() {
    let mut child = Command::new(cargo_bin!("roundtrip"))
        .args(words("generate --seed 1 --count 100000"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert_eq!(first, "# program 0 of seed 1\n");
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    child.wait().unwrap();
    assert_eq!(said, "");
}
