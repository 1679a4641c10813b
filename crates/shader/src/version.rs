//! The language of a shader: stage, version, profile and enabled extensions.

use std::fmt;
use std::str::FromStr;

use crate::builtin::{Extension, ExtensionSet};

/// A programmable stage.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Stage {
    /// Vertex shader.
    Vertex,
    /// Tessellation control shader.
    TessControl,
    /// Tessellation evaluation shader.
    TessEvaluation,
    /// Geometry shader.
    Geometry,
    /// Fragment shader.
    Fragment,
    /// Compute shader.
    Compute,
}

impl Stage {
    /// All stages in pipeline order.
    pub const ALL: [Stage; 6] =
        [Stage::Vertex, Stage::TessControl, Stage::TessEvaluation, Stage::Geometry, Stage::Fragment, Stage::Compute];

    /// The usual name: `vertex`, `tessellation control`, ….
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Stage::Vertex => "vertex",
            Stage::TessControl => "tessellation control",
            Stage::TessEvaluation => "tessellation evaluation",
            Stage::Geometry => "geometry",
            Stage::Fragment => "fragment",
            Stage::Compute => "compute",
        }
    }

    /// Returns the file extension that glslang and piglit use for the stage.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Stage::Vertex => "vert",
            Stage::TessControl => "tesc",
            Stage::TessEvaluation => "tese",
            Stage::Geometry => "geom",
            Stage::Fragment => "frag",
            Stage::Compute => "comp",
        }
    }

    /// Returns the stage with this file extension.
    #[must_use]
    pub fn from_extension(extension: &str) -> Option<Stage> {
        Stage::ALL.into_iter().find(|stage| stage.extension() == extension)
    }

    /// A bit for sets of stages.
    #[must_use]
    pub fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// A name that no stage has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownStage {
    /// The name.
    pub name: String,
}

impl fmt::Display for UnknownStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stages = "vertex, tesscontrol, tessevaluation, geometry, fragment or compute";
        write!(f, "there is no stage `{}`; use {stages}", self.name)
    }
}

impl std::error::Error for UnknownStage {}

impl FromStr for Stage {
    type Err = UnknownStage;

    /// Reads the name of a stage. `tessellation` may be shortened to `tess`, and spaces, hyphens and underscores do not
    /// count.
    fn from_str(text: &str) -> Result<Stage, UnknownStage> {
        let plain = |text: &str| text.replace([' ', '-', '_'], "").replace("tessellation", "tess");
        let found = Stage::ALL.into_iter().find(|stage| plain(stage.name()) == plain(text));
        found.ok_or_else(|| UnknownStage { name: text.to_owned() })
    }
}

/// The profile: core, compatibility or ES.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Profile {
    /// Desktop GLSL without deprecated features; the default from 1.40 on.
    Core,
    /// Desktop GLSL with all features; versions before 1.40 are of this kind.
    Compatibility,
    /// GLSL ES.
    Es,
}

/// A version of the language, such as `450 core` or `300 es`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Version {
    /// 110 … 460, or 100, 300, 310, 320 for ES.
    pub number: u16,
    /// Core, compatibility or ES.
    pub profile: Profile,
}

impl Version {
    /// The version of a desktop shader without `#version`.
    pub const DEFAULT: Version = Version { number: 110, profile: Profile::Compatibility };

    /// True for GLSL ES.
    #[must_use]
    pub fn is_es(self) -> bool {
        self.profile == Profile::Es
    }

    /// True from this desktop or this ES version on; zero means never.
    #[must_use]
    pub fn at_least(self, desktop: u16, es: u16) -> bool {
        let since = if self.is_es() { es } else { desktop };
        since != 0 && self.number >= since
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = (self.number / 100, self.number % 100);
        match self.profile {
            Profile::Es => write!(f, "GLSL ES {major}.{minor:02}"),
            Profile::Core | Profile::Compatibility => write!(f, "GLSL {major}.{minor:02}"),
        }
    }
}

/// The compiler whose deviations from the specification are accepted (each with a warning).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Vendor {
    /// None: the specification.
    #[default]
    Khronos,
    /// Deviations that Mesa's compiler accepts.
    Mesa,
    /// Deviations that NVIDIA's compiler accepts.
    Nvidia,
}

