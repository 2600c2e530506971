//! Bad input to every command: one clear error, the right exit status, no panic.

use std::path::Path;

use crate::{file, ran, roundtrip, run, words};

/// Every command that reads a program, with `FILE` for it and the language that it takes.
const READERS: [(&str, &str); 9] = [
    ("lower FILE --form tiny", "tiny"),
    ("lower FILE --form tac-ssa", "tac"),
    ("convert FILE --to phi", "ssa"),
    ("convert FILE --to ssa", "phi"),
    ("run FILE", "tiny"),
    ("run FILE", "ssa"),
    ("check FILE", "tac"),
    ("check FILE", "phi"),
    ("minimize FILE", "tiny"),
];

/// Runs a command on a file and holds it to its promise.
fn fails(command: &str, path: &Path, status: i32, why: &str) {
    let arguments =
        words(command).into_iter().map(|word| if word == "FILE" { path.display().to_string() } else { word });
    let ran = run(arguments);
    assert_eq!(ran.status, status, "{command} {}: {}", path.display(), ran.stderr);
    assert_eq!(ran.stdout, "", "{command} {}", path.display());
    assert!(ran.stderr.starts_with("error: ") && ran.stderr.contains(why), "{command}: {}", ran.stderr);
    assert_eq!(ran.stderr.matches("error: ").count(), 1, "{command}: {}", ran.stderr);
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
}

fn all_fail(bytes: &[u8], why: &str) {
    for (command, ending) in READERS {
        let (_folder, path) = file(&format!("bad.{ending}"), bytes);
        fails(command, &path, 2, why);
    }
}

#[test]
fn garbage() {
    all_fail(b"\x00\x01 ]] $ \x7f", "-->");
    all_fail("x = \u{1f980}\n".as_bytes(), "-->");
}

#[test]
fn empty() {
    all_fail(b"", "-->");
    all_fail(b"\n\n# nothing\n", "-->");
}

#[test]
fn not_text() {
    all_fail(b"x = 1\n\xff\xfe\n", "not UTF-8 text: byte 0xff in line 2");
}

#[test]
fn huge() {
    all_fail("x=".repeat(1 << 17).as_bytes(), "-->");
    all_fail("(".repeat(1 << 17).as_bytes(), "-->");
}

#[test]
fn ten_megabytes() {
    // Right up to its end, where an expression is missing.
    let text = "x = x + 1\n".repeat(1 << 20) + "x =\n";
    let (_folder, path) = file("bad.tiny", &text);
    fails("check FILE", &path, 2, "bad.tiny:1048578:");
    let (_folder, path) = file("bad.ssa", &text);
    fails("run FILE", &path, 2, "bad.ssa:1:");
}

#[test]
fn deep() {
    let nested =
        |open: &str, close: &str| format!("x = {}1{}\nreturn x\n", open.repeat(100_000), close.repeat(100_000));
    let chain = format!("x = 1{}\nreturn x\n", " - 1".repeat(100_000));
    let blocks = format!("{}{}return 1\n", "while 1 {\n".repeat(100_000), "}\n".repeat(100_000));
    for text in [nested("(", ")"), nested("-", ""), nested("!(", ")"), chain, blocks] {
        let (_folder, path) = file("deep.tiny", &text);
        for command in ["check", "run", "minimize"] {
            let ran = run([command, path.to_str().unwrap()]);
            assert!(matches!(ran.status, 0 | 2 | 3), "{command}: {} {}", ran.status, ran.stderr);
            assert!(ran.status != 2 || ran.stderr.starts_with("error: "), "{}", ran.stderr);
        }
    }
}

#[test]
fn missing_and_unreadable() {
    for (command, ending) in READERS {
        fails(command, Path::new(&format!("nowhere.{ending}")), 2, "cannot read nowhere");
        let folder = tempfile::Builder::new().suffix(&format!(".{ending}")).tempdir().unwrap();
        fails(command, folder.path(), 2, "Is a directory");
    }
}

