# LLVM 20 to 23, dfa-jump-threading: a way that passes L23 twice takes the first pass for the second, so that the state that
# is known on the way around is taken for known at once: 5. From 23 on the pass is a part of default<O2>; there, the passes
# before it write this program otherwise, and it is right.
# source: https://github.com/llvm/llvm-project/issues/211090
# dialect: plus
# pass: dfa-jump-threading
# wrong: llvm 20..=23 mem2reg:simplifycfg+dfa-jump-threading steps-mem2reg:simplifycfg+dfa-jump-threading
# right: llvm mem2reg:simplifycfg phi-O2 alloca-O2
# run: 1, 25591, 0, 81 => return 2
# run: 1, 6, 0, 81 => return 3
# run: 0, 7, 8, 81 => return 4
input c, k, p, v
  s = copy k
L16:
  ifz c goto L27
  t = eq v, 702045342818
  x = copy 0
L23:
  if t goto L41
  w = copy x
L27:
  if w goto L37
  switch s, 6 goto L3, 25591 goto L33, else goto L38
L3:
  ret 3
L33:
  ret 2
L37:
  ret 4
L38:
  d = sub p, o
  o = copy s
  switch d, 8 goto A8, 409861780891430 goto A23, 304994244176 goto A45, else goto LR
A8:
  v = copy 8
  x = copy 8
  goto L41
A23:
  t = copy 0
  x = copy 26406
  goto L23
A45:
  v = copy 304994244176
  w = copy -10672
  goto L16
L41:
  s = copy x
  w = copy x
  goto L16
LR:
  ret 5
