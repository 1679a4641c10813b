//! Texture environments: how a texture is combined with the previous colour (GL 4.6 compatibility, 16.2).

use std::fmt::Write as _;

use api::{Library, constant as c, enums};
use state::fixed::Unit;

use crate::input::Input;
use crate::texture::Sample;
use crate::{DrawState, Refusal};

/// Writes the code by which one texture unit changes `color`.
pub fn apply(
    draw: &DrawState<'_>,
    (unit, sample): (usize, Sample),
    text: &mut String,
    notes: &mut Vec<String>,
) -> Result<(), Refusal> {
    let about = &draw.view.context.fixed.units[unit];
    let (rgb, alpha) = match about.mode {
        c::GL_COMBINE | c::GL_COMBINE4_NV => combine(draw, unit, about, notes)?,
        c::GL_REPLACE | c::GL_MODULATE | c::GL_DECAL | c::GL_BLEND | c::GL_ADD => simple(about.mode, unit, sample.base),
        mode => return Err(Refusal::Environment { unit, name: named(mode) }),
    };
    match (rgb, alpha) {
        (Some(rgb), Some(alpha)) => drop(writeln!(text, "    color = vec4({rgb}, {alpha});")),
        (Some(rgb), None) => drop(writeln!(text, "    color.rgb = {rgb};")),
        (None, Some(alpha)) => drop(writeln!(text, "    color.a = {alpha};")),
        (None, None) => {}
    }
    Ok(())
}

fn named(name: u32) -> String {
    enums::any_name(Library::Gl, i64::from(name)).map_or_else(|| format!("{name:#06x}"), str::to_owned)
}

/// The RGB and alpha results of one of the older texture functions; `None` where the component is unchanged. They
/// depend on the components of the texture (GL 4.6 compatibility, tables 16.1 to 16.3).
fn simple(mode: u32, unit: usize, base: u32) -> (Option<String>, Option<String>) {
    let has_colour = base != c::GL_ALPHA;
    let has_alpha = matches!(base, c::GL_ALPHA | c::GL_LUMINANCE_ALPHA | c::GL_INTENSITY | c::GL_RGBA);
    let texel = format!("texel{unit}");
    let constant = format!("gl_TextureEnvColor[{unit}]");
    let modulated = has_alpha.then(|| format!("color.a * {texel}.a"));
    match mode {
        c::GL_REPLACE => (has_colour.then(|| format!("{texel}.rgb")), has_alpha.then(|| format!("{texel}.a"))),
        c::GL_MODULATE => (has_colour.then(|| format!("color.rgb * {texel}.rgb")), modulated),
        // Undefined for textures of other formats; like Mesa, this leaves the colour unchanged then.
        c::GL_DECAL if base == c::GL_RGBA => (Some(format!("mix(color.rgb, {texel}.rgb, {texel}.a)")), None),
        c::GL_DECAL if matches!(base, c::GL_RGB | c::GL_RG | c::GL_RED) => (Some(format!("{texel}.rgb")), None),
        c::GL_DECAL => (None, None),
        c::GL_BLEND => {
            let rgb = has_colour.then(|| format!("mix(color.rgb, {constant}.rgb, {texel}.rgb)"));
            let intensity = base == c::GL_INTENSITY;
            (rgb, if intensity { Some(format!("mix(color.a, {constant}.a, {texel}.a)")) } else { modulated })
        }
        _ => {
            let rgb = has_colour.then(|| format!("clamp(color.rgb + {texel}.rgb, 0.0, 1.0)"));
            let sum = (base == c::GL_INTENSITY).then(|| format!("clamp(color.a + {texel}.a, 0.0, 1.0)"));
            (rgb, sum.or(modulated))
        }
    }
}

/// The RGB and alpha results of `GL_COMBINE` (GL 4.6 compatibility, tables 16.4 to 16.6), including the functions of
/// ATI_texture_env_combine3 and NV_texture_env_combine4.
fn combine(
    draw: &DrawState<'_>,
    unit: usize,
    about: &Unit,
    notes: &mut Vec<String>,
) -> Result<(Option<String>, Option<String>), Refusal> {
    let four = about.mode == c::GL_COMBINE4_NV;
    let mut colours = Vec::new();
    let mut alphas = Vec::new();
    let counts = [argument_count(about.combine_rgb, four), argument_count(about.combine_alpha, four)];
    for at in 0..counts[0] {
        colours.push(colour_operand(&source(draw, unit, about.source_rgb[at], notes)?, about.operand_rgb[at]));
    }
    for at in 0..counts[1] {
        alphas.push(alpha_operand(&source(draw, unit, about.source_alpha[at], notes)?, about.operand_alpha[at]));
    }
    let scale = about.scale_shift.map(|shift| 1u32 << shift.min(2));
    let is_dot = matches!(about.combine_rgb, c::GL_DOT3_RGB | c::GL_DOT3_RGBA);
    let is_old_dot = matches!(about.combine_rgb, c::GL_DOT3_RGB_EXT | c::GL_DOT3_RGBA_EXT);
    if is_dot || is_old_dot {
        let dot = format!("4.0 * dot({} - vec3(0.5), {} - vec3(0.5))", colours[0], colours[1]);
        // The functions of EXT_texture_env_dot3 ignore the scale.
        let factor = if is_old_dot { 1 } else { scale[0] };
        let value = scaled(&format!("vec3({dot})"), factor, true);
        match about.combine_rgb {
            c::GL_DOT3_RGBA => return Ok((Some(value), Some(scaled(&dot, scale[1], true)))),
            c::GL_DOT3_RGBA_EXT => return Ok((Some(value), Some(scaled(&dot, 1, true)))),
            _ => {}
        }
        let alpha = function(unit, about.combine_alpha, &alphas, four, "float")?;
        return Ok((Some(value), Some(scaled(&alpha.0, scale[1], alpha.1))));
    }
    let rgb = function(unit, about.combine_rgb, &colours, four, "vec3")?;
    let alpha = function(unit, about.combine_alpha, &alphas, four, "float")?;
    Ok((Some(scaled(&rgb.0, scale[0], rgb.1)), Some(scaled(&alpha.0, scale[1], alpha.1))))
}

