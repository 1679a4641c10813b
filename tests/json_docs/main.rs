//! `docs/json.md` describes every key that `--json` prints: its tables are generated from the types that are serialised.
//!
//! The page has a marker for each document. What stands between a marker and its end is generated; run
//! `UPDATE_EXPECT=1 cargo test --test json_docs` after changing a type.

mod table;
mod types;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use types::Types;

const BEGIN: &str = "<!-- keys: ";
const END: &str = "<!-- end of keys -->";

#[test]
fn the_page_has_the_keys_of_the_types() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let types = Types::read(root);
    let path = root.join("docs/json.md");
    let page = fs::read_to_string(&path).expect("docs/json.md can be read");
    let (generated, described) = with_tables(&page, &types);
    let mut missing = types.documents();
    missing.retain(|name| !described.contains(name));
    assert!(missing.is_empty(), "docs/json.md has no marker `{BEGIN}NAME -->` for {}", missing.join(", "));
    check_examples(&generated);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, generated).expect("docs/json.md can be written");
        return;
    }
    let differs = page.lines().zip(generated.lines()).enumerate().find(|(_, (old, new))| old != new);
    if let Some((line, (old, new))) = differs {
        panic!(
            "line {} of docs/json.md does not match the types; run `UPDATE_EXPECT=1 cargo test --test json_docs`\n\
             page:  {old}\ntypes: {new}",
            line + 1
        );
    }
    assert_eq!(page.len(), generated.len(), "docs/json.md ends differently; run with UPDATE_EXPECT=1");
}

/// Returns the page with new tables, and the documents that it describes.
fn with_tables(page: &str, types: &Types) -> (String, BTreeSet<String>) {
    let (mut text, mut described) = (String::new(), BTreeSet::new());
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        text += line;
        text.push('\n');
        let Some(name) = line.strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(" -->")) else { continue };
        assert!(lines.any(|line| line == END), "the keys of {name} have no end");
        text += &format!("\n{}\n{END}\n", table::describe(types, name));
        assert!(described.insert(name.to_owned()), "docs/json.md describes {name} twice");
    }
    (text, described)
}

/// Checks that examples have no other keys than the tables of their section.
fn check_examples(page: &str) {
    let mut examples = 0;
    for section in page.split("\n#").skip(1) {
        let title = section.lines().next().unwrap_or_default();
        let keys: BTreeSet<&str> = section.lines().filter_map(key_of_row).collect();
        // The state has as many keys as GL has names.
        if keys.is_empty() || section.contains("| any |") {
            continue;
        }
        for example in section.split("```").skip(1).step_by(2) {
            examples += 1;
            let unknown: Vec<&str> = keys_of_example(example).filter(|key| !keys.contains(key)).collect();
            assert!(unknown.is_empty(), "{title}: the example has keys that no type has: {}", unknown.join(", "));
        }
    }
    assert!(examples > 8, "only {examples} examples were found");
}

/// Returns the key that a row of a table describes.
fn key_of_row(line: &str) -> Option<&str> {
    line.strip_prefix("| `")?.split('`').next()
}

/// Returns what stands in quotation marks in front of a colon.
fn keys_of_example(example: &str) -> impl Iterator<Item = &str> {
    let mut parts = example.split('"').skip(1);
    std::iter::from_fn(move || Some((parts.next()?, parts.next()?)))
        .filter(|(_, after)| after.trim_start().starts_with(':'))
        .map(|(key, _)| key)
}
