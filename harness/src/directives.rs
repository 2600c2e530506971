//! Run directives: comments of a program's file that say on which inputs to run it and what is right then.
//!
//! `# run: 10, 3 => return 23`, a line of its own in any of the four languages (`docs/LANGUAGE.md` §1, "Run
//! directives"). A file with expected outcomes is a test by itself. `# path: llvm/phi:gvn` names a path beyond the
//! usual ones that the program is to go through.

use std::fmt;
use std::ops::Range;

use crate::op::{End, Outcome, Trap};
use crate::syntax::{self, SyntaxError};

/// One run to make of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    /// The values of the inputs, in order; empty for a program without inputs.
    pub vector: Vec<i64>,
    /// The outcome that is right, if the directive tells.
    pub expected: Option<Outcome>,
    /// Where it stands in the text: from its `#` to the end of its line.
    pub span: Range<usize>,
}

/// The directives of a file's text, in order. One that can't be read is an error.
pub fn parse(text: &str) -> Result<Vec<Directive>, SyntaxError> {
    let mut directives = Vec::new();
    let mut begin = 0;
    for line in text.split_inclusive('\n') {
        let span = trimmed(text, begin..begin + line.len());
        begin += line.len();
        let comment = text[span.clone()].strip_prefix('#').map(str::trim_start);
        if let Some(run) = comment.and_then(|comment| comment.strip_prefix("run:")) {
            directives.push(directive(text, span.clone(), span.end - run.len())?);
        }
    }
    Ok(directives)
}

/// The names of the paths that a file's text asks for beside the usual ones.
pub fn paths(text: &str) -> impl Iterator<Item = &str> {
    let comments = text.lines().filter_map(|line| line.trim().strip_prefix('#'));
    comments.filter_map(|comment| comment.trim_start().strip_prefix("path:").map(str::trim))
}

/// The line that asks for a path, with its end.
pub fn path_line(name: impl fmt::Display) -> String {
    format!("# path: {name}\n")
}

/// The directive at `span`, whose input vector begins at `begin`.
fn directive(text: &str, span: Range<usize>, begin: usize) -> Result<Directive, SyntaxError> {
    const ARROW: &str = "=>";
    let (inputs, expected) = match text[begin..span.end].find(ARROW) {
        Some(arrow) => (begin..begin + arrow, Some(begin + arrow + ARROW.len()..span.end)),
        None => (begin..span.end, None),
    };
    Ok(Directive {
        vector: vector(text, inputs)?,
        expected: expected.map(|expected| outcome(text, expected)).transpose()?,
        span,
    })
}

/// `[ int { "," int } ]`
fn vector(text: &str, span: Range<usize>) -> Result<Vec<i64>, SyntaxError> {
    if trimmed(text, span.clone()).is_empty() {
        return Ok(Vec::new());
    }
    let mut begin = span.start;
    let mut values = Vec::new();
    for item in text[span].split(',') {
        let span = trimmed(text, begin..begin + item.len());
        begin += item.len() + 1;
        let Some(value) = syntax::integer(&text[span.clone()]) else {
            return Err(unreadable(text, span, "a 64-bit decimal number"));
        };
        values.push(value);
    }
    Ok(values)
}

/// An outcome as [`Outcome`] prints it, `emits 3, 4; return 7` or `return 7`; blanks between its words do not matter.
fn outcome(text: &str, span: Range<usize>) -> Result<Outcome, SyntaxError> {
    const EMITS: &str = "emits ";
    let mut span = trimmed(text, span);
    let mut emitted = Vec::new();
    if text[span.clone()].starts_with(EMITS) {
        let Some(length) = text[span.clone()].find(';') else {
            return Err(unreadable(text, span, "`emits 3, 4; return 7`, with what is emitted up to a `;`,"));
        };
        emitted = vector(text, span.start + EMITS.len()..span.start + length)?;
        span = trimmed(text, span.start + length + 1..span.end);
    }
    Ok(Outcome { end: end(text, span)?, emitted })
}

