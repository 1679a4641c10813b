//! What the commands print. Texts come from traces, and traces from strangers: an object's label can hold the bytes that
//! clear a terminal, rename its window or make it type commands. So everything for people goes through [`text`] and
//! [`visible`], which show such characters instead of sending them. Colours of our own are marked with a number that no
//! trace can know ([`style`]).

use std::borrow::Cow;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufWriter, StdoutLock, Write};
use std::path::Path;
use std::sync::LazyLock;

/// Returns stdout for text that people read: control characters are escaped, except line breaks, tabs and [`style`].
pub fn text() -> Visible<BufWriter<StdoutLock<'static>>> {
    Visible(raw())
}

/// Returns stdout for bytes and documents.
pub fn raw() -> BufWriter<StdoutLock<'static>> {
    BufWriter::new(io::stdout().lock())
}

/// Prints text that people read on stdout.
///
/// # Errors
/// When it cannot be printed.
pub fn print(page: &str) -> io::Result<()> {
    let mut out = text();
    out.write_all(page.as_bytes())?;
    out.flush()
}

/// Prints a document for scripts, or a page for people.
///
/// # Errors
/// When it cannot be printed.
pub fn document(page: &str, json: bool) -> io::Result<()> {
    if !json {
        return print(page);
    }
    let mut out = raw();
    out.write_all(page.as_bytes())?;
    out.flush()
}

/// Returns a text with its control characters escaped.
pub fn visible(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    let mut shown = Vec::with_capacity(text.len() + 16);
    // Writing to memory does not fail.
    let _ = escape(text, &mut shown);
    Cow::Owned(String::from_utf8_lossy(&shown).into_owned())
}

/// Returns a text as part of a line: its line breaks are escaped too.
pub fn one_line(text: &str) -> Cow<'_, str> {
    match visible(text) {
        shown if shown.contains('\n') => Cow::Owned(shown.replace('\n', "\\n")),
        shown => shown,
    }
}

/// Returns how the user can start this program again: its name if a shell finds it by that, and its path otherwise.
pub fn own_name() -> String {
    const NAME: &str = "afterimage";
    let Ok(own) = std::env::current_exe() else { return NAME.to_owned() };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(NAME)).find(|file| file.is_file());
    if found.is_some_and(|file| file.canonicalize().is_ok_and(|file| file == own)) {
        return NAME.to_owned();
    }
    let here = std::env::current_dir().unwrap_or_default();
    shell_quoted(own.strip_prefix(here).unwrap_or(&own))
}

/// Returns a path as part of a command that can be pasted into a shell.
pub fn shell_quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    // A path that begins with a dash would be taken for an option; a dash alone is standard input.
    let text = if text.starts_with('-') && text != "-" { Cow::Owned(format!("./{text}")) } else { text };
    let is_bare =
        |letter: char| letter.is_ascii_alphanumeric() || "/._-+=:,@%".contains(letter) || letter as u32 >= 0xA0;
    if !text.is_empty() && text.chars().all(is_bare) && is_plain(&text) {
        return text.into_owned();
    }
    if is_plain(&text) && !text.contains('\n') {
        return format!("'{}'", text.replace('\'', "'\\''"));
    }
    // bash, ksh and zsh take this for the characters themselves.
    let escaped: String = text.chars().map(quoted_letter).collect();
    format!("$'{escaped}'")
}

fn quoted_letter(letter: char) -> String {
    match letter {
        '\'' | '\\' => format!("\\{letter}"),
        '\n' | '\t' => letter.escape_default().to_string(),
        letter if is_unsafe(letter) => letter.to_string().bytes().map(|byte| format!("\\x{byte:02x}")).collect(),
        letter => letter.to_string(),
    }
}

/// Returns what turns on a style of ECMA-48 in text that is printed with [`text`]: `1` is bold, `0` ends all styles.
pub fn style(codes: &str) -> String {
    format!("\x1b{}[{codes}m", *MARK)
}

