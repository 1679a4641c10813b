//! `layout(…)`: which identifiers exist where, and their values (GLSL 4.60, 4.4).

use super::Checker;
use super::qualify::Gathered;
use crate::ast::LayoutArg;
use crate::builtin;
use crate::qualifier::{Layout, MatrixOrder, Packing, Storage};
use crate::token::TokenSpan;
use crate::types::{OpaqueKind, Type};
use crate::version::Stage;

/// What a layout is attached to, as a bit of a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct On(pub(super) u32);

impl On {
    pub(super) const VERTEX_IN: On = On(1);
    pub(super) const FRAGMENT_OUT: On = On(1 << 1);
    pub(super) const IN: On = On(1 << 2);
    pub(super) const OUT: On = On(1 << 3);
    pub(super) const UNIFORM: On = On(1 << 4);
    pub(super) const SAMPLER: On = On(1 << 5);
    pub(super) const IMAGE: On = On(1 << 6);
    pub(super) const COUNTER: On = On(1 << 7);
    pub(super) const UNIFORM_BLOCK: On = On(1 << 8);
    pub(super) const BUFFER_BLOCK: On = On(1 << 9);
    pub(super) const IN_BLOCK: On = On(1 << 10);
    pub(super) const OUT_BLOCK: On = On(1 << 11);
    pub(super) const UNIFORM_MEMBER: On = On(1 << 12);
    pub(super) const BUFFER_MEMBER: On = On(1 << 13);
    pub(super) const IO_MEMBER: On = On(1 << 14);
    pub(super) const FRAG_COORD: On = On(1 << 15);
    pub(super) const FRAG_DEPTH: On = On(1 << 16);
    pub(super) const ALL_IN: On = On(1 << 17);
    pub(super) const ALL_OUT: On = On(1 << 18);
    pub(super) const ALL_UNIFORM: On = On(1 << 19);
    pub(super) const ALL_BUFFER: On = On(1 << 20);
    pub(super) const SUBROUTINE: On = On(1 << 21);
    pub(super) const OTHER: On = On(1 << 22);

    const fn or(self, other: On) -> On {
        On(self.0 | other.0)
    }

    fn meets(self, other: On) -> bool {
        self.0 & other.0 != 0
    }

    fn describe(self) -> &'static str {
        const NAMES: [&str; 23] = [
            "inputs of a vertex shader",
            "outputs of a fragment shader",
            "inputs of this stage",
            "outputs of this stage",
            "uniforms",
            "samplers",
            "images",
            "atomic counters",
            "uniform blocks",
            "buffer blocks",
            "input blocks",
            "output blocks",
            "members of a uniform block",
            "members of a buffer block",
            "members of an input or output block",
            "`gl_FragCoord`",
            "`gl_FragDepth`",
            "`in` alone in this stage",
            "`out` alone in this stage",
            "`uniform` alone",
            "`buffer` alone",
            "subroutines",
            "this",
        ];
        NAMES[(self.0.trailing_zeros() as usize).min(NAMES.len() - 1)]
    }
}

/// A row: an identifier, where it is allowed, and since when.
struct Rule {
    name: &'static str,
    value: bool,
    on: On,
    stages: &'static [Stage],
    desktop: u16,
    es: u16,
    extensions: &'static [&'static str],
}

const ANY: &[Stage] = &[];
const VERTEX: &[Stage] = &[Stage::Vertex];
const GEOMETRY: &[Stage] = &[Stage::Geometry];
const CONTROL: &[Stage] = &[Stage::TessControl];
const EVALUATION: &[Stage] = &[Stage::TessEvaluation];
const FRAGMENT: &[Stage] = &[Stage::Fragment];
const COMPUTE: &[Stage] = &[Stage::Compute];
const XFB_STAGES: &[Stage] = &[Stage::Vertex, Stage::TessControl, Stage::TessEvaluation, Stage::Geometry];

