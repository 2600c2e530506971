//! Validators against each other: the lab's and each compiler's judge a function, valid or not, as the map of rules has
//! it (`docs/VALIDATORS.md`); and the lab's finds exactly what the definition forbids (Theorem 8.4.8).
#![no_main]

use harness::case::Form;
use harness::fuzzing::{self, Function};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use roundtrip_fuzz::{findings, start};

fuzz_target!(init: start("validate", &[Form::Ssa, Form::Phi]), |input: Function| {
    fuzzing::property(|| fuzzing::validate(&input.0, &findings()))
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    fuzzing::mutate(Form::Ssa, data, size, max_size, seed)
});
