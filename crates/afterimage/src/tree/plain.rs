//! Plain state by family. The table of variables has everything but the family, so new variables appear automatically.

use api::{Library, Namespace, constant as c, enums};

use super::node::Node;
use super::value::Value;
use state::answer::Values;
use state::context::Context;
use state::limits::Limits;
use state::variable::{NumberType, VARIABLES, Var, Variable};
use state::vars::Vars;

/// Families in display order, and the prefixes of their variables' names. The first matching family gets a variable;
/// the last one is for the rest.
const FAMILIES: &[(&str, &[&str])] = &[
    ("viewport", &["VIEWPORT", "SCISSOR", "DEPTH_RANGE", "CLIP_"]),
    ("clear", &["COLOR_CLEAR_VALUE", "DEPTH_CLEAR_VALUE", "STENCIL_CLEAR_VALUE", "INDEX_CLEAR", "ACCUM_CLEAR"]),
    ("pixel_store", &["PACK_", "UNPACK_"]),
    (
        "hints",
        &[
            "PERSPECTIVE_CORRECTION_HINT",
            "POINT_SMOOTH_HINT",
            "LINE_SMOOTH_HINT",
            "POLYGON_SMOOTH_HINT",
            "FOG_HINT",
            "GENERATE_MIPMAP_HINT",
            "TEXTURE_COMPRESSION_HINT",
            "FRAGMENT_SHADER_DERIVATIVE_HINT",
            "CLAMP_",
            "MAX_SHADER_COMPILER",
        ],
    ),
    (
        "raster",
        &[
            "CULL_",
            "FRONT_FACE",
            "POLYGON",
            "LINE_",
            "POINT_",
            "PROGRAM_POINT",
            "PROVOKING",
            "RASTERIZER",
            "SHADE_MODEL",
            "PRIMITIVE",
            "PATCH_",
            "VERTEX_PROGRAM_",
            "CONSERVATIVE",
        ],
    ),
    (
        "blend",
        &[
            "BLEND",
            "COLOR_WRITEMASK",
            "COLOR_LOGIC",
            "LOGIC_OP",
            "INDEX_LOGIC",
            "INDEX_WRITEMASK",
            "ALPHA_TEST",
            "DITHER",
            "FRAMEBUFFER_SRGB",
        ],
    ),
    ("depth", &["DEPTH_TEST", "DEPTH_FUNC", "DEPTH_WRITEMASK", "DEPTH_CLAMP", "DEPTH_BOUNDS"]),
    ("stencil", &["STENCIL", "ACTIVE_STENCIL"]),
    ("samples", &["SAMPLE", "MULTISAMPLE", "MIN_SAMPLE", "ALPHA_TO_COVERAGE"]),
    ("texture_units", &["ACTIVE_TEXTURE", "CLIENT_ACTIVE", "TEXTURE_CUBE_MAP_SEAMLESS"]),
    ("debug", &["DEBUG_"]),
    (
        "pixel_transfer",
        &[
            "MAP_COLOR",
            "MAP_STENCIL",
            "INDEX_SHIFT",
            "INDEX_OFFSET",
            "RED_",
            "GREEN_",
            "BLUE_",
            "ALPHA_",
            "DEPTH_SCALE",
            "DEPTH_BIAS",
            "ZOOM_",
        ],
    ),
    ("fixed_function", &[""]),
];

/// Returns all plain state of a context, with a branch for each family.
pub fn families(context: &Context) -> Vec<Node> {
    let initial = Vars::initial(&context.facts);
    let mut families: Vec<Node> = FAMILIES.iter().map(|(name, _)| Node::branch(*name)).collect();
    for (at, about) in VARIABLES.iter().enumerate() {
        if !context.facts.meets(&about.when) {
            continue;
        }
        let name = short(about.name);
        let fits = |begins: &&[&str]| begins.iter().any(|begin| name.starts_with(begin));
        let place = FAMILIES.iter().position(|(_, begins)| fits(begins)).unwrap_or(FAMILIES.len() - 1);
        let var = Var(at as u16);
        let (now, first) =
            (|index| value(about, context.vars.value(var, index)), |index| value(about, initial.value(var, index)));
        let name = name.to_ascii_lowercase();
        if about.count == 1 {
            families[place].put(name, now(0), first(0));
        } else {
            let mut indexed = Node::branch(name);
            (0..usize::from(about.count)).for_each(|index| indexed.put(index.to_string(), now(index), first(index)));
            families[place].push(indexed);
        }
    }
    families
}

