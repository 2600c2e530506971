//! Names of values, variables and blocks, kept as numbers until somebody reads them.
//!
//! The constructions make fresh names by the thousand (`s.1`, `t.0_4`); a text for each would cost more than the rest
//! of their work. A [`Name`] is a base text and at most one version; [`Names`] is a table of them.

use std::collections::HashMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A name of a [`Names`] table: its base text's index and, for fresh names, what follows the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Name {
    base: u32,
    version: Version,
}

/// What follows a name's base text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Version {
    /// Nothing: the base is the whole name.
    None,
    /// `x.k`.
    Dot(u32),
    /// `t.1_k`: the version of a name that has a dot itself.
    Underscore(u32),
}

/// A table of names. An entity's number is its name's index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Names {
    bases: Vec<Box<str>>,
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
        self.bases.push(text.into());
        self.bases.len() as u32 - 1
    }

    /// Adds a whole name and gives its index.
    pub fn push(&mut self, text: impl Into<Box<str>>) -> u32 {
        let base = self.base(text);
        self.add(Name { base, version: Version::None })
    }

    /// Adds version `k` of a base, `x.k`, or `x_k` when the base has a dot itself, and gives its index.
    pub fn push_version(&mut self, base: u32, k: u32) -> u32 {
        let dotted = self.bases[base as usize].contains('.');
        self.add(Name { base, version: if dotted { Version::Underscore(k) } else { Version::Dot(k) } })
    }

    fn add(&mut self, name: Name) -> u32 {
        self.names.push(name);
        self.names.len() as u32 - 1
    }

    /// The name with this index, to print.
    pub fn get(&self, index: u32) -> impl fmt::Display + '_ {
        struct Shown<'a>(&'a str, Version);
        impl fmt::Display for Shown<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.1 {
                    Version::None => f.write_str(self.0),
                    Version::Dot(k) => write!(f, "{}.{k}", self.0),
                    Version::Underscore(k) => write!(f, "{}_{k}", self.0),
                }
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
