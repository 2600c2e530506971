//! What validators say of a function, and which validators there are: the lab's and each compiler's verifier.
//!
//! A validator takes a function in either form, valid or not, writes it in its compiler's form as it stands, and tells
//! what the verifier said. Like a path it judges nothing beyond that; [`crate::validators`] compares.

use crate::lab::{self, Function, PhiFunction, Violation};
use crate::path::{PathId, Toolchain};

/// What a validator says of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It finds nothing wrong.
    Accepts,
    /// It finds this wrong.
    Rejects(String),
    /// Its form has no way to write the function.
    CannotSay(String),
    /// It panicked or aborted.
    Fails(String),
}

/// Whose validator it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judge {
    /// Algorithm 8.4.5, [`lab::validate`] and [`lab::validate_phi`].
    Lab,
    /// Cranelift's verifier, on CLIF.
    Cranelift,
    /// LLVM's reader and verifier, on a text with phis.
    Llvm,
}

impl Judge {
    /// The name in signatures.
    pub const fn name(self) -> &'static str {
        match self {
            Judge::Lab => "lab",
            Judge::Cranelift => "cranelift",
            Judge::Llvm => "llvm",
        }
    }
}

/// A validator.
#[derive(Clone)]
pub struct Validator {
    /// Whose it is.
    pub judge: Judge,
    /// Its name, as paths have one.
    pub path: PathId,
    /// What stands behind it.
    pub toolchain: Toolchain,
    /// Its judgement of a function in block-argument form.
    pub judge_ssa: fn(&Function) -> Judgement,
    /// Its judgement of a function in phi form.
    pub judge_phi: fn(&PhiFunction) -> Judgement,
}

/// Every validator of this build, the lab's first.
pub fn validators() -> Vec<Validator> {
    let lab = Validator {
        judge: Judge::Lab,
        path: PathId::new("lab", None, "verifier"),
        toolchain: Toolchain {
            description: format!("roundtrip {} lab, validator", env!("CARGO_PKG_VERSION")),
            group: "lab".into(),
            unavailable: None,
        },
        judge_ssa: |function| by_the_lab(lab::validate(function)),
        judge_phi: |function| by_the_lab(lab::validate_phi(function)),
    };
    vec![
        lab,
        #[cfg(all(feature = "cranelift", not(shared_object)))]
        crate::path::cranelift::validator(),
        #[cfg(all(feature = "llvm", not(shared_object)))]
        crate::path::llvm::validator(),
    ]
}

fn by_the_lab(violations: Vec<Violation>) -> Judgement {
    match violations.first() {
        None => Judgement::Accepts,
        Some(violation) => Judgement::Rejects(violation.to_string()),
    }
}
