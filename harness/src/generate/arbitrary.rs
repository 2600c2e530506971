//! `Arbitrary` for programs and cases, under the default policy.

use arbitrary::{Arbitrary, Result, Unstructured};

use super::{Policy, case_from};
use crate::case::{Case, Form};
use crate::{tac, tiny};

impl<'a> Arbitrary<'a> for tiny::Program {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        Ok(super::tiny::program(u, &Policy::default()))
    }
}

impl<'a> Arbitrary<'a> for tac::Program {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        Ok(super::tac::program(u, &Policy::default()))
    }
}

impl<'a> Arbitrary<'a> for Case {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let form = *u.choose(&[Form::Tiny, Form::Tac])?;
        Ok(case_from(u, form, &Policy::default()))
    }
}
