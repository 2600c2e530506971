//! Passes that are wrong on purpose: what the paths that run pass by pass say of them, and keep for a report.

use crate::{file, run, words};

/// A program, a fault that it shows, the pipeline that shows it, and the pass that is named.
const WRONG: [(&str, &str, &str, &str); 6] = [
    ("# run: -9223372036854775808\ninput a; return a + (0 - 1)", "llvm-pass-adds-flag", "mid", "instcombine"),
    (
        "# run: -9223372036854775808\ninput a; return a + (0 - 1)",
        "llvm-pass-adds-flag",
        "phi:sroa+instcombine<no-verify-fixpoint>",
        "instcombine",
    ),
    ("# run: -9223372036854775808\ninput a; return a + (0 - 1)", "llvm-pass-adds-flag", "mem2reg-mid", "instcombine"),
    (
        "# dialect: plus\n# run: 9223372036854775807, 3\ninput a, n; s = 0; while n > 0 { s = s ^ (a + 1); n = n - 1; } return s",
        "llvm-pass-keeps-flag",
        "O2",
        "licm",
    ),
    (
        "# run: 0\ninput a; b = 1; while b < 3 { c = 0; while c <= a % 4 { a = 0; c = 1; } b = b * 2; } return a",
        "llvm-pass-select-to-and",
        "O2",
        "simplifycfg",
    ),
    ("while a && a > 0 { a = a + -1; } return 0", "llvm-pass-phi-entries", "mid", "gvn"),
];

#[test]
fn the_first_wrong_pass_is_named() {
    for (program, fault, pipeline, pass) in WRONG {
        let (_folder, path) = file("program.tiny", program);
        let paths = format!("check --format json --paths tiny/*,lab/*,llvm/steps-{pipeline} --plant {fault}");
        let ran = run(words(&paths).into_iter().chain([path.to_str().unwrap().to_string()]));
        assert_eq!(ran.status, 1, "{fault}: {}{}", ran.stdout, ran.stderr);
        let object: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        let signature = object["signature"].as_str().unwrap();
        assert!(["disagree.optimize.llvm", "disagree.optimize.lab+llvm"].contains(&signature), "{fault}: {object}");
        let note = object["notes"][0]["message"].as_str().unwrap();
        assert!(note.starts_with("pass ") && note.contains(&format!(", {pass}: inputs [")), "{fault}: {note}");
        assert_eq!(object["notes"][0]["pass"], pass, "{fault}: {object}");
    }
}

/// A finding on a random sequence of passes alone is recorded on the one that is at fault, and its text asks for that
/// path.
#[test]
fn what_only_a_sequence_shows_is_recorded_on_its_shortest_part_and_shows_from_its_text_alone() {
    let corpus = tempfile::tempdir().unwrap();
    let plant = "--plant llvm-pass-phi-entries";
    let path = "llvm/mem2reg:instsimplify+gvn+dce";
    let options = format!("fuzz --seed 1 --programs 200 --findings 1 --paths tiny/*,lab/*,{path} --schedule *=100%");
    let ran = run(words(&format!("{options} {plant} --corpus {}", corpus.path().display())));
    assert_eq!(ran.status, 1, "{}", ran.stderr);
    let mut findings = corpus.path().join("findings").read_dir().unwrap().map(|entry| entry.unwrap().path());
    let folder = findings.find(|folder| folder.to_str().unwrap().contains("/disagree.optimize.llvm.gvn")).unwrap();
    let file = folder.join("min.tiny");
    let text = std::fs::read_to_string(&file).unwrap();
    let line = text.lines().next().unwrap();
    assert!(["# path: llvm/phi:gvn", "# path: llvm/mem2reg:gvn"].contains(&line), "{text}");
    let (file, corpus) = (file.display(), corpus.path().display());
    let checked = run(words(&format!("check {file} --corpus {corpus} {plant} --format json")));
    assert!(checked.status == 1 && checked.stdout.contains(&line[line.find('/').unwrap()..]), "{}", checked.stdout);
    let whole = run(words(&format!("corpus check {corpus}/findings {plant}")));
    assert_eq!(whole.status, 0, "{}{}", whole.stdout, whole.stderr);
    let smaller = run(words(&format!("minimize {file} --paths tiny/*,lab/*,{} {plant}", &line[8..]))).stdout;
    assert_eq!(smaller.lines().next(), Some(line), "{smaller}");
    let triaged = run(words(&format!("triage {} --replays 1 --format json {plant}", folder.display())));
    let triaged: serde_json::Value = serde_json::from_str(&triaged.stdout).unwrap();
    let variant = line.split_once('/').unwrap().1;
    assert_eq!((&triaged["stage"], &triaged["path"]["variant"]), (&"optimize".into(), &variant.into()), "{triaged}");
}

