//! Tiny's parser: statements (`docs/LANGUAGE.md` §1). Expressions are in [`super::expression`], the statements that
//! only the dialect plus has in [`super::plus`].
//!
//! Neither recurses. Open blocks wait on a stack of their own, so a text nested a million deep is refused like any
//! other error, and no tree deeper than [`MAX_DEPTH`] is ever built.

use std::collections::HashMap;
use std::mem;
use std::ops::Range;

use super::MAX_DEPTH;
use super::ast::{Expr, Program, Stmt, Var};
use super::plus::{Arm, Switch};

use crate::dialect::Dialect;
use crate::plant::{self, Fault};
use crate::syntax::{self, Kind, SyntaxError, Token};

/// The program of a text in the dialect that it says. Its variables are in the order V.
pub fn parse(text: &str) -> Result<Program, SyntaxError> {
    parse_in(text, Dialect::of(text)?)
}

/// The program of a text in this dialect, whatever it says itself.
pub fn parse_in(text: &str, dialect: Dialect) -> Result<Program, SyntaxError> {
    let mut parser = Parser::new(text, dialect)?;
    let inputs = parser.inputs()?;
    let (body, result) = parser.statements()?;
    Ok(Program { variables: parser.variables, inputs, body, result })
}

/// The words that are no identifiers.
const KEYWORDS: [&str; 5] = ["input", "while", "if", "else", "return"];

/// What the next token is to the parser of statements.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// An identifier, possibly misspelled with a dot.
    Identifier,
    /// One of [`KEYWORDS`].
    Keyword(&'static str),
    /// Anything else.
    Other(Kind),
    /// The text ends.
    End,
}

/// A position in the tokens, and the variables met so far.
pub(super) struct Parser<'a> {
    text: &'a str,
    pub(super) dialect: Dialect,
    tokens: Vec<Token>,
    /// The next token that is neither a line end nor a comment.
    at: usize,
    /// Whether a line ended between the token before and the next.
    line_ended: bool,
    variables: Vec<Box<str>>,
    numbers: HashMap<&'a str, Var>,
    /// How many statements are open around the next token.
    pub(super) depth: usize,
}

/// A block that is still open, or the `else` that holds an `if`.
pub(super) struct Open {
    pub(super) head: Head,
    /// Its brace; that of the then part for an `else if`.
    pub(super) brace: Range<usize>,
    /// The statements before it, in the block around it.
    pub(super) before: Vec<Stmt>,
}

/// What a block belongs to, with the parts that are already there.
pub(super) enum Head {
    While(Expr),
    Then(Expr),
    Else(Expr, Vec<Stmt>),
    /// As `Else`, but without braces: it ends with its only statement.
    ElseIf(Expr, Vec<Stmt>),
    Arm(Switch, Arm),
}

/// Whether only the dialect plus has such a token.
fn is_of_plus(kind: Kind) -> bool {
    use Kind::*;
    matches!(kind, And | Or | Caret | Tilde | ShiftLeft | ShiftRight | ShiftRightLogical)
}

