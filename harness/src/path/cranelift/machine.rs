//! The machines that Cranelift compiles for, and what its code runs on.
//!
//! Features are pinned and don't follow the machine at hand, so that a finding on one is a finding on all.

use cranelift_codegen::isa;
use cranelift_codegen::settings::{Configurable, Flags};

use crate::path::cranelift::compat::{self, FEATURES, OwnedTargetIsa};
use crate::path::{native, qemu};

/// A machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Machine {
    /// x86-64 with the features of x86-64-v3: this process runs the code.
    X86_64,
    /// The first version of aarch64 without extensions: an emulator runs the code.
    Aarch64,
}

impl Machine {
    /// The name of the target.
    fn target(self) -> &'static str {
        match self {
            Machine::X86_64 => "x86_64-unknown-linux-gnu",
            Machine::Aarch64 => "aarch64-unknown-linux-gnu",
        }
    }

    /// What Cranelift is to compile for, with these settings.
    pub(super) fn isa(self, flags: Flags) -> Result<OwnedTargetIsa, String> {
        let target = self.target();
        let mut isa = isa::lookup_by_name(target).map_err(|error| format!("{target}: {error}"))?;
        if self == Machine::X86_64 {
            isa.enable(FEATURES).map_err(|error| format!("{FEATURES}: {error}"))?;
        }
        compat::finish(isa, flags)
    }

    /// Target, features and what runs the code, as a report names them.
    pub(super) fn description(self) -> String {
        let target = self.target();
        match self {
            Machine::X86_64 => format!("{target}, {FEATURES}"),
            Machine::Aarch64 => match qemu::version() {
                Ok(version) => format!("{target}, run by {version}"),
                Err(_) => target.to_string(),
            },
        }
    }

    /// Why its code can't be run here, if it can't.
    pub(super) fn unavailable(self) -> Option<String> {
        match self {
            Machine::X86_64 => missing_features()
                .or_else(|| native::available().err().map(|error| format!("machine code can't be run here: {error}"))),
            Machine::Aarch64 => qemu::version().err(),
        }
    }
}

/// Why this machine can't run code for the pinned features, if it can't.
fn missing_features() -> Option<String> {
    macro_rules! missing {
        ($($feature:tt)*) => { [$(($feature, std::arch::is_x86_feature_detected!($feature)),)*] };
    }
    let features = missing!("sse4.2" "popcnt" "avx2" "bmi1" "bmi2" "fma" "lzcnt");
    let (missing, _) = features.into_iter().find(|(_, present)| !present)?;
    Some(format!("the processor has no {missing}, which {FEATURES} includes"))
}
