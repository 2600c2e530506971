//! What a long run left in its folder (`scripts/nightly`): the parts in `results.jsonl`, findings, libFuzzer's
//! artifacts, the corpus replayed, coverage. It is read while the run goes on and after it was killed, so everything
//! may be missing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::compare::Signature;
use crate::compare::matrix::Matrix;
use crate::record::coverage::{self, Lines};
use crate::record::read::Triage;
use crate::record::run_log::{self, Event, Log, Totals, Verdicts};
use crate::record::self_test::{IDENTITIES, PLANTED, Planted};
use crate::record::{Part, corpus, part};
use crate::structure::KIND;

/// The parts and the runs of `roundtrip fuzz`.
pub const RESULTS: &str = "results.jsonl";

/// The corpus on every version: what `roundtrip versions --out` writes.
pub const VERSIONS: &str = "versions.json";

/// The part that replays the corpus; its log holds the objects of `corpus check --format json`.
const CORPUS: &str = "corpus";

/// A long run, as far as it came.
#[derive(Debug, Default)]
pub struct Night {
    /// The parts that have ended, in order.
    pub parts: Vec<Part>,
    /// Parts that began and did not end: the run goes on, or was killed in them.
    pub unfinished: BTreeSet<String>,
    /// Programs by verdict, of all runs of `roundtrip fuzz`.
    pub verdicts: Verdicts,
    /// The findings.
    pub findings: Vec<Finding>,
    /// Findings of kind `quality`: slower code, which is no failure.
    pub quality: Vec<Finding>,
    /// Inputs that a fuzz target failed on.
    pub artifacts: Vec<PathBuf>,
    /// The corpus's entries.
    pub replayed: Vec<Replayed>,
    /// The corpus on every version of every compiler.
    pub versions: Option<Matrix>,
    /// The faults that were planted in the harness, from one seed.
    pub planted: Vec<Planted>,
    /// The same from many seeds.
    pub identities: Vec<Planted>,
    /// How much of each module was executed.
    pub coverage: BTreeMap<String, Lines>,
    /// What can't be read.
    pub problems: Vec<String>,
}

/// A finding in its folder.
#[derive(Debug)]
pub struct Finding {
    /// What makes it one finding: its folder's name.
    pub identity: String,
    /// Its verdict's name.
    pub verdict: String,
    /// The minimized program's file, within the run's folder.
    pub file: PathBuf,
    /// The minimized program.
    pub program: String,
    /// What triage made of it.
    pub triage: Option<Triage>,
}

/// An entry of the corpus, as `corpus check --format json` has it.
#[derive(Debug, Deserialize)]
pub struct Replayed {
    /// Its file.
    pub file: String,
    /// The verdict that is expected.
    pub expected: String,
    /// The verdict now.
    pub verdict: String,
    /// The signature, if it is a finding.
    pub signature: Option<String>,
    /// Whether it is as expected.
    pub ok: bool,
}

impl Night {
    /// Reads a folder.
    pub fn read(folder: &Path) -> io::Result<Night> {
        let mut night = Night::default();
        fs::read_dir(folder)?;
        night.results(&folder.join(RESULTS));
        let ended: BTreeSet<String> = night.parts.iter().map(|part| part.name.clone()).collect();
        night.unfinished = &names(&folder.join("logs"), ".log") - &ended;
        night.findings(folder);
        night.artifacts = files(&folder.join("artifacts"), folder);
        let replayed = fs::read_to_string(folder.join(format!("logs/{CORPUS}.log"))).unwrap_or_default();
        night.replayed = replayed.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        night.versions = night.written(&folder.join(VERSIONS));
        night.planted = night.written(&folder.join(PLANTED)).unwrap_or_default();
        night.identities = night.written(&folder.join(IDENTITIES)).unwrap_or_default();
        let coverage = folder.join("coverage.json");
        if coverage.exists() {
            match coverage::read(&coverage) {
                Ok(modules) => night.coverage = modules,
                Err(error) => night.problem(&coverage, &error),
            }
        }
        Ok(night)
    }

