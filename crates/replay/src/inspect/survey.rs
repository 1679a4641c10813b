//! All state of a context and the contents of its objects, to be compared with an earlier survey.

use api::{Namespace, constant as c};
use chronicle::trim::DriverContents;
use state::View;

use super::Draw;
use crate::ReplayError;
use crate::oracle::{Oracle, Question, Said};
use crate::player::Contents;

/// Answers and contents.
pub struct Survey {
    answers: Vec<(Question, Said)>,
    contents: Vec<(String, Result<Vec<Contents>, String>)>,
}

/// A difference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// What: a query or an object.
    pub what: String,
    /// The value before and after.
    pub text: String,
}

impl Survey {
    /// How many queries were answered.
    #[must_use]
    pub fn answers(&self) -> usize {
        self.answers.len()
    }

    /// How many objects and surfaces were read, and how many could not be.
    #[must_use]
    pub fn contents(&self) -> (usize, usize) {
        let read = self.contents.iter().filter(|(_, contents)| contents.is_ok()).count();
        (read, self.contents.len() - read)
    }

    /// Returns the differences of another survey from this one.
    #[must_use]
    pub fn differences(&self, other: &Survey) -> Vec<Difference> {
        let mut list = Vec::new();
        if self.answers.len() != other.answers.len() {
            let text = format!("{} questions then, {} now", self.answers.len(), other.answers.len());
            list.push(Difference { what: "questions".to_owned(), text });
        }
        for ((question, before), (_, after)) in self.answers.iter().zip(&other.answers) {
            if before != after {
                let what = format!("{} {:x?} {:?}", api::command(question.command).name, question.args, question.text);
                list.push(Difference { what, text: format!("{before:?} then, {after:?} now") });
            }
        }
        for ((what, before), (_, after)) in self.contents.iter().zip(&other.contents) {
            if before != after {
                let text = match (before, after) {
                    (Ok(before), Ok(after)) => {
                        let pairs = before.iter().zip(after);
                        let count = pairs.map(|(a, b)| a.bytes.iter().zip(&b.bytes).filter(|(a, b)| a != b).count());
                        format!("{} bytes are others", count.sum::<usize>())
                    }
                    _ => format!("{:?} then, {:?} now", before.as_ref().err(), after.as_ref().err()),
                };
                list.push(Difference { what: what.clone(), text });
            }
        }
        list
    }
}

impl Draw<'_> {
    /// Makes all queries to the context of the draw, and reads all objects of its share group.
    ///
    /// # Errors
    /// When a context for reading cannot be created.
    pub fn survey(&mut self, oracle: &mut Oracle) -> Result<Survey, ReplayError> {
        let Some(view) = self.model.view(self.calls.thread) else {
            return Ok(Survey { answers: Vec::new(), contents: Vec::new() });
        };
        let player = &mut self.timeline.player;
        player.world.enter(self.calls.thread)?;
        player.keep_errors();
        let answers = oracle.survey(player, &view);
        let mut contents = Vec::new();
        for (what, wanted) in holders(&view) {
            contents.push((what, player.read_contents(&wanted)?));
        }
        player.world.enter(self.calls.thread)?;
        Ok(Survey { answers, contents })
    }
}

/// Returns everything that has contents.
fn holders(view: &View<'_>) -> Vec<(String, DriverContents)> {
    let context = view.seat.context;
    let mut list = Vec::new();
    // Reading a name that has no object yet would create the object.
    for (name, _) in view.group.buffers.iter().filter(|(_, buffer)| buffer.exists) {
        let wanted = DriverContents::Object { context, space: Namespace::Buffer, name: *name, target: 0 };
        list.push((format!("buffer {name}"), wanted));
    }
    for (name, texture) in &view.group.textures {
        let Some(target) = texture.target else { continue };
        let wanted = DriverContents::Object { context, space: Namespace::Texture, name: *name, target: target.name() };
        list.push((format!("texture {name}"), wanted));
    }
    for (name, _) in view.group.renderbuffers.iter().filter(|(_, renderbuffer)| renderbuffer.exists) {
        let wanted = DriverContents::Object { context, space: Namespace::Renderbuffer, name: *name, target: 0 };
        list.push((format!("renderbuffer {name}"), wanted));
    }
    if let Some(surface) = view.model.surfaces.get(&view.seat.draw) {
        let mut planes = vec![c::GL_COLOR];
        if surface.depth > 0 || surface.stencil > 0 {
            planes.push(c::GL_DEPTH);
        }
        for plane in planes {
            let wanted = DriverContents::Surface { context, surface: view.seat.draw, plane };
            list.push((format!("surface {} ({plane:#06x})", view.seat.draw), wanted));
        }
    }
    list
}
