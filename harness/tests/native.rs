//! Machine code may return, trap, fault, jump astray or never end: each is a value, and the process lives on.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use harness::op::{MOST_EMITTED, Trap};
use harness::path::native::{
    Arena, DIV_BY_ZERO, MachineFault, NativeEnd, NativeRun, OVERFLOW, emit, escape, protect, raise_trap,
};

/// `mov rax, [rdi]; cqo; idiv qword ptr [rdi + 8]; ret`, the division at offset 5.
const DIVIDE: &[u8] = &[0x48, 0x8b, 0x07, 0x48, 0x99, 0x48, 0xf7, 0x7f, 0x08, 0xc3];
/// `ud2`
const UD2: &[u8] = &[0x0f, 0x0b];
/// `int3; nop`
const INT3: &[u8] = &[0xcc, 0x90];
/// `mov rax, [0]`
const READ_NULL: &[u8] = &[0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0];
/// `mov eax, 16; jmp rax`
const JUMP_ASTRAY: &[u8] = &[0xb8, 16, 0, 0, 0, 0xff, 0xe0];
/// `jmp` to itself.
const FOREVER: &[u8] = &[0xeb, 0xfe];
/// Overwrites every callee-saved register and the stack pointer and sets the direction flag: `std; or rbx, -1;
/// or rbp, -1; or r12, -1; or r13, -1; or r14, -1; or r15, -1; mov esp, 8; ud2`.
const RUIN: &[u8] = &[
    0xfd, 0x48, 0x83, 0xcb, 0xff, 0x48, 0x83, 0xcd, 0xff, 0x49, 0x83, 0xcc, 0xff, 0x49, 0x83, 0xcd, 0xff, 0x49, 0x83,
    0xce, 0xff, 0x49, 0x83, 0xcf, 0xff, 0xbc, 8, 0, 0, 0, 0x0f, 0x0b,
];

/// `push rbp; mov rdi, argument; mov rax, function; call rax; pop rbp; ret`
fn calling(function: usize, argument: u32) -> Vec<u8> {
    let mut code = vec![0x55, 0x48, 0xc7, 0xc7];
    code.extend(argument.to_le_bytes());
    code.extend([0x48, 0xb8]);
    code.extend(function.to_le_bytes());
    code.extend([0xff, 0xd0, 0x5d, 0xc3]);
    code
}

fn run_whole(arena: &mut Arena, code: &[u8], inputs: &[i64], limit: Duration) -> NativeRun {
    let divisions = |offset| (offset == 5).then_some(Trap::Overflow);
    let code = arena.place(code.len(), |memory, _| memory.copy_from_slice(code)).expect("memory");
    // SAFETY: the code is for the ABI, or faults in a way that is caught.
    unsafe { code.call(0, inputs, &divisions, limit) }.expect("machine code can be run here")
}

fn run_in(arena: &mut Arena, code: &[u8], inputs: &[i64], limit: Duration) -> NativeEnd {
    run_whole(arena, code, inputs, limit).end
}

fn run(code: &[u8], inputs: &[i64]) -> NativeEnd {
    run_in(&mut Arena::new().expect("memory"), code, inputs, Duration::from_secs(10))
}

fn fault(signal: i32, offset: Option<u32>, address: usize) -> NativeEnd {
    NativeEnd::Fault(MachineFault { signal, offset, address })
}

