//! The way out of machine code and of guarded regions, whatever happens in them.
//!
//! [`enter`] saves the callee-saved registers on the stack and the stack pointer in a [`Frame`], then calls. A normal
//! return comes back through it. Everything else *lands*: the stack pointer is set back to what the frame says and
//! control goes to [`land`], which restores the registers and returns from `enter` in its caller's place, with a word
//! that says how. This is `setjmp` and `longjmp` without the signal mask, and written so that a signal handler can do
//! the jump by changing the context that it returns to.
//!
//! The frames of a thread form a stack, so that calls nest.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;
use std::time::Duration;

use crate::op::{MOST_EMITTED, Trap};
use crate::path::native::signals;

/// The code of [`Trap::DivByZero`] for [`raise_trap`].
pub const DIV_BY_ZERO: u64 = 0;
/// The code of [`Trap::Overflow`] for [`raise_trap`].
pub const OVERFLOW: u64 = 1;

/// How a call of machine code came back.
#[derive(Clone, Copy, Debug)]
pub(super) enum Landed {
    Return(i64),
    Raise(Trap),
    Signal { signal: i32, pc: usize, address: usize },
    Hang,
}

/// What stands in `rdx` when `enter` returns: how it came back.
pub(super) const RETURNED: u64 = 0;
pub(super) const RAISED: u64 = 1;
pub(super) const SIGNALLED: u64 = 2;
pub(super) const HUNG: u64 = 3;
pub(super) const ESCAPED: u64 = 4;

/// One call or guarded region in progress. Signal handlers of the same thread read and write it, hence the cells.
#[repr(C)]
pub(super) struct Frame {
    /// Where the saved registers lie. Written by `enter`, which knows that it is the first field.
    pub(super) stack: Cell<usize>,
    previous: *const Frame,
    pub(super) kind: FrameKind,
}

/// What a [`Frame`] guards.
pub(super) enum FrameKind {
    /// A call of machine code.
    Call(CallState),
    /// A region that [`escape`] leaves.
    Protect,
}

/// What the signal handlers know and say of a call.
pub(super) struct CallState {
    /// The addresses of the machine code.
    pub(super) code: Range<usize>,
    /// How often the timer may tick.
    pub(super) max_ticks: u32,
    /// How often it did.
    pub(super) ticks: Cell<u32>,
    /// The signal that ended the call: its number, program counter and address.
    pub(super) signal: Cell<(i32, usize, usize)>,
    /// Room for what the code emits. It lives as long as the thread.
    room: *const [Cell<i64>],
    /// How many values it has emitted.
    emitted: Cell<usize>,
}

