//! How a device is asked about shaders, and how it answered.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use device::{Picture, Tests};
use moment::glsl::Value;
use serde::{Deserialize, Serialize, Serializer};
use shader::Shader;
use shader::types::Scalar;

use super::value::Agreement;

/// Transports that can bring answers out of a shader, best first.
pub const TRANSPORTS: [&str; 6] = ["storage", "integer", "float", "bytes", "feedback", "points"];

/// How a device is asked.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct MeasureOptions {
    /// Values that differ from the recording.
    pub overrides: Overrides,
    /// One of [`TRANSPORTS`]; the best that the device has without one.
    pub transport: Option<String>,
    /// Whether to ask everything twice and to run the draw by itself, to measure how long each takes.
    pub times: bool,
}

/// Values of a draw that differ from the recording.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Overrides {
    /// Values of uniforms, and of attributes in all vertices.
    pub values: Vec<(String, Vec<f64>)>,
    /// Pictures that samplers read.
    pub textures: Vec<(String, Picture)>,
    /// What fragments are tested against.
    pub tests: Tests,
}

/// How a device answered.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Measurement {
    /// How the answer came out of the device.
    pub transport: &'static str,
    /// How often the draw was run for it.
    pub runs: u32,
    /// Whether the instrumented shader was in the cache.
    pub cached: bool,
    /// How long it took.
    pub seconds: MeasureSeconds,
    /// Instrumented shaders that the driver rejected; the answer came by the next transport.
    pub rejected: Vec<RejectedShader>,
    /// What differed from the recording.
    pub notes: Vec<String>,
}

/// How long an answer took, in seconds.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct MeasureSeconds {
    /// Building shaders.
    pub build: f64,
    /// All of it.
    pub all: f64,
    /// The same answer once more, if it was asked for twice (`--times`).
    pub cached: Option<f64>,
    /// The draw by itself, likewise.
    pub alone: Option<f64>,
}

/// An instrumented shader that the driver rejected.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RejectedShader {
    /// The transport of its answer.
    pub transport: &'static str,
    /// The driver's log.
    pub log: String,
    /// The file with its text.
    pub source: Option<PathBuf>,
}

/// Which fragments answered, where a draw has several at a pixel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counted {
    /// All that run. An instrumented shader has side effects, so it runs before the tests (GL 4.6, 14.9).
    Running,
    /// Those that pass the tests, because the shader declares early tests.
    Passing,
    /// The last that stays at each pixel: the device has no storage blocks, and tests come first or were asked for.
    Staying,
}

/// A value of a shader.
#[derive(Clone)]
pub struct TypedValue {
    value: Value,
    shader: Arc<Shader>,
}

impl TypedValue {
    /// Makes a value of a type of a shader.
    pub(crate) fn new(shader: &Arc<Shader>, value: Value) -> TypedValue {
        TypedValue { value, shader: Arc::clone(shader) }
    }

    /// Returns its type, as the shader spells it.
    #[must_use]
    pub fn type_name(&self) -> String {
        self.shader.type_name(self.value.ty)
    }

    /// Returns its components in order: of matrices by column, of arrays by element, of structures by member.
    #[must_use]
    pub fn components(&self) -> Vec<String> {
        self.value.components(&self.shader.typed.types)
    }

    /// Returns its components as numbers, in order; booleans are 0 and 1.
    #[must_use]
    pub fn numbers(&self) -> Vec<f64> {
        self.value.numbers()
    }

    /// Returns it as an expression of the language.
    #[must_use]
    pub fn text(&self) -> String {
        self.value.text(&self.shader.typed.types, &self.shader.preprocessed.symbols)
    }

    /// Returns the kind of each component.
    #[must_use]
    pub fn kinds(&self) -> Vec<Scalar> {
        moment::glsl::value::scalars(&self.shader.typed.types, self.value.ty)
    }

    /// Returns the bits of each component.
    #[must_use]
    pub fn bits(&self) -> &[u64] {
        &self.value.scalars
    }
}

