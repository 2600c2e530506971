//! The harness's own paths: Tiny's interpreter, the lab's constructions and forms, and the TAC interpreter.
//!
//! They rest on no compiler. `tiny/eval` and `lab/tac` say what a program means; `lab/naive`, `lab/live`, `lab/pruned`,
//! `lab/phi` and `lab/perturbed` put the lesson's algorithms on trial like any compiler's: what they build is raised,
//! judged by S0–S4 and run.

use std::borrow::Cow;

use crate::case::{Case, Program};
use crate::lab::{self, Function, PhiFunction};
use crate::op::Execution;
use crate::path::{Detail, Fault, FaultKind, Observation, Path, PathId, Raised, Stage, Toolchain};
use crate::tac::{self, Perturbation};
use crate::tiny;

/// One of the harness's own paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpreter {
    /// `tiny/eval`: the syntax tree, walked.
    Tiny,
    /// `lab/naive`: Algorithm 8.4.7, or the maximal SSA of TAC.
    Naive,
    /// `lab/live`: of TAC, with parameters for live variables only; what `lab/pruned` prunes there.
    Live,
    /// `lab/perturbed-live`: the same of the graph after all perturbations; what `lab/perturbed` prunes.
    PerturbedLive,
    /// `lab/pruned`: the same without dead and trivial parameters.
    Pruned,
    /// `lab/phi`: the pruned function through Algorithm 8.4.6.
    Phi,
    /// `lab/tac`: three-address code, line by line.
    Tac,
    /// `lab/perturbed`: the pruned SSA of TAC's graph after all perturbations.
    Perturbed,
}

/// All of them.
pub fn paths() -> Vec<Box<dyn Path>> {
    Interpreter::ALL.into_iter().map(|path| Box::new(path) as Box<dyn Path>).collect()
}

/// A program in the form that a path runs.
enum Prepared<'a> {
    Tiny(&'a tiny::Program),
    Tac(Cow<'a, tac::Program>),
    Ssa(Function),
    Phi(PhiFunction),
}

impl Interpreter {
    /// All of them, in the order of the data flow.
    pub const ALL: [Interpreter; 8] = {
        use Interpreter::*;
        [Tiny, Naive, Live, PerturbedLive, Pruned, Phi, Tac, Perturbed]
    };

    /// The path of a name.
    pub fn from_id(id: &PathId) -> Option<Interpreter> {
        Interpreter::ALL.into_iter().find(|path| path.id() == *id)
    }

    /// Runs a program on one input vector with exactly this fuel, or says why this path can't take it.
    pub fn execute(self, program: &Program, inputs: &[i64], fuel: u64) -> Result<Execution, String> {
        Ok(match self.prepare(program)? {
            Prepared::Tiny(program) => tiny::eval(program, inputs, fuel),
            Prepared::Tac(program) => tac::eval(&program, inputs, fuel),
            Prepared::Ssa(function) => match lab::validate(&function).first() {
                None => lab::run(&function, inputs, fuel),
                Some(violation) => return Err(violation.to_string()),
            },
            Prepared::Phi(function) => match lab::validate_phi(&function).first() {
                None => lab::run_phi(&function, inputs, fuel),
                Some(violation) => return Err(violation.to_string()),
            },
        })
    }

    /// The program in the form that this path runs; not yet judged.
    fn prepare<'a>(self, program: &'a Program) -> Result<Prepared<'a>, String> {
        Ok(match (self, program) {
            (Interpreter::Tiny, Program::Tiny(program)) => Prepared::Tiny(program),
            (Interpreter::Tac, Program::Tiny(program)) => Prepared::Tac(Cow::Owned(tac::lower(program))),
            (Interpreter::Tac, Program::Tac(program)) => Prepared::Tac(Cow::Borrowed(program)),
            (Interpreter::Naive, _) => Prepared::Ssa(naive(program)?),
            (Interpreter::Live, Program::Tiny(program)) => Prepared::Ssa(live(&tac::lower(program))),
            (Interpreter::Live, Program::Tac(program)) => Prepared::Ssa(live(program)),
            (Interpreter::PerturbedLive, Program::Tiny(program)) => Prepared::Ssa(perturbed_live(&tac::lower(program))),
            (Interpreter::PerturbedLive, Program::Tac(program)) => Prepared::Ssa(perturbed_live(program)),
            (Interpreter::Pruned, _) => Prepared::Ssa(pruned(program)?),
            (Interpreter::Phi, Program::Phi(function)) => Prepared::Phi(function.clone()),
            (Interpreter::Phi, _) => Prepared::Phi(lab::args_to_phi(&lab::split_conflicts(&pruned(program)?))),
            (Interpreter::Perturbed, Program::Tiny(program)) => Prepared::Ssa(perturbed(&tac::lower(program))),
            (Interpreter::Perturbed, Program::Tac(program)) => Prepared::Ssa(perturbed(program)),
            (
                Interpreter::Tiny
                | Interpreter::Live
                | Interpreter::PerturbedLive
                | Interpreter::Tac
                | Interpreter::Perturbed,
                _,
            ) => {
                return Err(format!("{} does not take .{} programs", self.id(), program.form().extension()));
            }
        })
    }

    /// A budget in this path's own steps that cannot run out on a run which the case's fuel allows.
    ///
    /// A path counts other things than the reference interpreter of the case's language. Between two steps of Tiny's
    /// interpreter, TAC executes no line twice; and each line of TAC costs SSA at most itself and the `br` that ends
    /// its block, as each step of a function costs its split form at most itself and the `br` of a split edge.
    fn budget(self, case: &Case, prepared: &Prepared) -> u64 {
        match (&case.program, prepared) {
            (Program::Tiny(_), Prepared::Tac(program)) => {
                case.fuel.saturating_add(1).saturating_mul(program.lines.len() as u64)
            }
            (Program::Tac(_) | Program::Ssa(_), Prepared::Phi(_)) => case.fuel.saturating_mul(2).saturating_add(1),
            _ => case.fuel,
        }
    }
}

