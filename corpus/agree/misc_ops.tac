# Every operation on two inputs, all folded into the result.
# run: 1, 2 => return 171637
# run: 0, 0 => return 2280
# run: -9223372036854775808, -1 => return 9223372036854737496
input a, b
  s = add a, b
  d = sub a, b
  p = mul a, b
  e = eq a, b
  n = ne a, b
  l = lt a, b
  m = le a, b
  g = gt a, b
  h = ge a, b
  o = not a
  q = neg b
  x = mul s, 3
  x = add x, d
  x = mul x, 3
  x = add x, p
  x = mul x, 3
  x = add x, e
  x = mul x, 3
  x = add x, n
  x = mul x, 3
  x = add x, l
  x = mul x, 3
  x = add x, m
  x = mul x, 3
  x = add x, g
  x = mul x, 3
  x = add x, h
  x = mul x, 3
  x = add x, o
  x = mul x, 3
  x = add x, q
  ret x
