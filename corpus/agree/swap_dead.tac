# A swap of values that nobody reads afterwards.
# run: 1 => return 0
# run: 3 => return 0
input n
  a = copy 1
L0:
  t = copy a
  a = copy b
  b = copy t
  n = sub n, 1
  c = gt n, 0
  if c goto L0
  ret n
