//! TAC's parser: one statement a line (`docs/LANGUAGE.md` §5).
//!
//! No word is reserved. What a line is follows from its second token: a name before `=` is assigned, a name before `:`
//! is a label; otherwise the first word says it.

use std::ops::Range;

use super::assemble;
use super::program::{Assign, Atom, Label, Line, Program, Var};
use crate::dialect::Dialect;
use crate::names::Interner;
use crate::op::Op;
use crate::plant::{self, Fault};
use crate::syntax::{self, Kind, SyntaxError, Token};

/// The program of a text in the dialect that it says.
pub fn parse(text: &str) -> Result<Program, SyntaxError> {
    parse_in(text, Dialect::of(text)?)
}

/// The program of a text in this dialect, whatever it says itself.
pub fn parse_in(text: &str, dialect: Dialect) -> Result<Program, SyntaxError> {
    let tokens = syntax::tokens(text)?;
    let mut parser =
        Parser { text, dialect, variables: Interner::default(), labels: Interner::default(), places: Vec::new() };
    let mut inputs = 0;
    let mut lines = Vec::new();
    let mut last = text.len()..text.len();
    let mut first = true;
    for line in tokens.split(|token| token.kind == Kind::LineEnd) {
        // A comment ends with its line.
        let line = match line {
            [line @ .., Token { kind: Kind::HashComment, .. }] => line,
            line => line,
        };
        let ([begin, ..], [.., end]) = (line, line) else { continue };
        last = begin.span.start..end.span.end;
        let mut cursor = Cursor { text, tokens: line, end: last.end };
        if std::mem::take(&mut first) && cursor.is_word("input") && !cursor.is_definition() {
            inputs = parser.inputs(&mut cursor)?;
        } else {
            lines.push(parser.line(&mut cursor)?);
        }
        cursor.finish()?;
    }
    if !lines.last().is_some_and(Line::leaves) {
        let message = if lines.is_empty() { "there is no statement" } else { "the program runs past its last line" };
        return Err(SyntaxError::new(last, message).with_help("a program ends with a `goto`, a `switch` or a `ret`"));
    }
    parser.finish(inputs, lines)
}

/// The names met so far, numbered by their first occurrence.
struct Parser<'a> {
    text: &'a str,
    dialect: Dialect,
    variables: Interner,
    labels: Interner,
    /// One for each label met.
    places: Vec<Place>,
}

/// What is known of a label.
struct Place {
    /// Where it was met first.
    met: Range<usize>,
    /// Whether its own line was there.
    placed: bool,
}

