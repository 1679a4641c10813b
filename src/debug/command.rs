//! The commands of the debugger: what they are called, what follows them and what they do, all in one table.

use std::fmt::Write as _;

use anyhow::bail;
use session::Step;

/// What a command does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verb {
    Go(Step),
    Goto,
    Break,
    Watch,
    Catch,
    Delete,
    Print,
    Display,
    Undisplay,
    Set,
    Undo,
    Info,
    Backtrace,
    Frame,
    Up,
    Down,
    List,
    Reads,
    IntoRead,
    Pass,
    Pixel,
    Fragment,
    Vertex,
    Primitive,
    Thread,
    Lanes,
    Lane,
    Findings,
    LastWrite,
    History,
    Node,
    Back,
    Way,
    Find,
    Group,
    Choose,
    Mask,
    Values,
    Measure,
    Help,
    Quit,
}

/// What can follow a command, for completion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Follows {
    Nothing,
    Number,
    /// A variable or an expression.
    Expression,
    /// One of a few words.
    Words(&'static [&'static str]),
    /// The name of a command.
    Command,
    /// A sort of undefined behaviour.
    Exception,
    /// Something that can be set, its name, and of a texture a file.
    Settable,
}

/// A command.
pub struct Entry {
    /// Its name, then shorter ones.
    pub names: &'static [&'static str],
    /// What follows the name, for people.
    pub usage: &'static str,
    /// What can follow it, for completion.
    pub follows: Follows,
    /// What it does, in a sentence or two.
    pub help: &'static str,
    pub verb: Verb,
}

/// What `info` tells about.
pub const TOPICS: &[&str] = &[
    "locals",
    "parameters",
    "globals",
    "inputs",
    "outputs",
    "uniforms",
    "builtins",
    "samplers",
    "breakpoints",
    "display",
    "frames",
    "draws",
    "invocation",
    "sources",
];

/// What can be set.
pub const SETTABLE: &[&str] = &["var", "uniform", "attribute", "texture"];

const fn entry(
    names: &'static [&'static str],
    usage: &'static str,
    follows: Follows,
    verb: Verb,
    help: &'static str,
) -> Entry {
    Entry { names, usage, follows, help, verb }
}

/// A part of the table, with a title for `help`.
pub type Group = (&'static str, &'static [Entry]);

use Follows::{Exception, Expression, Nothing, Number, Words};
use Verb as V;

