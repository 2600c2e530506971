# An unreachable block that is its own successor.
# run: => return 5
  x = copy 5
  ret x
L0:
  x = add x, 1
  goto L0
