# Unreachable lines after a goto.
# run: => return 0
  goto L0
  x = add x, 1
L0:
  ret x
