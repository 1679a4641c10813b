//! The resources that the shaders can access: textures, images, buffers.

use std::collections::BTreeMap;

use api::constant as c;
use pipeline::{BufferId, BufferRange, ImageUnit, Target as SamplerTarget, TextureId};
use shader::qualifier::Storage;
use shader::types::{OpaqueKind, Type};
use shader::version::{Profile, Version};
use state::objects::buffer::{BufferRange as Bound, BufferRef};
use state::objects::texture::{ALL_TARGETS, Level, Target, Texture};
use state::reach::{Use, WorkKind, reach};
use state::{View, variable};
use texture::{Format, Image};

use crate::{Contents, Scene, pixels, sampling};

/// Reconstructs everything that the shaders can access.
pub fn fill(
    view: &View<'_>,
    work: WorkKind,
    (oldest, uniforms): (Option<Version>, &[(String, Vec<u32>)]),
    contents: &mut dyn Contents,
    scene: &mut Scene,
) {
    let mut uses = Vec::new();
    reach(view.context, view.group, work, &mut |used| uses.push(used));
    uses.extend(uniforms.iter().filter_map(|(name, words)| sampler_use(&scene.program, name, *words.first()?)));
    uses.extend(removed_samplers(&scene.program));
    uses.sort_unstable();
    uses.dedup();
    let mut filler = Filler { view, oldest, contents, scene, textures: BTreeMap::new(), buffers: BTreeMap::new() };
    for used in uses {
        match used {
            Use::Program { .. } => {}
            Use::Texture { unit, target } => filler.texture_unit(unit, target),
            Use::Image { unit } => filler.image_unit(unit),
            Use::UniformBuffer { binding } => filler.block(BlockKind::Uniform, binding),
            Use::StorageBuffer { binding } => filler.block(BlockKind::Storage, binding),
            Use::CounterBuffer { binding } => filler.block(BlockKind::Counter, binding),
            Use::Anything => {
                filler.scene.missing.push("the trace has no link results of the program".to_owned());
            }
        }
    }
}

/// The textures of all samplers that the shaders use. A driver removes a sampler that nothing depends on, so the recorded
/// program may not have it; a variant that records what it reads has it again, and it refers to unit 0.
fn removed_samplers(program: &pipeline::Program) -> Vec<Use> {
    let mut uses = Vec::new();
    for shader in program.shaders() {
        for row in shader.typed.variables.iter().filter(|row| row.qualifiers.storage == Storage::Uniform) {
            let name = shader.preprocessed.symbols.name(row.name);
            let Some(info) = program.uniform(name).filter(|info| info.active) else { continue };
            if matches!(info.ty, Type::Opaque(opaque) if opaque.kind == OpaqueKind::Sampler) {
                let units = program.uniform_value(name).unwrap_or_default();
                uses.extend(units.iter().filter_map(|unit| sampler_use(program, name, *unit)));
            }
        }
    }
    uses
}

/// The texture that a sampler of a stand-in shader reads; `None` for other uniforms.
fn sampler_use(program: &pipeline::Program, name: &str, unit: u32) -> Option<Use> {
    let Type::Opaque(opaque) = program.uniform(name)?.ty else { return None };
    let place = SamplerTarget::of(&opaque);
    let target = ALL_TARGETS.into_iter().find(|target| sampler_target(*target) == place)?;
    Some(Use::Texture { unit, target: target.name() })
}

#[derive(Clone, Copy)]
enum BlockKind {
    Uniform,
    Storage,
    Counter,
}

struct Filler<'a, 'v> {
    view: &'a View<'v>,
    oldest: Option<Version>,
    contents: &'a mut dyn Contents,
    scene: &'a mut Scene,
    /// By object; `None` for those that could not be read back.
    textures: BTreeMap<u64, Option<TextureId>>,
    buffers: BTreeMap<u64, Option<BufferId>>,
}

