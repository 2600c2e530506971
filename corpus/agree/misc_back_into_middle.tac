# A jump back into the middle of what was executed.
# run: 0 => return 0
# run: 4 => return 10
# run: 10 => return 55
input n
  goto L2
L1:
  s = add s, n
  n = sub n, 1
L2:
  c = gt n, 0
  if c goto L1
  ret s
