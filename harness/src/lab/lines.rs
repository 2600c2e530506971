//! The lines of an `ssa` or `phi` text, and a cursor over the tokens of one.

use crate::lab::parse::Result;
use crate::syntax::{Kind, MOST_ARMS, SyntaxError, Token, quote, tokens};

/// A line that holds more than blanks and a comment, with a cursor at its first token.
#[derive(Clone, Copy)]
pub(super) struct Line<'t> {
    text: &'t str,
    tokens: &'t [Token],
    /// Where its last token ends.
    end: usize,
}

/// A text's tokens without the comments.
pub(super) fn significant_tokens(text: &str) -> Result<Vec<Token>> {
    let mut tokens = tokens(text)?;
    if let Some(slashes) = tokens.iter().find(|token| token.kind == Kind::SlashComment) {
        return Err(SyntaxError::new(slashes.span.start..slashes.span.start + 2, "`//` begins no comment here")
            .with_help("a comment begins with `#`"));
    }
    tokens.retain(|token| token.kind != Kind::HashComment);
    Ok(tokens)
}

impl<'t> Line<'t> {
    /// The lines of a text that hold any token.
    pub(super) fn all(text: &'t str, tokens: &'t [Token]) -> impl Iterator<Item = Line<'t>> {
        tokens
            .split(|token| token.kind == Kind::LineEnd)
            .filter_map(move |tokens| Some(Line { text, tokens, end: tokens.last()?.span.end }))
    }

    /// Whether it begins `x =`.
    pub(super) fn is_instruction(&self) -> bool {
        matches!(self.tokens, [name, assign, ..] if name.kind == Kind::Name && assign.kind == Kind::Assign)
    }

    /// Whether it heads a block: it ends in `:`.
    pub(super) fn is_block(&self) -> bool {
        !self.is_instruction() && self.tokens.last().is_some_and(|token| token.kind == Kind::Colon)
    }

    /// Whether it begins `x = phi`.
    pub(super) fn is_phi(&self) -> bool {
        self.is_instruction() && Line { tokens: &self.tokens[2..], ..*self }.word() == "phi"
    }

    /// The same line with its cursor at the end.
    pub(super) fn at_end(&self) -> Line<'t> {
        Line { tokens: &[], ..*self }
    }

    /// Whether the cursor is at the end.
    pub(super) fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The word at the cursor; empty if there is no name.
    pub(super) fn word(&self) -> &'t str {
        match self.tokens {
            [token, ..] if token.kind == Kind::Name => &self.text[token.span.clone()],
            _ => "",
        }
    }

    /// Takes the next token if it is of this kind.
    pub(super) fn eat(&mut self, kind: Kind) -> Option<&'t Token> {
        match self.tokens {
            [token, rest @ ..] if token.kind == kind => {
                self.tokens = rest;
                Some(token)
            }
            _ => None,
        }
    }

    /// Takes the next token, which must be of this kind.
    pub(super) fn expect(&mut self, kind: Kind, what: &str) -> Result<&'t Token> {
        self.eat(kind).ok_or_else(|| self.unexpected(what))
    }

    /// Takes a name.
    pub(super) fn name(&mut self, what: &str) -> Result<&'t str> {
        Ok(&self.text[self.expect(Kind::Name, what)?.span.clone()])
    }

    /// Takes all that is left, as one text.
    pub(super) fn take_rest(&mut self) -> &'t str {
        let start = self.tokens.first().map_or(self.end, |token| token.span.start);
        self.tokens = &[];
        &self.text[start..self.end]
    }

    /// Takes a constant `-?[0-9]+`, if there is one.
    pub(super) fn constant(&mut self) -> Result<Option<i64>> {
        let Some(first) = self.tokens.first() else { return Ok(None) };
        let negative = self.eat(Kind::Minus).is_some();
        let adjacent = self.tokens.first().is_some_and(|digits| !negative || digits.span.start == first.span.end);
        match self.eat(Kind::Int) {
            Some(digits) if adjacent => {
                let span = first.span.start..digits.span.end;
                let constant = self.text[span.clone()].parse();
                constant.map(Some).map_err(|_| {
                    SyntaxError::new(span, "constant out of range").with_help(format!(
                        "a constant is one of {} to {}",
                        i64::MIN,
                        i64::MAX
                    ))
                })
            }
            None if !negative => Ok(None),
            _ => Err(SyntaxError::new(first.span.clone(), "expected digits right after `-`")),
        }
    }

    /// Takes `constant :`, an arm of a `switch` with these before it, if there is a constant.
    pub(super) fn arm<T>(&mut self, before: &[(i64, T)]) -> Result<Option<i64>> {
        let Some(first) = self.tokens.first() else { return Ok(None) };
        let Some(constant) = self.constant()? else { return Ok(None) };
        let error = |message| Err(SyntaxError::new(first.span.clone(), message));
        if before.iter().any(|(earlier, _)| *earlier == constant) {
            return error(format!("the arm {constant} is there twice"));
        }
        if before.len() == MOST_ARMS {
            return error(format!("a switch has at most {MOST_ARMS} arms"));
        }
        self.expect(Kind::Colon, "`:`")?;
        Ok(Some(constant))
    }

    /// Takes the end of the line.
    pub(super) fn finish(&self) -> Result<()> {
        if self.is_empty() { Ok(()) } else { Err(self.unexpected("the end of the line")) }
    }

    /// Items with `,` between them, up to the closing parenthesis; the opening one is taken already.
    pub(super) fn list_to_close<T>(&mut self, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = Vec::new();
        if self.eat(Kind::Close).is_some() {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.eat(Kind::Close).is_some() {
                return Ok(items);
            }
            self.expect(Kind::Comma, "`,` or `)`")?;
        }
    }

    /// The error that something else was expected at the cursor.
    pub(super) fn unexpected(&self, what: &str) -> SyntaxError {
        match self.tokens.first() {
            Some(token) => SyntaxError::new(
                token.span.clone(),
                format!("expected {what}, found {}", quote(&self.text[token.span.clone()])),
            ),
            None => SyntaxError::new(self.end..self.end, format!("expected {what}, found the end of the line")),
        }
    }
}
