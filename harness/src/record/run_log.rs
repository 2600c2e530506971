//! The run log: what a run of `roundtrip fuzz` did, as JSON lines, for reports and for whoever asks in the morning.
//!
//! A run writes `start`, then `progress` every few seconds and `finding` as they come, and last `end`. Each line is
//! written whole and at once. A run that was killed has no `end`, and its last line may be torn; [`read`] copes with
//! both. Several runs may follow each other in one file, never at the same time: the writer holds a lock on it.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::case::Form;
use crate::compare::Verdict;
use crate::record::{Part, Toolchained};

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
    /// When, in seconds since 1970.
    pub time: u64,
}

/// What a line says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Event {
    /// A run begins.
    Start(Start),
    /// Where it is.
    Progress(Totals),
    /// A finding whose identity this run sees for the first time.
    Finding(Found),
    /// The run ended in good order.
    End(End),
    /// A part of a long run, of which runs of `roundtrip fuzz` are parts, ended.
    Part(Part),
}

/// What a run is to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// The harness's version.
    pub roundtrip: String,
    /// The seed.
    pub seed: u64,
    /// The number of the first program.
    pub from: u64,
    /// The programs' language.
    pub form: Form,
    /// How many worker processes at once.
    pub jobs: usize,
    /// How far it is to go.
    pub limit: Limit,
    /// The paths that take part.
    pub paths: Vec<Toolchained>,
}

/// How far a run is to go.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// So many programs.
    Programs(u64),
    /// So long.
    Seconds(f64),
}

/// Totals of a run so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Programs checked.
    pub programs: u64,
    /// Programs by verdict.
    pub verdicts: Verdicts,
    /// Programs by the signature of their finding.
    pub signatures: BTreeMap<String, u64>,
    /// Every path.
    pub paths: Vec<PathTotals>,
    /// How often a worker process died or was killed.
    pub deaths: u64,
    /// Seconds since the start.
    pub seconds: f64,
}

/// Programs by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Verdicts {
    /// All executions gave one outcome.
    pub agree: u64,
    /// Executions differ.
    pub disagree: u64,
    /// Output that a validator rejects.
    pub invalid: u64,
    /// A compiler or compiled code died.
    pub crash: u64,
    /// A compiler or compiled code outran its limit.
    pub hang: u64,
    /// Nothing could be compared.
    pub inconclusive: u64,
    /// Findings that are known issues.
    pub known: u64,
}

/// What one path did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PathTotals {
    /// Its name.
    pub path: String,
    /// Programs given to it.
    pub programs: u64,
    /// Executions.
    pub runs: u64,
    /// Executions with another outcome than the right one.
    pub wrong: u64,
    /// Programs that it did not take.
    pub unsupported: u64,
    /// Invalid outputs, crashes and hangs.
    pub faults: u64,
    /// Time spent in it and in judging it.
    pub seconds: f64,
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// The program's number.
    pub program: u64,
    /// The finding's signature.
    pub signature: String,
    /// The verdict's name.
    pub verdict: String,
    /// Where it is recorded; absent when that failed.
    pub folder: Option<String>,
    /// Whether this run has recorded it; otherwise an earlier one had.
    pub new: bool,
    /// How large the minimized program is: statements, lines or instructions, by its language.
    pub statements: usize,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct End {
    /// The final totals.
    #[serde(flatten)]
    pub totals: Totals,
    /// What the run falls short of, a sentence each.
    pub shortfalls: Vec<String>,
    /// The exit status.
    pub exit: u8,
}

impl Verdicts {
    /// Counts a program.
    pub fn add(&mut self, verdict: &Verdict) {
        *match verdict {
            Verdict::Agree => &mut self.agree,
            Verdict::Disagree => &mut self.disagree,
            Verdict::Invalid => &mut self.invalid,
            Verdict::Crash => &mut self.crash,
            Verdict::Hang => &mut self.hang,
            Verdict::Inconclusive(_) => &mut self.inconclusive,
            Verdict::Known(_) => &mut self.known,
        } += 1;
    }

