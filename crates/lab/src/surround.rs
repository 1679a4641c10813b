//! Generated vertex shaders for fragment shaders without one.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use shader::qualifier::Interpolation;
use shader::typed::Variable;
use shader::version::{Profile, Version};

/// The attribute of the generated vertex shader.
pub const CORNER: &str = "afterimage_corner";

/// The uniform of the generated vertex shader that holds the number of the tile.
pub const TILE: &str = "afterimage_tile";

/// How one word of an input varies over the picture.
#[derive(Clone, Copy, Debug)]
pub enum Word {
    /// `base + right * x + up * y`, with x and y from -1 to 1: exact, because all three have short mantissas.
    Ramp {
        /// The value at the centre.
        base: f32,
        /// The difference between the centre and the right edge.
        right: f32,
        /// The difference between the centre and the upper edge.
        up: f32,
    },
    /// `base + step * tile`, constant within a tile.
    Flat {
        /// The value in tile 0.
        base: f32,
        /// The difference between consecutive tiles.
        step: f32,
    },
    /// The same as an integer.
    FlatInteger {
        /// The value in tile 0.
        base: i32,
        /// The difference between consecutive tiles.
        step: i32,
    },
}

/// A vertex shader under construction. Its outputs are linear over the picture, or constant.
#[derive(Clone, Debug)]
pub struct VertexShader {
    version: Version,
    declarations: String,
    body: String,
    tiled: bool,
    extensions: BTreeSet<String>,
}

impl VertexShader {
    /// A shader in the given language version that only positions its vertices.
    #[must_use]
    pub fn new(version: Version) -> VertexShader {
        VertexShader {
            version,
            declarations: String::new(),
            body: String::new(),
            tiled: false,
            extensions: BTreeSet::new(),
        }
    }

    /// Enables an extension.
    pub fn enable(&mut self, extension: &str) {
        self.extensions.insert(extension.to_owned());
    }

    /// Whether the shader reads the uniform [`TILE`].
    #[must_use]
    pub fn is_tiled(&self) -> bool {
        self.tiled
    }

    fn modern(&self) -> bool {
        self.version.at_least(130, 300)
    }

    /// Declares an output for an input of the fragment shader.
    pub fn declare(&mut self, variable: &Variable, type_name: &str, name: &str, brackets: &str, flat: bool) {
        let mut line = String::new();
        if let (Some(location), true) = (variable.qualifiers.layout.location, self.modern()) {
            let _ = write!(line, "layout(location = {location}) ");
            if !self.version.is_es() {
                self.extensions.insert("GL_ARB_separate_shader_objects".to_owned());
            }
        }
        if self.modern() || self.extensions.contains("GL_EXT_gpu_shader4") {
            let interpolation = match variable.qualifiers.interpolation {
                _ if flat => "flat ",
                Some(Interpolation::NoPerspective) => "noperspective ",
                Some(Interpolation::Smooth) => "smooth ",
                _ => "",
            };
            line += interpolation;
            if variable.qualifiers.flags.centroid {
                line += "centroid ";
            }
            if variable.qualifiers.flags.sample {
                line += "sample ";
            }
        }
        if variable.qualifiers.flags.invariant {
            line.insert_str(0, "invariant ");
        }
        let storage = if self.modern() { "out" } else { "varying" };
        let precision = if self.version.is_es() { " highp" } else { "" };
        let _ = writeln!(self.declarations, "{line}{storage}{precision} {type_name} {name}{brackets};");
    }

    /// Assigns an output, or an element of one.
    pub fn assign(&mut self, path: &str, type_name: &str, words: &[Word]) {
        let mut terms = Vec::new();
        for word in words {
            terms.push(match *word {
                Word::Ramp { base, right, up } => {
                    format!("{base:?} + {right:?} * {CORNER}.x + {up:?} * {CORNER}.y")
                }
                Word::Flat { base, step } => {
                    self.tiled = true;
                    format!("{base:?} + {step:?} * {TILE}")
                }
                Word::FlatInteger { base, step } => {
                    self.tiled = true;
                    let integer = if type_name.starts_with('u') { "uint" } else { "int" };
                    format!("{integer}({base}) + {integer}({step}) * {integer}({TILE})")
                }
            });
        }
        let _ = writeln!(self.body, "    {path} = {type_name}({});", terms.join(", "));
    }

    /// The source.
    #[must_use]
    pub fn text(&self) -> String {
        let Version { number, profile } = self.version;
        let suffix = match profile {
            Profile::Es if number >= 300 => " es",
            Profile::Compatibility if number >= 150 => " compatibility",
            _ => "",
        };
        let mut text = format!("#version {number}{suffix}\n");
        for extension in &self.extensions {
            let _ = writeln!(text, "#extension {extension} : enable");
        }
        let precision = if profile == Profile::Es { "highp " } else { "" };
        let attribute = if self.modern() { "in" } else { "attribute" };
        let _ = writeln!(text, "{attribute} {precision}vec4 {CORNER};");
        if self.tiled {
            let _ = writeln!(text, "uniform {precision}float {TILE};");
        }
        let _ = write!(text, "{}void main()\n{{\n    gl_Position = {CORNER};\n{}}}\n", self.declarations, self.body);
        text
    }
}
