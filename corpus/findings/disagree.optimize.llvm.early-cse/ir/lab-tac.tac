input a
  ifz a goto L0
  t.1 = add 1, a
  t.2 = ge t.1, 1
  ifz t.2 goto L0
  t.0 = copy 1
  goto L1
L0:
  t.0 = copy 0
L1:
  ret t.0
