# A rotation of three values.
# run: 1, 1, 2, 3 => return 231
# run: 2, 1, 2, 3 => return 312
# run: 9, 4, 4, 4 => return 444
input n, a, b, c
L0:
  t.0 = copy a
  a = copy b
  b = copy c
  c = copy t.0
  n = sub n, 1
  t.1 = gt n, 0
  if t.1 goto L0
  r = mul a, 100
  t.2 = mul b, 10
  r = add r, t.2
  r = add r, c
  ret r
