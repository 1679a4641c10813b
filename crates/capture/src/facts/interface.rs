//! Active resources of a program, by interface: `glGetProgramResourceiv`, or older queries where it does not exist.

use api::constant as c;
use api::reflection::{Interface, Reflection, Resource};
use api::when::{NOWHERE, When, both, desktop};

use super::program::SUBROUTINES;
use super::{Capabilities, ask};
use crate::thread::Thread;

/// Where `glGetProgramResourceiv` exists.
const INTERFACE_QUERY: When = both(43, 31).or(&["GL_ARB_program_interface_query"]);
const ANY: When = both(20, 20);
const GEOMETRY: When = both(32, 32).or(&["GL_EXT_geometry_shader", "GL_OES_geometry_shader"]);
const TESSELLATION: When =
    both(40, 32).or(&["GL_ARB_tessellation_shader", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"]);
const COMPUTE: When = both(43, 31).or(&["GL_ARB_compute_shader"]);
const LAYOUTS: When = desktop(44).or(&["GL_ARB_enhanced_layouts"]);
const ATOMICS: When = both(42, 31).or(&["GL_ARB_shader_atomic_counters"]);
const STORAGE: When = both(43, 31).or(&["GL_ARB_shader_storage_buffer_object"]);
/// In desktop GLSL an output can select one of two colours (GL 4.6, 15.2.3).
const DUAL_SOURCE: When = desktop(33).or(&["GL_ARB_blend_func_extended", "GL_EXT_blend_func_extended"]);

type Property = (u32, When);

const REFERENCED: [Property; 6] = [
    (c::GL_REFERENCED_BY_VERTEX_SHADER, ANY),
    (c::GL_REFERENCED_BY_FRAGMENT_SHADER, ANY),
    (c::GL_REFERENCED_BY_GEOMETRY_SHADER, GEOMETRY),
    (c::GL_REFERENCED_BY_TESS_CONTROL_SHADER, TESSELLATION),
    (c::GL_REFERENCED_BY_TESS_EVALUATION_SHADER, TESSELLATION),
    (c::GL_REFERENCED_BY_COMPUTE_SHADER, COMPUTE),
];

/// An interface, where it exists, its properties, whether stages may refer to its resources, and the property that is a
/// list together with the one that gives its length.
struct InterfaceQuery {
    interface: u32,
    when: When,
    properties: &'static [Property],
    referenced: bool,
    list: Option<(u32, u32)>,
    named: bool,
}

const VARIABLES: Option<(u32, u32)> = Some((c::GL_NUM_ACTIVE_VARIABLES, c::GL_ACTIVE_VARIABLES));
const COMPATIBLE: Option<(u32, u32)> = Some((c::GL_NUM_COMPATIBLE_SUBROUTINES, c::GL_COMPATIBLE_SUBROUTINES));

const BLOCK: &[Property] =
    &[(c::GL_BUFFER_BINDING, ANY), (c::GL_BUFFER_DATA_SIZE, ANY), (c::GL_NUM_ACTIVE_VARIABLES, ANY)];

const SUBROUTINE_UNIFORM: &[Property] =
    &[(c::GL_ARRAY_SIZE, ANY), (c::GL_LOCATION, ANY), (c::GL_NUM_COMPATIBLE_SUBROUTINES, ANY)];

const INTERFACES: [InterfaceQuery; 9] = [
    InterfaceQuery {
        interface: c::GL_UNIFORM,
        when: ANY,
        properties: &[
            (c::GL_TYPE, ANY),
            (c::GL_ARRAY_SIZE, ANY),
            (c::GL_OFFSET, ANY),
            (c::GL_BLOCK_INDEX, ANY),
            (c::GL_ARRAY_STRIDE, ANY),
            (c::GL_MATRIX_STRIDE, ANY),
            (c::GL_IS_ROW_MAJOR, ANY),
            (c::GL_ATOMIC_COUNTER_BUFFER_INDEX, ATOMICS),
            (c::GL_LOCATION, ANY),
        ],
        referenced: true,
        list: None,
        named: true,
    },
    InterfaceQuery {
        interface: c::GL_UNIFORM_BLOCK,
        when: ANY,
        properties: BLOCK,
        referenced: true,
        list: VARIABLES,
        named: true,
    },
    InterfaceQuery {
        interface: c::GL_ATOMIC_COUNTER_BUFFER,
        when: ATOMICS,
        properties: BLOCK,
        referenced: true,
        list: VARIABLES,
        named: false,
    },
    InterfaceQuery {
        interface: c::GL_PROGRAM_INPUT,
        when: ANY,
        properties: &[
            (c::GL_TYPE, ANY),
            (c::GL_ARRAY_SIZE, ANY),
            (c::GL_LOCATION, ANY),
            (c::GL_IS_PER_PATCH, TESSELLATION),
            (c::GL_LOCATION_COMPONENT, LAYOUTS),
        ],
        referenced: true,
        list: None,
        named: true,
    },
    InterfaceQuery {
        interface: c::GL_PROGRAM_OUTPUT,
        when: ANY,
        properties: &[
            (c::GL_TYPE, ANY),
            (c::GL_ARRAY_SIZE, ANY),
            (c::GL_LOCATION, ANY),
            (c::GL_LOCATION_INDEX, DUAL_SOURCE),
            (c::GL_IS_PER_PATCH, TESSELLATION),
            (c::GL_LOCATION_COMPONENT, LAYOUTS),
        ],
        referenced: true,
        list: None,
        named: true,
    },
    InterfaceQuery {
        interface: c::GL_TRANSFORM_FEEDBACK_VARYING,
        when: ANY,
        properties: &[
            (c::GL_TYPE, ANY),
            (c::GL_ARRAY_SIZE, ANY),
            (c::GL_OFFSET, LAYOUTS),
            (c::GL_TRANSFORM_FEEDBACK_BUFFER_INDEX, LAYOUTS),
        ],
        referenced: false,
        list: None,
        named: true,
    },
    InterfaceQuery {
        interface: c::GL_TRANSFORM_FEEDBACK_BUFFER,
        when: LAYOUTS,
        properties: &[
            (c::GL_BUFFER_BINDING, ANY),
            (c::GL_NUM_ACTIVE_VARIABLES, ANY),
            (c::GL_TRANSFORM_FEEDBACK_BUFFER_STRIDE, ANY),
        ],
        referenced: false,
        list: VARIABLES,
        named: false,
    },
    InterfaceQuery {
        interface: c::GL_BUFFER_VARIABLE,
        when: STORAGE,
        properties: &[
            (c::GL_TYPE, ANY),
            (c::GL_ARRAY_SIZE, ANY),
            (c::GL_OFFSET, ANY),
            (c::GL_BLOCK_INDEX, ANY),
            (c::GL_ARRAY_STRIDE, ANY),
            (c::GL_MATRIX_STRIDE, ANY),
            (c::GL_IS_ROW_MAJOR, ANY),
            (c::GL_TOP_LEVEL_ARRAY_SIZE, ANY),
            (c::GL_TOP_LEVEL_ARRAY_STRIDE, ANY),
        ],
        referenced: true,
        list: None,
        named: true,
    },
    InterfaceQuery {
        interface: c::GL_SHADER_STORAGE_BLOCK,
        when: STORAGE,
        properties: BLOCK,
        referenced: true,
        list: VARIABLES,
        named: true,
    },
];

/// Interfaces of subroutines and of their uniforms, by stage.
const SUBROUTINE_INTERFACES: [(u32, u32, When); 6] = [
    (c::GL_VERTEX_SUBROUTINE, c::GL_VERTEX_SUBROUTINE_UNIFORM, ANY),
    (c::GL_FRAGMENT_SUBROUTINE, c::GL_FRAGMENT_SUBROUTINE_UNIFORM, ANY),
    (c::GL_GEOMETRY_SUBROUTINE, c::GL_GEOMETRY_SUBROUTINE_UNIFORM, GEOMETRY),
    (c::GL_TESS_CONTROL_SUBROUTINE, c::GL_TESS_CONTROL_SUBROUTINE_UNIFORM, TESSELLATION),
    (c::GL_TESS_EVALUATION_SUBROUTINE, c::GL_TESS_EVALUATION_SUBROUTINE_UNIFORM, TESSELLATION),
    (c::GL_COMPUTE_SUBROUTINE, c::GL_COMPUTE_SUBROUTINE_UNIFORM, COMPUTE),
];

/// Returns all active resources of a linked program.
pub fn all(thread: &Thread, capabilities: &Capabilities, program: u32, known: &Reflection) -> Vec<Interface> {
    let mut all = vec![attributes(thread, program, known)];
    if !capabilities.has(INTERFACE_QUERY) {
        all.push(uniforms(thread, capabilities, program, known));
        all.extend(known.parameter(c::GL_ACTIVE_UNIFORM_BLOCKS).map(|count| blocks(thread, program, count)));
        all.extend(known.parameter(c::GL_TRANSFORM_FEEDBACK_VARYINGS).map(|_| varyings(thread, program, known)));
        return all;
    }
    all.extend(
        INTERFACES
            .iter()
            .filter(|asked| capabilities.has(asked.when))
            .map(|asked| one(thread, capabilities, program, asked)),
    );
    if capabilities.has(SUBROUTINES) {
        for (subroutines, uniforms, when) in SUBROUTINE_INTERFACES {
            if capabilities.has(when) {
                let asked = |interface, properties, list| InterfaceQuery {
                    interface,
                    when: NOWHERE,
                    properties,
                    referenced: false,
                    list,
                    named: true,
                };
                let mut list = one(thread, capabilities, program, &asked(subroutines, &[], None));
                number(thread, program, &mut list);
                all.push(list);
                all.push(one(thread, capabilities, program, &asked(uniforms, SUBROUTINE_UNIFORM, COMPATIBLE)));
            }
        }
    }
    all
}

fn one(thread: &Thread, capabilities: &Capabilities, program: u32, asked: &InterfaceQuery) -> Interface {
    let about = |name| ask::interface(thread, program, asked.interface, name, 0)[0];
    let count = u32::try_from(about(c::GL_ACTIVE_RESOURCES)).unwrap_or(0);
    let room = if asked.named && count > 0 { about(c::GL_MAX_NAME_LENGTH) } else { 0 };
    let referenced: &[Property] = if asked.referenced { &REFERENCED } else { &[] };
    let properties = asked.properties.iter().chain(referenced).filter(|property| capabilities.has(property.1));
    let properties: Vec<u32> = properties.map(|property| property.0).collect();
    let resources = (0..count).map(|index| {
        let get = |names: &[u32], room| ask::resource(thread, program, asked.interface, index, names, room);
        let name =
            if asked.named { ask::resource_name(thread, program, asked.interface, index, room) } else { Vec::new() };
        let values = if properties.is_empty() { Vec::new() } else { get(&properties, properties.len()) };
        let list = asked.list.map_or_else(Vec::new, |(count, list)| {
            let place = properties.iter().position(|property| *property == count);
            let count = place.and_then(|place| values.get(place)).and_then(|count| usize::try_from(*count).ok());
            count.filter(|count| *count > 0).map_or_else(Vec::new, |count| get(&[list], count))
        });
        Resource { name, values, list }
    });
    Interface { name: asked.interface, resources: resources.collect(), properties }
}

/// Adds the index of each subroutine, which may differ from its position because a shader can choose it.
fn number(thread: &Thread, program: u32, subroutines: &mut Interface) {
    subroutines.properties = vec![c::GL_INDEX];
    for resource in &mut subroutines.resources {
        resource.values = vec![ask::resource_index(thread, program, subroutines.name, &resource.name).cast_signed()];
    }
}

/// Returns the attributes that `glGetActiveAttrib` lists.
fn attributes(thread: &Thread, program: u32, known: &Reflection) -> Interface {
    let count = u32::try_from(known.parameter(c::GL_ACTIVE_ATTRIBUTES).unwrap_or(0)).unwrap_or(0);
    let room = known.parameter(c::GL_ACTIVE_ATTRIBUTE_MAX_LENGTH).unwrap_or(0);
    let resources = (0..count).map(|index| {
        let variable = ask::attribute(thread, program, index, room);
        let location = ask::attribute_location(thread, program, &variable.name);
        Resource { values: vec![variable.kind, variable.size, location], name: variable.name, list: Vec::new() }
    });
    Interface {
        name: c::GL_ACTIVE_ATTRIBUTES,
        properties: vec![c::GL_TYPE, c::GL_ARRAY_SIZE, c::GL_LOCATION],
        resources: resources.collect(),
    }
}

/// Returns the uniforms, by the queries of GL 2.0 and 3.1.
fn uniforms(thread: &Thread, capabilities: &Capabilities, program: u32, known: &Reflection) -> Interface {
    const IN_BLOCKS: [(u32, u32); 5] = [
        (c::GL_OFFSET, c::GL_UNIFORM_OFFSET),
        (c::GL_BLOCK_INDEX, c::GL_UNIFORM_BLOCK_INDEX),
        (c::GL_ARRAY_STRIDE, c::GL_UNIFORM_ARRAY_STRIDE),
        (c::GL_MATRIX_STRIDE, c::GL_UNIFORM_MATRIX_STRIDE),
        (c::GL_IS_ROW_MAJOR, c::GL_UNIFORM_IS_ROW_MAJOR),
    ];
    let blocks: &[(u32, u32)] =
        if capabilities.has(both(31, 30).or(&["GL_ARB_uniform_buffer_object"])) { &IN_BLOCKS } else { &[] };
    let count = u32::try_from(known.parameter(c::GL_ACTIVE_UNIFORMS).unwrap_or(0)).unwrap_or(0);
    let room = known.parameter(c::GL_ACTIVE_UNIFORM_MAX_LENGTH).unwrap_or(0);
    let resources = (0..count).map(|index| {
        let variable = ask::uniform(thread, program, index, room);
        let location = ask::uniform_location(thread, program, &variable.name);
        let mut values = vec![variable.kind, variable.size, location];
        values.extend(blocks.iter().map(|(_, name)| ask::uniform_property(thread, program, index, *name)));
        Resource { name: variable.name, values, list: Vec::new() }
    });
    let mut properties = vec![c::GL_TYPE, c::GL_ARRAY_SIZE, c::GL_LOCATION];
    properties.extend(blocks.iter().map(|(name, _)| *name));
    Interface { name: c::GL_UNIFORM, resources: resources.collect(), properties }
}

/// Returns the uniform blocks, by the queries of GL 3.1.
fn blocks(thread: &Thread, program: u32, count: i32) -> Interface {
    const ASKED: [(u32, u32); 5] = [
        (c::GL_BUFFER_BINDING, c::GL_UNIFORM_BLOCK_BINDING),
        (c::GL_BUFFER_DATA_SIZE, c::GL_UNIFORM_BLOCK_DATA_SIZE),
        (c::GL_NUM_ACTIVE_VARIABLES, c::GL_UNIFORM_BLOCK_ACTIVE_UNIFORMS),
        (c::GL_REFERENCED_BY_VERTEX_SHADER, c::GL_UNIFORM_BLOCK_REFERENCED_BY_VERTEX_SHADER),
        (c::GL_REFERENCED_BY_FRAGMENT_SHADER, c::GL_UNIFORM_BLOCK_REFERENCED_BY_FRAGMENT_SHADER),
    ];
    let resources = (0..u32::try_from(count).unwrap_or(0)).map(|block| {
        let get = |name| ask::block(thread, program, block, name, 0);
        let name = ask::block_name(thread, program, block, get(c::GL_UNIFORM_BLOCK_NAME_LENGTH)[0]);
        let values: Vec<i32> = ASKED.iter().map(|(_, name)| get(*name)[0]).collect();
        // Indices of uniforms beyond the buffer stay unknown.
        let active = usize::try_from(values[2]).unwrap_or(0);
        let list = if active <= ask::ROOM {
            get(c::GL_UNIFORM_BLOCK_ACTIVE_UNIFORM_INDICES)[..active].to_vec()
        } else {
            Vec::new()
        };
        Resource { name, values, list }
    });
    let resources = resources.collect();
    Interface { name: c::GL_UNIFORM_BLOCK, properties: ASKED.map(|(name, _)| name).to_vec(), resources }
}

/// Returns the transform feedback varyings, by the query of GL 3.0.
fn varyings(thread: &Thread, program: u32, known: &Reflection) -> Interface {
    let count = u32::try_from(known.parameter(c::GL_TRANSFORM_FEEDBACK_VARYINGS).unwrap_or(0)).unwrap_or(0);
    let room = known.parameter(c::GL_TRANSFORM_FEEDBACK_VARYING_MAX_LENGTH).unwrap_or(0);
    let resources = (0..count).map(|index| {
        let variable = ask::varying(thread, program, index, room);
        Resource { name: variable.name, values: vec![variable.kind, variable.size], list: Vec::new() }
    });
    let resources = resources.collect();
    Interface { name: c::GL_TRANSFORM_FEEDBACK_VARYING, properties: vec![c::GL_TYPE, c::GL_ARRAY_SIZE], resources }
}
