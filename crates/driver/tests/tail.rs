//! Compares what happens to fragments after their shader on the machine's own driver and in crate `reenact`: the driver
//! and the model get the same calls, quads of known colours and depths are drawn, and every pixel is compared.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a failing test panics")]

#[path = "tail/scene.rs"]
mod scene;
#[path = "tail/settings.rs"]
mod settings;

use scene::{Class, Scene, Tally};
use testing::random::Random;
use testing::twin::{ContextKind, Twin};

/// Checks random framebuffers, each with random clears and draw calls.
#[track_caller]
fn check(kind: ContextKind, class: Class, seed: u64, rounds: usize) {
    let twin = Twin::new(kind, (100, 80));
    let rounds = std::env::var("AFTERIMAGE_TAIL_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(rounds);
    let mut scene = Scene::new(twin, kind, class);
    let mut random = Random::new(seed);
    let mut tally = Tally::default();
    for round in 0..rounds {
        scene.framebuffer(&mut random);
        scene.clears(&mut random, &mut tally);
        for _ in 0..6 {
            scene.draw(&mut random, &mut tally, round);
        }
    }
    eprintln!("{kind:?} {class:?}: {tally}");
    assert!(
        tally.wrong.is_empty(),
        "{} of {} pixels are wrong:\n{}",
        tally.failed,
        tally.pixels,
        tally.wrong.join("\n")
    );
    assert!(tally.written > tally.pixels / 20, "almost nothing was drawn: {tally}");
}

#[test]
fn colours_of_a_compatibility_context_match_the_driver() {
    check(ContextKind::Compatibility, Class::Float, 1, 40);
}

#[test]
fn unsigned_integers_match_the_driver() {
    check(ContextKind::Compatibility, Class::Uint, 2, 12);
}

#[test]
fn signed_integers_match_the_driver() {
    check(ContextKind::Compatibility, Class::Int, 3, 12);
}

#[test]
fn colours_of_an_es_context_match_the_driver() {
    check(ContextKind::Es3, Class::Float, 4, 20);
}
