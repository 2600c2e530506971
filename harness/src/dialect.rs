//! The two dialects of every language here: `core` is the lesson's, `plus` has more operations (`docs/LANGUAGE.md` §8).
//!
//! A text says its own: a comment `# dialect: plus` before everything that is no comment. Whatever prints a program
//! that needs it puts it there.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::syntax::{self, SyntaxError};

/// Which operations a text may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// The lesson's.
    #[default]
    Core,
    /// All.
    Plus,
}

impl Dialect {
    /// The name.
    pub const fn name(self) -> &'static str {
        match self {
            Dialect::Core => "core",
            Dialect::Plus => "plus",
        }
    }

    /// The dialect that a text says it is in; `core` if it says nothing.
    pub fn of(text: &str) -> Result<Dialect, SyntaxError> {
        let mut begin = 0;
        for line in text.split_inclusive('\n') {
            let at = begin + line.len() - line.trim_start().len();
            begin += line.len();
            let line = line.trim();
            if let Some(comment) = line.strip_prefix('#') {
                if let Some(name) = comment.trim_start().strip_prefix("dialect:") {
                    return name
                        .trim()
                        .parse()
                        .map_err(|message: String| SyntaxError::new(at..at + line.len(), message));
                }
            } else if !line.is_empty() && !line.starts_with("//") {
                break;
            }
        }
        Ok(Dialect::Core)
    }

    /// The line that a text of this dialect begins with; nothing for `core`.
    pub fn directive(self) -> &'static str {
        match self {
            Dialect::Core => "",
            Dialect::Plus => "# dialect: plus\n",
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Dialect {
    type Err = String;

    fn from_str(name: &str) -> Result<Dialect, String> {
        match name {
            "core" => Ok(Dialect::Core),
            "plus" => Ok(Dialect::Plus),
            _ => Err(format!("the dialects are core and plus, not {}", syntax::quote(name))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_says_its_dialect_before_all_else() {
        let of = |text: &str| Dialect::of(text).map_err(|error| error.line_column(text));
        assert_eq!(of(""), Ok(Dialect::Core));
        assert_eq!(of("# dialect: plus\nreturn 0"), Ok(Dialect::Plus));
        assert_eq!(of("\n# run: 1\n  // more\n  #dialect:plus  \r\nreturn 0"), Ok(Dialect::Plus));
        assert_eq!(of("return 0\n# dialect: plus"), Ok(Dialect::Core));
        assert_eq!(of("# dialect: core\n# dialect: plus\nreturn 0"), Ok(Dialect::Core));
        assert_eq!(of("# first\n  # dialect: max\nreturn 0"), Err((2, 3)));
        for dialect in [Dialect::Core, Dialect::Plus] {
            assert_eq!(of(dialect.directive()), Ok(dialect));
        }
    }
}
