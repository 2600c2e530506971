//! Choosing paths by comma-separated globs.

use anyhow::{Context, bail};
use globset::{Glob, GlobMatcher};
use harness::path::{self, Path, PathId};

use crate::terminal::Terminal;

/// Which paths take part.
#[derive(clap::Args)]
pub struct PathOptions {
    /// Comma-separated globs over path names, `!GLOB` takes out: `lab/*,llvm/*,!llvm/*-O2`. The version may be left out
    #[arg(long, value_name = "GLOBS")]
    pub paths: Option<String>,
}

impl PathOptions {
    /// The paths asked for, in the registry's order; at least one, and all usable here.
    pub fn select(&self, terminal: &Terminal) -> anyhow::Result<Vec<Box<dyn Path>>> {
        let all = path::registry();
        let Some(globs) = &self.paths else {
            return Ok(available(all, terminal));
        };
        let patterns = split(globs).map(Pattern::new).collect::<anyhow::Result<Vec<_>>>()?;
        for pattern in &patterns {
            pattern.check(&all)?;
        }
        // A list that only takes out starts from everything.
        let starts_with = patterns.first().is_none_or(|pattern| pattern.takes_out);
        let chosen = |path: &dyn Path| {
            patterns.iter().rfold(None, |decided, p| decided.or_else(|| p.matches(&path.id()).then_some(!p.takes_out)))
        };
        let selected: Vec<_> = all.into_iter().filter(|path| chosen(&**path).unwrap_or(starts_with)).collect();
        if selected.is_empty() {
            bail!("--paths {globs} leaves no path; `roundtrip paths` lists them");
        }
        for path in &selected {
            if let Some(why) = path.toolchain().unavailable {
                bail!("{} is not available: {why}", path.id());
            }
        }
        Ok(selected)
    }
}

/// Leaves out what this machine cannot run, and says so.
fn available(all: Vec<Box<dyn Path>>, terminal: &Terminal) -> Vec<Box<dyn Path>> {
    all.into_iter()
        .filter(|path| match path.toolchain().unavailable {
            None => true,
            Some(why) => {
                terminal.warn(format!("{} is left out: {why}", path.id()));
                false
            }
        })
        .collect()
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

    /// Whether it names this path, with or without the version.
    pub fn matches(&self, id: &PathId) -> bool {
        self.matcher.is_match(id.to_string()) || self.matcher.is_match(id.short())
    }

    /// Refuses a pattern that names nothing, and a plain name without a version that several versions answer to. What
    /// is taken out need not be there.
    fn check(&self, all: &[Box<dyn Path>]) -> anyhow::Result<()> {
        if self.takes_out {
            return Ok(());
        }
        let named: Vec<String> =
            all.iter().map(|path| path.id()).filter(|id| self.matches(id)).map(|id| id.to_string()).collect();
        let is_plain = !self.text.contains(['*', '?', '[', '{']);
        match named.as_slice() {
            [] => bail!("no path is called {}; `roundtrip paths` lists them", self.text),
            [_, _, ..] if is_plain => bail!("{} may be any of {}: say which", self.text, named.join(", ")),
            _ => Ok(()),
        }
    }
}

/// The one path of a name, with or without the version.
pub fn by_name(name: &str) -> anyhow::Result<Box<dyn Path>> {
    let pattern = Pattern::new(&globset::escape(name))?;
    let all = path::registry();
    let mut named: Vec<_> = all.into_iter().filter(|path| pattern.matches(&path.id())).collect();
    match (named.pop(), named.pop()) {
        (None, _) => bail!("no path is called {name}; `roundtrip paths` lists them"),
        (Some(_), Some(_)) => bail!("{name} leaves the version open: say which"),
        (Some(path), None) => match path.toolchain().unavailable {
            Some(why) => bail!("{} is not available: {why}", path.id()),
            None => Ok(path),
        },
    }
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
