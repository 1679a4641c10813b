//! What a shader finds around it: buffers of its blocks, textures that were named.

use anyhow::bail;
use emulator::Host;
use emulator::host::Space;
use emulator::ir::{Dim, Home, Opaque, OpaqueKind, Program, Register, Role, Type, TypeId};
use shader::Shader;
use shader::types::TypeTable;
use texture::{Filter, Image, MipFilter, Sampler, Texture};

use super::buffer::Buffer;
use super::{buffer, picture};

/// A sampler or image variable, or an element of an array of them.
pub struct Unit {
    /// Its name, with an index.
    pub name: String,
    pub register: Register,
    opaque: Opaque,
    format: Option<texture::Format>,
    texture: Option<Texture>,
}

/// The world around the waves.
pub struct World {
    pub buffers: Vec<Buffer>,
    /// By the value their variables have.
    pub units: Vec<Unit>,
    pub shared: Vec<u8>,
    pub patch: Vec<u8>,
    counters: Vec<Vec<u8>>,
    sampler: Sampler,
    /// Vertices that were emitted: lane, stream, the words of the outputs asked for.
    pub emitted: Vec<(usize, u32, Vec<u32>)>,
    /// Registers whose words an emitted vertex has.
    pub outputs: Vec<Register>,
}

impl World {
    /// Zeros in all buffers, and the textures of `--texture`.
    pub fn new(shader: &Shader, program: &Program, types: &TypeTable, textures: &[String]) -> anyhow::Result<World> {
        let mut world = World {
            buffers: buffer::all(shader, program, types)?,
            units: units(shader, program),
            shared: vec![0; program.workgroup_bytes as usize],
            patch: vec![0; program.patch_bytes as usize],
            counters: Vec::new(),
            // A file has one level, which is all there is to sample.
            sampler: Sampler { min_filter: Filter::Linear, mip_filter: MipFilter::None, ..Sampler::default() },
            emitted: Vec::new(),
            outputs: Vec::new(),
        };
        for text in textures {
            let Some((name, file)) = text.split_once('=') else { bail!("--texture takes NAME=FILE, not {text:?}") };
            let Some(unit) = world.units.iter_mut().find(|unit| unit.name == name.trim()) else {
                bail!("the shader has no sampler or image {name}, or never uses it");
            };
            if !matches!(unit.opaque.dim, Dim::D2 | Dim::Rect) || unit.opaque.array || unit.opaque.multisample {
                bail!("{name} is not two-dimensional; only two-dimensional textures can be given a file");
            }
            unit.texture = Some(picture::read(file.trim(), unit.opaque.texel, unit.format, unit.opaque.dim)?);
        }
        Ok(world)
    }

    /// Writes textures to the files of `--save`.
    pub fn save(&self, texts: &[String]) -> anyhow::Result<()> {
        for text in texts {
            let Some((name, file)) = text.split_once('=') else { bail!("--save takes NAME=FILE, not {text:?}") };
            let unit = self.units.iter().find(|unit| unit.name == name.trim());
            let Some(texture) = unit.and_then(|unit| unit.texture.as_ref()) else {
                bail!("there is no texture {name}; bind one with --texture");
            };
            picture::save(file.trim(), texture)?;
        }
        Ok(())
    }

    /// Gives a member of a block its value; false if there is none of that name.
    pub fn set(&mut self, shader: &Shader, types: &TypeTable, name: &str, given: &str) -> anyhow::Result<bool> {
        for buffer in &mut self.buffers {
            if buffer.set(shader, types, name, given)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Host for World {
    fn buffer(&mut self, space: Space, slot: u32) -> &mut [u8] {
        match space {
            Space::Workgroup => &mut self.shared,
            Space::Private | Space::Generic => &mut [],
            Space::Patch => &mut self.patch,
            Space::Counter => {
                let slot = slot as usize;
                if slot >= 64 {
                    return &mut [];
                }
                if self.counters.len() <= slot {
                    self.counters.resize(slot + 1, vec![0; 4096]);
                }
                &mut self.counters[slot]
            }
            Space::Uniform | Space::Storage => {
                let found = self.buffers.iter_mut().find(|b| (b.space, b.slot) == (space, slot));
                found.map_or(&mut [], |buffer| &mut buffer.bytes)
            }
        }
    }

    fn texture(&self, handle: u32) -> Option<(&Texture, &Sampler)> {
        Some((self.units.get(handle as usize)?.texture.as_ref()?, &self.sampler))
    }

    fn image(&mut self, handle: u32) -> Option<(&mut Texture, Image)> {
        let texture = self.units.get_mut(handle as usize)?.texture.as_mut()?;
        let format = texture.format;
        Some((texture, Image { level: 0, layer: None, format }))
    }

    fn emit(&mut self, lane: usize, stream: u32, output: &dyn Fn(Register) -> u32) {
        let words = self.outputs.iter().map(|&register| output(register)).collect();
        self.emitted.push((lane, stream, words));
    }
}

/// Sampler and image variables in order of declaration; a variable's value is its place here.
fn units(shader: &Shader, program: &Program) -> Vec<Unit> {
    let mut all = Vec::new();
    for (row, variable) in shader.typed.variables.iter().zip(program.unit_variables(0)) {
        let (Role::Uniform, Home::Registers(home)) = (variable.role, variable.home) else { continue };
        let format = row.qualifiers.layout.format.and_then(|index| {
            let listed = shader::builtin::image_formats().get(usize::from(index))?;
            picture::format(shader.preprocessed.symbols.name(listed.name))
        });
        collect(program, variable.ty, &variable.name, &mut home.iter(), format, &mut all);
    }
    all
}

fn collect(
    program: &Program,
    ty: TypeId,
    name: &str,
    registers: &mut impl Iterator<Item = Register>,
    format: Option<texture::Format>,
    all: &mut Vec<Unit>,
) {
    match *program.types.get(ty) {
        Type::Opaque(opaque) if opaque.kind != OpaqueKind::Counter => {
            if let Some(register) = registers.next() {
                all.push(Unit { name: name.to_owned(), register, opaque, format, texture: None });
            }
        }
        Type::Array { element, size } => {
            for i in 0..size.unwrap_or(0) {
                collect(program, element, &format!("{name}[{i}]"), registers, format, all);
            }
        }
        _ => {
            let words = program.types.words(ty).unwrap_or(0);
            registers.take(words as usize).for_each(|_| {});
        }
    }
}
