//! What runs elsewhere, as far as it can be tried here: the issues of a long run, and what fuzzing engines are given.

#[path = "common/executable.rs"]
mod executable;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use harness::op::Op;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A GitHub with the issue `open.x`, number 7, that notes down what it is asked to do.
const GH: &str = r#"#!/bin/sh
case "$1 $2" in
"issue list") [ "$TITLE" != open.x ] || echo 7 ;;
"issue create" | "issue comment") echo "$@" | sed 's, --body-file.*,,' >>"$ASKED" && cat "${@:$#}" >>"$ASKED" ;;
esac
"#;

#[test]
fn a_finding_has_one_issue() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        file
    };
    executable::write(&folder.path().join("bin/gh"), &GH.replace("#!/bin/sh", "#!/bin/bash"));
    write("run/findings/new.x/README.md", "# new.x\n\nwrong\n");
    write("run/findings/open.x/README.md", "# open.x\n\nstill wrong\n");
    write("run/logs/libfuzzer-parse.log", "panicked\n");
    write("run/logs/libfuzzer-tac.log", "all is well\n");
    write("run/artifacts/libfuzzer-parse/crash-1", "x");
    let asked = folder.path().join("asked");

    let path = format!("{}:{}", folder.path().join("bin").display(), std::env::var("PATH").unwrap());
    let script = root().join("ci/open-issues");
    let mut command = Command::new(script);
    command.arg(folder.path().join("run")).env("PATH", path).env("ASKED", &asked).env("RUN", "https://run");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let asked = fs::read_to_string(asked).unwrap();
    let expected = "issue create --label finding --title new.x\nSeen in https://run.\n\n# new.x\n\nwrong\n\
                    issue comment 7\nSeen in https://run.\n\n# open.x\n\nstill wrong\n\
                    issue create --label finding --title fuzz target parse fails\nSeen in https://run.\n\n\
                    ```\npanicked\n```\n";
    assert_eq!(asked, expected);
}

#[test]
fn the_dictionary_has_every_operation() {
    let dictionary = fs::read_to_string(root().join("ci/oss-fuzz/parse.dict")).unwrap();
    let missing: Vec<_> = Op::WIDE.iter().filter(|op| !dictionary.contains(&format!("\"{op} \"\n"))).collect();
    assert!(missing.is_empty(), "ci/oss-fuzz/parse.dict lacks {missing:?}");
}

#[test]
fn clusterfuzzlite_finds_its_folder() {
    for name in ["Dockerfile", "project.yaml"] {
        assert!(root().join(".clusterfuzzlite").join(name).is_file(), ".clusterfuzzlite leads to ci/clusterfuzzlite");
    }
}
