//! The header is generated from the crate, and is current.

use std::path::Path;

/// Returns the header as cbindgen writes it.
fn generated() -> String {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(here.join("cbindgen.toml")).expect("the configuration can be read");
    let sources =
        ["session", "error", "memory", "calls", "contents", "debugger", "debugger/stop", "debugger/variables"];
    let builder = cbindgen::Builder::new().with_config(config);
    let builder = sources.iter().fold(builder, |builder, name| builder.with_src(here.join(format!("src/{name}.rs"))));
    let mut text = Vec::new();
    builder.generate().expect("the crate can be described in C").write(&mut text);
    String::from_utf8(text).expect("a header is text")
}

#[test]
fn the_header_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/afterimage.h");
    let text = generated();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, text).expect("the header can be written");
        return;
    }
    let committed = std::fs::read_to_string(&path).expect("the header can be read");
    let differs = committed.lines().zip(text.lines()).position(|(old, new)| old != new);
    assert!(
        committed == text,
        "the header differs from line {} on; run `UPDATE_EXPECT=1 cargo test -p afterimage-c --test header`",
        differs.map_or(committed.lines().count(), |line| line + 1)
    );
}

/// Every function that the library exports is in the header: sources that were forgotten above would lack theirs.
#[test]
fn every_function_is_in_the_header() {
    let text = generated();
    let mut functions = 0;
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the sources can be listed") {
            let path = entry.expect("the sources can be listed").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let source = std::fs::read_to_string(&path).expect("the source can be read");
            for line in source.lines().filter_map(|line| line.strip_prefix("pub extern \"C\" fn ")) {
                let name = line.split('(').next().unwrap_or_default();
                assert!(text.contains(&format!("{name}(")), "{name} is not in the header");
                functions += 1;
            }
        }
    }
    assert!(functions > 30, "only {functions} functions were found");
}
