//! Further versions of compilers, known bugs and comparisons, without any real shared object: those take minutes to
//! build.

use std::path::Path;
use std::process;

use crate::{Ran, case, file, ran, roundtrip, run};

/// `roundtrip` with this folder of shared objects.
fn with_toolchains(folder: &Path, arguments: &[&str]) -> Ran {
    ran(roundtrip().env("ROUNDTRIP_TOOLCHAINS", folder).args(arguments))
}

/// A shared object made of a line of C, as `llvm-14.so`.
fn object(source: &str) -> tempfile::TempDir {
    let (folder, source) = file("object.c", source);
    let built = process::Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(folder.path().join("llvm-14.so"))
        .arg(&source)
        .status()
        .expect("a C compiler");
    assert!(built.success());
    folder
}

#[test]
fn a_shared_object_that_cannot_be_used_is_refused_with_what_to_do() {
    let garbage = file("llvm-14.so", "not an object").0;
    let foreign = object("int answer(void) { return 42; }");
    let stale = object("const char *roundtrip_built_from(void) { return \"0123456789abcdef\"; }");
    let mute = object(&format!(
        "const char *roundtrip_built_from(void) {{ return \"{}\"; }}
         void roundtrip_answer(const char *q, unsigned long n, void (*take)(const char *, unsigned long, void *), void *c, void *stage)
         {{ take(\"?\", 1, c); }}",
        env!("ROUNDTRIP_SOURCES_LLVM"),
    ));
    let euler = case("tiny/euler1.tiny");
    let euler = euler.to_str().unwrap();
    let bugs = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus/known-bugs");
    for (folder, why) in [
        (&garbage, "can't be loaded"),
        (&foreign, "none of ours"),
        (&stale, "built from other sources"),
        (&mute, "can't be read"),
    ] {
        for arguments in
            [&["paths"][..], &["check", euler, "--paths", "tiny/*,llvm@14/*"], &["known-bugs", "replay", bugs]]
        {
            let ran = with_toolchains(folder.path(), arguments);
            assert_eq!(ran.status, 2, "{why}, {arguments:?}: {}", ran.stderr);
            let advice = "llvm-14.so: ";
            assert!(ran.stderr.contains(advice) && ran.stderr.contains(why), "{why}, {arguments:?}: {}", ran.stderr);
            assert!(ran.stderr.contains("scripts/toolchain add llvm 14"), "{why}, {arguments:?}: {}", ran.stderr);
        }
        // Nobody asked for it here.
        let ran = with_toolchains(folder.path(), &["check", euler, "--paths", "tiny/eval,lab/tac"]);
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{why}");
        let ran = with_toolchains(folder.path(), &["run", euler, "--path", "llvm@14/phi-O2"]);
        assert_eq!(ran.status, 2, "{why}: {}", ran.stdout);
    }
    assert!(with_toolchains(garbage.path(), &["paths"]).stdout.contains("tiny/eval"), "the others are listed");
}

#[test]
fn a_version_that_is_not_there_is_no_path() {
    let euler = case("tiny/euler1.tiny");
    let ran = run(["check", euler.to_str().unwrap(), "--paths", "llvm@14/*"]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("no path is called llvm@14/*"), "{}", ran.stderr);
}

#[test]
fn two_sides_are_compared_and_a_regression_is_the_status() {
    // A loop that exchanges two values: its phis have entries to mix up.
    let text = "# run: 10\ninput n; a = 0; b = 1; while n > 0 { t = a; a = b; b = t + b; n = n - 1 } return a";
    let (folder, _) = file("agree.tiny", text);
    let folder = folder.path().to_str().unwrap();
    let sides = ["compare", folder, "--paths", "lab/pruned", "--paths", "lab/phi"];
    let same = run(sides);
    assert_eq!(same.status, 0, "{}{}", same.stdout, same.stderr);
    assert!(same.stdout.starts_with("lab/pruned → lab/phi: 1 program\n"), "{}", same.stdout);

    let worse = run(sides.iter().chain(&["--plant", "lab-phi-swap-entries"]));
    assert_eq!(worse.status, 1, "{}{}", worse.stdout, worse.stderr);
    assert!(
        worse.stdout.contains("regression: ") && worse.stdout.contains("agree.tiny: right → WRONG"),
        "{}",
        worse.stdout
    );

    let json = run(sides.iter().chain(&["--plant", "lab-phi-swap-entries", "--format", "json"]));
    let objects: Vec<serde_json::Value> = json.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((json.status, objects.len()), (1, 2), "{}", json.stdout);
    assert_eq!(objects[0]["change"], "regression");
    assert_eq!(objects[1]["summary"]["programs"], 1);

    let page = Path::new(folder).join("page.html");
    let html = run(sides.iter().chain(&["--plant", "lab-phi-swap-entries", "--html", page.to_str().unwrap()]));
    let page = std::fs::read_to_string(page).unwrap();
    assert!(html.status == 1 && page.contains("<td>regression</td>"), "{}{page}", html.stderr);

    let fixed = ["compare", folder, "--paths", "lab/phi", "--paths", "lab/pruned", "--plant", "lab-phi-swap-entries"];
    let fixed = run(fixed);
    assert_eq!(fixed.status, 0, "{}", fixed.stdout);
    assert!(fixed.stdout.contains("fixed: "), "{}", fixed.stdout);
}

#[test]
fn what_cannot_be_compared_is_said() {
    let (folder, _) = file("a.tiny", "return 1");
    let folder = folder.path().to_str().unwrap();
    for (arguments, why) in [
        (vec!["--paths", "lab/phi"], "say --paths twice"),
        (vec!["--paths", "lab/{phi,tac}", "--paths", "lab/{naive,pruned}"], "has a counterpart"),
        (vec!["--paths", "lab/phi", "--paths", "llvm@1/*"], "no path is called llvm@1/*"),
    ] {
        let ran = run(["compare", folder].iter().chain(&arguments));
        assert_eq!(ran.status, 2, "{arguments:?}");
        assert!(ran.stderr.contains(why), "{arguments:?}: {}", ran.stderr);
    }
    let empty = tempfile::tempdir().unwrap();
    let ran = run(["compare", empty.path().to_str().unwrap(), "--paths", "lab/phi", "--paths", "lab/tac"]);
    assert!(ran.status == 2 && ran.stderr.contains("holds no program"), "{}", ran.stderr);
}

#[cfg(feature = "cranelift")]
#[test]
fn a_corpus_is_run_on_every_version() {
    let (folder, _) = file("less.tiny", "# run: 1, 1 => return 0\ninput x, y;\nreturn x < y");
    let table = folder.path().join("versions.json");
    let arguments = ["versions", folder.path().to_str().unwrap(), "--out", table.to_str().unwrap()];
    let right = run(arguments);
    assert!(right.status == 0 && right.stderr.contains(" 0 wrong, 0 known, "), "{}{}", right.stdout, right.stderr);

    let wrong = run(arguments.iter().chain(&["--plant", "clif-lt-is-le"]));
    assert_eq!(wrong.status, 1, "{}{}", wrong.stdout, wrong.stderr);
    assert!(
        wrong.stdout.contains("WRONG ") && wrong.stdout.contains("/none: return 1 for return 0"),
        "{}",
        wrong.stdout
    );
    let written: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&table).unwrap()).unwrap();
    assert_eq!(written["rows"][0]["cells"][0]["verdict"], "wrong", "{written}");

    // The comments know it of one path and of those that no comment names; not of what they say is right.
    let known = |claims: &str| {
        let text =
            format!("# source: a link\n# wrong: cranelift 0.1.. none\n{claims}# run: 1, 1 => return 0\ninput x, y;\n");
        let (folder, _) = file("less.tiny", &(text + "return x < y"));
        run(["versions", folder.path().to_str().unwrap(), "--plant", "clif-lt-is-le"])
    };
    let ran = known("");
    assert!(ran.status == 0 && ran.stdout.contains("known "), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("less.tiny: known, on 1 version: a link"), "{}", ran.stderr);
    assert!(ran.stderr.contains(" 0 wrong, 1 known, "), "{}", ran.stderr);
    let ran = known("# right: cranelift speed\n");
    assert!(ran.status == 1 && ran.stderr.contains(" 1 wrong, 0 known, "), "{}{}", ran.stdout, ran.stderr);

    let out = folder.path().join("report.html");
    let report = run(["report", folder.path().to_str().unwrap(), "--html", out.to_str().unwrap()]);
    assert_eq!(report.status, 0, "{}", report.stderr);
    assert!(std::fs::read_to_string(out).unwrap().contains("<td class=\"wrong\" title="));
}

#[cfg(feature = "llvm")]
#[test]
fn a_known_bug_that_does_not_show_deviates() {
    let (folder, _) = file("bug.tiny", "# wrong: llvm 1..=99 phi-O0\n# run: => return 1\nreturn 1");
    let ran = run(["known-bugs", "replay", folder.path().to_str().unwrap()]);
    assert_eq!(ran.status, 1, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("wrong  right  DEVIATES"), "{}", ran.stdout);
    assert!(ran.stderr.contains("not tried, as not installed: llvm 1, 2, 3, "), "{}", ran.stderr);

    // All that is known of it holds, but of nobody who is here is it known to be wrong.
    let (folder, path) = file("bug.tiny", "# wrong: llvm 1..=3 phi-O0\n# run: => return 1\nreturn 1");
    let ran = run(["known-bugs", "replay", folder.path().to_str().unwrap()]);
    assert!(ran.status == 2 && ran.stdout.contains("as known"), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("scripts/toolchain add"), "{}", ran.stderr);

    std::fs::write(&path, "# wrong: llvm 1..=3 phi-O0\n# run: => return 2\nreturn 1").unwrap();
    let ran = run(["known-bugs", "replay", folder.path().to_str().unwrap()]);
    assert!(ran.status == 2 && ran.stderr.contains("expects return 2 where its meaning is return 1"), "{}", ran.stderr);
}

#[cfg(feature = "llvm")]
#[test]
fn a_known_bug_in_another_pass_deviates() {
    let program = "# run: -9223372036854775808\ninput a; return a + (0 - 1)";
    for (pass, seen, status) in [("instcombine", "instcombine  as known", 0), ("gvn", "instcombine  DEVIATES", 1)] {
        let (folder, _) = file("bug.tiny", format!("# pass: {pass}\n# wrong: llvm 1.. steps-mid\n{program}"));
        let ran = run(["known-bugs", "replay", folder.path().to_str().unwrap(), "--plant", "llvm-pass-adds-flag"]);
        assert_eq!(ran.status, status, "{pass}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains(seen), "{pass}: {}", ran.stdout);
    }
}

#[test]
fn a_known_bug_without_a_claim_is_an_error_with_its_place() {
    let (folder, _) = file("bug.tiny", "# a bug\nreturn 1");
    let ran = run(["known-bugs", "replay", folder.path().to_str().unwrap()]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("bug.tiny:1:1") && ran.stderr.contains("nothing says"), "{}", ran.stderr);
}