/// The function as constructed, without any pruning.
fn naive(program: &Program) -> Result<Function, String> {
    match program {
        Program::Tiny(program) => Ok(lab::construct_naive(program)),
        Program::Tac(program) => Ok(lab::construct_maximal(&tac::cfg(program))),
        Program::Ssa(function) => Ok(function.clone()),
        Program::Phi(function) => phi_to_args(function),
    }
}

/// The function of TAC with parameters for live variables, without further pruning.
fn live(program: &tac::Program) -> Function {
    lab::construct_live(&tac::cfg(program))
}

/// The function without dead and trivial parameters.
pub(super) fn pruned(program: &Program) -> Result<Function, String> {
    let mut function = match program {
        Program::Tac(program) => live(program),
        _ => naive(program)?,
    };
    if let Program::Ssa(_) = program
        && let Some(violation) = lab::validate(&function).first()
    {
        return Err(format!("only a valid function can be pruned ({violation})"));
    }
    lab::prune_dead(&mut function);
    lab::prune_trivial(&mut function);
    Ok(function)
}

/// The same of the program's graph after all perturbations.
fn perturbed_live(program: &tac::Program) -> Function {
    lab::construct_live(&tac::perturb(tac::cfg(program), Perturbation::ALL))
}

/// The pruned function of the program's graph after all perturbations.
fn perturbed(program: &tac::Program) -> Function {
    let mut function = perturbed_live(program);
    lab::prune_dead(&mut function);
    lab::prune_trivial(&mut function);
    function
}

/// Algorithm 8.4.6 on a function that it applies to.
fn phi_to_args(function: &PhiFunction) -> Result<Function, String> {
    if let Some(violation) = lab::validate_phi(function).first() {
        return Err(format!("only a valid phi form has an ssa form ({violation})"));
    }
    let entry = function.blocks.first().map(|block| block.name);
    if function.blocks.iter().flat_map(|block| block.term.targets()).any(|&target| Some(target) == entry) {
        return Err("the entry block has predecessors, so there is no ssa form (S4)".into());
    }
    Ok(lab::phi_to_args(function))
}

