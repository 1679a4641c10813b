//! Uniform locations and block indices: numbers that the driver chooses when a program is linked, so that they differ
//! between drivers.

use std::collections::HashMap;

use crate::plan::PlaceKind;

/// Locations and indices of all programs of a share group.
#[derive(Default)]
pub struct Places {
    /// By recorded name of the program.
    programs: HashMap<(u32, PlaceKind), ProgramLocations>,
    /// Names of uniforms by program and by the location that the recorded driver was told to give them.
    bound: HashMap<u32, HashMap<i32, String>>,
    /// Whether any of them differs from the recording. On the recorded driver none does.
    moved: bool,
}

/// Locations and indices of one program.
#[derive(Default)]
struct ProgramLocations {
    places: HashMap<i32, i32>,
    /// Queried names, by recorded location: arrays may be used beyond the queried element.
    names: HashMap<i32, String>,
}

/// A location that was not queried, but may be an element of an array that was.
#[derive(PartialEq, Eq, Debug)]
pub struct Element {
    /// The name of the element.
    pub name: String,
}

impl Places {
    /// Returns whether all are as recorded.
    #[inline]
    pub fn unmoved(&self) -> bool {
        !self.moved
    }

    /// Records a location or index.
    pub fn note(&mut self, program: u32, kind: PlaceKind, name: &str, recorded: i32, real: i32) {
        if recorded < 0 {
            return;
        }
        self.moved |= recorded != real;
        let known = self.programs.entry((program, kind)).or_default();
        known.places.insert(recorded, real);
        known.names.insert(recorded, name.to_owned());
    }

    /// Records the location that a uniform will have when the program is linked, where this driver has no such command.
    pub fn bind_uniform(&mut self, program: u32, location: i32, name: &str) {
        self.bound.entry(program).or_default().insert(location, name.to_owned());
    }

    /// Returns the uniforms of a program whose locations were chosen, as locations and names.
    pub fn bound_uniforms(&self, program: u32) -> Vec<(i32, String)> {
        let bound = self.bound.get(&program).into_iter().flatten();
        bound.map(|(location, name)| (*location, name.clone())).collect()
    }

    /// Forgets the locations and indices of a program, which was linked again.
    pub fn forget(&mut self, program: u32) {
        self.programs.retain(|&(owner, _), _| owner != program);
    }

    /// Returns the driver's number for a recorded one. `Err` says what to query the driver for.
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
    fn chosen_locations_outlive_the_program_s_next_linking() {
        let mut places = Places::default();
        places.bind_uniform(1, 5, "colour");
        places.note(1, PlaceKind::Uniform, "colour", 5, 0);
        places.forget(1);
        assert_eq!(places.bound_uniforms(1), [(5, "colour".to_owned())]);
        assert_eq!(places.bound_uniforms(2), []);
        // A uniform that the driver does not list is at -1 here, which it ignores.
        places.note(1, PlaceKind::Uniform, "unused", 6, -1);
        assert_eq!(places.real(1, PlaceKind::Uniform, 6), Ok(-1));
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
