//! The demos draw what they say, the same every time.

use std::path::Path;
use std::process::Command;

/// The last frame of a demo, as three bytes a pixel.
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

/// Draws twice, and says how many colours there are.
fn colors(program: &str, name: &str) -> usize {
    let first = last_frame(program, &[], name);
    assert_eq!(first, last_frame(program, &["--frames=8"], name), "{name} draws something else each time");
    let colors: std::collections::BTreeSet<&[u8]> = first.chunks(3).collect();
    colors.len()
}

#[test]
fn frames_are_the_same_every_time_and_not_empty() {
    for (program, name) in [
        (env!("CARGO_BIN_EXE_pingpong"), "pingpong"),
        (env!("CARGO_BIN_EXE_gles2"), "gles2"),
        (env!("CARGO_BIN_EXE_legacy"), "legacy"),
        (env!("CARGO_BIN_EXE_uploader"), "uploader"),
        (env!("CARGO_BIN_EXE_streamer"), "streamer"),
    ] {
        assert!(colors(program, name) > 100, "{name} draws next to nothing");
    }
}

#[test]
fn feedback_and_compute_move_particles_alike() {
    let program = env!("CARGO_BIN_EXE_particles");
    let feedback = last_frame(program, &[], "particles");
    let compute = last_frame(program, &["--compute"], "particles_compute");
    assert!(feedback.iter().any(|&byte| byte > 200));
    assert_eq!(feedback, compute);
}

#[test]
fn the_mistake_spreads_far_beyond_its_triangles() {
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
    // A thread's count is 128 bytes from the next one's, so that they share no cache line.
    let places: Vec<(usize, u64)> = counted.into_iter().enumerate().filter(|(_, count)| *count > 0).collect();
    assert_eq!(places, [(0, 1000), (16, 1000)]);
}
