//! Commands of the debug console: they begin with a dot, which no expression of the language does.

use session::{Choice, Step};

use super::{Adapter, After, Going};
use crate::refusal::Refusal;

/// Commands and what they do.
pub const COMMANDS: &[(&str, &str)] = &[
    (".help", "this list"),
    (".enter", ".enter X,Y [COMMAND]: debug the fragment of a pixel, of the last frame or of a draw"),
    (".back-into", "back to the statement before, into functions"),
    (".back-out", "back to the call of this function, or out of this pass"),
    (".start", "to the first statement"),
    (".end", "to the end of the invocation"),
    (".lanes", "the invocations beside this one: its quad or workgroup"),
    (".follow", ".follow N: look at another lane, at the same time"),
    (".last", ".last NAME: who wrote a variable last"),
    (".findings", "what the invocation does that the language leaves undefined"),
    (".find", ".find [LINE] [if CONDITION]: which invocations of the frame come to a line with a condition true"),
    (".undo", "back to what was recorded: take all changes back"),
];

impl Adapter {
    /// Does a command of the console; gives what it prints.
    pub(super) fn command(&mut self, text: &str, frame: Option<i64>) -> Result<String, Refusal> {
        let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        match name {
            ".help" => {
                let lines: Vec<String> = COMMANDS.iter().map(|(name, help)| format!("{name:11} {help}")).collect();
                Ok(lines.join("\n"))
            }
            ".enter" => {
                let choice = parse_choice(rest).ok_or_else(|| {
                    Refusal::NotThere("say which pixel: `.enter X,Y`, or `.enter X,Y COMMAND` for one draw".to_owned())
                })?;
                self.goes_on();
                let stop = self.enter(&choice)?;
                let body = self.entry_body();
                self.after.push(After::Event("stopped", body));
                Ok(stop.invocation.name)
            }
            ".back-into" => self.go_later(Step::BackInto),
            ".back-out" => self.go_later(Step::BackOut),
            ".start" => self.go_later(Step::ToStart),
            ".end" => self.go_later(Step::ToEnd),
            ".lanes" => {
                self.focus(None)?;
                let lanes = self.session()?.lanes()?;
                let lines: Vec<String> = lines_of(&lanes);
                Ok(lines.join("\n"))
            }
            ".follow" => {
                self.focus(None)?;
                let lane = rest.parse().map_err(|_| Refusal::NotThere("say which lane: `.follow N`".to_owned()))?;
                self.follow_lane(lane)?;
                Ok(format!("lane {lane}"))
            }
            ".last" => {
                let frame = self.frame(frame)?;
                let write = self.session()?.last_write(frame, rest)?;
                Ok(match write {
                    Some(write) => {
                        let at = write.location.map_or(String::new(), |at| format!("line {}: {}: ", at.line, at.text));
                        format!("{at}{} became {}", write.old, write.new)
                    }
                    None => format!("{rest} has not been written since the invocation began"),
                })
            }
            ".findings" => {
                self.focus(None)?;
                let findings = self.session()?.findings()?;
                if findings.is_empty() {
                    return Ok("nothing undefined happens".to_owned());
                }
                let line = |finding: session::Finding| {
                    let at = finding.location.map_or(String::new(), |at| format!("line {}: ", at.line));
                    format!("{at}{} ({}, {} times)", finding.message, finding.kind, finding.count)
                };
                Ok(findings.into_iter().map(line).collect::<Vec<_>>().join("\n"))
            }
            ".find" => self.find_by_words(rest),
            ".undo" => {
                self.focus(None)?;
                self.session()?.undo_changes()?;
                self.handles.clear();
                self.goes_on();
                let body = self.entry_body_as("pause", "what was changed is as it was recorded");
                self.after.push(After::Event("stopped", body));
                Ok("everything is as it was recorded".to_owned())
            }
            other => Err(Refusal::NotThere(format!("there is no command {other}; `.help` lists them"))),
        }
    }

    fn go_later(&mut self, step: Step) -> Result<String, Refusal> {
        self.focus(None)?;
        self.goes_on();
        self.after.push(After::Go(Going::Step(step)));
        Ok(String::new())
    }
}

fn lines_of(lanes: &[session::Lane]) -> Vec<String> {
    let line = |lane: &session::Lane| {
        let mut words = vec![format!("{} {}", lane.number, lane.name)];
        let marks = [
            (lane.followed, "looked at"),
            (lane.helper, "neighbour"),
            (lane.discarded, "discarded"),
            (lane.together && !lane.followed, "at the same place"),
        ];
        words.extend(marks.iter().filter(|(is, _)| *is).map(|(_, mark)| (*mark).to_owned()));
        words.extend(lane.location.as_ref().map(|at| format!("line {}", at.line)));
        words.join(", ")
    };
    lanes.iter().map(line).collect()
}

/// `X,Y` or `X,Y COMMAND`.
fn parse_choice(text: &str) -> Option<Choice> {
    let mut words = text.split_whitespace();
    let [x, y] = session::parse::pixel(words.next()?).ok()?;
    Some(match words.next() {
        Some(command) => Choice::fragment(command.parse().ok()?, x, y),
        None => Choice::Pixel { frame: None, x, y },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_are_read() {
        assert_eq!(parse_choice("3,4"), Some(Choice::Pixel { frame: None, x: 3, y: 4 }));
        assert_eq!(parse_choice("3,4 120"), Some(Choice::fragment(120, 3, 4)));
        assert_eq!(parse_choice("3"), None);
        assert_eq!(parse_choice("3,4 x"), None);
    }
}
