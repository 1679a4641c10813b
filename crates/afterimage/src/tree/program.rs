//! Shaders, programs, pipelines, and current programs of a context.

use api::constant as c;
use api::reflection::Interface;
use api::reflection::kind::{Base, Shape, shape};

use super::labelled;
use super::node::Node;
use super::plain::short;
use super::value::Value;
use state::context::Context;
use state::objects::assembly::{AssemblyProgram, Parameters, TARGETS};
use state::objects::pipeline::{Pipeline, STAGES};
use state::objects::program::{DriverResult, Linked, Program, Shader, ShaderOrProgram, Uniform};
use state::share::ShareGroup;

/// Adds the shaders and programs of a share group.
pub fn put(node: &mut Node, group: &ShareGroup) {
    let shaders = group.programs.iter().filter_map(|(name, one)| match &**one {
        ShaderOrProgram::Shader(one) => Some(labelled(shader(*name, one), Some(group), one.object)),
        ShaderOrProgram::Program(_) => None,
    });
    node.list("shader", shaders);
    let programs = group.programs.iter().filter_map(|(name, one)| match &**one {
        ShaderOrProgram::Program(one) => Some(labelled(program(*name, one), Some(group), one.object)),
        ShaderOrProgram::Shader(_) => None,
    });
    node.list("program", programs);
    node.list("assembly_program", group.assembly.iter().map(|(name, one)| assembly(name.to_string(), one)));
    node.list("ati_fragment_shader", group.ati_shaders.keys().map(|name| Node::object(name.to_string())));
}

/// Adds the current programs of a context.
pub fn bindings(node: &mut Node, context: &Context) {
    node.put("current_program", Value::Object("program", context.program), Value::Object("program", 0));
    node.put("pipeline_binding", Value::Object("pipeline", context.pipeline), Value::Object("pipeline", 0));
    let mut subroutines = Node::branch("subroutines");
    for (stage, chosen) in STAGES.iter().zip(&*context.subroutines) {
        let value = Value::numbers(chosen.iter().copied());
        subroutines.put(short(*stage).to_ascii_lowercase(), value, Value::List(Vec::new()));
    }
    node.push(subroutines);
    let mut programs = Node::branch("assembly_programs");
    for (at, target) in TARGETS.into_iter().enumerate() {
        let name = short(target).to_ascii_lowercase();
        let bound = Value::Object("assembly_program", context.assembly.bound[at]);
        programs.put(format!("{name}_binding"), bound, Value::Object("assembly_program", 0));
        programs.push(parameters(&format!("{name}_environment"), &context.assembly.environment[at]));
    }
    node.push(programs);
}

fn shader(name: u32, shader: &Shader) -> Node {
    let mut node = Node::object(name.to_string());
    node.fact("type", Value::gl(shader.kind));
    match &shader.compiled {
        DriverResult::NotRequested => node.fact("compiled", Value::Truth(false)),
        DriverResult::NotRecorded => node.fact("compiled", Value::Unknown),
        DriverResult::Recorded(compiled) => {
            node.fact("compiled", Value::Truth(compiled.status));
            node.put("log", Value::bytes_as_text(&compiled.log), Value::text(""));
            node.put("spirv", Value::Truth(compiled.spirv), Value::Truth(false));
        }
    }
    let lines = |source: &[u8]| String::from_utf8_lossy(source).lines().count() as u32;
    node.put("lines", Value::number(shader.source.as_deref().map_or(0, lines)), Value::number(0));
    node.detail("source", shader.source.as_deref().map_or(Value::text(""), Value::bytes_as_text));
    node.put("attached", Value::number(shader.attached), Value::number(0u32));
    node.put("deleted", Value::Truth(shader.deleted), Value::Truth(false));
    node
}

