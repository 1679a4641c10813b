//! The demos draw what they describe, and the same every time.

use std::path::Path;
use std::process::Command;

/// Returns the last frame of a demo, as three bytes per pixel.
fn last_frame(program: &str, arguments: &[&str], name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}{}", arguments.concat()));
    std::fs::create_dir_all(&folder).unwrap();
    let output = Command::new(program).args(arguments).arg("--png").arg(&folder).output().unwrap();
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    let file = std::fs::File::open(folder.join(format!("{name}.png"))).unwrap();
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    pixels
}

/// Draws twice, and returns the number of colours.
fn colors(program: &str, name: &str) -> usize {
    let first = last_frame(program, &[], name);
    assert_eq!(first, last_frame(program, &["--frames=8"], name), "{name} is not deterministic");
    let colors: std::collections::BTreeSet<&[u8]> = first.chunks(3).collect();
    colors.len()
}

#[test]
fn frames_are_deterministic_and_not_empty() {
    for (program, name) in [
        (env!("CARGO_BIN_EXE_pingpong"), "pingpong"),
        (env!("CARGO_BIN_EXE_gles2"), "gles2"),
        (env!("CARGO_BIN_EXE_legacy"), "legacy"),
        (env!("CARGO_BIN_EXE_uploader"), "uploader"),
        (env!("CARGO_BIN_EXE_streamer"), "streamer"),
        (env!("CARGO_BIN_EXE_chain"), "chain"),
        (env!("CARGO_BIN_EXE_overlap"), "overlap"),
    ] {
        assert!(colors(program, name) > 100, "{name} draws almost nothing");
    }
}

#[test]
fn feedback_and_compute_give_the_same_particles() {
    let program = env!("CARGO_BIN_EXE_particles");
    let feedback = last_frame(program, &[], "particles");
    let compute = last_frame(program, &["--compute"], "particles_compute");
    assert!(feedback.iter().any(|&byte| byte > 200));
    assert_eq!(feedback, compute);
}

#[test]
fn the_bug_spreads_far_beyond_its_triangles() {
    let program = env!("CARGO_BIN_EXE_deferred");
    let black = |pixels: &[u8]| pixels.chunks(3).filter(|pixel| **pixel == [0, 0, 0]).count();
    assert_eq!(black(&last_frame(program, &["--repaired"], "deferred")), 0);
    assert!(black(&last_frame(program, &[], "deferred")) > 500);
}

#[test]
fn loops_of_calls_are_counted_and_timed() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("count");
    let program = env!("CARGO_BIN_EXE_overhead");
    let output = Command::new(program).args(["uniform2", "1000", "--count"]).arg(&file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("ns per call, 2000 calls"));
    let counted: Vec<u64> =
        std::fs::read(&file).unwrap().chunks(8).map(|c| u64::from_ne_bytes(c.try_into().unwrap())).collect();
    // Counters of threads are 128 bytes apart, so that they share no cache line.
    let places: Vec<(usize, u64)> = counted.into_iter().enumerate().filter(|(_, count)| *count > 0).collect();
    assert_eq!(places, [(0, 1000), (16, 1000)]);
}

/// Checks the pixel in the middle of an image of 64 by 64, up to some units in each channel.
#[track_caller]
fn check_middle(pixels: &[u8], expected: [f32; 3], units: f32) {
    // The highest row is the first, so GL's row 32 is row 31 of the image.
    let pixel = &pixels[(31 * 64 + 32) * 3..][..3];
    for (is, expected) in pixel.iter().zip(expected) {
        assert!((f32::from(*is) - expected).abs() <= units, "{pixel:?} is not {expected:?}");
    }
}

/// Returns the result of blending all of these over the clear colour, in units of eight bits, rounded after each step.
fn blended(colours: impl Iterator<Item = [f32; 4]>) -> [f32; 3] {
    let clear = [0.1f32, 0.1, 0.12].map(|c| (c * 255.).round());
    colours.fold(clear, |below, [r, g, b, alpha]| {
        let above = [r, g, b].map(|c| c * 255.);
        std::array::from_fn(|i| (above[i] * alpha + below[i] * (1. - alpha)).round())
    })
}

#[test]
fn the_middle_of_a_pile_is_blended_correctly() {
    use demos::math::noise;
    let colour = |number: u32| {
        let chance = |what: u32| noise(number * 8 + what);
        [chance(4), chance(5), chance(6), 0.15 + 0.5 * chance(7)]
    };
    let program = env!("CARGO_BIN_EXE_overlap");
    let small = ["--size=64x64", "--frames=1", "--draws=50"];
    let gets_there = |number: &u32| ![2, 4, 6, 8, 9, 11].contains(&(number % 12));
    check_middle(&last_frame(program, &small, "overlap"), blended((0..50).filter(gets_there).map(colour)), 1.);
    let plain = [&small[..], &["--plain"]].concat();
    check_middle(&last_frame(program, &plain, "overlap"), blended((0..50).map(colour)), 1.);
    let layered = [&plain[..], &["--layers=3"]].concat();
    check_middle(&last_frame(program, &layered, "overlap"), blended((0..150).map(|i| colour(i / 3))), 1.);
}

#[test]
fn a_stack_of_triangles_is_blended_in_order() {
    use demos::math::noise;
    let program = env!("CARGO_BIN_EXE_overdraw");
    let pixels = last_frame(program, &["--size=64x64", "--frames=1"], "overdraw");
    let colour = |number: u32| [noise(number * 3), noise(number * 3 + 1), noise(number * 3 + 2), 0.125];
    // Drivers blend eight bits with eight bits. Half a unit lost in each step, of which 7/8 stay, adds up to four.
    check_middle(&pixels, blended((0..1000).map(colour)), 4.);
}

#[test]
fn chains_of_any_length_show_an_image() {
    let program = env!("CARGO_BIN_EXE_chain");
    for passes in ["--passes=1", "--passes=2", "--passes=4", "--passes=64"] {
        let pixels = last_frame(program, &["--size=64x64", "--frames=1", passes], "chain");
        let colors: std::collections::BTreeSet<&[u8]> = pixels.chunks(3).collect();
        assert!(colors.len() > 100, "{passes} shows {} colours", colors.len());
    }
}

#[test]
fn the_loop_of_trials_has_the_requested_iterations() {
    let program = env!("CARGO_BIN_EXE_trials");
    let pixels = last_frame(program, &["--size=64x48", "--frames=1", "--rounds=20000", "--assembly"], "trials");
    let number = (0..=20_000).fold(1, |number, _| (number * 5 + 3) % 4096);
    // Rows of files start at the top.
    let at = |x: usize, y: usize| &pixels[((47 - y) * 64 + x) * 3..][..3];
    let near = |pixel: &[u8], colour: [f32; 3]| {
        pixel.iter().zip(colour).all(|(byte, wanted)| (f32::from(*byte) - wanted * 255.).abs() <= 1.)
    };
    let share = number as f32 / 4096.;
    assert!(near(at(33, 25), [share, 1. - share, 0.5]), "{:?} is not {share}", at(33, 25));
    assert!(near(at(25, 25), [0.9, 0.6, 0.1]), "{:?}", at(25, 25));
    assert!(near(at(1, 1), [0.1, 0.1, 0.12]), "{:?}", at(1, 1));
}
