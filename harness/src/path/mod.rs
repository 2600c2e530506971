//! Paths: independent ways from a program to SSA and to an outcome. The trait, what a path reports, and the registry.
//!
//! A path takes a whole case and gives back owned data only, so a compiler's lifetimes, crashes and versions stay
//! inside its own file. It reports what it made and what it saw; it judges nothing: the validator, the lab's
//! interpreter and
//! [`crate::compare`] do that, for every path alike.

#[cfg(feature = "plant")]
pub mod chaos;
#[cfg(feature = "cranelift")]
pub mod cranelift;
#[cfg(not(shared_object))]
pub mod installed;
pub mod interpreters;
pub mod judgement;
#[cfg(feature = "llvm")]
pub mod llvm;
pub mod native;
pub mod now;
pub mod panics;
#[cfg(feature = "cranelift")]
pub mod qemu;
pub mod trial;
pub mod wire;

use std::fmt;

pub use judgement::{Judge, Judgement, Validator, validators};
use serde::{Deserialize, Serialize};

use crate::case::Case;
use crate::lab::Function;
use crate::op::Outcome;

/// One way from a program to an outcome.
pub trait Path: Send + Sync {
    /// Its name.
    fn id(&self) -> PathId;
    /// The compiler behind it, and whether it can be used here.
    fn toolchain(&self) -> Toolchain;
    /// Lowers, compiles and runs a case on all of its vectors. Never panics and never judges.
    fn observe(&self, case: &Case, detail: Detail) -> Observation;
}

/// A path's name, `COMPILER[@VERSION]/VARIANT`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PathId {
    /// `tiny`, `lab`, `cranelift`, `llvm`.
    pub compiler: String,
    /// The compiler's version; the harness's own paths have none.
    pub version: Option<String>,
    /// What distinguishes the compiler's paths.
    pub variant: String,
}

impl PathId {
    /// A path's name from its parts.
    pub fn new(compiler: &str, version: Option<&str>, variant: &str) -> PathId {
        PathId { compiler: compiler.into(), version: version.map(Into::into), variant: variant.into() }
    }

    /// The name without the version.
    pub fn short(&self) -> String {
        format!("{}/{}", self.compiler, self.variant)
    }
}

impl fmt::Display for PathId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.version {
            Some(version) => write!(f, "{}@{version}/{}", self.compiler, self.variant),
            None => write!(f, "{}/{}", self.compiler, self.variant),
        }
    }
}

/// What stands behind a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Toolchain {
    /// The compiler with its exact version, target and features, as a report names it.
    pub description: String,
    /// The independence group. Paths that share code stand in one; only a difference between groups accuses a compiler.
    /// A path that rests on the lab's construction and a compiler's back end is named for both: `lab+llvm`.
    pub group: String,
    /// Why the path can't be used here, if it can't.
    pub unavailable: Option<String>,
}

/// How much a path is asked to tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detail {
    /// Give the IR texts too.
    pub texts: bool,
    /// Compare the structure of what is constructed too: of [`crate::check`], not of a path.
    pub structure: bool,
    /// Of a compiler, nothing after [`Stage::Construct`]: no optimization, no machine code. Minimizing a finding of
    /// that stage needs no more, and an endless loop in machine code costs more than all else.
    pub construct_only: bool,
    /// Of LLVM, no machine code where what the optimizer made was run as it stands: a fault of a pass shows there, and
    /// code costs as much as the passes.
    pub no_code: bool,
}

/// Where in a path something was made or went wrong, in the order in which they happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// From the program to the path's own input form.
    Lower,
    /// SSA as constructed, before any other optimization.
    Construct,
    /// After optimization.
    Optimize,
    /// Machine code.
    Compile,
    /// Its execution.
    Execute,
}

impl Stage {
    /// The name in reports and signatures.
    pub const fn name(self) -> &'static str {
        match self {
            Stage::Lower => "lower",
            Stage::Construct => "construct",
            Stage::Optimize => "optimize",
            Stage::Compile => "compile",
            Stage::Execute => "execute",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Everything that a path made and saw of one case. Plain, owned data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    /// The path's SSA raised back into the lab's form, by stage: S0–S4 judge it and the lab's interpreter runs it.
    pub raised: Vec<Raised>,
    /// What an interpreter in the path's folder made of its forms, by stage: of those that the lab's form can't say. An
    /// outcome for each of the case's vectors, in order.
    pub interpreted: Vec<(Stage, Vec<Option<Outcome>>)>,
    /// The path's own executions: one for each of the case's vectors, in order, or none at all if the path executes
    /// only what it raised or a fault kept it from running. `None` is a vector whose run a fault ended.
    pub outcomes: Vec<Option<Outcome>>,
    /// What the compiler's own verifier says against the output, crashes, hangs.
    pub faults: Vec<Fault>,
    /// What the path can't take or can't raise: counted and shown, never silent.
    pub unsupported: Vec<Unsupported>,
    /// What helps to understand the outcomes.
    pub notes: Vec<Note>,
    /// The IR texts by name (`clif`, `llvm-mem2reg`, ..), when the detail asks for them.
    pub texts: Vec<(String, String)>,
    /// What a compiler made, in numbers, if it got as far as machine code.
    pub size: Option<Size>,
}

/// What a compiler made of a program, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// Block parameters or phis after optimization.
    pub parameters: u64,
    /// The other instructions after optimization.
    pub instructions: u64,
    /// Bytes of machine code.
    pub code: u64,
}

