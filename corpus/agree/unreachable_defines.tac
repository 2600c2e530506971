# Unreachable blocks that define, use, swap, and jump into live code; the live code never sees their values.
# run: 3 => return 72
# run: 0 => return 12
input n
  a = copy 1
  b = copy 2
  goto loop
dead:
  s = copy a
  a = copy b
  b = copy s
  if s goto loop
  goto dead
loop:
  ifz n goto out
  n = sub n, 1
  a = add a, b
  goto loop
more:
  a = copy 77
  goto out
out:
  r = mul a, 10
  r = add r, b
  ret r
