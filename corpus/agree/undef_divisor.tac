# A divisor that was never written: it is 0.
# run: 0 => trap div-by-zero
# run: 1 => trap div-by-zero
input a
  x = div a, z
  z = copy 1
  ret x
