//! What loads and stores promise.
//!
//! Plain paths promise nothing: each access may trap and be unaligned. The paths `-flags` promise all that is true, and
//! the optimizer relies on it. `docs/POISON.md` has the argument why it is true.

use cranelift_codegen::ir::Function;

use crate::path::cranelift::compat::{self, MemFlags};
use crate::plant::{self, Fault};

/// How much is promised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Promises {
    /// Nothing.
    #[default]
    Nothing,
    /// All that is true.
    All,
}

impl Promises {
    /// Of a load from the memory that the function is passed: that it is there, aligned, written to by nobody during a
    /// run, and the address right wherever the load stands.
    pub(super) fn passed(self) -> MemFlags {
        let mut flags = self.accessible();
        if self == Promises::All {
            flags.set_readonly();
            compat::set_can_move(&mut flags);
        }
        flags
    }

    /// Of a load from the function's array of this number: that it is there, aligned, apart from all other arrays, and
    /// the address right wherever the load stands.
    pub(super) fn loaded(self, function: &mut Function, number: usize) -> MemFlags {
        let mut flags = self.stored(function, number);
        if self == Promises::All {
            compat::set_can_move(&mut flags);
            if plant::on(Fault::ClifArrayReadonly) {
                flags.set_readonly();
            }
        }
        flags
    }

    /// Of a store in it. Where a store stands is what it means, so it can't be moved.
    pub(super) fn stored(self, function: &mut Function, number: usize) -> MemFlags {
        let mut flags = self.accessible();
        if self == Promises::All {
            compat::set_region(&mut flags, function, number);
        }
        flags
    }

    fn accessible(self) -> MemFlags {
        let mut flags = MemFlags::new();
        if self == Promises::All {
            flags.set_notrap();
            flags.set_aligned();
        }
        flags
    }
}
