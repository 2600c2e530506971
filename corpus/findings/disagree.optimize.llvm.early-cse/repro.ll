; ModuleID = 'roundtrip'
source_filename = "roundtrip"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; Function Attrs: nounwind
define i64 @f(ptr %0) #0 noinline {
B0:
  %1 = getelementptr inbounds nuw i64, ptr %0, i64 0
  %2 = load i64, ptr %1, align 8, !range !0
  %3 = icmp ne i64 %2, 0
  br i1 %3, label %B1, label %B3, !prof !1

B1:                                               ; preds = %B0
  %4 = add nsw i64 1, %2
  %5 = icmp samesign sge i64 %4, 1
  %6 = zext nneg i1 %5 to i64
  %7 = icmp samesign ne i64 %6, 0
  br i1 %7, label %B2, label %B3, !prof !2

B2:                                               ; preds = %B1
  br label %B4

B3:                                               ; preds = %B1, %B0
  br label %B4

B4:                                               ; preds = %B3, %B2
  %t.0.0 = phi i64 [ 1, %B2 ], [ 0, %B3 ]
  ret i64 %t.0.0
}

attributes #0 = { nounwind }

!0 = !{i64 -2, i64 2}
!1 = !{!"branch_weights", i32 1, i32 0}
!2 = !{!"branch_weights", i32 0, i32 1}

@inputs = global [1 x i64] [i64 -1]
@returned = constant [13 x i8] c"return %lld\0A\00"
@trapped = constant [11 x i8] c"trap %lld\0A\00"
declare i32 @printf(ptr, ...)
declare void @exit(i32)

define void @raise_trap(i64 %code) noinline optnone noreturn nounwind {
  call i32 (ptr, ...) @printf(ptr @trapped, i64 %code)
  %differs = icmp ne i64 %code, -1
  %count = load i64, ptr @emitted
  %misses = icmp ne i64 %count, 0
  %was.bad = load i1, ptr @bad
  %either = or i1 %misses, %was.bad
  %wrong = or i1 %either, %differs
  %status = zext i1 %wrong to i32
  call void @exit(i32 %status)
  unreachable
}

define i32 @main() noinline optnone {
  %result = call i64 @f(ptr @inputs)
  call i32 (ptr, ...) @printf(ptr @returned, i64 %result)
  %differs = icmp ne i64 %result, 0
  %count = load i64, ptr @emitted
  %misses = icmp ne i64 %count, 0
  %was.bad = load i1, ptr @bad
  %either = or i1 %misses, %was.bad
  %wrong = or i1 %either, %differs
  %status = zext i1 %wrong to i32
  ret i32 %status
}

@emits = constant [12 x i8] c"emits %lld\0A\00"
@right = constant [1 x i64] [i64 0]
@emitted = global i64 0
@bad = global i1 false

define void @emit(i64 %value) noinline optnone nounwind {
  call i32 (ptr, ...) @printf(ptr @emits, i64 %value)
  %at = load i64, ptr @emitted
  %next = add i64 %at, 1
  store i64 %next, ptr @emitted
  %within = icmp ult i64 %at, 0
  %index = select i1 %within, i64 %at, i64 0
  %place = getelementptr [1 x i64], ptr @right, i64 0, i64 %index
  %expected = load i64, ptr %place
  %same = icmp eq i64 %value, %expected
  %good = and i1 %within, %same
  %worse = xor i1 %good, true
  %before = load i1, ptr @bad
  %after = or i1 %before, %worse
  store i1 %after, ptr @bad
  ret void
}
