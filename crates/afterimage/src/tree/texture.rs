//! Textures, samplers and their bindings.

use api::constant as c;

use super::image::Writers;
use super::node::Node;
use super::value::Value;
use state::context::Context;
use state::objects::sampler::{Sampler, Sampling};
use state::objects::texture::{ALL_TARGETS, Bound, ImageUnit, Level, Target, Texture, Unit, default_object};
use state::share::ShareGroup;

/// The names of the faces of a cube map.
const FACES: [&str; 6] = ["+x", "-x", "+y", "-y", "+z", "-z"];

/// Returns the node of a texture.
pub fn node(name: String, texture: &Texture, writers: &Writers<'_, '_>) -> Node {
    let mut node = Node::object(name);
    let Some(target) = texture.target else {
        node.fact("exists", Value::Truth(false));
        return node;
    };
    node.fact("target", Value::gl(target.name()));
    fill(&mut node, texture, target, writers);
    node
}

/// Returns the default textures that have been used.
pub fn defaults(group: &ShareGroup, writers: &Writers<'_, '_>) -> Node {
    let mut node = Node::branch("default_texture");
    for (target, texture) in ALL_TARGETS.into_iter().zip(&group.default_textures) {
        let mut one = Node::branch(super::plain::short(target.name()).to_ascii_lowercase());
        fill(&mut one, texture, target, writers);
        node.push(one);
    }
    node
}

fn fill(node: &mut Node, texture: &Texture, target: Target, writers: &Writers<'_, '_>) {
    let faces = target.faces();
    let levels = texture.levels.len() as u32 / faces;
    node.list(
        "level",
        (0..levels).map(|number| {
            let level = |face| texture.level(number, face).filter(|level| level.size != [0; 3]);
            let alike = (1..faces).all(|face| same(level(0), level(face)));
            let mut node = Node::branch(number.to_string());
            let put_writers = |node: &mut Node, layers: std::ops::Range<u32>| {
                let images: Vec<_> = layers.map(|layer| texture.image(number, layer)).collect();
                writers.put(node, &images);
            };
            if alike {
                let Some(level) = level(0) else { return node };
                put_level(&mut node, level, target);
                let layers = match target {
                    Target::Cube => 6,
                    Target::OneDArray => level.size[1],
                    _ if target.is_layered() => level.size[2],
                    _ => 1,
                };
                let layers = layers.max(1).cast_unsigned();
                put_writers(&mut node, 0..layers);
                return node;
            }
            for face in 0..faces {
                let mut one = Node::branch(FACES[face as usize % 6]);
                level(face).into_iter().for_each(|level| put_level(&mut one, level, target));
                put_writers(&mut one, face..face + 1);
                node.push(one);
            }
            node
        }),
    );
    if let Some(buffer) = texture.buffer {
        node.fact("buffer", Value::Object("buffer", buffer.name));
        node.put("buffer_offset", Value::Integer(buffer.offset), Value::Integer(0));
        node.put("buffer_size", buffer.size.map_or(Value::text("all"), Value::Integer), Value::text("all"));
    }
    if let Some(format) = texture.buffer_format {
        node.fact("buffer_format", Value::gl(format));
    }
    let mut initial = Texture::new(texture.object, None);
    initial.become_of(target);
    let first = Texture::new(texture.object, Some(target));
    // A texture that was created for its target starts with different parameters than one that was bound to it.
    let sampling = if texture.sampling == first.sampling { &first.sampling } else { &initial.sampling };
    put_sampling(node, &texture.sampling, sampling);
    node.put("base_level", Value::number(texture.base_level), Value::number(initial.base_level));
    node.put("max_level", Value::number(texture.max_level), Value::number(initial.max_level));
    let swizzle = |swizzle: [u32; 4]| Value::List(swizzle.map(small).to_vec());
    node.put("swizzle", swizzle(texture.swizzle), swizzle(initial.swizzle));
    node.put("depth_mode", Value::gl(texture.depth_mode), Value::gl(initial.depth_mode));
    let mode = |texture: &Texture| Value::gl(texture.depth_stencil_mode);
    node.put("depth_stencil_mode", mode(texture), mode(&initial));
    node.put("generate_mipmap", Value::Truth(texture.generate_mipmap), Value::Truth(false));
    node.put("priority", Value::Single(texture.priority), Value::Single(initial.priority));
    node.put("tiling", Value::gl(texture.tiling), Value::gl(initial.tiling));
    node.put("crop", Value::numbers(texture.crop), Value::numbers(initial.crop));
    node.put("immutable_levels", Value::number(texture.immutable_levels), Value::number(0));
    if texture.storage != texture.object {
        let view = &texture.view;
        let mut shown = Node::object("view");
        shown.fact("levels", Value::Text(format!("{}..{}", view.min_level, view.min_level + view.levels)));
        shown.fact("layers", Value::Text(format!("{}..{}", view.min_layer, view.min_layer + view.layers)));
        node.push(shown);
    }
}