/// How a run ends, as [`End`] prints it.
fn end(text: &str, span: Range<usize>) -> Result<End, SyntaxError> {
    let words: Vec<&str> = text[span.clone()].split_whitespace().collect();
    let end = match words[..] {
        ["return", value] => syntax::integer(value).map(End::Return),
        ["trap", "div-by-zero"] => Some(End::Trap(Trap::DivByZero)),
        ["trap", "overflow"] => Some(End::Trap(Trap::Overflow)),
        ["out", "of", "fuel"] => Some(End::OutOfFuel),
        _ => None,
    };
    end.ok_or_else(|| {
        unreadable(text, span, "`return N`, `trap div-by-zero`, `trap overflow` or `out of fuel` after `=>`")
    })
}

fn unreadable(text: &str, span: Range<usize>, expected: &str) -> SyntaxError {
    let found = if span.is_empty() { "nothing".into() } else { syntax::quote(&text[span.clone()]) };
    SyntaxError::new(span, format!("expected {expected}, found {found}"))
        .with_help("a run directive looks like `# run: 10, 3 => return 23`")
}

/// The piece of the text without the blanks around it; of blanks alone, its empty begin.
fn trimmed(text: &str, span: Range<usize>) -> Range<usize> {
    let piece = &text[span.clone()];
    let begin = span.start + if piece.trim_start().is_empty() { 0 } else { piece.len() - piece.trim_start().len() };
    begin..begin + piece.trim().len()
}

impl fmt::Display for Directive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("# run:")?;
        for (index, value) in self.vector.iter().enumerate() {
            write!(f, "{} {value}", if index == 0 { "" } else { "," })?;
        }
        if let Some(expected) = &self.expected {
            write!(f, " => {expected}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_read_and_printed() {
        let text = "# run: 10, -3 => return 23\n  #run:1=>trap  overflow \r\n# run: => out of fuel\n# run:\nx = 1 # run: 5\n\
                    # running: 4\n// # run: 4\n# run: 7 => trap div-by-zero\n# run: 8=>emits  -1 ,2;return  3";
        let directives = parse(text).unwrap();
        let printed: Vec<String> = directives.iter().map(Directive::to_string).collect();
        assert_eq!(
            printed,
            [
                "# run: 10, -3 => return 23",
                "# run: 1 => trap overflow",
                "# run: => out of fuel",
                "# run:",
                "# run: 7 => trap div-by-zero",
                "# run: 8 => emits -1, 2; return 3",
            ]
        );
        assert_eq!(&text[directives[1].span.clone()], "#run:1=>trap  overflow");
        let again: Vec<Directive> = parse(&printed.join("\n")).unwrap();
        let content = |d: &Directive| (d.vector.clone(), d.expected.clone());
        assert!(directives.iter().map(content).eq(again.iter().map(content)));
    }

    #[test]
    fn what_cannot_be_read_is_an_error_with_its_place() {
        for (text, place, found) in [
            ("# run: 1, x", (1, 11), "`x`"),
            ("\n # run: 1,, 2", (2, 11), "nothing"),
            ("# run: 1,", (1, 10), "nothing"),
            ("# run: 1 2", (1, 8), "`1 2`"),
            ("# run: +1", (1, 8), "`+1`"),
            ("# run: 9223372036854775808", (1, 8), "`9223372036854775808`"),
            ("# run: 1 => ", (1, 12), "nothing"),
            ("# run: 1 => 5", (1, 13), "`5`"),
            ("# run: 1 => return", (1, 13), "`return`"),
            ("# run: => trap", (1, 11), "`trap`"),
            ("# run: => emits 1", (1, 11), "`emits 1`"),
            ("# run: => emits 1, x; return 2", (1, 20), "`x`"),
            ("# run: => emits 1; 2", (1, 20), "`2`"),
        ] {
            let error = parse(text).unwrap_err();
            assert_eq!(error.line_column(text), place, "{text:?}: {error}");
            assert!(error.message.ends_with(&format!("found {found}")), "{text:?}: {error}");
        }
    }
}
