//! Finds commands in the fenced blocks of a document.

/// Something to do.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// Run a command.
    Run {
        command: String,
        /// Its exit status.
        status: i32,
        /// What the document says that it prints.
        shown: Option<Vec<String>>,
    },
    /// Write a file.
    File { name: String, text: String },
}

/// Beginnings of lines that are commands, which must not stand in a block that is not run.
const COMMANDS: [&str; 4] = ["$ ", "cargo ", "afterimage ", "target/"];

/// Returns the steps of a document, each with its line.
///
/// # Errors
/// When a block does not end or has commands that would not be found, with its line.
pub fn steps(text: &str) -> Result<Vec<(usize, Step)>, String> {
    let mut steps = Vec::new();
    // Rust sources have their text in comments.
    let line = |line: &'_ str| line.strip_prefix("//! ").or(line.strip_prefix("//!")).unwrap_or(line).to_owned();
    let mut lines = (1..).zip(text.lines().map(line));
    while let Some((number, line)) = lines.next() {
        let Some(language) = line.trim_start().strip_prefix("```") else { continue };
        let mut block = Vec::new();
        loop {
            match lines.next() {
                Some((_, line)) if line.trim() == "```" => break,
                Some(line) => block.push(line),
                None => return Err(format!("{number}: the block does not end")),
            }
        }
        match language.split_once(' ').unwrap_or((language, "")) {
            ("sh", "") => steps.extend(block.into_iter().map(|(number, line)| (number, run(line, None)))),
            ("console", "") => console(block, &mut steps)?,
            ("debugger", place) => steps.push((number, debugger(place, &block))),
            ("c", "") => steps.extend(file(&block).map(|step| (number, step))),
            _ => {
                let is_command = |line: &str| COMMANDS.iter().any(|beginning| line.starts_with(beginning));
                if let Some((number, line)) = block.iter().find(|(_, line)| is_command(line)) {
                    return Err(format!("{number}: `{line}` is a command, but its block is neither sh nor console"));
                }
            }
        }
    }
    Ok(steps)
}

fn run(command: String, shown: Option<Vec<String>>) -> Step {
    let comment = command.split_once(" # ").map_or("", |(_, comment)| comment);
    let status =
        comment.split_once("exits with ").and_then(|(_, rest)| rest.split([' ', ':', ',']).next()?.parse().ok());
    Step::Run { command, status: status.unwrap_or(0), shown }
}

fn console(block: Vec<(usize, String)>, steps: &mut Vec<(usize, Step)>) -> Result<(), String> {
    for (number, line) in block {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => steps.push((number, run(command.to_owned(), Some(Vec::new())))),
            (None, Some((_, Step::Run { shown: Some(shown), .. }))) => shown.push(line),
            _ => return Err(format!("{number}: a console block begins with a command: `$ …`")),
        }
    }
    Ok(())
}

/// Returns one run of the debugger with all commands of a block.
fn debugger(place: &str, block: &[(usize, String)]) -> Step {
    let commands: Vec<String> = block.iter().map(|(_, line)| format!("'{}'", line.replace('\'', r"'\''"))).collect();
    let commands = commands.join(" ");
    run(format!("printf '%s\\n' {commands} | target/release/afterimage debug {place} --batch -"), None)
}

/// Returns the file that a block of C is, if it begins with a name.
fn file(block: &[(usize, String)]) -> Option<Step> {
    let name = block.first()?.1.strip_prefix("/* ")?.strip_suffix(" */")?;
    let text = block.iter().map(|(_, line)| format!("{line}\n")).collect();
    Some(Step::File { name: name.to_owned(), text })
}

#[test]
fn commands_are_found_with_what_they_print() {
    let text = "\
text
```console
$ one
1
$ two # exits with 1: no
```
```sh
three
```
```debugger t.aftr
print a'b   # shows it
```
```c
/* x.c */
int x;
```
";
    let run = |command: &str, status, shown: Option<&[&str]>| Step::Run {
        command: command.to_owned(),
        status,
        shown: shown.map(|lines| lines.iter().map(|line| (*line).to_owned()).collect()),
    };
    let expected = [
        (3, run("one", 0, Some(&["1"]))),
        (5, run("two # exits with 1: no", 1, Some(&[]))),
        (8, run("three", 0, None)),
        (
            10,
            run(
                r"printf '%s\n' 'print a'\''b   # shows it' | target/release/afterimage debug t.aftr --batch -",
                0,
                None,
            ),
        ),
        (13, Step::File { name: "x.c".to_owned(), text: "/* x.c */\nint x;\n".to_owned() }),
    ];
    assert_eq!(steps(text).unwrap(), expected);
    assert_eq!(
        steps("```\ncargo x\n```").unwrap_err(),
        "2: `cargo x` is a command, but its block is neither sh nor console"
    );
    assert_eq!(steps("```console\nx\n```").unwrap_err(), "2: a console block begins with a command: `$ …`");
    assert_eq!(steps("```sh\nx").unwrap_err(), "1: the block does not end");
}
