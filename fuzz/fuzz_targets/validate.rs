//! Theorem 8.4.8: the validator finds exactly what the definition forbids.
#![no_main]

use harness::case::Form;
use harness::fuzzing::{self, Function};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use roundtrip_fuzz::start;

fuzz_target!(init: start("validate", &[Form::Ssa]), |input: Function| {
    fuzzing::property(|| fuzzing::validate(&input.0))
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    fuzzing::mutate(Form::Ssa, data, size, max_size, seed)
});