/// All commands, in the order in which `help` lists them.
pub const COMMANDS: &[Group] = &[
    (
        "Going",
        &[
            entry(&["step", "s"], "[N]", Number, V::Go(Step::Into), "To the next statement, into functions."),
            entry(&["next", "n"], "[N]", Number, V::Go(Step::Over), "To the next statement, over calls of functions."),
            entry(
                &["finish", "fin"],
                "",
                Nothing,
                V::Go(Step::Out),
                "Out of the function; out of `main`, back to the texture read that led here (as `back`), else to the end.",
            ),
            entry(&["continue", "c"], "", Nothing, V::Go(Step::Continue), "To the next breakpoint, or to the end."),
            entry(
                &["reverse-step", "rs"],
                "[N]",
                Number,
                V::Go(Step::BackInto),
                "To the statement before, into functions.",
            ),
            entry(
                &["reverse-next", "rn"],
                "[N]",
                Number,
                V::Go(Step::BackOver),
                "To the statement before, over calls of functions.",
            ),
            entry(&["reverse-finish", "rf"], "", Nothing, V::Go(Step::BackOut), "Back to the call of the function."),
            entry(
                &["reverse-continue", "rc"],
                "",
                Nothing,
                V::Go(Step::ReverseContinue),
                "To the last breakpoint before, or to the start.",
            ),
            entry(&["start"], "", Nothing, V::Go(Step::ToStart), "To the first statement."),
            entry(&["end"], "", Nothing, V::Go(Step::ToEnd), "To the end of the invocation."),
            entry(
                &["goto"],
                "LINE | start | end | time T",
                Words(&["start", "end", "time"]),
                V::Goto,
                "To a line of this shader: to where it is reached next, or else where it was reached last; or to the time that `info \
                 invocation` shows.",
            ),
        ],
    ),
    (
        "Stopping",
        &[
            entry(
                &["break", "b"],
                "LINE [if CONDITION] [hits N] [log TEXT]",
                Number,
                V::Break,
                "Stop at a line; where a condition in GLSL holds; the Nth time only, or `hits >= N`. With `log`, note a text \
                 with {expressions} in it and go on.",
            ),
            entry(
                &["watch"],
                "VARIABLE [if CONDITION]",
                Expression,
                V::Watch,
                "Stop where a variable, or a part of one, was given another value; on the way back, where the next statement does \
                 that. It may be declared further on. `display` shows expressions.",
            ),
            entry(
                &["catch"],
                "[KIND… | none]",
                Exception,
                V::Catch,
                "Stop at what is undefined: `catch not-finite`; alone, list the kinds.",
            ),
            entry(
                &["find"],
                "LINE [if CONDITION] | #N",
                Number,
                V::Find,
                "Where in all draws of the frame a line is reached with a condition true; with the number of one of these, enter it: \
                 `find #2`.",
            ),
            entry(&["delete", "d"], "[N]", Number, V::Delete, "Take a breakpoint or watch away; all without a number."),
        ],
    ),
    (
        "Looking",
        &[
            entry(
                &["print", "p"],
                "EXPRESSION",
                Expression,
                V::Print,
                "What any expression of the language comes to here, with its parts.",
            ),
            entry(&["measure"], "EXPRESSION", Expression, V::Measure, "The same, asked of the device."),
            entry(&["display"], "[EXPRESSION]", Expression, V::Display, "Show an expression at every stop."),
            entry(&["undisplay"], "[N]", Number, V::Undisplay, "Stop showing one; all without a number."),
            entry(
                &["info", "i"],
                "TOPIC",
                Words(TOPICS),
                V::Info,
                "Variables of a sort, breakpoints, draws of the frame, shaders: `info locals`.",
            ),
            entry(&["list", "l"], "[LINE]", Number, V::List, "The shader's text around here, or around a line."),
            entry(&["backtrace", "bt", "where"], "", Nothing, V::Backtrace, "The calls, and the passes below them."),
            entry(&["frame", "f"], "N", Number, V::Frame, "Look at a frame of the backtrace."),
            entry(&["up"], "", Nothing, V::Up, "Look at the caller."),
            entry(&["down"], "", Nothing, V::Down, "Look at the one called."),
            entry(&["lanes"], "", Nothing, V::Lanes, "The neighbours in the quad or workgroup, and where they are."),
            entry(&["lane"], "N", Number, V::Lane, "Follow a neighbour from here on."),
            entry(
                &["findings"],
                "",
                Nothing,
                V::Findings,
                "What the invocation does that the language leaves undefined.",
            ),
            entry(
                &["last-write", "lw"],
                "VARIABLE",
                Expression,
                V::LastWrite,
                "Go to the statement that wrote a variable last.",
            ),
        ],
    ),
    (
        "Through time and passes",
        &[
            entry(&["reads"], "", Nothing, V::Reads, "The texels that the statement reads, here or just before."),
            entry(
                &["into-read", "ir"],
                "[READ [TEXEL]]",
                Number,
                V::IntoRead,
                "Step into a texture read: to the invocation that wrote the texel. READ and TEXEL are numbers that `reads` \
                 lists, from 0; without them it is the first texel that is no number, or the first of the first read. `back` \
                 returns to the read, and so does `finish` in `main`.",
            ),
            entry(&["pass"], "", Nothing, V::Pass, "The invocations that were entered, one read after the other."),
            entry(&["history"], "[DEPTH]", Number, V::History, "Who made this pixel, through every pass."),
            entry(&["node"], "N", Number, V::Node, "Enter an event of the history."),
            entry(
                &["back"],
                "",
                Nothing,
                V::Back,
                "Back to where you were before you entered another invocation; after `into-read`, to the statement that reads. \
                 Again, further back.",
            ),
            entry(&["way"], "", Nothing, V::Way, "How the chosen pixel came to depend on this invocation."),
        ],
    ),
    (
        "Choosing",
        &[
            entry(
                &["pixel"],
                "X,Y [FRAME]",
                Number,
                V::Pixel,
                "Enter the invocation that wrote a pixel last in a frame.",
            ),
            entry(
                &["fragment"],
                "COMMAND X,Y [PRIMITIVE]",
                Number,
                V::Fragment,
                "The fragment of a draw at a pixel, of several the last, or that of a primitive; `frame:3` names the last \
                 draw of a frame.",
            ),
            entry(&["vertex"], "COMMAND N [INSTANCE]", Number, V::Vertex, "A vertex of a draw."),
            entry(
                &["primitive"],
                "COMMAND STAGE N",
                Number,
                V::Primitive,
                "An invocation of a geometry or tessellation shader.",
            ),
            entry(&["thread"], "COMMAND X,Y,Z", Number, V::Thread, "An invocation of a compute shader."),
        ],
    ),
    (
        "Changing",
        &[
            entry(
                &["set"],
                "[var] NAME = VALUE | uniform NAME = NUMBERS | attribute NAME = NUMBERS | texture SAMPLER FILE.png",
                Follows::Settable,
                V::Set,
                "Go on with another value; the recording stays as it is. A sampler of 2D textures can read a picture instead.",
            ),
            entry(&["undo"], "", Nothing, V::Undo, "Back to what was recorded."),
        ],
    ),
    (
        "All fragments of a draw together",
        &[
            entry(
                &["group"],
                "[COMMAND | end]",
                Words(&["end"]),
                V::Group,
                "Walk through all fragments of a draw at once; next, step, finish and their reverse then move all that are here. \
                 Where ways part, the shares are shown, and `choose` takes one; a plain step goes with the most. Each pixel \
                 counts once, with the fragment that stays there: fragments that are discarded, or covered by others, are left out.",
            ),
            entry(
                &["choose"],
                "true | false | next | leave",
                Words(crate::debug::desk::group::WAYS),
                V::Choose,
                "Go with those whose condition is true, or false; into the next iteration; or leave the loop, through all that are left.",
            ),
            entry(&["mask"], "", Nothing, V::Mask, "Which pixels are here, and which way they go."),
            entry(
                &["values"],
                "EXPRESSION",
                Expression,
                V::Values,
                "What an expression comes to in all fragments that are here, measured: least, largest, mean, and what is no number.",
            ),
        ],
    ),
    (
        "Else",
        &[
            entry(&["help", "h"], "[COMMAND]", Follows::Command, V::Help, "This list, or more about a command."),
            entry(&["quit", "q", "exit"], "", Nothing, V::Quit, "Leave."),
        ],
    ),
];