impl Observation {
    /// Nothing yet.
    pub fn empty() -> Observation {
        Observation {
            raised: Vec::new(),
            interpreted: Vec::new(),
            outcomes: Vec::new(),
            faults: Vec::new(),
            unsupported: Vec::new(),
            notes: Vec::new(),
            texts: Vec::new(),
            size: None,
        }
    }

    /// The observation of a path that can't take the case at all.
    pub fn unsupported(reason: impl Into<String>) -> Observation {
        let mut observation = Observation::empty();
        observation.unsupported.push(Unsupported { stage: Stage::Lower, reason: reason.into() });
        observation
    }
}

/// A path's SSA at one stage, in the lab's form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Raised {
    /// When the path had it.
    pub stage: Stage,
    /// The function.
    pub function: Function,
}

/// Something wrong with a path's output or with the path itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Where.
    pub stage: Stage,
    /// Which kind.
    pub kind: FaultKind,
    /// What the verifier, the panic or the signal said.
    pub message: String,
}

/// The kinds of [`Fault`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FaultKind {
    /// Output that a validator rejects.
    Invalid,
    /// A compiler that panics or aborts, compiled code that faults.
    Crash,
    /// A compiler or compiled code that outruns its limit.
    Hang,
}

/// Something that a path can't take or can't raise.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Unsupported {
    /// Where it was met.
    pub stage: Stage,
    /// What: an opcode, a form.
    pub reason: String,
}

/// Something about an outcome that helps to understand it: which instruction, which pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Of which of the path's forms.
    pub stage: Stage,
    /// The pass that is the first wrong one, by its name alone, where that is what the note says.
    pub pass: Option<String>,
    /// What there is to say.
    pub message: String,
}

/// The name of a program's form before the first pass, where a path is taken apart pass by pass.
pub const AS_WRITTEN: &str = "as written";

/// Takes a path of a compiler that is linked in apart, into forms of the program by name: for LLVM the one after so
/// many passes, or after all; for Cranelift one for each option changed. LLVM's option is one of the whole process,
/// which may end, and whose standard error must be a file; so this is for processes that do nothing else.
pub fn take_apart(id: &PathId, case: &Case, passes: Option<u32>) -> Result<Vec<(String, Observation)>, String> {
    match id.compiler.as_str() {
        #[cfg(feature = "llvm")]
        "llvm" => llvm::stop_after(id, case, passes).map(|form| vec![form]),
        #[cfg(feature = "cranelift")]
        "cranelift" => cranelift::options(id, case),
        _ => {
            let _ = (case, passes);
            Err(format!("{id} can't be taken apart"))
        }
    }
}

/// Holds one of Cranelift's test files against Cranelift's interpreter: the number of its runs, or what is wrong.
pub fn check_filetest(text: &str) -> Result<usize, String> {
    #[cfg(all(feature = "cranelift", not(shared_object)))]
    return cranelift::check_filetest(text);
    #[cfg(not(all(feature = "cranelift", not(shared_object))))]
    {
        let _ = text;
        Err("this build has no Cranelift".into())
    }
}

/// Runs LLVM IR from a text, as it is and after these passes; without passes, after code generation that optimizes.
/// `None` in a build without LLVM.
pub fn run_llvm_text(text: &str, passes: Option<&str>, case: &Case) -> Option<[Observation; 2]> {
    #[cfg(feature = "llvm")]
    return Some(llvm::run_text(text, passes, case));
    #[cfg(not(feature = "llvm"))]
    {
        let _ = (text, passes, case);
        None
    }
}

/// Every path of this build, in a fixed order: the harness's own first. Further versions of compilers are
/// [`installed`].
pub fn registry() -> Vec<Box<dyn Path>> {
    let mut paths = interpreters::paths();
    paths.push(Box::new(trial::Trial));
    #[cfg(feature = "cranelift")]
    paths.extend(cranelift::paths());
    #[cfg(feature = "llvm")]
    paths.extend(llvm::paths());
    #[cfg(feature = "plant")]
    if crate::plant::chaos() > 0 {
        paths.push(Box::new(chaos::Chaos));
    }
    paths
}

/// A path that is not in the registry, by its name without the version: LLVM's have passes of one's own after a colon,
/// `mem2reg:loop(indvars)+gvn`, or run pass by pass, `steps-phi-O1`.
pub fn custom(compiler: &str, variant: &str) -> Option<Box<dyn Path>> {
    match (compiler, variant) {
        #[cfg(feature = "llvm")]
        ("llvm", variant) => llvm::custom(variant),
        _ => None,
    }
}
