//! Cranelift's paths on the cases with known answers and on programs that released compilers got wrong: outcomes, and
//! what they raise is valid and means the same.
#![cfg(feature = "cranelift")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path as FilePath, PathBuf};

use harness::case::{Case, DEFAULT_FUEL, Form, Program};
use harness::dialect::Dialect;
use harness::directives;
use harness::generate::{self, Policy};
use harness::lab;
use harness::op::End;
use harness::path::{Detail, Observation, Path, Stage, cranelift};
use harness::tac::{self, Perturbation};
use harness::tiny;

/// The files of a folder with this ending, in order.
fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let folder = FilePath::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == extension));
    files.sort();
    assert!(!files.is_empty(), "no .{extension} files in {}", folder.display());
    files
}

fn read(file: &FilePath) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn parse(file: &FilePath) -> Program {
    let text = read(file);
    let program = match file.extension().and_then(|ending| ending.to_str()) {
        Some("tiny") => tiny::parse(&text).map(Program::Tiny),
        Some("tac") => tac::parse(&text).map(Program::Tac),
        Some("ssa") => lab::parse_ssa(&text).map(Program::Ssa),
        _ => lab::parse_phi(&text).map(Program::Phi),
    };
    program.unwrap_or_else(|error| panic!("{}: {error:?}", file.display()))
}

fn parse_tiny(text: &str) -> Program {
    Program::Tiny(tiny::parse(text).expect("a program"))
}

/// The runs of a case's JSON that end within its fuel: vector, outcome.
fn runs(json: &FilePath) -> Vec<(Vec<i64>, String)> {
    let json: serde_json::Value = serde_json::from_str(&read(json)).expect("JSON");
    let mut runs = Vec::new();
    for run in json["runs"].as_array().into_iter().flatten() {
        let number = |value: &serde_json::Value| value.as_str().expect("a string").parse().expect("a number");
        let vector = run["inputs"].as_array().expect("inputs").iter().map(number).collect();
        let outcome = run["outcome"].as_str().expect("an outcome");
        if outcome != "out of fuel" {
            runs.push((vector, outcome.to_string()));
        }
    }
    runs
}

/// Holds everything that a path says of a program against the right outcomes.
fn check(path: &dyn Path, name: &str, program: &Program, runs: &[(Vec<i64>, String)]) {
    let vectors = runs.iter().map(|(vector, _)| vector.clone()).collect();
    let case = Case { program: program.clone(), vectors, fuel: DEFAULT_FUEL };
    let observation = path.observe(&case, Detail::default());
    let Observation { raised, interpreted, outcomes, faults, unsupported, notes, texts, size } = observation;
    let at = format!("{name}, {}", path.id());
    assert_eq!((faults, unsupported, texts), (vec![], vec![], vec![]), "{at}");
    assert_eq!((interpreted, notes), (vec![], vec![]), "{at}");
    assert!(size.is_some_and(|size| size.code > 0 && size.instructions > 0), "{at}: {size:?}");
    let stages: Vec<Stage> = raised.iter().map(|raised| raised.stage).collect();
    assert_eq!(stages, [Stage::Construct, Stage::Optimize], "{at}");
    assert_eq!(outcomes.len(), runs.len(), "{at}");
    for ((vector, right), outcome) in runs.iter().zip(outcomes) {
        assert_eq!(outcome.map(|outcome| outcome.to_string()).as_ref(), Some(right), "{at}, {vector:?}");
    }
    for raised in raised {
        let text = &raised.function;
        assert_eq!(lab::validate(&raised.function), [], "{at}, {}\n{text}", raised.stage);
        for (vector, right) in runs {
            let outcome = lab::run(&raised.function, vector, 100 * DEFAULT_FUEL).outcome;
            assert_eq!(&outcome.to_string(), right, "{at}, {}, {vector:?}\n{text}", raised.stage);
        }
    }
}

fn check_folder(form: &str, paths: &[Box<dyn Path>]) {
    for file in files(&format!("tests/cases/{form}"), form) {
        let (program, runs) = (parse(&file), runs(&file.with_extension("json")));
        for path in paths {
            check(path.as_ref(), &file.display().to_string(), &program, &runs);
        }
    }
}

#[test]
fn tiny_cases() {
    check_folder("tiny", &cranelift::paths());
}

#[test]
fn tac_cases() {
    check_folder("tac", &cranelift::paths());
}

#[test]
fn programs_of_released_compilers_bugs() {
    for file in files("../corpus/known-bugs", "tiny") {
        let program = parse(&file);
        let runs: Vec<_> = directives::parse(&read(&file))
            .expect("directives")
            .into_iter()
            .map(|directive| (directive.vector, directive.expected.expect("an outcome").to_string()))
            .collect();
        assert!(!runs.is_empty(), "{}", file.display());
        for path in cranelift::paths() {
            check(path.as_ref(), &file.display().to_string(), &program, &runs);
        }
    }
}

