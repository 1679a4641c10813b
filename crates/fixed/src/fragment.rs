//! The fragment shader.

use std::fmt::Write as _;

use api::constant as c;
use assembly::Fog;
use state::objects::texture::Target;
use state::variable;

use crate::input::Input;
use crate::texture::Sample;
use crate::{Refusal, Setting, Uniforms, environment};

/// The shader, and what its uniforms must be given.
pub fn shader(setting: &Setting<'_>, notes: &mut Vec<String>) -> Result<(String, Uniforms), Refusal> {
    let used = || setting.samples.iter().enumerate().filter_map(|(unit, sample)| Some((unit, (*sample)?)));
    let mut text = String::from("#version 120\n");
    if used().any(|(_, sample)| sample.target == Target::Rectangle) {
        text.push_str("#extension GL_ARB_texture_rectangle : require\n");
    }
    text.push('\n');
    let mut uniforms = Vec::new();
    for (unit, sample) in used() {
        let _ = writeln!(text, "uniform {} unit{unit};", words(sample).0);
        uniforms.push((format!("unit{unit}"), vec![unit as u32]));
    }
    let read = [Input::Colour].into_iter().chain(setting.sums_colours().then_some(Input::Secondary));
    for input in read.chain(used().map(|(unit, _)| Input::Coordinate(unit))).filter(|input| !setting.writes(*input)) {
        let _ = writeln!(text, "uniform vec4 {};", setting.reads(input));
        uniforms.push((setting.reads(input), input.current(setting).map(f32::to_bits).to_vec()));
    }
    text.push_str("void main() {\n");
    // Every texture is read before anything is made of it: an environment may go by the texture of a later unit.
    for (unit, sample) in used() {
        let coordinate = coordinate(setting, unit, sample);
        let _ = writeln!(text, "    vec4 texel{unit} = {}(unit{unit}, {coordinate});", words(sample).1);
    }
    let _ = writeln!(text, "    vec4 color = {};", setting.reads(Input::Colour));
    for (unit, sample) in used() {
        environment::apply(setting, (unit, sample), &mut text, notes)?;
    }
    if setting.sums_colours() {
        let _ = writeln!(text, "    color.rgb += {}.rgb;", setting.reads(Input::Secondary));
    }
    if setting.is_on(variable::FOG) {
        fog(setting, &mut text);
    }
    text.push_str("    gl_FragColor = color;\n}\n");
    Ok((text, uniforms))
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

/// Where a unit samples. All but cube maps divide by the last coordinate (GL 4.6 compatibility, chapter 8). Mesa divides
/// there as well, which tells in the level of detail, and compares textures of one dimension with the second
/// coordinate.
fn coordinate(setting: &Setting<'_>, unit: usize, sample: Sample) -> String {
    let given = setting.reads(Input::Coordinate(unit));
    match (sample.target, sample.compares, setting.is_mesa()) {
        (Target::Cube, _, true) => format!("{given}.xyz / {given}.w"),
        (Target::Cube, _, false) => format!("{given}.xyz"),
        (Target::OneD, true, true) => format!("{given}.xyyw"),
        _ => given,
    }
}

/// Fog (GL 4.6 compatibility, 16.4).
fn fog(setting: &Setting<'_>, text: &mut String) {
    let fog = match setting.name(variable::FOG_MODE) {
        c::GL_LINEAR => Fog::Linear,
        c::GL_EXP2 => Fog::Square,
        _ => Fog::Exponential,
    };
    let _ = writeln!(text, "    float clear = clamp({}, 0.0, 1.0);", fog.factor());
    text.push_str("    color.rgb = mix(gl_Fog.color.rgb, color.rgb, clear);\n");
}
