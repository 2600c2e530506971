# A branch whose two edges go to one block.
# run: 0 => return 1
# run: -1 => return 0
input a
  x = add a, 1
  if x goto L0
L0:
  ret x
