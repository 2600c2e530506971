//! Small random programs for the properties of the constructions: any tree, any graph, unreachable code and endless
//! loops included.

use arbitrary::{Result, Unstructured};
use harness::op::Op;
use harness::tac;
use harness::tiny::{Expr, Logic, Program, Stmt, Var};

/// `b` and `t` share the counters of blocks and temporaries.
const VARIABLES: [&str; 4] = ["b", "t", "x", "y"];
const OPS: [Op; 6] = [Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Lt, Op::Eq];

/// One value for each input.
pub fn vector(inputs: usize, u: &mut Unstructured) -> Result<Vec<i64>> {
    (0..inputs).map(|_| u.int_in_range(-3..=3)).collect()
}

/// A Tiny program.
pub fn tiny_program(u: &mut Unstructured) -> Result<Program> {
    let inputs = u.int_in_range(0..=2)?;
    let body = stmts(4, u)?;
    let result = expr(3, u)?;
    Ok(Program { variables: VARIABLES.map(Into::into).into(), inputs, body, result })
}

fn stmts(depth: u32, u: &mut Unstructured) -> Result<Vec<Stmt>> {
    (0..u.int_in_range(0..=3)?).map(|_| stmt(depth, u)).collect()
}

fn stmt(depth: u32, u: &mut Unstructured) -> Result<Stmt> {
    let kind = if depth == 0 { 0 } else { u.int_in_range(0..=4)? };
    Ok(match kind {
        3 => Stmt::If(expr(2, u)?, stmts(depth - 1, u)?, stmts(depth - 1, u)?),
        4 => Stmt::While(expr(2, u)?, stmts(depth - 1, u)?),
        _ => Stmt::Assign(variable(u)?, expr(3, u)?),
    })
}

fn expr(depth: u32, u: &mut Unstructured) -> Result<Expr> {
    let kind = if depth == 0 { u.int_in_range(0..=1)? } else { u.int_in_range(0..=5)? };
    Ok(match kind {
        0 => Expr::Int(u.int_in_range(-2..=5)?),
        1 => Expr::Var(variable(u)?),
        2 => Expr::Unary(*u.choose(&[Op::Neg, Op::Not])?, Box::new(expr(depth - 1, u)?)),
        3 => {
            let logic = *u.choose(&[Logic::And, Logic::Or])?;
            Expr::Logic(logic, Box::new(expr(depth - 1, u)?), Box::new(expr(depth - 1, u)?))
        }
        _ => Expr::Binary(*u.choose(&OPS)?, Box::new(expr(depth - 1, u)?), Box::new(expr(depth - 1, u)?)),
    })
}

fn variable(u: &mut Unstructured) -> Result<Var> {
    Ok(Var(u.int_in_range(0..=VARIABLES.len() as u32 - 1)?))
}

/// A TAC program: stretches of assignments, each with a label before it and any jump or none after it.
pub fn tac_program(u: &mut Unstructured) -> Result<tac::Program> {
    const NAMES: [&str; 5] = ["a", "b", "c", "d", "t.0"];
    let stretches = u.int_in_range(1..=8)?;
    let atom = |u: &mut Unstructured| {
        Ok(match u.int_in_range(0..=2)? {
            0 => u.int_in_range(-2..=5)?.to_string(),
            _ => (*u.choose(&NAMES)?).to_string(),
        })
    };
    let label = |u: &mut Unstructured| Ok(format!("L{}", u.int_in_range(0..=stretches - 1)?));

    let mut text = (*u.choose(&["", "input a\n", "input b, t.0\n"])?).to_string();
    for stretch in 0..stretches {
        text += &format!("L{stretch}:\n");
        for _ in 0..u.int_in_range(0..=3)? {
            let (dest, op) = (*u.choose(&NAMES)?, *u.choose(&OPS)?);
            text += &if u.ratio(1, 3)? {
                format!("  {dest} = copy {}\n", atom(u)?)
            } else {
                format!("  {dest} = {op} {}, {}\n", atom(u)?, atom(u)?)
            };
        }
        text += &match u.int_in_range(0..=6)? {
            0 => format!("  goto {}\n", label(u)?),
            1 | 2 => format!("  if {} goto {}\n", atom(u)?, label(u)?),
            3 | 4 => format!("  ifz {} goto {}\n", atom(u)?, label(u)?),
            5 => format!("  ret {}\n", atom(u)?),
            _ => String::new(),
        };
    }
    text += &format!("  ret {}\n", atom(u)?);
    Ok(tac::parse(&text).expect("a right program"))
}
