//! LLVM: SSA constructed by the lab or by LLVM itself, its pipelines, its verifier, its machine code.
//!
//! A path is a [`Construction`] and a [`Level`], `mem2reg-O2` for example. What [`LlvmPath::observe`] does reads from top
//! to bottom: the program's own form, LLVM IR as built, SSA constructed, raised to the lab's form, optimized, compiled,
//! run; LLVM's verifier judges after each change. The parts: [`emit`] and its two users [`phi`] and [`alloca`] write
//! the IR, [`session`] and [`machine`] hold the compiler, [`raise`] leads back to the lab, [`object`] on to machine
//! code.

mod alloca;
mod emit;
mod machine;
mod object;
mod phi;
mod raise;
mod session;

use std::cell::RefCell;

use inkwell::builder::BuilderError;

use crate::case::{Case, Program};
use crate::op::Outcome;
use crate::path::{
    Detail, Fault, FaultKind, Observation, Path, PathId, Raised, Stage, Toolchain, Unsupported, native,
};
use crate::{lab, tac};
use emit::Emitter;
use machine::{CodeGen, Machine};
use object::Loaded;
use session::Session;

/// Every path: all constructions at all levels.
pub fn paths() -> Vec<Box<dyn Path>> {
    let version = machine::version();
    let path = |construction: &'static Construction, level: &'static Level| -> Box<dyn Path> {
        let variant = format!("{}-{}", construction.name, level.name);
        let id = PathId::new("llvm", Some(&version), &variant);
        Box::new(LlvmPath { id, construction, level })
    };
    CONSTRUCTIONS.iter().flat_map(|construction| LEVELS.iter().map(move |level| path(construction, level))).collect()
}

/// How SSA comes about.
struct Construction {
    name: &'static str,
    /// The independence group.
    group: &'static str,
    /// Whether the lab constructs SSA; otherwise variables are stack slots.
    by_lab: bool,
    /// LLVM's own construction, run before everything else.
    pass: Option<Pipeline>,
}

/// The constructions. `alloca` leaves it to the level's pipeline, if there is one.
const CONSTRUCTIONS: [Construction; 4] = [
    Construction { name: "phi", group: "lab+llvm", by_lab: true, pass: None },
    Construction { name: "alloca", group: "llvm", by_lab: false, pass: None },
    Construction {
        name: "mem2reg",
        group: "llvm",
        by_lab: false,
        pass: Some(Pipeline { text: "llvm-mem2reg", passes: "mem2reg" }),
    },
    Construction {
        name: "sroa",
        group: "llvm",
        by_lab: false,
        pass: Some(Pipeline { text: "llvm-sroa", passes: "sroa" }),
    },
];

/// What is done with the constructed SSA.
struct Level {
    name: &'static str,
    pipeline: Option<Pipeline>,
    codegen: CodeGen,
}

/// Passes in `opt`'s notation, and the name of the text that they give.
#[derive(Clone, Copy)]
struct Pipeline {
    text: &'static str,
    passes: &'static str,
}

/// A mid-end in about 0.4 ms a program. `instcombine` ends the process when it doesn't reach a fixpoint, unless told
/// not to look.
const MID: Option<Pipeline> = Some(Pipeline {
    text: "llvm-mid",
    passes: "sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>,reassociate,gvn,sccp,adce,simplifycfg",
});
const O2: Option<Pipeline> = Some(Pipeline { text: "llvm-O2", passes: "default<O2>" });

/// The levels.
const LEVELS: [Level; 9] = [
    Level { name: "O0", pipeline: None, codegen: CodeGen::None },
    Level { name: "O0-cg2", pipeline: None, codegen: CodeGen::Default },
    Level { name: "mid", pipeline: MID, codegen: CodeGen::None },
    Level { name: "mid-cg2", pipeline: MID, codegen: CodeGen::Default },
    Level {
        name: "O1",
        pipeline: Some(Pipeline { text: "llvm-O1", passes: "default<O1>" }),
        codegen: CodeGen::Default,
    },
    Level { name: "O2", pipeline: O2, codegen: CodeGen::Default },
    Level { name: "O2-cg0", pipeline: O2, codegen: CodeGen::None },
    Level {
        name: "O3",
        pipeline: Some(Pipeline { text: "llvm-O3", passes: "default<O3>" }),
        codegen: CodeGen::Default,
    },
    Level {
        name: "Os",
        pipeline: Some(Pipeline { text: "llvm-Os", passes: "default<Os>" }),
        codegen: CodeGen::Default,
    },
];

/// Why a path went no further.
enum Stop {
    Fault(Fault),
    Unsupported(Unsupported),
}

impl Stop {
    fn fault(stage: Stage, kind: FaultKind, message: &str) -> Stop {
        Stop::Fault(Fault { stage, kind, message: message.to_string() })
    }

    /// A mistake in this folder.
    fn harness(message: &str) -> Stop {
        Stop::fault(Stage::Lower, FaultKind::Crash, message)
    }

    fn unsupported(reason: &str) -> Stop {
        Stop::Unsupported(Unsupported { stage: Stage::Lower, reason: reason.to_string() })
    }
}

impl From<BuilderError> for Stop {
    fn from(error: BuilderError) -> Stop {
        Stop::harness(&error.to_string())
    }
}

/// The form of the program that a construction starts from.
enum Source {
    Phi(lab::PhiFunction),
    Slots(tac::Cfg),
}

struct LlvmPath {
    id: PathId,
    construction: &'static Construction,
    level: &'static Level,
}

impl Path for LlvmPath {
    fn id(&self) -> PathId {
        self.id.clone()
    }

    fn toolchain(&self) -> Toolchain {
        Toolchain {
            description: machine::description(),
            group: self.construction.group.to_string(),
            unavailable: native::available().err().map(|error| error.to_string()),
        }
    }

    fn observe(&self, case: &Case, detail: Detail) -> Observation {
        let mut observation = Observation::empty();
        let stop = match self.source(&case.program) {
            Err(stop) => Some(stop),
            Ok(source) => match session::survive(|| self.compile(&source, case, detail, &mut observation)) {
                Ok(Ok(loaded)) => run(&loaded, case, &mut observation).err(),
                Ok(Err(stop)) => Some(stop),
                Err(fatal) => Some(Stop::fault(last_stage(&observation), FaultKind::Crash, &fatal)),
            },
        };
        match stop {
            Some(Stop::Fault(fault)) => observation.faults.push(fault),
            Some(Stop::Unsupported(unsupported)) => observation.unsupported.push(unsupported),
            None => {}
        }
        observation
    }
}
