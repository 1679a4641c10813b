//! What is said about many commands alike is said once.

/// Returns notes with those that differ only in their command taken together, in the order in which they came first.
pub fn together(notes: Vec<String>) -> Vec<String> {
    let mut all: Vec<(String, Option<String>, u64)> = Vec::new();
    for note in notes {
        let (command, text) = match note.strip_prefix("command ").and_then(|rest| rest.split_once(": ")) {
            Some((command, text)) => (Some(command.to_owned()), text.to_owned()),
            None => (None, note),
        };
        match all.iter_mut().find(|(known, ..)| *known == text) {
            Some((.., more)) => *more += 1,
            None => all.push((text, command, 0)),
        }
    }
    let line = |(text, command, more): (String, Option<String>, u64)| match (command, more) {
        (None, _) => text,
        (Some(command), 0) => format!("command {command}: {text}"),
        (Some(command), more) => format!("command {command} and {more} more: {text}"),
    };
    all.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::together;

    #[test]
    fn notes_about_many_commands_are_taken_together() {
        let notes = ["command 3: fixed", "other: note", "command 7: fixed", "command 9: lost", "command 12: fixed"];
        let expected = ["command 3 and 2 more: fixed", "other: note", "command 9: lost"];
        assert_eq!(together(notes.map(str::to_owned).to_vec()), expected);
    }
}
