//! Each flag against a second formulation: the condition of LLVM's Language Reference written out in instructions that
//! have no flags, and run as machine code. The interpreter says poison exactly where the condition holds.

use super::{executed, interpreted, narrowed, text, vectors};
use crate::op::End;

const WIDTHS: [u32; 3] = [8, 32, 64];

/// Checks `flagged`, which gives `%r` of `result` bits from `%a` and `%b`, against `condition`, which gives the bit
/// `%bad`. Both are of `bits`.
fn check(flagged: &str, result: u32, condition: &str, bits: u32) {
    let vectors = vectors();
    let operands = narrowed("a", ["x", "y"], bits) + &narrowed("b", ["y", "z"], bits);
    let declared = ["abs", "ctlz", "cttz"].map(|name| format!("declare i{bits} @llvm.{name}.i{bits}(i{bits}, i1)"));
    let whole = |body: &str| text(&declared.join("\n"), &format!("{operands}{body}"));
    // The value goes into the result but does not decide it.
    let flagged =
        whole(&format!("{flagged}\n%bit = icmp eq i{result} %r, 0\n%ret = zext i1 %bit to i64\nret i64 %ret"));
    let condition = whole(&format!("{condition}\n%ret = zext i1 %bad to i64\nret i64 %ret"));
    let bad = executed(&condition, &vectors, &vec![true; vectors.len()]);
    let found = interpreted(&flagged, &vectors);
    let mut count = [0; 2];
    for ((vector, bad), found) in vectors.iter().zip(bad).zip(found) {
        let is_bad = bad == Some(End::Return(1).into());
        assert_eq!(found == End::Undefined.into(), is_bad, "{vector:?}\n{flagged}\n{condition}");
        count[usize::from(is_bad)] += 1;
    }
    assert!(count[0] > 0 && count[1] > 0, "{count:?}\n{flagged}");
}

/// "The exact result is not a number of this type": computed in twice the bits, and brought back.
fn inexact(op: &str, extension: &str, bits: u32) -> String {
    let double = 2 * bits;
    format!(
        "%wa = {extension} i{bits} %a to i{double}\n%wb = {extension} i{bits} %b to i{double}
%exact = {op} i{double} %wa, %wb\n%cut = trunc i{double} %exact to i{bits}
%back = {extension} i{bits} %cut to i{double}\n%bad = icmp ne i{double} %back, %exact"
    )
}

/// A count that is too large is poison whatever the flags; `%n` is one that is not.
fn count(bits: u32) -> String {
    format!("%over = icmp uge i{bits} %b, {bits}\n%n = select i1 %over, i{bits} 0, i{bits} %b\n")
}

#[test]
fn wrapping() {
    for bits in WIDTHS {
        for op in ["add", "sub", "mul"] {
            for (flag, extension) in [("nuw", "zext"), ("nsw", "sext")] {
                check(&format!("%r = {op} {flag} i{bits} %a, %b"), bits, &inexact(op, extension, bits), bits);
            }
        }
        for (flag, extension) in [("nuw", "zext"), ("nsw", "sext")] {
            let double = 2 * bits;
            let condition = format!(
                "{}%wa = {extension} i{bits} %a to i{double}\n%wn = zext i{bits} %n to i{double}
%exact = shl i{double} %wa, %wn\n%cut = trunc i{double} %exact to i{bits}\n%back = {extension} i{bits} %cut to i{double}
%lost = icmp ne i{double} %back, %exact\n%bad = or i1 %over, %lost",
                count(bits)
            );
            check(&format!("%r = shl {flag} i{bits} %a, %b"), bits, &condition, bits);
            let half = bits / 2;
            let condition = format!(
                "%cut = trunc i{bits} %a to i{half}\n%back = {extension} i{half} %cut to i{bits}
%bad = icmp ne i{bits} %back, %a"
            );
            check(&format!("%r = trunc {flag} i{bits} %a to i{half}"), half, &condition, bits);
        }
    }
}

#[test]
fn exact() {
    for bits in WIDTHS {
        for op in ["lshr", "ashr"] {
            let condition = format!(
                "{}%ones = shl i{bits} -1, %n\n%low = xor i{bits} %ones, -1\n%out = and i{bits} %a, %low
%lost = icmp ne i{bits} %out, 0\n%bad = or i1 %over, %lost",
                count(bits)
            );
            check(&format!("%r = {op} exact i{bits} %a, %b"), bits, &condition, bits);
            check(
                &format!("%r = {op} i{bits} %a, %b"),
                bits,
                &format!("{}%bad = or i1 %over, false", count(bits)),
                bits,
            );
        }
        let least = format!("{}", i128::MIN >> (128 - bits));
        for (op, rem) in [("udiv", "urem"), ("sdiv", "srem")] {
            let undefined = format!(
                "%zero = icmp eq i{bits} %b, 0\n%least = icmp eq i{bits} %a, {least}\n%minus = icmp eq i{bits} %b, -1
%both = and i1 %least, %minus\n%overflows = and i1 %both, {}\n%undefined = or i1 %zero, %overflows
%d = select i1 %undefined, i{bits} 1, i{bits} %b\n",
                op == "sdiv"
            );
            let rest = format!(
                "%rest = {rem} i{bits} %a, %d\n%lost = icmp ne i{bits} %rest, 0\n%bad = or i1 %undefined, %lost"
            );
            check(&format!("%r = {op} exact i{bits} %a, %b"), bits, &format!("{undefined}{rest}"), bits);
            for op in [op, rem] {
                let condition = format!("{undefined}%bad = or i1 %undefined, false");
                check(&format!("%r = {op} i{bits} %a, %b"), bits, &condition, bits);
            }
        }
    }
}

#[test]
fn bits_and_signs() {
    for bits in WIDTHS {
        let condition = format!("%and = and i{bits} %a, %b\n%bad = icmp ne i{bits} %and, 0");
        check(&format!("%r = or disjoint i{bits} %a, %b"), bits, &condition, bits);
        let negative = format!("%bad = icmp slt i{bits} %a, 0");
        check(&format!("%r = zext nneg i{bits} %a to i{}", 2 * bits), 2 * bits, &negative, bits);
        let condition = format!("%xor = xor i{bits} %a, %b\n%bad = icmp slt i{bits} %xor, 0");
        for predicate in ["ult", "sge", "eq"] {
            check(&format!("%r = icmp samesign {predicate} i{bits} %a, %b"), 1, &condition, bits);
        }
        let least = format!("%bad = icmp eq i{bits} %a, {}", i128::MIN >> (128 - bits));
        check(&format!("%r = call i{bits} @llvm.abs.i{bits}(i{bits} %a, i1 true)"), bits, &least, bits);
        for name in ["ctlz", "cttz"] {
            let zero = format!("%bad = icmp eq i{bits} %a, 0");
            check(&format!("%r = call i{bits} @llvm.{name}.i{bits}(i{bits} %a, i1 true)"), bits, &zero, bits);
        }
    }
}
