//! The main job: a Tiny program goes through every path, and all must agree (`harness::fuzzing::roundtrip`).
#![no_main]

use harness::case::Form;
use harness::fuzzing::{self, Tiny};
use libfuzzer_sys::{fuzz_crossover, fuzz_mutator, fuzz_target};
use roundtrip_fuzz::{findings, start_on_paths};

fuzz_target!(init: start_on_paths("roundtrip", &[Form::Tiny]), |input: Tiny| {
    fuzzing::property(|| fuzzing::roundtrip(&input.0, &findings()))
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    fuzzing::mutate(Form::Tiny, data, size, max_size, seed)
});

fuzz_crossover!(|first: &[u8], second: &[u8], out: &mut [u8], seed: u32| {
    fuzzing::cross(Form::Tiny, first, second, out, seed)
});
