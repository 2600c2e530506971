//! `paths`, `lower`, `convert`, `validate` and `run` on the lesson's programs and the cases.

use crate::{answers, case, file, ran, roundtrip, run, words};

#[test]
fn help_has_examples_for_every_command() {
    let commands = ["paths", "lower", "convert", "validate", "run", "check", "fuzz", "generate", "minimize", "compare"];
    let nested = [
        vec!["corpus"],
        vec!["corpus", "check"],
        vec!["known-bugs"],
        vec!["known-bugs", "replay"],
        vec!["known-bugs", "rediscover"],
        vec![],
    ];
    for command in commands.map(|command| vec![command]).into_iter().chain(nested) {
        let ran = run(command.iter().chain(&["--help"]));
        assert_eq!(ran.status, 0, "{command:?}");
        assert!(ran.stdout.contains("Examples:\n  roundtrip "), "{command:?}: {}", ran.stdout);
        assert!(!ran.stdout.contains("--plant"), "{command:?} shows an option for tests");
    }
}

#[test]
fn paths_are_listed_as_a_table_and_as_objects() {
    let text = run(["paths"]).stdout;
    for id in ["tiny/eval", "lab/naive", "lab/pruned", "lab/phi", "lab/tac"] {
        assert!(text.lines().any(|line| line.starts_with(&format!("{id} "))), "{id}: {text}");
    }
    let json = run(["paths", "--format", "json"]).stdout;
    for line in json.lines() {
        let object: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(object["id"].is_string() && object["group"].is_string(), "{line}");
        assert!(object["toolchain"].is_string() && object["available"].is_boolean(), "{line}");
    }
    assert_eq!(json.lines().count() + 1, text.lines().count());
}

#[test]
fn lower_prints_every_form_of_the_lab_byte_for_byte() {
    for (name, ending) in [("tiny/euler1", "tiny"), ("tiny/gcd", "tiny"), ("tac/irr_swap", "tac")] {
        let answers = answers(&format!("{name}.json"));
        for (form, text) in answers["forms"].as_object().unwrap() {
            let file = case(&format!("{name}.{ending}"));
            let ran = run([file.to_str().unwrap(), "--form", form].iter().fold(vec!["lower"], |mut all, word| {
                all.push(word);
                all
            }));
            assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{name} {form}");
            assert_eq!(ran.stdout, text.as_str().unwrap(), "{name} {form}");
        }
    }
}

#[test]
fn lower_tiny_parses_back_and_dot_is_a_graph() {
    let euler = case("tiny/euler1.tiny");
    let tiny = run(["lower", euler.to_str().unwrap(), "--form", "tiny"]).stdout;
    let again = ran(roundtrip().args(words("lower - --input-form tiny --form tiny")).write_stdin(tiny.clone()));
    assert_eq!(again.stdout, tiny);
    let dot = run(["lower", euler.to_str().unwrap(), "--form", "dot"]).stdout;
    assert!(dot.starts_with("digraph cfg {") && dot.ends_with("}\n"), "{dot}");
    let edges = dot.lines().filter(|line| line.contains(" -> ")).count();
    assert_eq!(edges, 11, "{dot}");
}

#[test]
fn a_form_that_a_file_has_not_is_a_usage_error() {
    let (tac, ssa, phi) = (case("tac/irr_swap.tac"), case("ssa/v_critical_edge.ssa"), case("phi/ok_swap.phi"));
    for (file, forms) in [(tac, "tiny ssa phi dot"), (ssa, "phi tac clif dot"), (phi, "phi ssa tiny")] {
        for form in forms.split(' ') {
            let ran = run(["lower", file.to_str().unwrap(), "--form", form]);
            assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{} {form}", file.display());
            assert!(ran.stderr.contains("has no form"), "{}", ran.stderr);
        }
    }
}

#[cfg(feature = "cranelift")]
#[test]
fn lower_has_craneliffs_forms() {
    for form in ["clif", "clif-opt"] {
        let ran = run(["lower", case("tiny/euler1.tiny").to_str().unwrap(), "--form", form]);
        assert!(ran.status == 0 && ran.stdout.contains("function"), "{form}: {}{}", ran.stdout, ran.stderr);
    }
}

#[cfg(feature = "llvm")]
#[test]
fn lower_has_llvms_forms() {
    for form in ["llvm", "llvm-narrow", "llvm-flags", "llvm-mem2reg", "llvm-O2"] {
        let ran = run(["lower", case("tiny/euler1.tiny").to_str().unwrap(), "--form", form]);
        assert!(ran.status == 0 && ran.stdout.contains("define"), "{form}: {}{}", ran.stdout, ran.stderr);
        // What is handed to LLVM otherwise promises nothing.
        assert!(form != "llvm" || !ran.stdout.contains("nsw"), "{}", ran.stdout);
        assert!(form != "llvm-flags" || ran.stdout.contains("add nuw nsw"), "{}", ran.stdout);
    }
    let (_folder, path) = file("no_runs.tiny", "input a; return a + 1");
    let ran = run(["lower", path.to_str().unwrap(), "--form", "llvm-flags"]);
    assert!(ran.status == 2 && ran.stderr.contains("needs `# run:` lines"), "{}", ran.stderr);
}

