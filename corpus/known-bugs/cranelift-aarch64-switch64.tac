# dialect: plus
# Cranelift up to 0.86 for aarch64: a jump table (`br_table`, as Cranelift's own `Switch` writes it) takes the lower half
# of a 64-bit index.
# source: https://github.com/bytecodealliance/wasmtime/pull/4510
# wrong: cranelift 0.79..=0.86 aarch64-none aarch64-speed
# right: cranelift none speed
# run: 2 => return 2
# run: 4294967298 => return 9
input a
  switch a, 0 goto L0, 1 goto L1, 2 goto L2, 3 goto L3, else goto L4
L0:
  ret 0
L1:
  ret 1
L2:
  ret 2
L3:
  ret 3
L4:
  ret 9
