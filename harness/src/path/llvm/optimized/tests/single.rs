//! Each operation at each width against machine code.

use super::{narrowed, returned, same, text, vectors};
use crate::optimized::LaneOp;

/// The instruction `%r = op %a, %b, %c` on integers of `bits`, what it needs declared, and the bits of its result.
fn instruction(op: LaneOp, bits: u32, flag: bool) -> (String, String, u32) {
    let name = op.name();
    let (instruction, result) = match op {
        LaneOp::Zext | LaneOp::Sext => (format!("%r = {name} i{bits} %a to i{}", 2 * bits), 2 * bits),
        LaneOp::Trunc => (format!("%r = trunc i{bits} %a to i{}", bits / 2), bits / 2),
        _ if name.starts_with("icmp") => (format!("%r = {name} i{bits} %a, %b"), 1),
        LaneOp::Ucmp | LaneOp::Scmp => {
            let call = format!("%r = call i8 @llvm.{name}.i8.i{bits}(i{bits} %a, i{bits} %b)");
            return (call, format!("declare i8 @llvm.{name}.i8.i{bits}(i{bits}, i{bits})"), 8);
        }
        LaneOp::Abs | LaneOp::Ctlz | LaneOp::Cttz => {
            let call = format!("%r = call i{bits} @llvm.{name}.i{bits}(i{bits} %a, i1 {flag})");
            return (call, format!("declare i{bits} @llvm.{name}.i{bits}(i{bits}, i1)"), bits);
        }
        _ if is_intrinsic(op) => {
            let shifts = matches!(op, LaneOp::UshlSat | LaneOp::SshlSat) && bits >= 8;
            let most = if shifts { format!("{}", 2 * bits.next_power_of_two() - 1) } else { "-1".into() };
            let args = ["%a", "%n", "%c"][..op.arity()].iter().map(|arg| format!("i{bits} {arg}"));
            let (args, types) = (args.collect::<Vec<_>>().join(", "), vec![format!("i{bits}"); op.arity()].join(", "));
            let call = format!("%n = and i{bits} %b, {most}\n%r = call i{bits} @llvm.{name}.i{bits}({args})");
            return (call, format!("declare i{bits} @llvm.{name}.i{bits}({types})"), bits);
        }
        // Most numbers are too large a count.
        LaneOp::Shl | LaneOp::Lshr | LaneOp::Ashr if bits >= 8 => {
            let most = 2 * bits.next_power_of_two() - 1;
            (format!("%n = and i{bits} %b, {most}\n%r = {name} i{bits} %a, %n"), bits)
        }
        _ => (format!("%r = {name} i{bits} %a, %b"), bits),
    };
    (instruction, String::new(), result)
}

fn is_intrinsic(op: LaneOp) -> bool {
    use LaneOp::*;
    !matches!(
        op,
        Add | Sub | Mul | Udiv | Sdiv | Urem | Srem | Shl | Lshr | Ashr | And | Or | Xor | Zext | Sext | Trunc
    ) && !op.name().starts_with("icmp")
}

fn applies(op: LaneOp, bits: u32) -> bool {
    match op {
        // The machine code calls a library for wider ones.
        LaneOp::Udiv | LaneOp::Sdiv | LaneOp::Urem | LaneOp::Srem => bits <= 64,
        LaneOp::Fshl | LaneOp::Fshr => bits <= 64 || bits == 128,
        LaneOp::Zext | LaneOp::Sext => bits <= 64,
        LaneOp::Trunc => bits.is_multiple_of(2),
        LaneOp::Bswap => bits.is_multiple_of(16),
        _ => true,
    }
}

