//! Running aarch64 machine code on this machine, under qemu's emulation of a process, and surviving what it does.
//!
//! A thread has one emulator, which lives on from program to program: starting qemu takes 20 ms, a program with eight
//! runs 0.2 ms. Under it runs the [`runner`], which answers requests on a socket. The machine code may return, trap,
//! fault, jump anywhere or never end: each is a value of [`NativeEnd`], as it is where code runs in this process
//! ([`native`](crate::path::native)), and has the same entry ABI. After a fault or a hang the emulator is started anew.

mod runner;

use std::fs::File;
use std::io::{self, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

pub use runner::EMIT;

use crate::op::{MOST_EMITTED, Trap};
use crate::path::native::{MachineFault, NativeEnd, NativeRun};
use crate::path::{Stage, now};

/// The emulator of Debian's package `qemu-user`.
const QEMU: &str = "qemu-aarch64";
/// The processor that it emulates: one without any extension of the first version of the architecture.
const CPU: &str = "cortex-a57";
/// So many calls are asked for at once: what they take of the socket is less than it holds, so that the two ends never
/// wait for each other, and one wait for the emulator costs more than it takes for all of them.
const BATCH: usize = 16;
/// How long to wait for a reply before looking whether the limit was outrun.
const TICK: Duration = Duration::from_millis(20);
/// How many times slower than the processor the emulator may be at worst, its translation included.
const SLOWER: u32 = 4;
/// How much processor time an emulator may take until it has run anything at all.
const STARTING: Duration = Duration::from_secs(10);
/// `ret`
const RET: [u8; 4] = 0xd65f_03c0_u32.to_le_bytes();

/// The emulator's name and version, or why there is none and what to do.
pub fn version() -> Result<String, String> {
    static VERSION: OnceLock<Result<String, String>> = OnceLock::new();
    let ask = || {
        let answer = Command::new(QEMU).arg("--version").stdin(Stdio::null()).output().map_err(|error| {
            format!("{QEMU} can't be run ({error}): scripts/setup installs it, or the package qemu-user")
        })?;
        let text = String::from_utf8_lossy(&answer.stdout);
        let version = text.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        version.map(|version| format!("{QEMU} {version}")).ok_or_else(|| format!("{QEMU} doesn't tell its version"))
    };
    VERSION.get_or_init(ask).clone()
}

/// What can be told of code that has broken the runner: nothing.
const ASTRAY: MachineFault = MachineFault { signal: 0, offset: None, address: 0 };

/// An emulated machine. Holds one program at a time.
#[derive(Default)]
pub struct Emulator {
    runner: Option<Runner>,
    code: Vec<u8>,
    /// Whether the runner has the code.
    has_code: bool,
}

impl Emulator {
    /// Places a program, whose first instruction is its entry, instead of the one that is there.
    pub fn place(&mut self, code: &[u8]) -> io::Result<()> {
        if code.len() > runner::CODE_SIZE {
            return Err(io::Error::other(format!("{} bytes of machine code are too many", code.len())));
        }
        self.code.clear();
        self.code.extend(code);
        self.has_code = false;
        Ok(())
    }

    /// Calls the program with each of these inputs, up to the first that makes it hang. A SIGILL at an offset that
    /// `trap_at` knows is that trap. An error means that the emulator can't be used.
    pub fn call(
        &mut self,
        vectors: &[Vec<i64>],
        trap_at: &dyn Fn(u32) -> Option<Trap>,
        limit: Duration,
    ) -> io::Result<Vec<NativeRun>> {
        now::enter(Stage::Execute);
        let mut runs = Vec::new();
        while runs.len() < vectors.len() {
            let runner = match &mut self.runner {
                Some(runner) => runner,
                none => {
                    self.has_code = false;
                    none.insert(Runner::start()?)
                }
            };
            let code = if self.has_code { &[] } else { &self.code[..] };
            let rest = &vectors[runs.len()..];
            let made = runner.call(code, &rest[..rest.len().min(BATCH)], trap_at, SLOWER * limit);
            self.has_code = true;
            let last = made.as_ref().ok().and_then(|runs| runs.last()).map(|run| run.end);
            // What did wrong may have done more of it.
            if !matches!(last, Some(NativeEnd::Return(_) | NativeEnd::Trap(_))) {
                self.runner = None;
            }
            runs.append(&mut made?);
            if last == Some(NativeEnd::Hang) {
                break;
            }
        }
        Ok(runs)
    }
}

/// A process of the emulator. Dropping it ends it.
struct Runner {
    child: Child,
    socket: UnixStream,
}

impl Runner {
    fn start() -> io::Result<Runner> {
        let (socket, theirs) = UnixStream::pair()?;
        socket.set_read_timeout(Some(TICK))?;
        // SAFETY: the descriptor is checked, and nobody else's.
        let mut file = unsafe {
            match libc::memfd_create(c"runner".as_ptr(), libc::MFD_CLOEXEC) {
                -1 => return Err(io::Error::last_os_error()),
                file => File::from(OwnedFd::from_raw_fd(file)),
            }
        };
        file.write_all(&runner::file())?;
        let fd = file.as_raw_fd();
        let mut command = Command::new(QEMU);
        command.args(["-cpu", CPU]).arg(format!("/proc/self/fd/{fd}"));
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null());
        // SAFETY: two system calls on a descriptor that is open. The second sees to it that machine code which never
        // ends doesn't outlive this process.
        unsafe {
            command.pre_exec(move || {
                let inherited = libc::fcntl(fd, libc::F_SETFD, 0) == 0;
                let bound = libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) == 0;
                if inherited && bound { Ok(()) } else { Err(io::Error::last_os_error()) }
            });
        }
        let mut runner = Runner { child: command.spawn()?, socket };
        // It keeps the socket's other end open, and that of a dead process must be closed.
        drop(command);
        // An emulator that doesn't work must not look like code that went astray.
        match runner.call(&RET, &[Vec::new()], &|_| None, STARTING)?[..] {
            [NativeRun { end: NativeEnd::Return(_), .. }] => Ok(runner),
            _ => Err(io::Error::other(format!("{QEMU} starts and runs nothing"))),
        }
    }

    /// Calls the code, a new one if it isn't empty, with each of these inputs, up to the first that makes it do wrong.
    fn call(
        &mut self,
        code: &[u8],
        vectors: &[Vec<i64>],
        trap_at: &dyn Fn(u32) -> Option<Trap>,
        limit: Duration,
    ) -> io::Result<Vec<NativeRun>> {
        let mut requests = Vec::new();
        for (index, inputs) in vectors.iter().enumerate() {
            let code = if index == 0 { code } else { &[] };
            let mut head: Vec<u8> = (code.len() as u64).to_le_bytes().to_vec();
            head.extend(inputs.iter().flat_map(|input| input.to_le_bytes()));
            if head.len() > runner::HEAD_SIZE {
                return Err(io::Error::other(format!("{} inputs are too many", inputs.len())));
            }
            head.resize(runner::HEAD_SIZE, 0);
            requests.append(&mut head);
            requests.extend(code);
        }
        // Who is no more doesn't answer, and that is seen then.
        let _ = self.send(&requests);
        let mut runs = Vec::new();
        for _ in vectors {
            let run = self.run(trap_at, limit)?;
            let goes_on = matches!(run.end, NativeEnd::Return(_) | NativeEnd::Trap(_));
            runs.push(run);
            if !goes_on {
                break;
            }
        }
        Ok(runs)
    }

    /// What the next run is.
    fn run(&mut self, trap_at: &dyn Fn(u32) -> Option<Trap>, limit: Duration) -> io::Result<NativeRun> {
        let last = self.processor_time()? + limit;
        let ended = |end| Ok(NativeRun { end, emitted: Vec::new() });
        let words = match self.receive(runner::REPLY_SIZE, last)? {
            Ok(words) => words,
            Err(end) => return ended(end),
        };
        let &[signal, value, address, emitted] = &words[..] else { unreachable!("as many bytes as were asked for") };
        // Code that went astray may have overwritten how much it was.
        let Some(emitted) = usize::try_from(emitted).ok().filter(|&emitted| emitted <= MOST_EMITTED + 1) else {
            return ended(NativeEnd::Fault(ASTRAY));
        };
        let emitted = match self.receive(8 * emitted, last)? {
            Ok(emitted) => emitted,
            Err(end) => return ended(end),
        };
        let end = match signal as i32 {
            0 => NativeEnd::Return(value),
            signal => {
                let offset = (value as u64).checked_sub(runner::CODE).filter(|&it| it < runner::CODE_SIZE as u64);
                let offset = offset.map(|offset| offset as u32);
                match offset.filter(|_| signal == libc::SIGILL).and_then(trap_at) {
                    Some(trap) => NativeEnd::Trap(trap),
                    None => NativeEnd::Fault(MachineFault { signal, offset, address: address as usize }),
                }
            }
        };
        Ok(NativeRun { end, emitted })
    }

    /// Sends all of these bytes.
    fn send(&self, mut rest: &[u8]) -> io::Result<()> {
        while !rest.is_empty() {
            // SAFETY: a valid buffer. Nothing that is gone must end this process by SIGPIPE.
            let sent =
                unsafe { libc::send(self.socket.as_raw_fd(), rest.as_ptr().cast(), rest.len(), libc::MSG_NOSIGNAL) };
            match usize::try_from(sent) {
                Ok(sent) => rest = &rest[sent..],
                Err(_) if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Err(io::Error::last_os_error()),
            }
        }
        Ok(())
    }

    /// Receives so many bytes, as words, until the process has had so much processor time in all; or says why none
    /// come.
    fn receive(&mut self, size: usize, last: Duration) -> io::Result<Result<Vec<i64>, NativeEnd>> {
        let mut bytes = vec![0; size];
        let mut filled = 0;
        while filled < size {
            match self.socket.read(&mut bytes[filled..]) {
                Ok(0) => return self.death().map(Err),
                Ok(length) => filled += length,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if self.processor_time()? > last {
                        return Ok(Err(NativeEnd::Hang));
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return self.death().map(Err),
                Err(error) => return Err(error),
            }
        }
        let (words, _) = bytes.as_chunks();
        Ok(Ok(words.iter().map(|&word| i64::from_le_bytes(word)).collect()))
    }

    /// What the process has died of, where nothing hears at the socket's other end: the machine code went astray.
    fn death(&mut self) -> io::Result<NativeEnd> {
        let signal = self.child.wait()?.signal().unwrap_or(ASTRAY.signal);
        Ok(NativeEnd::Fault(MachineFault { signal, ..ASTRAY }))
    }

    /// The processor time that the process has had.
    fn processor_time(&self) -> io::Result<Duration> {
        let mut clock = 0;
        let mut time = MaybeUninit::<libc::timespec>::zeroed();
        // SAFETY: both write to what they are given; all zeros are a valid `timespec` too.
        let time = unsafe {
            match libc::clock_getcpuclockid(self.child.id() as libc::pid_t, &mut clock) {
                0 if libc::clock_gettime(clock, time.as_mut_ptr()) == 0 => time.assume_init(),
                _ => return Err(io::Error::last_os_error()),
            }
        };
        Ok(Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        // It may be dead already, and then these say so.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
