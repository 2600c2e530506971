# LLVM 13 to 16, loop-reduce as a part of code generation (as a pass of the optimizer, on loops closed in SSA, it is right):
# 83 - k, of which the remainder is taken behind the loop, is counted down in 64 bits and is off by 2^32: 77. The loop counts
# in an i32, as C's int is, and k is used there; with 64 bits it is right.
# source: https://github.com/llvm/llvm-project/issues/58039
# dialect: plus
# wrong: llvm 13..=16 phi-narrow-O0-cg2 phi-narrow:simplifycfg:cg2
# right: llvm phi-narrow-O0 phi-narrow-O1 phi-O0-cg2 phi-narrow:loop(loop-reduce)
# run: 1 => emits 0; return -1
input x
  c = copy 1
L:
  s = shl.s32 1, c
  k = copy c
  t = lt.s32 s, -8
  c = add.s32 c, 1
  if t goto L
  e = xor.s32 k, x
  e = emit e
  r = sub.s32 83, k
  r = rem.s32 r, 12
  h = sub.s32 9, r
  t = ne.s32 r, 9
  ifz t goto M
  t = lt.u32 h, 32
  ifz t goto M
  ret 77
M:
  n = sub.s32 0, k
  ret n
