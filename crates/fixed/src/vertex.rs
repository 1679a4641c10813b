//! The vertex shader.

use std::fmt::Write as _;

use api::constant as c;
use state::fixed::Unit;
use state::variable;

use crate::{DrawState, lighting};

/// The eye-space values that later parts of the shader need.
#[derive(Clone, Copy, Default)]
struct Needs {
    eye: bool,
    normal: bool,
}

const COORDINATES: [char; 4] = ['s', 't', 'p', 'q'];
const CLIP_PLANES: [state::Var; 8] = [
    variable::CLIP_DISTANCE0,
    variable::CLIP_DISTANCE1,
    variable::CLIP_DISTANCE2,
    variable::CLIP_DISTANCE3,
    variable::CLIP_DISTANCE4,
    variable::CLIP_DISTANCE5,
    variable::CLIP_DISTANCE6,
    variable::CLIP_DISTANCE7,
];

/// The shader, and the capabilities to switch while it runs.
pub fn shader(draw: &DrawState<'_>) -> (String, Vec<(u32, bool)>) {
    let mut needs = Needs::default();
    let mut body = String::new();
    colours(draw, &mut body, &mut needs);
    for unit in units(draw) {
        texture_coordinate(draw, unit, &mut body, &mut needs);
    }
    fog(draw, &mut body, &mut needs);
    let sets_size = point_size(draw, &mut body, &mut needs);
    if CLIP_PLANES.into_iter().any(|plane| draw.is_on(plane)) {
        needs.eye = true;
        body.push_str("    gl_ClipVertex = eye;\n");
    }
    let mut text = String::from("#version 120\n\n");
    for (kind, name) in draw.wanted {
        let _ = writeln!(text, "varying {kind} {name};");
        // Variables that fixed functions do not write are undefined, but the program does not link without them.
        let _ = writeln!(body, "    {name} = {kind}(0.0);");
    }
    text.push_str("void main() {\n    gl_Position = ftransform();\n");
    if needs.eye {
        text.push_str("    vec4 eye = gl_ModelViewMatrix * gl_Vertex;\n");
    }
    if needs.normal {
        text.push_str("    vec3 normal = gl_NormalMatrix * gl_Normal;\n");
        // Normalising undoes any scale, so that rescaling makes no difference (GL 4.6 compatibility, 12.1.2).
        if draw.is_on(variable::NORMALIZE) {
            text.push_str("    normal = normalize(normal);\n");
        } else if draw.is_on(variable::RESCALE_NORMAL) {
            text.push_str("    normal *= gl_NormalScale;\n");
        }
    }
    text.push_str(&body);
    text.push_str("}\n");
    let two_sided = (c::GL_VERTEX_PROGRAM_TWO_SIDE, lighting::is_two_sided(draw));
    (text, vec![two_sided, (c::GL_PROGRAM_POINT_SIZE, sets_size)])
}

/// The units whose coordinates may be read: all of them if the application has a fragment shader.
fn units(draw: &DrawState<'_>) -> Vec<usize> {
    if draw.has_fragment_shader {
        let most = draw.view.context.facts.limits.integer(c::GL_MAX_TEXTURE_COORDS, 8).clamp(1, 8);
        return (0..most as usize).collect();
    }
    (0..draw.samples.len()).filter(|unit| draw.samples[*unit].is_some()).collect()
}

fn colours(draw: &DrawState<'_>, body: &mut String, needs: &mut Needs) {
    if draw.is_on(variable::LIGHTING) {
        *needs = Needs { eye: true, normal: true };
        lighting::light(draw, body);
        return;
    }
    body.push_str("    gl_FrontColor = gl_Color;\n");
    if draw.sums_colours() || draw.has_fragment_shader {
        body.push_str("    gl_FrontSecondaryColor = gl_SecondaryColor;\n");
    }
}

