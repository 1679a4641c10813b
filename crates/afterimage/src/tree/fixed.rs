//! Fixed-function state: matrices, lights, materials, texture environments, stacks.

use super::node::Node;
use super::value::Value;
use state::context::{Client, Context};
use state::fixed::{Current, Fixed, Light, Material, MatrixStack, TARGETS, Unit};
use state::objects::list::List;

/// Adds structured state; contexts without fixed functions have none of it.
pub fn put(node: &mut Node, context: &Context) {
    if !matches!(context.facts.client, Client::Compatibility | Client::Es1) {
        return;
    }
    let (now, first) = (&*context.fixed, Fixed::new(&context.facts));
    let begun = now.begun.map_or(Value::text("none"), |mode| Value::gl_of("PrimitiveType", mode));
    node.put("begun", begun, Value::text("none"));
    if let Some(compiling) = &context.compiling {
        let mut list = Node::object("compiling");
        list.fact("list", Value::Object("list", compiling.name));
        list.fact("mode", Value::gl(compiling.mode));
        list.fact("calls", Value::number(compiling.calls.len() as u32));
        node.push(list);
    }
    node.push(stack("modelview", &now.matrices.modelview));
    node.push(stack("projection", &now.matrices.projection));
    let indexed = |stacks: &[MatrixStack]| -> Vec<Node> {
        stacks.iter().enumerate().map(|(at, one)| stack(&at.to_string(), one)).collect()
    };
    node.list("texture_matrix", indexed(&now.matrices.textures).into_iter());
    node.list("program_matrix", indexed(&now.matrices.programs).into_iter());
    node.list("light", now.lights.iter().enumerate().map(|(number, one)| light(number, one)));
    node.list("material", ["front", "back"].into_iter().zip(&now.materials).map(|(name, one)| material(name, one)));
    node.list(
        "clip_plane",
        now.clip_planes.iter().enumerate().map(|(number, plane)| {
            let default = *plane == first.clip_planes[number];
            Node { default, ..Node::leaf(number.to_string(), Value::singles(plane)) }
        }),
    );
    node.list("texture_environment", now.units.iter().enumerate().map(|(number, one)| unit(number, one)));
    let stipple = |fixed: &Fixed| Value::Text(fixed.polygon_stipple.iter().map(|byte| format!("{byte:02x}")).collect());
    node.put("polygon_stipple", stipple(now), stipple(&first));
    node.put("name_stack", Value::numbers(now.names.iter().copied()), Value::List(Vec::new()));
    saved(node, "attrib_stack", "AttribMask", now.attributes.iter().map(|saved| saved.mask));
    saved(node, "client_attrib_stack", "ClientAttribMask", now.client_attributes.iter().map(|saved| saved.mask));
}

/// Adds the entries of an attribute stack, oldest first.
fn saved(node: &mut Node, name: &str, group: &str, masks: impl Iterator<Item = u32>) {
    let masks = masks.enumerate().map(|(at, mask)| Node::leaf(at.to_string(), Value::bits(group, mask)));
    node.list(name, masks);
}

fn stack(name: &str, stack: &MatrixStack) -> Node {
    let mut node = Node::branch(name);
    let first = MatrixStack::new(1);
    node.put("top", Value::matrix(&stack.top().m), Value::matrix(&first.top().m));
    node.put("depth", Value::number(stack.depth() as u32), Value::number(1));
    node
}

fn light(number: usize, light: &Light) -> Node {
    let mut node = Node::branch(number.to_string());
    let first = Light::new(number);
    for (at, name) in ["ambient", "diffuse", "specular"].into_iter().enumerate() {
        node.put(name, Value::singles(&light.colours[at]), Value::singles(&first.colours[at]));
    }
    node.put("position", Value::singles(&light.position), Value::singles(&first.position));
    node.put("spot_direction", Value::singles(&light.direction), Value::singles(&first.direction));
    node.put("spot_exponent", Value::Single(light.exponent), Value::Single(first.exponent));
    node.put("spot_cutoff", Value::Single(light.cutoff), Value::Single(first.cutoff));
    node.put("attenuation", Value::singles(&light.attenuation), Value::singles(&first.attenuation));
    node
}

