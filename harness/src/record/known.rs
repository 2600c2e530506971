//! Known issues: findings that somebody has filed, and that go on showing until the compiler is fixed.
//!
//! `corpus/known/NAME.toml` holds one issue: a pattern for its signature, the compiler and the range of its versions
//! that have it, a link, and a program that shows it. All passes of a compiler have one signature, so an issue of LLVM
//! may say which `pass` it is of, as the first after which a run goes wrong when they run one by one, and which
//! `variants` of paths have it. A finding that is nothing but known issues has the verdict `known`. An entry is bound
//! to versions and to its program, and expires: when the program shows it no more, the corpus is not as expected until
//! the entry is taken out.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use globset::{Glob, GlobMatcher};
use semver::{Version, VersionReq};
use serde::Deserialize;

use crate::case::Form;
use crate::compare::{Report, Signature};
use crate::path::{self, PathId, installed};

mod settle;

pub use settle::{settle, settling_paths};

/// The folder of a corpus that holds them.
pub(super) const FOLDER: &str = "known";
/// As many folders as there are from a finding to its corpus: `corpus/findings/IDENTITY`.
const DEEP: usize = 3;

/// A known issue.
#[derive(Clone, Debug)]
pub struct Known {
    /// Its name: the file's, without the ending.
    pub name: String,
    /// The file.
    pub file: PathBuf,
    /// What it is, in a sentence.
    pub summary: String,
    /// Where it is filed.
    pub link: String,
    /// The signatures that it has, as they are written.
    pub signature: String,
    /// The program that shows it, with its run directives.
    pub program: String,
    /// The program's language.
    pub form: Form,
    matcher: GlobMatcher,
    compiler: String,
    versions: VersionReq,
    /// The variants of paths that have it, if not all do.
    variants: Option<GlobMatcher>,
    /// The pass of LLVM that is wrong, if it is one's alone.
    pass: Option<GlobMatcher>,
}

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    summary: String,
    link: String,
    signature: String,
    compiler: String,
    versions: VersionReq,
    variants: Option<String>,
    pass: Option<String>,
    form: Option<Form>,
    program: Option<String>,
    /// Instead of `program`: a file beside.
    file: Option<String>,
}

/// Checks a program again, on these paths.
pub type Again<'a, E> = dyn Fn(&[&dyn path::Path]) -> Result<Report, E> + 'a;

/// An entry that can't be used.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {why}")]
pub struct BadEntry {
    file: String,
    why: String,
}

/// The known issues of a corpus, or of its folder `known` itself, in the order of their names. A corpus need have none.
pub fn read(corpus: &Path) -> Result<Vec<Known>, BadEntry> {
    let is_itself = fs::canonicalize(corpus).is_ok_and(|folder| folder.ends_with(FOLDER));
    let folder = if is_itself { corpus.to_path_buf() } else { corpus.join(FOLDER) };
    let unreadable = |error: std::io::Error| bad(&folder, format!("cannot read it: {error}"));
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(unreadable)?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            files.push(path);
        }
    }
    files.sort();
    files.iter().map(|file| entry(file)).collect()
}

/// The known issues of the corpus that a folder is in, if it is in one.
pub fn around(folder: &Path) -> Result<Vec<Known>, BadEntry> {
    let root = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
    let corpus = root.ancestors().take(DEEP).find(|corpus| corpus.join(FOLDER).is_dir());
    read(corpus.unwrap_or(folder))
}

fn bad(file: &Path, why: impl ToString) -> BadEntry {
    BadEntry { file: file.display().to_string(), why: why.to_string() }
}