fn program(name: u32, program: &Program) -> Node {
    let mut node = Node::object(name.to_string());
    node.fact("linked", program.is_linked().map_or(Value::Unknown, Value::Truth));
    let setup = &*program.setup;
    let shaders = setup.attached.iter().map(|name| Value::Object("shader", *name)).collect();
    node.put("shaders", Value::List(shaders), Value::List(Vec::new()));
    node.put("separable", Value::Truth(setup.separable), Value::Truth(false));
    node.put("binary_retrievable_hint", Value::Truth(setup.retrievable), Value::Truth(false));
    node.put("deleted", Value::Truth(program.deleted), Value::Truth(false));
    let log = if let DriverResult::Recorded(linked) = &program.linked { &linked.reflection.log[..] } else { &[] };
    node.put("log", Value::bytes_as_text(log), Value::text(""));
    if let Some(validation) = &program.validation {
        node.fact("validated", validation.status.map_or(Value::Unknown, Value::Truth));
        node.put("validation_log", Value::bytes_as_text(&validation.log), Value::text(""));
    }
    if !setup.varyings.is_empty() {
        let names = setup.varyings.iter().map(|name| Value::bytes_as_text(name)).collect();
        node.fact("transform_feedback_varyings", Value::List(names));
        node.put("transform_feedback_mode", Value::gl(setup.varyings_mode), Value::gl(c::GL_INTERLEAVED_ATTRIBS));
    }
    if let Some(linked) = program.interface() {
        node.push(uniforms(linked, &program.values));
        node.push(blocks("uniform_blocks", c::GL_UNIFORM_BLOCK, linked, &program.bindings.uniform));
        node.push(blocks("storage_blocks", c::GL_SHADER_STORAGE_BLOCK, linked, &program.bindings.storage));
        node.push(variables("inputs", c::GL_PROGRAM_INPUT, linked));
        node.push(variables("outputs", c::GL_PROGRAM_OUTPUT, linked));
        // Types and locations of uniforms take more space than their values.
        node.push(details(variables("uniform_interface", c::GL_UNIFORM, linked)));
    }
    node
}

fn details(mut node: Node) -> Node {
    node.default = true;
    node
}

/// Returns the uniforms outside of blocks with their values.
fn uniforms(linked: &Linked, values: &[u32]) -> Node {
    let mut node = Node::branch("uniforms");
    let Some(interface) = linked.reflection.interface(c::GL_UNIFORM) else { return node };
    for uniform in &linked.uniforms {
        let Some(resource) = interface.resources.get(uniform.index as usize) else { continue };
        let name = String::from_utf8_lossy(&resource.name);
        let element = |element: u32| {
            let first = (uniform.offset + element * uniform.stride) as usize;
            words(uniform, values.get(first..first + uniform.stride as usize).unwrap_or_default())
        };
        if uniform.array {
            let value = Value::List((0..uniform.size).map(element).collect());
            node.fact(name.strip_suffix("[0]").unwrap_or(&name), value);
        } else {
            node.fact(name, element(0));
        }
    }
    node
}

/// Returns the value of one element of a uniform.
fn words(uniform: &Uniform, words: &[u32]) -> Value {
    let Shape { base, columns, rows } = uniform.shape;
    let wide = |at: usize| u64::from(words[at]) | u64::from(words.get(at + 1).copied().unwrap_or(0)) << 32;
    let step = if matches!(base, Base::Double | Base::Int64 | Base::Uint64) { 2 } else { 1 };
    let number = |at: usize| match base {
        Base::Float => Value::Single(f32::from_bits(words[at])),
        Base::Double => Value::Double(f64::from_bits(wide(at))),
        Base::Bool => Value::Truth(words[at] != 0),
        Base::Int | Base::Sampler | Base::Image | Base::AtomicCounter => Value::number(words[at].cast_signed()),
        Base::Uint => Value::number(words[at]),
        Base::Int64 | Base::Uint64 => Value::Integer(wide(at).cast_signed()),
    };
    let mut numbers: Vec<Value> = (0..words.len()).step_by(step).map(number).collect();
    match (columns, numbers.len()) {
        (_, 0) => Value::Unknown,
        (_, 1) => numbers.remove(0),
        (1, _) => Value::List(numbers),
        _ => Value::List(numbers.chunks(usize::from(rows).max(1)).map(|column| Value::List(column.to_vec())).collect()),
    }
}

