//! Choosing paths by comma-separated globs.
//!
//! A glob without a version means the versions that are linked in; `@` reaches the others that are installed too, which
//! are loaded only then. A version may be shortened: `llvm@19/*` names those of 19.1.7.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use anyhow::{Context, anyhow, bail};
use globset::{Glob, GlobMatcher};
use harness::directives;
use harness::path::installed::Version;
use harness::path::{self, Path, PathId, installed};

use crate::status::Status;
use crate::terminal::Terminal;

/// Which paths take part.
#[derive(clap::Args)]
pub struct PathOptions {
    /// Comma-separated globs over path names, `!GLOB` takes out: `lab/*,llvm/*,!llvm/*-O2`. Without a version, the one
    /// that is linked in; `llvm@14/*` takes another that is installed
    #[arg(long, value_name = "GLOBS")]
    pub paths: Option<String>,
}

impl PathOptions {
    /// [`PathOptions::select`], and what programs' texts ask for by `# path:` lines, unless the options say all of it.
    pub fn select_for<'a>(
        &self,
        texts: impl Iterator<Item = &'a str>,
        terminal: &Terminal,
    ) -> anyhow::Result<Selected> {
        let usual = self.select(terminal)?;
        let names: BTreeSet<&str> = texts.flat_map(directives::paths).filter(|_| self.paths.is_none()).collect();
        let asked = names.into_iter().map(|name| (name.to_string(), by_name(name))).collect();
        Ok(Selected { usual, asked })
    }

    /// The paths asked for, in the registry's order; at least one, and all usable here. What a glob names beside others
    /// and can't be used is told and left out; of what a glob names, something must be usable.
    pub fn select(&self, terminal: &Terminal) -> anyhow::Result<Vec<Box<dyn Path>>> {
        let Some(globs) = &self.paths else {
            return Ok(available(path::registry(), terminal));
        };
        let patterns = split(globs).map(Pattern::new).collect::<anyhow::Result<Vec<_>>>()?;
        let all = candidates(&patterns)?;
        for pattern in &patterns {
            pattern.check(&all)?;
        }
        // A list that only takes out starts from everything.
        let starts_with = patterns.first().is_none_or(|pattern| pattern.takes_out);
        let chosen = |it: &Candidate| {
            let decided = patterns.iter().rev().find(|pattern| pattern.decides(it)).map(|pattern| !pattern.takes_out);
            decided.unwrap_or(starts_with && it.linked_in)
        };
        let selected: Vec<_> = all.into_iter().filter(chosen).collect();
        if selected.is_empty() {
            bail!("--paths {globs} leaves no path; `roundtrip paths` lists them");
        }
        for pattern in patterns.iter().filter(|pattern| !pattern.takes_out) {
            let named: Vec<_> = selected.iter().filter(|it| pattern.decides(it)).collect();
            let reasons: Vec<_> = named.iter().filter_map(|it| it.path.toolchain().unavailable).collect();
            if let [first, ..] = &reasons[..]
                && reasons.len() == named.len()
            {
                bail!("{} is not available: {first}", named[0].path.id());
            }
        }
        let usable = available(selected.into_iter().map(|it| it.path).collect(), terminal);
        if usable.is_empty() {
            bail!("--paths {globs} leaves no path that is available");
        }
        Ok(usable)
    }
}

/// The paths of some programs.
pub struct Selected {
    /// Those of all.
    usual: Vec<Box<dyn Path>>,
    /// What some ask for, by the name that they have there.
    asked: BTreeMap<String, anyhow::Result<Box<dyn Path>>>,
}

impl Selected {
    /// The paths of any program.
    pub fn all(&self) -> Vec<&dyn Path> {
        let usual = self.usual.iter().map(|path| &**path);
        usual.chain(self.asked.values().filter_map(|path| path.as_deref().ok())).collect()
    }

    /// The paths of a program, by its text. One that it asks for must be there, or nothing would be said of it.
    pub fn of(&self, text: &str) -> anyhow::Result<Vec<&dyn Path>> {
        let mut paths: Vec<&dyn Path> = self.usual.iter().map(|path| &**path).collect();
        for name in directives::paths(text) {
            match self.asked.get(name) {
                Some(Ok(path)) if paths.iter().all(|other| other.id() != path.id()) => paths.push(&**path),
                Some(Err(why)) => bail!("`# path: {name}`: {why:#}; --paths says what to run instead"),
                _ => {}
            }
        }
        Ok(paths)
    }
}

/// Leaves out what this machine cannot run, and says so, once for each reason.
pub fn available(mut all: Vec<Box<dyn Path>>, terminal: &Terminal) -> Vec<Box<dyn Path>> {
    let mut left_out = BTreeMap::<String, Vec<String>>::new();
    all.retain(|path| match path.toolchain().unavailable {
        None => true,
        Some(why) => {
            left_out.entry(why).or_default().push(path.id().to_string());
            false
        }
    });
    for (why, paths) in left_out {
        terminal.warn(format!("left out: {}: {why}", paths.join(", ")));
    }
    all
}

/// A path that globs choose from.
struct Candidate {
    path: Box<dyn Path>,
    /// Of the program itself, not of a shared object.
    linked_in: bool,
}