impl Filler<'_, '_> {
    fn texture_unit(&mut self, number: u32, target: u32) {
        let Some(target) = Target::named(target) else { return };
        let Some(unit) = self.view.context.units.units.get(number as usize) else { return };
        let bound = unit.textures[target as usize];
        let Some(texture) = self.view.group.texture(bound) else { return };
        let Some(id) = self.texture(bound.name, texture, target) else { return };
        let group = self.view.group;
        let own = group.samplers.get(&unit.sampler.name).filter(|_| unit.sampler.name != 0);
        let sampling = own.map_or(&texture.sampling, |sampler| &sampler.sampling);
        let facts = &self.view.context.facts;
        let seamless = facts.es(3, 0) || self.view.context.vars.get(variable::TEXTURE_CUBE_MAP_SEAMLESS) != 0.0;
        let bias = self.view.context.fixed.lod_bias.get(number as usize).copied().unwrap_or(0.0);
        let class = self.scene.state.textures[id.0 as usize].class();
        let sampler = sampling::sampler(sampling, class, bias, seamless, self.scene.quirks.filtering);
        self.scene.state.units.insert((number, sampler_target(target)), (id, sampler));
    }

    fn image_unit(&mut self, number: u32) {
        let Some(unit) = self.view.context.units.images.get(number as usize).copied() else { return };
        let Some(texture) = self.view.group.texture(unit.texture).filter(|_| unit.texture.name != 0) else { return };
        let Some(target) = texture.target else { return };
        let Some(id) = self.texture(unit.texture.name, texture, target) else { return };
        let Some(format) = Format::from_gl(unit.format) else {
            self.scene.missing.push(format!("image unit {number}: unknown format {:#06x}", unit.format));
            return;
        };
        let layer = (!unit.layered).then(|| unit.layer.max(0).cast_unsigned());
        let image = Image { level: unit.level.max(0).cast_unsigned(), layer, format };
        self.scene.state.images.insert(number, ImageUnit { texture: id, image });
    }

    fn texture(&mut self, name: u32, recorded: &Texture, target: Target) -> Option<TextureId> {
        if let Some(known) = self.textures.get(&recorded.object) {
            return *known;
        }
        let made = match (target, &recorded.buffer) {
            (Target::Buffer, Some(store)) => {
                let bytes = self.contents.buffer(store.name);
                bytes.and_then(|bytes| buffer_texture(recorded, &bytes))
            }
            (Target::Buffer, None) => Err("the texture has no buffer".to_owned()),
            _ => match self.contents.known(name) {
                Some(known) => Ok(known),
                None => {
                    let planes = self.contents.texture(name, target.name());
                    let made = planes.and_then(|planes| pixels::texture(recorded, target, &planes));
                    made.inspect(|made| self.contents.keep(name, made))
                }
            },
        };
        let id = match made {
            Ok(mut texture) => {
                if target != Target::Buffer {
                    [texture.base_level, texture.max_level] = levels(recorded);
                    texture.stencil = recorded.depth_stencil_mode == c::GL_STENCIL_INDEX;
                }
                let depth_mode = self.depth_mode(recorded);
                let is_depth = matches!(texture.format.base(), texture::Base::Depth | texture::Base::DepthStencil);
                texture.swizzle = sampling::swizzle(recorded.swizzle, depth_mode.filter(|_| is_depth));
                Some(self.scene.state.add_texture(texture))
            }
            // A texture without images is incomplete, and reads as GL defines; nothing is missing.
            Err(_) if recorded.levels.iter().all(Option::is_none) && target != Target::Buffer => None,
            Err(why) => {
                self.scene.missing.push(format!("texture {name}: {why}"));
                None
            }
        };
        self.textures.insert(recorded.object, id);
        id
    }

    /// Returns how the shaders read a depth; `None` as red. Only old shaders are affected by `GL_DEPTH_TEXTURE_MODE`: Mesa
    /// decides by the shader's version.
    fn depth_mode(&self, recorded: &Texture) -> Option<u32> {
        let version = self.oldest.filter(|version| version.number < 130)?;
        if version.profile != Profile::Es {
            return Some(recorded.depth_mode);
        }
        // OpenGL ES 2 has no such mode, and depths are luminances there (GL_OES_depth_texture). Formats with a size are
        // those of OpenGL ES 3.
        let has_size = |level: &Level| !matches!(level.internal, c::GL_DEPTH_COMPONENT | c::GL_DEPTH_STENCIL);
        (!recorded.levels.iter().flatten().any(has_size)).then_some(c::GL_LUMINANCE)
    }

