//! Fixed functions compared with the generated shaders: the local driver draws the same scene with both.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test stops where it fails")]

#[path = "driver/program.rs"]
mod program;
#[path = "driver/scene.rs"]
mod scene;
#[path = "driver/stage.rs"]
mod stage;

use scene::Topics;
use stage::Stage;
use testing::random::Random;

/// The difference between two pictures.
#[derive(Default, Debug)]
struct Distance {
    /// The number of colour channels of pixels that were drawn.
    drawn: usize,
    /// How many of these differ.
    differ: usize,
    /// How many of these differ by more than one unit.
    far: usize,
}

impl Distance {
    fn add(&mut self, left: &[u8], right: &[u8]) -> usize {
        let mut far = 0;
        for (left, right) in left.iter().zip(right) {
            self.drawn += usize::from(*left != 0 || *right != 0);
            self.differ += usize::from(left != right);
            far += usize::from(left.abs_diff(*right) > 1);
        }
        self.far += far;
        far
    }
}

/// Draws random scenes with fixed functions and with shaders, and compares them.
#[track_caller]
fn check(topics: Topics, seeds: std::ops::Range<u64>) {
    let seeds =
        std::env::var("AFTERIMAGE_FIXED_SEED").map_or(seeds, |one| one.parse().map(|one| one..one + 1).unwrap());
    let mut all = Distance::default();
    for seed in seeds {
        let mut stage = Stage::new();
        let scene = scene::scene(&mut stage, &mut Random::new(seed), topics);
        let pair = fixed::program(&stage.view(), &fixed::Neighbours::default()).expect("a pair");
        let without = stage.picture(&|stage| scene.draw(stage));
        stage.install(&pair);
        let with = stage.picture(&|stage| scene.draw(stage));
        let far = all.add(&without, &with);
        if far > 0 {
            eprintln!("seed {seed}: {far} far");
            if let Ok(chosen) = std::env::var("AFTERIMAGE_FIXED_SEED")
                && chosen == seed.to_string()
            {
                eprintln!("{}\n{}", pair.vertex, pair.fragment);
                let pixels = without.chunks(4).zip(with.chunks(4)).enumerate();
                for (at, (left, right)) in pixels.filter(|(_, (left, right))| left != right).take(12) {
                    eprintln!("{at}: {left:?} with fixed functions, {right:?} with shaders");
                }
            }
        }
    }
    eprintln!("{all:?}");
    assert!(all.drawn > 10_000, "too little is drawn: {all:?}");
    assert_eq!(all.far, 0, "{all:?}");
    assert!(all.differ * 20 < all.drawn, "{all:?}");
}

#[test]
fn plain_colours() {
    check(Topics { matrices: true, planes: true, ..Topics::default() }, 0..20);
}

#[test]
fn lights_and_materials() {
    check(Topics { matrices: true, lights: true, ..Topics::default() }, 100..120);
}

#[test]
fn fog() {
    check(Topics { matrices: true, fog: true, ..Topics::default() }, 200..220);
}

#[test]
fn point_sizes() {
    check(Topics { matrices: true, points: true, ..Topics::default() }, 300..320);
}

#[test]
fn texture_environments() {
    check(Topics { textures: true, ..Topics::default() }, 400..420);
}

#[test]
fn combined_textures() {
    check(Topics { textures: true, combine: true, ..Topics::default() }, 500..520);
}

#[test]
fn depth_textures() {
    check(Topics { textures: true, depth: true, ..Topics::default() }, 600..620);
}

#[test]
fn generated_coordinates() {
    check(Topics { matrices: true, textures: true, generators: true, ..Topics::default() }, 700..720);
}

#[test]
fn vertex_programs() {
    let topics = Topics { matrices: true, lights: true, fog: true, vertex_program: true, ..Topics::default() };
    check(topics, 900..960);
}

#[test]
fn vertex_programs_before_texture_environments() {
    check(Topics { matrices: true, textures: true, vertex_program: true, ..Topics::default() }, 1000..1030);
}

#[test]
fn outputs_that_vertex_programs_do_not_write() {
    check(Topics { matrices: true, textures: true, bare_program: true, ..Topics::default() }, 1300..1330);
}

#[test]
fn fragment_programs() {
    let topics = Topics { textures: true, fog: true, fragment_program: true, ..Topics::default() };
    check(topics, 1100..1160);
}

#[test]
fn vertex_and_fragment_programs() {
    let topics = Topics { matrices: true, vertex_program: true, fragment_program: true, ..Topics::default() };
    check(topics, 1200..1260);
}

#[test]
fn everything_together() {
    let all = Topics {
        matrices: true,
        lights: true,
        textures: true,
        generators: true,
        combine: true,
        fog: true,
        planes: true,
        ..Topics::default()
    };
    check(all, 800..820);
}
