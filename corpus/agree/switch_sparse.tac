# Constants at the ends of the range and of its halves: comparisons, and what is unsigned to some compilers.
# run: -9223372036854775808, 3 => return 4
# run: 9223372036854775807, 3 => return 5
# run: -1, 5 => return 30
# run: 4294967295, 5 => return 80
# run: 2147483648, 1 => return 0
# run: 0, 9 => return 9
input a, n
L0:
  switch a, -9223372036854775808 goto L1, 9223372036854775807 goto L2, -1 goto L3, 4294967295 goto L4, 2147483648 goto L5, else goto L6
L1:
  n = add n, 1
  ret n
L2:
  n = add n, 2
  ret n
L3:
  x = add x, n
  n = sub n, 2
  x = add x, n
  n = sub n, 3
  x = add x, n
  n = sub x, 1
  x = mul x, 5
  x = sub x, 10
  ret x
L4:
  x = add x, n
  n = sub n, 1
  if n goto L0
  x = mul x, 5
  x = add x, 5
  ret x
L5:
  ret 0
L6:
  ret n
