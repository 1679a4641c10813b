//! The shaders of a stage, with the registers of their variables.

use std::sync::Arc;

use emulator::glsl;
use emulator::ir::{self, Pointer, Registers};
use shader::Shader;
use shader::link::Declared;
use shader::typed::{StageLayout, VarId};
use shader::types::{Type, TypeTable};

/// A shader of a stage.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    /// Its index among the program's shaders.
    pub unit: usize,
    /// Its index among the stage's shaders.
    pub number: usize,
    pub shader: &'a Shader,
    pub types: &'a TypeTable,
    variables: &'a [ir::Variable],
    variable_types: &'a [Type],
}

impl<'a> View<'a> {
    /// All shaders of a stage.
    pub fn all(
        shaders: &'a [Arc<Shader>],
        units: &[usize],
        program: &'a ir::Program,
        types: &'a [glsl::Unit],
    ) -> Vec<View<'a>> {
        let view = |(number, &unit): (usize, &usize)| {
            let (shader, row) = (shaders.get(unit)?, types.get(number)?);
            let variables = program.unit_variables(number);
            Some(View { unit, number, shader, types: &row.types, variables, variable_types: &row.variable_types })
        };
        units.iter().enumerate().filter_map(view).collect()
    }

    /// The registers of a variable.
    pub fn home(&self, id: VarId) -> Option<Registers> {
        self.variables.get(id.0 as usize)?.registers()
    }

    /// The address of a variable in memory.
    pub fn pointer(&self, id: VarId) -> Option<Pointer> {
        self.variables.get(id.0 as usize)?.pointer()
    }

    /// The type of a variable, with array sizes as in the stage.
    pub fn ty(&self, id: VarId) -> Type {
        self.variable_types.get(id.0 as usize).copied().unwrap_or(Type::Error)
    }

    /// The linker's id of a variable.
    pub fn declared(&self, variable: VarId) -> Declared {
        Declared { shader: self.unit, variable }
    }

    pub fn name(&self, symbol: shader::symbol::Symbol) -> &'a str {
        self.shader.preprocessed.symbols.name(symbol)
    }
}

/// The combined layouts of all shaders of a stage; the linker has checked that they agree.
pub(super) fn layout(views: &[View<'_>]) -> StageLayout {
    let mut all = views.first().map(|v| v.shader.typed.stage.clone()).unwrap_or_default();
    for other in views.iter().skip(1).map(|v| &v.shader.typed.stage) {
        all.input_primitive = all.input_primitive.or(other.input_primitive);
        all.output_primitive = all.output_primitive.or(other.output_primitive);
        all.max_vertices = all.max_vertices.or(other.max_vertices);
        all.invocations = all.invocations.or(other.invocations);
        all.vertices = all.vertices.or(other.vertices);
        all.spacing = all.spacing.or(other.spacing);
        all.vertex_order = all.vertex_order.or(other.vertex_order);
        all.point_mode |= other.point_mode;
        all.variable_local_size |= other.variable_local_size;
        all.viewport_relative = all.viewport_relative.or(other.viewport_relative);
        all.derivative_group = all.derivative_group.or(other.derivative_group);
        all.early_fragment_tests |= other.early_fragment_tests;
        all.origin_upper_left |= other.origin_upper_left;
        all.pixel_center_integer |= other.pixel_center_integer;
        for (size, of) in all.local_size.iter_mut().zip(other.local_size) {
            *size = size.or(of);
        }
    }
    all
}