/// Returns blocks with their buffer bindings.
fn blocks(name: &str, interface: u32, linked: &Linked, bindings: &[u32]) -> Node {
    let mut node = Node::branch(name);
    let Some(interface) = linked.reflection.interface(interface) else { return node };
    for (index, resource) in interface.resources.iter().enumerate() {
        let mut block = Node::object(resource_name(&resource.name, index));
        block.fact("binding", Value::number(bindings.get(index).copied().unwrap_or(0)));
        if let Some(size) = interface.value(index, c::GL_BUFFER_DATA_SIZE) {
            block.fact("size", Value::Bytes(u64::from(size.cast_unsigned())));
        }
        node.push(block);
    }
    node
}

/// Returns the variables of an interface: type and location.
fn variables(name: &str, interface: u32, linked: &Linked) -> Node {
    let mut node = Node::branch(name);
    let Some(interface) = linked.reflection.interface(interface) else { return node };
    for (index, resource) in interface.resources.iter().enumerate() {
        node.push(variable(resource_name(&resource.name, index), interface, index));
    }
    node
}

fn variable(name: String, interface: &Interface, index: usize) -> Node {
    let mut node = Node::object(name);
    let property = |name| interface.value(index, name);
    let kind = property(c::GL_TYPE).unwrap_or(0).cast_unsigned();
    let elements = property(c::GL_ARRAY_SIZE).unwrap_or(1);
    let array = if elements > 1 { format!("[{elements}]") } else { String::new() };
    node.fact("type", Value::Text(type_name(kind) + &array));
    let location = property(c::GL_LOCATION).unwrap_or(-1);
    node.put("location", Value::number(location), Value::number(-1));
    for (key, name) in [("block", c::GL_BLOCK_INDEX), ("offset", c::GL_OFFSET)] {
        node.put(key, Value::number(property(name).unwrap_or(-1)), Value::number(-1));
    }
    node
}

/// Returns the GLSL name of a numeric type; GL's name for others.
fn type_name(kind: u32) -> String {
    let Some(Shape { base, columns, rows }) = shape(kind).filter(|shape| !shape.is_opaque()) else {
        return Value::gl(kind).to_string();
    };
    let (scalar, letter) = match base {
        Base::Double => ("double", "d"),
        Base::Int => ("int", "i"),
        Base::Uint => ("uint", "u"),
        Base::Bool => ("bool", "b"),
        Base::Int64 => ("int64_t", "i64"),
        Base::Uint64 => ("uint64_t", "u64"),
        _ => ("float", ""),
    };
    match (columns, rows) {
        (1, 1) => scalar.to_owned(),
        (1, rows) => format!("{letter}vec{rows}"),
        (columns, rows) if columns == rows => format!("{letter}mat{columns}"),
        (columns, rows) => format!("{letter}mat{columns}x{rows}"),
    }
}

/// Returns the name of a resource, or its index if it has none.
fn resource_name(name: &[u8], index: usize) -> String {
    if name.is_empty() { format!("#{index}") } else { String::from_utf8_lossy(name).into_owned() }
}

/// Returns the node of a pipeline.
pub fn pipeline(name: u32, pipeline: &Pipeline) -> Node {
    let mut node = Node::object(name.to_string());
    if !pipeline.exists {
        node.fact("exists", Value::Truth(false));
        return node;
    }
    for (stage, program) in STAGES.iter().zip(pipeline.stages) {
        let name = short(*stage).to_ascii_lowercase();
        node.put(name, Value::Object("program", program), Value::Object("program", 0));
    }
    node.put("active_program", Value::Object("program", pipeline.active), Value::Object("program", 0));
    node.put("validated", Value::Truth(pipeline.validated), Value::Truth(false));
    node.put("log", Value::text(pipeline.log.as_deref().unwrap_or("")), Value::text(""));
    node
}

fn assembly(name: String, program: &AssemblyProgram) -> Node {
    let mut node = Node::object(name);
    if program.target == 0 {
        node.fact("exists", Value::Truth(false));
        return node;
    }
    node.fact("target", Value::gl(program.target));
    node.fact("text", Value::bytes_as_text(&program.text));
    node.push(parameters("locals", &program.locals));
    for (name, value) in &*program.driver_values {
        node.detail(short(*name).to_ascii_lowercase(), Value::Integer(*value));
    }
    node
}

fn parameters(name: &str, parameters: &Parameters) -> Node {
    let mut node = Node::branch(name);
    for (index, value) in parameters {
        node.put(index.to_string(), Value::singles(value), Value::singles(&[0.0; 4]));
    }
    node
}