impl Path for Interpreter {
    fn id(&self) -> PathId {
        match self {
            Interpreter::Tiny => PathId::new("tiny", None, "eval"),
            Interpreter::Naive => PathId::new("lab", None, "naive"),
            Interpreter::Live => PathId::new("lab", None, "live"),
            Interpreter::PerturbedLive => PathId::new("lab", None, "perturbed-live"),
            Interpreter::Pruned => PathId::new("lab", None, "pruned"),
            Interpreter::Phi => PathId::new("lab", None, "phi"),
            Interpreter::Tac => PathId::new("lab", None, "tac"),
            Interpreter::Perturbed => PathId::new("lab", None, "perturbed"),
        }
    }

    fn toolchain(&self) -> Toolchain {
        let (what, group) = match self {
            Interpreter::Tiny => ("Tiny interpreter", "tiny"),
            Interpreter::Naive | Interpreter::Pruned | Interpreter::Phi => ("lab", "lab"),
            // Unlike the other constructions of a Tiny program these go by way of TAC.
            Interpreter::Live => ("lab", "lab+tac"),
            Interpreter::PerturbedLive | Interpreter::Perturbed => ("lab, graph perturbed", "lab+tac"),
            Interpreter::Tac => ("TAC interpreter", "tac"),
        };
        Toolchain {
            description: format!("roundtrip {} {what}", env!("CARGO_PKG_VERSION")),
            group: group.into(),
            unavailable: None,
        }
    }

    fn observe(&self, case: &Case, detail: Detail) -> Observation {
        let prepared = match self.prepare(&case.program) {
            Ok(prepared) => prepared,
            Err(reason) => return self.refused(&case.program, reason),
        };
        let mut observation = Observation::empty();
        if detail.texts {
            observation.texts.push(text(*self, &case.program, &prepared));
            if matches!(self, Interpreter::PerturbedLive | Interpreter::Perturbed) {
                observation.texts.push(("perturbations".into(), tac::list(Perturbation::ALL)));
            }
        }
        let fuel = self.budget(case, &prepared);
        let mut run_all = |run: &dyn Fn(&[i64]) -> Execution| {
            observation.outcomes = case.vectors.iter().map(|inputs| Some(run(inputs).outcome)).collect();
        };
        match prepared {
            Prepared::Tiny(program) => run_all(&|inputs| tiny::eval(program, inputs, fuel)),
            Prepared::Tac(program) => run_all(&|inputs| tac::eval(&program, inputs, fuel)),
            Prepared::Ssa(function) => observation.raised.push(Raised { stage: Stage::Construct, function }),
            Prepared::Phi(function) => {
                let faults = faults(&function);
                if faults.is_empty() {
                    run_all(&|inputs| lab::run_phi(&function, inputs, fuel));
                    if let Ok(function) = phi_to_args(&function) {
                        observation.raised.push(Raised { stage: Stage::Construct, function });
                    }
                }
                observation.faults = faults;
            }
        }
        observation
    }
}

impl Interpreter {
    /// What a path reports that can't take a program: an ill-formed phi text is a fault, anything else is unsupported.
    fn refused(self, program: &Program, reason: String) -> Observation {
        let mut observation = Observation::unsupported(reason);
        if let Program::Phi(function) = program {
            observation.faults = faults(function);
        }
        observation
    }
}

fn faults(function: &PhiFunction) -> Vec<Fault> {
    let violations = lab::validate_phi(function);
    let fault = |message| Fault { stage: Stage::Construct, kind: FaultKind::Invalid, message };
    violations.iter().map(|violation| fault(violation.to_string())).collect()
}

