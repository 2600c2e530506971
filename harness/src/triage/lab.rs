//! Which of the harness's own forms parts from the right outcome first: the lab's way, walked step by step.
//!
//! A form is what a step made, run by an interpreter. Where a form is wrong, the other form of the same function and
//! its interpreter tell the step from the interpreter.

use crate::case::{Case, Program};
use crate::compare::Report;
use crate::lab::{self, Function};
use crate::op::{End, Outcome};
use crate::tac::{self, Perturbation};
use crate::tiny;
use crate::triage::Place;

/// A step that is wrong: its name, and what it does.
type Step = (&'static str, String);

/// The first step of the harness's own that is wrong, if one is.
pub fn place(case: &Case, report: &Report) -> Option<Place> {
    // The path `lab/validator` has what it is given judged too; its own judgement begins with these words.
    let validator = report.faults.iter().find(|fault| fault.message.starts_with("the validator "));
    let (stage, what) = match validator {
        Some(fault) => ("validator", fault.message.clone()),
        None => {
            let right: Vec<Outcome> = report.runs.iter().map(|run| run.right.clone()).collect();
            first_wrong(&Walk { case, right: &right })?
        }
    };
    Some(Place {
        stage: stage.into(),
        pass: None,
        why: format!("the first form that is wrong: {what}"),
        is_exact: true,
    })
}

struct Walk<'a> {
    case: &'a Case,
    right: &'a [Outcome],
}

fn first_wrong(walk: &Walk) -> Option<Step> {
    match &walk.case.program {
        Program::Tiny(program) => {
            if walk.differs(|inputs, fuel| tiny::eval(program, inputs, fuel).outcome) {
                return Some(("tiny", "Tiny's interpreter".into()));
            }
            let naive = lab::construct_naive(program);
            walk.ssa("naive", "naive construction from the tree (Algorithm 8.4.7)", &naive)
                .or_else(|| walk.pruned_and_phi(naive))
                .or_else(|| walk.tac(&tac::lower(program)))
        }
        Program::Tac(program) => walk.tac(program),
        Program::Ssa(function) => {
            walk.ssa("interpreter", "the given function", function).or_else(|| walk.pruned_and_phi(function.clone()))
        }
        Program::Phi(function) => {
            let function = lab::phi_to_args(function);
            walk.ssa("phi", "the given function's block arguments", &function).or_else(|| walk.pruned_and_phi(function))
        }
    }
}

impl Walk<'_> {
    /// Whether this gives another outcome than the right one. What needs far more steps than the program does not end.
    fn differs(&self, run: impl Fn(&[i64], u64) -> Outcome) -> bool {
        let fuel = self.case.fuel.saturating_mul(64).saturating_add(1000);
        let runs = self.case.vectors.iter().zip(self.right).filter(|(_, right)| right.end != End::OutOfFuel);
        runs.into_iter().any(|(inputs, right)| run(inputs, fuel) != *right)
    }

    fn function_differs(&self, function: &Function) -> bool {
        self.differs(|inputs, fuel| lab::run(function, inputs, fuel).outcome)
    }

    /// Judges a function that a step made.
    fn ssa(&self, step: &'static str, what: &str, function: &Function) -> Option<Step> {
        if let Some(violation) = lab::validate(function).first() {
            return Some((step, format!("{what}: {violation}")));
        }
        if !self.function_differs(function) {
            return None;
        }
        let phi = lab::args_to_phi(&lab::split_conflicts(function));
        let phi_differs = self.differs(|inputs, fuel| lab::run_phi(&phi, inputs, fuel).outcome);
        Some(if phi_differs {
            (step, what.to_string())
        } else {
            ("interpreter", format!("the interpreter of block arguments, on {what}; its phi form runs right"))
        })
    }

    fn pruned_and_phi(&self, mut function: Function) -> Option<Step> {
        lab::prune_dead(&mut function);
        if let Some(step) = self.ssa("pruned", "dead parameters removed", &function) {
            return Some(step);
        }
        lab::prune_trivial(&mut function);
        if let Some(step) = self.ssa("pruned", "trivial parameters removed", &function) {
            return Some(step);
        }
        let phi = lab::args_to_phi(&lab::split_conflicts(&function));
        let violations = lab::validate_phi(&phi);
        if let Some(violation) = violations.first() {
            return Some(("phi", format!("ArgsToPhi (Algorithm 8.4.6): {violation}")));
        }
        if !self.differs(|inputs, fuel| lab::run_phi(&phi, inputs, fuel).outcome) {
            return None;
        }
        Some(if self.function_differs(&lab::phi_to_args(&phi)) {
            ("phi", "ArgsToPhi (Algorithm 8.4.6): taken back, the function is wrong too".into())
        } else {
            (
                "phi-interpreter",
                "the interpreter of phi forms; taken back to block arguments, the function runs right".into(),
            )
        })
    }

    /// Three-address code, and what the lab constructs from its graph.
    fn tac(&self, program: &tac::Program) -> Option<Step> {
        if self.differs(|inputs, fuel| tac::eval(program, inputs, fuel).outcome) {
            return Some(("tac", "three-address code: the lowering to it, or its interpreter".into()));
        }
        let cfg = tac::cfg(program);
        let maximal = self.ssa("tac-ssa", "maximal construction from the graph", &lab::construct_maximal(&cfg));
        let live = || lab::construct_live(&cfg);
        let perturbed = || {
            Perturbation::ALL.iter().find_map(|&perturbation| {
                let function = lab::construct_live(&tac::perturb(cfg.clone(), &[perturbation]));
                self.ssa("perturbed", &format!("the perturbation `{}` of the graph", perturbation.name()), &function)
            })
        };
        maximal
            .or_else(|| self.ssa("tac-live", "construction from the graph by liveness", &live()))
            .or_else(|| self.pruned_and_phi(live()))
            .or_else(perturbed)
    }
}