const UBO: &[&str] = &["GL_ARB_uniform_buffer_object"];
const ENHANCED: &[&str] = &["GL_ARB_enhanced_layouts"];
const PACK: &[&str] = &["GL_ARB_shading_language_420pack"];
const SSO: &[&str] = &["GL_ARB_separate_shader_objects", "GL_EXT_separate_shader_objects", "GL_ARB_enhanced_layouts"];
const DEPTH: &[&str] = &["GL_ARB_conservative_depth", "GL_AMD_conservative_depth", "GL_EXT_conservative_depth"];
const GS: &[&str] = &["GL_EXT_geometry_shader", "GL_OES_geometry_shader", "GL_ARB_geometry_shader4"];
const TESS: &[&str] = &["GL_ARB_tessellation_shader", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"];
const CS: &[&str] = &["GL_ARB_compute_shader"];
const BLEND: &[&str] = &["GL_KHR_blend_equation_advanced"];
const BINDLESS: &[&str] = &["GL_ARB_bindless_texture"];
const INTERLOCK: &[&str] = &["GL_ARB_fragment_shader_interlock", "GL_NV_fragment_shader_interlock"];
const DERIVATIVES: &[&str] = &["GL_NV_compute_shader_derivatives"];

const BLOCKS: On = On::UNIFORM_BLOCK.or(On::BUFFER_BLOCK).or(On::ALL_UNIFORM).or(On::ALL_BUFFER);
const MEMBERS: On = On::UNIFORM_MEMBER.or(On::BUFFER_MEMBER);

const fn rule(
    name: &'static str,
    value: bool,
    on: On,
    stages: &'static [Stage],
    since: (u16, u16),
    extensions: &'static [&'static str],
) -> Rule {
    Rule { name, value, on, stages, desktop: since.0, es: since.1, extensions }
}

