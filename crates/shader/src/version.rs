//! Which language a shader is written in: stage, version, profile, extensions in force.

use std::fmt;
use std::str::FromStr;

use crate::builtin::ExtensionSet;

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

    /// The name people use: `vertex`, `tessellation control`, ….
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

    /// One bit per stage, for sets.
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

/// Which of the three languages that share the name GLSL.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Profile {
    /// Desktop GLSL without what was deprecated; the default from 1.40 on.
    Core,
    /// Desktop GLSL with everything; what versions before 1.40 are.
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
    /// What a shader without `#version` is, on desktop GL.
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

/// Whose deviations from the specification to accept (each with a warning).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Vendor {
    /// None: the specification.
    #[default]
    Khronos,
    /// What Mesa's compiler lets pass.
    Mesa,
    /// What NVIDIA's compiler lets pass.
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

/// What `glNamedStringARB` and `glCompileShaderIncludeARB` were given.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Includes {
    /// Absolute paths and their texts.
    pub strings: Vec<(String, String)>,
    /// Where relative paths are looked for, in order.
    pub paths: Vec<String>,
}

/// How to read a shader.
#[derive(Clone, Debug)]
pub struct Options {
    /// The stage it is for.
    pub stage: Stage,
    /// Read it as this version whatever its `#version` says.
    pub version_override: Option<Version>,
    /// The newest version the implementation takes, as in `#version`; any without.
    pub newest: Option<u16>,
    /// What it is without a `#version` line.
    pub default_version: Version,
    /// Enforce WebGL's rules: versions 1.00 and 3.00 of GLSL ES only, for 1.00 the limits of Appendix A, and names with
    /// `webgl_`. A WebGL 1 context takes nothing newer than 100: see `newest`.
    pub webgl: bool,
    /// Whose deviations to accept.
    pub vendor: Vendor,
    /// Extensions the implementation offers; others are unknown to it.
    pub available: ExtensionSet,
    /// Named strings for `#include`.
    pub includes: Includes,
    /// Values of implementation limits (`gl_MaxDrawBuffers`, …) that differ from the table's.
    pub limits: Vec<(String, i32)>,
}

impl Options {
    /// The defaults for a stage: every extension known, limits from the table, the specification's rules.
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
}

/// The language at one point of a shader: what tables are asked with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dialect {
    /// The stage.
    pub stage: Stage,
    /// Version and profile.
    pub version: Version,
    /// Extensions enabled here (by `enable`, `require` or `warn`).
    pub enabled: ExtensionSet,
    /// Whose deviations from the specification are accepted.
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
