//! Names of values, variables and blocks, kept as numbers until somebody reads them.
//!
//! The constructions make fresh names by the thousand (`s.1`, `t.0_4`); a text for each would cost more than the rest
//! of their work. A [`Name`] is a base and at most one version; [`Names`] is a table of them.

use std::collections::HashMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A name of a [`Names`] table: its base's index and, for fresh names, what follows the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Name {
    base: u32,
    version: Version,
}

/// What follows a name's base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Version {
    /// Nothing: the base is the whole name.
    None,
    /// `Bk`: the number directly after the base.
    Plain(u32),
    /// `x.k`.
    Dot(u32),
    /// `t.1_k`: the version of a name that has a dot itself.
    Underscore(u32),
}

impl Version {
    fn write(self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Version::None => Ok(()),
            Version::Plain(k) => write!(f, "{k}"),
            Version::Dot(k) => write!(f, ".{k}"),
            Version::Underscore(k) => write!(f, "_{k}"),
        }
    }
}

/// What names begin with: a text, or a name of another table, which has a version of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Base {
    text: Box<str>,
    version: Version,
    /// Whether all this together has a dot.
    dotted: bool,
}

/// A table of names. An entity's number is its name's index. Two tables are equal when their texts are.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Names {
    bases: Vec<Base>,
    names: Vec<Name>,
}

impl Names {
    /// How many names there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Adds a base text for [`Names::push_version`].
    pub fn base(&mut self, text: impl Into<Box<str>>) -> u32 {
        let text = text.into();
        let dotted = text.contains('.');
        self.add_base(Base { text, version: Version::None, dotted })
    }

    /// Adds a name of another table as a base: `t.1` for `t.1_k`, without making its text.
    pub fn base_of(&mut self, other: &Names, index: u32) -> u32 {
        let name = other.names[index as usize];
        let base = &other.bases[name.base as usize];
        if matches!(base.version, Version::None) {
            let dotted = base.dotted || matches!(name.version, Version::Dot(_));
            self.add_base(Base { text: base.text.clone(), version: name.version, dotted })
        } else {
            self.base(other.get(index).to_string())
        }
    }

    /// Adds a whole name and gives its index.
    pub fn push(&mut self, text: impl Into<Box<str>>) -> u32 {
        let base = self.base(text);
        self.push_base(base)
    }

    /// Adds a base as it is as a name and gives its index.
    pub fn push_base(&mut self, base: u32) -> u32 {
        self.add(Name { base, version: Version::None })
    }

    /// Adds version `k` of a base, `x.k`, or `x_k` when the base has a dot itself, and gives its index.
    pub fn push_version(&mut self, base: u32, k: u32) -> u32 {
        let dotted = self.bases[base as usize].dotted;
        self.add(Name { base, version: if dotted { Version::Underscore(k) } else { Version::Dot(k) } })
    }

    /// Adds the base with the number directly after it, `L0` or `B0`, and gives its index.
    pub fn push_numbered(&mut self, base: u32, k: u32) -> u32 {
        self.add(Name { base, version: Version::Plain(k) })
    }

    fn add_base(&mut self, base: Base) -> u32 {
        self.bases.push(base);
        self.bases.len() as u32 - 1
    }

    fn add(&mut self, name: Name) -> u32 {
        self.names.push(name);
        self.names.len() as u32 - 1
    }

    /// The name with this index, to print.
    pub fn get(&self, index: u32) -> impl fmt::Display + '_ {
        struct Shown<'a>(&'a Base, Version);
        impl fmt::Display for Shown<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0.text)?;
                self.0.version.write(f)?;
                self.1.write(f)
            }
        }
        let name = self.names[index as usize];
        Shown(&self.bases[name.base as usize], name.version)
    }

    /// The names' texts in order.
    pub fn texts(&self) -> impl Iterator<Item = String> + '_ {
        (0..self.len() as u32).map(|index| self.get(index).to_string())
    }
}

impl PartialEq for Names {
    fn eq(&self, other: &Names) -> bool {
        self.len() == other.len()
            && ((self.names == other.names && self.bases == other.bases) || self.texts().eq(other.texts()))
    }
}

impl Eq for Names {}

/// The short name with this number: `a` to `z`, then `a1` to `z1`, and so on. Never a keyword of Tiny, and without a
/// dot.
pub fn short(index: u32) -> Box<str> {
    const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz";
    let (round, letter) = (index / 26, (index % 26) as usize);
    let letter = &LETTERS[letter..=letter];
    if round == 0 { letter.into() } else { format!("{letter}{round}").into() }
}

/// A table under construction from a text: the same text is the same index.
#[derive(Debug, Default)]
pub struct Interner {
    names: Names,
    indices: HashMap<Box<str>, u32>,
}

impl Interner {
    /// The index of this text, new or known.
    pub fn intern(&mut self, text: &str) -> u32 {
        if let Some(&index) = self.indices.get(text) {
            return index;
        }
        let index = self.names.push(text);
        self.indices.insert(text.into(), index);
        index
    }

    /// The index of this text if it occurred.
    pub fn get(&self, text: &str) -> Option<u32> {
        self.indices.get(text).copied()
    }

    /// The table.
    pub fn finish(self) -> Names {
        self.names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_follow_the_dot_rule() {
        let mut tac = Names::default();
        let t = tac.base("t");
        let temporary = tac.push_version(t, 1);
        let label = tac.base("L");
        tac.push_numbered(label, 10);
        tac.push("s");
        assert_eq!(tac.texts().collect::<Vec<_>>(), ["t.1", "L10", "s"]);

        let mut ssa = Names::default();
        let base = ssa.base_of(&tac, temporary);
        ssa.push_version(base, 7);
        let base = ssa.base_of(&tac, 2);
        ssa.push_version(base, 9);
        let base = ssa.base_of(&ssa.clone(), 0);
        ssa.push_version(base, 3);
        assert_eq!(ssa.texts().collect::<Vec<_>>(), ["t.1_7", "s.9", "t.1_7_3"]);
    }

    #[test]
    fn tables_are_equal_by_their_texts() {
        let (mut made, mut read, mut other) = (Names::default(), Names::default(), Names::default());
        let t = made.base("t");
        made.push_version(t, 0);
        read.push("t.0");
        other.push("t.1");
        assert_eq!(made, read);
        assert_ne!(made, other);
    }
}
