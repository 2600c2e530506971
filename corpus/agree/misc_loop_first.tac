# The first line is a loop's header: the entry has to be split off.
# run: => return 4
L0:
  i = add i, 1
  c = lt i, 4
  if c goto L0
  ret i
