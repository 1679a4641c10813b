//! The state as text: a tree with its values in columns.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use afterimage::StateTree;
use afterimage::tree::{Difference, Node, Value, spelled};
use state::annotation::quoted;

use super::Moment;
use crate::out;

/// How to print.
pub struct Style<'a> {
    /// Whether to colour.
    pub color: bool,
    /// What calls are called.
    pub names: &'a BTreeMap<u64, String>,
    /// What the recorded program calls its objects, by what they are and their names.
    pub labels: &'a BTreeMap<(String, u32), String>,
}

/// Lines are kept below this where something can be said in one or in several.
const WIDTH: usize = 110;
/// Names longer than this do not move the column of values for all the others.
const COLUMN: usize = 32;
/// Text longer than this is cut; its own path, and JSON, have all of it.
const LONGEST: usize = 400;

/// What a line is made of: its name, what stands beside it and what belongs below.
struct Entry {
    name: String,
    value: Option<String>,
    /// How many things the value says.
    parts: usize,
    below: Vec<Entry>,
}

impl Style<'_> {
    fn dim(&self, text: &str) -> String {
        if self.color { format!("{}{text}{}", out::style("2"), out::style("0")) } else { text.to_owned() }
    }

    fn bold(&self, text: &str) -> String {
        if self.color { format!("{}{text}{}", out::style("1"), out::style("0")) } else { text.to_owned() }
    }

    /// The label of an object, behind its name.
    fn label(&self, kind: &str, number: u32) -> String {
        quoted(self.labels.get(&(kind.to_owned(), number)).map(String::as_str))
    }

    fn value(&self, name: &str, value: &Value) -> String {
        let text = match value {
            // `buffer 3` says the same as `buffer buffer/3`.
            Value::Object(kind, number) if *kind == name && *number != 0 => {
                number.to_string() + &self.label(kind, *number)
            }
            Value::Object(kind, number) => value.to_string() + &self.label(kind, *number),
            Value::Call(number) => match self.names.get(number).filter(|name| !name.is_empty()) {
                Some(name) => format!("{name} (command {number})"),
                None => value.to_string(),
            },
            Value::Text(text) => {
                text.lines().next().map(str::to_owned).unwrap_or_default()
                    + if text.lines().nth(1).is_some() { " …" } else { "" }
            }
            _ => value.to_string(),
        };
        match text.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }
}

/// The state after one command.
pub fn page(moment: &Moment, path: &[String], node: &Node, hidden: &[String], style: &Style<'_>) -> String {
    let mut text = style.dim(&headline(moment)) + "\n";
    if let (Some(Value::Text(whole)), true) = (&node.value, node.children.is_empty()) {
        // What is asked for alone is shown as a whole.
        text += whole;
        if !whole.ends_with('\n') {
            text.push('\n');
        }
    } else if path.is_empty() {
        let entries = entries(&node.children, 0, style);
        write(&mut text, &entries, 0, style);
    } else {
        let entry = entry(spelled(path), node, 0, style, false);
        write(&mut text, &[entry], 0, style);
    }
    if !hidden.is_empty() {
        let _ = writeln!(
            text,
            "{}",
            style.dim(&format!("Not shown: {} (ask for them by path, or for --all).", hidden.join(", ")))
        );
    }
    text
}

/// What two states differ in: lines that begin with - and + under the path that they have in common.
pub fn differences(moment: &Moment, other: &Moment, differences: &[Difference], style: &Style<'_>) -> String {
    let mut text = format!(
        "{}\n{}\n",
        style.dim(&format!("- {}", headline(moment))),
        style.dim(&format!("+ {}", headline(other)))
    );
    if differences.is_empty() {
        text += "There is no difference.\n";
    }
    for block in folded(differences) {
        let _ = writeln!(text, "{}", style.bold(&block.parent));
        for entry in block.entries {
            for (node, sign, color) in [(entry.before, "-", "31"), (entry.after, "+", "32")] {
                let Some(node) = node else { continue };
                let mut lines = String::new();
                let plain = Style { color: false, ..*style };
                write(&mut lines, &[self::entry(entry.name.clone(), node, 1, &plain, true)], 0, &plain);
                for line in lines.lines() {
                    let line = format!("  {sign} {line}");
                    let _ = writeln!(
                        text,
                        "{}",
                        if style.color { format!("{}{line}{}", out::style(color), out::style("0")) } else { line }
                    );
                }
            }
        }
    }
    text
}