/// Whether a token only parts others.
fn is_blank(kind: Kind) -> bool {
    matches!(kind, Kind::LineEnd | Kind::HashComment | Kind::SlashComment)
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, dialect: Dialect) -> Result<Parser<'a>, SyntaxError> {
        let tokens = syntax::tokens(text)?;
        if let Some(Token { span, kind }) = tokens.iter().find(|token| is_of_plus(token.kind))
            && dialect == Dialect::Core
        {
            let help = match kind {
                Kind::And | Kind::Or => "core has `&&` and `||`; a text in plus begins with `# dialect: plus`",
                _ => "a text in plus begins with `# dialect: plus`",
            };
            let message = format!("{} is an operator of the dialect plus", syntax::quote(&text[span.clone()]));
            return Err(SyntaxError::new(span.clone(), message).with_help(help));
        }
        let (variables, numbers) = (Vec::new(), HashMap::new());
        let mut parser = Parser { text, dialect, tokens, at: 0, line_ended: false, variables, numbers, depth: 0 };
        parser.skip();
        Ok(parser)
    }

    /// `[ "input" ident { "," ident } ";" ]`; gives the number of inputs.
    fn inputs(&mut self) -> Result<usize, SyntaxError> {
        if self.next() != Next::Keyword("input") {
            return Ok(0);
        }
        self.advance();
        loop {
            let known = self.variables.len();
            let span = self.span();
            if self.identifier("an input's name")?.index() < known {
                let name = syntax::quote(&self.text[span.clone()]);
                return Err(SyntaxError::new(span, format!("the input {name} is declared twice")));
            }
            if self.next() != Next::Other(Kind::Comma) {
                break;
            }
            self.advance();
        }
        self.end_of_statement()?;
        Ok(self.variables.len())
    }

    /// `{ stmt } "return" expr [ ";" ]`, to the end of the text.
    fn statements(&mut self) -> Result<(Vec<Stmt>, Expr), SyntaxError> {
        let mut open: Vec<Open> = Vec::new();
        // The statements of the innermost open block.
        let mut body = Vec::new();
        loop {
            match self.next() {
                Next::Identifier => match self.statement_of_plus()? {
                    Some("switch") => self.switch(&mut open, &mut body)?,
                    Some("emit") => body.push(self.emit(open.len() + 1)?),
                    Some(word) => body.push(self.jump(word, &open)?),
                    None => {
                        let depth = open.len() + 1;
                        body.push(match self.indexed()? {
                            Some(array) => self.store(array, depth)?,
                            None => self.assignment(depth)?,
                        });
                    }
                },
                Next::Keyword("while") => {
                    let (cond, brace) = self.condition(open.len())?;
                    open.push(Open { head: Head::While(cond), brace, before: mem::take(&mut body) });
                }
                Next::Keyword("if") => {
                    let (cond, brace) = self.condition(open.len())?;
                    open.push(Open { head: Head::Then(cond), brace, before: mem::take(&mut body) });
                }
                Next::Other(Kind::CloseBrace) if !open.is_empty() => {
                    self.advance();
                    self.close(&mut open, &mut body)?;
                }
                Next::Keyword("return") if open.is_empty() || self.dialect == Dialect::Plus => {
                    self.depth = open.len();
                    self.keyword()?;
                    let value = self.expression()?;
                    if open.is_empty() && (self.dialect == Dialect::Core || self.ends()) {
                        self.end()?;
                        return Ok((body, value));
                    }
                    self.end_of_statement()?;
                    body.push(Stmt::Return(value));
                }
                next => return Err(self.no_statement(next, open.last())),
            }
        }
    }

    /// `ident "=" expr ";"`
    fn assignment(&mut self, depth: usize) -> Result<Stmt, SyntaxError> {
        self.depth = depth;
        let target = self.identifier("a variable")?;
        self.expect(Kind::Assign, "`=`", "a statement is an assignment, a `while` or an `if`")?;
        let value = self.expression()?;
        self.end_of_statement()?;
        Ok(Stmt::Assign(target, value))
    }

    /// The keyword, the condition and the brace that opens the block.
    fn condition(&mut self, open: usize) -> Result<(Expr, Range<usize>), SyntaxError> {
        self.depth = open + 1;
        self.keyword()?;
        let cond = self.expression()?;
        let brace = self.expect(Kind::OpenBrace, "`{`", "the parts of `while` and `if` are blocks in braces")?;
        Ok((cond, brace))
    }

    /// Takes a keyword before an expression.
    fn keyword(&mut self) -> Result<(), SyntaxError> {
        let word = self.slice(self.span());
        self.advance();
        match self.next() {
            Next::Other(Kind::Assign) => {
                Err(self.unexpected("an expression").with_help(format!("`{word}` is a keyword and can't be assigned")))
            }
            _ => Ok(()),
        }
    }

    /// Ends the innermost open block, whose brace is closed, and all that ends with it.
    fn close(&mut self, open: &mut Vec<Open>, body: &mut Vec<Stmt>) -> Result<(), SyntaxError> {
        while let Some(Open { head, brace, before }) = open.pop() {
            let block = mem::replace(body, before);
            match head {
                Head::Then(cond) if self.next() == Next::Keyword("else") => {
                    self.advance();
                    let before = mem::take(body);
                    if self.next() == Next::Keyword("if") {
                        open.push(Open { head: Head::ElseIf(cond, block), brace, before });
                        let (cond, brace) = self.condition(open.len())?;
                        open.push(Open { head: Head::Then(cond), brace, before: Vec::new() });
                    } else {
                        let help = "an else part is a block or another `if`";
                        let brace = self.expect(Kind::OpenBrace, "`{` or `if`", help)?;
                        open.push(Open { head: Head::Else(cond, block), brace, before });
                    }
                    return Ok(());
                }
                Head::While(cond) => body.push(Stmt::While(cond, block)),
                Head::Then(cond) => body.push(Stmt::If(cond, block, Vec::new())),
                Head::Else(cond, then) if plant::on(Fault::TinyParseElse) => body.push(Stmt::If(cond, block, then)),
                Head::Else(cond, then) | Head::ElseIf(cond, then) => body.push(Stmt::If(cond, then, block)),
                Head::Arm(switch, arm) => self.next_arm(switch.with(arm, block), open, body)?,
            }
            if !matches!(open.last(), Some(Open { head: Head::ElseIf(..), .. })) {
                break;
            }
        }
        Ok(())
    }

    /// Whether the text ends here, but for a `;`.
    fn ends(&self) -> bool {
        self.next() == Next::End || (self.next() == Next::Other(Kind::Semicolon) && self.behind().is_none())
    }

    /// `[ ";" ]` and the end of the text.
    fn end(&mut self) -> Result<(), SyntaxError> {
        if self.next() == Next::Other(Kind::Semicolon) {
            self.advance();
        }
        match self.next() {
            Next::End => Ok(()),
            _ => Err(self.unexpected("the end of the program").with_help("`return` is the last statement of core")),
        }
    }

    /// A `;`, or a place where it may be left out.
    pub(super) fn end_of_statement(&mut self) -> Result<(), SyntaxError> {
        match self.next() {
            Next::Other(Kind::Semicolon) => self.advance(),
            Next::Other(Kind::CloseBrace) | Next::End => {}
            _ if self.line_ended => {}
            _ => return Err(self.unexpected("`;` or the end of the line")),
        }
        Ok(())
    }

    /// Why no statement begins here.
    fn no_statement(&self, next: Next, block: Option<&Open>) -> SyntaxError {
        let error = self.unexpected(if block.is_some() { "a statement or `}`" } else { "a statement or `return`" });
        match (next, block) {
            (Next::Other(Kind::Semicolon), _) => error.with_help("there is no empty statement: leave this `;` out"),
            (Next::Keyword("input"), _) => error.with_help("the inputs are declared once, before the first statement"),
            (Next::Keyword("else"), _) => error.with_help("an `else` follows the block of an `if`"),
            (Next::Keyword("return"), _) => {
                error.with_help("core has one `return`, at the program's end, in no block; plus has others")
            }
            (Next::End, None) => error.with_help("a program ends with `return` and an expression"),
            (Next::End, Some(block)) => {
                let (line, column) = self.line_column(block.brace.clone());
                error.with_help(format!("the `{{` in line {line}, column {column} is open"))
            }
            (Next::Other(Kind::Int | Kind::Open | Kind::Minus | Kind::Bang | Kind::Tilde), _) => {
                error.with_help("an expression alone is no statement: assign it, as in `x = …`")
            }
            _ => error,
        }
    }

    /// The variable that the next token names, new or known.
    pub(super) fn identifier(&mut self, expected: &str) -> Result<Var, SyntaxError> {
        match self.next() {
            Next::Identifier => {}
            Next::Keyword(word) => {
                return Err(self.unexpected(expected).with_help(format!("`{word}` is a keyword")));
            }
            _ => return Err(self.unexpected(expected)),
        }
        let span = self.span();
        let name = &self.text[span.clone()];
        if name.contains('.') {
            let message = format!("{} is no name for a variable of Tiny", syntax::quote(name));
            return Err(SyntaxError::new(span, message).with_help("names with a dot are kept for the SSA forms"));
        }
        self.advance();
        let Parser { variables, numbers, .. } = self;
        Ok(*numbers.entry(name).or_insert_with(|| {
            variables.push(name.into());
            Var(variables.len() as u32 - 1)
        }))
    }

    /// The next token.
    pub(super) fn next(&self) -> Next {
        match self.tokens.get(self.at) {
            None => Next::End,
            Some(Token { kind: Kind::Name, span }) => {
                let word = &self.text[span.clone()];
                KEYWORDS.into_iter().find(|keyword| *keyword == word).map_or(Next::Identifier, Next::Keyword)
            }
            Some(token) => Next::Other(token.kind),
        }
    }

    /// Where the next token stands; the empty end of the text when there is none.
    pub(super) fn span(&self) -> Range<usize> {
        self.tokens.get(self.at).map_or(self.text.len()..self.text.len(), |token| token.span.clone())
    }

    /// The token behind the next, if it stands directly behind it.
    pub(super) fn adjacent(&self) -> Option<&Token> {
        let [next, behind, ..] = self.tokens.get(self.at..)? else { return None };
        (behind.span.start == next.span.end).then_some(behind)
    }

    /// The kind of the token after the next.
    pub(super) fn behind(&self) -> Option<Kind> {
        let rest = self.tokens.get(self.at + 1..)?;
        rest.iter().map(|token| token.kind).find(|&kind| !is_blank(kind))
    }

    /// A piece of the text.
    pub(super) fn slice(&self, span: Range<usize>) -> &'a str {
        &self.text[span]
    }

    /// The line and the column where a piece of the text begins.
    pub(super) fn line_column(&self, span: Range<usize>) -> (usize, usize) {
        SyntaxError::new(span, "").line_column(self.text)
    }

    /// Goes to the token after the next.
    pub(super) fn advance(&mut self) {
        self.at += 1;
        self.skip();
    }

    fn skip(&mut self) {
        self.line_ended = false;
        while let Some(token) = self.tokens.get(self.at) {
            match token.kind {
                Kind::LineEnd => self.line_ended = true,
                kind if is_blank(kind) => {}
                _ => break,
            }
            self.at += 1;
        }
    }

    /// Takes a token of this kind and tells where it stands.
    pub(super) fn expect(&mut self, kind: Kind, expected: &str, help: &str) -> Result<Range<usize>, SyntaxError> {
        if self.next() != Next::Other(kind) {
            return Err(self.unexpected(expected).with_help(help));
        }
        let span = self.span();
        self.advance();
        Ok(span)
    }

    /// The error of a next token that is not what is expected.
    pub(super) fn unexpected(&self, expected: &str) -> SyntaxError {
        let span = self.span();
        let found = match self.next() {
            Next::End => "the end of the text".into(),
            _ => syntax::quote(&self.text[span.clone()]),
        };
        SyntaxError::new(span, format!("expected {expected}, found {found}"))
    }

    /// The error of a text nested too deep, at the next token.
    pub(super) fn too_deep(&self) -> SyntaxError {
        SyntaxError::new(self.span(), format!("nested more than {MAX_DEPTH} levels deep"))
            .with_help("assign parts of a long expression to variables, or turn a long `else if` chain into several")
    }
}
