//! The state of fixed functions, as built-in uniforms say it.

use std::fmt;

use api::constant as c;
use shader::Shader;
use shader::typed::{Target, VarId, VariableKind};

/// Lights, and texture units and clip planes of built-in uniforms.
const ELEMENTS: u8 = 8;

/// A stack of matrices.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stack {
    ModelView,
    Projection,
    Texture(u8),
}

/// A parameter of a light or a material.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Aspect {
    Ambient,
    Diffuse,
    Specular,
    Emission,
    Shininess,
    Position,
    SpotDirection,
    SpotExponent,
    SpotCutoff,
    ConstantAttenuation,
    LinearAttenuation,
    QuadraticAttenuation,
}

/// A piece of state. In the order in which people look: what has colours comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum StateKey {
    Material { back: bool, aspect: Aspect },
    Light(u8, Aspect),
    LightModel,
    Fog,
    TextureColour(u8),
    Matrix(Stack),
    TexturePlanes(u8),
    ClipPlane(u8),
    Point,
}

impl Aspect {
    /// A parameter by its name in GL.
    pub fn of(name: u32) -> Option<Aspect> {
        Some(match name {
            c::GL_AMBIENT => Aspect::Ambient,
            c::GL_DIFFUSE => Aspect::Diffuse,
            c::GL_SPECULAR => Aspect::Specular,
            c::GL_EMISSION => Aspect::Emission,
            c::GL_SHININESS => Aspect::Shininess,
            c::GL_POSITION => Aspect::Position,
            c::GL_SPOT_DIRECTION => Aspect::SpotDirection,
            c::GL_SPOT_EXPONENT => Aspect::SpotExponent,
            c::GL_SPOT_CUTOFF => Aspect::SpotCutoff,
            c::GL_CONSTANT_ATTENUATION => Aspect::ConstantAttenuation,
            c::GL_LINEAR_ATTENUATION => Aspect::LinearAttenuation,
            c::GL_QUADRATIC_ATTENUATION => Aspect::QuadraticAttenuation,
            _ => return None,
        })
    }

    fn word(self) -> &'static str {
        match self {
            Aspect::Ambient => "ambient",
            Aspect::Diffuse => "diffuse",
            Aspect::Specular => "specular",
            Aspect::Emission => "emission",
            Aspect::Shininess => "shininess",
            Aspect::Position => "position",
            Aspect::SpotDirection => "spot direction",
            Aspect::SpotExponent => "spot exponent",
            Aspect::SpotCutoff => "spot cutoff",
            Aspect::ConstantAttenuation => "constant attenuation",
            Aspect::LinearAttenuation => "linear attenuation",
            Aspect::QuadraticAttenuation => "quadratic attenuation",
        }
    }
}

impl fmt::Display for StateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StateKey::Material { back, aspect } => {
                write!(f, "{} material, {}", if *back { "back" } else { "front" }, aspect.word())
            }
            StateKey::Light(number, aspect) => write!(f, "light {number}, {}", aspect.word()),
            StateKey::LightModel => f.write_str("light model"),
            StateKey::Fog => f.write_str("fog"),
            StateKey::TextureColour(unit) => write!(f, "environment colour of unit {unit}"),
            StateKey::Matrix(Stack::ModelView) => f.write_str("modelview matrix"),
            StateKey::Matrix(Stack::Projection) => f.write_str("projection matrix"),
            StateKey::Matrix(Stack::Texture(unit)) => write!(f, "texture matrix of unit {unit}"),
            StateKey::TexturePlanes(unit) => write!(f, "texture generation of unit {unit}"),
            StateKey::ClipPlane(number) => write!(f, "clip plane {number}"),
            StateKey::Point => f.write_str("points"),
        }
    }
}

impl StateKey {
    /// What a call sets of materials.
    pub fn materials(face: u32, name: u32) -> Vec<StateKey> {
        let aspects: &[Aspect] = match name {
            c::GL_AMBIENT_AND_DIFFUSE => &[Aspect::Ambient, Aspect::Diffuse],
            _ => &[match Aspect::of(name) {
                Some(aspect) => aspect,
                None => return Vec::new(),
            }],
        };
        let faces: &[bool] = match face {
            c::GL_FRONT => &[false],
            c::GL_BACK => &[true],
            _ => &[false, true],
        };
        let both = |back: bool| aspects.iter().map(move |aspect| StateKey::Material { back, aspect: *aspect });
        faces.iter().copied().flat_map(both).collect()
    }

    /// The group of `glPushAttrib` that saves it (GL 4.6 compatibility, 21.6); stacks of matrices have their own commands.
    pub fn group(self) -> u32 {
        match self {
            StateKey::Material { .. } | StateKey::Light(..) | StateKey::LightModel => c::GL_LIGHTING_BIT,
            StateKey::Fog => c::GL_FOG_BIT,
            StateKey::TextureColour(_) | StateKey::TexturePlanes(_) => c::GL_TEXTURE_BIT,
            StateKey::ClipPlane(_) => c::GL_TRANSFORM_BIT,
            StateKey::Point => c::GL_POINT_BIT,
            StateKey::Matrix(_) => 0,
        }
    }

