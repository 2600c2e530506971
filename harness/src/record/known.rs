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
use crate::compare::{Report, Signature, Verdict};
use crate::path::{self, PathId, installed};

/// The folder of a corpus that holds them.
pub(super) const FOLDER: &str = "known";

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

/// A report as it is when known issues are no findings. Everything wrong must be known: what remains when the paths
/// that have a known issue are left out is looked at `again`, so that one issue hides no other; and so is a path pass
/// by pass, where an issue is one pass's.
pub fn settle<E>(
    known: &[Known],
    report: Report,
    paths: &[&dyn path::Path],
    again: &Again<'_, E>,
) -> Result<Report, E> {
    let mut issues: Vec<&str> = Vec::new();
    let mut paths = paths.to_vec();
    let mut left = None;
    'issues: loop {
        let current = left.as_ref().unwrap_or(&report);
        if !current.verdict.is_finding() {
            break;
        }
        for issue in known.iter().filter(|issue| issue.covers(current)) {
            let by_it = issue.wrong_by_it(current, again)?;
            if by_it.is_empty() {
                continue;
            }
            issues.push(&issue.name);
            let before = paths.len();
            paths.retain(|path| !by_it.contains(&path.id()));
            if paths.is_empty() || paths.len() == before {
                break 'issues;
            }
            left = Some(again(&paths)?);
            continue 'issues;
        }
        return Ok(left.unwrap_or(report));
    }
    if issues.is_empty() {
        return Ok(report);
    }
    Ok(Report { verdict: Verdict::Known(issues.join(", ")), ..report })
}

/// Those that run pass by pass of paths that have an issue of a pass: what [`settle`] looks at beside these paths.
pub fn settling_paths(known: &[Known], paths: &[&dyn path::Path]) -> Vec<Box<dyn path::Path>> {
    let of_passes: Vec<&Known> = known.iter().filter(|issue| issue.pass.is_some()).collect();
    let ids = paths.iter().map(|path| path.id()).filter(|id| of_passes.iter().any(|issue| issue.concerns(id)));
    let is_new = |id: &PathId| paths.iter().all(|path| path.id() != *id);
    ids.filter_map(|id| installed::in_steps(&id)).filter(|steps| is_new(&steps.id())).collect()
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
    use crate::case::{Case, DEFAULT_FUEL, Program};
    use crate::compare::{Class, Run, Source};
    use crate::op::End;
    use crate::path::Detail;
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
    fn versions_are_read_leniently() {
        let read = |text| version(text).map(|version| version.to_string());
        assert_eq!(read("22.1.8").as_deref(), Some("22.1.8"));
        assert_eq!(read("12.2").as_deref(), Some("12.2.0"));
        assert_eq!(read("14.0.6-12ubuntu").as_deref(), Some("14.0.6"));
        assert_eq!(read("trunk"), None);
    }

    #[test]
    fn one_issue_hides_no_other_finding() {
        let folder = tempfile::tempdir().unwrap();
        let entry = "summary = ''\nlink = ''\nsignature = 'disagree.*.lab*'\ncompiler = 'lab'\nversions = '*'\n\
                     form = 'tiny'\nprogram = ''\n";
        std::fs::create_dir(folder.path().join("known")).unwrap();
        std::fs::write(folder.path().join("known/a.toml"), entry).unwrap();
        let known = read(folder.path()).unwrap();

        let program = Program::Tiny(crate::tiny::parse("input x;\nreturn x").unwrap());
        let case = Case { program, vectors: vec![vec![7]], fuel: DEFAULT_FUEL };
        let registry = crate::path::registry();
        let paths: Vec<&dyn path::Path> = registry.iter().map(|path| &**path).collect();
        let agrees = crate::check(&case, &paths, Detail::default());
        let shows = |signature: &str, wrong: &str| {
            let mut report = agrees.clone();
            report.verdict = Verdict::Disagree;
            report.signature = Some(crate::compare::Signature(signature.into()));
            let class = &mut report.runs[0].classes[0];
            let (sources, right) = class.sources.drain(..).partition(|source| source.path.short() == wrong);
            class.sources = right;
            let outcome = crate::op::End::Return(0).into();
            report.runs[0].classes.push(crate::compare::Class { outcome, sources });
            report
        };
        let settled = |left: Report| {
            let again = |paths: &[&dyn path::Path]| {
                assert!(paths.iter().all(|path| path.id().short() != "lab/phi"));
                Ok::<_, ()>(left.clone())
            };
            settle(&known, shows("disagree.execute.lab~", "lab/phi"), &paths, &again).unwrap()
        };
        assert_eq!(settled(agrees.clone()).verdict, Verdict::Known("a".into()));
        let other = shows("disagree.execute.tac", "lab/tac");
        assert_eq!(settled(other.clone()), Report { verdict: Verdict::Disagree, ..other }, "its signature is another");
    }
}
