//! One program's time with LLVM, and what becomes of LLVM's complaints.
//!
//! A context lives for one program: a shared one grows with each. A *diagnostic* goes to the context's handler, which
//! keeps the errors. A *fatal error* calls a process-wide handler and after it ends the process; ours leaves LLVM by
//! `native::escape` instead, and what LLVM had allocated leaks.

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_void};
use std::sync::Once;

use inkwell::context::Context;
use inkwell::llvm_sys::LLVMDiagnosticSeverity;
use inkwell::llvm_sys::core::{
    LLVMContextSetDiagnosticHandler, LLVMDisposeMessage, LLVMGetDiagInfoDescription, LLVMGetDiagInfoSeverity,
};
use inkwell::llvm_sys::prelude::LLVMDiagnosticInfoRef;
use inkwell::support::error_handling::install_fatal_error_handler;

use super::Stop;
use crate::path::{FaultKind, Stage, native, panics};

/// A context, and the errors that LLVM reported in it. The context goes first: its handler refers to the errors.
pub struct Session {
    /// The context.
    pub context: Context,
    errors: Box<RefCell<Vec<String>>>,
}

impl Session {
    /// A new context whose diagnostics are listened to.
    pub fn new() -> Session {
        let session = Session { context: Context::create(), errors: Box::default() };
        let errors: *const RefCell<Vec<String>> = &*session.errors;
        // SAFETY: the errors stay where they are, as they are boxed, for longer than the context lives.
        unsafe {
            LLVMContextSetDiagnosticHandler(session.context.raw(), Some(on_diagnostic), errors.cast_mut().cast());
        }
        session
    }

    /// A fault if LLVM has reported an error since the last time.
    pub fn check(&self, stage: Stage) -> Result<(), Stop> {
        match self.errors.borrow_mut().drain(..).next() {
            Some(message) => Err(Stop::fault(stage, FaultKind::Crash, &message)),
            None => Ok(()),
        }
    }
}

extern "C" fn on_diagnostic(info: LLVMDiagnosticInfoRef, errors: *mut c_void) {
    // SAFETY: LLVM passes a valid diagnostic and what `Session::new` gave it, which is alive and not borrowed now.
    unsafe {
        // Warnings and remarks say nothing against the output.
        if matches!(LLVMGetDiagInfoSeverity(info), LLVMDiagnosticSeverity::LLVMDSError) {
            let message = LLVMGetDiagInfoDescription(info);
            let errors = &*errors.cast::<RefCell<Vec<String>>>();
            errors.borrow_mut().push(CStr::from_ptr(message).to_string_lossy().into_owned());
            LLVMDisposeMessage(message);
        }
    }
}

/// Runs `body`, which may call LLVM. If a fatal error of LLVM or a panic ends it, its message is the result; what
/// `body` owned is leaked by a fatal error.
pub fn survive<R>(body: impl FnOnce() -> R) -> Result<R, String> {
    static INSTALLED: Once = Once::new();
    // SAFETY: the handler has the signature that LLVM calls, and is there for good.
    INSTALLED.call_once(|| unsafe { install_fatal_error_handler(on_fatal_error) });
    panics::catch(|| native::protect(body)).flatten()
}

extern "C" fn on_fatal_error(message: *const c_char) {
    // SAFETY: LLVM passes a string that lives as long as this call.
    let message = unsafe { CStr::from_ptr(message) }.to_string_lossy();
    // SAFETY: LLVM calls this, and was called by `survive`'s body: the lowering and pipelines of this folder, whose
    // values are LLVM's handles and plain data, and leak.
    unsafe { native::escape(&message) }
}
