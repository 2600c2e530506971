//! Reading back what runs left in a folder: findings with all that lies beside them, and run logs. For reports.
//!
//! It is tolerant: other versions wrote other fields, people move things and take them away. What is missing is left
//! out; what is there and can't be read is told in [`Below::problems`], never passed over.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::case::Form;
use crate::compare::matrix::Matrix;
use crate::compare::{PathFault, Run};
use crate::record::Toolchained;
use crate::record::finding::{RECORD, text_file};
use crate::record::night::VERSIONS;
use crate::record::run_log::{self, Log};
use crate::record::self_test::{IDENTITIES, PLANTED, Planted};

/// The longest text that is taken in; a report shows no more of it, and the folder has it all.
const LONGEST: u64 = 256 << 10;

/// Everything that lies below a folder.
#[derive(Clone, Debug, Default)]
pub struct Below {
    /// The findings, in the order of their folders.
    pub findings: Vec<Stored>,
    /// The run logs, each with its file.
    pub logs: Vec<(PathBuf, Log)>,
    /// The corpus on every version of every compiler; one of them, if there are several.
    pub versions: Option<Matrix>,
    /// The faults that were planted in the harness, from one seed.
    pub planted: Vec<Planted>,
    /// The same from many seeds.
    pub identities: Vec<Planted>,
    /// What could not be read, and why.
    pub problems: Vec<String>,
}

/// A finding as it lies in its folder.
#[derive(Clone, Debug, Default)]
pub struct Stored {
    /// The folder.
    pub folder: PathBuf,
    /// What `finding.json` says.
    pub record: StoredRecord,
    /// The minimized program's language and text.
    pub program: Option<(Form, String)>,
    /// The original program's text.
    pub original: Option<String>,
    /// The texts in `ir/`.
    pub texts: Vec<StoredText>,
    /// What `roundtrip triage` found out.
    pub triage: Option<Triage>,
    /// The issue draft.
    pub draft: Option<String>,
}

/// What a report needs of `finding.json`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct StoredRecord {
    /// The signature.
    pub signature: String,
    /// The verdict's name.
    pub verdict: String,
    /// Where the original came from.
    pub origin: String,
    /// The version of the harness.
    pub roundtrip: String,
    /// The machine's kind.
    pub host: String,
    /// The command that shows the finding again, in its folder.
    pub command: Option<String>,
    /// The paths that took part.
    pub paths: Vec<Toolchained>,
    /// The minimized program's report.
    pub minimized: StoredReport,
}

/// A report without its texts.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct StoredReport {
    /// The runs.
    pub runs: Vec<Run>,
    /// The faults.
    pub faults: Vec<PathFault>,
}

/// A text of `ir/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredText {
    /// The path whose it is; empty for a file that fits none of the finding's paths.
    pub path: String,
    /// The text's name: `clif`, `ssa`, `raised-construct`.
    pub name: String,
    /// The text.
    pub text: String,
}

/// `triage.json`: where the fault is, and how sure that is.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Triage {
    /// The independence group that is accused.
    pub accused: Accused,
    /// The first stage that is wrong.
    pub stage: Option<String>,
    /// The first pass after which it is wrong.
    pub pass: Option<String>,
    /// Which versions have it: whatever triage says of them.
    pub versions: serde_json::Value,
    /// `high`, `medium` or `low`.
    pub confidence: String,
    /// Why.
    pub why: String,
}

/// Whom a triage accuses.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Accused {
    /// The group.
    pub group: String,
    /// Why this one.
    pub why: String,
}

