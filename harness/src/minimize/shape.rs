//! What a minimized program is made of, in words: its *shape*. Little is left besides what the finding needs, so the
//! shape names the construct at fault, whatever the names, the constants and the order.
//!
//! An operation is a word of it when no other operation can stand in its place: `1 - 0` shows that operands were
//! exchanged, `1 + 0` doesn't. `a > b` is `b < a`, `a <= 1` is `a < 2`, and a shift is a shift, at every width. `narrow`
//! is an operation at 8, 16 or 32 bits for which another at the same width would do, be it on -1. `logic` is what `&&` or
//! `||` give, if that is not 0 or 1.
//!
//! What jumps is `if`, with `&&` and `||`, or `loop`; beside a loop that can't be got rid of, arithmetic is no word,
//! since how often it goes round and what it adds up to is chance. Beside a comparison that is a word, or `logic`,
//! jumps are none: they are what it is for; nor is `if` beside an array, nor `emit` beside a statement that goes
//! elsewhere. `wide` is a number that 32 bits don't hold, which the minimizer would not have left for nothing, unless
//! there is a loop; one operation of arithmetic is enough beside it, since how many it takes to make that number is
//! chance. `return` is an early one. `inputs` and `assign` count when there is nothing else.

mod parts;

use parts::Parts;

use crate::case::{Case, Program};
use crate::lab::{self, Inst};
use crate::op::{Array, Narrow, Op};
use crate::tac::{self, Line};
use crate::tiny::Expr;
use crate::tiny::walk::{expression_mut, expressions};

/// More kinds of operations than this name no construct any more: the program is hardly minimal.
const MOST_OPERATIONS: usize = 6;

/// The shape as text, fit for a file name; empty for a program that is made of nothing. `interesting` is the predicate
/// that the program was minimized with.
pub fn shape(case: &Case, interesting: &mut dyn FnMut(&Case) -> bool) -> String {
    let parts = Parts::of(case);
    if parts.operations.len() > MOST_OPERATIONS {
        return "many".into();
    }
    let leaves = parts.switches || parts.breaks || parts.continues || parts.returns;
    let counts = |op: &Op| match op {
        Op::Emit => !leaves,
        op => !parts.loops || !is_arithmetic(op),
    };
    let own = parts.operations.iter().copied().filter(counts);
    let (mut needed, rest): (Vec<Op>, Vec<Op>) =
        own.partition(|&op| parts.done.contains(&op) || is_needed(case, op, interesting));
    let wide = parts.wide && !parts.loops;
    if wide && let Some(first) = needed.iter().copied().find(is_arithmetic) {
        needed.retain(|op| *op == first || !is_arithmetic(op));
    }
    let logic = parts.logic && !interesting(&with_bits(case));
    let jumps = match (parts.loops, parts.branches) {
        _ if logic || needed.iter().copied().any(compares) => None,
        (true, _) => Some("loop"),
        (false, true) => Some("if").filter(|_| !parts.operations.iter().any(|op| op.array().is_some())),
        (false, false) => None,
    };
    let mut others = Vec::new();
    others.extend(rest.iter().any(is_narrow).then_some("narrow"));
    others.extend(logic.then_some("logic"));
    others.extend(jumps);
    let mut words: Vec<String> = Vec::new();
    for word in needed.into_iter().map(named) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    let statements = [("switch", parts.switches), ("break", parts.breaks), ("continue", parts.continues)];
    let statements = statements.into_iter().chain([("return", parts.returns)]);
    others.extend(statements.filter_map(|(word, is_there)| is_there.then_some(word)));
    others.extend(wide.then_some("wide"));
    words.extend(others.into_iter().map(str::to_string));
    if words.is_empty() {
        // Two values may be what an operation needs; alone, they are what matters.
        words.extend((case.program.inputs() > 1).then_some("inputs".into()));
        words.extend(parts.assigns.then_some("assign".into()));
    }
    words.join("-")
}

/// The same with narrow operations by their names, for who would rather have a bug twice than miss one: a compiler that
/// is wrong at one of a width is often wrong at others, for other reasons.
pub fn whole(case: &Case, shape: &str) -> String {
    let narrow = Parts::of(case).operations.into_iter().filter(is_narrow).map(named).collect::<Vec<_>>().join("-");
    shape.split('-').map(|word| if word == "narrow" { &narrow } else { word }).collect::<Vec<_>>().join("-")
}

