//! Lights and materials (GL 4.6 compatibility, 12.2).

use std::fmt::Write as _;

use api::constant as c;
use state::variable;

use crate::DrawState;

/// A face of a polygon.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Front,
    Back,
}

/// Material colours that track the vertex colour, if any (GL 4.6 compatibility, 12.2.3).
#[derive(Clone, Copy, Default)]
struct Tracked {
    ambient: bool,
    diffuse: bool,
    specular: bool,
    emission: bool,
}

const LIGHTS: [state::Var; 8] = [
    variable::LIGHT0,
    variable::LIGHT1,
    variable::LIGHT2,
    variable::LIGHT3,
    variable::LIGHT4,
    variable::LIGHT5,
    variable::LIGHT6,
    variable::LIGHT7,
];

/// Whether the specular colour is separate and added after texturing.
pub fn is_separate(draw: &DrawState<'_>) -> bool {
    draw.is_on(variable::LIGHTING) && draw.name(variable::LIGHT_MODEL_COLOR_CONTROL) == c::GL_SEPARATE_SPECULAR_COLOR
}

/// Whether back faces are lit separately.
pub fn is_two_sided(draw: &DrawState<'_>) -> bool {
    draw.is_on(variable::LIGHTING) && draw.is_on(variable::LIGHT_MODEL_TWO_SIDE)
}

/// Writes the colours of a vertex. `eye` and `normal` are declared already.
pub fn light(draw: &DrawState<'_>, body: &mut String) {
    let sides: &[Side] = if is_two_sided(draw) { &[Side::Front, Side::Back] } else { &[Side::Front] };
    for side in sides {
        begin(draw, *side, body);
    }
    // GLSL leaves 0 to the power of 0 undefined (8.2).
    let dull = sides.iter().map(|side| format!("gl_{}Material.shininess == 0.0", side.upper()));
    let _ = writeln!(body, "    bool dull = {};", dull.collect::<Vec<_>>().join(" && "));
    for (number, on) in LIGHTS.into_iter().enumerate() {
        if draw.is_on(on) {
            shine(draw, number, sides, body);
        }
    }
    let separate = is_separate(draw);
    for side in sides {
        let (lower, upper) = (side.lower(), side.upper());
        let alpha = if tracked(draw, *side).diffuse {
            "gl_Color.a".to_owned()
        } else {
            format!("gl_{upper}Material.diffuse.a")
        };
        let sum = if separate { String::new() } else { format!(" + {lower}Highlight") };
        let _ = writeln!(body, "    gl_{upper}Color = vec4({lower}{sum}, {alpha});");
        if separate {
            let _ = writeln!(body, "    gl_{upper}SecondaryColor = vec4({lower}Highlight, 1.0);");
        } else if draw.sums_colours() || draw.has_fragment_shader {
            let _ = writeln!(body, "    gl_{upper}SecondaryColor = vec4(0.0, 0.0, 0.0, 1.0);");
        }
    }
}

/// Declares the sums of a face, initialised with the colour without any light and no specular.
fn begin(draw: &DrawState<'_>, side: Side, body: &mut String) {
    let (lower, upper) = (side.lower(), side.upper());
    let tracked = tracked(draw, side);
    let emission = colour(tracked.emission, upper, "emission");
    let ambient = colour(tracked.ambient, upper, "ambient");
    let _ = writeln!(body, "    vec3 {lower} = {emission} + {ambient} * gl_LightModel.ambient.rgb;");
    let _ = writeln!(body, "    vec3 {lower}Highlight = vec3(0.0);");
}

