//! Placeholder until the harness has its properties.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = std::str::from_utf8(data).map(harness::syntax::tokens);
});
