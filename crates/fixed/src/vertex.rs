//! The vertex shader.

use std::fmt::Write as _;

use api::constant as c;
use state::fixed::Unit;
use state::variable;

use crate::{Setting, lighting};

/// Which values of a vertex in eye coordinates later parts go by.
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

/// The shader, and what must be switched while it runs.
pub fn shader(setting: &Setting<'_>) -> (String, Vec<(u32, bool)>) {
    let mut needs = Needs::default();
    let mut body = String::new();
    colours(setting, &mut body, &mut needs);
    for unit in units(setting) {
        texture_coordinate(setting, unit, &mut body, &mut needs);
    }
    fog(setting, &mut body, &mut needs);
    let sets_size = point_size(setting, &mut body, &mut needs);
    if CLIP_PLANES.into_iter().any(|plane| setting.is_on(plane)) {
        needs.eye = true;
        body.push_str("    gl_ClipVertex = eye;\n");
    }
    let mut text = String::from("#version 120\n\n");
    for (kind, name) in setting.wanted {
        let _ = writeln!(text, "varying {kind} {name};");
        // What fixed functions do not write is undefined behind them; there is no program without it.
        let _ = writeln!(body, "    {name} = {kind}(0.0);");
    }
    text.push_str("void main() {\n    gl_Position = ftransform();\n");
    if needs.eye {
        text.push_str("    vec4 eye = gl_ModelViewMatrix * gl_Vertex;\n");
    }
    if needs.normal {
        text.push_str("    vec3 normal = gl_NormalMatrix * gl_Normal;\n");
        // Normalizing undoes any scale, so that rescaling as well makes no difference (GL 4.6 compatibility, 12.1.2).
        if setting.is_on(variable::NORMALIZE) {
            text.push_str("    normal = normalize(normal);\n");
        } else if setting.is_on(variable::RESCALE_NORMAL) {
            text.push_str("    normal *= gl_NormalScale;\n");
        }
    }
    text.push_str(&body);
    text.push_str("}\n");
    let two_sided = (c::GL_VERTEX_PROGRAM_TWO_SIDE, lighting::is_two_sided(setting));
    (text, vec![two_sided, (c::GL_PROGRAM_POINT_SIZE, sets_size)])
}

/// The units whose coordinates anybody may look at: a fragment shader of the application may look at all of them.
fn units(setting: &Setting<'_>) -> Vec<usize> {
    if setting.has_fragment_shader {
        let most = setting.view.context.facts.limits.integer(c::GL_MAX_TEXTURE_COORDS, 8).clamp(1, 8);
        return (0..most as usize).collect();
    }
    (0..setting.samples.len()).filter(|unit| setting.samples[*unit].is_some()).collect()
}

fn colours(setting: &Setting<'_>, body: &mut String, needs: &mut Needs) {
    if setting.is_on(variable::LIGHTING) {
        *needs = Needs { eye: true, normal: true };
        lighting::light(setting, body);
        return;
    }
    body.push_str("    gl_FrontColor = gl_Color;\n");
    if setting.sums_colours() || setting.has_fragment_shader {
        body.push_str("    gl_FrontSecondaryColor = gl_SecondaryColor;\n");
    }
}

fn texture_coordinate(setting: &Setting<'_>, unit: usize, body: &mut String, needs: &mut Needs) {
    let about = &setting.view.context.fixed.units[unit];
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

/// How far away fog thinks a vertex is (GL 4.6 compatibility, 16.4; NV_fog_distance).
fn fog(setting: &Setting<'_>, body: &mut String, needs: &mut Needs) {
    if !setting.is_on(variable::FOG) && !setting.has_fragment_shader {
        return;
    }
    let value = match (setting.name(variable::FOG_COORD_SRC), setting.name(variable::FOG_DISTANCE_MODE_NV)) {
        (c::GL_FOG_COORD, _) => "gl_FogCoord",
        (_, c::GL_EYE_RADIAL_NV) => "length(eye.xyz)",
        (_, c::GL_EYE_PLANE) => "eye.z",
        _ => "abs(eye.z)",
    };
    needs.eye |= value.contains("eye");
    let _ = writeln!(body, "    gl_FogFragCoord = {value};");
}

/// Sizes of points that shrink with distance (GL 4.6 compatibility, 14.4). Whether there is any such size.
fn point_size(setting: &Setting<'_>, body: &mut String, needs: &mut Needs) -> bool {
    let attenuation = setting.view.context.vars.value(variable::POINT_DISTANCE_ATTENUATION, 0);
    if attenuation == [1.0, 0.0, 0.0] {
        return false;
    }
    needs.eye = true;
    // The distance may be taken to be that of the plane the vertex is in, which is what Mesa does.
    let away = if setting.is_mesa() { "abs(eye.z)" } else { "length(eye.xyz)" };
    let _ = writeln!(
        body,
        "    float away = {away};\n    float shrinking = gl_Point.distanceConstantAttenuation + away * \
         (gl_Point.distanceLinearAttenuation + away * gl_Point.distanceQuadraticAttenuation);\n    gl_PointSize = \
         clamp(gl_Point.size * inversesqrt(shrinking), gl_Point.sizeMin, gl_Point.sizeMax);"
    );
    true
}
