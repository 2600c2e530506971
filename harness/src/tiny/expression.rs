//! Tiny's parser: expressions, by operator precedence.
//!
//! The method is Dijkstra's shunting yard ("An Algol 60 translator for the X1", 1961): operands that are complete and
//! operators that still wait for their right operand stand on two stacks. A waiting operator is applied as soon as the
//! next operator does not bind tighter.

use std::ops::Range;

use super::MAX_DEPTH;
use super::ast::{Expr, Logic};
use super::parse::{Next, Parser};

use crate::op::Op;
use crate::syntax::{self, Kind, SyntaxError};

/// How tight an operator binds; the tightest is the greatest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Or,
    And,
    Compare,
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
            Level::Compare => Level::Sum,
            Level::Sum => Level::Product,
            Level::Product | Level::Unary => Level::Unary,
        }
    }

    /// Of a binary operation that Tiny has.
    pub(super) fn of(op: Op) -> Level {
        match op {
            Op::Add | Op::Sub => Level::Sum,
            Op::Mul | Op::Div | Op::Rem => Level::Product,
            _ => Level::Compare,
        }
    }
}

/// What waits on the stack for the operand to its right.
enum Pending {
    Paren(Range<usize>),
    Unary(Op),
    Infix(Infix, Level),
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
                if let Some((infix, level)) = infix(self.next()) {
                    self.infix(&mut stacks, infix, level)?;
                    break;
                }
                self.apply(&mut stacks, Level::Or)?;
                match (self.next(), stacks.pending.pop()) {
                    (Next::Other(Kind::Close), Some(Pending::Paren(_))) => self.advance(),
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
                        break self.literal(Some(minus))?;
                    }
                    stacks.pending.push(Pending::Unary(Op::Neg));
                }
                Next::Other(Kind::Bang) => {
                    self.advance();
                    stacks.pending.push(Pending::Unary(Op::Not));
                }
                Next::Other(Kind::Open) => {
                    stacks.pending.push(Pending::Paren(self.span()));
                    self.advance();
                }
                Next::Other(Kind::Int) => break self.literal(None)?,
                _ => break Expr::Var(self.identifier("an expression")?),
            }
        };
        self.push(stacks, expr, 1)
    }

    /// An integer literal, with the `-` that stands before it.
    fn literal(&mut self, minus: Option<Range<usize>>) -> Result<Expr, SyntaxError> {
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
        Ok(Expr::Int(value))
    }

    /// A binary operator, after its left operand.
    fn infix(&mut self, stacks: &mut Stacks, infix: Infix, level: Level) -> Result<(), SyntaxError> {
        if level == Level::Compare {
            self.apply(stacks, Level::Sum)?;
            if matches!(stacks.pending.last(), Some(Pending::Infix(_, Level::Compare))) {
                let found = syntax::quote(self.slice(self.span()));
                return Err(SyntaxError::new(self.span(), format!("{found} follows another comparison"))
                    .with_help("comparisons do not chain: write `a < b && b < c`, or parentheses"));
            }
        } else {
            self.apply(stacks, level)?;
        }
        self.advance();
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

/// The binary operator of a token.
fn infix(next: Next) -> Option<(Infix, Level)> {
    let Next::Other(kind) = next else { return None };
    let op = match kind {
        Kind::OrOr => return Some((Infix::Logic(Logic::Or), Level::Or)),
        Kind::AndAnd => return Some((Infix::Logic(Logic::And), Level::And)),
        Kind::Equal => Op::Eq,
        Kind::NotEqual => Op::Ne,
        Kind::Less => Op::Lt,
        Kind::LessEqual => Op::Le,
        Kind::Greater => Op::Gt,
        Kind::GreaterEqual => Op::Ge,
        Kind::Plus => Op::Add,
        Kind::Minus => Op::Sub,
        Kind::Star => Op::Mul,
        Kind::Slash => Op::Div,
        Kind::Percent => Op::Rem,
        _ => return None,
    };
    Some((Infix::Binary(op), Level::of(op)))
}
