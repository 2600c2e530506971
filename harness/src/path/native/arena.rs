//! Executable memory that one program after another is placed in.
//!
//! The memory is mapped twice: once writable, once executable, never both at one address. Changing the protection of
//! one mapping would cost two system calls and 6 µs a program; writing through the other mapping costs none.

use std::io;
use std::ptr;
use std::time::Duration;

use crate::op::Trap;
use crate::path::native::{MachineFault, NativeEnd, NativeRun, landing, signals};
use crate::path::{Stage, now};

/// What an arena holds before it first grows.
const INITIAL_SIZE: usize = 1 << 18;

/// Executable memory. Holds one program at a time.
#[derive(Debug)]
pub struct Arena {
    mapping: Mapping,
}

impl Arena {
    /// A new arena.
    pub fn new() -> io::Result<Arena> {
        Ok(Arena { mapping: Mapping::new(INITIAL_SIZE)? })
    }

    /// Places a program of `size` bytes, instead of the one that is there. `write` gets the memory to fill and the
    /// address at which the program will run; the bytes that it leaves alone are left over from earlier programs.
    ///
    /// The memory's start is aligned to a page.
    pub fn place(&mut self, size: usize, write: impl FnOnce(&mut [u8], usize)) -> io::Result<Code<'_>> {
        if size > self.mapping.size {
            self.mapping = Mapping::new(size.next_power_of_two())?;
        }
        let address = self.mapping.executable as usize;
        // SAFETY: the writable mapping has at least `size` bytes, lives as long as `self`, and nothing else refers to
        // it: `self` is borrowed mutably, and a `Code` borrows it too.
        write(unsafe { std::slice::from_raw_parts_mut(self.mapping.writable, size) }, address);
        serialize_instructions();
        Ok(Code { address, size, arena: self })
    }
}

/// A program in an [`Arena`], ready to run.
#[derive(Debug)]
pub struct Code<'a> {
    address: usize,
    size: usize,
    /// Keeps the memory from being mapped away or written to.
    #[expect(dead_code, reason = "held, not read")]
    arena: &'a mut Arena,
}

impl Code<'_> {
    /// Calls the function at offset `entry` with these inputs. A SIGILL or SIGFPE at an offset that `trap_at` knows is
    /// that trap. An error means that this thread can't run machine code at all.
    ///
    /// # Safety
    ///
    /// At `entry` stands code that a compiler made for the ABI `extern "C" fn(*const i64) -> i64`, which reads no
    /// inputs past those given and writes to its own stack frame only. Code that breaks this by a compiler's fault is
    /// caught as far as hardware notices: whoever runs compilers under test puts them in a process of their own.
    pub unsafe fn call(
        &self,
        entry: usize,
        inputs: &[i64],
        trap_at: &dyn Fn(u32) -> Option<Trap>,
        limit: Duration,
    ) -> io::Result<NativeRun> {
        signals::prepare_thread()?;
        now::enter(Stage::Execute);
        let code = self.address..self.address + self.size;
        // SAFETY: as the caller promises.
        let (landed, emitted) = unsafe { landing::call(self.address + entry, inputs.as_ptr(), code.clone(), limit) };
        let end = match landed {
            landing::Landed::Return(value) => NativeEnd::Return(value),
            landing::Landed::Raise(trap) => NativeEnd::Trap(trap),
            landing::Landed::Hang => NativeEnd::Hang,
            landing::Landed::Signal { signal, pc, address } => {
                let offset = code.contains(&pc).then(|| (pc - self.address) as u32);
                let traps = matches!(signal, libc::SIGILL | libc::SIGFPE);
                match offset.filter(|_| traps).and_then(trap_at) {
                    Some(trap) => NativeEnd::Trap(trap),
                    None => NativeEnd::Fault(MachineFault { signal, offset, address }),
                }
            }
        };
        Ok(NativeRun { end, emitted })
    }
}

/// One piece of memory mapped at two addresses.
#[derive(Debug)]
struct Mapping {
    writable: *mut u8,
    executable: *mut u8,
    size: usize,
}

// SAFETY: the pointers belong to the mapping alone, and memory mappings belong to the whole process.
unsafe impl Send for Mapping {}
// SAFETY: a shared reference gives no access to the memory.
unsafe impl Sync for Mapping {}

impl Mapping {
    fn new(size: usize) -> io::Result<Mapping> {
        // SAFETY: the arguments are valid; the file descriptor is checked, used here only and closed.
        unsafe {
            let file = libc::memfd_create(c"roundtrip".as_ptr(), libc::MFD_CLOEXEC);
            if file < 0 {
                return Err(io::Error::last_os_error());
            }
            let mapping = if libc::ftruncate(file, size as libc::off_t) == 0 {
                Mapping::of_file(file, size)
            } else {
                Err(io::Error::last_os_error())
            };
            libc::close(file);
            mapping
        }
    }

    /// # Safety
    ///
    /// `file` is an open file of `size` bytes.
    unsafe fn of_file(file: libc::c_int, size: usize) -> io::Result<Mapping> {
        let map = |protection| {
            // SAFETY: a new mapping at an address of the kernel's choice touches no memory in use.
            let address = unsafe { libc::mmap(ptr::null_mut(), size, protection, libc::MAP_SHARED, file, 0) };
            if address == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(address.cast::<u8>()) }
        };
        let mut mapping = Mapping { writable: ptr::null_mut(), executable: ptr::null_mut(), size };
        mapping.writable = map(libc::PROT_READ | libc::PROT_WRITE)?;
        mapping.executable = map(libc::PROT_READ | libc::PROT_EXEC)?;
        Ok(mapping)
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        for address in [self.writable, self.executable] {
            if !address.is_null() {
                // SAFETY: mapped by `of_file` with this size, and nothing refers to it any more.
                unsafe { libc::munmap(address.cast(), self.size) };
            }
        }
    }
}

/// Makes this processor fetch the instructions anew. Code that was written through another address than it runs at
/// needs a serializing instruction (Intel's manual 3A, 9.1.3). `iretq` to the next instruction is the cheap one: 20 ns,
/// where `cpuid` in a virtual machine takes 5 µs.
fn serialize_instructions() {
    // SAFETY: builds the frame that `iretq` expects: it goes on at label 2 with the same stack, flags and segments.
    unsafe {
        std::arch::asm!(
            "mov {stack}, rsp",
            "mov {word:e}, ss",
            "push {word}",
            "push {stack}",
            "pushfq",
            "mov {word:e}, cs",
            "push {word}",
            "lea {word}, [rip + 2f]",
            "push {word}",
            "iretq",
            "2:",
            stack = out(reg) _,
            word = out(reg) _,
        );
    }
}
