//! Puts the capture library and the demo's scene into release builds of `afterimage`, so that `cargo install --path .` gives
//! one file that records by itself.
//!
//! Cargo builds no library for a program to contain, so this starts cargo once more, with a build folder of its own. Builds
//! for development contain nothing: there, library and scene are beside the program. `AFTERIMAGE_EMBED=0` and
//! `AFTERIMAGE_EMBED=1` decide otherwise.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// What is contained: the file that cargo builds, and the one that `src/embedded.rs` includes.
const FILES: [(&str, &str); 2] = [("libafterimage_capture.so", "capture"), ("deferred", "scene")];

/// Packages of the workspace that these files are made of.
const SOURCES: [&str; 4] = ["crates/api", "crates/capture", "crates/ring", "demos"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=AFTERIMAGE_EMBED");
    let out = PathBuf::from(variable("OUT_DIR"));
    let embed = match env::var("AFTERIMAGE_EMBED").as_deref() {
        Ok("0") => false,
        Ok("1") => true,
        Ok(other) => panic!("AFTERIMAGE_EMBED is `{other}`, neither 0 nor 1"),
        Err(_) => variable("PROFILE") == "release",
    };
    let built = embed.then(|| build(&out.join("embedded")));
    for (file, name) in FILES {
        let bytes = built.as_ref().map_or_else(Vec::new, |folder| read(&folder.join(file)));
        fs::write(out.join(name), &bytes).expect("OUT_DIR can be written");
        // Cargo also gives it to programs that it runs: no name that `afterimage` reads.
        println!("cargo::rustc-env=HASH_OF_{}={:016x}", name.to_uppercase(), hash(&bytes));
    }
}

/// Builds the files and returns their folder.
fn build(target_dir: &Path) -> PathBuf {
    let root = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", root.join(source).display());
    }
    let target = variable("TARGET");
    let mut cargo = Command::new(variable("CARGO"));
    cargo.args(["build", "--release", "--lib", "--bin", "deferred", "--package", "capture", "--package", "demos"]);
    // With a target, the folder of the files does not depend on the user's configuration.
    cargo.arg("--target").arg(&target).arg("--target-dir").arg(target_dir).current_dir(&root);
    // A library that is unpacked from another file is not debugged.
    cargo.env("CARGO_PROFILE_RELEASE_DEBUG", "false").env("CARGO_PROFILE_RELEASE_STRIP", "debuginfo");
    // `cargo clippy` checks this package, not that build.
    cargo.env_remove("RUSTC_WORKSPACE_WRAPPER");
    let status = cargo.status().expect("cargo can be started");
    assert!(status.success(), "the capture library could not be built ({status})");
    target_dir.join(target).join("release")
}

/// FNV-1a: it only has to give each build of a file a name of its own.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| panic!("{} cannot be read: {error}", path.display()))
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}