/// The form's name, as `roundtrip lower --form` has it, and its text.
fn text(path: Interpreter, program: &Program, prepared: &Prepared) -> (String, String) {
    let from_tac = matches!(program, Program::Tac(_));
    let name = match path {
        Interpreter::Tiny => "tiny",
        Interpreter::Tac => "tac",
        Interpreter::Naive if from_tac => "tac-ssa",
        Interpreter::Naive => "ssa",
        Interpreter::Live => "tac-live",
        Interpreter::PerturbedLive => "tac-perturbed-live",
        Interpreter::Pruned if from_tac => "tac-pruned",
        Interpreter::Pruned => "ssa-pruned",
        Interpreter::Phi => "phi",
        Interpreter::Perturbed => "tac-perturbed",
    };
    let text = match prepared {
        Prepared::Tiny(program) => program.to_string(),
        Prepared::Tac(program) => program.to_string(),
        Prepared::Ssa(function) => function.to_string(),
        Prepared::Phi(function) => function.to_string(),
    };
    (name.into(), text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Verdict;
    use crate::directives;
    use crate::op::{End, Outcome};

    /// Every valid case file of a language, with its runs and their right outcomes.
    fn cases(folder: &str, parse: impl Fn(&str) -> Option<Program>) -> Vec<(Case, Vec<Option<Outcome>>)> {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(folder);
        let files = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
        let texts = files.filter(|file| file.extension().unwrap() != "json").map(std::fs::read_to_string);
        let case = |text: String| {
            let program = parse(&text)?;
            let runs = directives::parse(&text).unwrap();
            let expected = runs.iter().map(|run| run.expected.clone()).collect();
            let mut vectors: Vec<Vec<i64>> = runs.into_iter().map(|run| run.vector).collect();
            if vectors.is_empty() {
                vectors.push((1..).take(program.inputs()).collect());
            }
            Some((Case { program, vectors, fuel: crate::case::DEFAULT_FUEL }, expected))
        };
        texts.filter_map(|text| case(text.unwrap())).collect()
    }

    #[test]
    fn all_agree_on_every_case_and_with_its_file() {
        let paths = paths();
        let paths: Vec<&dyn Path> = paths.iter().map(|path| &**path).collect();
        let valid = |program: &Program| match program {
            Program::Ssa(function) => lab::validate(function).is_empty(),
            Program::Phi(function) => lab::validate_phi(function).is_empty(),
            _ => true,
        };
        let mut all = cases("tiny", |text| tiny::parse(text).ok().map(Program::Tiny));
        all.extend(cases("tac", |text| tac::parse(text).ok().map(Program::Tac)));
        all.extend(cases("ssa", |text| lab::parse_ssa(text).ok().map(Program::Ssa).filter(valid)));
        all.extend(cases("phi", |text| lab::parse_phi(text).ok().map(Program::Phi).filter(valid)));
        assert!(all.len() > 100, "{} cases", all.len());
        for (mut case, expected) in all {
            // Just enough fuel for the language's own interpreter: a path's budget must still be enough.
            let reference = crate::judge::reference(&case);
            case.fuel = reference.iter().map(|execution| execution.steps).max().unwrap_or(0);
            let report = crate::check(&case, &paths, Detail::default());
            assert!(matches!(report.verdict, Verdict::Agree | Verdict::Inconclusive(_)), "{case:?}\n{report:?}");
            for (run, expected) in report.runs.iter().zip(expected) {
                assert!(expected.is_none_or(|expected| run.right == expected), "{case:?}\n{run:?}");
                // No budget of a path ran out where the language's own did not.
                assert!(run.classes.iter().all(|class| class.outcome.end != End::OutOfFuel), "{case:?}\n{run:?}");
            }
        }
    }

    #[test]
    fn a_path_says_what_it_does_not_take() {
        let program = Program::Ssa(lab::parse_ssa("entry:\n  ret 1").unwrap());
        let case = Case { program, vectors: vec![vec![]], fuel: 10 };
        for path in [Interpreter::Tiny, Interpreter::Tac] {
            let observation = path.observe(&case, Detail::default());
            assert!(observation.outcomes.is_empty() && observation.unsupported.len() == 1, "{observation:?}");
        }
    }

    #[test]
    fn an_ill_formed_phi_function_is_a_fault_of_its_own_path_alone() {
        let program = Program::Phi(lab::parse_phi("entry:\n  x = add 1, 2\n  x = add 3, 4\n  ret x").unwrap());
        let case = Case { program, vectors: Vec::new(), fuel: 10 };
        let observation = Interpreter::Phi.observe(&case, Detail::default());
        assert_eq!(observation.faults.len(), 1, "{observation:?}");
        assert!(observation.outcomes.is_empty() && observation.raised.is_empty(), "{observation:?}");
    }
}
