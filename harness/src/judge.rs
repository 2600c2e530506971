//! Judging what a path made, the same way for every path: S0–S4 on each function that it raised, and the lab's
//! interpreter on those that hold.

use crate::case::{Case, Program};
use crate::lab;
use crate::op::{Execution, Outcome};
use crate::path::{Fault, FaultKind, Note, Observation, PathId, Raised, Stage, Unsupported};
use crate::structure::{self, Structure};
use crate::{tac, tiny};

/// An observation after judgement: outcomes by stage, and every fault, the path's own and the validator's.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The path.
    pub path: PathId,
    /// Its independence group.
    pub group: String,
    /// For each stage at which something ran: an outcome for each of the case's vectors. `None` was not run.
    pub results: Vec<(Stage, Vec<Option<Outcome>>)>,
    /// What is wrong with its output.
    pub faults: Vec<Fault>,
    /// What it could not take.
    pub unsupported: Vec<Unsupported>,
    /// What helps to understand its outcomes.
    pub notes: Vec<Note>,
    /// What it constructed, in numbers, if it constructs SSA itself.
    pub structure: Option<Structure>,
    /// Its IR texts by name.
    pub texts: Vec<(String, String)>,
}

/// The language's own answer: each vector's outcome and steps by the interpreter of the program's language.
pub fn reference(case: &Case) -> Vec<Execution> {
    let run = |inputs: &Vec<i64>| match &case.program {
        Program::Tiny(program) => tiny::eval(program, inputs, case.fuel),
        Program::Tac(program) => tac::eval(program, inputs, case.fuel),
        Program::Ssa(function) => lab::run(function, inputs, case.fuel),
        Program::Phi(function) => lab::run_phi(function, inputs, case.fuel),
    };
    case.vectors.iter().map(run).collect()
}

/// What a path raised, as texts beside its own IR: `raised-construct`, `raised-optimize`. One that is a text already,
/// as of the lab's paths, is left out.
pub fn raised_texts(observation: &Observation) -> Vec<(String, String)> {
    let named = |raised: &Raised| (format!("raised-{}", raised.stage), raised.function.to_string());
    let is_new = |(_, text): &(String, String)| observation.texts.iter().all(|(_, known)| known != text);
    observation.raised.iter().map(named).filter(is_new).collect()
}

/// Judges a path's observation. `reference` bounds how long a raised function may run: optimizers add a constant factor
/// of instructions (a guarded division is about six), so a function that needs 32 times the steps does not end.
///
/// `yardstick` is what the structure of its SSA is held against, where there is something.
pub fn judge(
    path: PathId,
    group: String,
    observation: Observation,
    case: &Case,
    (reference, yardstick): (&[Execution], Option<usize>),
) -> Judged {
    let yardstick = yardstick.filter(|_| structure::is_measured(&path, &group));
    let mut judged = Judged {
        path,
        group,
        results: Vec::new(),
        faults: observation.faults,
        unsupported: observation.unsupported,
        notes: observation.notes,
        structure: None,
        texts: observation.texts,
    };
    for raised in &observation.raised {
        let violations = lab::validate(&raised.function);
        if violations.is_empty() {
            if let (Stage::Construct, Some(yardstick)) = (raised.stage, yardstick) {
                judged.structure = Some(Structure::of(&judged.path, &judged.group, &raised.function, yardstick));
            }
            let run = |(inputs, reference): (&Vec<i64>, &Execution)| {
                Some(lab::run(&raised.function, inputs, 10_000 + 32 * reference.steps).outcome)
            };
            judged.results.push((raised.stage, case.vectors.iter().zip(reference).map(run).collect()));
        } else {
            judged.faults.extend(violations.iter().map(|violation| Fault {
                stage: raised.stage,
                kind: FaultKind::Invalid,
                message: violation.to_string(),
            }));
        }
    }
    judged.results.extend(observation.interpreted);
    if !observation.outcomes.is_empty() {
        judged.results.push((Stage::Execute, observation.outcomes));
    }
    judged
}
