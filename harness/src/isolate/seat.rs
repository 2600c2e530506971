//! The worker's side.

use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

use rustix::process::{Resource, Rlimit, setrlimit};
use rustix::stdio::{dup2_stdin, dup2_stdout, stderr, stdin};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::frame::{self, Incoming};
use super::now::{Now, Page};

/// A worker's ends of what joins it to its parent.
pub struct Seat {
    socket: UnixStream,
    incoming: Incoming,
    now: &'static Now,
}

impl Seat {
    /// Takes what [`super::Process::spawn`] left for this process: the requests on standard input, and the page. From
    /// now on nothing that reads standard input or writes to standard output comes near the parent's messages, and the
    /// process has no more than `memory` bytes of address space.
    ///
    /// # Safety
    ///
    /// `page` is the descriptor that the parent named, and nobody else's.
    pub unsafe fn take(page: RawFd, memory: u64) -> io::Result<Seat> {
        let socket = UnixStream::from(rustix::io::fcntl_dupfd_cloexec(stdin(), 3)?);
        dup2_stdin(OpenOptions::new().read(true).open("/dev/null")?)?;
        dup2_stdout(stderr())?;
        let limit = |bytes| Rlimit { current: Some(bytes), maximum: Some(bytes) };
        setrlimit(Resource::Core, limit(0))?;
        setrlimit(Resource::As, limit(memory))?;
        // SAFETY: as the caller promises.
        let now = Page::of(unsafe { OwnedFd::from_raw_fd(page) })?.leak();
        now.follow_stages();
        Ok(Seat { socket, incoming: Incoming::default(), now })
    }

    /// Where the worker says what it is doing.
    pub fn now(&self) -> &Now {
        self.now
    }

    /// The next request; none when the parent wants no more.
    pub fn receive<T: DeserializeOwned>(&mut self) -> io::Result<Option<T>> {
        let mut buffer = vec![0; 1 << 16];
        loop {
            match self.incoming.take() {
                Ok(None) => {}
                Ok(request) => return Ok(request),
                Err(frame::Garbage) => return Err(io::Error::other("the parent's request is garbled")),
            }
            match self.socket.read(&mut buffer)? {
                0 => return Ok(None),
                length => self.incoming.extend(&buffer[..length]),
            }
        }
    }

    /// Answers.
    pub fn send(&self, answer: &impl Serialize) -> io::Result<()> {
        let bytes = frame::encode(answer).map_err(io::Error::other)?;
        (&self.socket).write_all(&bytes)
    }
}
