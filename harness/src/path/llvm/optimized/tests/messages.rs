//! What is undefined, what is not, what is said of it, and what can't be raised.

use super::{Vector, interpreted, raised, text};
use crate::op::{End, Outcome};
use crate::optimized::Interpreter;

const ELSEWHERE: &str = "declare void @llvm.assume(i1)
declare i64 @llvm.ctpop.i64(i64)
declare i64 @elsewhere()
declare void @emit(i64)
declare i64 @llvm.experimental.cttz.elts.i64.v2i64(<2 x i64>, i1)
@table = private constant [2 x i64] [i64 1, i64 2]
@holes = private constant [2 x i64] [i64 1, i64 poison]
@variable = global i64 0";

fn explained(body: &str, inputs: &Vector) -> String {
    let function = raised(&text(ELSEWHERE, body)).unwrap();
    let interpreter = Interpreter::new(&function);
    assert_eq!(interpreter.run(inputs, 100).outcome, End::Undefined.into(), "{body}");
    interpreter.explain(inputs, 100).unwrap().to_string()
}

#[test]
fn what_is_undefined_is_explained() {
    const MAX: i64 = i64::MAX;
    for (body, message) in [
        (
            "%s = add nsw i64 %x, 1\n%t = mul i64 %s, 0\nret i64 %t",
            "returns poison: ret i64 %t; the poison comes from %s = add nsw i64 %x, i64 1 with %x = 9223372036854775807",
        ),
        (
            "%s = add nsw i64 %x, 1\nbr label %end\nend:\n%p = phi i64 [ %s, %start ]\n%c = icmp eq i64 %p, 0
br i1 %c, label %a, label %b\na:\nret i64 1\nb:\nret i64 1",
            "branch on poison: br i1 %c, %a, %b; the poison comes from %s = add nsw i64 %x, i64 1 with %x = \
             9223372036854775807",
        ),
        (
            "%p = getelementptr i64, ptr @holes, i64 1\n%l = load i64, ptr %p\nret i64 %l",
            "returns poison: ret i64 %l; the poison comes from %l = load align 4 ptr %p with %p = 8589934600",
        ),
        (
            "%v = insertelement <2 x i64> zeroinitializer, i64 %y, i64 1\n%l = call i64 \
             @llvm.experimental.cttz.elts.i64.v2i64(<2 x i64> %v, i1 true)\nret i64 %l",
            "returns poison: ret i64 %l; the poison comes from %l = experimental.cttz.elts <2 x i64> %v, i1 -1 with %v = 0 0",
        ),
        ("ret i64 poison", "returns poison: ret i64 poison; the poison comes from poison"),
        (
            "call void @emit(i64 %x)\n%s = add nuw i64 %x, -1\ncall void @emit(i64 %s)\nret i64 0",
            "emits poison: emit i64 %s; the poison comes from %s = add nuw i64 %x, i64 -1 with %x = 9223372036854775807",
        ),
        ("unreachable", "reaches unreachable: unreachable"),
        ("%d = sdiv i64 1, %y\nret i64 %d", "division by zero: %d = sdiv i64 1, i64 %y"),
        (
            "switch i64 poison, label %a [ i64 1, label %b ]\na:\nret i64 1\nb:\nret i64 1",
            "switch on poison: switch i64 poison, %a [ 1: %b ]; the poison comes from poison",
        ),
        (
            "%c = icmp eq i64 %x, 0\ncall void @llvm.assume(i1 %c)\nret i64 0",
            "assumes what does not hold: assume i1 %c",
        ),
        (
            "%p = getelementptr i64, ptr %in, i64 3\n%l = load i64, ptr %p, align 8\nret i64 %l",
            "access past the end of an object: %l = load align 8 ptr %p",
        ),
        (
            "%p = getelementptr inbounds i64, ptr %in, i64 4\n%l = load i64, ptr %p, align 8\nret i64 %l",
            "load from poison: %l = load align 8 ptr %p; the poison comes from %p = getelementptr nsw inbounds 32 bytes, \
             ptr %in",
        ),
        (
            "%l = load <2 x i64>, ptr %in, align 16\n%r = extractelement <2 x i64> %l, i64 0\nret i64 %r",
            "access of an address that is not aligned as promised: %l = load align 16 ptr %in",
        ),
        (
            "%r = call range(i64 0, 3) i64 @llvm.ctpop.i64(i64 %x)\nret i64 %r",
            "returns poison: ret i64 %r; the poison comes from %r = ctpop i64 %x in 0..3 with %x = 9223372036854775807",
        ),
        (
            "store i64 1, ptr @table, align 8\nret i64 1",
            "store to constant memory: store align 8 i64 1, ptr @table.0+0",
        ),
    ] {
        assert_eq!(explained(body, &[MAX, 0, 5]), message, "{body}");
    }
    let text = text("", "ret i64 %x").replace("define i64", "define range(i64 1, 3) i64");
    let expected = [End::Undefined, End::Return(1), End::Return(2), End::Undefined].map(Outcome::from);
    assert_eq!(interpreted(&text, &[[0; 3], [1; 3], [2; 3], [3; 3]]), expected);
}

