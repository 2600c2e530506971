//! The parent's side: starting a worker, asking it, and burying it.

use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{SendFlags, send};
use rustix::process::{Signal, set_parent_process_death_signal};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::frame::{self, Garbage, Incoming};
use super::now::{Page, Place};
use super::{Death, How, Limits};

/// How long to wait before looking whether a limit was outrun.
const TICK: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
/// How long a worker may take to die when nobody hears it any more.
const DYING: Duration = Duration::from_secs(2);
/// A worker that does nothing at all gets this many times the limit by the clock.
const PATIENCE: u32 = 10;
/// So much of the end of what a worker says is kept.
const SAID_BYTES: usize = 8 << 10;

/// A worker, as its parent has it. Dropping it ends it.
pub struct Process {
    child: Child,
    socket: UnixStream,
    /// None when it has been read to its end.
    stderr: Option<ChildStderr>,
    incoming: Incoming,
    said: Vec<u8>,
    page: Page,
    limits: Limits,
    /// What it may take now on one path of one program.
    time: Duration,
    /// What was last seen of it: where it was, since when by the clock, and how much processor time it had had then.
    seen: (Place, Instant, Duration),
}

/// Why there is no answer.
#[derive(Debug)]
pub enum Trouble {
    /// Nobody wants it any more.
    Over,
    /// The worker is no more.
    Died(Death),
    /// The worker can't be asked at all.
    Failed(io::Error),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Trouble {
        Trouble::Failed(error)
    }
}