/// Adds the contribution of one light.
fn shine(draw: &DrawState<'_>, number: usize, sides: &[Side], body: &mut String) {
    let about = &draw.view.context.fixed.lights[number];
    let light = format!("gl_LightSource[{number}]");
    let positional = about.position[3] != 0.0;
    let local = draw.is_on(variable::LIGHT_MODEL_LOCAL_VIEWER);
    let _ = writeln!(body, "    {{");
    let mut line = |text: &str| {
        let _ = writeln!(body, "        {text}");
    };
    if positional {
        line(&format!("vec3 toward = {light}.position.xyz / {light}.position.w - eye.xyz / eye.w;"));
        line("float away = length(toward);");
        line("toward /= away;");
        let factors = ["constant", "linear", "quadratic"].map(|degree| format!("{light}.{degree}Attenuation"));
        let [constant, linear, quadratic] = factors;
        line(&format!("float strength = 1.0 / ({constant} + away * ({linear} + away * {quadratic}));"));
    } else {
        line(&format!("vec3 toward = normalize({light}.position.xyz);"));
        line("float strength = 1.0;");
    }
    // A cutoff of 180 degrees means that the light is not a spotlight.
    if about.cutoff != 180.0 {
        line(&format!("float spot = dot(-toward, normalize({light}.spotDirection));"));
        let inside = format!("spot >= {light}.spotCosCutoff");
        // 0 to the power of 0 is undefined in GLSL, and 1 here.
        let focused =
            if about.exponent == 0.0 { "1.0".to_owned() } else { format!("pow(max(spot, 0.0), {light}.spotExponent)") };
        line(&format!("strength *= {inside} ? {focused} : 0.0;"));
    }
    let between = match (positional, local) {
        (false, false) => format!("normalize({light}.halfVector.xyz)"),
        (true, false) => "normalize(toward + vec3(0.0, 0.0, 1.0))".to_owned(),
        (_, true) => "normalize(toward - normalize(eye.xyz))".to_owned(),
    };
    line(&format!("vec3 between = {between};"));
    // Where a light is attenuated and no material has a shininess, Mesa uses the angle of the light as both the angle
    // of the highlight and the exponent.
    let faded = about.cutoff != 180.0 || positional && about.attenuation != [1.0, 0.0, 0.0];
    for side in sides {
        let (lower, upper, sign) = (side.lower(), side.upper(), if *side == Side::Back { "-" } else { "" });
        let tracked = tracked(draw, *side);
        let [ambient, diffuse, specular] =
            [(tracked.ambient, "ambient"), (tracked.diffuse, "diffuse"), (tracked.specular, "specular")]
                .map(|(tracked, what)| format!("{} * {light}.{what}.rgb", colour(tracked, upper, what)));
        line(&format!("float {lower}Facing = max({sign}dot(normal, toward), 0.0);"));
        line(&format!("{lower} += strength * ({ambient} + {lower}Facing * {diffuse});"));
        let shininess = format!("gl_{upper}Material.shininess");
        let shine = format!("pow(max({sign}dot(normal, between), 0.0), {shininess})");
        let dull =
            if faded && draw.is_mesa() { format!("pow({lower}Facing, {lower}Facing)") } else { "1.0".to_owned() };
        line(&format!("float {lower}Shine = dull ? {dull} : {shine};"));
        line(&format!("{lower}Highlight += {lower}Facing > 0.0 ? strength * {lower}Shine * {specular} : vec3(0.0);"));
    }
    let _ = writeln!(body, "    }}");
}

fn colour(tracked: bool, upper: &str, what: &str) -> String {
    if tracked { "gl_Color.rgb".to_owned() } else { format!("gl_{upper}Material.{what}.rgb") }
}

fn tracked(draw: &DrawState<'_>, side: Side) -> Tracked {
    let face = draw.name(variable::COLOR_MATERIAL_FACE);
    let own = if side == Side::Front { c::GL_FRONT } else { c::GL_BACK };
    if !draw.is_on(variable::COLOR_MATERIAL) || face != c::GL_FRONT_AND_BACK && face != own {
        return Tracked::default();
    }
    let which = draw.name(variable::COLOR_MATERIAL_PARAMETER);
    Tracked {
        ambient: matches!(which, c::GL_AMBIENT | c::GL_AMBIENT_AND_DIFFUSE),
        diffuse: matches!(which, c::GL_DIFFUSE | c::GL_AMBIENT_AND_DIFFUSE),
        specular: which == c::GL_SPECULAR,
        emission: which == c::GL_EMISSION,
    }
}

impl Side {
    fn lower(self) -> &'static str {
        match self {
            Side::Front => "front",
            Side::Back => "back",
        }
    }

    fn upper(self) -> &'static str {
        match self {
            Side::Front => "Front",
            Side::Back => "Back",
        }
    }
}
