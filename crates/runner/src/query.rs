//! Queries about the program and the counters of draws.

use shader::types::{Scalar, Type};
use shader_test::command::{Answer, Query};

use crate::context::Context;
use crate::{Failure, Stop, blocks};

/// Executes a query; returns the failure if the answer differs.
pub(crate) fn ask(context: &Context, query: &Query) -> Result<Option<Failure>, Stop> {
    let (what, expected, found) = match query {
        Query::Uniform(name, property, answer) => (format!("`{name}`"), answer, uniform(context, name, property)?),
        Query::Object(target, count) => {
            let found = match target.as_str() {
                "PRIMITIVES_GENERATED" => context.generated,
                "TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN" => context.written,
                _ => return Err(Stop::unsupported(format!("verify query_object GL_{target}"))),
            };
            let found = found.map(|n| Answer::Number(n as i64));
            (format!("GL_{target}"), &Answer::Number(i64::from(*count)), found)
        }
        Query::Program(property, _) => return Err(Stop::unsupported(format!("verify program_query GL_{property}"))),
        Query::Resource(interface, name, property, answer) => {
            (format!("`{name}`"), answer, resource(context, interface, name, property)?)
        }
    };
    let text = |answer: &Answer| match answer {
        Answer::Number(n) => n.to_string(),
        Answer::Name(name) => format!("GL_{name}"),
    };
    if found.as_ref() == Some(expected) {
        return Ok(None);
    }
    let found = found.as_ref().map_or_else(|| "nothing".to_owned(), text);
    Ok(Some(Failure { line: 0, what, expected: text(expected), found }))
}

/// `glGetActiveUniformsiv` of a member of a uniform block.
fn uniform(context: &Context, name: &str, property: &str) -> Result<Option<Answer>, Stop> {
    let program = &context.program;
    for block in program.linked().blocks.iter().filter(|block| !block.buffer) {
        let Some((member, offset)) = blocks::find(program, block, name) else { continue };
        let Some(&(shader, _)) = block.declared.first() else { continue };
        let array = program.shaders()[shader].typed.types.as_array(member.ty);
        let number = |n: u32| Some(Answer::Number(i64::from(n)));
        return Ok(match property {
            "UNIFORM_TYPE" => type_name(array.map_or(member.ty, |a| a.element)).map(Answer::Name),
            "UNIFORM_SIZE" => number(array.map_or(1, |a| a.size.unwrap_or(0))),
            "UNIFORM_NAME_LENGTH" => number(name.len() as u32),
            "UNIFORM_OFFSET" => number(offset),
            "UNIFORM_ARRAY_STRIDE" => number(member.array_stride),
            "UNIFORM_MATRIX_STRIDE" => number(member.matrix_stride),
            "UNIFORM_IS_ROW_MAJOR" => number(u32::from(member.row_major)),
            _ => return Err(Stop::unsupported(format!("active uniform GL_{property}"))),
        });
    }
    Ok(None)
}

/// `glGetProgramResourceiv` of a block, or of an input or output of the program.
fn resource(context: &Context, interface: &str, name: &str, property: &str) -> Result<Option<Answer>, Stop> {
    let linked = context.program.linked();
    let base = name.split('[').next().unwrap_or_default();
    let found = match interface {
        "SHADER_STORAGE_BLOCK" | "UNIFORM_BLOCK" => {
            let storage = interface == "SHADER_STORAGE_BLOCK";
            let block = linked.blocks.iter().find(|block| block.buffer == storage && block.name == base);
            let layout = block.and_then(|block| block.layout.as_ref());
            match property {
                "BUFFER_DATA_SIZE" => layout.map(|layout| layout.size),
                "NUM_ACTIVE_VARIABLES" => layout.map(|layout| layout.members.len() as u32),
                _ => return Err(Stop::unsupported(format!("verify program_interface_query GL_{property}"))),
            }
        }
        "PROGRAM_INPUT" | "PROGRAM_OUTPUT" => {
            let rows = if interface == "PROGRAM_INPUT" { &linked.inputs } else { &linked.outputs };
            let row = rows.iter().find(|row| row.name == base);
            match property {
                "LOCATION" => row.and_then(|row| row.location),
                "LOCATION_COMPONENT" => row.map(|row| row.component),
                "LOCATION_INDEX" => row.map(|row| row.index),
                _ => return Err(Stop::unsupported(format!("verify program_interface_query GL_{property}"))),
            }
        }
        _ => return Err(Stop::unsupported(format!("verify program_interface_query GL_{interface}"))),
    };
    Ok(found.map(|n| Answer::Number(i64::from(n))))
}

/// GL's name of a type without opaque members.
fn type_name(ty: Type) -> Option<String> {
    let scalar = match ty.scalar()? {
        Scalar::Bool => "BOOL",
        Scalar::Int => "INT",
        Scalar::Uint => "UNSIGNED_INT",
        Scalar::Float => "FLOAT",
        Scalar::Double => "DOUBLE",
        Scalar::Int64 => "INT64_ARB",
        Scalar::Uint64 => "UNSIGNED_INT64_ARB",
    };
    Some(match ty {
        Type::Vector(_, size) => format!("{scalar}_VEC{size}"),
        Type::Matrix(_, columns, rows) if columns == rows => format!("{scalar}_MAT{columns}"),
        Type::Matrix(_, columns, rows) => format!("{scalar}_MAT{columns}x{rows}"),
        _ => scalar.to_owned(),
    })
}