thread_local! {
    /// The innermost frame. Without a destructor and initialized at compile time, so that a handler may read it.
    static TOP: Cell<*const Frame> = const { Cell::new(ptr::null()) };
    /// Where a call's emitted values go: one more than a right program emits, so that one too many is seen.
    static ROOM: Box<[Cell<i64>]> = vec![Cell::new(0); MOST_EMITTED + 1].into();
    /// The message of the escape under way.
    static MESSAGE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// The innermost frame of this thread.
pub(super) fn top<'a>() -> Option<&'a Frame> {
    // SAFETY: TOP is null or points to a frame in `with_frame`, which outlives every use: what runs under it is either
    // a handler or code called by it.
    unsafe { TOP.get().as_ref() }
}

impl Frame {
    fn new(kind: FrameKind) -> Frame {
        Frame { stack: Cell::new(0), previous: TOP.get(), kind }
    }

    /// Makes this frame the innermost and enters `function(argument)`. From `before` on, signal handlers find the
    /// frame.
    ///
    /// # Safety
    ///
    /// `function` is the address of an `extern "C"` function that may be called with this argument, that doesn't
    /// unwind, and whose frames may be dropped when it is left by landing.
    unsafe fn enter(&self, before: impl FnOnce(), function: usize, argument: usize) -> Ended {
        TOP.set(self);
        before();
        // SAFETY: as the caller promises.
        let ended = unsafe { enter(self, function, argument) };
        TOP.set(self.previous);
        ended
    }
}

/// Calls machine code; gives what it emitted too. The thread has been prepared by [`signals::prepare_thread`].
///
/// # Safety
///
/// `entry` is the address of machine code as in [`super::Code::call`], within `code`.
pub(super) unsafe fn call(entry: usize, inputs: *const i64, code: Range<usize>, limit: Duration) -> (Landed, Vec<i64>) {
    let frame = Frame::new(FrameKind::Call(CallState {
        code,
        max_ticks: signals::ticks(limit),
        ticks: Cell::new(0),
        signal: Cell::new((0, 0, 0)),
        room: ROOM.with(|room| ptr::from_ref(&**room)),
        emitted: Cell::new(0),
    }));
    // SAFETY: machine code has no frames that need more than to be dropped, and the rest the caller promises.
    let ended = unsafe { frame.enter(signals::start_ticking, entry, inputs as usize) };
    let FrameKind::Call(state) = &frame.kind else { unreachable!("made above") };
    let emitted = ROOM.with(|room| room[..state.emitted.get()].iter().map(Cell::get).collect());
    let landed = match ended.how {
        RETURNED => Landed::Return(ended.value as i64),
        RAISED if ended.value == OVERFLOW => Landed::Raise(Trap::Overflow),
        RAISED => Landed::Raise(Trap::DivByZero),
        HUNG => Landed::Hang,
        _ => {
            let (signal, pc, address) = state.signal.get();
            Landed::Signal { signal, pc, address }
        }
    };
    (landed, emitted)
}

/// Ends the machine code that calls it, with the trap of this code: [`DIV_BY_ZERO`], or [`OVERFLOW`]. Does not return.
///
/// To be called by machine code that [`super::Code::call`] runs, and by nothing else: without such a call the process
/// ends.
pub extern "C" fn raise_trap(code: u64) -> ! {
    match top() {
        // SAFETY: a call of machine code is the innermost frame, so its `enter` is still on the stack, and only machine
        // code lies between.
        Some(frame @ Frame { kind: FrameKind::Call(_), .. }) => unsafe { resume(frame.stack.get(), code, RAISED) },
        _ => die("a trap was raised outside machine code"),
    }
}

/// Records a value that the machine code which calls it emits. One that finds no room left is dropped: a run that fills
/// the room is wrong already.
///
/// To be called by machine code that [`super::Code::call`] runs, and by nothing else: without such a call the process
/// ends.
pub extern "C" fn emit(value: i64) {
    let Some(Frame { kind: FrameKind::Call(state), .. }) = top() else {
        die("a value was emitted outside machine code")
    };
    let at = state.emitted.get();
    // SAFETY: the room lives as long as this thread, and is only touched through its cells.
    if let Some(place) = unsafe { &*state.room }.get(at) {
        place.set(value);
        state.emitted.set(at + 1);
    }
}

/// Runs `body` so that [`escape`] can leave it; the error is what it was left with.
///
/// What `body` owned then is never dropped, and a lock that it held stays locked: this is for fatal errors of a library
/// that would otherwise end the process, where a leak is the lesser evil. Panics go through as ever.
pub fn protect<R>(body: impl FnOnce() -> R) -> Result<R, String> {
    struct Job<F, R> {
        body: Option<F>,
        result: Option<Result<R, Box<dyn Any + Send>>>,
    }

    extern "C" fn run<F: FnOnce() -> R, R>(job: *mut Job<F, R>) {
        // SAFETY: `protect` passes a job that nobody else touches while this runs.
        let job = unsafe { &mut *job };
        if let Some(body) = job.body.take() {
            // A panic can't unwind through `enter`; it is carried past it.
            job.result = Some(catch_unwind(AssertUnwindSafe(body)));
        }
    }

    fn address_of<F: FnOnce() -> R, R>(_: &Job<F, R>) -> usize {
        run::<F, R> as extern "C" fn(*mut Job<F, R>) as usize
    }

    let frame = Frame::new(FrameKind::Protect);
    let mut job = Job { body: Some(body), result: None };
    let function = address_of(&job);
    // SAFETY: the function is `run`, which doesn't unwind; that frames may be dropped is the contract of `escape`.
    let ended = unsafe { frame.enter(|| (), function, &raw mut job as usize) };
    if ended.how == ESCAPED {
        return Err(MESSAGE.take());
    }
    match job.result {
        Some(Ok(result)) => Ok(result),
        Some(Err(panic)) => resume_unwind(panic),
        None => unreachable!("run has set it"),
    }
}

/// Leaves the innermost [`protect`] of this thread with a message. Without one, prints the message and ends the
/// process, as a fatal error does.
///
/// # Safety
///
/// The frames between the `protect` and this call are left without running any destructor. So they must be frames of a
/// foreign library or of machine code, or Rust frames whose pending destructors nobody's safety rests on: no scope that
/// joins threads, no borrow guard, no pinned value.
pub unsafe fn escape(message: &str) -> ! {
    let mut frame = top();
    while let Some(Frame { previous, kind: FrameKind::Call(_), .. }) = frame {
        // SAFETY: frames below the top are alive as the top is.
        frame = unsafe { previous.as_ref() };
    }
    let Some(frame) = frame else { die(message) };
    MESSAGE.set(message.to_string());
    TOP.set(frame);
    // SAFETY: the frame's `enter` is still on the stack; that the frames between may be dropped the caller promises.
    unsafe { resume(frame.stack.get(), 0, ESCAPED) }
}

fn die(message: &str) -> ! {
    eprintln!("fatal error: {message}");
    std::process::abort()
}

/// What `enter` returns, in `rax` and `rdx`.
#[repr(C)]
struct Ended {
    value: u64,
    how: u64,
}

/// Calls `function(argument)` so that [`land`] can take its place. The six pushes and the return address leave the
/// stack aligned after eight more bytes.
#[unsafe(naked)]
unsafe extern "C" fn enter(frame: *const Frame, function: usize, argument: usize) -> Ended {
    std::arch::naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "sub rsp, 8",
        "mov [rdi], rsp",
        "mov rdi, rdx",
        "call rsi",
        "mov edx, {returned}",
        "jmp {land}",
        returned = const RETURNED,
        land = sym land,
    )
}

/// Returns from the `enter` whose stack pointer is in `rsp`, with the words in `rax` and `rdx`. Signal handlers resume
/// here. Not a function to call.
#[unsafe(naked)]
pub(super) unsafe extern "C" fn land() {
    std::arch::naked_asm!("add rsp, 8", "pop r15", "pop r14", "pop r13", "pop r12", "pop rbx", "pop rbp", "ret",)
}

/// Jumps to [`land`] with this stack pointer and these words.
#[unsafe(naked)]
unsafe extern "C" fn resume(stack: usize, value: u64, how: u64) -> ! {
    std::arch::naked_asm!(
        "mov rsp, rdi",
        "mov rax, rsi",
        "cld",
        "jmp {land}",
        land = sym land,
    )
}
