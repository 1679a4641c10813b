//! Uniform locations and block indices: numbers that a driver chose when a program was linked, and another driver
//! chooses otherwise.

use std::collections::HashMap;

use crate::plan::PlaceKind;

/// Places of all programs of a share group.
#[derive(Default)]
pub struct Places {
    /// By recorded name of the program.
    programs: HashMap<(u32, PlaceKind), Known>,
    /// Whether any place is another here than in the recording. On the driver of the recording none is.
    moved: bool,
}

/// The places of one program.
#[derive(Default)]
struct Known {
    places: HashMap<i32, i32>,
    /// What was asked for, by recorded place: arrays may be used beyond the element that was asked for.
    names: HashMap<i32, String>,
}

/// A place that nobody asked for, but which may be an element of an array that somebody did ask for.
#[derive(PartialEq, Eq, Debug)]
pub struct Element {
    /// The name of the element.
    pub name: String,
}

impl Places {
    /// Whether all places are what they were.
    #[inline]
    pub fn unmoved(&self) -> bool {
        !self.moved
    }

    /// Notes where something is.
    pub fn note(&mut self, program: u32, kind: PlaceKind, name: &str, recorded: i32, real: i32) {
        if recorded < 0 {
            return;
        }
        self.moved |= recorded != real;
        let known = self.programs.entry((program, kind)).or_default();
        known.places.insert(recorded, real);
        known.names.insert(recorded, name.to_owned());
    }

    /// Forgets a program's places: it was linked again.
    pub fn forget(&mut self, program: u32) {
        self.programs.retain(|&(owner, _), _| owner != program);
    }

    /// Where something is here. `Err` says what to ask the driver for.
    pub fn real(&self, program: u32, kind: PlaceKind, recorded: i32) -> Result<i32, Option<Element>> {
        let Some(known) = self.programs.get(&(program, kind)).filter(|_| recorded >= 0) else { return Ok(recorded) };
        if let Some(&real) = known.places.get(&recorded) {
            return Ok(real);
        }
        let base = known.names.keys().filter(|&&place| place < recorded).max();
        let Some((base, name)) = base.and_then(|base| known.names.get_key_value(base)) else { return Err(None) };
        let array = name.strip_suffix("[0]").unwrap_or(name);
        Err(Some(Element { name: format!("{array}[{}]", recorded - base) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_that_are_the_same_do_not_count_as_moved() {
        let mut places = Places::default();
        places.note(1, PlaceKind::Uniform, "a", 3, 3);
        assert!(places.unmoved());
        assert_eq!(places.real(1, PlaceKind::Uniform, 3), Ok(3));
    }

    #[test]
    fn elements_of_arrays_are_asked_for_by_name() {
        let mut places = Places::default();
        places.note(1, PlaceKind::Uniform, "lights[0]", 4, 9);
        places.note(1, PlaceKind::Uniform, "gone", -1, 2);
        assert_eq!(places.real(1, PlaceKind::Uniform, 4), Ok(9));
        assert_eq!(places.real(1, PlaceKind::Uniform, -1), Ok(-1));
        assert_eq!(places.real(2, PlaceKind::Uniform, 4), Ok(4));
        assert_eq!(places.real(1, PlaceKind::UniformBlock, 4), Ok(4));
        assert_eq!(places.real(1, PlaceKind::Uniform, 6), Err(Some(Element { name: "lights[2]".to_owned() })));
        assert_eq!(places.real(1, PlaceKind::Uniform, 3), Err(None));
        assert!(!places.unmoved());
        places.forget(1);
        assert_eq!(places.real(1, PlaceKind::Uniform, 4), Ok(4));
    }
}
