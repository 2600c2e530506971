# A range of arms without holes: a jump table. Some arms go to one block, and bring different values to it.
# Known (corpus/known-bugs/cranelift-aarch64-switch64.tac):
# source: https://github.com/bytecodealliance/wasmtime/pull/4510
# wrong: cranelift 0.79..=0.86 aarch64-none aarch64-speed
# right: cranelift none speed params-none params-speed
# run: 0 => return 104
# run: 3 => return 7
# run: 6 => return 130
# run: 7 => return 100
# run: 8 => return 99
# run: -1 => return 108
# run: 4294967298 => return -4294967191
input a
  switch a, 0 goto L0, 1 goto L1, 2 goto L2, 3 goto L3, 4 goto L0, 5 goto L5, 6 goto L6, 7 goto L7, else goto L7
L0:
  x = copy 4
  goto L8
L1:
  x = copy 11
  goto L8
L2:
  x = copy 22
  goto L8
L3:
  ret 7
L5:
  x = copy 0
L6:
  x = copy 30
  goto L8
L7:
  x = sub 7, a
L8:
  x = add x, 100
  x = sub x, 0
  switch a, 7 goto L9, else goto L9
L9:
  ret x