/// Reads everything below a folder. Hidden folders are findings being written; links are not followed.
pub fn below(folder: &Path) -> io::Result<Below> {
    let mut below = Below::default();
    let mut folders = vec![folder.to_path_buf()];
    let mut is_first = true;
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder).and_then(Iterator::collect::<io::Result<Vec<_>>>) {
            Ok(entries) => entries,
            Err(error) if is_first => return Err(error),
            Err(error) => {
                below.problems.push(format!("cannot read {}: {error}", folder.display()));
                continue;
            }
        };
        is_first = false;
        if folder.join(RECORD).is_file() {
            below.finding(&folder);
            continue;
        }
        for entry in entries {
            let path = entry.path();
            if entry.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "jsonl") {
                below.log(path);
            } else if entry.file_name() == VERSIONS {
                below.versions = below.json(&path).or(below.versions);
            } else if entry.file_name() == PLANTED {
                below.planted = below.json(&path).unwrap_or(below.planted);
            } else if entry.file_name() == IDENTITIES {
                below.identities = below.json(&path).unwrap_or(below.identities);
            }
        }
    }
    below.findings.sort_by(|a, b| a.folder.cmp(&b.folder));
    below.logs.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(below)
}

impl Below {
    /// A file of JSON lines without a single event is something else, such as `check --format json`.
    fn log(&mut self, file: PathBuf) {
        match run_log::read(&file) {
            Ok(log) if log.lines.is_empty() => {}
            Ok(log) => self.logs.push((file, log)),
            Err(error) => self.problems.push(format!("cannot read {}: {error}", file.display())),
        }
    }

    fn finding(&mut self, folder: &Path) {
        let mut stored = Stored { folder: folder.to_path_buf(), ..Stored::default() };
        if let Some(record) = self.json(&folder.join(RECORD)) {
            stored.record = record;
        }
        let name = || folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if stored.record.signature.is_empty() {
            stored.record.signature = name();
        }
        stored.program = Form::ALL
            .into_iter()
            .find_map(|form| Some((form, self.text(&folder.join(format!("min.{}", form.extension())))?)));
        if stored.program.is_none() {
            self.problems.push(format!("{} has no minimized program", folder.display()));
        }
        stored.original =
            Form::ALL.into_iter().find_map(|form| self.text(&folder.join(format!("original.{}", form.extension()))));
        stored.texts = self.texts(&folder.join("ir"), &stored.record.paths);
        let triage = folder.join("triage.json");
        stored.triage = triage.exists().then(|| self.json(&triage)).flatten();
        stored.draft = self.text(&folder.join("draft.md"));
        self.findings.push(stored);
    }

    /// The texts of a finding, each with the path that its file is named for.
    fn texts(&mut self, folder: &Path, paths: &[Toolchained]) -> Vec<StoredText> {
        let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
        let mut files: Vec<String> =
            entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
        files.sort();
        let text = |file: String| {
            let text = self.text(&folder.join(&file))?;
            let owner = paths
                .iter()
                .find_map(|Toolchained { path, .. }| Some((path.as_str(), file.strip_prefix(&text_file(path, ""))?)));
            let (path, name) = owner.unwrap_or(("", &file));
            Some(StoredText { path: path.into(), name: name.into(), text })
        };
        files.into_iter().filter_map(text).collect()
    }

    fn json<T: DeserializeOwned>(&mut self, file: &Path) -> Option<T> {
        let read = fs::read(file).map_err(|error| error.to_string());
        let parsed = read.and_then(|bytes| serde_json::from_slice(&bytes).map_err(|error| error.to_string()));
        parsed.map_err(|error| self.problems.push(format!("cannot read {}: {error}", file.display()))).ok()
    }

