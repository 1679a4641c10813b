//! Implementation-defined behaviour of devices.

use pipeline::LowerOptions;
use raster::state::Arithmetic;
use shader::version::Version;
use texture::Filtering;

/// How a device behaves where the specifications leave a choice, as far as it is known. The default is to be as exact
/// as possible.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DeviceQuirks {
    /// Its texture filtering.
    pub filtering: Filtering,
    /// Whether it computes `mediump` and `lowp` floats in half precision.
    pub half_precision: bool,
    /// Its blending and rounding.
    pub arithmetic: Arithmetic,
    /// Whether the quads of fragments are counted from the top of what the draw targets, as Mesa does in windows and other
    /// surfaces: if their number of rows is odd, the lowest row is half a quad.
    pub quads_from_above: bool,
}

impl DeviceQuirks {
    /// The behaviour of a device by its `GL_RENDERER` and `GL_VERSION`. `half_floats` tells whether the processor can convert half
    /// floats, on which llvmpipe's behaviour depends; `surface`, whether the draw targets a window or another surface.
    #[must_use]
    pub fn of((renderer, version): (&str, &str), half_floats: bool, surface: bool) -> DeviceQuirks {
        if renderer.starts_with("llvmpipe") {
            return DeviceQuirks {
                filtering: Filtering::Llvmpipe { flipped: surface, ellipses: averages_ellipses(version) },
                half_precision: half_floats,
                arithmetic: Arithmetic::Llvmpipe,
                quads_from_above: surface,
            };
        }
        if renderer.contains("NVIDIA") {
            return DeviceQuirks {
                filtering: Filtering::WeightBits(8),
                arithmetic: Arithmetic::Cutting,
                ..DeviceQuirks::default()
            };
        }
        DeviceQuirks::default()
    }

    /// How it deviates from the specifications, as a sentence for the user; `None` if it does not.
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

    /// Whether it computes `mediump` and `lowp` in half precision in shaders of a language version. In desktop GLSL
    /// precision qualifiers have no effect (GLSL 4.60, 4.7), also on built-in variables.
    #[must_use]
    pub fn halves(self, version: Version) -> bool {
        self.half_precision && version.is_es()
    }

    /// Whether it may compute `mediump` and `lowp` in half precision in shaders of a language version, or does: what the
    /// language asks of them is no more. llvmpipe is known to do so or not to.
    #[must_use]
    pub fn may_halve(self, version: Version) -> bool {
        let known = matches!(self.filtering, Filtering::Llvmpipe { .. });
        self.halves(version) || version.is_es() && !known
    }

    /// The options for lowering shaders of a language version.
    #[must_use]
    pub fn lowering(self, version: Version) -> LowerOptions {
        LowerOptions { half_precision: self.halves(version), ..LowerOptions::default() }
    }
}

/// Whether a version of Mesa has the anisotropic filters that crate `texture` knows: they came with 21.3, and changed with
/// 24.2.
fn averages_ellipses(version: &str) -> bool {
    let number = version.split_once("Mesa ").map_or("", |(_, number)| number);
    let mut parts = number.split(|c: char| !c.is_ascii_digit()).map_while(|part| part.parse::<u32>().ok());
    let number = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    ((21, 3)..(24, 2)).contains(&number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_known_by_the_version_of_mesa() {
        let known = |version| averages_ellipses(version);
        assert!(known("4.5 (Compatibility Profile) Mesa 22.3.6"));
        assert!(known("OpenGL ES 3.2 Mesa 24.1.0-devel (git-1234)"));
        assert!(!known("4.5 (Core Profile) Mesa 24.2.3"));
        assert!(!known("4.5 (Core Profile) Mesa 21.2.6"));
        assert!(!known("4.6.0 NVIDIA 580.65.06"));
        assert!(!known(""));
    }
}
