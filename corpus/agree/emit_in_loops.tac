# dialect: plus
# Emits whose values nobody uses, the same twice, on a way that is never taken, and before a trap.
# run: 3 => emits 0, 0, 3, 7, 0, 0, 2, 7, 0, 0, 1, 7; return 0
# run: 0 => emits 0, 0, 0, 7; return 0
# run: -9223372036854775808 => emits 0, 0, -9223372036854775808, 7; trap overflow
input n
L:
  u = emit 0
  u = emit 0
  v = emit n
  w = emit 7
  ifz n goto E
  n = sub n, 1
  if n goto M
  goto E
D:
  u = emit 5
  goto L
M:
  m = sub 0, 1
  t = add n, 1
  c = lt t, 0
  ifz c goto L
  d = div t, m
  goto D
E:
  ret 0
