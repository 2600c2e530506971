//! Emulated machine code may return, trap, fault, jump astray or never end: each is a value, and the emulator lives on.
#![cfg(feature = "cranelift")]

use std::time::Duration;

use harness::op::{MOST_EMITTED, Trap};
use harness::path::native::{MachineFault, NativeEnd, NativeRun};
use harness::path::qemu::{EMIT, Emulator};

/// `ldr x0, [x0]; add x0, x0, #1; ret`
const INCREMENT: &[u32] = &[0xf940_0000, 0x9100_0400, RET];
const RET: u32 = 0xd65f_03c0;
/// `udf #49439`, as Cranelift traps.
const UDF: u32 = 0x0000_c11f;
const NOP: u32 = 0xd503_201f;

fn run_in(emulator: &mut Emulator, code: &[u32], inputs: &[i64], limit: Duration) -> NativeRun {
    let traps = |offset| (offset == 4).then_some(Trap::Overflow);
    let bytes: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    emulator.place(&bytes).expect("room");
    emulator.call(inputs, &traps, limit).expect("qemu-aarch64 runs: scripts/setup installs it")
}

fn run(emulator: &mut Emulator, code: &[u32], inputs: &[i64]) -> NativeEnd {
    run_in(emulator, code, inputs, Duration::from_secs(10)).end
}

fn fault(signal: i32, offset: Option<u32>, address: usize) -> NativeEnd {
    NativeEnd::Fault(MachineFault { signal, offset, address })
}

#[test]
fn code_takes_inputs_and_returns() {
    let mut emulator = Emulator::default();
    assert_eq!(run(&mut emulator, INCREMENT, &[41]), NativeEnd::Return(42));
    let again = emulator.call(&[i64::MIN], &|_| None, Duration::from_secs(10)).unwrap();
    assert_eq!(again, NativeRun { end: NativeEnd::Return(i64::MIN + 1), emitted: vec![] });
    // Another program in the same place: what the emulator has translated of the first is out of date.
    let decrement = [INCREMENT[0], 0xd100_0400, RET];
    assert_eq!(run(&mut emulator, &decrement, &[41]), NativeEnd::Return(40));
}

#[test]
fn traps_are_told_from_faults_by_their_place() {
    let mut emulator = Emulator::default();
    assert_eq!(run(&mut emulator, &[NOP, UDF], &[]), NativeEnd::Trap(Trap::Overflow));
    assert!(matches!(
        run(&mut emulator, &[UDF], &[]),
        NativeEnd::Fault(MachineFault { signal: libc::SIGILL, offset: Some(0), .. })
    ));
    // `mov x1, #24; ldr x0, [x1]`: not a trap, though its place is one's.
    assert_eq!(run(&mut emulator, &[0xd280_0301, 0xf940_0020], &[]), fault(libc::SIGSEGV, Some(4), 24));
    // `mov x1, #16; br x1`
    assert_eq!(run(&mut emulator, &[0xd280_0201, 0xd61f_0020], &[]), fault(libc::SIGSEGV, None, 16));
    // `brk #0`
    assert!(matches!(
        run(&mut emulator, &[0xd420_0000], &[]),
        NativeEnd::Fault(MachineFault { signal: libc::SIGTRAP, .. })
    ));
    assert_eq!(run(&mut emulator, INCREMENT, &[1]), NativeEnd::Return(2));
}

#[test]
fn an_endless_loop_hangs_and_the_emulator_is_started_anew() {
    let mut emulator = Emulator::default();
    // `b .`
    assert_eq!(run_in(&mut emulator, &[0x1400_0000], &[], Duration::from_millis(20)).end, NativeEnd::Hang);
    assert_eq!(run(&mut emulator, INCREMENT, &[1]), NativeEnd::Return(2));
}

#[test]
fn the_end_of_the_process_is_a_fault() {
    let mut emulator = Emulator::default();
    // `mov x8, #94; svc #0`: the system call that ends it.
    assert_eq!(run(&mut emulator, &[0xd280_0bc8, 0xd400_0001], &[]), fault(0, None, 0));
    assert_eq!(run(&mut emulator, INCREMENT, &[1]), NativeEnd::Return(2));
}

#[test]
fn ruined_registers_do_no_harm() {
    let mut emulator = Emulator::default();
    // `mov sp, x0` and then all of them are `x0`, which is 1: `ldr x0, [x0]; b .+8; udf; mov xN, x0 ..; mov sp, x0; udf`
    let mut code = vec![INCREMENT[0]];
    code.extend((1..31).map(|register| 0xaa00_03e0 | register));
    code.extend([0x9100_001f, UDF]);
    assert!(matches!(run(&mut emulator, &code, &[1]), NativeEnd::Fault(MachineFault { signal: libc::SIGILL, .. })));
    // The same, but trapping, so that the runner goes on: `ldr x0, [x0]` is left out, `x0` points to the inputs.
    let mut code = vec![0x1400_0002, UDF];
    code.extend((19..31).map(|register| 0xd280_0000 | register));
    code.extend([0x9100_001f, 0x1400_0000 | (0x03ff_ffff & -14_i32 as u32)]);
    assert_eq!(run(&mut emulator, &code, &[]), NativeEnd::Trap(Trap::Overflow));
    assert_eq!(run(&mut emulator, INCREMENT, &[1]), NativeEnd::Return(2));
}

/// `stp x29, x30, [sp, #-16]!; ldr x9, [x0]; mov x0, #value; blr x9`, a round of a loop from the third word on.
fn emitting(value: u32) -> Vec<u32> {
    vec![0xa9bf_7bfd, 0xf940_0013, 0xd280_0000 | value << 5, 0xd63f_0260]
}

#[test]
fn what_is_emitted_is_recorded_however_the_code_ends() {
    let mut emulator = Emulator::default();
    let seconds = Duration::from_secs(10);
    let returning = [&emitting(3)[..], &emitting(4)[2..], &[0xa8c1_7bfd, RET]].concat();
    let run = run_in(&mut emulator, &returning, &[EMIT], seconds);
    assert_eq!((run.end, run.emitted), (NativeEnd::Return(4), vec![3, 4]));
    let trapping = [&[0x1400_0002, UDF], &emitting(5)[..], &[0x1400_0000 | (0x03ff_ffff & -5_i32 as u32)]].concat();
    let run = run_in(&mut emulator, &trapping, &[EMIT], seconds);
    assert_eq!((run.end, run.emitted), (NativeEnd::Trap(Trap::Overflow), vec![5]));
    // A loop that emits one more than there is room for twice over: `mov x20, #0x20000` before it, and after it
    // `subs x20, x20, #1; b.ne` back, `ldp x29, x30, [sp], #16; ret`.
    let mut many = vec![0xd2a0_0054];
    many.extend(emitting(6));
    many.extend([0xf100_0694, 0x5400_0001 | (0x7_ffff & -3_i32 as u32) << 5, 0xa8c1_7bfd, RET]);
    let run = run_in(&mut emulator, &many, &[EMIT], seconds);
    assert_eq!((run.end, run.emitted.len()), (NativeEnd::Return(6), MOST_EMITTED + 1));
    assert!(run.emitted.iter().all(|&value| value == 6));
}

#[test]
fn what_has_no_room_is_an_error() {
    let mut emulator = Emulator::default();
    assert!(emulator.place(&[0; 2 << 20]).is_err());
    emulator.place(&RET.to_le_bytes()).unwrap();
    assert!(emulator.call(&[0; 600], &|_| None, Duration::from_secs(1)).is_err());
}