#[test]
fn what_is_emitted_is_recorded_however_the_code_ends() {
    let mut arena = Arena::new().expect("memory");
    let mut run = |code: &[u8], limit| run_whole(&mut arena, code, &[], limit);
    let [three, four] = [3, 4].map(|value| calling(emit as *const () as usize, value));
    let (_, first) = three.split_last().expect("it ends in a `ret`");
    let seconds = Duration::from_secs(10);
    assert_eq!(run(&[first, &four].concat(), seconds).emitted, [3, 4]);
    assert_eq!(run(&three, seconds).emitted, [3], "the next call begins anew");
    let faulted = run(&[first, UD2].concat(), seconds);
    assert!(matches!(faulted.end, NativeEnd::Fault(_)));
    assert_eq!(faulted.emitted, [3]);
    // Emits without end: `push rbx; mov rbx, emit; mov rdi, 6; call rbx; jmp` back to the second `mov`.
    let mut forever = vec![0x53, 0x48, 0xbb];
    forever.extend((emit as *const () as usize).to_le_bytes());
    forever.extend([0x48, 0xc7, 0xc7, 6, 0, 0, 0, 0xff, 0xd3, 0xeb, 0xf5]);
    let run = run(&forever, Duration::from_millis(100));
    assert_eq!((run.end, run.emitted.len()), (NativeEnd::Hang, MOST_EMITTED + 1));
    assert!(run.emitted.iter().all(|&value| value == 6));
}

#[test]
fn returns() {
    assert_eq!(run(DIVIDE, &[-7, 2]), NativeEnd::Return(-3));
    assert_eq!(run(DIVIDE, &[i64::MIN, 1]), NativeEnd::Return(i64::MIN));
}

#[test]
fn a_signal_at_a_known_place_is_a_trap() {
    assert_eq!(run(DIVIDE, &[1, 0]), NativeEnd::Trap(Trap::Overflow));
    assert_eq!(run(&[&DIVIDE[..5], UD2].concat(), &[1, 0]), NativeEnd::Trap(Trap::Overflow));
}

#[test]
fn a_signal_elsewhere_is_a_fault() {
    let (NativeEnd::Fault(division), NativeEnd::Fault(ud2)) =
        (run(&[&[0x90], DIVIDE].concat(), &[1, 0]), run(&[&[0x90], UD2].concat(), &[]))
    else {
        panic!("no faults");
    };
    assert_eq!((division.signal, division.offset), (libc::SIGFPE, Some(6)));
    assert_eq!((ud2.signal, ud2.offset), (libc::SIGILL, Some(1)));
    assert_eq!(run(READ_NULL, &[]), fault(libc::SIGSEGV, Some(0), 0));
    assert_eq!(run(JUMP_ASTRAY, &[]), fault(libc::SIGSEGV, None, 16));
    assert_eq!(run(INT3, &[]), fault(libc::SIGTRAP, Some(1), 0));
}

#[test]
fn registers_and_stack_are_restored() {
    for _ in 0..1000 {
        let NativeEnd::Fault(fault) = run(RUIN, &[]) else { panic!("no fault") };
        assert_eq!((fault.signal, fault.offset), (libc::SIGILL, Some(30)));
    }
}

#[test]
fn a_trap_can_be_raised_by_a_call() {
    assert_eq!(
        run(&calling(raise_trap as *const () as usize, DIV_BY_ZERO as u32), &[]),
        NativeEnd::Trap(Trap::DivByZero)
    );
    assert_eq!(run(&calling(raise_trap as *const () as usize, OVERFLOW as u32), &[]), NativeEnd::Trap(Trap::Overflow));
}

#[test]
fn code_that_never_ends_is_ended() {
    let mut arena = Arena::new().expect("memory");
    for _ in 0..3 {
        assert_eq!(run_in(&mut arena, FOREVER, &[], Duration::from_millis(30)), NativeEnd::Hang);
        assert_eq!(run_in(&mut arena, DIVIDE, &[8, 2], Duration::from_millis(30)), NativeEnd::Return(4));
    }
}

#[test]
fn a_larger_program_makes_the_arena_grow() {
    let mut arena = Arena::new().expect("memory");
    let large: Vec<u8> = std::iter::repeat_n(0x90, 3 << 20).chain(DIVIDE.iter().copied()).collect();
    for code in [DIVIDE, &large, DIVIDE] {
        assert_eq!(run_in(&mut arena, code, &[9, 3], Duration::from_secs(10)), NativeEnd::Return(3));
    }
}

