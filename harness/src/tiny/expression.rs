//! Tiny's parser: expressions, by operator precedence.
//!
//! The method is Dijkstra's shunting yard ("An Algol 60 translator for the X1", 1961): operands that are complete and
//! operators that still wait for their right operand stand on two stacks. A waiting operator is applied as soon as the
//! next operator does not bind tighter.

use std::ops::Range;

use super::MAX_DEPTH;
use super::ast::{Expr, Logic};
use super::parse::{Next, Parser};

use crate::dialect::Dialect;
use crate::op::{Array, Op};
use crate::syntax::{self, Kind, SyntaxError};

/// How tight an operator binds; the tightest is the greatest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Or,
    And,
    Compare,
    BitOr,
    BitXor,
    BitAnd,
    Shift,
    Sum,
    Product,
    Unary,
}

/// What makes an expression of two.
#[derive(Clone, Copy)]
enum Infix {
    Binary(Op),
    Logic(Logic),
}

impl Level {
    /// The next level of the grammar.
    pub(super) fn tighter(self) -> Level {
        match self {
            Level::Or => Level::And,
            Level::And => Level::Compare,
            Level::Compare => Level::BitOr,
            Level::BitOr => Level::BitXor,
            Level::BitXor => Level::BitAnd,
            Level::BitAnd => Level::Shift,
            Level::Shift => Level::Sum,
            Level::Sum => Level::Product,
            Level::Product | Level::Unary => Level::Unary,
        }
    }

    /// Of a binary operator.
    pub(super) fn of(op: Op) -> Level {
        match op {
            Op::Add | Op::Sub => Level::Sum,
            Op::Mul | Op::Div | Op::Rem | Op::Udiv | Op::Urem => Level::Product,
            Op::Shl | Op::Ashr | Op::Lshr => Level::Shift,
            Op::And => Level::BitAnd,
            Op::Xor => Level::BitXor,
            Op::Or => Level::BitOr,
            _ => Level::Compare,
        }
    }
}

/// What waits on the stack for the operand to its right.
enum Pending {
    Paren(Range<usize>),
    Call(Call),
    /// An element of an array, whose index is open since this bracket.
    Element(Array, Range<usize>),
    Unary(Op),
    Infix(Infix, Level),
}

/// A call whose operands are not all there yet.
struct Call {
    op: Op,
    /// Where its name stands.
    name: Range<usize>,
    operands: Vec<Operand>,
}

/// A complete operand with its [`Expr::depth`].
struct Operand {
    expr: Expr,
    depth: usize,
}

/// An expression under construction.
#[derive(Default)]
struct Stacks {
    operands: Vec<Operand>,
    pending: Vec<Pending>,
}

