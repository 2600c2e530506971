//! Reading a corpus: its programs, each with the verdict that is expected of it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::case::Form;
use crate::record::{RECORD, known};

/// A program of a corpus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its file.
    pub file: PathBuf,
    /// What is expected of it, or why that cannot be said.
    pub expected: Result<Expected, String>,
}

/// What an entry's folder says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The verdict's name.
    pub verdict: String,
    /// A finding's signature.
    pub signature: Option<String>,
    /// The paths that took part in a finding, without versions: on others it may have another signature.
    pub paths: Vec<String>,
    /// Whether it may be a known issue instead: a bug may be in what is linked in, too.
    pub or_known: bool,
}

/// The folders that name a verdict.
const VERDICTS: [&str; 6] = ["agree", "disagree", "invalid", "crash", "hang", "inconclusive"];

/// Every program below a folder, in the order of their paths. Hidden folders are findings being written.
pub fn entries(folder: &Path) -> io::Result<Vec<Entry>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let path = entry.path();
            let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            // A link to a folder is not followed: it may lead round in a circle.
            if entry.file_type()?.is_dir() {
                if !is_hidden {
                    folders.push(path);
                }
            } else if is_program(&path) {
                files.push(path);
            }
        }
    }
    files.sort();
    // The folder given may itself stand within a corpus.
    let root = fs::canonicalize(folder)?;
    let place = |file: &Path| root.join(file.strip_prefix(folder).unwrap_or(file));
    Ok(files.into_iter().filter_map(|file| entry(&place(&file)).map(|expected| Entry { file, expected })).collect())
}

fn is_program(path: &Path) -> bool {
    path.extension().and_then(|extension| Form::from_extension(extension.to_str()?)).is_some()
}

/// What is expected of a file by its place; nothing of a finding's original and IR, its minimized program stands for
/// it, and nothing of a known issue's program, whose entry says what it shows.
fn entry(file: &Path) -> Option<Result<Expected, String>> {
    let is_findings = |folder: &Path| folder.file_name().is_some_and(|name| name == "findings");
    if let Some(finding) = file.ancestors().skip(1).find(|folder| folder.parent().is_some_and(is_findings)) {
        let is_minimized = file.parent() == Some(finding) && file.file_stem().is_some_and(|stem| stem == "min");
        return is_minimized.then(|| recorded(finding));
    }
    let named = file.ancestors().skip(1).find_map(|folder| match folder.file_name()?.to_str()? {
        "known-bugs" => Some("agree"),
        known::FOLDER => Some(known::FOLDER),
        name => VERDICTS.into_iter().find(|verdict| *verdict == name),
    });
    if named == Some(known::FOLDER) {
        return None;
    }
    let is_known_bug = file.ancestors().any(|folder| folder.ends_with("known-bugs"));
    let expected = |verdict: &str| Expected {
        verdict: verdict.into(),
        signature: None,
        paths: Vec::new(),
        or_known: is_known_bug,
    };
    Some(named.map(expected).ok_or_else(|| "it lies in no folder with a verdict's name".into()))
}

/// The verdict in a finding's `finding.json`.
fn recorded(folder: &Path) -> Result<Expected, String> {
    let path = folder.join(RECORD);
    let text = fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let record: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| format!("{} is not JSON: {error}", path.display()))?;
    let field = |name: &str| record[name].as_str().map(str::to_owned);
    let verdict = field("verdict").ok_or_else(|| format!("{} has no verdict", path.display()))?;
    let ids = record["paths"].as_array().into_iter().flatten().filter_map(|path| path["path"].as_str());
    Ok(Expected { verdict, signature: field("signature"), paths: ids.map(without_version).collect(), or_known: false })
}

/// `llvm/phi-O2` of `llvm@22.1.8/phi-O2`: an entry outlives the versions that it was recorded with.
fn without_version(id: &str) -> String {
    match (id.split_once('@'), id.split_once('/')) {
        (Some((compiler, _)), Some((_, variant))) => format!("{compiler}/{variant}"),
        _ => id.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corpus(files: &[(&str, &str)]) -> tempfile::TempDir {
        let corpus = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = corpus.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        corpus
    }

    #[test]
    fn a_folders_name_is_what_is_expected() {
        let corpus = corpus(&[
            ("agree/deep/a.tiny", ""),
            ("findings/crash.x/min.tac", ""),
            (
                "findings/crash.x/finding.json",
                r#"{"verdict": "crash", "signature": "crash.x", "paths": [{"path": "llvm@22.1.8/phi-O2"}]}"#,
            ),
            ("findings/crash.x/original.tac", ""),
            ("findings/crash.x/ir/lab.ssa", ""),
            ("findings/.new-1/min.tiny", ""),
            ("inconclusive/b.ssa", ""),
            ("known-bugs/c.tiny", ""),
            ("known/issue.tac", ""),
            ("notes.md", ""),
        ]);
        let found: Vec<(String, String)> = entries(corpus.path())
            .unwrap()
            .into_iter()
            .map(|entry| {
                let file = entry.file.strip_prefix(corpus.path()).unwrap().display().to_string();
                let Expected { verdict, signature, paths, or_known } = entry.expected.unwrap();
                assert_eq!(or_known, file.starts_with("known-bugs"));
                assert_eq!(paths.is_empty(), signature.is_none());
                (file, verdict + &signature.map(|text| format!(" {text}")).unwrap_or_default())
            })
            .collect();
        let expected = [
            ("agree/deep/a.tiny", "agree"),
            ("findings/crash.x/min.tac", "crash crash.x"),
            ("inconclusive/b.ssa", "inconclusive"),
            ("known-bugs/c.tiny", "agree"),
        ];
        assert_eq!(found, expected.map(|(file, verdict)| (file.to_owned(), verdict.to_owned())));
        // A folder within a corpus is judged by where it stands.
        let within = entries(&corpus.path().join("findings/crash.x")).unwrap();
        assert_eq!(within.len(), 1);
        assert_eq!(within[0].expected.as_ref().unwrap().paths, ["llvm/phi-O2"]);
    }

    #[test]
    fn what_has_no_verdict_is_said() {
        let corpus = corpus(&[
            ("a.tiny", ""),
            ("findings/x/min.tiny", ""),
            ("findings/y/min.tiny", ""),
            ("findings/y/finding.json", "{"),
        ]);
        let why: Vec<String> =
            entries(corpus.path()).unwrap().into_iter().map(|entry| entry.expected.unwrap_err()).collect();
        assert!(why[0].contains("no folder with a verdict's name"), "{why:?}");
        assert!(why[1].contains("cannot read") && why[2].contains("not JSON"), "{why:?}");
    }
}