    /// Every verdict's name and number.
    pub fn rows(&self) -> [(&'static str, u64); 7] {
        let Verdicts { agree, disagree, invalid, crash, hang, inconclusive, known } = *self;
        [
            ("agree", agree),
            ("disagree", disagree),
            ("invalid", invalid),
            ("crash", crash),
            ("hang", hang),
            ("inconclusive", inconclusive),
            ("known", known),
        ]
    }

    /// Adds other numbers.
    pub fn merge(&mut self, other: &Verdicts) {
        self.agree += other.agree;
        self.disagree += other.disagree;
        self.invalid += other.invalid;
        self.crash += other.crash;
        self.hang += other.hang;
        self.inconclusive += other.inconclusive;
        self.known += other.known;
    }

    /// All programs.
    pub fn programs(&self) -> u64 {
        self.rows().iter().map(|(_, programs)| programs).sum()
    }

    /// The programs that are findings.
    pub fn findings(&self) -> u64 {
        self.disagree + self.invalid + self.crash + self.hang
    }
}

/// An open log. It belongs to this process until it is dropped.
pub struct Writer {
    file: File,
}

impl Writer {
    /// Opens a log to append to it, and makes it if it is not there.
    pub fn open(path: &Path) -> io::Result<Writer> {
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(io::Error::other("another run is writing it")),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // A run that was killed may have left half a line; ours must not become the rest of it.
        if file.seek(SeekFrom::End(0))? > 0 {
            let mut last = [0];
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut last)?;
            if last != [b'\n'] {
                file.write_all(b"\n")?;
            }
        }
        Ok(Writer { file })
    }

    /// Appends a line.
    pub fn write(&mut self, event: Event) -> io::Result<()> {
        let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let mut line = serde_json::to_vec(&Line { event, time })?;
        line.push(b'\n');
        self.file.write_all(&line)
    }
}

/// What a log holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Log {
    /// Its lines in order.
    pub lines: Vec<Line>,
    /// How many lines can't be read: torn by a kill, or of another version.
    pub unreadable: usize,
}

/// Reads a log.
pub fn read(path: &Path) -> io::Result<Log> {
    let bytes = fs::read(path)?;
    let mut log = Log::default();
    for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        match serde_json::from_slice(line) {
            Ok(line) => log.lines.push(line),
            Err(_) => log.unreadable += 1,
        }
    }
    Ok(log)
}

impl Log {
    /// The lines of each run: from a `start` up to the next. Lines before the first `start` belong to none.
    pub fn runs(&self) -> Vec<&[Line]> {
        let is_start = |line: &Line| matches!(line.event, Event::Start(_));
        let starts: Vec<usize> = (0..self.lines.len()).filter(|&at| is_start(&self.lines[at])).collect();
        let ends = starts.iter().skip(1).copied().chain([self.lines.len()]);
        starts.iter().zip(ends).map(|(&start, end)| &self.lines[start..end]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start() -> Event {
        Event::Start(Start {
            roundtrip: "0.1.0".into(),
            seed: 7,
            from: 0,
            form: Form::Tiny,
            jobs: 2,
            limit: Limit::Programs(10),
            paths: Vec::new(),
        })
    }

    fn end() -> Event {
        let mut verdicts = Verdicts::default();
        verdicts.add(&Verdict::Agree);
        let paths = vec![PathTotals { path: "lab/phi".into(), programs: 1, runs: 4, ..PathTotals::default() }];
        let totals = Totals { programs: 1, verdicts, paths, ..Totals::default() };
        Event::End(End { totals, shortfalls: vec!["too little".into()], exit: 3 })
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("log.jsonl");
        let mut writer = Writer::open(&file).unwrap();
        for event in [start(), end()] {
            writer.write(event).unwrap();
        }
        let log = read(&file).unwrap();
        let events: Vec<_> = log.lines.iter().map(|line| line.event.clone()).collect();
        assert_eq!((events, log.unreadable), (vec![start(), end()], 0));
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with(r#"{"event":"start","roundtrip":"0.1.0","seed":7,"#), "{text}");
        assert!(text.contains(r#""limit":{"programs":10}"#) && text.contains(r#""exit":3"#), "{text}");
    }

    #[test]
    fn a_torn_line_costs_itself_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("log.jsonl");
        Writer::open(&file).unwrap().write(start()).unwrap();
        let whole = fs::read(&file).unwrap();
        fs::write(&file, [&whole[..], &whole[..40]].concat()).unwrap();
        Writer::open(&file).unwrap().write(start()).unwrap();
        let log = read(&file).unwrap();
        assert_eq!((log.runs().len(), log.unreadable), (2, 1));
    }

    #[test]
    fn two_runs_do_not_share_a_log() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("log.jsonl");
        let first = Writer::open(&file).unwrap();
        assert!(Writer::open(&file).err().unwrap().to_string().contains("another run"));
        drop(first);
        Writer::open(&file).unwrap();
    }
}
