use super::*;
use crate::symbol::Symbols;
use crate::types::Type;
use crate::version::{Dialect, Profile, Stage, Version};

#[test]
fn the_data_files_are_well_formed() {
    let mut errors = Vec::new();
    let tables = tables::load(&mut errors);
    for row in &tables.functions.rows {
        errors.extend(overload::expand(row).err().map(|e| format!("{e} in row: {}", row.text)));
    }
    assert_eq!(errors, Vec::<String>::new());
    assert_eq!(Extension::COMPATIBILITY.name(), "GL_ARB_compatibility");
}

/// `"fragment 300 es +GL_EXT_x"` as a dialect.
fn dialect(text: &str) -> Dialect {
    let mut words = text.split(' ');
    let stage = words.next().unwrap();
    let stage = Stage::ALL.into_iter().find(|s| s.name().replace(' ', "-") == stage).unwrap();
    let number: u16 = words.next().unwrap().parse().unwrap();
    let mut profile = if number == 100 { Profile::Es } else { Profile::Core };
    if (110..140).contains(&number) {
        profile = Profile::Compatibility;
    }
    let mut enabled = ExtensionSet::empty();
    for word in words {
        match word {
            "es" => profile = Profile::Es,
            "compatibility" => profile = Profile::Compatibility,
            name => enabled.insert(extension(name.trim_start_matches('+')).unwrap()),
        }
    }
    Dialect { stage, version: Version { number, profile }, enabled }
}

fn symbol(name: &str) -> Symbol {
    Symbols::default().find(name).unwrap_or_else(|| panic!("no symbol {name}"))
}

#[track_caller]
fn check_function(name: &str, at: &str, expected: bool) {
    let dialect = dialect(at);
    let found = functions(symbol(name)).iter().any(|f| f.when.holds(&dialect));
    assert_eq!(found, expected, "{name} in {at}");
}

#[test]
fn functions_exist_where_they_should() {
    check_function("sin", "vertex 110", true);
}

#[track_caller]
fn check_word(word: &str, at: &str, expected: Word) {
    assert_eq!(Words::new(&dialect(at)).get(symbol(word)), expected, "{word} in {at}");
}

#[test]
fn words_are_what_they_should_be() {
    check_word("if", "vertex 110", Word::Keyword(Keyword::If));
    check_word("uint", "vertex 130", Word::Type(Type::UINT));
    check_word("uint", "vertex 120", Word::Identifier);
    check_word("goto", "vertex 120", Word::Reserved);
}
