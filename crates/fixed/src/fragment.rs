//! The fragment shader.

use std::fmt::Write as _;

use api::constant as c;
use state::objects::texture::Target;
use state::variable;

use crate::texture::Sample;
use crate::{Refusal, Setting, environment};

/// The shader, and the unit of each of its samplers.
pub fn shader(setting: &Setting<'_>, notes: &mut Vec<String>) -> Result<(String, Vec<(String, u32)>), Refusal> {
    let used = || setting.samples.iter().enumerate().filter_map(|(unit, sample)| Some((unit, (*sample)?)));
    let mut text = String::from("#version 120\n");
    if used().any(|(_, sample)| sample.target == Target::Rectangle) {
        text.push_str("#extension GL_ARB_texture_rectangle : require\n");
    }
    text.push('\n');
    let mut samplers = Vec::new();
    for (unit, sample) in used() {
        let _ = writeln!(text, "uniform {} unit{unit};", words(sample).0);
        samplers.push((format!("unit{unit}"), unit as u32));
    }
    text.push_str("void main() {\n");
    // Every texture is read before anything is made of it: an environment may go by the texture of a later unit.
    for (unit, sample) in used() {
        let coordinate = coordinate(setting, unit, sample);
        let _ = writeln!(text, "    vec4 texel{unit} = {}(unit{unit}, {coordinate});", words(sample).1);
    }
    text.push_str("    vec4 color = gl_Color;\n");
    for (unit, sample) in used() {
        environment::apply(setting, (unit, sample), &mut text, notes)?;
    }
    if setting.sums_colours() {
        text.push_str("    color.rgb += gl_SecondaryColor.rgb;\n");
    }
    if setting.is_on(variable::FOG) {
        fog(setting, &mut text);
    }
    text.push_str("    gl_FragColor = color;\n}\n");
    Ok((text, samplers))
}

/// The type of a sampler, and the function that reads with it.
fn words(sample: Sample) -> (&'static str, &'static str) {
    match (sample.target, sample.compares) {
        (Target::OneD, false) => ("sampler1D", "texture1DProj"),
        (Target::OneD, true) => ("sampler1DShadow", "shadow1DProj"),
        (Target::ThreeD, _) => ("sampler3D", "texture3DProj"),
        (Target::Cube, _) => ("samplerCube", "textureCube"),
        (Target::Rectangle, false) => ("sampler2DRect", "texture2DRectProj"),
        (Target::Rectangle, true) => ("sampler2DRectShadow", "shadow2DRectProj"),
        (_, false) => ("sampler2D", "texture2DProj"),
        (_, true) => ("sampler2DShadow", "shadow2DProj"),
    }
}

/// Where a unit samples. All but cube maps divide by the last coordinate (GL 4.6 compatibility, 16.1). Mesa divides
/// there as well, which tells in the level of detail, and compares textures of one dimension with the second
/// coordinate.
fn coordinate(setting: &Setting<'_>, unit: usize, sample: Sample) -> String {
    match (sample.target, sample.compares, setting.is_mesa()) {
        (Target::Cube, _, true) => format!("gl_TexCoord[{unit}].xyz / gl_TexCoord[{unit}].w"),
        (Target::Cube, _, false) => format!("gl_TexCoord[{unit}].xyz"),
        (Target::OneD, true, true) => format!("gl_TexCoord[{unit}].xyyw"),
        _ => format!("gl_TexCoord[{unit}]"),
    }
}

/// Fog (GL 4.6 compatibility, 16.4).
fn fog(setting: &Setting<'_>, text: &mut String) {
    let clear = match setting.name(variable::FOG_MODE) {
        c::GL_LINEAR => "(gl_Fog.end - gl_FogFragCoord) * gl_Fog.scale",
        c::GL_EXP2 => "exp(-(gl_Fog.density * gl_FogFragCoord) * (gl_Fog.density * gl_FogFragCoord))",
        _ => "exp(-gl_Fog.density * gl_FogFragCoord)",
    };
    let _ = writeln!(text, "    float clear = clamp({clear}, 0.0, 1.0);");
    text.push_str("    color.rgb = mix(gl_Fog.color.rgb, color.rgb, clear);\n");
}
