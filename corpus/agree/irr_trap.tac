# An irreducible loop with a trap in it.
# run: 0 => trap div-by-zero
# run: 1 => trap div-by-zero
# run: 3 => trap div-by-zero
# run: -1 => out of fuel
input d
  if d goto L1
L0:
  x = div 100, d
  d = sub d, 1
L1:
  x = add x, 1
  goto L0