fn entry(file: &Path) -> Result<Known, BadEntry> {
    let text = fs::read_to_string(file).map_err(|error| bad(file, format!("cannot read it: {error}")))?;
    let text: Text = toml::from_str(&text).map_err(|error| bad(file, error))?;
    let (program, form) = match (text.program, text.file) {
        (Some(program), None) => (program, text.form),
        (None, Some(name)) => {
            let beside = file.with_file_name(&name);
            let program =
                fs::read_to_string(&beside).map_err(|error| bad(file, format!("cannot read {name}: {error}")))?;
            let extension = beside.extension().and_then(|extension| extension.to_str());
            (program, text.form.or_else(|| Form::from_extension(extension?)))
        }
        _ => return Err(bad(file, "needs either `program`, a text, or `file`, a program beside it")),
    };
    let glob = |text: &str| Glob::new(text).map(|glob| glob.compile_matcher()).map_err(|error| bad(file, error));
    let matcher = glob(&text.signature)?;
    let variants = text.variants.as_deref().map(glob).transpose()?;
    let pass = text.pass.as_deref().map(glob).transpose()?;
    Ok(Known {
        name: file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        file: file.to_path_buf(),
        summary: text.summary,
        link: text.link,
        signature: text.signature,
        program,
        form: form.ok_or_else(|| bad(file, "needs `form`, the language of its program"))?,
        matcher,
        compiler: text.compiler,
        versions: text.versions,
        variants,
        pass,
    })
}

impl Known {
    /// Whether this path is one of those that have the issue: of the compiler, its versions and its variants.
    pub fn concerns(&self, path: &PathId) -> bool {
        path.compiler == self.compiler
            && self.variants.as_ref().is_none_or(|variants| variants.is_match(&path.variant))
            && path.version.as_deref().and_then(version).is_none_or(|version| self.versions.matches(&version))
    }

    /// Whether its pattern fits a signature.
    pub fn is_named(&self, signature: &Signature) -> bool {
        self.matcher.is_match(&signature.0)
    }

    /// Whether a finding may be this issue: its signature is, and everything wrong is of the compiler and its versions.
    pub fn covers(&self, report: &Report) -> bool {
        let wrong = report.wrong();
        report.signature.as_ref().is_some_and(|signature| self.is_named(signature))
            && !wrong.is_empty()
            && wrong.into_iter().all(|path| self.concerns(path))
    }

    /// The wrong paths that have this issue: all, unless it is one pass's. Then the first pass after which the path
    /// goes wrong must be that one.
    fn wrong_by_it<E>(&self, report: &Report, again: &Again<'_, E>) -> Result<BTreeSet<PathId>, E> {
        let mut by_it = BTreeSet::new();
        for id in report.wrong() {
            let is_its = match (&self.pass, installed::in_steps(id)) {
                (None, _) => true,
                (Some(_), None) => false,
                (Some(pass), Some(steps)) => {
                    let notes = again(&[&*steps])?.notes;
                    notes.iter().find_map(|(_, note)| note.pass.as_ref()).is_some_and(|first| pass.is_match(first))
                }
            };
            by_it.extend(is_its.then(|| id.clone()));
        }
        Ok(by_it)
    }

    /// Whether a report shows this issue as a matter of quality, which is no part of a verdict.
    pub fn is_quality_of(&self, report: &Report) -> bool {
        report.quality().iter().any(|(signature, (_, broken))| {
            self.is_named(signature) && broken.iter().any(|structure| self.concerns(&structure.path))
        })
    }
}