/// Whether a program has everything that a shape says: else its finding is another one.
pub fn has(case: &Case, shape: &str) -> bool {
    let parts = Parts::of(case);
    shape.split('-').all(|word| match word {
        "if" => parts.branches,
        "logic" => parts.logic,
        "loop" => parts.loops,
        "switch" => parts.switches,
        "narrow" => parts.operations.iter().any(is_narrow),
        "break" => parts.breaks,
        "continue" => parts.continues,
        "return" => parts.returns,
        _ => !Op::all().any(|op| named(op) == word) || parts.operations.iter().any(|op| named(*op) == word),
    })
}

/// An operation's word: a dot parts what a signature is made of.
fn named(op: Op) -> String {
    match op {
        Op::At(Narrow::Shl, _) => Op::Shl.name().into(),
        op => op.name().replace('.', "_"),
    }
}

/// The operation whose name stands for this one: the same with its operands exchanged, on another array, or, as what is
/// wrong with a count is wrong with it everywhere, another shift of the same width.
fn word(op: Op) -> Op {
    match op {
        Op::Gt => Op::Lt,
        Op::Ge => Op::Le,
        Op::Ashr | Op::Lshr => Op::Shl,
        Op::At(Narrow::Shr, int) => Op::At(Narrow::Shl, int),
        Op::Load(_) => Op::Load(Array::ANY),
        Op::Store(_) => Op::Store(Array::ANY),
        other => other,
    }
}

/// Whether it compares: where another comparison, or a difference, won't do, that is no chance.
fn compares(op: Op) -> bool {
    match op {
        Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne | Op::Ult | Op::Ule | Op::Ugt | Op::Uge => true,
        Op::At(narrow, _) => narrow.compares(),
        _ => false,
    }
}

/// Whether it is more than its value.
fn has_effect(op: Op) -> bool {
    op == Op::Emit || op.array().is_some()
}

/// A case in which what `&&` and `||` give is made 0 or 1 once more, which means the same.
fn with_bits(case: &Case) -> Case {
    let mut case = case.clone();
    if let Program::Tiny(program) = &mut case.program {
        let mut at = 0;
        while let Some(expr) = expression_mut(program, at) {
            at += 1;
            if let Expr::Logic(..) = expr {
                let logic = std::mem::replace(expr, Expr::Int(0));
                *expr = Expr::Binary(Op::Ne, Box::new(logic), Box::new(Expr::Int(0)));
                // It comes behind now.
                at += 1;
            }
        }
    }
    case
}

fn is_narrow(op: &Op) -> bool {
    matches!(op, Op::At(..))
}

/// Whether it is nothing but a number made of numbers, at 64 bits.
fn is_arithmetic(op: &Op) -> bool {
    !compares(*op) && !is_narrow(op) && !has_effect(*op)
}

/// Whether no other operation can stand for an operation wherever it does.
fn is_needed(case: &Case, op: Op, interesting: &mut dyn FnMut(&Case) -> bool) -> bool {
    let others: Vec<Op> = match op {
        Op::At(_, int) => Narrow::ALL.iter().map(|&narrow| Op::At(narrow, int)).collect(),
        _ => Op::WIDE.iter().copied().filter(|other| other.dialect() <= op.dialect()).collect(),
    };
    // A copy is none of Tiny's operations, and what it does is the minimizer's work anyway.
    let others = others.into_iter().filter(|&other| other.arity() == op.arity() && word(other) != op);
    let mut others = others.filter(|other| *other != Op::Copy);
    let operands: &[Operands] = if is_narrow(&op) {
        &[Operands::Same, Operands::Constant(-1)]
    } else if compares(op) {
        &[Operands::Same, Operands::Moved(-1), Operands::Moved(1)]
    } else {
        &[Operands::Same]
    };
    op != Op::Copy
        && !others.any(|other| {
            operands.iter().any(|&operands| {
                let mut changed = case.clone();
                replace(&mut changed.program, op, other, operands);
                interesting(&changed)
            })
        })
}