impl Parser<'_> {
    /// `"input" name { "," name }`; gives the number of inputs.
    fn inputs(&mut self, cursor: &mut Cursor) -> Result<usize, SyntaxError> {
        cursor.advance();
        let mut count = 0;
        loop {
            let span = cursor.name("an input's name")?;
            let name = &self.text[span.clone()];
            if self.variables.intern(name) < count {
                return Err(SyntaxError::new(span, format!("the input {} is declared twice", syntax::quote(name))));
            }
            count += 1;
            if !cursor.take(Kind::Comma) {
                return Ok(count as usize);
            }
        }
    }

    fn line(&mut self, cursor: &mut Cursor) -> Result<Line, SyntaxError> {
        const STATEMENT: &str = "a label, an assignment, `goto`, `if`, `ifz`, `switch` or `ret`";
        let definition = cursor.is_definition();
        let first = cursor.name(STATEMENT)?;
        if definition {
            return if cursor.take(Kind::Colon) { self.label(first) } else { self.assign(first, cursor) };
        }
        match &self.text[first.clone()] {
            "goto" => Ok(Line::Goto(self.target(cursor)?)),
            word @ ("if" | "ifz") => {
                let cond = self.atom(cursor)?;
                let when = word == "if" || plant::on(Fault::TacParseIfz);
                Ok(Line::If { when, cond, target: self.goto(cursor)? })
            }
            "switch" => self.switch(cursor),
            "ret" => Ok(Line::Ret(self.atom(cursor)?)),
            word => {
                let error = SyntaxError::new(first, format!("expected {STATEMENT}, found {}", syntax::quote(word)));
                Err(match word {
                    "input" => error.with_help("the `input` line is the first"),
                    _ => error,
                })
            }
        }
    }

    fn label(&mut self, span: Range<usize>) -> Result<Line, SyntaxError> {
        let label = self.intern_label(span.clone());
        let place = &mut self.places[label.index()];
        if place.placed {
            let name = syntax::quote(&self.text[span.clone()]);
            return Err(SyntaxError::new(span, format!("the label {name} is there twice")));
        }
        place.placed = true;
        Ok(Line::Label(label))
    }

    fn assign(&mut self, dest: Range<usize>, cursor: &mut Cursor) -> Result<Line, SyntaxError> {
        cursor.advance();
        let dest = Var(self.variables.intern(&self.text[dest]));
        if let Some(value) = cursor.clone().constant()? {
            return Err(cursor.unexpected("an operation").with_help(format!("write `copy {value}`")));
        }
        let name = cursor.name("an operation")?;
        let op = Op::named(&self.text[name.clone()], self.dialect).map_err(|help| {
            let message = format!("{} is no operation of TAC", syntax::quote(&self.text[name.clone()]));
            SyntaxError::new(name, message).with_help(help)
        })?;
        let mut operands = [Atom::Const(0); 3];
        for (index, operand) in operands[..op.arity()].iter_mut().enumerate() {
            if index > 0 && !cursor.take(Kind::Comma) {
                return Err(cursor.unexpected("`,`").with_help(format!("`{op}` takes {} operands", op.arity())));
            }
            *operand = self.atom(cursor)?;
        }
        Ok(Line::Assign(Assign::new(dest, op, &operands[..op.arity()])))
    }

    /// `atom { "," constant "goto" label } "," "else" "goto" label`
    fn switch(&mut self, cursor: &mut Cursor) -> Result<Line, SyntaxError> {
        const END: &str = "a switch ends with `else goto LABEL`";
        let value = self.atom(cursor)?;
        let mut arms: Vec<(i64, Label)> = Vec::new();
        loop {
            if !cursor.take(Kind::Comma) {
                return Err(cursor.unexpected("`,`").with_help(END));
            }
            if cursor.is_word("else") {
                cursor.advance();
                return Ok(Line::Switch { value, arms, default: self.goto(cursor)? });
            }
            let arm = cursor.clone();
            let Some(constant) = cursor.constant()? else {
                return Err(cursor.unexpected("a constant or `else`").with_help(END));
            };
            let span = arm.until(cursor);
            if arms.iter().any(|(earlier, _)| *earlier == constant) {
                return Err(SyntaxError::new(span, format!("the arm {constant} is there twice")));
            }
            if arms.len() == syntax::MOST_ARMS {
                return Err(SyntaxError::new(span, format!("a switch has at most {} arms", syntax::MOST_ARMS)));
            }
            arms.push((constant, self.goto(cursor)?));
        }
    }

    /// `"goto" label`
    fn goto(&mut self, cursor: &mut Cursor) -> Result<Label, SyntaxError> {
        if !cursor.is_word("goto") {
            return Err(cursor.unexpected("`goto`"));
        }
        cursor.advance();
        self.target(cursor)
    }

    fn target(&mut self, cursor: &mut Cursor) -> Result<Label, SyntaxError> {
        let span = cursor.name("a label")?;
        Ok(self.intern_label(span))
    }

    fn intern_label(&mut self, span: Range<usize>) -> Label {
        let label = self.labels.intern(&self.text[span.clone()]);
        if label as usize == self.places.len() {
            self.places.push(Place { met: span, placed: false });
        }
        Label(label)
    }

    fn atom(&mut self, cursor: &mut Cursor) -> Result<Atom, SyntaxError> {
        match cursor.constant()? {
            Some(value) => Ok(Atom::Const(value)),
            None => {
                let span = cursor.name("a name or a constant")?;
                Ok(Atom::Var(Var(self.variables.intern(&self.text[span]))))
            }
        }
    }

    /// The program, with its variables and labels in their order.
    fn finish(self, inputs: usize, lines: Vec<Line>) -> Result<Program, SyntaxError> {
        if let Some(Place { met, .. }) = self.places.into_iter().find(|place| !place.placed) {
            let message = format!("there is no label {}", syntax::quote(&self.text[met.clone()]));
            return Err(SyntaxError::new(met, message));
        }
        let (variables, labels) = (self.variables.finish(), self.labels.finish());
        Ok(assemble(
            lines,
            inputs,
            |var| variables.get(var.0).to_string().into(),
            |label| labels.get(label.0).to_string().into(),
        ))
    }
}

