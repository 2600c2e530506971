# One loop falls into another.
# run: 3 => return 30
# run: 0 => return 30
input n
L0:
  a = add a, 1
  c = lt a, n
  if c goto L0
L1:
  b = add b, a
  d = lt b, 30
  if d goto L1
  ret b
