//! Theorem 8.4.10 and Lemma 8.4.11: phis and block arguments are equivalent, multi-edges apart.
#![no_main]

use harness::case::Form;
use harness::fuzzing::{self, Function};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use roundtrip_fuzz::start;

fuzz_target!(init: start("phi_args", &[Form::Ssa, Form::Phi]), |input: Function| {
    fuzzing::property(|| fuzzing::phi_args(&input.0))
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    fuzzing::mutate(Form::Ssa, data, size, max_size, seed)
});