    /// A text, if the file is there; what is no UTF-8 of it is replaced, and a very long one is cut.
    fn text(&mut self, file: &Path) -> Option<String> {
        let mut bytes = Vec::new();
        let read = fs::File::open(file).and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes));
        match read {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => {
                self.problems.push(format!("cannot read {}: {error}", file.display()));
                return None;
            }
        }
        let is_cut = bytes.len() as u64 > LONGEST;
        bytes.truncate(LONGEST as usize);
        let mut text = String::from_utf8_lossy(&bytes).into_owned();
        if is_cut {
            text.push_str("\n[cut here; the rest is in the file]\n");
        }
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    const RECORDED: &str = r#"{"signature": "disagree.construct.lab", "verdict": "disagree", "of the future": 1,
        "paths": [{"path": "lab/phi", "toolchain": {"description": "lab", "group": "lab", "unavailable": null}},
                  {"path": "llvm@22.1.8/phi-O2", "toolchain": {"description": "", "group": "", "unavailable": null}}]}"#;

    #[test]
    fn findings_and_logs_are_found_wherever_they_lie() {
        let folder = folder(&[
            ("night/corpus/findings/a/finding.json", RECORDED),
            ("night/corpus/findings/a/min.tac", "ret 0\n"),
            ("night/corpus/findings/a/original.tac", "ret 1\n"),
            ("night/corpus/findings/a/draft.md", "# A draft"),
            ("night/corpus/findings/a/triage.json", r#"{"confidence": "high", "accused": {"group": "lab"}}"#),
            ("night/corpus/findings/a/ir/lab-phi.phi", "phi"),
            ("night/corpus/findings/a/ir/llvm@22.1.8-phi-O2.raised-optimize", "ssa"),
            ("night/corpus/findings/a/ir/notes", "of nobody"),
            ("night/corpus/findings/.new-1/finding.json", RECORDED),
            ("night/tiny.jsonl", "{\"event\":\"end\",\"time\":7,\"torn"),
            (
                "night/tac.jsonl",
                "{\"event\":\"finding\",\"time\":1,\"program\":3,\"signature\":\"s\",\"verdict\":\"crash\",\
                 \"folder\":null,\"new\":true,\"statements\":2}\n{\"torn",
            ),
        ]);
        let below = below(folder.path()).unwrap();
        assert_eq!(below.problems, Vec::<String>::new());
        let [finding] = &below.findings[..] else { panic!("{:?}", below.findings) };
        assert_eq!(
            (finding.record.signature.as_str(), finding.record.verdict.as_str()),
            ("disagree.construct.lab", "disagree")
        );
        assert_eq!(finding.program, Some((Form::Tac, "ret 0\n".into())));
        assert_eq!((finding.original.as_deref(), finding.draft.as_deref()), (Some("ret 1\n"), Some("# A draft")));
        let triage = finding.triage.as_ref().unwrap();
        assert_eq!((triage.confidence.as_str(), triage.accused.group.as_str()), ("high", "lab"));
        let texts: Vec<_> = finding.texts.iter().map(|text| (text.path.as_str(), text.name.as_str())).collect();
        assert_eq!(texts, [("lab/phi", "phi"), ("llvm@22.1.8/phi-O2", "raised-optimize"), ("", "notes")]);
        let [(_, log)] = &below.logs[..] else { panic!("{:?}", below.logs) };
        assert_eq!((log.lines.len(), log.unreadable), (1, 1));
    }

    #[test]
    fn what_cannot_be_read_is_told_and_the_rest_is_there() {
        let folder = folder(&[
            ("findings/a/finding.json", "{"),
            ("findings/a/triage.json", "7"),
            ("findings/b/finding.json", "{}"),
            ("findings/b/min.tiny", &"x".repeat(300 << 10)),
        ]);
        let below = below(folder.path()).unwrap();
        let signatures: Vec<_> = below.findings.iter().map(|finding| finding.record.signature.as_str()).collect();
        assert_eq!(signatures, ["a", "b"], "the folder's name stands in for a signature");
        let problems = below.problems.join("\n");
        assert!(problems.contains("a/finding.json") && problems.contains("a/triage.json"), "{problems}");
        assert!(problems.contains("a has no minimized program"), "{problems}");
        assert!(below.findings[1].program.as_ref().unwrap().1.ends_with("the rest is in the file]\n"));
        assert!(super::below(&folder.path().join("nowhere")).is_err());
    }
}
