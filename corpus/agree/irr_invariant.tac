# An irreducible loop with a value that it doesn't change.
# run: 0, 1 => return 23
# run: 1, 1 => return 24
# run: 1, 0 => return 20
# run: 0, 7 => return 43
input c, k
  v = mul k, 3
  if c goto R
L:
  i = add i, v
  goto R
R:
  i = add i, 1
  d = lt i, 20
  if d goto L
  r = add i, v
  ret r
