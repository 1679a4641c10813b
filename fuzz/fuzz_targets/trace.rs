//! Files that claim to be traces: arbitrary bytes, and real traces modified with valid checksums.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::trace_laws::check(data));

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    fuzz::trace_mutate::mutate(data, size, max_size, seed, libfuzzer_sys::fuzzer_mutate)
});