const RULES: &[Rule] = &[
    rule("location", true, On::VERTEX_IN.or(On::FRAGMENT_OUT), ANY, (330, 300), &["GL_ARB_explicit_attrib_location"]),
    rule("location", true, On::IN.or(On::OUT), ANY, (410, 310), SSO),
    rule("location", true, On::IN_BLOCK.or(On::OUT_BLOCK).or(On::IO_MEMBER), ANY, (420, 310), SSO),
    rule(
        "location",
        true,
        On::UNIFORM.or(On::SAMPLER).or(On::IMAGE).or(On::SUBROUTINE),
        ANY,
        (430, 310),
        &["GL_ARB_explicit_uniform_location"],
    ),
    rule(
        "component",
        true,
        On::VERTEX_IN.or(On::FRAGMENT_OUT).or(On::IN).or(On::OUT).or(On::IO_MEMBER),
        ANY,
        (440, 0),
        ENHANCED,
    ),
    rule(
        "index",
        true,
        On::FRAGMENT_OUT,
        ANY,
        (330, 0),
        &["GL_ARB_blend_func_extended", "GL_EXT_blend_func_extended", "GL_ARB_explicit_attrib_location"],
    ),
    rule("index", true, On::SUBROUTINE, ANY, (430, 0), &["GL_ARB_explicit_uniform_location"]),
    rule("binding", true, On::UNIFORM_BLOCK.or(On::SAMPLER).or(On::IMAGE), ANY, (420, 310), PACK),
    rule("binding", true, On::BUFFER_BLOCK, ANY, (430, 310), &["GL_ARB_shader_storage_buffer_object"]),
    rule("binding", true, On::IMAGE, ANY, (420, 310), &["GL_ARB_shader_image_load_store"]),
    rule("binding", true, On::COUNTER.or(On::ALL_UNIFORM), ANY, (420, 310), &["GL_ARB_shader_atomic_counters"]),
    rule("offset", true, On::COUNTER.or(On::ALL_UNIFORM), ANY, (420, 310), &["GL_ARB_shader_atomic_counters"]),
    rule("offset", true, MEMBERS, ANY, (440, 0), ENHANCED),
    rule("align", true, MEMBERS.or(BLOCKS), ANY, (440, 0), ENHANCED),
    rule("shared", false, BLOCKS, ANY, (140, 300), UBO),
    rule("packed", false, BLOCKS, ANY, (140, 300), UBO),
    rule("std140", false, BLOCKS, ANY, (140, 300), UBO),
    rule(
        "std430",
        false,
        On::BUFFER_BLOCK.or(On::ALL_BUFFER),
        ANY,
        (430, 310),
        &["GL_ARB_shader_storage_buffer_object"],
    ),
    rule("row_major", false, BLOCKS.or(MEMBERS), ANY, (140, 300), UBO),
    rule("column_major", false, BLOCKS.or(MEMBERS), ANY, (140, 300), UBO),
    rule("origin_upper_left", false, On::FRAG_COORD, FRAGMENT, (150, 0), &["GL_ARB_fragment_coord_conventions"]),
    rule("pixel_center_integer", false, On::FRAG_COORD, FRAGMENT, (150, 0), &["GL_ARB_fragment_coord_conventions"]),
    rule("depth_any", false, On::FRAG_DEPTH, FRAGMENT, (420, 0), DEPTH),
    rule("depth_greater", false, On::FRAG_DEPTH, FRAGMENT, (420, 0), DEPTH),
    rule("depth_less", false, On::FRAG_DEPTH, FRAGMENT, (420, 0), DEPTH),
    rule("depth_unchanged", false, On::FRAG_DEPTH, FRAGMENT, (420, 0), DEPTH),
    rule("early_fragment_tests", false, On::ALL_IN, FRAGMENT, (420, 310), &["GL_ARB_shader_image_load_store"]),
    rule(
        "post_depth_coverage",
        false,
        On::ALL_IN,
        FRAGMENT,
        (0, 0),
        &["GL_ARB_post_depth_coverage", "GL_INTEL_conservative_rasterization"],
    ),
    rule("inner_coverage", false, On::ALL_IN, FRAGMENT, (0, 0), &["GL_INTEL_conservative_rasterization"]),
    rule("pixel_interlock_ordered", false, On::ALL_IN, FRAGMENT, (0, 0), INTERLOCK),
    rule("pixel_interlock_unordered", false, On::ALL_IN, FRAGMENT, (0, 0), INTERLOCK),
    rule("sample_interlock_ordered", false, On::ALL_IN, FRAGMENT, (0, 0), INTERLOCK),
    rule("sample_interlock_unordered", false, On::ALL_IN, FRAGMENT, (0, 0), INTERLOCK),
    rule("points", false, On::ALL_IN.or(On::ALL_OUT), GEOMETRY, (150, 320), GS),
    rule("lines", false, On::ALL_IN, GEOMETRY, (150, 320), GS),
    rule("lines_adjacency", false, On::ALL_IN, GEOMETRY, (150, 320), GS),
    rule("triangles", false, On::ALL_IN, GEOMETRY, (150, 320), GS),
    rule("triangles_adjacency", false, On::ALL_IN, GEOMETRY, (150, 320), GS),
    rule(
        "invocations",
        true,
        On::ALL_IN,
        GEOMETRY,
        (400, 320),
        &["GL_ARB_gpu_shader5", "GL_EXT_geometry_shader", "GL_OES_geometry_shader"],
    ),
    rule("line_strip", false, On::ALL_OUT, GEOMETRY, (150, 320), GS),
    rule("triangle_strip", false, On::ALL_OUT, GEOMETRY, (150, 320), GS),
    rule("max_vertices", true, On::ALL_OUT, GEOMETRY, (150, 320), GS),
    rule(
        "stream",
        true,
        On::ALL_OUT.or(On::OUT).or(On::OUT_BLOCK).or(On::IO_MEMBER),
        GEOMETRY,
        (400, 0),
        &["GL_ARB_gpu_shader5"],
    ),
    rule("vertices", true, On::ALL_OUT, CONTROL, (400, 320), TESS),
    rule("triangles", false, On::ALL_IN, EVALUATION, (400, 320), TESS),
    rule("quads", false, On::ALL_IN, EVALUATION, (400, 320), TESS),
    rule("isolines", false, On::ALL_IN, EVALUATION, (400, 320), TESS),
    rule("equal_spacing", false, On::ALL_IN, EVALUATION, (400, 320), TESS),
    rule("fractional_even_spacing", false, On::ALL_IN, EVALUATION, (400, 320), TESS),
    rule("fractional_odd_spacing", false, On::ALL_IN, EVALUATION, (400, 320), TESS),
    rule("cw", false, On::ALL_IN, EVALUATION, (400, 320), TESS),
    rule("ccw", false, On::ALL_IN, EVALUATION, (400, 320), TESS),
    rule("point_mode", false, On::ALL_IN, EVALUATION, (400, 320), TESS),
    rule(
        "xfb_buffer",
        true,
        On::OUT.or(On::OUT_BLOCK).or(On::IO_MEMBER).or(On::ALL_OUT),
        XFB_STAGES,
        (440, 0),
        ENHANCED,
    ),
    rule(
        "xfb_stride",
        true,
        On::OUT.or(On::OUT_BLOCK).or(On::IO_MEMBER).or(On::ALL_OUT),
        XFB_STAGES,
        (440, 0),
        ENHANCED,
    ),
    rule("xfb_offset", true, On::OUT.or(On::OUT_BLOCK).or(On::IO_MEMBER), XFB_STAGES, (440, 0), ENHANCED),
    rule("local_size_x", true, On::ALL_IN, COMPUTE, (430, 310), CS),
    rule("local_size_y", true, On::ALL_IN, COMPUTE, (430, 310), CS),
    rule("local_size_z", true, On::ALL_IN, COMPUTE, (430, 310), CS),
    rule("local_size_variable", false, On::ALL_IN, COMPUTE, (0, 0), &["GL_ARB_compute_variable_group_size"]),
    rule("derivative_group_quadsNV", false, On::ALL_IN, COMPUTE, (0, 0), DERIVATIVES),
    rule("derivative_group_linearNV", false, On::ALL_IN, COMPUTE, (0, 0), DERIVATIVES),
    rule("bindless_sampler", false, On::SAMPLER.or(On::ALL_UNIFORM), ANY, (0, 0), BINDLESS),
    rule("bound_sampler", false, On::SAMPLER.or(On::ALL_UNIFORM), ANY, (0, 0), BINDLESS),
    rule("bindless_image", false, On::IMAGE.or(On::ALL_UNIFORM), ANY, (0, 0), BINDLESS),
    rule("bound_image", false, On::IMAGE.or(On::ALL_UNIFORM), ANY, (0, 0), BINDLESS),
    rule("noncoherent", false, On::FRAGMENT_OUT, FRAGMENT, (0, 0), &["GL_EXT_shader_framebuffer_fetch_non_coherent"]),
    rule("viewport_relative", false, On::OUT.or(On::IO_MEMBER), ANY, (0, 0), &["GL_NV_viewport_array2"]),
    rule("num_views", true, On::ALL_IN, VERTEX, (0, 0), &["GL_OVR_multiview", "GL_OVR_multiview2"]),
];