/// Returns the constants of a context, which are only shown on request.
pub fn limits(limits: &Limits) -> Node {
    let mut node = Node::branch("limits");
    for ((name, index), values) in limits.iter() {
        let name = if index == 0 {
            short(name).to_ascii_lowercase()
        } else {
            format!("{}_{index}", short(name).to_ascii_lowercase())
        };
        let several = |mut values: Vec<Value>| if values.len() == 1 { values.remove(0) } else { Value::List(values) };
        node.detail(
            name,
            match values {
                Values::Numbers(numbers) => several(numbers.iter().map(|number| Value::Double(*number)).collect()),
                Values::Long(numbers) => several(numbers.iter().map(|number| Value::Integer(*number)).collect()),
                Values::Text(text) => Value::Text(text.clone()),
                Values::Pointer(_) | Values::Outputs(_) | Values::Unknown(_) => Value::Unknown,
            },
        );
    }
    node
}

/// Returns GL's name for a value without `GL_`.
pub fn short(name: u32) -> String {
    let long = enums::any_name(Library::Gl, name.into()).map_or_else(|| format!("{name:#x}"), str::to_owned);
    long.strip_prefix("GL_").map(str::to_owned).unwrap_or(long)
}

/// Returns one value of a variable.
fn value(about: &Variable, numbers: &[f64]) -> Value {
    let mut values: Vec<Value> = numbers.iter().map(|number| single(about, *number)).collect();
    if values.len() == 1 { values.remove(0) } else { Value::List(values) }
}

fn single(about: &Variable, number: f64) -> Value {
    match about.kind {
        NumberType::Boolean => Value::Truth(number != 0.0),
        NumberType::Integer if is_mask(about.name) => Value::Text(format!("{:#x}", number as i64 as u32)),
        NumberType::Integer | NumberType::Byte => Value::Integer(number as i64),
        NumberType::Enum => named(about.name, number as i64 as u32),
        NumberType::Float | NumberType::Transformed | NumberType::Normalized | NumberType::Matrix => {
            // A value given as a float is shown as one.
            if f64::from(number as f32) == number { Value::Single(number as f32) } else { Value::Double(number) }
        }
        NumberType::Name(space) => Value::Object(kind_of(space), number as i64 as u32),
    }
}

/// Returns the name of an enum; small numbers have a different meaning in each variable.
fn named(variable: u32, number: u32) -> Value {
    match (variable, number) {
        (c::GL_BLEND_SRC_RGB | c::GL_BLEND_DST_RGB | c::GL_BLEND_SRC_ALPHA | c::GL_BLEND_DST_ALPHA, 0) => {
            Value::Enum("GL_ZERO")
        }
        (c::GL_BLEND_SRC_RGB | c::GL_BLEND_DST_RGB | c::GL_BLEND_SRC_ALPHA | c::GL_BLEND_DST_ALPHA, 1) => {
            Value::Enum("GL_ONE")
        }
        (
            c::GL_STENCIL_FAIL..=c::GL_STENCIL_PASS_DEPTH_PASS
            | c::GL_STENCIL_BACK_FAIL..=c::GL_STENCIL_BACK_PASS_DEPTH_PASS,
            0,
        ) => Value::Enum("GL_ZERO"),
        (c::GL_CLAMP_VERTEX_COLOR | c::GL_CLAMP_FRAGMENT_COLOR | c::GL_CLAMP_READ_COLOR, 0) => Value::Enum("GL_FALSE"),
        (c::GL_CLAMP_VERTEX_COLOR | c::GL_CLAMP_FRAGMENT_COLOR | c::GL_CLAMP_READ_COLOR, 1) => Value::Enum("GL_TRUE"),
        _ => Value::gl(number),
    }
}

/// Returns whether a number is a bit set without bit names.
fn is_mask(name: u32) -> bool {
    matches!(
        name,
        c::GL_STENCIL_VALUE_MASK
            | c::GL_STENCIL_WRITEMASK
            | c::GL_STENCIL_BACK_VALUE_MASK
            | c::GL_STENCIL_BACK_WRITEMASK
            | c::GL_SAMPLE_MASK_VALUE
            | c::GL_LINE_STIPPLE_PATTERN
            | c::GL_INDEX_WRITEMASK
    )
}

fn kind_of(space: Namespace) -> &'static str {
    match space {
        Namespace::Buffer => "buffer",
        Namespace::Texture => "texture",
        Namespace::Framebuffer => "framebuffer",
        Namespace::Renderbuffer => "renderbuffer",
        Namespace::VertexArray => "vertex_array",
        Namespace::Sampler => "sampler",
        Namespace::Query => "query",
        Namespace::Program => "program",
        Namespace::ProgramPipeline => "pipeline",
        Namespace::TransformFeedback => "transform_feedback",
        Namespace::DisplayList => "list",
        Namespace::Sync => "sync",
        _ => "object",
    }
}