/// Every way to a jump table or a chain of comparisons, with arguments on their edges and without.
#[test]
fn switches() {
    let all = cranelift::paths();
    for (extension, group) in [("tac", ""), ("ssa", "lab+")] {
        let files = files("../corpus/agree", extension);
        for file in files.iter().filter(|file| file.display().to_string().contains("/switch_")) {
            let directives = directives::parse(&read(file)).expect("directives").into_iter();
            let runs = directives.map(|run| (run.vector, run.expected.expect("an outcome").to_string()));
            let (name, program, runs) = (file.display().to_string(), parse(file), runs.collect::<Vec<_>>());
            let paths = all.iter().filter(|path| path.toolchain().group.starts_with(group));
            paths.for_each(|path| check(path.as_ref(), &name, &program, &runs));
        }
    }
}

/// Functions given as such: the valid ones by the lab's own construction's paths, no other function by any path.
#[test]
fn ssa_and_phi_cases() {
    let (params, variables): (Vec<_>, Vec<_>) =
        cranelift::paths().into_iter().partition(|path| path.toolchain().group == "lab+cranelift");
    assert_eq!(params.len(), 4);
    assert!(variables.len() >= 5);
    let mut taken = 0;
    for file in [files("tests/cases/ssa", "ssa"), files("tests/cases/phi", "phi")].concat() {
        let name = file.display().to_string();
        let json: serde_json::Value = serde_json::from_str(&read(&file.with_extension("json"))).expect("JSON");
        let rules = json["rules"].as_array().expect("rules");
        if rules.iter().any(|rule| rule == "S0" || rule == "P0") {
            continue;
        }
        let program = parse(&file);
        let has_ssa_form = rules.is_empty() && json["ssa_rules"].as_array().is_none_or(Vec::is_empty);
        if has_ssa_form {
            taken += 1;
            params.iter().for_each(|path| check(path.as_ref(), &name, &program, &runs(&file.with_extension("json"))));
        }
        let case = Case { program, vectors: vec![], fuel: DEFAULT_FUEL };
        let refusing = variables.iter().chain(params.iter().filter(|_| !has_ssa_form));
        for path in refusing {
            let observation = path.observe(&case, Detail::default());
            let reason = &observation.unsupported[0].reason;
            let right = reason == "needs a program in Tiny or TAC" || reason.starts_with("not a valid function: ");
            assert!(right && observation.raised.is_empty(), "{name}: {reason}");
        }
    }
    assert!(taken > 30, "only {taken} valid functions");
}

/// Conditions whose low bits are all 0 hold too.
#[test]
fn conditions_are_64_bits_wide() {
    let program =
        parse_tiny("input x, y\nr = 1; while x { r = 2; x = 0 } if x != y && y { r = r + 10 } return r + !y * 100");
    let outcome = |(x, y): (i64, i64), right: i64| (vec![x, y], format!("return {right}"));
    let runs = [
        outcome((0, 0), 101),
        outcome((1 << 8, 1 << 16), 12),
        outcome((1 << 32, 1 << 63), 12),
        outcome((0, 1 << 32), 11),
        outcome((1 << 63, 0), 102),
    ];
    cranelift::paths().iter().for_each(|path| check(path.as_ref(), "wide conditions", &program, &runs));
}

/// What can't be taken is said, and the thread's compiler takes the next program as ever.
#[test]
fn what_is_not_covered_is_said() {
    let program = parse_tiny("input a, b\nreturn a / b");
    let short = Case { program: program.clone(), vectors: vec![vec![1]], fuel: DEFAULT_FUEL };
    for path in cranelift::paths().into_iter().filter(|path| path.id().variant.starts_with("params")) {
        let observation = path.observe(&short, Detail::default());
        let reason = "a vector with other than one value for each input";
        assert_eq!((observation.unsupported[0].reason.as_str(), &observation.outcomes[..]), (reason, &[][..]));
        let runs = [(vec![7, 0], "trap div-by-zero".to_string()), (vec![i64::MIN, -1], "trap overflow".to_string())];
        check(path.as_ref(), "division", &program, &runs);
    }
}

