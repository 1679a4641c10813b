//! Woven variants on the emulator, compared with the originals.

#[path = "weave/compare.rs"]
mod compare;
#[path = "weave/counts.rs"]
mod counts;
#[path = "weave/limits.rs"]
mod limits;
#[path = "weave/shapes.rs"]
mod shapes;

use std::path::Path;

use instrument::Detail;
use shader::version::Options;

use compare::{Counts, Outcome, compare, compare_values, compare_watches, raised};

#[test]
fn recordings_of_the_filetests_match_the_emulator() {
    let found = each_filetest(|strings, options| {
        [Detail::Statements, Detail::Expressions].map(|detail| compare(strings, options, detail)).into()
    });
    assert!(found.values > 7000, "{}", found.values);
    assert!(found.parts > 100, "{} parts", found.parts);
}

#[test]
fn values_at_moments_of_the_filetests_match_the_emulator() {
    let found = each_filetest(|strings, options| vec![compare_values(strings, options, 12)]);
    assert!(found.values > 2500, "{}", found.values);
}

#[test]
fn variables_at_stops_of_the_filetests_match_the_emulator() {
    let found = each_filetest(|strings, options| vec![compare_watches(strings, options, 12)]);
    assert!(found.values > 2500, "{}", found.values);
}

/// Compares all filetests that can run; fails on any difference.
#[track_caller]
fn each_filetest(check: impl Fn(&[String], &Options) -> Vec<Outcome>) -> Counts {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../filetests/semantics");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the folder").map(|e| e.expect("an entry").path()).collect();
    files.sort();
    let mut all = Counts::default();
    let mut wrong = Vec::new();
    for path in files {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("the file");
        let shaders = testing::filetest::read(&text).expect("a filetest");
        for outcome in shaders.iter().flat_map(|shader| check(&[raised(&shader.text)], &shader.options)) {
            match outcome {
                Outcome::Compared(counts) => {
                    all.values += counts.values;
                    all.unknown += counts.unknown;
                    all.parts += counts.parts;
                    all.refusals.extend(counts.refusals.iter().map(|why| format!("{name}: {why}")));
                    wrong.extend(counts.differences.iter().take(3).map(|d| format!("{name}: {d}")));
                }
                Outcome::Unfit(why) | Outcome::Refused(why) => all.refusals.push(format!("{name}: {why}")),
                Outcome::Broken(why) => wrong.push(format!("{name}: {why}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // One file has a version without storage blocks.
    all.refusals.retain(|why| !why.contains("GLSL ES 1.00 has no storage blocks"));
    assert!(all.refusals.is_empty(), "{}", all.refusals.join("\n"));
    all
}
