//! Signals: the synchronous ones that machine code causes, and a timer's ticks that end it when it never does.
//!
//! Both end a call by changing the context that the handler returns to, so that the thread goes on at [`landing::land`]
//! instead. The kernel restores the signal mask from the same context: no system call is made for a call.
//!
//! The handlers are installed with the first call, after those of sanitizers and fuzzing engines, and pass on what
//! isn't theirs.
//!
//! **Time.** A thread's timer ticks every [`TICK`] of the thread's processor time, while a call is in progress; a call
//! that sees too many ticks hangs. The timer is not set for each call: the first tick that finds no call stops it, and
//! the next call starts it again. So a call costs no system call, and a thread that makes none gets no signals.

use std::cell::{Cell, UnsafeCell};
use std::io;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::OnceLock;
use std::time::Duration;

use libc::{c_int, c_void, siginfo_t, ucontext_t};

use crate::path::native::landing::{self, CallState, Frame, FrameKind, HUNG, SIGNALLED};

/// The synchronous signals that machine code can cause.
const FAULTS: [c_int; 5] = [libc::SIGILL, libc::SIGFPE, libc::SIGSEGV, libc::SIGBUS, libc::SIGTRAP];

/// The timer's period in processor time.
const TICK: Duration = Duration::from_millis(20);

/// The timer's signal: a real-time one that neither libFuzzer nor the C library uses.
fn tick_signal() -> c_int {
    libc::SIGRTMIN() + 5
}

/// How many ticks a call may see within this limit. A call may start just before a tick, so one more than fit.
pub(super) fn ticks(limit: Duration) -> u32 {
    u32::try_from(limit.as_nanos().div_ceil(TICK.as_nanos())).unwrap_or(u32::MAX - 1) + 1
}

/// Stack that a handler needs besides what the kernel puts there.
const HANDLER_STACK: usize = 1 << 14;
/// The size of the alternate stack that a thread gets if its own is too small.
const ALTERNATE_STACK: usize = 1 << 16;

thread_local! {
    /// Whether this thread's timer runs. Handlers write it: no destructor, initialized at compile time.
    static TICKING: Cell<bool> = const { Cell::new(false) };
    /// The timer, when there is one; read by handlers too.
    static TIMER: Cell<Option<libc::timer_t>> = const { Cell::new(None) };
    /// What the thread gives back when it ends.
    static THREAD: io::Result<Thread> = Thread::new();
}

/// Makes this thread able to run machine code: handlers, alternate stack, timer. Cheap after the first time.
pub(super) fn prepare_thread() -> io::Result<()> {
    if TIMER.get().is_some() {
        return Ok(());
    }
    let copy = |error: &io::Error| match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::other(error.to_string()),
    };
    THREAD
        .try_with(|thread| thread.as_ref().map(|_| ()).map_err(copy))
        .unwrap_or_else(|_| Err(io::Error::other("the thread is ending")))
}

/// Starts the timer unless it runs. The call that wants it is the innermost frame already: a tick that found none would
/// stop the timer again.
pub(super) fn start_ticking() {
    if !TICKING.get() {
        TICKING.set(true);
        set_timer(TICK);
    }
}

/// Sets this thread's timer to tick with this period, or, when it is zero, not at all. Safe in a handler.
fn set_timer(period: Duration) {
    if let Some(timer) = TIMER.get() {
        let period = libc::timespec { tv_sec: 0, tv_nsec: libc::c_long::from(period.subsec_nanos()) };
        let spec = libc::itimerspec { it_interval: period, it_value: period };
        // SAFETY: the timer exists, and the specification is valid.
        unsafe { libc::timer_settime(timer, 0, &spec, ptr::null_mut()) };
    }
}

/// What a thread that runs machine code owns.
struct Thread {
    timer: libc::timer_t,
    /// The alternate stack, when the thread had none that is large enough.
    stack: Option<Box<UnsafeCell<[u8; ALTERNATE_STACK]>>>,
}

impl Thread {
    fn new() -> io::Result<Thread> {
        install_handlers()?;
        let timer = create_timer()?;
        let mut thread = Thread { timer, stack: None };
        thread.provide_stack()?;
        TIMER.set(Some(timer));
        Ok(thread)
    }

