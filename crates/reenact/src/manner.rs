//! What the specifications leave to a device, done as one does it.

use pipeline::LowerOptions;
use raster::state::Arithmetic;
use shader::version::Version;
use texture::Filtering;

/// How a device does what the specifications leave to it, as far as that is known. The default is to do everything as
/// exactly as can be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Manner {
    /// How it filters textures.
    pub filtering: Filtering,
    /// Whether it computes with `mediump` and `lowp` floats in half precision.
    pub half_precision: bool,
    /// How it blends and rounds.
    pub arithmetic: Arithmetic,
}

impl Manner {
    /// The manner of a device by its `GL_RENDERER`. `half_floats` says whether the processor converts half-precision
    /// numbers, on which llvmpipe makes it depend; `surface`, whether a window or another surface is drawn to.
    #[must_use]
    pub fn of(renderer: &str, half_floats: bool, surface: bool) -> Manner {
        if renderer.starts_with("llvmpipe") {
            return Manner {
                filtering: Filtering::Llvmpipe { flipped: surface },
                half_precision: half_floats,
                arithmetic: Arithmetic::Llvmpipe,
            };
        }
        if renderer.contains("NVIDIA") {
            return Manner {
                filtering: Filtering::WeightBits(8),
                arithmetic: Arithmetic::Cutting,
                ..Manner::default()
            };
        }
        Manner::default()
    }

    /// What is not as the specifications have it, for people: a sentence, or none.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        let filtering = match self.filtering {
            Filtering::Exact => None,
            Filtering::WeightBits(bits) => Some(format!("filters textures with weights of {bits} bits")),
            Filtering::Llvmpipe { .. } => Some("filters textures as llvmpipe does".to_owned()),
        };
        let half = self.half_precision.then(|| "computes with mediump and lowp in half precision".to_owned());
        let parts: Vec<String> = [filtering, half].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| format!("the emulator {}", parts.join(" and ")))
    }

    /// Whether it computes with `mediump` and `lowp` in half precision in shaders of a language version. In desktop GLSL
    /// precisions say nothing (GLSL 4.60, 4.7), those of the variables of the language among them.
    #[must_use]
    pub fn halves(self, version: Version) -> bool {
        self.half_precision && version.is_es()
    }

    /// How shaders of a language version are lowered for it.
    #[must_use]
    pub fn lowering(self, version: Version) -> LowerOptions {
        LowerOptions { half_precision: self.halves(version), ..LowerOptions::default() }
    }
}
