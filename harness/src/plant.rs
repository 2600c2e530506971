//! Faults that can be planted in the harness itself, to put it on trial (`roundtrip self-test`).
//!
//! A fault is switched on by name, for the whole process, by hidden options alone. In builds without the feature
//! `plant`
//! [`on`] is the constant `false`, and the faulty branches are compiled away.

macro_rules! faults {
    ($($(#[doc = $doc:literal])* $variant:ident $name:literal,)*) => {
        /// A fault that can be planted. The documentation of each says what goes wrong.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Fault { $($(#[doc = $doc])* $variant,)* }

        impl Fault {
            /// Every fault.
            pub const ALL: &'static [Fault] = &[$(Fault::$variant,)*];

            /// The name by which it is switched on.
            pub const fn name(self) -> &'static str {
                match self { $(Fault::$variant => $name,)* }
            }

            /// What goes wrong, in a sentence.
            pub const fn description(self) -> &'static str {
                match self { $(Fault::$variant => concat!($($doc),*).trim_ascii(),)* }
            }

            /// The fault of a name.
            pub fn from_name(name: &str) -> Option<Fault> {
                Fault::ALL.iter().copied().find(|fault| fault.name() == name)
            }
        }
    };
}

faults! {
    /// Tiny's parser exchanges the arms of an `if` with an `else`.
    TinyParseElse "tiny-parse-else",
    /// TAC's parser reads `ifz` as `if`.
    TacParseIfz "tac-parse-ifz",
    /// Tiny's interpreter gives the right operand of `&&` and `||` as it is.
    TinyEvalLogic "tiny-eval-logic",
    /// TAC's interpreter takes a negative condition for false.
    TacEvalNegative "tac-eval-negative",
    /// ArgsToPhi gives the last two predecessors' entries of a phi to each other.
    LabPhiSwapEntries "lab-phi-swap-entries",
    /// The lab's block-argument interpreter assigns parameters one after the other.
    LabSequentialCopy "lab-sequential-copy",
    /// The lab's phi interpreter writes each phi before it reads the next.
    LabPhiSequentialCopy "lab-phi-sequential-copy",
    /// Trivial-parameter pruning ignores the last argument when it compares.
    LabPruneIgnoresLast "lab-prune-ignores-last",
    /// Dead-parameter pruning does not count a use by `ret`.
    LabDeadForgetsRet "lab-dead-forgets-ret",
    /// The validator takes a definition in any reachable block as dominating.
    LabNoDominanceCheck "lab-no-dominance-check",
    /// The validator accepts a name that is defined twice.
    LabAcceptsTwice "lab-accepts-twice",
    /// The validator accepts a branch that passes too few arguments.
    LabAcceptsFewer "lab-accepts-fewer",
    /// The validator accepts a branch to the entry block.
    LabAcceptsEntry "lab-accepts-entry",
    /// The validator accepts a phi without an entry for a predecessor.
    LabAcceptsMissing "lab-accepts-missing",
    /// Construction by liveness does not count a variable that a terminator reads.
    LabLiveForgetsBranch "lab-live-forgets-branch",
    /// PhiToArgs gives a block's first two phis each other's arguments.
    LabArgsOrder "lab-args-order",
    /// Naive construction keeps the environment from before the loop at its exit.
    LabLoopExitEnv "lab-loop-exit-env",
    /// Naive construction passes the then arm's values from both arms of an `if`.
    LabIfSameArm "lab-if-same-arm",
    /// Naive construction does not normalise the right operand of `&&` and `||`.
    LabNoNormalise "lab-no-normalise",
    /// Naive construction leaves a loop by `break` with the values that its last test saw.
    LabBreakStaleValues "lab-break-stale-values",
    /// Naive construction begins an arm of a `switch` with the values at the end of the arm before.
    LabArmStaleValues "lab-arm-stale-values",
    /// Lowering to TAC exchanges the operands of a subtraction.
    TacSwapSub "tac-swap-sub",
    /// Lowering to TAC writes `ifz` for `if` in `||`.
    TacOrPolarity "tac-or-polarity",
    /// Lowering to TAC leaves all open loops for `break`.
    TacBreakOutermost "tac-break-outermost",
    /// Lowering to TAC goes on for `continue`.
    TacContinueGoesOn "tac-continue-goes-on",
    /// Lowering to TAC goes on for an early `return`.
    TacReturnGoesOn "tac-return-goes-on",
    /// Lowering to TAC exchanges the first arm and the else part of a `switch`.
    TacSwitchElseFirst "tac-switch-else-first",
    /// Lowering to TAC exchanges what two emits emit, one of which follows the other.
    TacEmitOrder "tac-emit-order",
    /// Dead-parameter pruning removes an emit whose value nobody uses.
    LabPruneDropsEmit "lab-prune-drops-emit",
    /// The perturbation that makes copies takes an emit in a second block for a copy.
    TacPerturbDropsEmit "tac-perturb-drops-emit",
    /// Cranelift's lowering emits the low 32 bits.
    ClifEmitNarrow "clif-emit-narrow",
    /// Cranelift's lowering fills the last element of an array with 1.
    ClifArrayEnd "clif-array-end",
    /// Cranelift's lowering takes an index as signed.
    ClifArraySignedIndex "clif-array-signed-index",
    /// Cranelift's lowering promises that arrays are never written to, where it promises at all.
    ClifArrayReadonly "clif-array-readonly",
    /// LLVM's lowering does not fill arrays with zeros.
    LlvmArrayNotZeroed "llvm-array-not-zeroed",
    /// LLVM's lowering takes an index modulo one less than the length.
    LlvmArrayShort "llvm-array-short",
    /// LLVM's lowering promises that emitting has no effect.
    LlvmEmitIsPure "llvm-emit-is-pure",
    /// Cranelift's lowering compares `<=` for `<`.
    ClifLtIsLe "clif-lt-is-le",
    /// Cranelift's lowering takes the remainder's sign from the divisor.
    ClifRemSign "clif-rem-sign",
    /// Cranelift's lowering branches on the low 32 bits of a condition.
    ClifNarrowCondition "clif-narrow-condition",
    /// Cranelift's lowering drops an instruction's write when a variable is written twice in a block.
    ClifStaleVariable "clif-stale-variable",
    /// Cranelift's lowering seals a block without waiting for branches from unreachable blocks.
    ClifSealUnreachable "clif-seal-unreachable",
    /// Cranelift's lowering exchanges the targets of a branch that can't fall through to the next block.
    ClifFarBranch "clif-far-branch",
    /// Cranelift's lowering exchanges the targets of a branch that takes a comparison itself.
    ClifDirectSense "clif-direct-sense",
    /// Cranelift's lowering extends a signed narrow result with zeros.
    ClifNarrowSign "clif-narrow-sign",
    /// Cranelift's lowering leaves out the last arm of a switch.
    ClifSwitchLastArm "clif-switch-last-arm",
    /// The block-parameter lowering to Cranelift passes the first argument twice.
    ClifDropArgument "clif-drop-argument",
    /// Cranelift is handed subtractions with their operands exchanged where it is to optimize, behind the raising.
    ClifWrongRewrite "clif-wrong-rewrite",
    /// Raising from Cranelift exchanges the operands of a subtraction.
    ClifRaiseSub "clif-raise-sub",
    /// Cranelift's signal handler takes overflow for division by zero.
    ClifTrapCode "clif-trap-code",
    /// LLVM's lowering saturates additions instead of wrapping.
    LlvmSaturatingAdd "llvm-saturating-add",
    /// LLVM's lowering promises what is kept on the first vector alone.
    LlvmFlagsOfFirstRun "llvm-flags-of-first-run",
    /// LLVM's lowering promises that additions do not wrap, which only optimization makes use of.
    LlvmNoWrap "llvm-no-wrap",
    /// LLVM's lowering compares unsigned for `>`.
    LlvmUnsignedGt "llvm-unsigned-gt",
    /// LLVM's lowering swaps the first two entries of a phi.
    LlvmPhiSwap "llvm-phi-swap",
    /// LLVM's lowering leaves a variable uninitialised at 1 instead of 0.
    LlvmInitOne "llvm-init-one",
    /// LLVM's lowering forgets the guard of MIN / -1 and gives MIN.
    LlvmNoOverflowGuard "llvm-no-overflow-guard",
    /// LLVM's lowering truncates a condition to its lowest bit.
    LlvmTruncCondition "llvm-trunc-condition",
    /// LLVM's lowering does not mask the count of a shift.
    LlvmShiftUnmasked "llvm-shift-unmasked",
    /// LLVM's lowering switches on the low 32 bits of a value.
    LlvmSwitchNarrow "llvm-switch-narrow",
    /// LLVM's lowering extends with zeros whatever it carries in a narrow type.
    LlvmCarriedSign "llvm-carried-sign",
    /// LLVM's lowering reads its inputs in reverse order.
    LlvmInputOrder "llvm-input-order",
    /// Raising from LLVM reads `slt` as `sle`.
    LlvmRaiseLt "llvm-raise-lt",
    /// LLVM's instcombine promises that no addition overflows.
    LlvmPassAddsFlag "llvm-pass-adds-flag",
    /// LLVM's licm leaves `nsw` on the additions and subtractions that it hoists, where passes run one by one.
    LlvmPassKeepsFlag "llvm-pass-keeps-flag",
    /// LLVM's simplifycfg turns a `select` between a bit and false into an `and`.
    LlvmPassSelectToAnd "llvm-pass-select-to-and",
    /// LLVM's gvn exchanges the first two entries of each phi.
    LlvmPassPhiEntries "llvm-pass-phi-entries",
    /// Comparing takes all traps for one.
    CompareOneTrap "compare-one-trap",
    /// Comparing leaves the last input vector out.
    CompareLastRun "compare-last-run",
    /// Comparing overlooks what validators and crashes say.
    CompareNoFaults "compare-no-faults",
    /// The minimizer takes what comes after the second candidate without asking; Cranelift's lowering is wrong too.
    MinimizeDrifts "minimize-drifts",
    /// The minimizer keeps all statements; Cranelift's lowering is wrong too.
    MinimizeKeepsAll "minimize-keeps-all",
    /// A record lacks the last input vector; Cranelift's lowering is wrong too.
    RecordDropsRun "record-drops-run",
    /// A record names a wrong outcome as the right one; Cranelift's lowering is wrong too.
    RecordWrongOutcome "record-wrong-outcome",
}

