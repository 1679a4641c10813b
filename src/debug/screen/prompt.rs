//! The line on which commands are typed.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// How many lines are remembered.
const MOST: usize = 500;

/// A line being typed, those typed before, and what it may become.
#[derive(Default)]
pub struct Prompt {
    /// Whether keys go here.
    pub open: bool,
    /// What is typed is looked for in the shader, and is no command.
    pub search: bool,
    pub text: String,
    /// In bytes.
    pub cursor: usize,
    pub history: Vec<String>,
    /// Where in the history one is; its end is what is being typed.
    place: usize,
    /// What was being typed before one went into the history.
    draft: String,
    /// What the last word may become, and which of these it is.
    pub offered: Vec<String>,
    pub taken: Option<usize>,
    /// Where that word begins.
    word: usize,
}

/// What became of a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Typed {
    Nothing,
    /// A command is ready.
    Line(String),
    /// A text to look for is ready.
    Search(String),
    /// The end of the line is to be completed.
    Complete,
    /// The user left the prompt.
    Left,
}

impl Prompt {
    pub fn new(history: Vec<String>) -> Prompt {
        let place = history.len();
        Prompt { history, place, ..Prompt::default() }
    }

    /// Begins a text to look for.
    pub fn begin_search(&mut self) {
        self.begin("");
        self.search = true;
    }

    /// Begins a line.
    pub fn begin(&mut self, text: &str) {
        self.open = true;
        self.search = false;
        text.clone_into(&mut self.text);
        self.cursor = self.text.len();
        self.place = self.history.len();
        self.offered.clear();
    }

    /// Takes a key in.
    pub fn key(&mut self, key: KeyEvent) -> Typed {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if key.code != KeyCode::Tab && key.code != KeyCode::BackTab {
            self.offered.clear();
            self.taken = None;
        }
        match key.code {
            KeyCode::Esc => return self.leave(),
            KeyCode::Char('c' | 'g') if control => return self.leave(),
            KeyCode::Enter => return self.enter(),
            KeyCode::Tab | KeyCode::BackTab | KeyCode::Up | KeyCode::Down if self.search => {}
            KeyCode::Tab if self.offered.is_empty() => return Typed::Complete,
            KeyCode::Tab => self.take(1),
            KeyCode::BackTab => self.take(self.offered.len().saturating_sub(1)),
            KeyCode::Up => self.go(self.place.saturating_sub(1)),
            KeyCode::Down => self.go((self.place + 1).min(self.history.len())),
            KeyCode::Left => self.cursor = self.before(),
            KeyCode::Right => self.cursor = self.after(),
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = self.text.len(),
            KeyCode::Char('a') if control => self.cursor = 0,
            KeyCode::Char('e') if control => self.cursor = self.text.len(),
            KeyCode::Char('u') if control => {
                self.text.drain(..self.cursor);
                self.cursor = 0;
            }
            KeyCode::Char('k') if control => self.text.truncate(self.cursor),
            KeyCode::Char('w') if control => {
                let kept = self.text[..self.cursor].trim_end();
                let from = kept.rfind(char::is_whitespace).map_or(0, |at| at + 1);
                self.text.drain(from..self.cursor);
                self.cursor = from;
            }
            KeyCode::Backspace if self.text.is_empty() => return self.leave(),
            KeyCode::Backspace => {
                let from = self.before();
                self.text.drain(from..self.cursor);
                self.cursor = from;
            }
            KeyCode::Delete => {
                let to = self.after();
                self.text.drain(self.cursor..to);
            }
            KeyCode::Char(letter) if !control => {
                self.text.insert(self.cursor, letter);
                self.cursor += letter.len_utf8();
            }
            _ => {}
        }
        Typed::Nothing
    }

    /// Offers what the word in front of the cursor, from `word` on, may become: takes what all have in common.
    pub fn offer(&mut self, word: usize, offered: Vec<String>) {
        let Some(first) = offered.first() else { return };
        let mut common = first.len();
        for other in &offered {
            common = first.bytes().zip(other.bytes()).take(common).take_while(|(a, b)| a == b).count();
        }
        while !first.is_char_boundary(common) {
            common -= 1;
        }
        if word + common > self.cursor || offered.len() == 1 {
            let ready = if offered.len() == 1 { format!("{first} ") } else { first[..common].to_owned() };
            self.replace(word, &ready);
        }
        self.word = word;
        self.offered = if offered.len() > 1 { offered } else { Vec::new() };
        self.taken = None;
    }