fn texture_coordinate(draw: &DrawState<'_>, unit: usize, body: &mut String, needs: &mut Needs) {
    let about = &draw.view.context.fixed.units[unit];
    let generated = (0..4).filter(|at| about.generated & 1 << at != 0).collect::<Vec<usize>>();
    if generated.is_empty() {
        let _ = writeln!(body, "    gl_TexCoord[{unit}] = gl_TextureMatrix[{unit}] * gl_MultiTexCoord{unit};");
        return;
    }
    let uses = |mode| generated.iter().any(|at| about.generators[*at].mode == mode);
    let _ = writeln!(body, "    vec4 coordinate{unit} = gl_MultiTexCoord{unit};");
    // GL 4.6 compatibility, 12.1.3.
    if uses(c::GL_SPHERE_MAP) || uses(c::GL_REFLECTION_MAP) {
        *needs = Needs { eye: true, normal: true };
        let _ = writeln!(body, "    vec3 reflection{unit} = reflect(normalize(eye.xyz), normal);");
    }
    if uses(c::GL_SPHERE_MAP) {
        let _ = writeln!(body, "    float sphere{unit} = 2.0 * length(reflection{unit} + vec3(0.0, 0.0, 1.0));");
    }
    for at in generated {
        generate(about, (unit, at), body, needs);
    }
    let _ = writeln!(body, "    gl_TexCoord[{unit}] = gl_TextureMatrix[{unit}] * coordinate{unit};");
}

fn generate(about: &Unit, (unit, at): (usize, usize), body: &mut String, needs: &mut Needs) {
    let letter = COORDINATES[at];
    let plane = ['S', 'T', 'R', 'Q'][at];
    let axis = ['x', 'y', 'z', 'w'][at];
    let value = match about.generators[at].mode {
        c::GL_OBJECT_LINEAR => format!("dot(gl_Vertex, gl_ObjectPlane{plane}[{unit}])"),
        c::GL_SPHERE_MAP => format!("reflection{unit}.{axis} / sphere{unit} + 0.5"),
        c::GL_REFLECTION_MAP => format!("reflection{unit}.{axis}"),
        c::GL_NORMAL_MAP => {
            needs.normal = true;
            format!("normal.{axis}")
        }
        _ => {
            needs.eye = true;
            format!("dot(eye, gl_EyePlane{plane}[{unit}])")
        }
    };
    let _ = writeln!(body, "    coordinate{unit}.{letter} = {value};");
}

/// The fog coordinate of a vertex (GL 4.6 compatibility, 16.4; NV_fog_distance).
fn fog(draw: &DrawState<'_>, body: &mut String, needs: &mut Needs) {
    if !draw.is_on(variable::FOG) && !draw.has_fragment_shader {
        return;
    }
    let value = match (draw.name(variable::FOG_COORD_SRC), draw.name(variable::FOG_DISTANCE_MODE_NV)) {
        (c::GL_FOG_COORD, _) => "gl_FogCoord",
        (_, c::GL_EYE_RADIAL_NV) => "length(eye.xyz)",
        (_, c::GL_EYE_PLANE) => "eye.z",
        _ => "abs(eye.z)",
    };
    needs.eye |= value.contains("eye");
    let _ = writeln!(body, "    gl_FogFragCoord = {value};");
}

/// Point sizes that depend on the distance (GL 4.6 compatibility, 14.4). Returns whether the size does.
fn point_size(draw: &DrawState<'_>, body: &mut String, needs: &mut Needs) -> bool {
    let attenuation = draw.view.context.vars.value(variable::POINT_DISTANCE_ATTENUATION, 0);
    if attenuation == [1.0, 0.0, 0.0] {
        return false;
    }
    needs.eye = true;
    // The depth in eye space may be used as the distance, which Mesa does.
    let away = if draw.is_mesa() { "abs(eye.z)" } else { "length(eye.xyz)" };
    let _ = writeln!(
        body,
        "    float away = {away};\n    float shrinking = gl_Point.distanceConstantAttenuation + away * \
         (gl_Point.distanceLinearAttenuation + away * gl_Point.distanceQuadraticAttenuation);\n    gl_PointSize = \
         clamp(gl_Point.size * inversesqrt(shrinking), gl_Point.sizeMin, gl_Point.sizeMax);"
    );
    true
}
