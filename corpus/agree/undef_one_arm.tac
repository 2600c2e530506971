# A variable that only one arm writes.
# run: 0 => return 0
# run: 1 => return 8
input c
  ifz c goto L0
  x = copy 8
L0:
  y = add x, z
  ret y