/// All commands.
pub fn all() -> impl Iterator<Item = &'static Entry> {
    COMMANDS.iter().flat_map(|(_, entries)| entries.iter())
}

/// A line as a command and what follows it.
///
/// # Errors
/// When there is no such command, or several that begin so.
pub fn parse(line: &str) -> anyhow::Result<(&'static Entry, &str)> {
    let line = without_comment(line).trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    Ok((find(word)?, rest.trim()))
}

/// Leaves out a comment: all from a `#` on that stands between spaces. In `find #2` it begins a number, and GLSL has it at
/// the beginning of lines only.
pub fn without_comment(line: &str) -> &str {
    let after_space = |at: usize| at == 0 || line[..at].ends_with(char::is_whitespace);
    let before_space = |at: usize| line[at + 1..].is_empty() || line[at + 1..].starts_with(char::is_whitespace);
    let mut signs = line.match_indices('#').map(|(at, _)| at);
    signs.find(|at| after_space(*at) && before_space(*at)).map_or(line, |at| &line[..at])
}

/// A command by its name, or by as much of it as tells it from others.
///
/// # Errors
/// When there is none, or several.
pub fn find(word: &str) -> anyhow::Result<&'static Entry> {
    if let Some(entry) = all().find(|entry| entry.names.contains(&word)) {
        return Ok(entry);
    }
    let like: Vec<&Entry> = all().filter(|entry| entry.names[0].starts_with(word)).collect();
    match like.as_slice() {
        [one] => Ok(one),
        [] => match nearest(word) {
            Some(like) => bail!("there is no command `{word}`; did you mean `{like}`?"),
            None => bail!("there is no command `{word}`; `help` lists them"),
        },
        several => {
            let names: Vec<&str> = several.iter().map(|entry| entry.names[0]).collect();
            bail!("`{word}` may be {}", names.join(", "))
        }
    }
}

