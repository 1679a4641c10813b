//! Any bytes at all, helped by a dictionary of GLSL's words.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::laws::check(&fuzz::input::Input::read(data)));
