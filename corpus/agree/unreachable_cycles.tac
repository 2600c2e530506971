# Cycles that nothing enters define a variable by itself (compare bytecodealliance/wasmtime issue 5022).
# run: 5 => return 5
# run: 0 => return 1
input a
  x = copy a
  if a goto J
  ret 1
D:
  x = add y, 1
  goto E
E:
  y = mul x, 3
  goto D
F:
  x = add x, 1
  if x goto F
J:
  ret x