/// Returns the command whose name is the fewest letters off, and at most a third of its letters.
fn nearest(word: &str) -> Option<&'static str> {
    // A word of any length may be typed.
    let names = all().map(|entry| entry.names[0]).filter(|name| name.len().abs_diff(word.len()) <= 2);
    let like =
        names.map(|name| (distance(word, name), name)).filter(|(off, name)| *off <= name.len().div_ceil(3).min(2));
    like.min().map(|(_, name)| name)
}

/// Returns how many letters are to be added, taken away, changed or swapped to make one word of another.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut rows = vec![(0..=other.len()).collect::<Vec<usize>>()];
    for (at, letter) in one.iter().enumerate() {
        let mut row = vec![at + 1];
        for (place, own) in other.iter().enumerate() {
            let changed = rows[at][place] + usize::from(letter != own);
            let mut least = changed.min(rows[at][place + 1] + 1).min(row[place] + 1);
            if at > 0 && place > 0 && *letter == other[place - 1] && one[at - 1] == *own {
                least = least.min(rows[at - 1][place - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[one.len()][other.len()]
}

/// What `help` says, of one command or of all.
///
/// # Errors
/// When there is no such command.
pub fn help(word: &str) -> anyhow::Result<String> {
    let mut text = String::new();
    if !word.is_empty() {
        let entry = find(word)?;
        let usage = format!("{} {}", entry.names[0], entry.usage);
        let _ = writeln!(text, "{}", usage.trim_end());
        let _ = writeln!(text, "  {}", entry.help);
        if entry.names.len() > 1 {
            let _ = writeln!(text, "  Shorter: {}.", entry.names[1..].join(", "));
        }
        return Ok(text);
    }
    for (title, entries) in COMMANDS {
        let _ = writeln!(text, "{title}");
        for entry in *entries {
            let short = entry.names.get(1).map_or(String::new(), |short| format!(" ({short})"));
            let first =
                entry.help.split_inclusive(['.', ';']).next().unwrap_or(entry.help).trim_end_matches(['.', ';']);
            let _ = writeln!(text, "  {:<22} {first}", format!("{}{short}", entry.names[0]));
        }
    }
    let _ = writeln!(
        text,
        "Commands can be shortened. An empty line does the last one again. From a `#` between spaces on, a line is a comment."
    );
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_whole_shortened_and_never_by_chance() {
        assert_eq!(parse("n 3").unwrap().0.verb, Verb::Go(Step::Over));
        assert_eq!(parse("  reverse-n").unwrap().0.verb, Verb::Go(Step::BackOver));
        assert_eq!(parse("print a + b").unwrap().1, "a + b");
        assert_eq!(find("l").unwrap().verb, Verb::List);
        assert!(find("re").err().unwrap().to_string().contains("reverse-step"));
        assert!(find("jump").is_err());
        let said = |word: &str| find(word).err().map(|error| error.to_string()).unwrap_or_default();
        assert_eq!(said("brake"), "there is no command `brake`; did you mean `break`?");
        assert_eq!(said("pritn"), "there is no command `pritn`; did you mean `print`?");
        assert_eq!(said("jump"), "there is no command `jump`; `help` lists them");
    }

    #[test]
    fn comments_are_left_out_and_numbers_are_not() {
        assert_eq!(parse("break 64 if i == 2   # the third time").unwrap().1, "break 64 if i == 2"[6..].trim());
        assert_eq!(parse("find #2").unwrap().1, "#2");
        assert_eq!(parse("find #2 # enter it").unwrap().1, "#2");
        assert_eq!(parse("break 3 log a#b").unwrap().1, "3 log a#b");
        assert_eq!(without_comment("# all of it"), "");
        assert_eq!(without_comment("next #"), "next ");
    }

    #[test]
    fn no_two_commands_share_a_name() {
        let mut names: Vec<&str> = all().flat_map(|entry| entry.names.iter().copied()).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn help_knows_every_command() {
        let list = help("").unwrap();
        for entry in all() {
            assert!(list.contains(entry.names[0]));
            assert!(help(entry.names[0]).unwrap().contains(entry.help));
        }
    }
}
