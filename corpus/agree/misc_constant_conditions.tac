# Branches on constants.
# run: => return 1
  if 0 goto L0
  x = add x, 1
  if -1 goto L1
L0:
  x = add x, 10
L1:
  ifz 0 goto L2
  x = add x, 100
L2:
  ret x
