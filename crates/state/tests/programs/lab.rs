//! A model with one context, with helpers for calls and queries.

use api::reflection::answers::{AnswerValues, encode};
use api::reflection::{Interface, Reflection, Resource, Uniform};
use api::{CommandId, constant as c, id};
use state::{Answer, Context, Memory, ShareGroup, Values};
use testing::model::{CallMemory, Calls};

/// A model in which a context of GL 4.5 is current.
pub struct Lab {
    calls: Calls,
}

impl Lab {
    pub fn new() -> Lab {
        let mut calls = Calls::with_context(c::GL_CONTEXT_CORE_PROFILE_BIT);
        let limits = encode(&[(c::GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS, 0, AnswerValues::Integers(vec![96]))]);
        calls.reading(id::afiLimits, &[1, limits.len() as u64, 1], 2, &limits);
        calls.call(id::afiCurrent, &[1, 0, 0]);
        Lab { calls }
    }

    pub fn call(&mut self, command: CommandId, args: &[u64]) {
        self.calls.call(command, args);
    }

    pub fn returns(&mut self, command: CommandId, args: &[u64], result: u64) {
        self.calls.returning(command, args, result);
    }

    pub fn given(&mut self, command: CommandId, args: &[u64], param: u8, bytes: &[u8]) {
        self.calls.reading(command, args, param, bytes);
    }

    pub fn made(&mut self, command: CommandId, args: &[u64], param: u8, names: &[u32]) {
        let bytes: Vec<u8> = names.iter().flat_map(|name| name.to_le_bytes()).collect();
        self.calls.writing(command, args, param, &bytes);
    }

    pub fn told(&mut self, program: u64, reflection: &Reflection) {
        let bytes = reflection.encode();
        self.given(id::afiProgram, &[program, bytes.len() as u64, 1], 2, &bytes);
    }

    #[track_caller]
    pub fn refused(&mut self, command: CommandId, args: &[u64], error: u32) {
        assert_eq!(self.error(), 0, "before");
        self.call(command, args);
        assert_eq!(self.error(), error);
    }

    /// Returns and clears the pending error.
    pub fn error(&mut self) -> u32 {
        self.calls.error()
    }

    #[track_caller]
    fn answer(&self, command: CommandId, args: &[u64], memory: &dyn Memory) -> Answer {
        self.calls.model.view(0).unwrap().answer_with(command, args, memory).unwrap().unwrap()
    }

    /// Returns the numbers that a query writes or returns.
    #[track_caller]
    pub fn numbers(&self, command: CommandId, args: &[u64]) -> Vec<f64> {
        match self.answer(command, args, &CallMemory::default()).values {
            Values::Numbers(numbers) => numbers,
            other => panic!("{other:?}"),
        }
    }

    /// Returns the numbers of a query with input memory.
    #[track_caller]
    pub fn numbers_of(&self, command: CommandId, args: &[u64], param: u8, bytes: &[u8]) -> Vec<f64> {
        match self.answer(command, args, &CallMemory::reading(param, bytes)).values {
            Values::Numbers(numbers) => numbers,
            other => panic!("{other:?}"),
        }
    }

    #[track_caller]
    pub fn text(&self, command: CommandId, args: &[u64], param: u8) -> String {
        let Values::Outputs(parts) = self.answer(command, args, &CallMemory::default()).values else { panic!() };
        match &parts.iter().find(|part| part.0 == param).unwrap().1.values {
            Values::Text(text) => text.clone(),
            other => panic!("{other:?}"),
        }
    }

    pub fn is_unknown(&self, command: CommandId, args: &[u64]) -> bool {
        matches!(self.answer(command, args, &CallMemory::default()).values, Values::Unknown(_))
    }

    pub fn parts(&self) -> (&Context, &ShareGroup) {
        let view = self.calls.model.view(0).unwrap();
        (view.context, view.group)
    }
}

/// Returns a uniform of this name, type, number of elements and location.
pub fn uniform(name: &str, kind: u32, size: i32, location: i32) -> Resource {
    Resource { name: name.into(), values: vec![kind.cast_signed(), size, location], list: Vec::new() }
}

/// Returns what a driver might report about a program.
pub fn reflection() -> Reflection {
    let block = |name: u32, binding: i32| Interface {
        name,
        properties: vec![c::GL_BUFFER_BINDING],
        resources: vec![Resource { name: b"Block".to_vec(), values: vec![binding], list: Vec::new() }],
    };
    Reflection {
        whole: true,
        parameters: vec![(c::GL_LINK_STATUS, vec![1])],
        stages: vec![(c::GL_VERTEX_SHADER, c::GL_SHADER_TYPE, 1), (c::GL_FRAGMENT_SHADER, c::GL_SHADER_TYPE, 1)],
        interfaces: vec![
            Interface {
                name: c::GL_UNIFORM,
                properties: vec![c::GL_TYPE, c::GL_ARRAY_SIZE, c::GL_LOCATION],
                resources: vec![
                    uniform("colour", c::GL_FLOAT_VEC4, 1, 0),
                    uniform("flags[0]", c::GL_BOOL, 3, 1),
                    uniform("odd", c::GL_FLOAT_MAT2x3, 1, 4),
                    uniform("picture", c::GL_SAMPLER_2D, 1, 5),
                ],
            },
            block(c::GL_UNIFORM_BLOCK, 0),
            block(c::GL_SHADER_STORAGE_BLOCK, 2),
        ],
        values: vec![Uniform { location: 0, bytes: 1.0_f32.to_le_bytes().to_vec() }],
        ..Reflection::default()
    }
}