/// A position in the tokens of a line.
#[derive(Clone)]
struct Cursor<'a> {
    text: &'a str,
    tokens: &'a [Token],
    /// Where the line's last token ends.
    end: usize,
}

impl Cursor<'_> {
    fn advance(&mut self) {
        self.tokens = &self.tokens[1..];
    }

    /// Takes a token of this kind, if it is the next.
    fn take(&mut self, kind: Kind) -> bool {
        let found = self.tokens.first().is_some_and(|token| token.kind == kind);
        if found {
            self.advance();
        }
        found
    }

    /// The bytes of the tokens from here up to a later position.
    fn until(&self, later: &Cursor) -> Range<usize> {
        let taken = &self.tokens[..self.tokens.len() - later.tokens.len()];
        match taken {
            [first, .., last] => first.span.start..last.span.end,
            [only] => only.span.clone(),
            [] => self.end..self.end,
        }
    }

    fn is_word(&self, word: &str) -> bool {
        self.tokens.first().is_some_and(|token| &self.text[token.span.clone()] == word)
    }

    /// Whether the line defines its first name: as a variable or as a label.
    fn is_definition(&self) -> bool {
        matches!(self.tokens, [_, Token { kind: Kind::Assign | Kind::Colon, .. }, ..])
    }

    fn name(&mut self, expected: &str) -> Result<Range<usize>, SyntaxError> {
        match self.tokens {
            [Token { kind: Kind::Name, span }, ..] => {
                self.advance();
                Ok(span.clone())
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    /// `-?[0-9]+`, if that is next.
    fn constant(&mut self) -> Result<Option<i64>, SyntaxError> {
        let (span, length) = match self.tokens {
            [Token { kind: Kind::Int, span }, ..] => (span.clone(), 1),
            [Token { kind: Kind::Minus, span: sign }, Token { kind: Kind::Int, span: digits }, ..]
                if sign.end == digits.start =>
            {
                (sign.start..digits.end, 2)
            }
            _ => return Ok(None),
        };
        self.tokens = &self.tokens[length..];
        let digits = &self.text[span.clone()];
        match syntax::integer(digits) {
            Some(value) => Ok(Some(value)),
            None => Err(SyntaxError::new(span, format!("{} does not fit in 64 bits", syntax::quote(digits)))),
        }
    }

    fn finish(&self) -> Result<(), SyntaxError> {
        if self.tokens.is_empty() { Ok(()) } else { Err(self.unexpected("the end of the line")) }
    }

    fn unexpected(&self, expected: &str) -> SyntaxError {
        let (span, found) = match self.tokens.first() {
            Some(token) => (token.span.clone(), syntax::quote(&self.text[token.span.clone()])),
            None => (self.end..self.end, "the end of the line".into()),
        };
        let error = SyntaxError::new(span, format!("expected {expected}, found {found}"));
        match self.tokens {
            [Token { kind: Kind::SlashComment, .. }, ..] => error.with_help("a comment begins with `#`"),
            [Token { kind: Kind::Minus, .. }, Token { kind: Kind::Int, .. }, ..] => {
                error.with_help("the `-` of a constant stands directly before it")
            }
            _ => error,
        }
    }
}