/// Follows the escape characters of our own styles.
static MARK: LazyLock<String> = LazyLock::new(|| format!("{:016x}", RandomState::new().hash_one(0)));

/// A writer that shows control characters instead of passing them on. Each call has to write whole characters.
pub struct Visible<W>(W);

impl<W: Write> Write for Visible<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        let text = String::from_utf8_lossy(bytes);
        if is_plain(&text) { self.0.write_all(text.as_bytes()) } else { escape(&text, &mut self.0) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Returns whether nothing in a text needs escaping.
fn is_plain(text: &str) -> bool {
    // All others begin with one of these bytes in UTF-8.
    let suspect =
        |byte: u8| (byte < 0x20 && byte != b'\n' && byte != b'\t') || matches!(byte, 0x7F | 0xC2 | 0xD8 | 0xE2);
    !text.bytes().any(suspect) || !text.chars().any(is_unsafe)
}

/// Returns whether a terminal may do something else with a character than show it.
pub fn is_unsafe(letter: char) -> bool {
    match letter {
        '\n' | '\t' => false,
        // Line and paragraph separators, and what turns the direction of text round so that it reads as something else.
        '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => true,
        // C0, DEL and C1: a terminal may take U+009B for the beginning of a control sequence.
        letter => letter.is_control(),
    }
}

fn escape(text: &str, out: &mut impl Write) -> io::Result<()> {
    let mut rest = text;
    while let Some(at) = rest.find(is_unsafe) {
        let (plain, tail) = rest.split_at(at);
        out.write_all(plain.as_bytes())?;
        let own = tail.strip_prefix('\x1b').and_then(|tail| tail.strip_prefix(MARK.as_str()));
        if let Some(own) = own {
            out.write_all(b"\x1b")?;
            rest = own;
            continue;
        }
        let letter = tail.chars().next().unwrap_or_default();
        write!(out, "{}", letter.escape_default())?;
        rest = &tail[letter.len_utf8()..];
    }
    out.write_all(rest.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(visible(text), expected);
        let mut written = Vec::new();
        Visible(&mut written).write_all(text.as_bytes()).unwrap();
        assert_eq!(written, expected.as_bytes());
    }

    #[test]
    fn control_characters_are_shown() {
        check("plain\ttext\nof two lines", "plain\ttext\nof two lines");
        check("für 5 € \u{2192} ∅", "für 5 € \u{2192} ∅");
        check("\x1b]0;title\x07\x1b[2J", "\\u{1b}]0;title\\u{7}\\u{1b}[2J");
        check("a\rb\x08c\x7f", "a\\rb\\u{8}c\\u{7f}");
        check("\u{9b}31m and \u{202e}desrever", "\\u{9b}31m and \\u{202e}desrever");
        check("\u{2066}\u{61c}\u{2028}", "\\u{2066}\\u{61c}\\u{2028}");
    }

    #[test]
    fn only_our_own_styles_reach_the_terminal() {
        check(&format!("{}bold{}", style("1"), style("0")), "\x1b[1mbold\x1b[0m");
        check("\x1b[1mbold\x1b[0m", "\\u{1b}[1mbold\\u{1b}[0m");
        check("\x1b0123456789abcdef[1m", "\\u{1b}0123456789abcdef[1m");
    }

    #[test]
    fn paths_can_be_pasted() {
        let quoted = |path: &str| shell_quoted(Path::new(path));
        assert_eq!(quoted("/tmp/gears-1.aftr"), "/tmp/gears-1.aftr");
        assert_eq!(quoted("my trace.aftr"), "'my trace.aftr'");
        assert_eq!(quoted("it's $HOME"), "'it'\\''s $HOME'");
        assert_eq!(quoted("-o"), "./-o");
        assert_eq!(quoted("a\x1b[2J'\n"), "$'a\\x1b[2J\\'\\n'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn a_name_does_not_make_lines() {
        assert_eq!(one_line("a\nproblem   none"), "a\\nproblem   none");
    }
}
