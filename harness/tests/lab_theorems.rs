//! The lesson's theorems on arbitrary functions: 8.4.8 (the validator is sound and complete), 8.4.10 (phis and block
//! arguments are equivalent), 8.4.11 (multi-edges separate the two forms).

use arbitrary::Unstructured;
use arbtest::arbtest;
use harness::generate::function::{broken_function, broken_phi_function, valid_function, valid_phi_function};
use harness::lab::theorems::{self, Checked};
use harness::lab::{self, Atom, PhiFunction};
use harness::op::{End, Outcome};

const FUEL: u64 = 200;

/// Tries a property on arbitrary data for a second.
fn check(mut property: impl FnMut(&mut Unstructured) -> arbitrary::Result<Checked>) {
    arbtest(|u| {
        property(u)?.unwrap_or_else(|problem| panic!("{problem}"));
        Ok(())
    })
    .budget_ms(1_000)
    .size_max(4_096);
}

/// Two inputs, whether the function takes them or not.
fn inputs(u: &mut Unstructured) -> arbitrary::Result<[i64; 2]> {
    Ok([u.int_in_range(-3..=3)?, u.arbitrary()?])
}

#[test]
fn the_validator_is_its_definition() {
    let (mut valid, mut invalid) = (0, 0);
    check(|u| {
        let function = if u.ratio(1, 4)? { valid_function(u)? } else { broken_function(u)? };
        *if lab::validate(&function).is_empty() { &mut valid } else { &mut invalid } += 1;
        Ok(theorems::validator_is_definition(&function).map_err(|problem| format!("{problem}\n{function}")))
    });
    assert!(valid > 10 && invalid > 10, "{valid} valid and {invalid} invalid functions");
}

#[test]
fn the_validator_of_phi_form_is_its_definition() {
    let (mut valid, mut invalid) = (0, 0);
    check(|u| {
        let function = if u.ratio(1, 4)? { valid_phi_function(u)? } else { broken_phi_function(u)? };
        *if lab::validate_phi(&function).is_empty() { &mut valid } else { &mut invalid } += 1;
        Ok(theorems::phi_validator_is_definition(&function).map_err(|problem| format!("{problem}\n{function}")))
    });
    assert!(valid > 10 && invalid > 10, "{valid} valid and {invalid} invalid functions");
}

#[test]
fn block_arguments_survive_the_round_trip_through_phis() {
    check(|u| {
        let function = lab::split_conflicts(&valid_function(u)?);
        Ok(theorems::arguments_round_trip(&function, &inputs(u)?, FUEL))
    });
}

#[test]
fn phis_survive_the_round_trip_through_block_arguments() {
    check(|u| Ok(theorems::phis_round_trip(&valid_phi_function(u)?, &inputs(u)?, FUEL)));
}

#[test]
fn splitting_restores_the_correspondence() {
    let mut conflicts = 0;
    check(|u| {
        let function = valid_function(u)?;
        conflicts += lab::conflicts(&function).len();
        Ok(theorems::splitting_restores_the_correspondence(&function, &inputs(u)?, FUEL))
    });
    assert!(conflicts > 10, "{conflicts} conflicts");
}

/// The proof of Lemma 8.4.11: whatever the one entry of its phi, `x` is the same on both edges.
#[test]
fn a_conflict_has_no_phi_form_over_the_same_graph() {
    let function = lab::parse_ssa("ssa(c)\nB0:\n  cbr c, B1(1), B1(2)\nB1(x):\n  ret x\n").unwrap();
    let outcomes = |run: &dyn Fn(i64) -> Outcome| [run(1), run(0)];
    let both = [End::Return(1), End::Return(2)].map(Outcome::from);
    assert_eq!(outcomes(&|c| lab::run(&function, &[c], FUEL).outcome), both);

    let phi = lab::args_to_phi(&function);
    for constant in [1, 2] {
        let mut phi: PhiFunction = phi.clone();
        phi.blocks[1].phis[0].entries[0].1 = Atom::Const(constant);
        assert_eq!(lab::validate_phi(&phi), []);
        let [yes, no] = outcomes(&|c| lab::run_phi(&phi, &[c], FUEL).outcome);
        assert_eq!(yes, no);
    }
    let split = lab::args_to_phi(&lab::split_conflicts(&function));
    assert_eq!(outcomes(&|c| lab::run_phi(&split, &[c], FUEL).outcome), both);
}