impl fmt::Display for Vendor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Vendor::Khronos => "the specification",
            Vendor::Mesa => "Mesa",
            Vendor::Nvidia => "NVIDIA",
        })
    }
}

/// The arguments of `glNamedStringARB` and `glCompileShaderIncludeARB`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Includes {
    /// Absolute paths and their contents.
    pub strings: Vec<(String, String)>,
    /// Search paths for relative paths, in order.
    pub paths: Vec<String>,
}

/// Extensions of WebGL 1 only.
const WEBGL1_EXTENSIONS: [&str; 4] =
    ["GL_EXT_draw_buffers", "GL_EXT_frag_depth", "GL_EXT_shader_texture_lod", "GL_OES_standard_derivatives"];

/// Extensions of WebGL 2 only that GLSL ES 1.00 would offer elsewhere.
const WEBGL2_EXTENSIONS: [&str; 2] = ["GL_OVR_multiview", "GL_OVR_multiview2"];

/// How to analyse a shader.
#[derive(Clone, Debug)]
pub struct Options {
    /// The stage it is for.
    pub stage: Stage,
    /// Analyse it as this version whatever its `#version`.
    pub version_override: Option<Version>,
    /// The newest version that the implementation supports, as in `#version`; `None` for any.
    pub newest: Option<u16>,
    /// The version without a `#version` line.
    pub default_version: Version,
    /// Enforce WebGL's rules: only versions 1.00 and 3.00 of GLSL ES, for 1.00 the limits of Appendix A, and reserved
    /// names with `webgl_`. A WebGL 1 context supports nothing newer than 100: see `newest`.
    pub webgl: bool,
    /// The compiler whose deviations are accepted.
    pub vendor: Vendor,
    /// The extensions that the implementation offers; others are unknown to it.
    pub available: ExtensionSet,
    /// Named strings for `#include`.
    pub includes: Includes,
    /// Values of implementation limits (`gl_MaxDrawBuffers`, …) that differ from the table's.
    pub limits: Vec<(String, i32)>,
}

impl Options {
    /// The defaults for a stage: all extensions, limits from the table, the specification's rules.
    #[must_use]
    pub fn new(stage: Stage) -> Options {
        Options {
            stage,
            version_override: None,
            newest: None,
            default_version: Version::DEFAULT,
            webgl: false,
            vendor: Vendor::Khronos,
            available: ExtensionSet::all(),
            includes: Includes::default(),
            limits: Vec::new(),
        }
    }

    /// Whether a shader of this version can enable the extension. A version of WebGL does not know those of the other.
    #[must_use]
    pub fn offers(&self, extension: Extension, version: Version) -> bool {
        let other: &[&str] = if !self.webgl {
            &[]
        } else if self.is_webgl2(version) {
            // Part of WebGL 2.0 itself, which has no extensions of these names, not even in GLSL ES 1.00.
            &WEBGL1_EXTENSIONS
        } else {
            // OVR_multiview2 is written against WebGL 2.0.
            &WEBGL2_EXTENSIONS
        };
        self.available.contains(extension) && extension.offered(version) && !other.contains(&extension.name())
    }

    /// Whether a shader of this version is for WebGL 2. Without `newest`, the version of the shader decides.
    #[must_use]
    pub fn is_webgl2(&self, version: Version) -> bool {
        self.webgl && self.newest.unwrap_or(version.number) > 100
    }
}

/// The language at one point of a shader: the key for table look-ups.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dialect {
    /// The stage.
    pub stage: Stage,
    /// Version and profile.
    pub version: Version,
    /// Extensions enabled here (by `enable`, `require` or `warn`).
    pub enabled: ExtensionSet,
    /// The compiler whose deviations are accepted.
    pub vendor: Vendor,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_read_in_every_spelling() {
        for name in ["tessellation control", "tesscontrol", "tess_control", "tess-control"] {
            assert_eq!(name.parse(), Ok(Stage::TessControl), "{name}");
        }
        for stage in Stage::ALL {
            assert_eq!(stage.name().parse(), Ok(stage));
        }
        let unknown = "pixel".parse::<Stage>().unwrap_err();
        assert!(unknown.to_string().contains("`pixel`; use vertex"), "{unknown}");
    }
}
