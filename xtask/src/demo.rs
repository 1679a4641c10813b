//! `cargo xtask demo`: shows what the product can do.

use std::path::Path;

use xtask::error::{Context, Error, Result};
use xtask::{process, setup};

/// Debian packages that the demo needs: a driver that runs without a GPU.
const NEEDS: &[&str] = &["libgl1-mesa-dri", "libegl1", "libegl-mesa0", "libgles2", "libgl1"];

/// A scene: its title, the command, and the expected exit status: 1 for shaders that are broken on purpose. `DEMOS` is
/// the folder of the programs to record, `OUT` the output folder.
type Scene = (&'static str, &'static [&'static str], i32);

const SCENES: &[Scene] = &[
    (
        "An unmodified program, recorded call by call:",
        &["record", "--force", "--hash-frames", "-o", "OUT/deferred.aftr", "--", "DEMOS/deferred", "--frames", "8"],
        0,
    ),
    ("What is in the recording:", &["info", "OUT/deferred.aftr"], 0),
    (
        "Replayed in another process, with each frame compared to the recording:",
        &["replay", "OUT/deferred.aftr", "--verify"],
        0,
    ),
    (
        "Its last frame as an image; something is wrong in the middle of it:",
        &["replay", "OUT/deferred.aftr", "--frame", "7", "--images", "OUT", "--force"],
        0,
    ),
    ("A lighting shader with common mistakes:", &["check", "demos/broken.frag"], 1),
    (
        "One pixel of a shader, statement by statement, on the CPU:",
        &["run", "demos/rings.frag", "--set", "centre=16,16", "--set", "width=5", "--at", "10,12", "--trace"],
        0,
    ),
    (
        "A shader that compiles but has undefined behaviour, shown with the values:",
        &["run", "demos/undefined.frag", "--set", "radius=4,6,8,10", "--set", "ring=5", "--at", "4,12"],
        1,
    ),
    ("All together: the first NaN of a frame, and the debugger at the line that produced it:", &["demo"], 0),
];

/// Shows each scene.
pub fn run() -> Result<()> {
    println!("Building afterimage and a scene to record, which takes minutes the first time; then the show.");
    setup::ensure(NEEDS)?;
    let mut cargo = process::command("cargo", &["build", "--profile", "demo"]);
    process::run_command(cargo.args(process::PRODUCT).args(process::PARTS))?;
    let programs = process::target_dir().join("demo");
    let out = programs.join("out");
    std::fs::create_dir_all(&out).context(format!("cannot create {}", out.display()))?;
    for (title, arguments, expected) in SCENES {
        let arguments: Vec<String> = arguments.iter().map(|argument| place(argument, &programs, &out)).collect();
        let shown = arguments.join(" ");
        let program = programs.join("afterimage");
        println!("{title}\n\n$ {} {shown}\n", process::shown(&program));
        let mut command = process::command(&program.to_string_lossy(), &[]);
        let status = command.args(&arguments).status().context("cannot start afterimage")?;
        if status.code() != Some(*expected) {
            return Err(Error::new(format!("`afterimage {shown}` exited with {status}, not {expected}")));
        }
        println!();
    }
    Ok(())
}

/// Substitutes folders in an argument, relative to the project's root.
fn place(argument: &str, programs: &Path, out: &Path) -> String {
    argument.replace("DEMOS", &process::shown(programs)).replace("OUT", &process::shown(out))
}