/// Returns a swizzle, which may be zero or one.
fn small(value: u32) -> Value {
    match value {
        c::GL_ZERO => Value::Enum("GL_ZERO"),
        c::GL_ONE => Value::Enum("GL_ONE"),
        _ => Value::gl(value),
    }
}

fn same(one: Option<&Level>, other: Option<&Level>) -> bool {
    let about = |level: &Level| (level.size, level.border, level.internal, level.samples, level.fixed);
    one.map(about) == other.map(about)
}

fn put_level(node: &mut Node, level: &Level, target: Target) {
    let sides = match target {
        Target::OneD | Target::Buffer => 1,
        Target::ThreeD | Target::TwoDArray | Target::CubeArray | Target::MultisampleArray => 3,
        _ => 2,
    };
    node.fact("size", Value::size(&level.size[..sides]));
    // Old programs pass a number of components.
    let internal = if level.internal <= 4 { Value::number(level.internal) } else { Value::gl(level.internal) };
    node.fact("format", internal);
    node.put("border", Value::number(level.border), Value::number(0));
    node.put("samples", Value::number(level.samples), Value::number(0));
    if target.is_multisample() {
        node.put("fixed_sample_locations", Value::Truth(level.fixed), Value::Truth(true));
    }
}

/// Returns the node of a sampler.
pub fn sampler(name: u32, sampler: &Sampler) -> Node {
    let mut node = Node::object(name.to_string());
    put_sampling(&mut node, &sampler.sampling, &Sampling::default());
    node
}

fn put_sampling(node: &mut Node, now: &Sampling, first: &Sampling) {
    node.put("min_filter", Value::gl(now.min_filter), Value::gl(first.min_filter));
    node.put("mag_filter", Value::gl(now.mag_filter), Value::gl(first.mag_filter));
    for (at, axis) in ["s", "t", "r"].into_iter().enumerate() {
        node.put(format!("wrap_{axis}"), Value::gl(now.wrap[at]), Value::gl(first.wrap[at]));
    }
    let border = |sampling: &Sampling| Value::singles(&sampling.border.map(f32::from_bits));
    node.put("border_color", border(now), border(first));
    node.put("min_lod", Value::Single(now.min_lod), Value::Single(first.min_lod));
    node.put("max_lod", Value::Single(now.max_lod), Value::Single(first.max_lod));
    node.put("lod_bias", Value::Single(now.lod_bias), Value::Single(first.lod_bias));
    node.put("max_anisotropy", Value::Single(now.max_anisotropy), Value::Single(first.max_anisotropy));
    node.put("compare_mode", Value::gl(now.compare_mode), Value::gl(first.compare_mode));
    node.put("compare_func", Value::gl(now.compare_func), Value::gl(first.compare_func));
    node.put("cube_map_seamless", Value::Truth(now.seamless), Value::Truth(first.seamless));
    node.put("srgb_decode", Value::gl(now.srgb_decode), Value::gl(first.srgb_decode));
    node.put("reduction_mode", Value::gl(now.reduction), Value::gl(first.reduction));
}

/// Adds the bindings of texture units.
pub fn units(family: &mut Node, context: &Context, group: Option<&ShareGroup>) {
    let units = context.units.units.iter().enumerate();
    family.list("unit", units.map(|(number, unit)| unit_node(number, unit, context, group)));
}

fn unit_node(number: usize, unit: &Unit, context: &Context, group: Option<&ShareGroup>) -> Node {
    let mut node = Node::branch(number.to_string());
    for (at, target) in ALL_TARGETS.into_iter().enumerate() {
        if !target.exists(&context.facts) {
            continue;
        }
        let bound = unit.textures[at];
        let name = super::plain::short(target.name()).to_ascii_lowercase();
        node.put(name, value(bound, group), Value::Object("texture", 0));
    }
    node.put("sampler", Value::Object("sampler", unit.sampler.name), Value::Object("sampler", 0));
    node
}

/// Returns a bound texture; one whose name was deleted is marked as such.
fn value(bound: Bound, group: Option<&ShareGroup>) -> Value {
    let default = ALL_TARGETS.into_iter().any(|target| bound.object == default_object(target));
    let living =
        group.is_some_and(|group| group.textures.get(&bound.name).is_some_and(|found| found.object == bound.object));
    if default || living {
        Value::Object("texture", bound.name)
    } else {
        Value::Text(format!("texture/{}, deleted", bound.name))
    }
}

/// Returns the bindings of image units.
pub fn images(context: &Context) -> Node {
    let mut node = Node::branch("image_units");
    let first = ImageUnit::new(&context.facts);
    for (number, unit) in context.units.images.iter().enumerate() {
        let mut one = Node::branch(number.to_string());
        one.put("texture", Value::Object("texture", unit.texture.name), Value::Object("texture", 0));
        one.put("level", Value::number(unit.level), Value::number(first.level));
        one.put("layered", Value::Truth(unit.layered), Value::Truth(first.layered));
        one.put("layer", Value::number(unit.layer), Value::number(first.layer));
        one.put("access", Value::gl(unit.access), Value::gl(first.access));
        one.put("format", Value::gl(unit.format), Value::gl(first.format));
        node.push(one);
    }
    node
}