/// A compiler's version; some have fewer than three numbers, or more text behind them than a semantic version allows.
fn version(text: &str) -> Option<Version> {
    let digits = |part: &str| part.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok();
    let mut numbers = text.splitn(3, '.').map(digits);
    Some(Version::new(numbers.next()??, numbers.next().flatten().unwrap_or(0), numbers.next().flatten().unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Class, Run, Source, Verdict};
    use crate::op::End;
    use crate::path::Stage;
    use crate::structure::Structure;

    const ENTRY: &str = "summary = 's'\nlink = 'l'\nsignature = 'disagree.*.cranelift*'\ncompiler = 'cranelift'\n\
                         versions = '>=0.90, <0.136'\nform = 'tiny'\nprogram = 'return 1'\n";

    fn written(text: &str) -> Result<Vec<Known>, BadEntry> {
        let corpus = tempfile::tempdir().unwrap();
        fs::create_dir(corpus.path().join(FOLDER)).unwrap();
        fs::write(corpus.path().join("known/issue.toml"), text).unwrap();
        fs::write(corpus.path().join("known/beside.tac"), "ret 1").unwrap();
        read(corpus.path())
    }

    fn path(compiler: &str, version: &str) -> PathId {
        PathId::new(compiler, Some(version), "speed")
    }

    /// A report in which these paths are wrong.
    fn report(signature: &str, wrong: &[PathId]) -> Report {
        let source = |path: &PathId| Source { path: path.clone(), stage: Stage::Execute, group: path.compiler.clone() };
        let class = Class { outcome: End::Return(2).into(), sources: wrong.iter().map(source).collect() };
        Report {
            verdict: Verdict::Disagree,
            signature: Some(Signature(signature.into())),
            runs: vec![Run { inputs: vec![], right: End::Return(1).into(), classes: vec![class] }],
            faults: Vec::new(),
            unsupported: Vec::new(),
            notes: Vec::new(),
            structure: Vec::new(),
            texts: Vec::new(),
        }
    }

    #[test]
    fn a_finding_is_known_by_signature_compiler_and_version() {
        let known = &written(ENTRY).unwrap()[0];
        assert_eq!((known.name.as_str(), known.form, known.program.as_str()), ("issue", Form::Tiny, "return 1"));
        let covers = |signature, wrong: &[PathId]| known.covers(&report(signature, wrong));
        assert!(covers("disagree.execute.cranelift~", &[path("cranelift", "0.135.8")]));
        assert!(!covers("crash.execute.cranelift", &[path("cranelift", "0.135.8")]), "another signature");
        assert!(!covers("disagree.execute.cranelift", &[path("cranelift", "0.136.0")]), "another version");
        let both = [path("cranelift", "0.135.8"), path("llvm", "22.1.8")];
        assert!(!covers("disagree.execute.cranelift,llvm", &both), "another compiler as well");
        assert!(!covers("disagree.execute.cranelift", &[]), "nobody is wrong");
    }

    #[test]
    fn quality_shows_an_issue_and_is_no_finding() {
        let text = ENTRY.replace("disagree.*.cranelift*", "quality.construct.cranelift.trivial");
        let known = &written(&text).unwrap()[0];
        let function = crate::lab::parse_ssa("ssa(a)\ne:\n  br l(a)\nl(x):\n  ret x").unwrap();
        let structure = |version| Structure::of(&path("cranelift", version), "cranelift", &function, 0);
        let mut report = report("disagree.execute.lab", &[]);
        assert!(!known.is_quality_of(&report));
        report.structure = vec![structure("0.135.8")];
        assert!(known.is_quality_of(&report) && !known.covers(&report));
        report.structure = vec![structure("0.136.0")];
        assert!(!known.is_quality_of(&report));
    }

    #[test]
    fn bad_entries_say_what_is_missing() {
        let beside = ENTRY.replace("program = 'return 1'", "file = 'beside.tac'").replace("form = 'tiny'\n", "");
        assert_eq!(written(&beside).unwrap()[0].form, Form::Tac);
        for (from, to, why) in [
            ("program = 'return 1'", "", "needs either"),
            ("program = 'return 1'", "file = 'nowhere.tac'", "cannot read nowhere.tac"),
            ("form = 'tiny'", "", "needs `form`"),
            (">=0.90, <0.136", "soon", "versions"),
            ("link = 'l'", "links = 'l'", "links"),
        ] {
            let error = written(&ENTRY.replace(from, to)).unwrap_err().to_string();
            assert!(error.contains("issue.toml: ") && error.contains(why), "{error}");
        }
        assert!(read(Path::new("/nowhere")).unwrap().is_empty());
    }

    #[test]
    fn a_folder_within_a_corpus_has_its_known_issues() {
        let corpus = tempfile::tempdir().unwrap();
        let [known, finding] = [FOLDER, "findings/a.b"].map(|name| corpus.path().join(name));
        for folder in [&known, &finding] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(known.join("issue.toml"), ENTRY).unwrap();
        for folder in [corpus.path(), &known, &finding, finding.parent().unwrap()] {
            assert_eq!(around(folder).unwrap().len(), 1, "{}", folder.display());
        }
        assert!(read(&finding).unwrap().is_empty() && around(Path::new("/nowhere")).unwrap().is_empty());
    }

    #[test]
    fn versions_are_read_leniently() {
        let read = |text| version(text).map(|version| version.to_string());
        assert_eq!(read("22.1.8").as_deref(), Some("22.1.8"));
        assert_eq!(read("12.2").as_deref(), Some("12.2.0"));
        assert_eq!(read("14.0.6-12ubuntu").as_deref(), Some("14.0.6"));
        assert_eq!(read("trunk"), None);
    }
}
