//! What the last word of a line may become.

use session::{Scope, Session};

use super::command::{self, Follows};
use super::desk::Desk;

/// Where the word in front of the cursor begins, and what it may become.
pub fn complete(desk: &mut Desk, line: &str) -> (usize, Vec<String>) {
    let Some((first, _)) = line.split_once(char::is_whitespace) else {
        return (0, beginning(line, command::all().map(|entry| entry.names[0].to_owned())));
    };
    let Ok(entry) = command::find(first) else { return (line.len(), Vec::new()) };
    let is_part = |c: char| c.is_alphanumeric() || "_-.[]".contains(c);
    let word = line.char_indices().rev().take_while(|(_, c)| is_part(*c)).last().map_or(line.len(), |(at, _)| at);
    let text = &line[word..];
    let words: Vec<&str> = line.split_whitespace().collect();
    let found = match entry.follows {
        Follows::Nothing | Follows::Number if words.contains(&"if") => names(desk, text),
        Follows::Nothing | Follows::Number => Vec::new(),
        Follows::Expression => names(desk, text),
        Follows::Settable => return settable(desk, line, word),
        Follows::Words(_) if words.len() > 2 || (words.len() == 2 && text.is_empty()) => names(desk, text),
        Follows::Words(all) => beginning(text, all.iter().map(|word| (*word).to_owned())),
        Follows::Command => beginning(text, command::all().map(|entry| entry.names[0].to_owned())),
        Follows::Exception => beginning(text, Session::exception_kinds().iter().map(|kind| kind.code.to_owned())),
    };
    (word, found)
}

/// What follows `set`: what, then whose, then of a texture a file.
fn settable(desk: &mut Desk, line: &str, word: usize) -> (usize, Vec<String>) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let place = words.len() - usize::from(!line.ends_with(char::is_whitespace));
    let Desk { session, frame, .. } = desk;
    let mut of = |scope| -> Vec<String> {
        let all = session.variables(*frame, scope).unwrap_or_default();
        beginning(&line[word..], all.into_iter().map(|variable| variable.name))
    };
    match (place, words.get(1).copied()) {
        (1, _) => {
            let mut all = beginning(&line[word..], command::SETTABLE.iter().map(|what| (*what).to_owned()));
            all.extend(names(desk, &line[word..]));
            (word, all)
        }
        (2, Some("texture")) => (word, of(Scope::Samplers)),
        (2, Some("uniform")) => (word, of(Scope::Uniforms)),
        (3.., Some("texture")) => {
            let from = line.rfind(char::is_whitespace).map_or(line.len(), |at| at + 1);
            (from, files(&line[from..]))
        }
        _ => (word, names(desk, &line[word..])),
    }
}

/// Pictures and folders whose path begins so.
fn files(text: &str) -> Vec<String> {
    let (folder, begin) = text.rsplit_once('/').map_or(("", text), |(folder, begin)| (folder, begin));
    let shown = if folder.is_empty() && !text.starts_with('/') { String::new() } else { format!("{folder}/") };
    let place = if shown.is_empty() { ".".to_owned() } else { shown.clone() };
    // A folder that cannot be read has nothing to offer.
    let Ok(entries) = std::fs::read_dir(place) else { return Vec::new() };
    let name = |entry: std::fs::DirEntry| {
        let name = entry.file_name().into_string().ok().filter(|name| name.starts_with(begin))?;
        let is_folder = entry.path().is_dir();
        let is_picture = name.to_ascii_lowercase().ends_with(".png");
        (is_folder || is_picture).then(|| format!("{shown}{name}{}", if is_folder { "/" } else { "" }))
    };
    let mut found: Vec<String> = entries.flatten().filter_map(name).collect();
    found.sort();
    found
}

/// Variables that can be named here, or parts of the one that the word ends in.
fn names(desk: &mut Desk, text: &str) -> Vec<String> {
    if let Some((whole, _)) = text.rsplit_once('.') {
        let parts = desk.session.children(desk.frame, whole).unwrap_or_default();
        return beginning(text, parts.into_iter().map(|part| part.path));
    }
    let Desk { session, frame, .. } = desk;
    let of = |scope| session.variables(*frame, scope).unwrap_or_default();
    beginning(text, Scope::ALL.into_iter().flat_map(of).map(|variable| variable.name))
}

fn beginning(text: &str, all: impl Iterator<Item = String>) -> Vec<String> {
    let mut found: Vec<String> = all.filter(|word| word.starts_with(text)).collect();
    found.sort();
    found.dedup();
    found
}
