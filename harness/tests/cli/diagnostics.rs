//! How a finding reads on the terminal: faults planted in the harness's own lowerings, and what is pointed at.

use crate::{Ran, file, ran, roundtrip};

/// What `check` says of a program with a fault planted, without the compilers' versions.
fn diagnosed(program: &str, fault: &str, paths: &str) -> String {
    let (folder, _) = file("a.tiny", program);
    let arguments = ["check", "a.tiny", "--plant", fault, "--paths", paths];
    let Ran { status, stdout, stderr } = ran(roundtrip().current_dir(folder.path()).args(arguments));
    assert_eq!(status, 1, "{stdout}{stderr}");
    stdout.split('@').enumerate().fold(String::new(), |text, (index, part)| {
        text + if index == 0 { part } else { part.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.') }
    })
}

#[test]
fn a_wrong_value_is_pointed_at_in_the_program_and_in_both_functions() {
    let program = "# run: 0\ninput c;\nif c { a = 1; } else { a = 2; }\nreturn a + c\n";
    insta::assert_snapshot!(diagnosed(program, "lab-if-same-arm", "tiny/eval,lab/naive,lab/tac"));
}

#[test]
fn a_wrong_phi_is_pointed_at_by_its_name() {
    let program = "# run: 0\ninput c;\nif c { a = 1; } else { a = 2; }\nreturn a\n";
    insta::assert_snapshot!(diagnosed(program, "lab-phi-swap-entries", "tiny/eval,lab/*,!lab/{live,perturbed*}"));
}

#[test]
fn a_wrong_return_is_pointed_at_after_the_loop() {
    let program = "# run:\nwhile a < 3 { a = a + 1; }\nreturn a\n";
    insta::assert_snapshot!(diagnosed(program, "lab-loop-exit-env", "tiny/eval,lab/naive,lab/tac"));
}

#[test]
fn an_interpreter_that_raises_nothing_is_not_pointed_into() {
    let text = diagnosed("# run: 5, 3\ninput a, b;\nreturn a - b\n", "tac-swap-sub", "tiny/eval,lab/{naive,tac}");
    assert!(text.contains("WRONG  lab/tac") && !text.contains("they part") && !text.contains("wrong first"), "{text}");
}

#[cfg(feature = "cranelift")]
#[test]
fn a_compilers_construction_is_held_against_the_labs() {
    let program = "# run: 3\ninput n;\nwhile n > 0 {\n  s = n - s;\n  n = n - 1;\n}\nreturn s\n";
    insta::assert_snapshot!(diagnosed(program, "tac-swap-sub", "tiny/eval,lab/pruned,cranelift/none"));
}

#[cfg(feature = "cranelift")]
#[test]
fn a_parameter_that_got_the_wrong_argument_shows_at_its_first_use() {
    let program = "# run: 0\ninput c;\nif c { a = 1; } else { b = 1; }\nreturn a - b\n";
    insta::assert_snapshot!(diagnosed(program, "clif-drop-argument", "tiny/eval,lab/pruned,cranelift/params-none"));
}
