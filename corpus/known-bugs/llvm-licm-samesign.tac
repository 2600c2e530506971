# LLVM 21 and 22, licm, so also default<O2>: of 257 + c <= a it makes c <= a - 257, with a - 257 in front of the loop, and
# leaves on the comparison that both sides have one sign, as they had before. Now 0 is compared with -1: poison.
# Found by this harness, on program 20 of seed 41; upstream had it already.
# source: https://github.com/llvm/llvm-project/pull/200344
# pass: licm
# wrong: llvm 21..=22 mem2reg-O2-flags phi-O2-flags phi-narrow-O2-flags steps-phi-O2-flags
# right: llvm mem2reg-O2 phi-O2
# run: 256 => return 0
input a
a:
  b = add 257, c
  b = ge a, b
  ifz b goto b
  c = sub c, 1
  goto a
b:
  ret 0
