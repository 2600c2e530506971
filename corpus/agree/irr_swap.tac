# An irreducible loop with a swap in it.
# run: 0, 1 => return 21
# run: 0, 5 => return 12
# run: 1, 1 => return 12
# run: 1, 4 => return 21
input c, n
  a = copy 1
  b = copy 2
  if c goto L1
L0:
  s = copy a
  a = copy b
  b = copy s
L1:
  n = sub n, 1
  z = gt n, 0
  ifz z goto L2
  if c goto L0
  c = add c, 1
  goto L1
L2:
  r = mul a, 10
  r = add r, b
  ret r