#[test]
fn no_language() {
    let (_folder, path) = file("program.txt", "return 1");
    for (command, _) in READERS.iter().filter(|(command, _)| !command.starts_with("minimize")) {
        fails(command, &path, 2, "--input-form");
    }
    let named = run(["run", path.to_str().unwrap(), "--input-form", "tiny"]);
    assert_eq!(named.stdout, "return 1\n");
    let stdin = ran(roundtrip().args(["run", "-"]).write_stdin("return 1"));
    assert!(stdin.status == 2 && stdin.stderr.contains("--input-form"), "{}", stdin.stderr);
}

#[test]
fn an_endless_file() {
    fails("check FILE --input-form tiny", Path::new("/dev/zero"), 2, "larger than");
}

#[test]
fn validate_judges_what_does_not_parse() {
    for ending in ["ssa", "phi"] {
        for text in ["", "garbage", "x = \n", "ssa(\n"] {
            let (_folder, path) = file(&format!("bad.{ending}"), text);
            let ran = run(["validate", path.to_str().unwrap()]);
            assert_eq!(ran.status, 1, "{text:?}: {}", ran.stderr);
            assert!(ran.stdout.starts_with(&format!("{}: S0: line ", path.display())), "{}", ran.stdout);
            assert_eq!(ran.stdout.lines().count(), 1, "{}", ran.stdout);
        }
        let (_folder, path) = file(&format!("bad.{ending}"), b"\xff");
        fails("validate FILE", &path, 2, "not UTF-8");
        fails("validate FILE", Path::new(&format!("nowhere.{ending}")), 2, "cannot read");
    }
    let (_folder, path) = file("a.tiny", "return 1");
    fails("validate FILE", &path, 2, "only .ssa and .phi");
}

#[test]
fn bad_run_directives() {
    for (text, why) in [
        ("# run: 1, 2 => return 3\ninput x;\nreturn x\n", "2 values"),
        ("# run: one\ninput x;\nreturn x\n", "-->"),
        ("# run: 1 => maybe\ninput x;\nreturn x\n", "-->"),
    ] {
        let (_folder, path) = file("a.tiny", text);
        for command in ["run FILE", "check FILE", "minimize FILE"] {
            fails(command, &path, 2, why);
        }
    }
}

#[test]
fn the_wrong_number_of_inputs() {
    let (_folder, path) = file("a.tiny", "input x, y;\nreturn x\n");
    for command in ["run FILE --inputs 1", "run FILE --inputs 1,2,3", "check FILE --inputs 1", "run FILE"] {
        fails(command, &path, 2, "takes 2");
    }
    for inputs in ["1,x", "9223372036854775808,0", "1,,2"] {
        let ran = run(["run", path.to_str().unwrap(), "--inputs", inputs]);
        assert!(ran.status == 2 && ran.stderr.contains("not a 64-bit integer"), "{inputs}: {}", ran.stderr);
    }
}

#[test]
fn bad_usage() {
    for line in [
        "",
        "frobnicate",
        "check",
        "lower",
        "lower x.tiny --form nothing",
        "convert x.ssa",
        "run x.tiny --fuel many",
        "generate --seed 1",
        "generate --seed 1 --count 0",
        "fuzz --time soon",
        "fuzz --corpus /dev/null --programs 1",
        "fuzz --machine-code 101",
        "fuzz --pipelines 18446744073709551615",
        "corpus",
        "paths --format xml",
    ] {
        let ran = run(words(line));
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{line}");
        assert!(!ran.stderr.is_empty() && !ran.stderr.contains("panicked"), "{line}: {}", ran.stderr);
    }
}

#[test]
fn output_that_cannot_be_written_is_an_error() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let status = std::process::Command::new(assert_cmd::cargo::cargo_bin!("roundtrip"))
        .args(["paths", "--quiet"])
        .stdout(full)
        .stderr(std::process::Stdio::null())
        .status();
    assert_eq!(status.unwrap().code(), Some(2));
    let ran = run(words("generate --seed 1 --count 1 --out /dev/null/x"));
    assert!(ran.status == 2 && ran.stderr.contains("/dev/null/x"), "{}", ran.stderr);
}
