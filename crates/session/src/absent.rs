//! Why an invocation is not there.

use inquiry::DrawSnapshot;
use recall::PixelFragment;
use shader::version::Stage;

use crate::error::SessionError;
use crate::history::fate;
use crate::open::Session;

/// Primitives that are named in a sentence.
const MOST_NAMED: usize = 4;

impl Session {
    /// Why a draw has no such invocation. Of a fragment it is said what its primitive does at the pixel, and which others
    /// have a fragment there.
    pub(crate) fn absent(&mut self, work: &DrawSnapshot, stage: Stage, [x, y, primitive, _]: [i32; 4]) -> SessionError {
        let command = work.command;
        let none = SessionError::NoSuchInvocation { command, stage: stage.name() };
        if stage != Stage::Fragment {
            return none;
        }
        let at = [x, y].map(|place| place.max(0).cast_unsigned());
        match recall::fragments_at(&mut self.inquiry, command, at) {
            Ok(all) => SessionError::NoFragment { command, why: why(&all, at, u32::try_from(primitive).ok()) },
            Err(error) if error.is_interruption() => error.into(),
            // That it is not there is what was asked.
            Err(_) => none,
        }
    }
}

/// Why there is no fragment at a pixel, or none of a primitive, given all that there is of the draw.
fn why(all: &[PixelFragment], [x, y]: [u32; 2], primitive: Option<u32>) -> String {
    let own = all.iter().find(|one| primitive.is_some() && one.primitive == primitive);
    let mut ran: Vec<u32> = all.iter().filter(|one| one.ran).filter_map(|one| one.primitive).collect();
    ran.dedup();
    let others = match ran.as_slice() {
        [] => String::new(),
        [one] => format!("; primitive {one} has one"),
        [first @ .., last] if ran.len() <= MOST_NAMED => {
            let first: Vec<String> = first.iter().map(ToString::to_string).collect();
            format!("; primitives {} and {last} have one", first.join(", "))
        }
        [first, ..] => format!("; primitive {first} and {} others have one", ran.len() - 1),
    };
    match (primitive, own, all) {
        (Some(number), Some(own), _) if !own.ran => {
            format!(
                "primitive {number} is {} at pixel {x},{y}, so that no fragment of it ran there{others}",
                fate(own.fate)
            )
        }
        (Some(number), None, [_, ..]) => format!("primitive {number} has no fragment at pixel {x},{y}{others}"),
        (None, _, [first, ..]) if ran.is_empty() && !first.ran => {
            format!("what it draws at pixel {x},{y} is {}, so that no fragment ran there", fate(first.fate))
        }
        _ => format!("it draws nothing at pixel {x},{y}"),
    }
}

#[cfg(test)]
mod tests {
    use reenact::fragment_ops::{Changed, Fate};

    use super::*;

    #[test]
    fn what_is_not_there_is_said_with_the_reason() {
        let written = Fate::Written { changed: Changed::default() };
        let one = |primitive, fate| PixelFragment { primitive: Some(primitive), fate, ran: fate != Fate::Culled };
        let all = [one(3, Fate::Culled), one(5, written), one(7, written)];
        let said = |all: &[PixelFragment], primitive| why(all, [8, 9], primitive);
        assert_eq!(
            said(&all, Some(3)),
            "primitive 3 is culled at pixel 8,9, so that no fragment of it ran there; primitives 5 and 7 have one"
        );
        assert_eq!(said(&all[..2], Some(4)), "primitive 4 has no fragment at pixel 8,9; primitive 5 has one");
        assert_eq!(said(&all[..1], None), "what it draws at pixel 8,9 is culled, so that no fragment ran there");
        assert_eq!(said(&[], Some(4)), "it draws nothing at pixel 8,9");
    }
}
