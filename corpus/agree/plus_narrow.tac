# What released compilers got wrong at narrow widths (wasmtime 5540, 4752, 3906): remainders of -1, amounts not less than
# the width, extended subtractions.
# Known (corpus/known-bugs/cranelift-srem8.tiny and others):
# source: https://github.com/bytecodealliance/wasmtime/issues/5470
# wrong: cranelift 0.79..=0.92 none speed params-none params-speed
# right: cranelift aarch64-none aarch64-speed
# dialect: plus
# run: -1, -1 => return 0
# run: -128, -1 => return 0
# run: 5, 0 => trap div-by-zero
# run: 100, 7 => return 2
input a, b
  r = rem.s8 a, b
  s = shr.u16 65535, 16
  s = sub s, 65535
  d = sub.u8 0, 1
  d = sub d, 255
  p = popcnt.s8 -1
  p = sub p, 8
  q = rotl.u8 1, 4
  q = sub q, 16
  x = add r, s
  x = add x, d
  x = add x, p
  x = add x, q
  ret x
