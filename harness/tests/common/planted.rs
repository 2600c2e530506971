//! What `roundtrip fuzz` needs to find a planted fault.

use harness::plant::Fault;

/// Options that bring forth the programs and the paths which show it, where the usual ones don't.
pub fn options(fault: Fault) -> &'static [&'static str] {
    match fault {
        // In operations that only this dialect has.
        Fault::ClifNarrowSign | Fault::LlvmShiftUnmasked => &["--dialect", "plus"],
        // Poison that only some bits depend on takes the longer pipelines, which run on few programs.
        Fault::LlvmPassSelectToAnd => &["--schedule", "llvm/steps-O2=100%"],
        _ => &[],
    }
}
