//! Emulated machine code may return, trap, fault, jump astray or never end: each is a value, and the emulator lives on.
#![cfg(feature = "cranelift")]

use std::time::Duration;

use harness::op::{MOST_EMITTED, Trap};
use harness::path::native::{MachineFault, NativeEnd, NativeRun};
use harness::path::qemu::{EMIT, Emulator};

/// `ldr x0, [x0]; add x0, x0, #1; ret`
const INCREMENT: &[u32] = &[0xf940_0000, 0x9100_0400, RET];
/// `ret`
const RET: u32 = 0xd65f_03c0;
/// `udf #49439`, as Cranelift traps.
const UDF: u32 = 0x0000_c11f;
/// `nop`
const NOP: u32 = 0xd503_201f;

fn run_in(emulator: &mut Emulator, code: &[u32], inputs: &[i64], limit: Duration) -> NativeRun {
    let traps = |offset| (offset == 4).then_some(Trap::Overflow);
    let bytes: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    emulator.place(&bytes).expect("room");
    let runs = emulator.call(&[inputs.to_vec()], &traps, limit).expect("qemu-aarch64 runs: scripts/setup installs it");
    runs.into_iter().next().expect("a run")
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
    let vectors: Vec<Vec<i64>> = (0..100).map(|input| vec![input]).collect();
    let runs = emulator.call(&vectors, &|_| None, Duration::from_secs(10)).unwrap();
    let right = (1..101).map(|value| NativeRun { end: NativeEnd::Return(value), emitted: vec![] });
    assert_eq!(runs, right.collect::<Vec<_>>());
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
    assert_eq!(run_in(&mut emulator, &[branch(0)], &[], Duration::from_millis(20)).end, NativeEnd::Hang);
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
fn each_input_is_a_run_of_its_own_up_to_one_that_never_ends() {
    let mut emulator = Emulator::default();
    // `ldr x1, [x0]; cbz x1, .`: 0 never ends. `subs x1, x1, #1; b.ne .+8; udf`: 1 traps. `subs x1, x1, #1; b.ne .+8;
    // ldr x1, [x1]`: 2 faults. `ret`: the others return where the inputs are.
    let code = [0xf940_0001, 0xb400_0001, 0xf100_0421, 0x5400_0041, UDF, 0xf100_0421, 0x5400_0041, 0xf940_0021, RET];
    let bytes: Vec<u8> = code.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
    emulator.place(&bytes).unwrap();
    let vectors = [3, 1, 2, 4, 0, 5].map(|input| vec![input]);
    let trap_at = |offset| (offset == 16).then_some(Trap::DivByZero);
    let runs = emulator.call(&vectors, &trap_at, Duration::from_millis(20)).unwrap();
    let ends: Vec<NativeEnd> = runs.into_iter().map(|run| run.end).collect();
    let NativeEnd::Return(inputs) = ends[0] else { panic!("{ends:?}") };
    let right = [
        NativeEnd::Return(inputs),
        NativeEnd::Trap(Trap::DivByZero),
        fault(libc::SIGSEGV, Some(28), 0),
        NativeEnd::Return(inputs),
        NativeEnd::Hang,
    ];
    assert_eq!(ends, right);
}

#[test]
fn ruined_registers_do_no_harm() {
    let mut emulator = Emulator::default();
    // `movz xN, #N` for those that a caller relies on, `mov sp, x0`, where the inputs are, and back to the trap.
    let mut code = vec![branch(2), UDF];
    code.extend((18..31).map(|register| 0xd280_0000 | register << 5 | register));
    code.extend([0x9100_001f, branch(-15)]);
    assert_eq!(run(&mut emulator, &code, &[]), NativeEnd::Trap(Trap::Overflow));
    assert_eq!(run(&mut emulator, INCREMENT, &[1]), NativeEnd::Return(2));
}

#[test]
fn a_count_that_was_overwritten_is_a_fault() {
    let mut emulator = Emulator::default();
    // `mov x9, #0x700000`, where the runner counts what is emitted, and `mov x10, #-1` or `mov x10, #0x15000`.
    for count in [&[0x9280_000a][..], &[0xd28a_000a, 0xf2a0_002a]] {
        let code = [&[0xd2a0_0e09], count, &[0xf900_0d2a, RET]].concat();
        assert_eq!(run(&mut emulator, &code, &[]), fault(0, None, 0));
        assert_eq!(run(&mut emulator, INCREMENT, &[1]), NativeEnd::Return(2));
    }
}

/// `b`, so many words on.
fn branch(words: i32) -> u32 {
    0x1400_0000 | (words as u32 & 0x03ff_ffff)
}

/// `stp x29, x30, [sp, #-16]!; ldr x19, [x0]`: then the address of `emit` is in `x19`.
const ENTER: [u32; 2] = [0xa9bf_7bfd, 0xf940_0013];
/// `ldp x29, x30, [sp], #16; ret`
const LEAVE: [u32; 2] = [0xa8c1_7bfd, RET];

/// `mov x0, #value; blr x19`
fn emitting(value: u32) -> [u32; 2] {
    [0xd280_0000 | value << 5, 0xd63f_0260]
}

#[test]
fn what_is_emitted_is_recorded_however_the_code_ends() {
    let mut emulator = Emulator::default();
    let mut run = |code: &[&[u32]]| run_in(&mut emulator, &code.concat(), &[EMIT], Duration::from_secs(10));
    let returned = run(&[&ENTER, &emitting(3), &emitting(4), &LEAVE]);
    assert_eq!((returned.end, returned.emitted), (NativeEnd::Return(4), vec![3, 4]));
    let trapped = run(&[&[branch(2), UDF], &ENTER, &emitting(5), &[branch(-5)]]);
    assert_eq!((trapped.end, trapped.emitted), (NativeEnd::Trap(Trap::Overflow), vec![5]));
    // `mov x20, #0x20000`, and around what emits `subs x20, x20, #1; b.ne` back: twice what there is room for.
    let back = [0xf100_0694, 0x5400_0001 | (0x7_ffff & -3_i32 as u32) << 5];
    let many = run(&[&ENTER, &[0xd2a0_0054], &emitting(6), &back, &LEAVE]);
    assert_eq!((many.end, many.emitted.len()), (NativeEnd::Return(6), MOST_EMITTED + 1));
    assert!(many.emitted.iter().all(|&value| value == 6));
}

#[test]
fn what_has_no_room_is_an_error() {
    let mut emulator = Emulator::default();
    assert!(emulator.place(&[0; 2 << 20]).is_err());
    emulator.place(&RET.to_le_bytes()).unwrap();
    assert!(emulator.call(&[vec![0; 600]], &|_| None, Duration::from_secs(1)).is_err());
}
