//! Arbitrary bytes, with a dictionary of GLSL's words.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::laws::check(&fuzz::input::Input::read(data)));