impl fmt::Debug for TypedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl PartialEq for TypedValue {
    fn eq(&self, other: &TypedValue) -> bool {
        self.value == other.value
    }
}

impl Serialize for TypedValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Document {
            /// Its type, as the shader spells it.
            r#type: String,
            /// Its components as texts, so that no bit is lost: of matrices by column, of arrays by element, of structures
            /// by member.
            components: Vec<String>,
        }
        Document { r#type: self.type_name(), components: self.components() }.serialize(serializer)
    }
}

/// How a value of a run compares with the emulator's. Those that are farther apart than rounding are judged by the
/// operations that they are computed by: each from what was measured of its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueVerdict {
    /// The same bits, or both are no number.
    Equal,
    /// Within rounding.
    Within {
        /// Units in the last place of a float.
        ulps: u32,
    },
    /// Farther apart, but every operation up to the value gives what the specification allows.
    Allowed {
        /// Units in the last place of a float; nothing if the emulator went another way, by rounding.
        ulps: Option<u32>,
    },
    /// Its own operations give what the specification allows; what they are given diverges since an earlier line.
    Carried {
        /// Units in the last place of a float; nothing if the emulator went another way.
        ulps: Option<u32>,
        /// The line of the operation that diverges.
        line: u32,
    },
    /// Not the same.
    Divergent {
        /// Units in the last place of a float; nothing if the emulator did not come there.
        ulps: Option<u32>,
    },
}

impl ValueVerdict {
    /// Returns its name, as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ValueVerdict::Equal => "equal",
            ValueVerdict::Within { .. } => "within",
            ValueVerdict::Allowed { .. } => "allowed",
            ValueVerdict::Carried { .. } => "carried",
            ValueVerdict::Divergent { .. } => "divergent",
        }
    }

    /// Returns how far apart the values are, in units in the last place of a float, if there are two.
    #[must_use]
    pub fn ulps(self) -> Option<u32> {
        match self {
            ValueVerdict::Equal => Some(0),
            ValueVerdict::Within { ulps } => Some(ulps),
            ValueVerdict::Allowed { ulps } | ValueVerdict::Carried { ulps, .. } | ValueVerdict::Divergent { ulps } => {
                ulps
            }
        }
    }
}

impl From<Agreement> for ValueVerdict {
    fn from(agreement: Agreement) -> ValueVerdict {
        match agreement {
            Agreement::Equal => ValueVerdict::Equal,
            Agreement::Within { ulps } => ValueVerdict::Within { ulps },
            Agreement::Divergent { ulps } => ValueVerdict::Divergent { ulps: Some(ulps) },
        }
    }
}

/// How a measured value compares with the emulator's, if it was compared. JSON has it as `verdict`, `ulps` and
/// `carried_from`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Comparison(pub Option<ValueVerdict>);

impl Comparison {
    /// Returns whether the value is another than it may be, by its own operations or by an earlier one.
    #[must_use]
    pub fn is_divergent(self) -> bool {
        matches!(self.0, Some(ValueVerdict::Divergent { .. } | ValueVerdict::Carried { .. }))
    }
}

impl Serialize for Comparison {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Document {
            /// How the two compare, if they were compared: `equal`; `within` rounding; `allowed` if they are farther apart
            /// but every operation gives what the specification allows from what was measured of its operands;
            /// `carried` over from an earlier divergence; or `divergent`.
            verdict: Option<&'static str>,
            /// How far they are apart, in units in the last place.
            ulps: Option<u32>,
            /// The line that a divergence was carried over from.
            carried_from: Option<u32>,
        }
        let carried_from = match self.0 {
            Some(ValueVerdict::Carried { line, .. }) => Some(line),
            _ => None,
        };
        let (verdict, ulps) = (self.0.map(ValueVerdict::name), self.0.and_then(ValueVerdict::ulps));
        Document { verdict, ulps, carried_from }.serialize(serializer)
    }
}
