//! Texture targets.

use api::constant as c;

use crate::context::{Client, Facts};

/// A target; the order is that of the bindings in a unit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are GL's own")]
pub enum Target {
    OneD,
    TwoD,
    ThreeD,
    Cube,
    Rectangle,
    OneDArray,
    TwoDArray,
    CubeArray,
    Buffer,
    Multisample,
    MultisampleArray,
    External,
}

/// Number of targets.
pub const TARGETS: usize = 12;

/// All targets.
pub const ALL_TARGETS: [Target; TARGETS] = [
    Target::OneD,
    Target::TwoD,
    Target::ThreeD,
    Target::Cube,
    Target::Rectangle,
    Target::OneDArray,
    Target::TwoDArray,
    Target::CubeArray,
    Target::Buffer,
    Target::Multisample,
    Target::MultisampleArray,
    Target::External,
];

impl Target {
    /// Returns the target of that name, which must not be a face or a proxy.
    #[inline]
    #[must_use]
    pub fn named(name: u32) -> Option<Target> {
        Some(match name {
            c::GL_TEXTURE_1D => Target::OneD,
            c::GL_TEXTURE_2D => Target::TwoD,
            c::GL_TEXTURE_3D => Target::ThreeD,
            c::GL_TEXTURE_CUBE_MAP => Target::Cube,
            c::GL_TEXTURE_RECTANGLE => Target::Rectangle,
            c::GL_TEXTURE_1D_ARRAY => Target::OneDArray,
            c::GL_TEXTURE_2D_ARRAY => Target::TwoDArray,
            c::GL_TEXTURE_CUBE_MAP_ARRAY => Target::CubeArray,
            c::GL_TEXTURE_BUFFER => Target::Buffer,
            c::GL_TEXTURE_2D_MULTISAMPLE => Target::Multisample,
            c::GL_TEXTURE_2D_MULTISAMPLE_ARRAY => Target::MultisampleArray,
            c::GL_TEXTURE_EXTERNAL_OES => Target::External,
            _ => return None,
        })
    }

    /// Returns the target of that name, if the context has it.
    #[inline]
    #[must_use]
    pub fn in_context(name: u32, facts: &Facts) -> Option<Target> {
        Target::named(name).filter(|target| target.exists(facts))
    }

    /// Returns the target and the number of the face for the name of a target or a face of a cube map.
    #[must_use]
    pub fn with_face(name: u32) -> Option<(Target, u32)> {
        match name {
            c::GL_TEXTURE_CUBE_MAP_POSITIVE_X..=c::GL_TEXTURE_CUBE_MAP_NEGATIVE_Z => {
                Some((Target::Cube, name - c::GL_TEXTURE_CUBE_MAP_POSITIVE_X))
            }
            _ => Target::named(name).map(|target| (target, 0)),
        }
    }

    /// Returns the target of a proxy.
    #[must_use]
    pub fn of_proxy(name: u32) -> Option<Target> {
        Some(match name {
            c::GL_PROXY_TEXTURE_1D => Target::OneD,
            c::GL_PROXY_TEXTURE_2D => Target::TwoD,
            c::GL_PROXY_TEXTURE_3D => Target::ThreeD,
            c::GL_PROXY_TEXTURE_CUBE_MAP => Target::Cube,
            c::GL_PROXY_TEXTURE_RECTANGLE => Target::Rectangle,
            c::GL_PROXY_TEXTURE_1D_ARRAY => Target::OneDArray,
            c::GL_PROXY_TEXTURE_2D_ARRAY => Target::TwoDArray,
            c::GL_PROXY_TEXTURE_CUBE_MAP_ARRAY => Target::CubeArray,
            c::GL_PROXY_TEXTURE_2D_MULTISAMPLE => Target::Multisample,
            c::GL_PROXY_TEXTURE_2D_MULTISAMPLE_ARRAY => Target::MultisampleArray,
            _ => return None,
        })
    }

    /// Returns its name.
    #[must_use]
    pub fn name(self) -> u32 {
        match self {
            Target::OneD => c::GL_TEXTURE_1D,
            Target::TwoD => c::GL_TEXTURE_2D,
            Target::ThreeD => c::GL_TEXTURE_3D,
            Target::Cube => c::GL_TEXTURE_CUBE_MAP,
            Target::Rectangle => c::GL_TEXTURE_RECTANGLE,
            Target::OneDArray => c::GL_TEXTURE_1D_ARRAY,
            Target::TwoDArray => c::GL_TEXTURE_2D_ARRAY,
            Target::CubeArray => c::GL_TEXTURE_CUBE_MAP_ARRAY,
            Target::Buffer => c::GL_TEXTURE_BUFFER,
            Target::Multisample => c::GL_TEXTURE_2D_MULTISAMPLE,
            Target::MultisampleArray => c::GL_TEXTURE_2D_MULTISAMPLE_ARRAY,
            Target::External => c::GL_TEXTURE_EXTERNAL_OES,
        }
    }