    /// The state that a shader reads through built-in uniforms, in the order of keys.
    pub fn read_by(shader: &Shader) -> Vec<StateKey> {
        let mut all = std::collections::BTreeSet::new();
        let name = |symbol| shader.preprocessed.symbols.name(symbol);
        for (index, variable) in shader.typed.variables.iter().enumerate() {
            if variable.kind == VariableKind::Builtin {
                for part in shader.used_parts(VarId(index as u32)) {
                    all.extend(keys(name(variable.name), part.element, part.member.map(name)));
                }
            }
        }
        // `ftransform()` reads the matrices without naming them (GLSL 1.20, 8.4).
        let transforms = shader.typed.exprs.iter().any(|facts| match facts.target {
            Target::Builtin(function) => name(function.name) == "ftransform",
            _ => false,
        });
        if transforms {
            all.extend([Stack::ModelView, Stack::Projection].map(StateKey::Matrix));
        }
        all.into_iter().collect()
    }
}

/// The state that a part of a built-in uniform says.
fn keys(uniform: &str, element: Option<u32>, member: Option<&str>) -> Vec<StateKey> {
    let elements = || match element.map(u8::try_from) {
        Some(Ok(one)) => one..one.saturating_add(1),
        _ => 0..ELEMENTS,
    };
    let each = |key: &dyn Fn(u8) -> StateKey| elements().map(key).collect::<Vec<_>>();
    let model_view = StateKey::Matrix(Stack::ModelView);
    let projection = StateKey::Matrix(Stack::Projection);
    if let Some((base, _)) = uniform.split_once("Matrix") {
        return match base {
            "gl_ModelView" | "gl_Normal" => vec![model_view],
            "gl_Projection" => vec![projection],
            "gl_ModelViewProjection" => vec![model_view, projection],
            "gl_Texture" => each(&|unit| StateKey::Matrix(Stack::Texture(unit))),
            _ => Vec::new(),
        };
    }
    let back = uniform.starts_with("gl_Back");
    let material = |aspect| StateKey::Material { back, aspect };
    let own = member.and_then(aspect);
    let colours = [Aspect::Ambient, Aspect::Diffuse, Aspect::Specular];
    match uniform {
        "gl_NormalScale" => vec![model_view],
        "gl_ClipPlane" => each(&StateKey::ClipPlane),
        "gl_Point" => vec![StateKey::Point],
        "gl_FrontMaterial" | "gl_BackMaterial" => match own {
            Some(own) => vec![material(own)],
            None => colours.into_iter().chain([Aspect::Emission, Aspect::Shininess]).map(material).collect(),
        },
        "gl_LightSource" => {
            let rest = [
                Aspect::Position,
                Aspect::SpotDirection,
                Aspect::SpotExponent,
                Aspect::SpotCutoff,
                Aspect::ConstantAttenuation,
                Aspect::LinearAttenuation,
                Aspect::QuadraticAttenuation,
            ];
            let all: Vec<Aspect> = match own {
                Some(own) => vec![own],
                None => colours.into_iter().chain(rest).collect(),
            };
            elements().flat_map(|light| all.iter().map(move |aspect| StateKey::Light(light, *aspect))).collect()
        }
        "gl_LightModel" => vec![StateKey::LightModel],
        "gl_FrontLightModelProduct" | "gl_BackLightModelProduct" => {
            vec![material(Aspect::Emission), material(Aspect::Ambient), StateKey::LightModel]
        }
        "gl_FrontLightProduct" | "gl_BackLightProduct" => {
            let all = own.map_or(colours.to_vec(), |own| vec![own]);
            let lights = elements().flat_map(|light| all.iter().map(move |aspect| StateKey::Light(light, *aspect)));
            all.iter().map(|aspect| material(*aspect)).chain(lights).collect()
        }
        "gl_TextureEnvColor" => each(&StateKey::TextureColour),
        "gl_Fog" => vec![StateKey::Fog],
        _ if uniform.starts_with("gl_EyePlane") || uniform.starts_with("gl_ObjectPlane") => {
            each(&StateKey::TexturePlanes)
        }
        _ => Vec::new(),
    }
}

/// The parameter that a member of a built-in uniform says.
fn aspect(member: &str) -> Option<Aspect> {
    Some(match member {
        "ambient" => Aspect::Ambient,
        "diffuse" => Aspect::Diffuse,
        "specular" => Aspect::Specular,
        "emission" => Aspect::Emission,
        "shininess" => Aspect::Shininess,
        "position" | "halfVector" => Aspect::Position,
        "spotDirection" => Aspect::SpotDirection,
        "spotExponent" => Aspect::SpotExponent,
        "spotCutoff" | "spotCosCutoff" => Aspect::SpotCutoff,
        "constantAttenuation" => Aspect::ConstantAttenuation,
        "linearAttenuation" => Aspect::LinearAttenuation,
        "quadraticAttenuation" => Aspect::QuadraticAttenuation,
        _ => return None,
    })
}