/// Differences with a parent in common.
struct Block<'d> {
    parent: String,
    entries: Vec<Changed<'d>>,
    /// The path of the last parent that is part of it.
    last: &'d [String],
}

/// A node that differs; alike nodes that follow each other are one, called `0..15`.
struct Changed<'d> {
    name: String,
    last: &'d str,
    before: &'d Option<Node>,
    after: &'d Option<Node>,
}

/// Puts differences under their parents. What differs in the same way in members of a list that follow each other is there
/// once, as in a page: the viewports, the levels of a texture.
fn folded(differences: &[Difference]) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    for (at, difference) in differences.iter().enumerate() {
        let Some((name, parent)) = difference.path.split_last() else { continue };
        // The last write of a part is that part's own value, too.
        let above = differences[..at].iter().rev().take(2).find(|above| above.path == parent);
        if above.is_some_and(|above| {
            value(&above.before) == value(&difference.before) && value(&above.after) == value(&difference.after)
        }) {
            continue;
        }
        let Difference { before, after, .. } = difference;
        match blocks.last_mut().filter(|block| block.last == parent) {
            Some(block) => match block.entries.last_mut() {
                Some(last)
                    if is_alike(last.before, before) && is_alike(last.after, after) && follows(last.last, name) =>
                {
                    let first = last.name.split("..").next().unwrap_or_default();
                    (last.name, last.last) = (format!("{first}..{name}"), name);
                }
                _ => block.entries.push(Changed { name: name.clone(), last: name, before, after }),
            },
            None => {
                let entries = vec![Changed { name: name.clone(), last: name, before, after }];
                blocks.push(Block { parent: spelled(parent), entries, last: parent });
            }
        }
    }
    let mut folded: Vec<Block<'_>> = Vec::new();
    for block in blocks {
        let like = folded.last_mut().filter(|last| {
            let alike = |(one, other): (&Changed<'_>, &Changed<'_>)| {
                one.name == other.name && is_alike(one.before, other.before) && is_alike(one.after, other.after)
            };
            last.entries.len() == block.entries.len() && last.entries.iter().zip(&block.entries).all(alike)
        });
        match like.and_then(|last| joined(&last.parent, last.last, block.last).map(|name| (last, name))) {
            Some((last, parent)) => (last.parent, last.last) = (parent, block.last),
            None => folded.push(block),
        }
    }
    folded
}

/// A path with a range in it, if the next one differs in one number only, by one.
fn joined(shown: &str, last: &[String], next: &[String]) -> Option<String> {
    let mut differing = last.iter().zip(next).enumerate().filter(|(_, (one, other))| one != other);
    let (at, (one, other)) = differing.next()?;
    if differing.next().is_some() || last.len() != next.len() || !follows(one, other) {
        return None;
    }
    let mut parts: Vec<String> = shown.split('/').map(str::to_owned).collect();
    let part = parts.get_mut(at)?;
    // Two different members may be folded only if the range is the part that goes on.
    let first = part.split("..").next().unwrap_or_default().to_owned();
    *part = format!("{first}..{other}");
    let ranges = parts.iter().filter(|part| part.contains("..")).count();
    (ranges == 1).then(|| parts.join("/"))
}

/// Whether a name is a number, and the next one after another.
fn follows(one: &str, other: &str) -> bool {
    matches!((one.parse::<u64>(), other.parse::<u64>()), (Ok(one), Ok(other)) if one.checked_add(1) == Some(other))
}

/// Whether two nodes hold the same; they may have different names.
fn is_alike(one: &Option<Node>, other: &Option<Node>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.value == other.value && one.children == other.children,
        (one, other) => one.is_none() && other.is_none(),
    }
}

fn value(node: &Option<Node>) -> Option<&Value> {
    node.as_ref().and_then(|node| node.value.as_ref())
}

fn headline(moment: &Moment) -> String {
    let StateTree { command, frame, thread, text, .. } = &moment.0;
    let frame = trace::frame_name(*frame);
    format!("after command {command}, {frame}, thread {thread}: {text}")
}

