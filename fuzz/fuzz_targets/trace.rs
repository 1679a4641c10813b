//! Files that claim to be traces: any bytes, and real ones changed behind their checksums.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::trace_laws::check(data));

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    fuzz::trace_mutate::mutate(data, size, max_size, seed, libfuzzer_sys::fuzzer_mutate)
});
