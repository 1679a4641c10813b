//! Valid shaders with shuffled tokens, which get past the parser and deep into the checker.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::laws::check(&fuzz::input::Input::read(data)));

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    // Sometimes plain bytes, which make new spellings.
    if seed % 8 == 0 {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    fuzz::mutate::mutate(data, size, max_size, seed)
});
