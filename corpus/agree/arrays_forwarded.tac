# dialect: plus
# A load between stores: through another index, another array, and past an emit.
# run: 0, 1 => emits 7; return 58
# run: 1, 1 => emits 2; return 68
# run: 5, 1 => emits 7; return 68
# run: -4, 0 => emits 7; return 66
input i, j
  t = store.a4 i, 5
  t = store.b4 i, 6
  u = store.a4 j, 6
  x = load.a4 i
  x = mul x, 10
  c = eq i, j
  y = load.a4 0
  t = store.a4 1, 8
  z = add y, 2
  if c goto E
  z = copy 7
E:
  t = emit z
  w = load.a4 j
  t = load.b3 i
  r = add x, w
  r = add r, t
  ret r