    /// The exit status of all of it. A run that compared no program has shown nothing, however well its parts ended.
    pub fn status(&self) -> u8 {
        let mut statuses: Vec<u8> = self.parts.iter().map(|part| part.status).collect();
        if !self.findings.is_empty() || !self.artifacts.is_empty() {
            statuses.push(1);
        }
        if !self.shortfalls().is_empty() {
            statuses.push(3);
        }
        part::heaviest(statuses)
    }

    /// What the run falls short of, each in a sentence.
    pub fn shortfalls(&self) -> Vec<String> {
        let mut sentences = self.problems.clone();
        if self.verdicts.programs() == 0 {
            sentences.push("no program was compared".into());
        }
        sentences.extend(self.unfinished.iter().map(|part| format!("the part {part} did not end")));
        sentences
    }

    fn results(&mut self, file: &Path) {
        let log = match run_log::read(file) {
            Ok(log) => log,
            // Nothing has ended yet.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => return self.problem(file, &error),
        };
        for line in &log.lines {
            if let Event::Part(part) = &line.event {
                self.parts.push(part.clone());
            }
        }
        totals(&log).iter().for_each(|totals| self.verdicts.merge(&totals.verdicts));
    }

    /// What a part wrote, if it did.
    fn written<T: DeserializeOwned>(&mut self, file: &Path) -> Option<T> {
        let read = match fs::read(file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            read => read.and_then(|bytes| Ok(serde_json::from_slice(&bytes)?)),
        };
        read.map_err(|error| self.problem(file, &error)).ok()
    }

    fn findings(&mut self, folder: &Path) {
        // The folder is there once there is a finding.
        let Ok(entries) = corpus::entries(&folder.join("findings")) else { return };
        for entry in entries {
            let program = fs::read_to_string(&entry.file);
            let triage = fs::read(entry.file.with_file_name("triage.json"));
            match (entry.expected, program) {
                (Ok(expected), Ok(program)) => {
                    let signature = Signature(expected.signature.unwrap_or_else(|| expected.verdict.clone()));
                    let kind = if signature.kind() == KIND { &mut self.quality } else { &mut self.findings };
                    let identity = entry.file.parent().and_then(Path::file_name).unwrap_or_default();
                    kind.push(Finding {
                        identity: identity.to_string_lossy().into_owned(),
                        verdict: expected.verdict,
                        file: within(&entry.file, folder),
                        program,
                        triage: triage.ok().and_then(|triage| serde_json::from_slice(&triage).ok()),
                    });
                }
                (Err(why), _) => self.problems.push(why),
                (_, Err(error)) => self.problem(&entry.file, &error),
            }
        }
    }

    fn problem(&mut self, file: &Path, error: &io::Error) {
        self.problems.push(format!("cannot read {}: {error}", file.display()));
    }
}

/// The last totals of each run in a log: those of its end, or how far it was.
fn totals(log: &Log) -> Vec<&Totals> {
    let last = |lines: &'_ [_]| -> Option<usize> {
        lines.iter().rposition(|line: &run_log::Line| matches!(line.event, Event::End(_) | Event::Progress(_)))
    };
    let runs = log.runs().into_iter();
    runs.filter_map(|run| match &run[last(run)?].event {
        Event::End(end) => Some(&end.totals),
        Event::Progress(totals) => Some(totals),
        _ => None,
    })
    .collect()
}

/// The files of a folder with this ending, without it.
fn names(folder: &Path, ending: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| Some(entry.file_name().to_str()?.strip_suffix(ending)?.to_owned())).collect()
}

/// All files two levels down, by their names within `root`.
fn files(folder: &Path, root: &Path) -> Vec<PathBuf> {
    let below = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<_> =
        below(folder).flat_map(|folder| below(&folder).collect::<Vec<_>>()).map(|file| within(&file, root)).collect();
    files.sort();
    files
}

