//! The inputs of fixed-function fragments, and their values where the vertex shader does not write them.
//!
//! These values are undefined (GL 4.6 compatibility, 11.1.2.1), unlike the outputs of fixed-function vertices. Mesa
//! uses the current attribute, and so does the stand-in.

use crate::DrawState;

/// An input of fixed-function fragment processing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Input {
    /// The primary colour.
    Colour,
    /// The secondary colour.
    Secondary,
    /// A texture coordinate, by unit.
    Coordinate(usize),
}

impl Input {
    /// The current value of the attribute.
    pub fn current(self, draw: &DrawState<'_>) -> [f32; 4] {
        let current = &draw.view.context.current;
        match self {
            Input::Colour => current.colour,
            Input::Secondary => current.secondary,
            Input::Coordinate(unit) => current.texture.get(unit).copied().unwrap_or([0.0, 0.0, 0.0, 1.0]),
        }
    }
}

impl DrawState<'_> {
    /// Whether the vertex stage writes this input.
    pub fn writes(&self, input: Input) -> bool {
        let variable = match input {
            Input::Colour => "gl_FrontColor".to_owned(),
            Input::Secondary => "gl_FrontSecondaryColor".to_owned(),
            Input::Coordinate(unit) => format!("gl_TexCoord[{unit}]"),
        };
        self.written.as_ref().is_none_or(|written| written.contains(&variable))
    }

    /// The variable that this input is read from.
    pub fn reads(&self, input: Input) -> String {
        match (input, self.writes(input)) {
            (Input::Colour, true) => "gl_Color".to_owned(),
            (Input::Colour, false) => "currentColor".to_owned(),
            (Input::Secondary, true) => "gl_SecondaryColor".to_owned(),
            (Input::Secondary, false) => "currentSecondaryColor".to_owned(),
            (Input::Coordinate(unit), true) => format!("gl_TexCoord[{unit}]"),
            (Input::Coordinate(unit), false) => format!("currentTexCoord{unit}"),
        }
    }
}