    /// Gives the thread an alternate stack for handlers, unless it has one that is large enough (sanitizers set one).
    /// The one that Rust's library sets for stack overflows is too small with wide vector registers to save.
    fn provide_stack(&mut self) -> io::Result<()> {
        // SAFETY: reads a number.
        let kernel = unsafe { libc::getauxval(libc::AT_MINSIGSTKSZ) } as usize;
        let present = alternate_stack();
        if present.ss_flags & libc::SS_DISABLE == 0 && present.ss_size >= kernel + HANDLER_STACK {
            return Ok(());
        }
        let stack = Box::new(UnsafeCell::new([0; ALTERNATE_STACK]));
        let new = libc::stack_t { ss_sp: stack.get().cast(), ss_flags: 0, ss_size: ALTERNATE_STACK };
        // SAFETY: the memory belongs to this stack alone until `drop` takes it out of use.
        if unsafe { libc::sigaltstack(&new, ptr::null_mut()) } != 0 {
            return Err(io::Error::last_os_error());
        }
        self.stack = Some(stack);
        Ok(())
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        TIMER.set(None);
        // SAFETY: the timer was created by this thread and is not used again.
        unsafe { libc::timer_delete(self.timer) };
        if let Some(stack) = &self.stack
            && alternate_stack().ss_sp == stack.get().cast()
        {
            let none = libc::stack_t { ss_sp: ptr::null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 };
            // SAFETY: no handler runs on it now.
            unsafe { libc::sigaltstack(&none, ptr::null_mut()) };
        }
    }
}

/// The thread's alternate stack.
fn alternate_stack() -> libc::stack_t {
    let mut stack = MaybeUninit::<libc::stack_t>::zeroed();
    // SAFETY: only asks; all zeros are a valid `stack_t` too.
    unsafe {
        libc::sigaltstack(ptr::null(), stack.as_mut_ptr());
        stack.assume_init()
    }
}

/// A timer of this thread's processor time that signals this thread, not yet set.
fn create_timer() -> io::Result<libc::timer_t> {
    let mut timer: libc::timer_t = ptr::null_mut();
    // SAFETY: all zeros are a valid `sigevent`, which is then filled in; the thread's identifier is its own.
    let status = unsafe {
        let mut event: libc::sigevent = MaybeUninit::zeroed().assume_init();
        event.sigev_notify = libc::SIGEV_THREAD_ID;
        event.sigev_signo = tick_signal();
        event.sigev_notify_thread_id = libc::gettid();
        event.sigev_value = libc::sigval { sival_ptr: tick_name() };
        libc::timer_create(libc::CLOCK_THREAD_CPUTIME_ID, &mut event, &mut timer)
    };
    if status == 0 { Ok(timer) } else { Err(io::Error::last_os_error()) }
}

/// What tells our ticks from other signals of the same number: those of a shared object that has these sources too. A
/// thread's ticks come to itself. Not an address of the thread's own variables: in a handler they must not be touched
/// before the thread has used them, which may allocate.
fn tick_name() -> *mut c_void {
    ptr::from_ref(&PREVIOUS).cast_mut().cast()
}

/// The actions that ours replaced, indexed by signal.
struct Previous([UnsafeCell<MaybeUninit<libc::sigaction>>; 65]);

// SAFETY: each element is written once, before the handler that reads it is installed.
unsafe impl Sync for Previous {}

static PREVIOUS: Previous = Previous([const { UnsafeCell::new(MaybeUninit::zeroed()) }; 65]);

/// Installs the handlers, once in a process.
fn install_handlers() -> io::Result<()> {
    static INSTALLED: OnceLock<Result<(), i32>> = OnceLock::new();
    let install = || {
        for signal in FAULTS {
            install_handler(signal, on_fault)?;
        }
        install_handler(tick_signal(), on_tick)
    };
    INSTALLED
        .get_or_init(|| install().map_err(|error: io::Error| error.raw_os_error().unwrap_or(0)))
        .map_err(io::Error::from_raw_os_error)
}

type Handler = extern "C" fn(c_int, *mut siginfo_t, *mut c_void);

