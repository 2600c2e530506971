//! The main job on TAC: any control-flow graph goes through every path, and all must agree.
#![no_main]

use harness::case::Form;
use harness::fuzzing::{self, Tac};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use roundtrip_fuzz::{findings, start_on_paths};

fuzz_target!(init: start_on_paths("tac", &[Form::Tac]), |input: Tac| {
    fuzzing::property(|| fuzzing::roundtrip(&input.0, &findings()))
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    fuzzing::mutate(Form::Tac, data, size, max_size, seed)
});