#[test]
fn each_operation_at_each_width_is_what_the_machine_does() {
    let vectors = vectors();
    for &op in LaneOp::ALL {
        let mut widths = 0;
        for bits in [1, 7, 8, 16, 32, 33, 64, 65, 128].into_iter().filter(|&bits| applies(op, bits)) {
            for flag in [false, true] {
                let (instruction, elsewhere, result) = instruction(op, bits, flag);
                let operands = [("a", ["x", "y"]), ("b", ["y", "z"]), ("c", ["z", "x"])];
                let operands: String = operands.iter().map(|(name, from)| narrowed(name, *from, bits)).collect();
                let text = text(&elsewhere, &format!("{operands}{instruction}\n{}", returned("r", result)));
                let defined = same(&text, &vectors);
                assert!(defined * 8 > vectors.len(), "{defined} of {} defined\n{text}", vectors.len());
                widths += 1;
                if !matches!(op, LaneOp::Abs | LaneOp::Ctlz | LaneOp::Cttz) {
                    break;
                }
            }
        }
        assert!(widths > 2, "{op:?}");
    }
}

/// Mixes the four lanes of `%r` into one number.
const MIXED: &str = "%r0 = extractelement <4 x i32> %r, i64 0
%r1 = extractelement <4 x i32> %r, i64 1
%r2 = extractelement <4 x i32> %r, i64 2
%r3 = extractelement <4 x i32> %r, i64 3
%m1 = mul i32 %r0, 31
%s1 = add i32 %m1, %r1
%m2 = mul i32 %s1, 31
%s2 = add i32 %m2, %r2
%m3 = mul i32 %s2, 31
%s3 = add i32 %m3, %r3
%ret = zext i32 %s3 to i64
ret i64 %ret";

/// Two vectors of four lanes from the inputs.
const LANES: &str = "%a = trunc i64 %x to i32
%b = trunc i64 %y to i32
%c = trunc i64 %z to i32
%v0 = insertelement <4 x i32> <i32 1, i32 poison, i32 undef, i32 -7>, i32 %a, i64 1
%v = insertelement <4 x i32> %v0, i32 %b, i64 2
%w0 = insertelement <4 x i32> poison, i32 %c, i64 0
%w = shufflevector <4 x i32> %w0, <4 x i32> %v, <4 x i32> <i32 0, i32 5, i32 7, i32 6>\n";

#[test]
fn vectors_are_what_the_machine_does() {
    let vectors = vectors();
    let mixed = |instructions: &str| format!("{LANES}{instructions}\n{MIXED}");
    for body in [
        mixed("%r = add <4 x i32> %v, %w"),
        mixed("%r = mul <4 x i32> %v, %w"),
        mixed("%bits = icmp slt <4 x i32> %v, %w\n%r = select <4 x i1> %bits, <4 x i32> %v, <4 x i32> %w"),
        mixed("%bit = icmp slt i32 %a, %b\n%r = select i1 %bit, <4 x i32> %v, <4 x i32> %w"),
        mixed("%bits = icmp ugt <4 x i32> %v, %w\n%r = zext <4 x i1> %bits to <4 x i32>"),
        mixed("%r = call <4 x i32> @llvm.smax.v4i32(<4 x i32> %v, <4 x i32> %w)"),
        mixed("%r = freeze <4 x i32> %v"),
        mixed("%i = and i32 %a, 3\n%r = insertelement <4 x i32> %v, i32 %c, i32 %i"),
        mixed(
            "%i = and i32 %a, 3\n%e = extractelement <4 x i32> %v, i32 %i\n%r = insertelement <4 x i32> %w, i32 %e, i64 3",
        ),
        mixed(
            "%d = bitcast <4 x i32> %v to <2 x i64>\n%e = add <2 x i64> %d, splat (i64 -1)\n%r = bitcast <2 x i64> %e to <4 x i32>",
        ),
        format!("{LANES}%r = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %v)\n{}", returned("r", 32)),
        format!("{LANES}%r = call i32 @llvm.vector.reduce.umin.v4i32(<4 x i32> %v)\n{}", returned("r", 32)),
        format!(
            "{LANES}%bits = icmp ne <4 x i32> %v, %w\n%r = call i64 @llvm.experimental.cttz.elts.i64.v4i1(<4 x i1> %bits, \
             i1 false)\n{}",
            returned("r", 64)
        ),
        format!("{LANES}%bits = icmp ne <4 x i32> %v, %w\n%r = bitcast <4 x i1> %bits to i4\n{}", returned("r", 4)),
    ] {
        let elsewhere = "declare <4 x i32> @llvm.smax.v4i32(<4 x i32>, <4 x i32>)
declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)
declare i32 @llvm.vector.reduce.umin.v4i32(<4 x i32>)
declare i64 @llvm.experimental.cttz.elts.i64.v4i1(<4 x i1>, i1)";
        assert_eq!(same(&text(elsewhere, &body), &vectors), vectors.len(), "{body}");
    }
}

