//! The documents that `--json` prints. The tables of `docs/json.md` are generated from these types and those of crate
//! `session` (`tests/json_docs`).

pub mod breakpoint;
pub mod check;
pub mod dump;
pub mod findings;
pub mod graph;
pub mod history;
pub mod info;
pub mod inspect;
pub mod record;
pub mod replay;
pub mod report;
pub mod run;
pub mod sources;
pub mod state;
pub mod trim;

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{Formatter, PrettyFormatter};

/// A list that is made while it is printed: a trace may have millions of frames, and their text would not fit into memory.
pub struct Stream<'a, T>(Box<dyn Fn() -> Items<'a, T> + 'a>);

type Items<'a, T> = Box<dyn Iterator<Item = T> + 'a>;

impl<'a, T> Stream<'a, T> {
    /// Makes a list of the items that `items` returns each time it is called.
    pub fn new<I: Iterator<Item = T> + 'a>(items: impl Fn() -> I + 'a) -> Stream<'a, T> {
        Stream(Box::new(move || Box::new(items())))
    }
}

impl<T: Serialize> Serialize for Stream<'_, T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// Prints a document on stdout, with a line for each key and a line break at its end.
///
/// # Errors
/// When it cannot be printed.
pub fn print(document: &impl Serialize) -> io::Result<()> {
    let mut out = crate::out::raw();
    write(&mut out, document)?;
    out.flush()
}

/// Prints a document on stdout, with a line for each key and each item of its lists: what they contain is on their lines, so
/// that a document of hundreds of thousands of items is half as large.
///
/// # Errors
/// When it cannot be printed.
pub fn print_items(document: &impl Serialize) -> io::Result<()> {
    let mut out = crate::out::raw();
    document.serialize(&mut Serializer::with_formatter(&mut out, Escaping(ItemFormatter { depth: 0 })))?;
    out.write_all(b"\n")?;
    out.flush()
}

/// Returns a document as text, with a line for each key and a line break at its end.
///
/// # Errors
/// When the document cannot be serialised, which would be a fault of its type.
pub fn pretty(document: &impl Serialize) -> serde_json::Result<String> {
    let mut text = Vec::new();
    write(&mut text, document)?;
    // serde_json writes UTF-8.
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Returns a document as one line of text.
///
/// # Errors
/// When the document cannot be serialised, which would be a fault of its type.
pub fn line(document: &impl Serialize) -> serde_json::Result<String> {
    let text = serde_json::to_string(document)?;
    Ok(if text.is_ascii() && !text.contains('\x7f') { text } else { escaped(&text) })
}

fn write(mut out: impl Write, document: &impl Serialize) -> serde_json::Result<()> {
    document.serialize(&mut Serializer::with_formatter(&mut out, Escaping(PrettyFormatter::new())))?;
    out.write_all(b"\n").map_err(serde_json::Error::io)
}

/// Returns a text in which the characters that a terminal may act on are escaped as JSON has it. serde_json escapes those
/// below U+0020 itself.
fn escaped(text: &str) -> String {
    let mut all = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        if letter != '\n' && crate::out::is_unsafe(letter) {
            all.extend(letter.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            all.push(letter);
        }
    }
    all
}

/// A layout, with more characters escaped than serde_json escapes.
struct Escaping<F>(F);

/// The layout of a document whose lists may be long: a line for each of its keys, and for each item of its lists.
struct ItemFormatter {
    /// The number of lists and objects around.
    depth: usize,
}

/// Lists and objects around of which each value has a line of its own: the document, and its lists.
const DEPTH_OF_ITEMS: usize = 2;

impl ItemFormatter {
    /// Begins a line, or not.
    fn value<W: ?Sized + Write>(&self, out: &mut W, first: bool) -> io::Result<()> {
        if !first {
            out.write_all(b",")?;
        }
        if self.depth <= DEPTH_OF_ITEMS { out.write_all(b"\n") } else { Ok(()) }
    }

    fn end<W: ?Sized + Write>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        out.write_all(bracket)
    }
}

impl Formatter for ItemFormatter {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth += 1;
        out.write_all(b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.end(out, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.value(out, first)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        // An object directly in the document is one item.
        self.depth += if self.depth == 0 { 1 } else { DEPTH_OF_ITEMS };
        out.write_all(b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth -= if self.depth == 1 { 0 } else { DEPTH_OF_ITEMS - 1 };
        self.end(out, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.value(out, first)
    }
}

/// Passes methods on.
macro_rules! delegate {
    ($($method:ident($($argument:ident: $type:ty)?)),* $(,)?) => {
        $(fn $method<W: ?Sized + Write>(&mut self, out: &mut W $(, $argument: $type)?) -> io::Result<()> {
            self.0.$method(out $(, $argument)?)
        })*
    };
}

impl<F: Formatter> Formatter for Escaping<F> {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        if fragment.is_ascii() && !fragment.contains('\x7f') {
            out.write_all(fragment.as_bytes())
        } else {
            out.write_all(escaped(fragment).as_bytes())
        }
    }

    delegate! {
        begin_array(),
        end_array(),
        begin_array_value(first: bool),
        end_array_value(),
        begin_object(),
        end_object(),
        begin_object_key(first: bool),
        begin_object_value(),
        end_object_value(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_do_nothing_to_a_terminal() {
        let text = "\x1b[2J\x7f\u{9b}1m\u{202e}für ∅ 😀";
        let escaped = "\\u001b[2J\\u007f\\u009b1m\\u202efür ∅ 😀";
        assert_eq!(pretty(&[text]).unwrap(), format!("[\n  \"{escaped}\"\n]\n"));
        assert_eq!(line(&[text]).unwrap(), format!("[\"{escaped}\"]"));
        assert_eq!(serde_json::from_str::<[String; 1]>(&line(&[text]).unwrap()).unwrap(), [text]);
    }

    #[test]
    fn documents_of_items_have_a_line_for_each() {
        let document = serde_json::json!({ "at": [1, 2], "list": [{ "a": 1, "b": [1, [2]] }, {}], "none": null, "one": { "c": 3 } });
        let mut text = Vec::new();
        document.serialize(&mut Serializer::with_formatter(&mut text, Escaping(ItemFormatter { depth: 0 }))).unwrap();
        let text = String::from_utf8(text).unwrap();
        let expected = r#"{
"at":[
1,
2],
"list":[
{"a":1,"b":[1,[2]]},
{}],
"none":null,
"one":{"c":3}}"#;
        assert_eq!(text, expected);
    }

    #[test]
    fn streams_are_lists() {
        let numbers = Stream::new(|| 1..4);
        assert_eq!(pretty(&numbers).unwrap(), "[\n  1,\n  2,\n  3\n]\n");
        assert_eq!(pretty(&Stream::new(|| 0..0)).unwrap(), "[]\n");
    }
}