/// What another operation is tried on.
#[derive(Clone, Copy)]
enum Operands {
    /// What the operation had.
    Same,
    /// Of narrow numbers it is the sign that most faults are in, and what gives a negative one of other operands may
    /// not of these; of -1, most operations do.
    Constant(i64),
    /// Its constants, with so much added: `a <= 1` is `a < 2`.
    Moved(i64),
}

impl Operands {
    /// The constant to put where this one stands, or a variable.
    fn instead(self, constant: Option<i64>) -> Option<i64> {
        match self {
            Operands::Same => constant,
            Operands::Constant(value) => Some(value),
            Operands::Moved(by) => constant.map(|value| value.wrapping_add(by)),
        }
    }
}

/// Puts another operation wherever one stands.
fn replace(program: &mut Program, op: Op, other: Op, operands: Operands) {
    match program {
        Program::Tiny(program) => {
            for n in 0..expressions(program).len() {
                if let Some(expr) = expression_mut(program, n)
                    && let Some(at) = expr.op_mut().filter(|at| word(**at) == op)
                {
                    *at = other;
                    expr.operands_mut().for_each(|operand| {
                        let constant = if let Expr::Int(value) = operand { Some(*value) } else { None };
                        if let Some(value) = operands.instead(constant) {
                            *operand = Expr::Int(value);
                        }
                    });
                }
            }
        }
        Program::Tac(program) => {
            for line in &mut program.lines {
                if let Line::Assign(assign) = line
                    && word(assign.op) == op
                {
                    assign.op = other;
                    for operand in &mut assign.args[..other.arity()] {
                        let constant = if let tac::Atom::Const(value) = operand { Some(*value) } else { None };
                        if let Some(value) = operands.instead(constant) {
                            *operand = tac::Atom::Const(value);
                        }
                    }
                }
            }
        }
        Program::Ssa(function) => {
            function.blocks.iter_mut().for_each(|block| replace_in(&mut block.body, op, other, operands));
        }
        Program::Phi(function) => {
            function.blocks.iter_mut().for_each(|block| replace_in(&mut block.body, op, other, operands));
        }
    }
}