fn material(name: &str, material: &Material) -> Node {
    let mut node = Node::branch(name);
    let first = Material::default();
    for (at, name) in ["ambient", "diffuse", "specular", "emission"].into_iter().enumerate() {
        node.put(name, Value::singles(&material.colours[at]), Value::singles(&first.colours[at]));
    }
    node.put("shininess", Value::Single(material.shininess), Value::Single(first.shininess));
    node.put("color_indexes", Value::singles(&material.indexes), Value::singles(&first.indexes));
    node
}

fn unit(number: usize, unit: &Unit) -> Node {
    let mut node = Node::branch(number.to_string());
    let first = Unit::default();
    let enabled = |bits: u8| {
        let targets = TARGETS.iter().enumerate().filter(|(at, _)| bits & 1 << at != 0);
        Value::Bits(targets.map(|(_, target)| Value::gl(*target).to_string()).collect())
    };
    node.put("enabled", enabled(unit.enabled), enabled(0));
    node.put("mode", Value::gl(unit.mode), Value::gl(first.mode));
    node.put("color", Value::singles(&unit.colour), Value::singles(&first.colour));
    node.put("combine_rgb", Value::gl(unit.combine_rgb), Value::gl(first.combine_rgb));
    node.put("combine_alpha", Value::gl(unit.combine_alpha), Value::gl(first.combine_alpha));
    let names = |names: &[u32; 4]| Value::List(names[..3].iter().map(|name| Value::gl(*name)).collect());
    node.put("sources_rgb", names(&unit.source_rgb), names(&first.source_rgb));
    node.put("sources_alpha", names(&unit.source_alpha), names(&first.source_alpha));
    node.put("operands_rgb", names(&unit.operand_rgb), names(&first.operand_rgb));
    node.put("operands_alpha", names(&unit.operand_alpha), names(&first.operand_alpha));
    node.put("rgb_scale", Value::number(1 << unit.scale_shift[0]), Value::number(1));
    node.put("alpha_scale", Value::number(1 << unit.scale_shift[1]), Value::number(1));
    node.put("coord_replace", Value::Truth(unit.coord_replace), Value::Truth(false));
    for (at, name) in ["s", "t", "r", "q"].into_iter().enumerate() {
        let mut one = Node::branch(format!("gen_{name}"));
        let (now, first) = (&unit.generators[at], &first.generators[at]);
        one.put("enabled", Value::Truth(unit.generated & 1 << at != 0), Value::Truth(false));
        one.put("mode", Value::gl(now.mode), Value::gl(first.mode));
        one.put("object_plane", Value::singles(&now.object_plane), Value::singles(&first.object_plane));
        one.put("eye_plane", Value::singles(&now.eye_plane), Value::singles(&first.eye_plane));
        node.push(one);
    }
    node
}

/// Current vertex attributes.
pub fn current(context: &Context) -> Node {
    let mut node = Node::branch("current_attributes");
    let (now, first) = (&*context.current, Current::default());
    if matches!(context.facts.client, Client::Compatibility | Client::Es1) {
        node.put("color", Value::singles(&now.colour), Value::singles(&first.colour));
        node.put("secondary_color", Value::singles(&now.secondary), Value::singles(&first.secondary));
        node.put("normal", Value::singles(&now.normal), Value::singles(&first.normal));
        node.put("fog_coord", Value::Single(now.fog), Value::Single(first.fog));
        node.put("index", Value::Single(now.index), Value::Single(first.index));
        node.put("edge_flag", Value::Truth(now.edge), Value::Truth(first.edge));
        node.list(
            "tex_coord",
            now.texture.iter().enumerate().map(|(unit, coordinates)| {
                let default = *coordinates == first.texture[unit];
                Node { default, ..Node::leaf(unit.to_string(), Value::singles(coordinates)) }
            }),
        );
    }
    node.list(
        "attrib",
        now.generic.iter().enumerate().map(|(index, words)| {
            let floats: Vec<f32> = words[..4].iter().map(|word| f32::from_bits(*word)).collect();
            Node { default: *words == first.generic[index], ..Node::leaf(index.to_string(), Value::singles(&floats)) }
        }),
    );
    node
}

/// Returns the node of a display list.
pub fn list(name: u32, list: &List) -> Node {
    let mut node = Node::object(name.to_string());
    node.fact("calls", Value::number(list.calls.len() as u32));
    let mut calls = Node::branch("call");
    for (at, call) in list.calls.iter().enumerate() {
        calls.detail(at.to_string(), Value::Call(call.number));
    }
    node.push(calls);
    node
}