#[test]
fn texts_are_given_when_asked_for() {
    let program = parse_tiny("input x\nreturn x * 8");
    let case = Case { program, vectors: vec![vec![5]], fuel: DEFAULT_FUEL };
    for path in cranelift::paths() {
        let observation = path.observe(&case, Detail { texts: true, ..Detail::default() });
        let text = |name: &str| {
            let found = observation.texts.iter().find(|(found, _)| found == name);
            &found.unwrap_or_else(|| panic!("{}: no text {name}", path.id())).1
        };
        let (before, after) = (text("clif"), text("clif-opt"));
        assert_eq!(
            path.id().variant.starts_with("perturbed")
                && path.id().variant != "perturbed-sealing"
                && path.id().variant != "perturbed-direct",
            observation.texts.iter().any(|(name, _)| name == "perturbations"),
            "{}",
            path.id()
        );
        assert!(before.contains("imul"), "{before}");
        // Cranelift shifts instead; a perturbation alone is optimized too.
        let optimizes = !path.id().variant.contains("none");
        assert_eq!(after.contains("ishl"), optimizes, "{}\n{after}", path.id());
        assert_eq!(observation.outcomes, [Some(End::Return(40).into())]);
    }
}

/// The loads and stores of a text of CLIF.
fn accesses(path: &dyn Path, case: &Case, text: &str) -> Vec<String> {
    let observation = path.observe(case, Detail { texts: true, ..Detail::default() });
    let (_, clif) = observation.texts.iter().find(|(name, _)| name == text).expect("a text");
    let is_access = |line: &&str| line.contains("load.") || line.contains("store");
    clif.lines().filter(is_access).map(|line| line.trim().to_string()).collect()
}

/// Plain paths promise nothing of memory, the others all that holds: `readonly` of what is passed, a region of an
/// array.
#[test]
fn accesses_promise_nothing_or_all_that_holds() {
    let text = "input x, unused; emit x; t = a4[x]; b2[x] = 7; return t + a4[x]";
    let program = Program::Tiny(tiny::parse_in(text, Dialect::Plus).expect("a program"));
    let case = Case { program, vectors: vec![vec![5, 6]], fuel: DEFAULT_FUEL };
    let promises = ["notrap", "aligned", "can_move", "readonly", "region"];
    let paths = cranelift::paths();
    let mut left = BTreeMap::new();
    for path in &paths {
        let variant = path.id().variant;
        let written = accesses(path.as_ref(), &case, "clif");
        assert!(written.len() >= 3 + 6 + 3, "{variant}: {written:?}");
        for access in written {
            let is_load = access.contains("load.");
            let is_passed = is_load && access.contains(" v0");
            let right = [true, true, is_load, is_passed, !is_passed].map(|holds| holds && variant.ends_with("-flags"));
            assert_eq!(promises.map(|promise| access.contains(promise)), right, "{variant}: {access}");
        }
        left.insert(variant, accesses(path.as_ref(), &case, "clif-opt").len());
    }
    // The unused load goes, and the second one of the element, which no store in the other array changes.
    assert_eq!(left["speed"] - left["speed-flags"], 2, "{left:?}");
}

#[test]
fn paths_say_what_they_are() {
    let names = cranelift::paths().into_iter().map(|path| path.id().variant);
    let (perturbed, names): (Vec<_>, Vec<_>) = names.partition(|name| name.starts_with("perturbed-"));
    assert!(perturbed.len() > Perturbation::ALL.len(), "{perturbed:?}");
    let right = [
        "none",
        "speed",
        "speed_and_size",
        "none-single_pass",
        "speed-single_pass",
        "params-none",
        "params-speed",
        "params-speed_and_size",
        "none-flags",
        "speed-flags",
        "params-speed-flags",
        "aarch64-none",
        "aarch64-speed",
    ];
    assert_eq!(names, right);
    for path in cranelift::paths() {
        let toolchain = path.toolchain();
        assert_eq!(toolchain.unavailable, None);
        let emulated = path.id().variant.starts_with("aarch64-");
        let machine = if emulated { "aarch64-unknown-linux-gnu, run by qemu-aarch64 " } else { "x86-64-v3" };
        assert!(toolchain.description.contains(machine), "{}", toolchain.description);
        assert_eq!(toolchain.group.starts_with("lab+"), path.id().variant.starts_with("params"));
        assert_eq!(path.id().version.as_deref(), Some(cranelift_codegen::VERSION));
    }
}

/// Generated programs: nothing to find, and hardly anything that can't be raised.
#[test]
fn generated_programs() {
    let all = cranelift::paths();
    let paths: Vec<&dyn Path> = all.iter().map(|path| path.as_ref()).collect();
    let (mut observed, mut unsupported) = (0, Vec::new());
    for (form, index) in [Form::Tiny, Form::Tac].into_iter().flat_map(|form| (0..40).map(move |index| (form, index))) {
        let case = generate::case(1, index, form, &Policy::default());
        let report = harness::check(&case, &paths, Detail::default());
        assert_eq!((report.signature, report.faults), (None, vec![]), "{form:?} {index}");
        observed += paths.len();
        unsupported.extend(report.unsupported);
    }
    assert!(100 * unsupported.len() < observed, "{unsupported:?}");
}
