//! What a worker is doing now: a few words in memory that it shares with its parent, which reads them when the worker
//! is dead or late.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};

use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

use crate::path::{Stage, now};

/// The words. All zero is a valid value: nothing was begun.
#[repr(C)]
pub struct Now {
    /// Counts what was begun, so that a second turn of the same path is told from the first.
    turn: AtomicU64,
    /// The program's number plus one; 0 when none was begun.
    program: AtomicU64,
    /// The path's index plus one; 0 when none is at work.
    path: AtomicU32,
    /// Whether the path is done and its output is being judged.
    judging: AtomicU8,
    /// The path's [`Stage`].
    stage: AtomicU8,
}

/// What a worker was doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The program's number, if one was begun.
    pub program: Option<u64>,
    /// The index of the path that was at work; otherwise it was the harness itself.
    pub path: Option<u32>,
    /// Whether the path was done and its output was being judged.
    pub judging: bool,
    /// How far the path was.
    pub stage: Stage,
    /// Counts what was begun.
    pub turn: u64,
}

impl Now {
    /// A program is begun.
    pub fn program(&self, number: u64) {
        self.program.store(number + 1, Ordering::Relaxed);
        self.harness();
    }

    /// A path begins with it.
    pub fn path(&self, index: u32) {
        now::enter(Stage::Lower);
        self.judging.store(0, Ordering::Relaxed);
        self.path.store(index + 1, Ordering::Relaxed);
        self.turn.fetch_add(1, Ordering::Relaxed);
    }

    /// The path is done; its output is judged now.
    pub fn judging(&self) {
        self.judging.store(1, Ordering::Relaxed);
    }

    /// The harness itself is at work.
    pub fn harness(&self) {
        self.path.store(0, Ordering::Relaxed);
        self.turn.fetch_add(1, Ordering::Relaxed);
    }

    /// What the words say.
    pub fn place(&self) -> Place {
        let stages = [Stage::Lower, Stage::Construct, Stage::Optimize, Stage::Compile, Stage::Execute];
        let stage = usize::from(self.stage.load(Ordering::Relaxed));
        Place {
            program: self.program.load(Ordering::Relaxed).checked_sub(1),
            path: self.path.load(Ordering::Relaxed).checked_sub(1),
            judging: self.judging.load(Ordering::Relaxed) != 0,
            // The worker's memory may have been written to by anything.
            stage: stages.get(stage).copied().unwrap_or(Stage::Lower),
            turn: self.turn.load(Ordering::Relaxed),
        }
    }

    /// Has the paths of this process say here which stage they are at.
    pub(super) fn follow_stages(&'static self) {
        now::follow(&self.stage);
    }
}

/// The memory that holds the words.
pub(super) struct Page {
    now: NonNull<Now>,
    file: OwnedFd,
}

// SAFETY: the words are atomic, and the mapping belongs to no thread.
unsafe impl Send for Page {}

impl Page {
    /// New memory, for a parent.
    pub(super) fn new() -> io::Result<Page> {
        let file = memfd_create("now", MemfdFlags::CLOEXEC)?;
        ftruncate(&file, size_of::<Now>() as u64)?;
        Page::of(file)
    }

    /// The memory that a parent made.
    pub(super) fn of(file: OwnedFd) -> io::Result<Page> {
        // SAFETY: a new mapping, of a file that is as long.
        let memory = unsafe {
            let access = ProtFlags::READ | ProtFlags::WRITE;
            mmap(ptr::null_mut(), size_of::<Now>(), access, MapFlags::SHARED, &file, 0)?
        };
        let now = NonNull::new(memory.cast()).ok_or_else(|| io::Error::other("no memory"))?;
        Ok(Page { now, file })
    }

    /// The words.
    pub(super) fn now(&self) -> &Now {
        // SAFETY: the mapping lives as long as `self`; the words are atomic and all of their values are valid.
        unsafe { self.now.as_ref() }
    }

    /// The words for as long as the process lives.
    pub(super) fn leak(self) -> &'static Now {
        // SAFETY: as above, and it is never unmapped.
        let now = unsafe { self.now.as_ref() };
        std::mem::forget(self);
        now
    }

    /// What hands the memory to a worker.
    pub(super) fn file(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `of`, and nothing refers to it any more.
        let unmapped = unsafe { munmap(self.now.as_ptr().cast(), size_of::<Now>()) };
        debug_assert!(unmapped.is_ok(), "{unmapped:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_side_says_the_other_reads() {
        let page = Page::new().unwrap();
        let nothing = page.now().place();
        assert_eq!((nothing.program, nothing.path), (None, None));

        let other = Page::of(page.file().try_clone_to_owned().unwrap()).unwrap();
        other.now().program(7);
        other.now().path(3);
        let place = page.now().place();
        assert_eq!((place.program, place.path, place.judging), (Some(7), Some(3), false));
        other.now().judging();
        assert!(page.now().place().judging);
        other.now().harness();
        let after = page.now().place();
        assert!(after.path.is_none() && after.turn > place.turn);
    }
}