impl Process {
    /// Starts this program again with the arguments that make it a worker; it will [take its seat](super::Seat::take).
    /// `--page` and `--memory` are added to them.
    pub fn spawn<'a>(arguments: impl IntoIterator<Item = &'a str>, limits: Limits) -> io::Result<Process> {
        let (socket, theirs) = UnixStream::pair()?;
        let page = Page::new()?;
        let page_fd = page.file().as_raw_fd();
        // Not by its name: the file may have been replaced since.
        let mut command = Command::new("/proc/self/exe");
        command.arg0("roundtrip").args(arguments);
        command.args(["--page".into(), page_fd.to_string(), "--memory".into(), limits.memory.to_string()]);
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::piped());
        // What the terminal sends to its foreground, Ctrl-C above all, is for the parent.
        command.process_group(0);
        // SAFETY: two system calls, and nothing is allocated. The descriptor is the page's, which is open.
        unsafe {
            command.pre_exec(move || {
                let page = std::os::fd::BorrowedFd::borrow_raw(page_fd);
                rustix::io::fcntl_setfd(page, rustix::io::FdFlags::empty())?;
                Ok(set_parent_process_death_signal(Some(Signal::KILL))?)
            });
        }
        let mut child = command.spawn()?;
        let stderr = child.stderr.take();
        let (seen, time) = ((page.now().place(), Instant::now(), Duration::ZERO), limits.time);
        Ok(Process { child, socket, stderr, incoming: Incoming::default(), said: Vec::new(), page, limits, time, seen })
    }

    /// The worker's process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Asks something, which may take `time` of a processor on one path of one program, and [`PATIENCE`] times as long
    /// by the clock.
    pub fn send(&mut self, request: &impl Serialize, time: Duration) -> Result<(), Trouble> {
        self.time = time;
        let bytes = frame::encode(request).map_err(io::Error::other)?;
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            // A worker that is gone must not end its parent by SIGPIPE.
            match send(&self.socket, rest, SendFlags::NOSIGNAL) {
                Ok(sent) => rest = &rest[sent..],
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return Err(Trouble::Died(self.bury(None))),
            }
        }
        self.seen = (self.page.now().place(), Instant::now(), self.processor_time());
        Ok(())
    }

    /// Waits for an answer, or until the worker is dead, has outrun its limit, or `is_over` says so. After any of these
    /// it is of no more use.
    pub fn receive<T: DeserializeOwned>(&mut self, is_over: &dyn Fn() -> bool) -> Result<T, Trouble> {
        loop {
            match self.incoming.take() {
                Ok(Some(answer)) => return Ok(answer),
                Ok(None) => {}
                Err(Garbage) => return Err(Trouble::Died(self.bury(Some(How::Garbage)))),
            }
            if is_over() {
                return Err(Trouble::Over);
            }
            if self.has_outrun_its_limit() {
                return Err(Trouble::Died(self.bury(Some(How::Hang))));
            }
            if !self.listen()? {
                return Err(Trouble::Died(self.bury(None)));
            }
        }
    }

    /// Waits for the worker to say something and takes it in. `false` when it can't answer any more.
    fn listen(&mut self) -> io::Result<bool> {
        let mut sources = vec![PollFd::new(&self.socket, PollFlags::IN)];
        sources.extend(self.stderr.as_ref().map(|stderr| PollFd::new(stderr, PollFlags::IN)));
        wait(&mut sources, &TICK)?;
        let has_answered = !sources[0].revents().is_empty();
        if sources.get(1).is_some_and(|stderr| !stderr.revents().is_empty()) {
            self.hear()?;
        }
        if has_answered {
            let mut buffer = [0; 1 << 16];
            match self.socket.read(&mut buffer) {
                Ok(0) | Err(_) => return Ok(false),
                Ok(length) => self.incoming.extend(&buffer[..length]),
            }
        }
        Ok(true)
    }

    /// Takes in what stands on the worker's standard error.
    fn hear(&mut self) -> io::Result<()> {
        let Some(stderr) = &mut self.stderr else { return Ok(()) };
        let mut buffer = [0; 1 << 12];
        let length = stderr.read(&mut buffer)?;
        if length == 0 {
            self.stderr = None;
        }
        self.said.extend_from_slice(&buffer[..length]);
        self.said.drain(..self.said.len().saturating_sub(SAID_BYTES));
        Ok(())
    }

    fn has_outrun_its_limit(&mut self) -> bool {
        let place = self.page.now().place();
        let (seen, since, spent) = &self.seen;
        if place.turn != seen.turn || place.program != seen.program {
            self.seen = (place, Instant::now(), self.processor_time());
            return false;
        }
        // A worker that has not begun anything is still being made ready.
        let limit = if place.program.is_none() { self.limits.time } else { self.time };
        let waited = since.elapsed();
        // Asking for the processor time is a system call; most of the time there is no need.
        waited >= limit && (waited >= limit * PATIENCE || self.processor_time() - *spent >= limit)
    }

    /// The processor time that the worker has had.
    fn processor_time(&self) -> Duration {
        let mut clock = 0;
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: both only write to where they are told to.
        let failed = unsafe {
            libc::clock_getcpuclockid(self.child.id() as libc::pid_t, &mut clock) != 0
                || libc::clock_gettime(clock, &mut time) != 0
        };
        if failed { Duration::ZERO } else { Duration::new(time.tv_sec as u64, time.tv_nsec as u32) }
    }

    /// Sees the worker to its end, and says what it was. `how` is given for one that is to be killed.
    fn bury(&mut self, how: Option<How>) -> Death {
        let place = self.page.now().place();
        let deadline = Instant::now() + if how.is_none() { DYING } else { Duration::ZERO };
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break Some(status),
                Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(2)),
                _ => break None,
            }
        };
        self.end();
        let ended = status.map(|status| match status.signal() {
            Some(signal) => How::Signal(signal),
            None => How::Exit(status.code().unwrap_or(0)),
        });
        // What it said last may not have been read yet.
        while self.stderr.as_ref().is_some_and(has_more) && self.hear().is_ok() {}
        let how = how.or(ended).unwrap_or(How::Garbage);
        Death { how, place, said: String::from_utf8_lossy(&self.said).into_owned() }
    }

    /// Kills and reaps, whatever it is doing.
    fn end(&mut self) {
        // One that has ended already can't be killed, and that is all that can fail.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn has_more(stderr: &ChildStderr) -> bool {
    let mut sources = [PollFd::new(stderr, PollFlags::IN)];
    wait(&mut sources, &Timespec { tv_sec: 0, tv_nsec: 0 }).is_ok() && !sources[0].revents().is_empty()
}

fn wait(sources: &mut [PollFd<'_>], time: &Timespec) -> io::Result<()> {
    match poll(sources, Some(time)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}