#[test]
fn a_program_whose_path_cannot_be_had_is_no_agreement_and_keeps_no_other_from_being_checked() {
    let folder = tempfile::tempdir().unwrap();
    let [asks, plain] = ["asks.tiny", "plain.tiny"].map(|name| folder.path().join(name));
    std::fs::write(&plain, "return 1\n").unwrap();
    let files = format!("{} {}", asks.display(), plain.display());
    for (path, why) in [
        ("llvm/none-such", "no path is called llvm/none-such"),
        ("llvm/phi:gvn+gvnn", "phi:gvn+gvnn is not available: unknown function pass 'gvnn'"),
    ] {
        std::fs::write(&asks, format!("# path: {path}\nreturn 1\n")).unwrap();
        let ran = run(words(&format!("check {files}")));
        assert_eq!(ran.status, 2, "{}", ran.stdout);
        assert!(ran.stdout.contains("plain.tiny: agree") && !ran.stdout.contains("asks.tiny"), "{}", ran.stdout);
        let told = ran.stderr.contains(&format!("asks.tiny: `# path: {path}`: ")) && ran.stderr.contains(why);
        assert!(told, "{}", ran.stderr);
    }
    assert_eq!(run(words(&format!("check {files} --paths tiny/*,lab/*"))).status, 0);
}

#[test]
fn a_path_that_one_program_asks_for_is_no_other_programs() {
    let folder = tempfile::tempdir().unwrap();
    let [asks, plain] = ["asks.tiny", "plain.tiny"].map(|name| folder.path().join(name));
    let text = "while a && a > 0 { a = a + -1; }\nreturn 0\n";
    std::fs::write(&asks, format!("  # path: llvm/phi:gvn\r\n{text}")).unwrap();
    std::fs::write(&plain, text).unwrap();
    let ran = run(words(&format!("check {} {} --format json", asks.display(), plain.display())));
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let objects: Vec<&str> = ran.stdout.lines().collect();
    assert!(objects[0].contains("/phi:gvn") && !objects[1].contains("/phi:gvn"), "{}", ran.stdout);
}

#[test]
fn the_text_before_the_wrong_pass_is_kept() {
    let corpus = tempfile::tempdir().unwrap();
    let options =
        "fuzz --seed 1 --programs 200 --findings 1 --paths tiny/*,lab/*,llvm/steps-mid --schedule llvm/*=100%";
    let corpus_path = corpus.path().to_str().unwrap();
    let ran = run(words(&format!("{options} --plant llvm-pass-adds-flag --corpus {corpus_path}")));
    assert_eq!(ran.status, 1, "{}", ran.stderr);
    let mut findings = corpus.path().join("findings").read_dir().unwrap().map(|entry| entry.unwrap().path());
    let is_its = |folder: &std::path::PathBuf| folder.to_str().unwrap().contains("/disagree.optimize.llvm.");
    let ir = findings.find(is_its).unwrap().join("ir");
    let before = ir.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let before = before.filter(|path| path.to_str().unwrap().contains("before-4-instcombine")).collect::<Vec<_>>();
    let text = std::fs::read_to_string(&before[0]).unwrap();
    assert!(text.starts_with("; opt -S -passes='instcombine<no-verify-fixpoint>'\n"), "{text}");
}
