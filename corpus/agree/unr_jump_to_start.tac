# An unreachable block that jumps to the start.
# run: => return 2
L0:
  x = add x, 2
  ret x
  goto L0