    fn block(&mut self, kind: BlockKind, binding: u32) {
        let buffers = &self.view.context.buffers;
        let ranges = match kind {
            BlockKind::Uniform => &buffers.uniform,
            BlockKind::Storage => &buffers.storage,
            BlockKind::Counter => &buffers.atomic,
        };
        let Some(Bound { buffer, offset, size }) = ranges.get(binding as usize).copied() else { return };
        let Some(id) = self.buffer(buffer) else { return };
        let offset = u32::try_from(offset).unwrap_or(0);
        // A size of zero means the whole buffer (`glBindBufferBase`).
        let size = u32::try_from(size).ok().filter(|size| *size > 0);
        let range = BufferRange { buffer: id, offset, size };
        let state = &mut self.scene.state;
        match kind {
            BlockKind::Uniform => state.uniform_buffers.insert(binding, range),
            BlockKind::Storage => state.storage_buffers.insert(binding, range),
            BlockKind::Counter => state.counter_buffers.insert(binding, range),
        };
    }

    fn buffer(&mut self, buffer: BufferRef) -> Option<BufferId> {
        if buffer.is_none() {
            return None;
        }
        if let Some(known) = self.buffers.get(&buffer.object) {
            return *known;
        }
        let id = match self.contents.buffer(buffer.name) {
            Ok(bytes) => Some(self.scene.state.add_buffer(bytes)),
            Err(why) => {
                self.scene.missing.push(format!("buffer {}: {why}", buffer.name));
                None
            }
        };
        self.buffers.insert(buffer.object, id);
        id
    }
}

/// The first and the last level that sampling uses. For immutable storage and views they are clamped to the existing
/// levels (GL 4.6, 8.14.3).
fn levels(recorded: &Texture) -> [u32; 2] {
    let [base, max] = [recorded.base_level, recorded.max_level].map(|level| level.max(0).cast_unsigned());
    if !recorded.immutable {
        return [base, max];
    }
    let last = recorded.view.levels.max(1).cast_unsigned() - 1;
    let base = base.min(last);
    [base, max.clamp(base, last)]
}

fn buffer_texture(recorded: &Texture, bytes: &[u8]) -> Result<texture::Texture, String> {
    let name = recorded.buffer_format.unwrap_or(c::GL_R8);
    let format = Format::from_gl(name).ok_or_else(|| format!("unknown format {name:#06x}"))?;
    let store = recorded.buffer.as_ref().ok_or("the texture has no buffer")?;
    let start = usize::try_from(store.offset).unwrap_or(0).min(bytes.len());
    let size = store.size.and_then(|size| usize::try_from(size).ok()).unwrap_or(usize::MAX).min(bytes.len() - start);
    let width = (size / format.bytes()) as u32;
    let data = bytes[start..start + size].to_vec();
    let level = texture::Level { width, height: 1, depth: 1, data: data.into() };
    Ok(texture::Texture::new(texture::Dim::Buffer, format, vec![level]))
}

/// The texture that a sampler's value refers to.
#[must_use]
pub fn sampled<'v>(view: &View<'v>, handle: u32) -> Option<(&'v Texture, Target)> {
    let (unit, place) = SamplerTarget::of_handle(handle)?;
    let unit = view.context.units.units.get(unit as usize)?;
    let target = ALL_TARGETS.into_iter().find(|target| sampler_target(*target) == place)?;
    Some((view.group.texture(unit.textures[target as usize])?, target))
}

fn sampler_target(target: Target) -> SamplerTarget {
    match target {
        Target::OneD => SamplerTarget::D1,
        Target::TwoD => SamplerTarget::D2,
        Target::ThreeD => SamplerTarget::D3,
        Target::Cube => SamplerTarget::Cube,
        Target::Rectangle => SamplerTarget::Rect,
        Target::OneDArray => SamplerTarget::D1Array,
        Target::TwoDArray => SamplerTarget::D2Array,
        Target::CubeArray => SamplerTarget::CubeArray,
        Target::Buffer => SamplerTarget::Buffer,
        Target::Multisample => SamplerTarget::D2Multisample,
        Target::MultisampleArray => SamplerTarget::D2MultisampleArray,
        Target::External => SamplerTarget::External,
    }
}
