# An irreducible loop that is entered at three places, with a variable that only some of the ways assign.
# run: 0, 5 => return 132090
# run: 1, 5 => return 12009
# run: 2, 4 => return 1212909
input way, n
  ifz way goto first
  t = eq way, 1
  if t goto second
  x = copy 100
  goto third
first:
  x = add x, 1
second:
  x = mul x, 3
  y = add y, x
third:
  n = sub n, 1
  t = gt n, 0
  ifz t goto out
  t = rem n, 3
  ifz t goto first
  t = eq t, 1
  if t goto second
  goto third
out:
  r = mul y, 1000
  r = add r, x
  ret r
