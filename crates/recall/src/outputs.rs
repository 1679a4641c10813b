//! Which draw buffers the outputs of a fragment shader go to.

use api::constant as c;
use raster::Color;
use shader::types::{Scalar, Type};
use state::objects::program::Program;

/// Outputs that the program was linked with.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    /// Name, draw buffer and which of its two colours.
    known: Vec<(String, u32, u32)>,
}

/// What a fragment gives out for draw buffers.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Colours {
    /// By draw buffer; nothing where the shader writes none.
    pub first: Vec<Option<Color>>,
    /// The second colour of the first draw buffer.
    pub second: Option<Color>,
}

impl Outputs {
    /// As the driver that recorded linked them.
    pub fn of(recorded: Option<&Program>) -> Outputs {
        let linked = recorded.and_then(|program| program.executable.as_ref());
        let Some(interface) = linked.and_then(|linked| linked.reflection.interface(c::GL_PROGRAM_OUTPUT)) else {
            return Outputs::default();
        };
        let known = interface.resources.iter().enumerate().filter_map(|(place, resource)| {
            let name = resource.name.strip_suffix(b"[0]").unwrap_or(&resource.name);
            let location = u32::try_from(interface.value(place, c::GL_LOCATION)?).ok()?;
            let index = interface.value(place, c::GL_LOCATION_INDEX).unwrap_or(0).max(0).cast_unsigned();
            Some((String::from_utf8_lossy(name).into_owned(), location, index))
        });
        Outputs { known: known.collect() }
    }

    /// Puts values of outputs where they go. `words` of a value are one for each component.
    pub fn colours<'a>(&self, values: impl Iterator<Item = (&'a str, Scalar, usize, &'a [u32])>) -> Colours {
        let mut colours = Colours { first: vec![None; raster::MAX_TARGETS], second: None };
        for (name, scalar, components, words) in values {
            if matches!(name, "gl_FragDepth" | "gl_SampleMask" | "gl_FragStencilRefARB") || components == 0 {
                continue;
            }
            if name == "gl_FragColor" {
                // One colour for all buffers (GLSL 1.20, 7.2).
                colours.first.fill(Some(colour(scalar, words)));
                continue;
            }
            let found = self.known.iter().find(|(known, ..)| known == name);
            let (location, index) = match found {
                Some((_, location, index)) => (*location, *index),
                None => (0, u32::from(name.starts_with("gl_Secondary"))),
            };
            for (element, words) in words.chunks(components).enumerate() {
                match index {
                    0 => {
                        if let Some(place) = colours.first.get_mut(location as usize + element) {
                            *place = Some(colour(scalar, words));
                        }
                    }
                    _ => colours.second = Some(colour(scalar, words)),
                }
            }
        }
        colours
    }
}

/// The kind of an output's components, and how many make a colour.
pub fn components(ty: Type) -> (Scalar, usize) {
    match ty {
        Type::Scalar(scalar) => (scalar, 1),
        Type::Vector(scalar, components) => (scalar, usize::from(components)),
        // Arrays of which nothing is known are the language's.
        _ => (Scalar::Float, 4),
    }
}

fn colour(scalar: Scalar, words: &[u32]) -> Color {
    let mut bits = match scalar {
        Scalar::Float => [0, 0, 0, 1f32.to_bits()],
        _ => [0, 0, 0, 1],
    };
    bits.iter_mut().zip(words).for_each(|(bits, word)| *bits = *word);
    match scalar {
        Scalar::Int => Color::Int(bits.map(u32::cast_signed)),
        Scalar::Uint => Color::Uint(bits),
        _ => Color::Float(bits.map(f32::from_bits)),
    }
}
