//! What each planted fault has to be called, the part of the harness that it is in, and what it takes to see it.

use harness::plant::Fault::{self, *};

/// How a fault shows.
pub enum Expected {
    /// As a finding whose identity begins with one of these: kind, stage, and who is accused.
    Finding(&'static [&'static str]),
    /// The harness looks at its own work, and says something with these words.
    Notice(&'static str),
}

/// Faults that share an identity, and why nothing that can be observed tells them apart.
pub const ALIKE: [(Fault, Fault, &str); 0] = [];

/// The part of the harness that a fault is in.
pub fn part(fault: Fault) -> &'static str {
    match fault {
        TinyParseElse | TacParseIfz => "parser",
        TinyEvalLogic | TacEvalNegative | LabSequentialCopy | LabPhiSequentialCopy => "interpreter",
        TacSwapSub | TacOrPolarity | TacBreakOutermost | TacContinueGoesOn | TacReturnGoesOn | TacSwitchElseFirst
        | TacEmitOrder => "TAC",
        TacPerturbDropsEmit => "perturbation",
        LabLoopExitEnv | LabIfSameArm | LabNoNormalise | LabBreakStaleValues | LabArmStaleValues
        | LabLiveForgetsBranch => "construction",
        LabPruneIgnoresLast | LabDeadForgetsRet | LabPruneDropsEmit => "pruning",
        LabPhiSwapEntries | LabArgsOrder => "conversion",
        LabNoDominanceCheck | LabAcceptsTwice | LabAcceptsFewer | LabAcceptsEntry | LabAcceptsMissing => "validator",
        ClifLtIsLe | ClifRemSign | ClifNarrowCondition | ClifStaleVariable | ClifSealUnreachable | ClifFarBranch
        | ClifDirectSense | ClifNarrowSign | ClifSwitchLastArm | ClifDropArgument | ClifWrongRewrite | ClifTrapCode
        | ClifEmitNarrow | ClifArrayEnd | ClifArraySignedIndex | ClifArrayReadonly => "Cranelift",
        LlvmSaturatingAdd | LlvmNoWrap | LlvmUnsignedGt | LlvmPhiSwap | LlvmInitOne | LlvmNoOverflowGuard
        | LlvmTruncCondition | LlvmShiftUnmasked | LlvmSwitchNarrow | LlvmInputOrder | LlvmFlagsOfFirstRun
        | LlvmCarriedSign | LlvmEmitIsPure | LlvmArrayNotZeroed | LlvmArrayShort => "LLVM",
        LlvmPassAddsFlag | LlvmPassKeepsFlag | LlvmPassSelectToAnd | LlvmPassPhiEntries => "LLVM's passes",
        ClifRaiseSub | LlvmRaiseLt => "raising",
        CompareOneTrap | CompareLastRun | CompareNoFaults => "comparison",
        MinimizeDrifts | MinimizeKeepsAll => "minimizer",
        RecordDropsRun | RecordWrongOutcome => "record",
    }
}

/// Options that bring forth the programs and the paths which show it, where the usual ones don't.
pub fn options(fault: Fault) -> &'static [&'static str] {
    match fault {
        // In operations and statements that only this dialect has.
        ClifNarrowSign | LlvmShiftUnmasked | LabBreakStaleValues | LabArmStaleValues | TacBreakOutermost
        | TacContinueGoesOn | TacReturnGoesOn | TacSwitchElseFirst | TacEmitOrder | LabPruneDropsEmit
        | TacPerturbDropsEmit | ClifEmitNarrow | ClifArrayEnd | ClifArraySignedIndex | ClifArrayReadonly
        | LlvmEmitIsPure | LlvmArrayNotZeroed | LlvmArrayShort => &["--dialect", "plus"],
        // In what Tiny does not have.
        TacParseIfz | LabLiveForgetsBranch => &["--form", "tac"],
        // Poison is rare where instructions promise nothing, and takes the longer pipelines, which run on few programs.
        LlvmPassSelectToAnd => &["--paths", "tiny/eval,lab/tac,llvm/steps-O2-flags", "--schedule", "*=100%"],
        _ => &[],
    }
}