fn replace_in(body: &mut [Inst], op: Op, other: Op, operands: Operands) {
    for inst in body.iter_mut().filter(|inst| word(inst.op) == op) {
        inst.op = other;
        for operand in inst.operands_mut() {
            let constant = if let lab::Atom::Const(value) = operand { Some(*value) } else { None };
            if let Some(value) = operands.instead(constant) {
                *operand = lab::Atom::Const(value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minimize::measure::Measure;
    use crate::{tac, tiny};

    fn tiny_case(text: &str) -> Case {
        Case { program: Program::Tiny(tiny::parse(text).unwrap()), vectors: vec![vec![]], fuel: 100 }
    }

    #[test]
    fn an_operation_counts_when_no_other_will_do() {
        let case = tiny_case("return (1 - 0) * (2 > 1)");
        let has = |text: &'static str| move |case: &Case| Measure::of(case).text().contains(text);
        assert_eq!(shape(&case, &mut has("-")), "sub");
        assert_eq!(shape(&case, &mut has(" > ")), "lt");
        assert_eq!(shape(&case, &mut |_| false), "sub-mul-lt");
        let shift = tiny_case("# dialect: plus\nreturn 1 >>> 64");
        let shifts = |case: &Case| [" << ", " >> ", " >>> "].iter().any(|op| Measure::of(case).text().contains(op));
        assert_eq!(shape(&shift, &mut { shifts }), "shl");
        let narrow = tiny_case("# dialect: plus\nreturn shr.u8(1, 8) - shl.s16(1, 16)");
        let shifts = |case: &Case| ["shr.", "shl."].iter().filter(|op| Measure::of(case).text().contains(**op)).count();
        assert_eq!(shape(&narrow, &mut |case| shifts(case) == 2), "shl");
        assert_eq!(shape(&narrow, &mut |_| true), "narrow");
        assert_eq!(shape(&case, &mut |_| true), "");
        let jumps = tiny_case("while a > 1 { if a - b { a = 0; } }\nreturn a");
        assert_eq!(shape(&jumps, &mut has(" > ")), "lt");
        assert_eq!(shape(&jumps, &mut has(" - ")), "loop");
    }

    #[test]
    fn a_comparison_counts_when_none_with_the_next_constant_will_do() {
        let case = tiny_case("while b <= 1 { b = b + 1; }\nreturn b");
        let gives_two = |case: &Case| {
            let Program::Tiny(program) = &case.program else { return false };
            tiny::eval(program, &[], 99).outcome == crate::op::End::Return(2).into()
        };
        assert_eq!(shape(&case, &mut { gives_two }), "loop");
        let has = |case: &Case| Measure::of(case).text().contains(" <= 1");
        assert_eq!(shape(&case, &mut { has }), "le");
    }

    #[test]
    fn a_narrow_operation_counts_when_no_other_gives_a_negative_number_either() {
        let case = tiny_case("# dialect: plus\nreturn rotr.s8(1, 1)");
        let is_negative = |case: &Case| {
            let Program::Tiny(program) = &case.program else { return false };
            matches!(tiny::eval(program, &[], 9).outcome.end, crate::op::End::Return(value) if value < 0)
        };
        assert_eq!(shape(&case, &mut { is_negative }), "narrow");
        assert_eq!(whole(&case, "narrow-loop"), "rotr_s8-loop");
        assert!(has(&case, "rotr_s8") && !has(&case, "rotr_s16"));
        let rotates = |case: &Case| Measure::of(case).text().contains("rotr.s8");
        assert_eq!(shape(&case, &mut { rotates }), "rotr_s8");
    }

    #[test]
    fn logic_counts_when_it_gives_no_bit() {
        let case = tiny_case("return 1 && (2 || 0)");
        let gives_no_bit = |case: &Case| {
            let Program::Tiny(program) = &case.program else { return false };
            matches!(&program.result, Expr::Logic(..))
        };
        assert_eq!(shape(&case, &mut { gives_no_bit }), "logic");
        let text = |case: &Case| Measure::of(case).text().to_string();
        assert_eq!(text(&with_bits(&case)), "return (1 && (2 || 0) != 0) != 0\n[]\n");
        assert_eq!(shape(&case, &mut |_| true), "if");
    }

    #[test]
    fn control_numbers_and_inputs_count() {
        let of = |text| shape(&tiny_case(text), &mut |_| true);
        assert_eq!(of("if a && b { a = 1; }\nreturn a"), "if");
        assert_eq!(of("while a { a = 1 || b; }\nreturn 2147483648"), "loop");
        assert_eq!(of("input a, b;\nreturn -4294967296"), "wide");
        let needs_both = |case: &Case| [" + ", " * "].iter().all(|op| Measure::of(case).text().contains(op));
        assert_eq!(shape(&tiny_case("return (a + 4294967296) * 3"), &mut { needs_both }), "add-wide");
        assert_eq!(shape(&tiny_case("return (a + 429496729) * 3"), &mut { needs_both }), "add-mul");
        assert_eq!(of("input a, b;\nreturn b"), "inputs");
        assert_eq!(of("a = 1;\nreturn a"), "assign");
        assert_eq!(of("while a < 4294967296 { a = a + 1; }\nreturn a"), "loop");
        let tac_of =
            |text| Parts::of(&Case { program: Program::Tac(tac::parse(text).unwrap()), ..tiny_case("return 0") });
        assert_eq!(of("# dialect: plus\nif a { a8[0] = 1; }\nreturn a8[0]"), "store");
        assert_eq!(of("# dialect: plus\nwhile 1 { emit 1; break; }\nreturn 0"), "loop-break");
        let parts = tac_of("L:\nif a goto M\na = copy 1\ngoto L\nM:\nret a");
        assert!(parts.branches && parts.loops && parts.assigns);
        assert!(!tac_of("goto L\nL:\nret a").loops);
    }

    #[test]
    fn a_program_without_a_shapes_parts_shows_something_else() {
        let case = tiny_case("if a { a = 1 - a; }\nreturn a > 1");
        for (shape, expected) in
            [("sub-if", true), ("lt", true), ("loop", false), ("mul", false), ("assign", true), ("", true)]
        {
            assert_eq!(has(&case, shape), expected, "{shape}");
        }
    }
}
