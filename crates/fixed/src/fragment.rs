//! The fragment shader.

use std::fmt::Write as _;

use api::constant as c;
use assembly::Fog;
use state::objects::texture::Target;
use state::variable;

use crate::input::Input;
use crate::texture::Sample;
use crate::{DrawState, Refusal, Uniforms, environment};

/// The shader, and the values of its uniforms.
pub fn shader(draw: &DrawState<'_>, notes: &mut Vec<String>) -> Result<(String, Uniforms), Refusal> {
    let used = || draw.samples.iter().enumerate().filter_map(|(unit, sample)| Some((unit, (*sample)?)));
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
    let read = [Input::Colour].into_iter().chain(draw.sums_colours().then_some(Input::Secondary));
    for input in read.chain(used().map(|(unit, _)| Input::Coordinate(unit))).filter(|input| !draw.writes(*input)) {
        let _ = writeln!(text, "uniform vec4 {};", draw.reads(input));
        uniforms.push((draw.reads(input), input.current(draw).map(f32::to_bits).to_vec()));
    }
    text.push_str("void main() {\n");
    // All textures are sampled first: an environment may use the texture of a later unit.
    for (unit, sample) in used() {
        let coordinate = coordinate(draw, unit, sample);
        let _ = writeln!(text, "    vec4 texel{unit} = {}(unit{unit}, {coordinate});", words(sample).1);
    }
    let _ = writeln!(text, "    vec4 color = {};", draw.reads(Input::Colour));
    for (unit, sample) in used() {
        environment::apply(draw, (unit, sample), &mut text, notes)?;
    }
    if draw.sums_colours() {
        let _ = writeln!(text, "    color.rgb += {}.rgb;", draw.reads(Input::Secondary));
    }
    if draw.is_on(variable::FOG) {
        fog(draw, &mut text);
    }
    text.push_str("    gl_FragColor = color;\n}\n");
    Ok((text, uniforms))
}

/// The sampler type, and the function to sample with.
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

/// The coordinate that a unit samples at. All but cube maps are divided by the last coordinate (GL 4.6 compatibility,
/// chapter 8). Mesa divides for cube maps as well, which affects the level of detail, and uses the second coordinate as
/// the reference of one-dimensional shadow maps.
fn coordinate(draw: &DrawState<'_>, unit: usize, sample: Sample) -> String {
    let given = draw.reads(Input::Coordinate(unit));
    match (sample.target, sample.compares, draw.is_mesa()) {
        (Target::Cube, _, true) => format!("{given}.xyz / {given}.w"),
        (Target::Cube, _, false) => format!("{given}.xyz"),
        (Target::OneD, true, true) => format!("{given}.xyyw"),
        _ => given,
    }
}

/// Fog (GL 4.6 compatibility, 16.4).
fn fog(draw: &DrawState<'_>, text: &mut String) {
    let fog = match draw.name(variable::FOG_MODE) {
        c::GL_LINEAR => Fog::Linear,
        c::GL_EXP2 => Fog::Square,
        _ => Fog::Exponential,
    };
    let _ = writeln!(text, "    float clear = clamp({}, 0.0, 1.0);", fog.factor());
    text.push_str("    color.rgb = mix(gl_Fog.color.rgb, color.rgb, clear);\n");
}
