//! An everyday program.

/// Two loops, short circuits, an `if` with two arms and one with one: about 40 instructions.
pub const TWO_LOOPS: &str = "\
input n, m
s = 0; i = 1
while i <= n {
  if i % 3 == 0 || i % 5 == 0 { s = s + i }
  i = i + 1
}
p = 1; j = 0
while j < m && p < 1000000 {
  p = p * 3 + j
  if p % 7 == 2 { p = p - s } else { s = s + p / 2 }
  j = j + 1
}
return s * 31 + p - i
";

/// Inputs for it.
pub const INPUTS: [[i64; 2]; 2] = [[10, 12], [3, 30]];