    /// Returns the name of its binding in `glGet…`.
    #[must_use]
    pub fn binding(self) -> u32 {
        match self {
            Target::OneD => c::GL_TEXTURE_BINDING_1D,
            Target::TwoD => c::GL_TEXTURE_BINDING_2D,
            Target::ThreeD => c::GL_TEXTURE_BINDING_3D,
            Target::Cube => c::GL_TEXTURE_BINDING_CUBE_MAP,
            Target::Rectangle => c::GL_TEXTURE_BINDING_RECTANGLE,
            Target::OneDArray => c::GL_TEXTURE_BINDING_1D_ARRAY,
            Target::TwoDArray => c::GL_TEXTURE_BINDING_2D_ARRAY,
            Target::CubeArray => c::GL_TEXTURE_BINDING_CUBE_MAP_ARRAY,
            Target::Buffer => c::GL_TEXTURE_BINDING_BUFFER,
            Target::Multisample => c::GL_TEXTURE_BINDING_2D_MULTISAMPLE,
            Target::MultisampleArray => c::GL_TEXTURE_BINDING_2D_MULTISAMPLE_ARRAY,
            Target::External => c::GL_TEXTURE_BINDING_EXTERNAL_OES,
        }
    }

    /// Returns whether a context has it.
    #[must_use]
    pub fn exists(self, facts: &Facts) -> bool {
        let desktop = matches!(facts.client, Client::Compatibility | Client::Core);
        match self {
            Target::TwoD => true,
            Target::OneD => desktop,
            Target::ThreeD => desktop || facts.es(3, 0) || facts.has("GL_OES_texture_3D"),
            Target::Cube => facts.client != Client::Es1 || facts.has("GL_OES_texture_cube_map"),
            Target::Rectangle => desktop && (facts.desktop(3, 1) || facts.has("GL_ARB_texture_rectangle")),
            Target::OneDArray => facts.desktop(3, 0) || desktop && facts.has("GL_EXT_texture_array"),
            Target::TwoDArray => facts.desktop(3, 0) || facts.es(3, 0) || desktop && facts.has("GL_EXT_texture_array"),
            Target::CubeArray => {
                facts.desktop(4, 0)
                    || facts.es(3, 2)
                    || facts.has("GL_ARB_texture_cube_map_array")
                    || facts.has("GL_OES_texture_cube_map_array")
            }
            Target::Buffer => {
                facts.desktop(3, 1)
                    || facts.es(3, 2)
                    || facts.has("GL_ARB_texture_buffer_object")
                    || facts.has("GL_OES_texture_buffer")
            }
            Target::Multisample => facts.desktop(3, 2) || facts.es(3, 1) || facts.has("GL_ARB_texture_multisample"),
            Target::MultisampleArray => {
                facts.desktop(3, 2) || facts.es(3, 2) || facts.has("GL_ARB_texture_multisample")
            }
            Target::External => facts.has("GL_OES_EGL_image_external"),
        }
    }

    /// Returns how many faces it has.
    #[must_use]
    pub fn faces(self) -> u32 {
        if self == Target::Cube { 6 } else { 1 }
    }

    /// Returns whether it has layers (GL 4.6, 9.4.2: what can be attached as layered).
    #[must_use]
    pub fn is_layered(self) -> bool {
        matches!(
            self,
            Target::ThreeD
                | Target::Cube
                | Target::OneDArray
                | Target::TwoDArray
                | Target::CubeArray
                | Target::MultisampleArray
        )
    }

    /// Returns whether it is multisampled.
    #[must_use]
    pub fn is_multisample(self) -> bool {
        matches!(self, Target::Multisample | Target::MultisampleArray)
    }

    /// Returns how many of width, height and depth are halved from one level to the next.
    #[must_use]
    pub fn shrinking(self) -> usize {
        match self {
            Target::OneD | Target::OneDArray => 1,
            Target::ThreeD => 3,
            _ => 2,
        }
    }

    /// Returns the maximum number of levels of a texture of this target.
    #[must_use]
    pub fn max_levels(self, facts: &Facts) -> i32 {
        let levels_of = |size: i64| 64 - size.max(1).leading_zeros().cast_signed();
        let limit = |name: u32| levels_of(facts.limits.integer(name, 16384));
        match self {
            Target::ThreeD => limit(c::GL_MAX_3D_TEXTURE_SIZE),
            Target::Cube | Target::CubeArray => limit(c::GL_MAX_CUBE_MAP_TEXTURE_SIZE),
            Target::Rectangle | Target::Buffer | Target::Multisample | Target::MultisampleArray | Target::External => 1,
            _ => limit(c::GL_MAX_TEXTURE_SIZE),
        }
    }
}