#[test]
fn convert_goes_both_ways_and_says_when_it_splits() {
    let conflict = "ssa/v_multi_edge_conflict_true";
    let ran = run(["convert", case(&format!("{conflict}.ssa")).to_str().unwrap(), "--to", "phi"]);
    assert_eq!(ran.stdout, answers(&format!("{conflict}.json"))["phi"].as_str().unwrap());
    assert!(ran.status == 0 && ran.stderr.contains("Lemma 8.4.11"), "{}", ran.stderr);

    let ran = run(["convert", case("phi/ok_swap.phi").to_str().unwrap(), "--to", "ssa"]);
    assert_eq!(ran.stdout, answers("phi/ok_swap.json")["ssa"].as_str().unwrap());
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
}

#[test]
fn an_entry_block_with_predecessors_has_no_valid_ssa_form() {
    let ran = run(["convert", case("phi/ok_entry_has_preds.phi").to_str().unwrap(), "--to", "ssa"]);
    assert_eq!(ran.stdout, answers("phi/ok_entry_has_preds.json")["ssa"].as_str().unwrap());
    assert!(ran.status == 1 && ran.stderr.contains("S4"), "{}", ran.stderr);
}

#[test]
fn validate_prints_a_line_a_fault() {
    let valid = run(["validate", case("ssa/v_critical_edge.ssa").to_str().unwrap()]);
    assert_eq!((valid.status, valid.stdout.as_str(), valid.stderr.as_str()), (0, "", ""));

    let file = case("ssa/s1_s3.ssa");
    let ran = run(["validate", file.to_str().unwrap()]);
    assert_eq!(ran.status, 1);
    let rules: Vec<&str> = ran
        .stdout
        .lines()
        .map(|line| {
            let fault = line.strip_prefix(&format!("{}: ", file.display())).unwrap();
            fault.split_once(": ").unwrap().0
        })
        .collect();
    assert_eq!(rules, ["S1", "S3"]);

    let ran = run(["validate", case("phi/bad_twice.phi").to_str().unwrap()]);
    assert!(ran.status == 1 && ran.stdout.lines().count() == 1, "{}", ran.stdout);
}

#[test]
fn a_text_that_does_not_parse_is_a_fault_of_s0_with_its_place_and_a_caret() {
    let file = case("ssa/s0_bad_name.ssa");
    let ran = run(["validate", file.to_str().unwrap()]);
    assert_eq!(ran.status, 1);
    assert!(ran.stdout.starts_with(&format!("{}: S0: line 2, column 12: ", file.display())), "{}", ran.stdout);
    assert!(ran.stderr.contains(":2:12") && ran.stderr.contains('^'), "{}", ran.stderr);
}

#[test]
fn a_file_that_cannot_be_read_does_not_keep_the_others_from_being_judged() {
    let ran = run(["validate", "nowhere.ssa", case("ssa/s1_s3.ssa").to_str().unwrap()]);
    assert_eq!(ran.status, 2);
    assert_eq!(ran.stdout.lines().count(), 2, "{}", ran.stdout);
    assert!(ran.stderr.contains("cannot read nowhere.ssa"), "{}", ran.stderr);
}

#[test]
fn run_prints_the_outcome_and_the_steps() {
    let euler = case("tiny/euler1.tiny");
    let euler = euler.to_str().unwrap();
    assert_eq!(run(["run", euler]).stdout, "return 33\n");
    for path in ["tiny/eval", "lab/naive", "lab/pruned", "lab/phi", "lab/tac"] {
        assert_eq!(run(["run", euler, "--path", path, "--steps"]).stdout, "return 33\n127 steps\n", "{path}");
    }
    let out_of_fuel = run(["run", euler, "--fuel", "126", "--steps"]);
    assert_eq!((out_of_fuel.status, out_of_fuel.stdout.as_str()), (3, "out of fuel\n126 steps\n"));
    assert_eq!(run(["run", euler, "--fuel", "127"]).status, 0);
}

#[test]
fn run_takes_inputs_from_the_option_or_from_the_file() {
    let (_folder, path) = file("a.tiny", "# run: 7, 2\n# run: 1, 0 => trap div-by-zero\ninput x, y;\nreturn x / y\n");
    let path = path.to_str().unwrap();
    assert_eq!(run(["run", path]).stdout, "7, 2 => return 3\n1, 0 => trap div-by-zero\n");
    assert_eq!(run(["run", path, "--inputs", "-9223372036854775808,-1"]).stdout, "trap overflow\n");
    assert_eq!(run(["run", path, "--inputs", "-8, 2", "--path", "lab/phi"]).stdout, "return -4\n");
    let json = run(["run", path, "--inputs", "9,3", "--steps", "--format", "json"]).stdout;
    assert_eq!(json, "{\"inputs\":[9,3],\"outcome\":\"return 3\",\"steps\":2}\n");
}

#[test]
fn every_language_has_an_interpreter() {
    for name in ["tac/irr_swap", "ssa/v_inputs", "phi/ok_swap"] {
        let ending = name.split_once('/').unwrap().0;
        let answers = answers(&format!("{name}.json"));
        let run_of_case = &answers["runs"][0];
        let inputs: Vec<String> = run_of_case["inputs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|value| match value {
                serde_json::Value::String(digits) => digits.clone(),
                other => other.to_string(),
            })
            .collect();
        let file = case(&format!("{name}.{ending}"));
        let ran = run(["run", file.to_str().unwrap(), &format!("--inputs={}", inputs.join(",")), "--steps"]);
        let right = format!("{}\n{} steps\n", run_of_case["outcome"].as_str().unwrap(), run_of_case["steps"]);
        assert_eq!((ran.stdout, ran.status), (right, 0), "{name}: {}", ran.stderr);
    }
}
