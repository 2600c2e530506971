//! Tiny's parser: the statements that only the dialect plus has (`docs/LANGUAGE.md` §8).
//!
//! Their words are not reserved: a statement that begins with a name and `=` is an assignment, whatever the name.

use std::mem;
use std::ops::Range;

use super::ast::{Expr, Stmt};
use super::parse::{Head, Next, Open, Parser};
use crate::dialect::Dialect;
use crate::op::{Array, Op};
use crate::syntax::{self, Kind, MOST_ARMS, SyntaxError};

/// The words that statements of plus begin with.
const WORDS: [&str; 4] = ["switch", "break", "continue", "emit"];

/// A `switch` whose arms are not all there yet.
pub(super) struct Switch {
    value: Expr,
    arms: Vec<(i64, Vec<Stmt>)>,
    otherwise: Option<Vec<Stmt>>,
    /// The brace around the arms.
    brace: Range<usize>,
}

/// An arm of a `switch`.
#[derive(Clone, Copy)]
pub(super) enum Arm {
    Constant(i64),
    Else,
}

impl Switch {
    /// The same with one more arm.
    pub(super) fn with(mut self, arm: Arm, block: Vec<Stmt>) -> Switch {
        match arm {
            Arm::Constant(constant) => self.arms.push((constant, block)),
            Arm::Else => self.otherwise = Some(block),
        }
        self
    }
}

impl Parser<'_> {
    /// The word of [`WORDS`] with which a statement begins here.
    pub(super) fn statement_of_plus(&self) -> Result<Option<&'static str>, SyntaxError> {
        let found = self.slice(self.span());
        let Some(word) = WORDS.into_iter().find(|word| *word == found && self.behind() != Some(Kind::Assign)) else {
            return Ok(None);
        };
        match self.dialect {
            Dialect::Plus => Ok(Some(word)),
            Dialect::Core => Err(SyntaxError::new(self.span(), format!("`{word}` is a statement of the dialect plus"))
                .with_help("a text in plus begins with `# dialect: plus`")),
        }
    }

    /// `"emit" expr ";"`
    pub(super) fn emit(&mut self, depth: usize) -> Result<Stmt, SyntaxError> {
        self.depth = depth;
        self.advance();
        let value = self.expression()?;
        self.end_of_statement()?;
        Ok(Stmt::Do(Op::Emit, vec![value]))
    }

    /// The array whose element is next, if its name stands directly before a bracket.
    pub(super) fn indexed(&self) -> Result<Option<Array>, SyntaxError> {
        if self.dialect == Dialect::Core || self.adjacent().is_none_or(|behind| behind.kind != Kind::OpenBracket) {
            return Ok(None);
        }
        let name = self.slice(self.span());
        let array = Array::from_name(name).ok_or_else(|| {
            SyntaxError::new(self.span(), format!("{} is no array", syntax::quote(name)))
                .with_help("an array is a letter from a to h and how many elements it has, up to 64: `a8[i]`")
        })?;
        Ok(Some(array))
    }

    /// `array "[" expr "]" "=" expr ";"`
    pub(super) fn store(&mut self, array: Array, depth: usize) -> Result<Stmt, SyntaxError> {
        self.depth = depth;
        self.advance();
        self.advance();
        let index = self.expression()?;
        self.expect(Kind::CloseBracket, "`]` or an operator", "an index ends with `]`")?;
        self.expect(Kind::Assign, "`=`", "an element alone is no statement: it is assigned")?;
        let value = self.expression()?;
        self.end_of_statement()?;
        Ok(Stmt::Do(Op::Store(array), vec![index, value]))
    }

    /// `("break" | "continue") ";"`
    pub(super) fn jump(&mut self, word: &str, open: &[Open]) -> Result<Stmt, SyntaxError> {
        if !open.iter().rev().any(|open| matches!(open.head, Head::While(_))) {
            return Err(SyntaxError::new(self.span(), format!("`{word}` stands in no loop"))
                .with_help("it belongs to the innermost `while` around it"));
        }
        self.advance();
        self.end_of_statement()?;
        Ok(if word == "break" { Stmt::Break } else { Stmt::Continue })
    }

    /// `"switch" expr "{" { constant ":" block } [ "else" ":" block ] "}"`, up to the first arm's brace, or to the end
    /// if there is no arm.
    pub(super) fn switch(&mut self, open: &mut Vec<Open>, body: &mut Vec<Stmt>) -> Result<(), SyntaxError> {
        self.depth = open.len() + 1;
        self.advance();
        let value = self.expression()?;
        let brace = self.expect(Kind::OpenBrace, "`{`", "the arms of a `switch` stand in braces")?;
        self.next_arm(Switch { value, arms: Vec::new(), otherwise: None, brace }, open, body)
    }

    /// Opens the next arm's block, or ends the `switch`.
    pub(super) fn next_arm(
        &mut self,
        switch: Switch,
        open: &mut Vec<Open>,
        body: &mut Vec<Stmt>,
    ) -> Result<(), SyntaxError> {
        if self.next() == Next::Other(Kind::CloseBrace) {
            self.advance();
            body.push(Stmt::Switch(switch.value, switch.arms, switch.otherwise.unwrap_or_default()));
            return Ok(());
        }
        let arm = self.arm(&switch)?;
        self.expect(Kind::Colon, "`:`", "an arm is a constant or `else`, a `:` and a block")?;
        let brace = self.expect(Kind::OpenBrace, "`{`", "an arm's statements stand in braces")?;
        open.push(Open { head: Head::Arm(switch, arm), brace, before: mem::take(body) });
        Ok(())
    }

    /// What an arm is for: another constant than those before, or all else.
    fn arm(&mut self, switch: &Switch) -> Result<Arm, SyntaxError> {
        let begin = self.span();
        let minus = match self.next() {
            _ if switch.otherwise.is_some() => {
                return Err(self.unexpected("`}`").with_help("the else part is the last of a `switch`"));
            }
            Next::Keyword("else") => {
                self.advance();
                return Ok(Arm::Else);
            }
            Next::Other(Kind::Int) => None,
            Next::Other(Kind::Minus) if self.behind() == Some(Kind::Int) => {
                self.advance();
                Some(begin.clone())
            }
            _ => {
                let (line, column) = self.line_column(switch.brace.clone());
                let help = format!("the arms in line {line}, column {column} are open");
                return Err(self.unexpected("a constant, `else` or `}`").with_help(help));
            }
        };
        let span = begin.start..self.span().end;
        let constant = self.literal(minus)?;
        if switch.arms.iter().any(|(earlier, _)| *earlier == constant) {
            return Err(SyntaxError::new(span, format!("the arm {constant} is there twice")));
        }
        if switch.arms.len() == MOST_ARMS {
            return Err(SyntaxError::new(span, format!("a switch has at most {MOST_ARMS} arms")));
        }
        Ok(Arm::Constant(constant))
    }
}