/// Children as lines. Members of a list are called `list/1`, and those that are alike and follow each other, `list/1..4`.
fn entries(children: &[Node], depth: usize, style: &Style<'_>) -> Vec<Entry> {
    let mut entries = Vec::new();
    for child in children {
        if !is_list(child) {
            entries.push(entry(child.name.clone(), child, depth, style, true));
            continue;
        }
        let mut rest = &child.children[..];
        while let Some(first) = rest.first() {
            let alike = rest.iter().enumerate().take_while(|(at, other)| is_like(first, other, *at)).count();
            let last = &rest[alike - 1];
            let range = if alike > 1 { format!("{}..{}", first.name, last.name) } else { first.name.clone() };
            entries.push(entry(format!("{}/{range}", child.name), first, depth, style, true));
            rest = &rest[alike..];
        }
    }
    entries
}

fn is_list(node: &Node) -> bool {
    let numbered = |name: &str| name.starts_with(|letter: char| letter.is_ascii_digit());
    node.value.is_none() && !node.children.is_empty() && node.children.iter().all(|child| numbered(&child.name))
}

/// Returns whether a member of a list equals one a distance before it.
fn is_like(first: &Node, other: &Node, distance: usize) -> bool {
    let follows = match (first.name.parse::<usize>(), other.name.parse::<usize>()) {
        (Ok(one), Ok(two)) => one + distance == two,
        _ => distance == 0,
    };
    follows && first.value == other.value && first.children == other.children
}

fn entry(name: String, node: &Node, depth: usize, style: &Style<'_>, may_be_short: bool) -> Entry {
    let own = node.value.as_ref().map(|value| style.value(&name, value));
    let below = entries(&node.children, depth + 1, style);
    // A few values fit beside the name, as long as it stays clear what belongs to what.
    let flat = below.iter().all(|entry| entry.below.is_empty() && entry.parts <= 1);
    if may_be_short && flat && !below.is_empty() {
        let said = |entry: &Entry| match entry.value.as_deref() {
            None | Some("true") => entry.name.clone(),
            Some(value) => format!("{} {value}", entry.name),
        };
        let parts: Vec<String> = own.iter().cloned().chain(below.iter().map(said)).collect();
        let short = parts.join(", ");
        if depth * 2 + name.len().max(16) + 2 + short.len() <= WIDTH {
            return Entry { name, value: Some(short), parts: parts.len(), below: Vec::new() };
        }
    }
    let broken = node.value.as_ref().and_then(|value| broken(value, style));
    Entry { name, value: own, parts: 1, below: broken.unwrap_or(below) }.lightened()
}

/// A matrix or an array that is too long for a line: an element in each.
fn broken(value: &Value, style: &Style<'_>) -> Option<Vec<Entry>> {
    let Value::List(elements) = value else { return None };
    let nested = elements.iter().any(|element| matches!(element, Value::List(_)));
    (nested && value.to_string().len() > WIDTH / 2).then(|| {
        let line = |(at, element): (usize, &Value)| {
            let name = format!("[{at}]");
            let value = style.value(&name, element);
            Entry { name, value: Some(value), parts: 1, below: Vec::new() }
        };
        elements.iter().enumerate().map(line).collect()
    })
}

impl Entry {
    /// Without the value where what is below says it.
    fn lightened(mut self) -> Entry {
        if self.below.first().is_some_and(|first| first.name == "[0]") {
            self.value = None;
        }
        self
    }
}

fn write(text: &mut String, entries: &[Entry], depth: usize, style: &Style<'_>) {
    let values = entries.iter().filter(|entry| entry.value.is_some());
    let column = values.map(|entry| entry.name.chars().count()).filter(|width| *width <= COLUMN).max().unwrap_or(0);
    for entry in entries {
        let indent = "  ".repeat(depth);
        let padding = " ".repeat(column.saturating_sub(entry.name.chars().count()));
        let _ = match &entry.value {
            Some(value) if entry.below.is_empty() => {
                writeln!(text, "{indent}{}{padding}  {value}", style.dim(&entry.name))
            }
            Some(value) => writeln!(text, "{indent}{}{padding}  {value}", style.bold(&entry.name)),
            None => writeln!(text, "{indent}{}", style.bold(&entry.name)),
        };
        write(text, &entry.below, depth + 1, style);
    }
}