#[test]
fn pairs_memory_and_control_are_what_the_machine_does() {
    let vectors = vectors();
    let overflow = |name: &str| {
        let body = format!(
            "%p = call {{ i64, i1 }} @llvm.{name}.with.overflow.i64(i64 %x, i64 %y)
%n = extractvalue {{ i64, i1 }} %p, 0\n%o = extractvalue {{ i64, i1 }} %p, 1
%w = zext i1 %o to i64\n%m = mul i64 %n, 3\n%r = xor i64 %m, %w\nret i64 %r"
        );
        text(&format!("declare {{ i64, i1 }} @llvm.{name}.with.overflow.i64(i64, i64)"), &body)
    };
    let mut texts: Vec<String> = ["sadd", "ssub", "smul", "uadd", "usub", "umul"].map(overflow).into();
    texts.push(text(
        "@table = private constant [4 x i16] [i16 3, i16 -5, i16 7, i16 11]",
        "%i = and i64 %x, 3\n%p = getelementptr inbounds nuw [4 x i16], ptr @table, i64 0, i64 %i\n%n = load i16, ptr %p
%c = load i16, ptr getelementptr inbounds (i8, ptr @table, i64 2)\n%s = add i16 %n, %c\n%r = sext i16 %s to i64\nret i64 %r",
    ));
    texts.push(text(
        "",
        "%slot = alloca [2 x i64], align 16\n%second = getelementptr inbounds i8, ptr %slot, i64 8\nstore i64 %x, ptr %slot
store i64 %y, ptr %second\n%mid = getelementptr i8, ptr %slot, i64 4\n%r = load i64, ptr %mid, align 4\nret i64 %r",
    ));
    texts.push(text(
        "",
        "%both = load <2 x i64>, ptr %py, align 8\n%r0 = extractelement <2 x i64> %both, i64 0
%r1 = extractelement <2 x i64> %both, i64 1\n%r = sub i64 %r0, %r1\nret i64 %r",
    ));
    texts.push(text(
        "",
        "%n = trunc i64 %x to i8\nswitch i8 %n, label %other [ i8 0, label %end\n i8 -1, label %one\n i8 7, label %end ]
one:\nbr label %end\nother:\n%t = icmp slt i64 %x, 0\nbr i1 %t, label %trap, label %end
trap:\n%o = icmp ult i64 %y, 9\n%code = zext i1 %o to i64\ncall void @raise_trap(i64 %code)\nunreachable
end:\n%r = phi i64 [ 5, %start ], [ 5, %start ], [ 6, %one ], [ %y, %other ]\nret i64 %r",
    ));
    // The phis of a block are read before any is written.
    texts.push(text(
        "",
        "br label %loop\nloop:\n%a = phi i64 [ %x, %start ], [ %b, %loop ]\n%b = phi i64 [ %y, %start ], [ %a, %loop ]
%i = phi i64 [ 0, %start ], [ %next, %loop ]\n%next = add i64 %i, 1\n%more = icmp ult i64 %next, 4
br i1 %more, label %loop, label %end\nend:\n%r = sub i64 %a, %b\nret i64 %r",
    ));
    for text in texts {
        assert_eq!(same(&text, &vectors), vectors.len(), "{text}");
    }
}
