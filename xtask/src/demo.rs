//! `cargo xtask demo`: the best thing there is to show today.

use anyhow::Context;

use crate::{process, setup};

/// Debian packages the demo needs: none, while all of it happens on the CPU.
const NEEDS: &[&str] = &[];

/// What to run, and the status it must leave with: 1 is the answer "no", for the shader that is broken on purpose.
const SCENES: &[(&str, &[&str], i32)] = &[
    ("A lighting shader with the mistakes people make:", &["check", "demos/broken.frag"], 1),
    (
        "One pixel of a shader, statement by statement, on the CPU:",
        &["run", "demos/rings.frag", "--set", "centre=16,16", "--set", "width=5", "--at", "10,12", "--trace"],
        0,
    ),
    (
        "A shader that is legal and wrong: what it does that the language leaves undefined, with the values:",
        &["run", "demos/undefined.frag", "--set", "radius=4,6,8,10", "--set", "ring=5", "--at", "4,12"],
        1,
    ),
];

/// Shows each scene.
pub fn run() -> anyhow::Result<()> {
    setup::ensure(NEEDS)?;
    for (title, arguments, expected) in SCENES {
        println!("{title}\n\n$ afterimage {}\n", arguments.join(" "));
        let cargo = ["run", "--quiet", "--package", "afterimage", "--"];
        let status =
            process::command("cargo", &[&cargo, *arguments].concat()).status().context("cargo cannot be started")?;
        let shown = arguments.join(" ");
        anyhow::ensure!(status.code() == Some(*expected), "`afterimage {shown}` left with {status}, not {expected}");
        println!();
    }
    Ok(())
}
