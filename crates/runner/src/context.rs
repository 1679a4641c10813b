//! What commands change: GL's state and what `shader_runner` keeps beside it.

use std::collections::BTreeMap;

use pipeline::{Array, ArrayKind, ArrayType, Attribute, BufferId, BufferRange, Program, State, TextureId};
use shader::types::{OpaqueKind, Type};
use shader::version::Stage;
use shader_test::ShaderTest;
use shader_test::command::Target as TextureTarget;
use shader_test::vertex::{Arrives, Storage, VertexData, vertex_data};
use texture::Sampler;

use crate::blocks::{self, BlockBuffers, Blocks};
use crate::compile::Api;
use crate::target::{Targets, window};
use crate::{Options, Stop};

/// Everything between two commands.
pub(crate) struct Context {
    pub state: State,
    pub program: Program,
    pub targets: Targets,
    pub window: [u32; 2],
    pub blocks: Blocks,
    pub block_buffers: BlockBuffers,
    pub clear_color: Option<[f32; 4]>,
    pub clear_depth: Option<f32>,
    pub depth_function: raster::state::Compare,
    pub tolerance: [f32; 4],
    /// Textures by unit, with the target they were made for.
    pub units: BTreeMap<u32, (TextureTarget, TextureId)>,
    /// Shadow look-ups give one number, as from GLSL 1.30 on, not four.
    pub shadow_numbers: bool,
    pub api: Api,
    /// The unit used last, which `texparameter` means.
    pub active_unit: u32,
    /// Handles of resident textures and images, by unit.
    pub handles: BTreeMap<u32, u32>,
    /// Buffers of commands, by their binding.
    pub storage: BTreeMap<u32, BufferId>,
    pub counters: BTreeMap<u32, BufferId>,
    pub feedback: BTreeMap<u32, BufferId>,
    /// Rows of `[vertex data]`.
    pub rows: Option<u32>,
    /// Results of the last draw into transform feedback.
    pub generated: Option<u64>,
    pub written: Option<u64>,
    pub whole_image: bool,
    /// Fragment shaders write elsewhere than to the framebuffer.
    pub effects: bool,
}

impl Context {
    pub(crate) fn new(test: &ShaderTest, mut program: Program, api: Api, options: &Options) -> Result<Context, Stop> {
        let size = test.require.size.unwrap_or([250, 250]).map(|n| n.clamp(1, 4096));
        let mut state = State::new(window(size[0], size[1]));
        state.budget = options.budget;
        // The tests count on numbers too small to be normal becoming zero, as they do on most hardware.
        state.flush_denormals = true;
        // Old GL clamps the colours of vertices unless it is told not to (GL 3.0, 2.19.6).
        state.clamp_vertex_colors = api == Api::Compatibility;
        let effects = has_effects(&program);
        let shadow_numbers = program.shaders().iter().all(|shader| shader.preprocessed.version.number >= 130);
        let block_buffers = blocks::make(&mut program, &mut state);
        let mut context = Context {
            state,
            program,
            targets: Targets::new(),
            window: size,
            blocks: Blocks::default(),
            block_buffers,
            clear_color: None,
            clear_depth: None,
            depth_function: raster::state::Compare::Less,
            tolerance: [0.01; 4],
            units: BTreeMap::new(),
            active_unit: 0,
            shadow_numbers,
            api,
            handles: BTreeMap::new(),
            storage: BTreeMap::new(),
            counters: BTreeMap::new(),
            feedback: BTreeMap::new(),
            rows: None,
            generated: None,
            written: None,
            whole_image: options.whole_image,
            effects,
        };
        if let Some(text) = &test.vertex_data {
            let Some(data) = vertex_data(text) else {
                return Err(Stop::unsupported("[vertex data] that says nothing sensible"));
            };
            context.vertex_data(&data)?;
        }
        Ok(context)
    }

    fn vertex_data(&mut self, data: &VertexData) -> Result<(), Stop> {
        let buffer = self.state.add_buffer(data.bytes.clone());
        for column in &data.columns {
            let location = match column.name.parse::<u32>() {
                Ok(location) => location,
                Err(_) => match location(&self.program, &column.name) {
                    Some(location) => location,
                    None => {
                        let what = format!("attribute `{}`", column.name);
                        return Err(Stop::fail(what, "an attribute", "none of that name"));
                    }
                },
            };
            let array = Array {
                buffer,
                offset: column.offset as usize,
                stride: data.stride as usize,
                components: column.components as u8,
                ty: array_type(column.storage),
                kind: match column.arrives {
                    Arrives::Float => ArrayKind::Float,
                    Arrives::Integer => ArrayKind::Integer,
                    Arrives::Double => ArrayKind::Long,
                },
                bgra: false,
                divisor: 0,
            };
            self.state.arrays.enabled.insert(Attribute::Generic(location + column.location), array);
        }
        self.rows = Some(data.rows);
        Ok(())
    }