/// All paths that these globs may name. A shared object that can't be used is an error only if it is asked for.
fn candidates(patterns: &[Pattern]) -> anyhow::Result<Vec<Candidate>> {
    let variants: BTreeSet<_> = patterns.iter().filter_map(Pattern::own_variant).collect();
    let mut all = path::registry();
    all.extend(variants.iter().filter_map(|variant| path::custom("llvm", variant)));
    // A variant may be listed too, and the version that is linked in may be installed.
    let mut seen = HashSet::new();
    all.retain(|path| seen.insert(path.id()));
    let linked_in = all.len();
    for found in installed::found() {
        if patterns.iter().any(|pattern| pattern.may_name(&found.name())) {
            let mut further = found.paths().map_err(|reason| anyhow!(reason))?;
            for variant in &variants {
                further.extend(found.path(variant).map_err(|reason| anyhow!(reason))?);
            }
            further.retain(|path| seen.insert(path.id()));
            all.append(&mut further);
        }
    }
    let candidate = |(index, path)| Candidate { path, linked_in: index < linked_in };
    Ok(all.into_iter().enumerate().map(candidate).collect())
}

/// One glob of a list.
pub struct Pattern {
    text: String,
    matcher: GlobMatcher,
    takes_out: bool,
}

impl Pattern {
    /// The glob as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Reads a glob, `!` in front.
    pub fn new(text: &str) -> anyhow::Result<Pattern> {
        let (takes_out, glob) = match text.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let matcher = Glob::new(glob).with_context(|| format!("{glob:?} is not a glob"))?.compile_matcher();
        Ok(Pattern { text: glob.into(), matcher, takes_out })
    }

    /// Whether it names this path, with the version, a beginning of it, or without it.
    pub fn matches(&self, id: &PathId) -> bool {
        let mut version = id.version.as_deref();
        while let Some(known) = version {
            if self.matcher.is_match(PathId::new(&id.compiler, Some(known), &id.variant).to_string()) {
                return true;
            }
            version = known.rsplit_once('.').map(|(beginning, _)| beginning);
        }
        self.matcher.is_match(id.short())
    }

    /// The variant that it names, if it may be none of the registry's: one with passes of one's own, or pass by pass.
    fn own_variant(&self) -> Option<&str> {
        let is_own = |variant: &&str| variant.contains(':') || variant.starts_with("steps-");
        self.text.split_once('/').map(|(_, variant)| variant).filter(is_own)
    }

    /// Whether it says something of this path: one without a version takes in none that isn't linked in.
    fn decides(&self, it: &Candidate) -> bool {
        (it.linked_in || self.takes_out || self.text.contains('@')) && self.matches(&it.path.id())
    }

    /// Whether it takes in paths whose names may begin like this: `llvm@14`.
    fn may_name(&self, beginning: &str) -> bool {
        let plain = self.text.split(['*', '?', '[', '{', '\\']).next().unwrap_or_default();
        !self.takes_out && self.text.contains('@') && (plain.starts_with(beginning) || beginning.starts_with(plain))
    }

    /// Whether it is a name and no glob.
    fn is_plain(&self) -> bool {
        !self.text.contains(['*', '?', '[', '{'])
    }

    /// Refuses a pattern that names nothing, and a plain name without a version that several versions answer to. What
    /// is taken out need not be there.
    fn check(&self, all: &[Candidate]) -> anyhow::Result<()> {
        if self.takes_out {
            return Ok(());
        }
        let named: Vec<String> = all.iter().filter(|it| self.decides(it)).map(|it| it.path.id().to_string()).collect();
        match named.as_slice() {
            [] => bail!("no path is called {}; `roundtrip paths` lists them", self.text),
            [_, _, ..] if self.is_plain() => bail!("{} may be any of {}: say which", self.text, named.join(", ")),
            _ => Ok(()),
        }
    }
}

/// Every version that can be used, and the exit status that is due to those that can't: they are told and left out.
pub fn versions(terminal: &Terminal) -> (Vec<Version>, Status) {
    let (versions, errors) = Version::all();
    let status = if errors.is_empty() { Status::Good } else { Status::Usage };
    errors.into_iter().for_each(|error| terminal.fail(&anyhow!(error)));
    (versions, status)
}

/// The one path of a name, with or without the version.
pub fn by_name(name: &str) -> anyhow::Result<Box<dyn Path>> {
    let pattern = Pattern::new(&globset::escape(name))?;
    let all = candidates(std::slice::from_ref(&pattern))?;
    let mut named: Vec<_> = all.into_iter().filter(|it| pattern.decides(it)).map(|it| it.path).collect();
    match (named.pop(), named.pop()) {
        (None, _) => bail!("no path is called {name}; `roundtrip paths` lists them"),
        (Some(_), Some(_)) => bail!("{name} leaves the version open: say which"),
        (Some(path), None) => match path.toolchain().unavailable {
            Some(why) => bail!("{} is not available: {why}", path.id()),
            None => Ok(path),
        },
    }
}

/// The paths of these names, in this order.
pub fn exactly(ids: &[PathId]) -> anyhow::Result<Vec<Box<dyn Path>>> {
    let patterns: Vec<Pattern> =
        ids.iter().map(|id| Pattern::new(&globset::escape(&id.to_string()))).collect::<anyhow::Result<_>>()?;
    let mut all: Vec<_> = candidates(&patterns)?.into_iter().map(|it| (it.path.id(), it.path)).collect();
    let take = |id: &PathId| {
        let at = all.iter().position(|(name, _)| name == id).with_context(|| format!("there is no path {id}"))?;
        Ok(all.swap_remove(at).1)
    };
    ids.iter().map(take).collect()
}

/// Splits at commas, but not within braces.
pub fn split(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    list.split(move |c| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
    .map(str::trim)
    .filter(|part| !part.is_empty())
}
