//! What the four texts share: tokens with their places, and syntax errors that say where and why.
//!
//! One lexer serves Tiny, TAC, `ssa` and `phi`. Each parser decides what its language has: line ends matter to the line
//! languages and separate Tiny's statements; `//` comments and most operators are Tiny's alone.

use std::fmt;
use std::ops::Range;

use logos::Logos;

/// A token's kind.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\x0c]+")]
#[allow(missing_docs, reason = "each token's text says what it is")]
pub enum Kind {
    /// A name or a keyword; only the line languages' names have dots.
    #[regex(r"[A-Za-z_][A-Za-z0-9_.]*")]
    Name,
    /// Decimal digits without a sign.
    #[regex(r"[0-9]+")]
    Int,
    #[token("\n")]
    LineEnd,
    #[regex(r"#[^\n]*", allow_greedy = true)]
    HashComment,
    #[regex(r"//[^\n]*", allow_greedy = true)]
    SlashComment,
    #[token(";")]
    Semicolon,
    #[token(",")]
    Comma,
    #[token(":")]
    Colon,
    #[token("(")]
    Open,
    #[token(")")]
    Close,
    #[token("{")]
    OpenBrace,
    #[token("}")]
    CloseBrace,
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
    #[token("=")]
    Assign,
    #[token("==")]
    Equal,
    #[token("!=")]
    NotEqual,
    #[token("<")]
    Less,
    #[token("<=")]
    LessEqual,
    #[token(">")]
    Greater,
    #[token(">=")]
    GreaterEqual,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("!")]
    Bang,
    #[token("&&")]
    AndAnd,
    #[token("||")]
    OrOr,
    #[token("&")]
    And,
    #[token("|")]
    Or,
    #[token("^")]
    Caret,
    #[token("~")]
    Tilde,
    #[token("<<")]
    ShiftLeft,
    #[token(">>")]
    ShiftRight,
    #[token(">>>")]
    ShiftRightLogical,
}

/// A token and the bytes that it covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it stands, in bytes of the text.
    pub span: Range<usize>,
}

/// All tokens of a text, comments and line ends included; the first character that begins none is an error.
pub fn tokens(text: &str) -> Result<Vec<Token>, SyntaxError> {
    Kind::lexer(text)
        .spanned()
        .map(|(kind, span)| match kind {
            Ok(kind) => Ok(Token { kind, span }),
            Err(()) => {
                let character = text[span.start..].chars().next().unwrap_or('\u{fffd}');
                let span = span.start..span.start + character.len_utf8();
                Err(SyntaxError::new(span, format!("unexpected character {character:?}")))
            }
        })
        .collect()
}

/// The value of a decimal constant, digits with a `-` before them or not; `None` when it does not fit in 64 bits or is
/// something else.
pub fn integer(text: &str) -> Option<i64> {
    if text.starts_with('+') { None } else { text.parse().ok() }
}

/// The most arms of a `switch` that a text may have: what looks at each pair of a terminator's edges stays fast.
pub const MOST_ARMS: usize = 1000;

/// A piece of the text as a message quotes it: cut when it is long.
pub fn quote(piece: &str) -> String {
    const LONGEST: usize = 40;
    match piece.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("`{}…`", &piece[..end]),
        None => format!("`{piece}`"),
    }
}

/// Why a text does not parse, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct SyntaxError {
    /// The bytes of the text that are at fault; empty at the end of the text.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do about it, where that is clear.
    pub help: Option<String>,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl SyntaxError {
    /// An error at these bytes.
    pub fn new(span: Range<usize>, message: impl Into<String>) -> SyntaxError {
        SyntaxError { span, message: message.into(), help: None }
    }

    /// The same with advice.
    pub fn with_help(mut self, help: impl Into<String>) -> SyntaxError {
        self.help = Some(help.into());
        self
    }

    /// The line and the column, from 1, where it begins in its text; columns count characters.
    pub fn line_column(&self, text: &str) -> (usize, usize) {
        let before = &text[..self.span.start.min(text.len())];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stray_character_is_named_with_its_place() {
        let text = "x = 1\ny = ä2";
        let error = tokens(text).unwrap_err();
        assert_eq!(error.line_column(text), (2, 5));
        assert!(error.message.contains('ä'), "{error}");
    }

    #[test]
    fn one_lexer_serves_all_texts() {
        let kinds: Vec<Kind> = tokens("t.0 = le i.0, -1 # end\n").unwrap().into_iter().map(|t| t.kind).collect();
        use Kind::*;
        assert_eq!(kinds, [Name, Assign, Name, Name, Comma, Minus, Int, HashComment, LineEnd]);
    }
}
