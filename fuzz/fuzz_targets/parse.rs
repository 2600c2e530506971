//! Every parser takes any text, and what a program prints is that program.
#![no_main]

use harness::case::Form;
use harness::fuzzing;
use libfuzzer_sys::fuzz_target;
use roundtrip_fuzz::start;

fuzz_target!(init: start("parse", &Form::ALL), |data: &[u8]| {
    fuzzing::property(|| fuzzing::parse(data))
});
