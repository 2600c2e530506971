# LLVM 21, loop-vectorize, so also default<O2>: the last truth value that a loop chose comes from the wrong turn: 1. It is
# carried as a bit (phi i1), and the turn's lowest bit is the induction variable cut to a bit; with 64 bits it is right.
# source: https://github.com/llvm/llvm-project/issues/173459
# dialect: plus
# pass: loop-vectorize
# wrong: llvm 21 phi-narrow:loop-vectorize steps-phi-narrow:loop-vectorize phi-narrow-O2
# right: llvm phi-narrow-O0 phi-narrow-O1 phi-O2 phi:loop-vectorize
# run: 3, -3 => return 0
input x, y
  t = copy 0
  i = copy 0
L:
  z = eq y, 0
  o = and i, 1
  t = select z, t, o
  e = eq i, x
  i = add i, 1
  y = add y, 1
  ifz e goto L
  ret t