    /// The next of those offered.
    fn take(&mut self, step: usize) {
        let next = self.taken.map_or(0, |at| (at + step) % self.offered.len().max(1));
        if let Some(text) = self.offered.get(next).cloned() {
            self.replace(self.word, &text);
            self.taken = Some(next);
        }
    }

    fn replace(&mut self, from: usize, with: &str) {
        self.text.replace_range(from..self.cursor, with);
        self.cursor = from + with.len();
    }

    fn leave(&mut self) -> Typed {
        self.open = false;
        self.text.clear();
        self.cursor = 0;
        Typed::Left
    }

    fn enter(&mut self) -> Typed {
        let line = std::mem::take(&mut self.text);
        self.cursor = 0;
        self.open = false;
        if self.search {
            return Typed::Search(line);
        }
        if !line.trim().is_empty() && self.history.last() != Some(&line) {
            self.history.push(line.clone());
            let extra = self.history.len().saturating_sub(MOST);
            self.history.drain(..extra);
        }
        Typed::Line(line)
    }

    fn go(&mut self, place: usize) {
        if self.place == self.history.len() {
            self.draft.clone_from(&self.text);
        }
        self.place = place;
        self.text.clone_from(self.history.get(place).unwrap_or(&self.draft));
        self.cursor = self.text.len();
    }

    fn before(&self) -> usize {
        self.text[..self.cursor].char_indices().next_back().map_or(0, |(at, _)| at)
    }

    fn after(&self) -> usize {
        self.text[self.cursor..].chars().next().map_or(self.cursor, |letter| self.cursor + letter.len_utf8())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(prompt: &mut Prompt, text: &str) {
        for letter in text.chars() {
            prompt.key(KeyEvent::from(KeyCode::Char(letter)));
        }
    }

    #[test]
    fn lines_are_edited_and_remembered() {
        let mut prompt = Prompt::new(vec!["step".to_owned()]);
        prompt.begin("");
        typed(&mut prompt, "prïnt b");
        for key in [KeyCode::Left, KeyCode::Left, KeyCode::Left, KeyCode::Left, KeyCode::Backspace, KeyCode::Char('i')]
        {
            prompt.key(KeyEvent::from(key));
        }
        assert_eq!(prompt.text, "print b");
        assert_eq!(prompt.key(KeyEvent::from(KeyCode::Enter)), Typed::Line("print b".to_owned()));
        prompt.begin("x");
        prompt.key(KeyEvent::from(KeyCode::Up));
        prompt.key(KeyEvent::from(KeyCode::Up));
        assert_eq!(prompt.text, "step");
        prompt.key(KeyEvent::from(KeyCode::Down));
        prompt.key(KeyEvent::from(KeyCode::Down));
        assert_eq!(prompt.text, "x");
    }

    #[test]
    fn what_is_looked_for_is_no_command() {
        let mut prompt = Prompt::new(vec!["step".to_owned()]);
        prompt.begin_search();
        typed(&mut prompt, "lamp");
        assert_eq!(prompt.key(KeyEvent::from(KeyCode::Tab)), Typed::Nothing);
        prompt.key(KeyEvent::from(KeyCode::Up));
        assert_eq!(prompt.key(KeyEvent::from(KeyCode::Enter)), Typed::Search("lamp".to_owned()));
        assert_eq!(prompt.history, ["step"]);
        prompt.begin("");
        assert_eq!(prompt.key(KeyEvent::from(KeyCode::Tab)), Typed::Complete);
    }

    #[test]
    fn completion_takes_what_is_certain_and_then_one_after_the_other() {
        let mut prompt = Prompt::default();
        prompt.begin("info l");
        prompt.offer(5, vec!["locals".to_owned()]);
        assert_eq!(prompt.text, "info locals ");
        prompt.begin("rev");
        prompt.offer(0, vec!["reverse-next".to_owned(), "reverse-step".to_owned()]);
        assert_eq!(prompt.text, "reverse-");
        prompt.key(KeyEvent::from(KeyCode::Tab));
        prompt.key(KeyEvent::from(KeyCode::Tab));
        assert_eq!(prompt.text, "reverse-step");
    }
}
