# An unreachable cycle of two blocks.
# run: => return 0
  ret a
L0:
  a = add a, 1
  goto L1
L1:
  b = add a, 1
  if b goto L0
  ret b
