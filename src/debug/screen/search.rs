//! Looking for a text in the shader.

use session::Source;

/// What is looked for, and where it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Search {
    pattern: String,
    /// The text that was searched.
    source: String,
    /// Each place: the line, and the letters from and to.
    places: Vec<(u32, usize, usize)>,
    /// The one that is looked at.
    at: usize,
}

impl Search {
    /// Looks for a text, from a line on. Only capitals in what is looked for make the case matter.
    pub fn new(pattern: &str, source: &Source, line: u32) -> Search {
        let places = find(pattern, &source.text);
        let at = places.iter().position(|(at, ..)| *at >= line).unwrap_or(0);
        Search { pattern: pattern.to_owned(), source: source.id.clone(), places, at }
    }

    /// Looks in another text, if that is what is shown now.
    pub fn follow(&mut self, source: &Source, line: u32) {
        if self.source != source.id {
            *self = Search::new(&self.pattern, source, line);
        }
    }

    /// Goes to the next place, or the one before, round the end.
    pub fn go(&mut self, forwards: bool) {
        let count = self.places.len().max(1);
        self.at = (self.at + if forwards { 1 } else { count - 1 }) % count;
    }

    /// The line that is looked at.
    pub fn line(&self) -> Option<u32> {
        self.places.get(self.at).map(|(line, ..)| *line)
    }

    /// Where the text is in a line, and whether that is the place that is looked at.
    pub fn in_line(&self, line: u32) -> impl Iterator<Item = (usize, usize, bool)> {
        let first = self.places.partition_point(|(at, ..)| *at < line);
        let all = self.places.iter().enumerate().skip(first).take_while(move |(_, (at, ..))| *at == line);
        all.map(|(number, (_, from, to))| (*from, *to, number == self.at))
    }

    /// What is looked for and how often it is there.
    pub fn text(&self) -> String {
        match self.places.len() {
            0 => format!("`{}` is not in this shader", self.pattern),
            count => format!("`{}`: {} of {count}", self.pattern, self.at + 1),
        }
    }

    /// Whether it is anywhere.
    pub fn found(&self) -> bool {
        !self.places.is_empty()
    }
}

fn find(pattern: &str, text: &str) -> Vec<(u32, usize, usize)> {
    let exact = pattern.chars().any(char::is_uppercase);
    let fold = |letter: char| if exact { letter } else { letter.to_lowercase().next().unwrap_or(letter) };
    let wanted: Vec<char> = pattern.chars().map(fold).collect();
    let mut places = Vec::new();
    if wanted.is_empty() {
        return places;
    }
    for (number, line) in (1..).zip(text.lines()) {
        let letters: Vec<char> = line.chars().map(fold).collect();
        let mut from = 0;
        while from + wanted.len() <= letters.len() {
            if letters[from..from + wanted.len()] == wanted[..] {
                places.push((number, from, from + wanted.len()));
                from += wanted.len();
            } else {
                from += 1;
            }
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(id: &str, text: &str) -> Source {
        Source { id: id.to_owned(), name: String::new(), text: text.to_owned(), stand_in: None }
    }

    #[test]
    fn places_are_found_in_turn_and_round_the_end() {
        let shader = source("a", "vec3 light;\n// é Light\nlight = 2.0 * light;\n");
        let mut search = Search::new("light", &shader, 2);
        assert_eq!((search.line(), search.text().as_str()), (Some(2), "`light`: 2 of 4"));
        assert_eq!(search.in_line(2).collect::<Vec<_>>(), [(5, 10, true)]);
        search.go(true);
        assert_eq!(search.in_line(3).collect::<Vec<_>>(), [(0, 5, true), (14, 19, false)]);
        search.go(true);
        search.go(true);
        assert_eq!(search.line(), Some(1));
        search.go(false);
        assert_eq!(search.line(), Some(3));
        assert_eq!(Search::new("Light", &shader, 1).text(), "`Light`: 1 of 1");
    }

    #[test]
    fn another_shader_is_searched_anew_and_nothing_is_found_twice() {
        let mut search = Search::new("aa", &source("a", "aaaa"), 1);
        assert_eq!(search.text(), "`aa`: 1 of 2");
        search.follow(&source("b", "x"), 1);
        assert!(!search.found());
        assert_eq!((search.line(), search.text().as_str()), (None, "`aa` is not in this shader"));
        search.go(true);
        search.go(false);
        assert!(!Search::new("", &source("a", "aaaa"), 1).found());
    }
}
