//! The root of a shared object: one compiler at one version, with what of the harness it takes to observe a case.
//!
//! `scripts/toolchain` builds it; [`path::installed`](crate::path) of the harness loads it. Its paths are the same
//! sources as those that the harness links in.

pub mod case;
pub mod dialect;
pub mod lab;
pub mod names;
pub mod op;
#[cfg(feature = "llvm")]
pub mod optimized;
pub mod path;
pub mod plant;
pub mod syntax;
pub mod tac;
pub mod tiny;

use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::AtomicU8;

use path::{now, wire};

/// What the object was built from: a text that ends with a 0.
#[unsafe(no_mangle)]
pub extern "C" fn roundtrip_built_from() -> *const c_char {
    #[cfg(feature = "cranelift")]
    const TEXT: &str = concat!(env!("ROUNDTRIP_SOURCES_CRANELIFT"), "\0");
    #[cfg(feature = "llvm")]
    const TEXT: &str = concat!(env!("ROUNDTRIP_SOURCES_LLVM"), "\0");
    const ENDED: &CStr = match CStr::from_bytes_with_nul(TEXT.as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("a fingerprint has no 0 in it"),
    };
    ENDED.as_ptr()
}

/// Answers a request by handing the answer's bytes to `take`, before it returns. What it runs says at `stage`, if that
/// is a place, which stage it is at.
///
/// # Safety
///
/// `request` points to `length` bytes, `take` may be called with `context`, and `stage` is null or points to what lives
/// for good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn roundtrip_answer(
    request: *const u8,
    length: usize,
    take: wire::Take,
    context: *mut c_void,
    stage: *const AtomicU8,
) {
    // SAFETY: as the caller promises.
    if let Some(stage) = unsafe { stage.as_ref() } {
        now::follow(stage);
    }
    // SAFETY: as the caller promises.
    let request = unsafe { std::slice::from_raw_parts(request, length) };
    let answer = wire::answer(request);
    // SAFETY: as the caller promises.
    unsafe { take(answer.as_ptr(), answer.len(), context) };
}