impl Expected {
    /// What is expected of a fault.
    pub fn of(fault: Fault) -> Expected {
        use Expected::{Finding, Notice};
        match fault {
            TinyParseElse | TacParseIfz => Notice("is rejected: its text is another program"),
            CompareOneTrap => Notice("overlook another trap"),
            CompareLastRun => Notice("overlook another value in the"),
            CompareNoFaults => Notice("overlook output that a validator rejects"),
            MinimizeDrifts => Notice("the minimizer lost it on the way"),
            MinimizeKeepsAll => Notice("it was left with"),
            RecordDropsRun | RecordWrongOutcome => Notice("is not what was found"),

            TinyEvalLogic => Finding(&["disagree.execute.tiny-eval"]),
            TacEvalNegative => Finding(&["disagree.execute.lab-tac"]),
            TacSwapSub | TacOrPolarity | TacBreakOutermost | TacContinueGoesOn | TacReturnGoesOn
            | TacSwitchElseFirst | TacEmitOrder => Finding(&["disagree.construct.lab-", "disagree.execute.lab-tac"]),
            LabSequentialCopy => Finding(&["disagree.raised"]),
            LabPhiSequentialCopy => Finding(&["disagree.execute.lab-phi"]),
            LabLoopExitEnv | LabIfSameArm | LabNoNormalise | LabBreakStaleValues | LabArmStaleValues => {
                Finding(&["disagree.construct.lab-naive", "invalid.construct.lab-naive"])
            }
            LabLiveForgetsBranch => Finding(&[
                "invalid.construct.lab-live",
                "disagree.construct.lab-live",
                "invalid.construct.lab-perturbed-live",
                "disagree.construct.lab-perturbed-live",
            ]),
            TacPerturbDropsEmit => Finding(&[
                "disagree.construct.lab-perturbed",
                "disagree.construct.cranelift-perturbed",
                "disagree.construct.llvm-perturbed",
            ]),
            LabPruneIgnoresLast | LabDeadForgetsRet | LabPruneDropsEmit => {
                Finding(&["invalid.construct.lab-p", "disagree.construct.lab-p"])
            }
            LabPhiSwapEntries => Finding(&["invalid.construct.lab-phi", "disagree.construct.lab-phi"]),
            // It is what raises LLVM's phis.
            LabArgsOrder => Finding(&["disagree.raised-lab+llvm", "disagree.raised-llvm"]),
            LlvmRaiseLt => Finding(&["disagree.raised-llvm"]),
            LabNoDominanceCheck | LabAcceptsTwice | LabAcceptsFewer | LabAcceptsEntry | LabAcceptsMissing => {
                Finding(&["invalid.construct.lab-validator"])
            }
            ClifLtIsLe | ClifRemSign | ClifNarrowCondition | ClifStaleVariable | ClifSealUnreachable
            | ClifFarBranch | ClifDirectSense | ClifNarrowSign | ClifSwitchLastArm | ClifEmitNarrow | ClifArrayEnd
            | ClifArraySignedIndex => Finding(&[
                "disagree.construct.cranelift-",
                "invalid.construct.cranelift-",
                "crash.construct.cranelift-",
            ]),
            ClifDropArgument => {
                Finding(&["disagree.construct.cranelift-params-", "invalid.construct.cranelift-params-"])
            }
            // The promise is a lie that only the optimizer can fall for.
            ClifWrongRewrite | ClifArrayReadonly => Finding(&["disagree.optimize.cranelift-"]),
            ClifTrapCode => Finding(&["disagree.execute.cranelift-"]),
            ClifRaiseSub => Finding(&["disagree.raised-cranelift"]),
            LlvmSaturatingAdd | LlvmUnsignedGt | LlvmNoOverflowGuard | LlvmTruncCondition | LlvmShiftUnmasked
            | LlvmSwitchNarrow | LlvmInputOrder | LlvmInitOne | LlvmNoWrap | LlvmFlagsOfFirstRun | LlvmArrayShort => {
                Finding(&["disagree.construct.llvm-"])
            }
            // Before LLVM optimizes, an effect that is promised away is still there, and so is what an array holds in
            // the lab's form.
            LlvmEmitIsPure => Finding(&["disagree.optimize.llvm", "disagree.execute.llvm-"]),
            // What memory holds that nothing was stored in is chance, as constructed too.
            LlvmArrayNotZeroed => {
                Finding(&["disagree.construct.llvm-", "disagree.optimize.llvm", "disagree.execute.llvm-"])
            }
            LlvmCarriedSign => Finding(&["disagree.construct.llvm-phi-narrow"]),
            LlvmPhiSwap => Finding(&["disagree.construct.llvm-phi", "invalid.construct.llvm-phi"]),
            LlvmPassAddsFlag | LlvmPassKeepsFlag | LlvmPassSelectToAnd | LlvmPassPhiEntries => {
                Finding(&["disagree.optimize.llvm.", "invalid.optimize.llvm"])
            }
        }
    }
}
