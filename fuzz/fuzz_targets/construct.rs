//! Theorem 8.4.9 and Proposition 8.4.12: constructing SSA and pruning its parameters keep what a program does.
#![no_main]

use harness::case::Form;
use harness::fuzzing;
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use roundtrip_fuzz::start;

fuzz_target!(init: start("construct", &[Form::Tiny, Form::Tac]), |data: &[u8]| {
    fuzzing::property(|| fuzzing::construct(&fuzzing::from_bytes(fuzzing::tiny_or_tac(data), data)))
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    fuzzing::mutate(fuzzing::tiny_or_tac(&data[..size]), data, size, max_size, seed)
});