fn install_handler(signal: c_int, handler: Handler) -> io::Result<()> {
    // SAFETY: all zeros are a valid `sigaction`, which is then filled in. The previous action is stored before the
    // handler that reads it can run. The handlers do only what is allowed in a handler.
    let status = unsafe {
        let previous = PREVIOUS.0[signal as usize].get().cast::<libc::sigaction>();
        let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
        libc::sigemptyset(&mut action.sa_mask);
        libc::sigaddset(&mut action.sa_mask, tick_signal());
        match libc::sigaction(signal, ptr::null(), previous) {
            0 => libc::sigaction(signal, &action, ptr::null_mut()),
            failed => failed,
        }
    };
    if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// The call in progress, when it is the innermost thing that this thread does.
fn current_call<'a>() -> Option<(&'a Frame, &'a CallState)> {
    match landing::top() {
        Some(frame @ Frame { kind: FrameKind::Call(state), .. }) => Some((frame, state)),
        _ => None,
    }
}

/// A fault. While a call is in progress the thread runs nothing but machine code (and the host functions that it
/// calls), so a fault that the kernel raised then is the machine code's, also when a wild jump has led astray.
extern "C" fn on_fault(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes a valid information and context, for this thread.
    let (raised_by_kernel, address) = unsafe { ((*info).si_code > 0, (*info).si_addr() as usize) };
    match current_call() {
        Some((frame, state)) if raised_by_kernel => {
            let pc = program_counter(context);
            state.signal.set((signal, pc, address));
            land(frame, context, SIGNALLED);
        }
        _ => pass_on(signal, info, context),
    }
}

/// A tick. Ends a call that has seen too many, if it is in its machine code just now; otherwise the next tick does.
extern "C" fn on_tick(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes a valid information.
    if unsafe { (*info).si_value().sival_ptr } != tick_name() {
        return pass_on(signal, info, context);
    }
    let Some((frame, state)) = current_call() else {
        // SAFETY: `errno` is this thread's; the interrupted code must find it as it was.
        unsafe {
            let errno = *libc::__errno_location();
            TICKING.set(false);
            set_timer(Duration::ZERO);
            *libc::__errno_location() = errno;
        }
        return;
    };
    state.ticks.set(state.ticks.get().saturating_add(1));
    if state.ticks.get() > state.max_ticks && state.code.contains(&program_counter(context)) {
        land(frame, context, HUNG);
    }
}

/// Where the signal interrupted the thread.
fn program_counter(context: *mut c_void) -> usize {
    // SAFETY: a handler's third argument is the interrupted context.
    unsafe { (*context.cast::<ucontext_t>()).uc_mcontext.gregs[libc::REG_RIP as usize] as usize }
}

/// Makes the handler's return land in this frame instead of where the signal interrupted.
fn land(frame: &Frame, context: *mut c_void, how: u64) {
    /// The direction flag, which the ABI wants clear.
    const DIRECTION: i64 = 1 << 10;
    // SAFETY: a handler's third argument is the interrupted context. The frame is the innermost one and its `enter` is
    // on the stack, below whatever the machine code has put there.
    unsafe {
        let registers = &mut (*context.cast::<ucontext_t>()).uc_mcontext.gregs;
        registers[libc::REG_RIP as usize] = landing::land as *const () as i64;
        registers[libc::REG_RSP as usize] = frame.stack.get() as i64;
        registers[libc::REG_RAX as usize] = 0;
        registers[libc::REG_RDX as usize] = how as i64;
        registers[libc::REG_EFL as usize] &= !DIRECTION;
    }
}

/// Gives a signal to whoever handled it before. By default that ends the process: the default action is put back, and
/// the instruction that faulted faults again.
fn pass_on(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the action was stored before this handler was installed, and is what the kernel would have called.
    unsafe {
        let previous = &*PREVIOUS.0[signal as usize].get().cast::<libc::sigaction>();
        match previous.sa_sigaction {
            libc::SIG_DFL | libc::SIG_IGN if signal == tick_signal() => {}
            libc::SIG_DFL | libc::SIG_IGN => {
                libc::sigaction(signal, previous, ptr::null_mut());
            }
            handler if previous.sa_flags & libc::SA_SIGINFO != 0 => {
                std::mem::transmute::<usize, Handler>(handler)(signal, info, context);
            }
            handler => std::mem::transmute::<usize, extern "C" fn(c_int)>(handler)(signal),
        }
    }
}