fn within(file: &Path, root: &Path) -> PathBuf {
    file.strip_prefix(root).unwrap_or(file).to_path_buf()
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

    fn part(name: &str, status: u8) -> String {
        let part = Part { name: name.into(), status, why: None, seconds: 1, budget: Some(2), command: "true".into() };
        serde_json::to_string(&run_log::Line { event: Event::Part(part), time: 1 }).unwrap() + "\n"
    }

    fn progress(agree: u64) -> String {
        let totals = Totals { verdicts: Verdicts { agree, ..Verdicts::default() }, ..Totals::default() };
        let start = r#"{"event":"start","roundtrip":"","seed":1,"from":0,"form":"tiny","jobs":1,"limit":{"programs":1},"paths":[],"time":1}"#;
        let progress = serde_json::to_string(&run_log::Line { event: Event::Progress(totals), time: 1 }).unwrap();
        format!("{start}\n{progress}\n")
    }

    #[test]
    fn a_run_is_read_as_far_as_it_came() {
        let results = [part("tiny", 0), progress(7), progress(5), part("corpus", 1), "{\"torn".into()].concat();
        let folder = folder(&[
            (RESULTS, &results),
            ("logs/tiny.log", ""),
            ("logs/tac.log", ""),
            (
                "logs/corpus.log",
                "note: x\n{\"file\":\"a.tiny\",\"expected\":\"agree\",\"verdict\":\"crash\",\"ok\":false}\n",
            ),
            ("findings/crash.x/finding.json", r#"{"verdict": "crash", "signature": "crash.x"}"#),
            ("findings/crash.x/min.tiny", "return 1\n"),
            ("findings/crash.x/triage.json", r#"{"confidence": "high"}"#),
            ("artifacts/parse/crash-1", "x"),
        ]);
        let night = Night::read(folder.path()).unwrap();
        assert_eq!(night.parts.iter().map(|part| part.name.as_str()).collect::<Vec<_>>(), ["tiny", "corpus"]);
        assert_eq!(night.unfinished, ["tac".to_owned()].into());
        assert_eq!((night.verdicts.programs(), night.status()), (12, 1));
        let [finding] = &night.findings[..] else { panic!("{:?}", night.findings) };
        assert_eq!((finding.identity.as_str(), finding.program.as_str()), ("crash.x", "return 1\n"));
        assert_eq!(finding.file, Path::new("findings/crash.x/min.tiny"));
        assert_eq!(finding.triage.as_ref().map(|triage| triage.confidence.as_str()), Some("high"));
        assert_eq!(night.artifacts, [Path::new("artifacts/parse/crash-1")]);
        assert!(matches!(&night.replayed[..], [Replayed { ok: false, .. }]), "{:?}", night.replayed);
        assert_eq!(night.shortfalls(), ["the part tac did not end"]);
    }

    #[test]
    fn a_run_that_compared_nothing_is_inconclusive() {
        let good = folder(&[(RESULTS, &(part("tiny", 0) + &progress(1)))]);
        assert_eq!(Night::read(good.path()).unwrap().status(), 0);
        let empty = folder(&[(RESULTS, &part("tiny", 0))]);
        let night = Night::read(empty.path()).unwrap();
        assert_eq!((night.status(), night.shortfalls()), (3, vec!["no program was compared".to_owned()]));
    }

    #[test]
    fn a_finding_counts_whatever_its_part_said() {
        let recorded = r#"{"verdict": "hang", "signature": "hang.x"}"#;
        let results = part("tiny", 0) + &progress(1);
        let files = [(RESULTS, results.as_str()), ("findings/h/finding.json", recorded), ("findings/h/min.tac", "")];
        assert_eq!(Night::read(folder(&files).path()).unwrap().status(), 1);
        let files = [(RESULTS, results.as_str()), ("artifacts/parse/crash-1", "")];
        assert_eq!(Night::read(folder(&files).path()).unwrap().status(), 1);
    }

    #[test]
    fn slower_code_is_no_failure() {
        let recorded = r#"{"verdict": "agree", "signature": "quality.construct.llvm.trivial"}"#;
        let results = part("tiny", 0) + &progress(1);
        let files = [(RESULTS, results.as_str()), ("findings/q/finding.json", recorded), ("findings/q/min.tac", "")];
        let night = Night::read(folder(&files).path()).unwrap();
        assert_eq!((night.status(), night.findings.len(), night.quality.len()), (0, 0, 1));
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let results = part("tiny", 0) + &progress(1);
        let folder =
            folder(&[(RESULTS, &results), ("coverage.json", "{"), (PLANTED, "[7]"), ("findings/a/min.tiny", "")]);
        let night = Night::read(folder.path()).unwrap();
        assert_eq!((night.status(), night.problems.len()), (3, 3), "{:?}", night.problems);
        assert!(Night::read(&folder.path().join("nowhere")).is_err());
    }
}