impl Parser<'_> {
    /// `expr`
    pub(super) fn expression(&mut self) -> Result<Expr, SyntaxError> {
        let mut stacks = Stacks::default();
        loop {
            self.operand(&mut stacks)?;
            loop {
                if let Some((infix, level)) = self.operator() {
                    self.infix(&mut stacks, infix, level)?;
                    break;
                }
                self.apply(&mut stacks, Level::Or)?;
                match (self.next(), stacks.pending.pop()) {
                    (Next::Other(Kind::Close), Some(Pending::Paren(_))) => self.advance(),
                    (Next::Other(Kind::Comma), Some(Pending::Call(mut call))) => {
                        call.operands.push(stacks.pop());
                        stacks.pending.push(Pending::Call(call));
                        self.advance();
                        break;
                    }
                    (Next::Other(Kind::Close), Some(Pending::Call(mut call))) => {
                        call.operands.push(stacks.pop());
                        self.advance();
                        self.call(&mut stacks, call)?;
                    }
                    (Next::Other(Kind::CloseBracket), Some(Pending::Element(array, _))) => {
                        let Operand { expr, depth } = stacks.pop();
                        self.advance();
                        self.push(&mut stacks, Expr::Unary(Op::Load(array), Box::new(expr)), depth + 1)?;
                    }
                    (_, Some(Pending::Element(_, open))) => {
                        let error = self.unexpected("`]` or an operator");
                        let (line, column) = self.line_column(open);
                        return Err(error.with_help(format!("the `[` in line {line}, column {column} is open")));
                    }
                    (_, Some(Pending::Call(call))) => {
                        let help = format!("the call of `{}` is open", call.op);
                        return Err(self.unexpected("`,`, `)` or an operator").with_help(help));
                    }
                    (_, Some(Pending::Paren(open))) => {
                        let error = self.unexpected("`)` or an operator");
                        let (line, column) = self.line_column(open);
                        return Err(error.with_help(format!("the `(` in line {line}, column {column} is open")));
                    }
                    _ => return Ok(stacks.pop().expr),
                }
            }
        }
    }

    /// An operand with all unary operators and opening parentheses before it.
    fn operand(&mut self, stacks: &mut Stacks) -> Result<(), SyntaxError> {
        let expr = loop {
            // Each level of a tree makes at most an operator and a parenthesis wait.
            if stacks.pending.len() > 2 * MAX_DEPTH {
                return Err(self.too_deep());
            }
            match self.next() {
                Next::Other(Kind::Minus) => {
                    let minus = self.span();
                    self.advance();
                    if self.next() == Next::Other(Kind::Int) {
                        break Expr::Int(self.literal(Some(minus))?);
                    }
                    stacks.pending.push(Pending::Unary(Op::Neg));
                }
                Next::Other(Kind::Bang) => {
                    self.advance();
                    stacks.pending.push(Pending::Unary(Op::Not));
                }
                Next::Other(Kind::Tilde) => {
                    self.advance();
                    stacks.pending.push(Pending::Unary(Op::BitNot));
                }
                Next::Identifier if self.calls() => {
                    let name = self.span();
                    let op = self.called(name.clone())?;
                    self.advance();
                    self.advance();
                    stacks.pending.push(Pending::Call(Call { op, name, operands: Vec::new() }));
                }
                Next::Identifier if let Some(array) = self.indexed()? => {
                    self.advance();
                    stacks.pending.push(Pending::Element(array, self.span()));
                    self.advance();
                }
                Next::Other(Kind::Open) => {
                    stacks.pending.push(Pending::Paren(self.span()));
                    self.advance();
                }
                Next::Other(Kind::Int) => break Expr::Int(self.literal(None)?),
                _ => break Expr::Var(self.identifier("an expression")?),
            }
        };
        self.push(stacks, expr, 1)
    }

    /// Whether the next token is the name of a called operation.
    fn calls(&self) -> bool {
        self.dialect == Dialect::Plus && self.adjacent().is_some_and(|behind| behind.kind == Kind::Open)
    }

    /// The operation of a call.
    fn called(&self, name: Range<usize>) -> Result<Op, SyntaxError> {
        let text = self.slice(name.clone());
        match Op::named(text, self.dialect) {
            Ok(Op::Copy) | Err(_) => {
                let message = format!("there is no operation {}", syntax::quote(text));
                Err(SyntaxError::new(name, message)
                    .with_help("operations are called as in `min(a, b)` and `add.s8(a, b)`"))
            }
            Ok(op) => Ok(op),
        }
    }

    /// Puts a complete call on the stack of operands.
    fn call(&mut self, stacks: &mut Stacks, call: Call) -> Result<(), SyntaxError> {
        let Call { op, name, operands } = call;
        let (count, depth) = (operands.len(), operands.iter().map(|operand| operand.depth).max().unwrap_or(0));
        match Expr::operation(op, operands.into_iter().map(|operand| operand.expr).collect()) {
            Some(expr) => self.push(stacks, expr, depth + 1),
            None => {
                let operands = if op.arity() == 1 { "1 operand".into() } else { format!("{} operands", op.arity()) };
                Err(SyntaxError::new(name, format!("`{op}` takes {operands}, not {count}")))
            }
        }
    }

    /// The operator that is next, with its level. `<u` and its like are two tokens without a blank between them.
    fn operator(&self) -> Option<(Infix, Level)> {
        match self.next() {
            Next::Other(Kind::OrOr) => Some((Infix::Logic(Logic::Or), Level::Or)),
            Next::Other(Kind::AndAnd) => Some((Infix::Logic(Logic::And), Level::And)),
            Next::Other(_) => {
                let op = Op::from_symbol(self.slice(self.operator_span()), 2)?;
                Some((Infix::Binary(op), Level::of(op)))
            }
            Next::Identifier | Next::Keyword(_) | Next::End => None,
        }
    }

    fn operator_span(&self) -> Range<usize> {
        let span = self.span();
        match self.adjacent() {
            Some(behind) if self.dialect == Dialect::Plus && self.slice(behind.span.clone()) == "u" => {
                let unsigned = span.start..behind.span.end;
                if Op::from_symbol(self.slice(unsigned.clone()), 2).is_some() { unsigned } else { span }
            }
            _ => span,
        }
    }

    /// An integer literal, with the `-` that stands before it.
    pub(super) fn literal(&mut self, minus: Option<Range<usize>>) -> Result<i64, SyntaxError> {
        let digits = self.span();
        let magnitude = self.slice(digits.clone()).parse::<u64>().ok();
        let value = match (magnitude, &minus) {
            (Some(magnitude), None) => i64::try_from(magnitude).ok(),
            (Some(magnitude), Some(_)) => 0i64.checked_sub_unsigned(magnitude),
            (None, _) => None,
        };
        let Some(value) = value else {
            let (begin, sign) = minus.map_or((digits.start, ""), |minus| (minus.start, "-"));
            let literal = syntax::quote(&format!("{sign}{}", self.slice(digits.clone())));
            return Err(SyntaxError::new(begin..digits.end, format!("the literal {literal} does not fit in 64 bits"))
                .with_help("literals go from -9223372036854775808 to 9223372036854775807"));
        };
        self.advance();
        Ok(value)
    }

    /// A binary operator, after its left operand.
    fn infix(&mut self, stacks: &mut Stacks, infix: Infix, level: Level) -> Result<(), SyntaxError> {
        if level == Level::Compare {
            self.apply(stacks, level.tighter())?;
            if matches!(stacks.pending.last(), Some(Pending::Infix(_, Level::Compare))) {
                let found = syntax::quote(self.slice(self.operator_span()));
                return Err(SyntaxError::new(self.operator_span(), format!("{found} follows another comparison"))
                    .with_help("comparisons do not chain: write `a < b && b < c`, or parentheses"));
            }
        } else {
            self.apply(stacks, level)?;
        }
        let end = self.operator_span().end;
        while self.next() != Next::End && self.span().start < end {
            self.advance();
        }
        stacks.pending.push(Pending::Infix(infix, level));
        Ok(())
    }

    /// Applies the waiting operators that bind as tight as `level` or tighter, back to an open parenthesis.
    fn apply(&mut self, stacks: &mut Stacks, level: Level) -> Result<(), SyntaxError> {
        loop {
            match stacks.pending.last() {
                Some(&Pending::Unary(op)) => {
                    let Operand { expr, depth } = stacks.pop();
                    stacks.pending.pop();
                    self.push(stacks, Expr::Unary(op, Box::new(expr)), depth + 1)?;
                }
                Some(&Pending::Infix(infix, waiting)) if waiting >= level => {
                    let (right, left) = (stacks.pop(), stacks.pop());
                    stacks.pending.pop();
                    let depth = left.depth.max(right.depth) + 1;
                    let (left, right) = (Box::new(left.expr), Box::new(right.expr));
                    let expr = match infix {
                        Infix::Binary(op) => Expr::Binary(op, left, right),
                        Infix::Logic(logic) => Expr::Logic(logic, left, right),
                    };
                    self.push(stacks, expr, depth)?;
                }
                _ => return Ok(()),
            }
        }
    }

    /// Puts a complete operand on its stack, unless the tree is too deep with it.
    fn push(&mut self, stacks: &mut Stacks, expr: Expr, depth: usize) -> Result<(), SyntaxError> {
        if self.depth + depth > MAX_DEPTH {
            return Err(self.too_deep());
        }
        stacks.operands.push(Operand { expr, depth });
        Ok(())
    }
}

impl Stacks {
    /// The last operand. There is one for each operator: an operator is only taken where an operand was.
    fn pop(&mut self) -> Operand {
        self.operands.pop().expect("an operator stands after an operand")
    }
}