impl Fault {
    /// The fault that is planted with this one: what minimizes and records has nothing to do where nothing is found.
    pub fn brings_along(self) -> Option<Fault> {
        use Fault::*;
        let works_on_findings = matches!(self, MinimizeDrifts | MinimizeKeepsAll | RecordDropsRun | RecordWrongOutcome);
        works_on_findings.then_some(ClifLtIsLe)
    }
}

#[cfg(feature = "plant")]
mod switch {
    use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

    /// Of a thousand programs, on how many the path `chaos/monkey` does its worst.
    static CHAOS: AtomicU32 = AtomicU32::new(0);

    /// Of a thousand programs, on how many the path `chaos/monkey` does its worst; 0: there is no such path.
    pub fn chaos() -> u32 {
        CHAOS.load(Ordering::Relaxed)
    }

    /// Sets [`chaos`] for this process.
    pub fn set_chaos(permille: u32) {
        CHAOS.store(permille, Ordering::Relaxed);
    }

    /// The fault that is on, plus one; 0 is none.
    static PLANTED: AtomicU8 = AtomicU8::new(0);

    /// The fault that it brings along.
    static ALONG: AtomicU8 = AtomicU8::new(0);

    /// Whether this fault is planted.
    #[inline]
    pub fn on(fault: super::Fault) -> bool {
        let number = fault as u8 + 1;
        PLANTED.load(Ordering::Relaxed) == number || ALONG.load(Ordering::Relaxed) == number
    }

    /// Plants one fault in this process with what it brings along, or none.
    pub fn plant(fault: Option<super::Fault>) {
        let number = |fault: Option<super::Fault>| fault.map_or(0, |fault| fault as u8 + 1);
        PLANTED.store(number(fault), Ordering::Relaxed);
        ALONG.store(number(fault.and_then(super::Fault::brings_along)), Ordering::Relaxed);
    }
}

#[cfg(not(feature = "plant"))]
mod switch {
    /// Whether this fault is planted: never, in a build without the feature `plant`.
    #[inline]
    pub const fn on(_: super::Fault) -> bool {
        false
    }
}

pub use switch::*;