/// The defaults set by `layout(…) uniform;`, `layout(…) buffer;` and `layout(…) out;` for the following declarations.
#[derive(Clone, Debug, Default)]
pub(super) struct Defaults {
    pub(super) uniform: Layout,
    pub(super) buffer: Layout,
    pub(super) stream: u32,
    pub(super) xfb_buffer: u32,
    /// The offset of the next counter of each binding.
    pub(super) counter_offsets: Vec<(u32, u32)>,
    pub(super) counter_binding: Option<u32>,
}

impl Checker<'_> {
    /// An output's layout with the defaults of `layout(…) out;` (GLSL 4.60, 4.4.2). A zero may be omitted.
    pub(super) fn with_output_defaults(&self, layout: Layout, on: On) -> Layout {
        if on != On::OUT && on != On::OUT_BLOCK {
            return layout;
        }
        let set = |default: u32| (default != 0).then_some(default);
        Layout {
            stream: layout.stream.or(set(self.defaults.stream)),
            xfb_buffer: layout.xfb_buffer.or(set(self.defaults.xfb_buffer)),
            ..layout
        }
    }

    /// What a variable's layout is attached to.
    pub(super) fn layout_target(&self, gathered: &Gathered<'_>, ty: Type) -> On {
        if gathered.q.flags.subroutine {
            return On::SUBROUTINE;
        }
        let stage = self.dialect.stage;
        match gathered.q.storage {
            Storage::In if stage == Stage::Vertex => On::VERTEX_IN,
            Storage::Out | Storage::InOut if stage == Stage::Fragment => On::FRAGMENT_OUT,
            Storage::In => On::IN,
            Storage::Out => On::OUT,
            Storage::Uniform => match self.innermost(ty) {
                Type::Opaque(opaque) => match opaque.kind {
                    OpaqueKind::Sampler => On::SAMPLER,
                    OpaqueKind::Image => On::IMAGE,
                    OpaqueKind::AtomicUint => On::COUNTER,
                },
                _ => On::UNIFORM,
            },
            _ => On::OTHER,
        }
    }

    /// Reads the layout identifiers of a variable, block or member; reports those that are not allowed there.
    /// Identifiers for the whole stage are returned with their values.
    pub(super) fn read_layout(&mut self, arguments: &[LayoutArg], on: On) -> (Layout, Vec<(String, Option<u32>)>) {
        let mut layout = Layout::default();
        let mut rest = Vec::new();
        let repeatable =
            self.at_least(420, 300) || self.any(&["GL_ARB_shading_language_420pack", "GL_ARB_enhanced_layouts"]);
        for (i, argument) in arguments.iter().enumerate() {
            let token = argument.name.token;
            if !repeatable && arguments[..i].iter().any(|a| a.name.symbol == argument.name.symbol) {
                let name = self.name(argument.name.symbol);
                self.error(TokenSpan { first: token, last: token }, "layout", format!("`{name}` is given twice"));
            }
            let tokens = TokenSpan { first: token, last: token };
            let name = self.name(argument.name.symbol);
            if let Some(value) = argument.value {
                self.expr(value);
            }
            // In desktop GLSL, identifiers are not case-sensitive unless noted otherwise (GLSL 4.60, 4.4).
            let lower = name.to_ascii_lowercase();
            let name = if self.is_es() || name.ends_with("NV") { name } else { lower.as_str() };
            if (on.meets(On::IMAGE.or(On::OTHER)) || builtin::image_format(argument.name.symbol).is_some())
                && self.image_format(argument, on, &mut layout)
            {
                continue;
            }
            if name.starts_with("blend_support_") && on == On::ALL_OUT {
                let ok = self.dialect.stage == Stage::Fragment && (self.at_least(0, 320) || self.any(BLEND));
                if !ok {
                    self.error(tokens, "layout", format!("`{name}` needs GL_KHR_blend_equation_advanced"));
                }
                rest.push((name.to_owned(), None));
                continue;
            }
            let Some(needs_value) = self.check_rule(name, on, tokens) else { continue };
            let value = match (needs_value, argument.value) {
                (false, None) => None,
                (false, Some(value)) => {
                    self.error_expr(value, "layout", format!("`{name}` takes no value"));
                    continue;
                }
                (true, None) => {
                    self.error(tokens, "layout", format!("`{name}` needs a value: `{name} = …`"));
                    continue;
                }
                (true, Some(value)) => match self.layout_value(value, name) {
                    Some(value) => Some(value),
                    None => continue,
                },
            };
            if self.options.webgl && matches!(name, "shared" | "packed") {
                // WebGL 2.0, "Only std140 layout supported in uniform blocks".
                self.error(tokens, "webgl", format!("WebGL lays blocks out as `std140` only, not as `{name}`"));
            }
            if !set_value(&mut layout, name, value) {
                rest.push((name.to_owned(), value));
            }
        }
        (layout, rest)
    }

    fn layout_value(&mut self, value: crate::ast::ExprId, name: &str) -> Option<u32> {
        // Before enhanced layouts the grammar requires an integer literal here.
        let literal = matches!(self.tree.expr(value).kind, crate::ast::ExprKind::Literal(_));
        if !literal && !self.at_least(440, 0) && !self.has("GL_ARB_enhanced_layouts") && !self.is_es() {
            let version = self.dialect.version;
            self.error_expr(value, "layout", format!("`{name}` must be given as an integer literal in {version}"));
            return None;
        }
        let number = self.constant_integer(value, &format!("the value of `{name}`"))?;
        if number < 0 {
            self.error_expr(value, "layout", format!("`{name}` cannot be negative, this is {number}"));
            return None;
        }
        u32::try_from(number).ok()
    }

    /// Whether the identifier takes a value; `None` (reported) if it is not allowed here.
    fn check_rule(&mut self, name: &str, on: On, tokens: TokenSpan) -> Option<bool> {
        let stage = self.dialect.stage;
        let mut known = false;
        let mut fits = None;
        for rule in RULES.iter().filter(|r| r.name == name) {
            known = true;
            if !rule.on.meets(on) || !(rule.stages.is_empty() || rule.stages.contains(&stage)) {
                continue;
            }
            if self.at_least(rule.desktop, rule.es) || self.any(rule.extensions) {
                return Some(rule.value);
            }
            fits = Some(rule);
        }
        if let Some(rule) = fits {
            let version = self.dialect.version;
            let mut error = self.error_at(tokens, "layout", format!("`{name}` is not available here in {version}"));
            if rule.desktop != 0 {
                let (major, minor) = (rule.desktop / 100, rule.desktop % 100);
                error = error.note(format!("available from GLSL {major}.{minor:02}"));
            }
            if let [first, ..] = rule.extensions {
                error = error.note(format!("or with {first}"));
            }
            self.report(error);
        } else if known {
            self.error(tokens, "layout", format!("`{name}` is not for {}", on.describe()));
        } else {
            self.error(tokens, "layout", format!("there is no layout qualifier `{name}`"));
        }
        None
    }

    /// Handles an image format; true if the identifier was one.
    fn image_format(&mut self, argument: &LayoutArg, on: On, layout: &mut Layout) -> bool {
        let Some(format) = builtin::image_format(argument.name.symbol) else { return false };
        let token = argument.name.token;
        let tokens = TokenSpan { first: token, last: token };
        let name = self.name(argument.name.symbol);
        if on != On::IMAGE {
            self.error(tokens, "layout", format!("`{name}` is a format for images"));
        } else if !format.when.holds(&self.dialect) {
            let version = self.dialect.version;
            self.error(tokens, "layout", format!("image format `{name}` is not available in {version}"));
        }
        let normalized = matches!(name, "r16" | "rg16" | "rgba16" | "r16_snorm" | "rg16_snorm" | "rgba16_snorm");
        let norm16 = builtin::extension("GL_EXT_texture_norm16");
        if on == On::IMAGE && self.is_es() && normalized && norm16.is_none_or(|e| !self.options.available.contains(e)) {
            self.error(tokens, "layout", format!("image format `{name}` needs GL_EXT_texture_norm16"));
        }
        layout.format = Some(format.index);
        true
    }
}

/// Stores a value in the field of its name; false if there is none.
fn set_value(layout: &mut Layout, name: &str, value: Option<u32>) -> bool {
    match name {
        "location" => layout.location = value,
        "component" => layout.component = value,
        "index" => layout.index = value,
        "binding" => layout.binding = value,
        "offset" => layout.offset = value,
        "align" => layout.align = value,
        "stream" => layout.stream = value,
        "xfb_buffer" => layout.xfb_buffer = value,
        "xfb_offset" => layout.xfb_offset = value,
        "xfb_stride" => layout.xfb_stride = value,
        "shared" => layout.packing = Some(Packing::Shared),
        "packed" => layout.packing = Some(Packing::Packed),
        "std140" => layout.packing = Some(Packing::Std140),
        "std430" => layout.packing = Some(Packing::Std430),
        "row_major" => layout.matrix = Some(MatrixOrder::RowMajor),
        "column_major" => layout.matrix = Some(MatrixOrder::ColumnMajor),
        _ => return false,
    }
    true
}