    /// A buffer of zeros.
    pub(crate) fn zeros(&mut self, bytes: u32) -> (BufferId, BufferRange) {
        let buffer = self.state.add_buffer(vec![0; bytes.min(1 << 28) as usize]);
        (buffer, BufferRange { buffer, offset: 0, size: None })
    }

    /// Writes to a buffer of a command, as far as it goes.
    pub(crate) fn write(&mut self, buffer: Option<BufferId>, offset: u32, bytes: &[u8]) -> Result<(), Stop> {
        let buffer = buffer.and_then(|id| self.state.buffers.get_mut(id.0 as usize));
        let place = buffer.and_then(|b| b.get_mut(offset as usize..)?.get_mut(..bytes.len()));
        let Some(place) = place else { return Err(Stop::fail("the buffer", "room for a value", "its end")) };
        place.copy_from_slice(bytes);
        Ok(())
    }

    /// Puts a texture on a unit.
    pub(crate) fn bind_texture(&mut self, unit: u32, bound: crate::image::Bound) {
        let id = self.state.add_texture(bound.texture);
        self.state.units.insert((unit, target(bound.target)), (id, bound.sampler));
        self.units.insert(unit, (bound.target, id));
        self.active_unit = unit;
    }

    /// The texture a unit got last.
    pub(crate) fn texture(&self, unit: u32) -> Result<TextureId, Stop> {
        let found = self.units.get(&unit).map(|(_, id)| *id);
        found.ok_or_else(|| Stop::fail(format!("texture unit {unit}"), "a texture", "none"))
    }

    /// The handle of what is resident on a unit; zero if nothing is.
    pub(crate) fn handle(&self, unit: u32) -> u32 {
        self.handles.get(&unit).copied().unwrap_or(0)
    }

    /// The sampler state of what is bound to the active unit.
    pub(crate) fn sampler(&mut self, target: TextureTarget) -> Option<(TextureId, &mut Sampler)> {
        let (id, sampler) = self.state.units.get_mut(&(self.active_unit, self::target(target)))?;
        Some((*id, sampler))
    }
}

/// Whether a fragment shader can write to buffers or images.
fn has_effects(program: &Program) -> bool {
    let fragment = Stage::Fragment.bit();
    let linked = program.linked();
    let storage = linked.blocks.iter().any(|block| block.buffer && block.stages & fragment != 0);
    let opaque = linked.uniforms.iter().filter(|uniform| uniform.stages & fragment != 0).any(|uniform| {
        uniform.declared.iter().any(|at| {
            let typed = &program.shaders()[at.shader].typed;
            let mut ty = typed.variable(at.variable).ty;
            while let Some(array) = typed.types.as_array(ty) {
                ty = array.element;
            }
            matches!(ty, Type::Opaque(opaque) if opaque.kind != OpaqueKind::Sampler)
        })
    });
    storage || opaque
}

/// The location of an attribute, or of an element of one that is an array.
fn location(program: &Program, name: &str) -> Option<u32> {
    if let Some(location) = program.attribute(name) {
        return Some(location);
    }
    let (base, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    let index: u32 = index.parse().ok()?;
    let input = program.linked().inputs.iter().find(|input| input.name == base)?;
    let shader = &program.shaders()[input.declared.shader];
    let types = &shader.typed.types;
    let array = types.as_array(shader.typed.variable(input.declared.variable).ty)?;
    Some(program.attribute(base)? + index * shader::layout::locations(types, array.element, true)?)
}

/// The pipeline's name for a kind of texture.
pub(crate) fn target(target: TextureTarget) -> pipeline::Target {
    match target {
        TextureTarget::D1 => pipeline::Target::D1,
        TextureTarget::D2 => pipeline::Target::D2,
        TextureTarget::D3 => pipeline::Target::D3,
        TextureTarget::Rectangle => pipeline::Target::Rect,
        TextureTarget::Cube => pipeline::Target::Cube,
        TextureTarget::D1Array => pipeline::Target::D1Array,
        TextureTarget::D2Array => pipeline::Target::D2Array,
        TextureTarget::CubeArray => pipeline::Target::CubeArray,
    }
}

fn array_type(storage: Storage) -> ArrayType {
    match storage {
        Storage::Byte => ArrayType::Byte,
        Storage::Ubyte => ArrayType::UnsignedByte,
        Storage::Short => ArrayType::Short,
        Storage::Ushort => ArrayType::UnsignedShort,
        Storage::Int => ArrayType::Int,
        Storage::Uint => ArrayType::UnsignedInt,
        Storage::Half => ArrayType::HalfFloat,
        Storage::Float => ArrayType::Float,
        Storage::Double => ArrayType::Double,
    }
}