#[test]
fn calls_nest() {
    extern "C" fn inner(divisor: i64) -> i64 {
        match run(DIVIDE, &[42, divisor]) {
            NativeEnd::Return(quotient) => quotient,
            NativeEnd::Trap(_) => -1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(run(&calling(inner as *const () as usize, 6), &[]), NativeEnd::Return(7));
    assert_eq!(run(&calling(inner as *const () as usize, 0), &[]), NativeEnd::Return(-1));
}

#[test]
fn escape_leaves_the_innermost_region() {
    extern "C" fn leave(_: i64) -> i64 {
        unsafe { escape("left machine code") }
    }
    assert_eq!(protect(|| 5), Ok(5));
    assert_eq!(protect(|| -> i32 { unsafe { escape("fatal") } }), Err("fatal".to_string()));
    assert_eq!(protect(|| run(&calling(leave as *const () as usize, 0), &[])), Err("left machine code".to_string()));
    let nested = protect(|| (protect(|| -> i32 { unsafe { escape("inner") } }), 1));
    assert_eq!(nested, Ok((Err("inner".to_string()), 1)));
    assert_eq!(run(DIVIDE, &[1, 0]), NativeEnd::Trap(Trap::Overflow));
}

#[test]
fn a_panic_goes_through_a_region() {
    let caught = std::panic::catch_unwind(|| protect(|| std::panic::panic_any(7)));
    assert_eq!(caught.expect_err("a panic").downcast_ref(), Some(&7));
    assert_eq!(protect(|| 5), Ok(5));
}

#[test]
fn threads_do_not_disturb_each_other() {
    std::thread::scope(|scope| {
        for thread in 0..16 {
            scope.spawn(move || {
                let mut arena = Arena::new().expect("memory");
                let limit = Duration::from_millis(20);
                assert_eq!(run_in(&mut arena, FOREVER, &[], limit), NativeEnd::Hang);
                for n in 0..500 {
                    let end = run_in(&mut arena, DIVIDE, &[thread * n, n % 2], Duration::from_secs(10));
                    let right =
                        if n % 2 == 0 { NativeEnd::Trap(Trap::Overflow) } else { NativeEnd::Return(thread * n) };
                    assert_eq!(end, right);
                }
            });
        }
    });
}

/// Pages of memory that the process holds.
fn resident_pages() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("statm");
    statm.split(' ').nth(1).and_then(|pages| pages.parse().ok()).expect("a number")
}

/// Runs one test of this file in a process of its own.
fn in_child(test: &str) {
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", test, "--nocapture"])
        .env("NATIVE_TEST_CHILD", test)
        .output()
        .expect("the test runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

fn is_child(test: &str) -> bool {
    std::env::var("NATIVE_TEST_CHILD").is_ok_and(|child| child == test)
}

#[test]
fn memory_stays_flat() {
    if !is_child("memory_stays_flat") {
        return in_child("memory_stays_flat");
    }
    let mut arena = Arena::new().expect("memory");
    let raise = calling(raise_trap as *const () as usize, 0);
    let mut hundred_calls = || {
        for _ in 0..25 {
            for code in [DIVIDE, UD2, JUMP_ASTRAY, &raise] {
                run_in(&mut arena, code, &[1, 0], Duration::from_secs(10));
            }
        }
    };
    hundred_calls();
    let before = resident_pages();
    (0..1000).for_each(|_| hundred_calls());
    let grown = resident_pages().saturating_sub(before);
    assert!(grown < 64, "grew by {grown} pages in 100,000 calls");
}

#[test]
fn signals_of_others_are_passed_on() {
    static SEEN: AtomicBool = AtomicBool::new(false);
    extern "C" fn note(_: i32) {
        SEEN.store(true, Ordering::Relaxed);
    }
    if !is_child("signals_of_others_are_passed_on") {
        return in_child("signals_of_others_are_passed_on");
    }
    // SAFETY: the handler only stores.
    unsafe { libc::signal(libc::SIGFPE, note as *const () as usize) };
    assert_eq!(run(DIVIDE, &[1, 0]), NativeEnd::Trap(Trap::Overflow));
    assert!(!SEEN.load(Ordering::Relaxed));
    // SAFETY: the signal has a handler.
    unsafe { libc::raise(libc::SIGFPE) };
    assert!(SEEN.load(Ordering::Relaxed));
}
