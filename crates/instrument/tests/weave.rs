//! Woven variants on the emulator, beside the originals.

#[path = "weave/compare.rs"]
mod compare;

use std::path::Path;

use instrument::Detail;
use shader::version::{Options, Stage};

use compare::{Outcome, compare, raised};

#[test]
fn recordings_of_the_filetests_are_what_the_emulator_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../filetests/semantics");
    let mut files: Vec<_> = std::fs::read_dir(folder).expect("the folder").map(|e| e.expect("an entry").path()).collect();
    files.sort();
    let (mut compared, mut values, mut unknown) = (0, 0, 0);
    let mut wrong = Vec::new();
    for path in files {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("the file");
        let stage = text.lines().find_map(|line| line.strip_prefix("// stage: ")).and_then(|word| {
            Stage::ALL.into_iter().find(|stage| stage.name() == word.trim())
        });
        let options = Options::new(stage.unwrap_or(Stage::Fragment));
        for detail in [Detail::Statements, Detail::Expressions] {
            match compare(&[raised(&text)], &options, detail) {
                Outcome::Compared(counts) => {
                    compared += 1;
                    values += counts.values;
                    unknown += counts.unknown;
                    wrong.extend(counts.differences.iter().take(3).map(|d| format!("{name} {detail:?}: {d}")));
                }
                Outcome::Unfit(why) | Outcome::Refused(why) => println!("{name}: {why}"),
                Outcome::Broken(why) => wrong.push(format!("{name} {detail:?}: {why}")),
            }
        }
    }
    println!("{compared} recordings, {values} values as the emulator has them, {unknown} it says nothing of");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