/// A value multiplied by 1, 2 or 4, and clamped if it may be out of range.
fn scaled(value: &str, factor: u32, wide: bool) -> String {
    match (factor, wide) {
        (1, false) => value.to_owned(),
        (1, true) => format!("clamp({value}, 0.0, 1.0)"),
        _ => format!("clamp(({value}) * {factor}.0, 0.0, 1.0)"),
    }
}

fn argument_count(function: u32, four: bool) -> usize {
    match function {
        c::GL_REPLACE => 1,
        c::GL_ADD | c::GL_ADD_SIGNED if four => 4,
        c::GL_INTERPOLATE | c::GL_MODULATE_ADD_ATI | c::GL_MODULATE_SIGNED_ADD_ATI | c::GL_MODULATE_SUBTRACT_ATI => 3,
        _ => 2,
    }
}

/// A combiner function of its arguments, and whether its result may be out of range.
fn function(unit: usize, which: u32, arguments: &[String], four: bool, kind: &str) -> Result<(String, bool), Refusal> {
    let [first, second, third, fourth] = std::array::from_fn(|at| arguments.get(at).map_or("", String::as_str));
    Ok(match which {
        c::GL_REPLACE => (first.to_owned(), false),
        c::GL_MODULATE => (format!("{first} * {second}"), false),
        c::GL_ADD if four => (format!("{first} * {second} + {third} * {fourth}"), true),
        c::GL_ADD_SIGNED if four => (format!("{first} * {second} + {third} * {fourth} - {kind}(0.5)"), true),
        c::GL_ADD => (format!("{first} + {second}"), true),
        c::GL_ADD_SIGNED => (format!("{first} + {second} - {kind}(0.5)"), true),
        c::GL_SUBTRACT => (format!("{first} - {second}"), true),
        c::GL_INTERPOLATE => (format!("mix({second}, {first}, {third})"), false),
        c::GL_MODULATE_ADD_ATI => (format!("{first} * {third} + {second}"), true),
        c::GL_MODULATE_SIGNED_ADD_ATI => (format!("{first} * {third} + {second} - {kind}(0.5)"), true),
        c::GL_MODULATE_SUBTRACT_ATI => (format!("{first} * {third} - {second}"), true),
        other => return Err(Refusal::Environment { unit, name: named(other) }),
    })
}

/// The expression for an argument's source.
fn source(draw: &DrawState<'_>, unit: usize, source: u32, notes: &mut Vec<String>) -> Result<String, Refusal> {
    let texel = |of: usize| {
        if draw.samples.get(of).is_some_and(Option::is_some) { Some(format!("texel{of}")) } else { None }
    };
    Ok(match source {
        c::GL_TEXTURE => texel(unit).unwrap_or_else(|| "vec4(0.0)".to_owned()),
        c::GL_PREVIOUS => "color".to_owned(),
        c::GL_PRIMARY_COLOR => draw.reads(Input::Colour),
        c::GL_CONSTANT => format!("gl_TextureEnvColor[{unit}]"),
        c::GL_ZERO => "vec4(0.0)".to_owned(),
        c::GL_ONE => "vec4(1.0)".to_owned(),
        c::GL_TEXTURE0..=c::GL_TEXTURE31 => {
            let of = (source - c::GL_TEXTURE0) as usize;
            texel(of).unwrap_or_else(|| {
                notes.push(format!(
                    "texture unit {unit} uses the texture of unit {of}, which has none: undefined in GL"
                ));
                "vec4(0.0)".to_owned()
            })
        }
        other => return Err(Refusal::Environment { unit, name: named(other) }),
    })
}

fn colour_operand(source: &str, operand: u32) -> String {
    match operand {
        c::GL_ONE_MINUS_SRC_COLOR => format!("(vec3(1.0) - {source}.rgb)"),
        c::GL_SRC_ALPHA => format!("vec3({source}.a)"),
        c::GL_ONE_MINUS_SRC_ALPHA => format!("vec3(1.0 - {source}.a)"),
        _ => format!("{source}.rgb"),
    }
}

fn alpha_operand(source: &str, operand: u32) -> String {
    match operand {
        c::GL_ONE_MINUS_SRC_ALPHA => format!("(1.0 - {source}.a)"),
        _ => format!("{source}.a"),
    }
}