/// Poison that nothing depends on harms nobody.
#[test]
fn what_is_not_undefined() {
    for (body, result) in [
        ("%s = add nsw i64 %x, 1\n%c = icmp eq i64 %y, 1\n%t = select i1 %c, i64 %s, i64 5\nret i64 %t", 5),
        ("%s = add nsw i64 %x, 1\n%f = freeze i64 %s\n%t = and i64 %f, 0\nret i64 %t", 0),
        ("%f = freeze i64 poison\n%t = sub i64 %f, %f\nret i64 %t", 0),
        ("%t = and i64 undef, 0\nret i64 %t", 0),
        ("%v = insertelement <2 x i64> poison, i64 4, i64 1\n%t = extractelement <2 x i64> %v, i64 1\nret i64 %t", 4),
        (
            "%p = getelementptr inbounds i64, ptr %in, i64 3\n%q = getelementptr i64, ptr %p, i64 -3\n%t = load i64, ptr %q\n\
          %u = and i64 %t, 1\nret i64 %u",
            1,
        ),
        ("%c = icmp eq i64 %y, 1\nbr i1 %c, label %a, label %b\na:\nunreachable\nb:\nret i64 3", 3),
    ] {
        assert_eq!(interpreted(&text(ELSEWHERE, body), &[[i64::MAX, 0, 5]]), [End::Return(result).into()], "{body}");
    }
    // Two uses of `undef` need not be equal, two of one `freeze` are.
    let two = |operand: &str| {
        format!("%f = freeze i64 {operand}\n%c = icmp eq i64 %f, %f\n%t = zext i1 %c to i64\nret i64 %t")
    };
    assert_eq!(interpreted(&text("", &two("undef")), &[[0; 3]]), [End::Return(1).into()]);
    let uses = "%c = icmp eq i64 undef, undef\n%t = zext i1 %c to i64\nret i64 %t";
    assert_eq!(interpreted(&text("", uses), &[[0; 3]]), [End::Return(0).into()]);
}

#[test]
fn a_run_without_end_runs_out_of_fuel() {
    let function = raised(&text("", "br label %l\nl:\nbr label %l")).unwrap();
    let run = Interpreter::new(&function).run(&[0; 3], 50);
    assert_eq!((run.outcome, run.steps), (End::OutOfFuel.into(), 50));
}

#[test]
fn a_load_is_poison_outside_of_its_range() {
    let text = text("", "%r = load i64, ptr %in, !range !{i64 -2, i64 9}\nret i64 %r");
    let outcomes = interpreted(&text, &[[-2, 0, 0], [8, 0, 0], [9, 0, 0], [-3, 0, 0]]);
    let expected = [End::Return(-2), End::Return(8), End::Undefined, End::Undefined];
    assert_eq!(outcomes, expected.map(Outcome::from));
}

#[test]
fn what_can_not_be_raised_is_named() {
    for (body, reason) in [
        ("%r = call i64 @elsewhere()\nret i64 %r", "call elsewhere"),
        ("%r = load i64, ptr @variable\nret i64 %r", "a global variable"),
        ("%r = load volatile i64, ptr %in\nret i64 %r", "load volatile or atomic"),
        ("%r = load i64, ptr %in, !range !{i64 0, i64 9, i64 12, i64 15}\nret i64 %r", "load with several !range"),
        ("%d = sitofp i64 %x to double\n%r = fptosi double %d to i64\nret i64 %r", "a value of type double"),
        ("%a = add i256 0, 1\n%r = trunc i256 %a to i64\nret i64 %r", "a value of type i256"),
        ("%r = load i64, ptr inttoptr (i64 8 to ptr)\nret i64 %r", "a constant expression"),
    ] {
        assert_eq!(raised(&text(ELSEWHERE, body)).unwrap_err(), reason, "{body}");
    }
}

#[test]
fn names_are_those_of_the_listing() {
    let body = "%0 = add nsw i64 %x, 1\nbr label %dead.end\n1:\n%2 = add i64 1, 2\nbr label %dead.end\ndead.end:\n%3 = mul i64 %0, 2
ret i64 %3";
    let shown = raised(&text("", body)).unwrap().to_string();
    assert!(shown.contains("%3 = mul i64 %0, i64 2\n  ret i64 %3"), "{shown}");
}

#[test]
fn what_is_emitted_stands_in_the_outcome_unless_it_is_undefined() {
    let function =
        raised(&text(ELSEWHERE, "call void @emit(i64 %y)\ncall void @emit(i64 %x)\n%d = sdiv i64 6, %y\nret i64 %d"));
    let function = function.unwrap();
    let run = |inputs| Interpreter::new(&function).run(inputs, 100).outcome.to_string();
    assert_eq!(run(&[7, 2, 0]), "emits 2, 7; return 3");
    assert_eq!(run(&[7, 0, 0]), "undefined behaviour");
}
