# Several labels for one block, in a loop that never ends.
# run: 0 => out of fuel
# run: 3 => out of fuel
input a
  if a goto L1
  x = copy 7
L0:
L1:
L2:
  y = add x, a
  if y goto L2
  ifz y goto L3
L3:
  ret y
