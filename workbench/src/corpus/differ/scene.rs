//! The environment of a fragment shader: a vertex shader, values for inputs and uniforms, targets for outputs.

use std::fmt::Write as _;
use std::sync::Arc;

use driver::{Api, Channel, Image, Output, Shape};
use emulator::ir::{Program, Register, Registers};
use lab::surround::{TILE, VertexShader, Word};
use shader::Shader;
use shader::preprocess::Behaviour;
use shader::qualifier::{Interpolation, Storage};
use shader::typed::{VarId, Variable, VariableKind};
use shader::types::{Scalar, Type};
use shader::version::{Options, Profile, Stage, Version};
use testing::random::SplitMix;
use texture::{Sampler, Texture};

use super::sampled;
use super::subject::Subject;
use super::values::{Leaf, Range};

/// A built-in input of a fragment shader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BuiltinInput {
    FragCoord,
    FrontFacing,
    PrimitiveId,
    HelperInvocation,
    /// Always zero here: one layer, one viewport, one sample.
    Zero,
    SamplePosition,
    SampleMaskIn,
    DepthRange,
}

/// A fragment shader with its environment.
pub struct Scene {
    pub api: Api,
    pub vertex: String,
    pub fragment: Vec<String>,
    pub shader: Shader,
    pub program: Arc<Program>,
    pub leaves: Vec<Leaf>,
    /// The registers of each leaf.
    pub homes: Vec<Registers>,
    /// Inputs by register.
    pub words: Vec<(Register, Word)>,
    pub builtins: Vec<(Registers, BuiltinInput)>,
    /// Textures of samplers, and the register of each sampler's index.
    pub images: Vec<Image>,
    pub textures: Vec<(Texture, Sampler)>,
    pub samplers: Vec<Register>,
    pub outputs: Vec<Output>,
    /// The registers of each output.
    pub results: Vec<Registers>,
}

impl Scene {
    /// Compiles and lowers the shader.
    ///
    /// # Errors
    /// When it cannot be run, with a reason that can be counted.
    pub fn new(subject: &Subject) -> Result<Scene, String> {
        if subject.name.contains("textureQueryL") && subject.name.contains("Cube") {
            // Implementations may approximate it, each in its own way (GL 4.6, 8.14.1).
            return Err("specification: the level of detail of cube maps is not exact".to_owned());
        }
        let mut options = Options::new(Stage::Fragment);
        if subject.api == Api::Es {
            options.default_version = Version { number: 100, profile: Profile::Es };
        }
        let shader = shader::analyze(&subject.strings, &options);
        if shader.has_errors() {
            return Err("errors".to_owned());
        }
        let program = emulator::glsl::lower(&shader).map_err(|refusal| format!("emulator: {}", refusal.what))?;
        let program = Arc::new(program.bulk());
        let mut scene = Scene {
            api: subject.api,
            vertex: String::new(),
            fragment: subject.strings.clone(),
            leaves: Vec::new(),
            homes: Vec::new(),
            words: Vec::new(),
            builtins: Vec::new(),
            images: Vec::new(),
            textures: Vec::new(),
            samplers: Vec::new(),
            outputs: Vec::new(),
            results: Vec::new(),
            shader,
            program,
        };
        scene.interface(subject)?;
        Ok(scene)
    }

    fn interface(&mut self, subject: &Subject) -> Result<(), String> {
        let mut vertex = VertexShader::new(self.shader.preprocessed.version);
        for change in &self.shader.preprocessed.extensions {
            let name = self.shader.preprocessed.symbols.name(change.name);
            if matches!(change.behaviour, Behaviour::Require | Behaviour::Enable) && name != "all" {
                vertex.enable(name);
            }
        }
        for index in 0..self.shader.typed.variables.len() {
            let row = self.program.variable(emulator::glsl::variable(VarId(index as u32)));
            if row.pointer().is_some() {
                return Err("scene: blocks in memory".to_owned());
            }
            let Some(home) = row.registers() else { continue };
            let variable = self.shader.typed.variables[index].clone();
            if matches!(variable.kind, VariableKind::Local | VariableKind::Parameter(..)) {
                continue;
            }
            let name = self.shader.preprocessed.symbols.name(variable.name).to_owned();
            match (variable.qualifiers.storage, variable.kind) {
                (Storage::In, VariableKind::Global) => self.input(&variable, &name, home, &mut vertex)?,
                (Storage::In, VariableKind::Builtin) => self.builtin_input(&variable, &name, home, &mut vertex)?,
                (Storage::Uniform, VariableKind::Global) => {
                    self.uniform(variable.ty, name, home, subject)?;
                }
                (Storage::Uniform, VariableKind::Builtin) if name == "gl_DepthRange" => {
                    self.builtins.push((home, BuiltinInput::DepthRange));
                }
                (Storage::Out, VariableKind::Global | VariableKind::Builtin) => self.output(&variable, &name, home)?,
                (Storage::In | Storage::Uniform | Storage::InOut | Storage::Buffer | Storage::Out, kind) => {
                    return Err(match kind {
                        VariableKind::Builtin => format!("scene: {name}"),
                        VariableKind::Member(..) | VariableKind::Instance(_) => "scene: interface blocks".to_owned(),
                        _ => "scene: framebuffer fetch and buffers".to_owned(),
                    });
                }
                (Storage::Plain | Storage::Const | Storage::Shared, _) => {}
            }
        }
        if self.outputs.is_empty() {
            return Err("scene: no colour output".to_owned());
        }
        if vertex.is_tiled() {
            let shape = Shape { columns: 1, rows: 1 };
            self.leaves.push(Leaf { name: TILE.to_owned(), channel: Channel::Float, shape, range: Range::Tile });
            self.homes.push(Registers { start: Register(0), len: 0 });
        }
        self.vertex = vertex.text();
        Ok(())
    }

    fn input(
        &mut self,
        variable: &Variable,
        name: &str,
        home: Registers,
        vertex: &mut VertexShader,
    ) -> Result<(), String> {
        let types = &self.shader.typed.types;
        let mut leaf = variable.ty;
        while let Some(array) = types.as_array(leaf) {
            leaf = array.element;
        }
        let scalar = leaf.scalar().ok_or("scene: inputs of structure type")?;
        let flat = variable.qualifiers.interpolation == Some(Interpolation::Flat) || scalar != Scalar::Float;
        let channel = match scalar {
            Scalar::Float => Channel::Float,
            Scalar::Int => Channel::Int,
            Scalar::Uint => Channel::Uint,
            _ => return Err("scene: inputs of 64 bits".to_owned()),
        };
        let type_name = self.shader.type_name(leaf);
        let mut brackets = String::new();
        let mut ty = variable.ty;
        while let Some(array) = types.as_array(ty) {
            let _ = write!(brackets, "[{}]", array.size.unwrap_or(1));
            ty = array.element;
        }
        vertex.declare(variable, &type_name, name, &brackets, flat);
        let mut paths = Vec::new();
        elements(types, variable.ty, name.to_owned(), &mut paths);
        let mut registers = home.iter();
        for path in paths {
            let words: Vec<Word> =
                (0..leaf.components()).map(|i| word(&format!("{path}.{i}"), channel, flat)).collect();
            vertex.assign(&path, &type_name, &words);
            self.words.extend(registers.by_ref().zip(words));
        }
        Ok(())
    }

    fn builtin_input(
        &mut self,
        variable: &Variable,
        name: &str,
        home: Registers,
        vertex: &mut VertexShader,
    ) -> Result<(), String> {
        let place = match name {
            "gl_FragCoord" => BuiltinInput::FragCoord,
            "gl_FrontFacing" => BuiltinInput::FrontFacing,
            "gl_PrimitiveID" => BuiltinInput::PrimitiveId,
            "gl_HelperInvocation" => BuiltinInput::HelperInvocation,
            "gl_Layer" | "gl_ViewportIndex" | "gl_SampleID" => BuiltinInput::Zero,
            "gl_SamplePosition" => BuiltinInput::SamplePosition,
            "gl_SampleMaskIn" => BuiltinInput::SampleMaskIn,
            "gl_Color" | "gl_SecondaryColor" | "gl_TexCoord" | "gl_FogFragCoord" => {
                let types = &self.shader.typed.types;
                let (leaf, count) = match types.as_array(variable.ty) {
                    Some(array) => (array.element, array.size.unwrap_or(1)),
                    None => (variable.ty, 0),
                };
                let out = match name {
                    "gl_Color" => "gl_FrontColor",
                    "gl_SecondaryColor" => "gl_FrontSecondaryColor",
                    other => other,
                };
                let mut registers = home.iter();
                for i in 0..count.max(1) {
                    let path = if count == 0 { out.to_owned() } else { format!("{out}[{i}]") };
                    let colour = name.ends_with("Color");
                    let words: Vec<Word> = (0..leaf.components())
                        .map(|i| {
                            if colour {
                                unit(&format!("{path}.{i}"))
                            } else {
                                word(&format!("{path}.{i}"), Channel::Float, false)
                            }
                        })
                        .collect();
                    vertex.assign(&path, &self.shader.type_name(leaf), &words);
                    self.words.extend(registers.by_ref().zip(words));
                }
                return Ok(());
            }
            other => return Err(format!("scene: {other}")),
        };
        self.builtins.push((home, place));
        Ok(())
    }

    fn uniform(&mut self, ty: Type, name: String, home: Registers, subject: &Subject) -> Result<(), String> {
        let types = &self.shader.typed.types;
        if let Some(array) = types.as_array(ty) {
            let count = array.size.unwrap_or(1);
            let each = home.len.checked_div(count).unwrap_or(0);
            for i in 0..count {
                let part = Registers { start: Register(home.start.0 + i * each), len: each };
                self.uniform(array.element, format!("{name}[{i}]"), part, subject)?;
            }
            return Ok(());
        }
        if let Some(structure) = types.as_struct(ty) {
            let symbols = &self.shader.preprocessed.symbols;
            let members: Vec<(String, Type)> =
                structure.fields.iter().map(|f| (format!("{name}.{}", symbols.name(f.name)), f.ty)).collect();
            for (name, ty) in members {
                let (_, part) = self.program.locate(&name).ok_or("scene: structures with samplers")?;
                self.uniform(ty, name, part, subject)?;
            }
            return Ok(());
        }
        let shape = match ty {
            Type::Scalar(_) => Shape { columns: 1, rows: 1 },
            Type::Vector(_, rows) => Shape { columns: 1, rows },
            Type::Matrix(_, columns, rows) => Shape { columns, rows },
            Type::Opaque(opaque) => {
                let image = sampled::image(&name, opaque, self.api)?;
                self.textures.push(lab::texture(&image, self.api));
                self.images.push(image);
                self.samplers.push(home.start);
                return Ok(());
            }
            _ => return Err("scene: subroutine uniforms".to_owned()),
        };
        let (channel, range) = match ty.scalar() {
            Some(Scalar::Float) => (Channel::Float, subject.range(&name)),
            Some(Scalar::Int) => (Channel::Int, subject.range(&name)),
            Some(Scalar::Uint) => (Channel::Uint, subject.range(&name)),
            Some(Scalar::Bool) => (Channel::Int, Range::Bool),
            _ => return Err("scene: uniforms of 64 bits".to_owned()),
        };
        self.leaves.push(Leaf { name, channel, shape, range });
        self.homes.push(home);
        Ok(())
    }

    fn output(&mut self, variable: &Variable, name: &str, home: Registers) -> Result<(), String> {
        if matches!(name, "gl_FragDepth" | "gl_FragStencilRefARB" | "gl_FragDepthEXT") {
            return Ok(());
        }
        if name.starts_with("gl_") && name != "gl_FragColor" && name != "gl_FragData" {
            return Err(format!("scene: {name}"));
        }
        if variable.qualifiers.layout.index.is_some_and(|index| index > 0) {
            return Err("scene: dual-source outputs".to_owned());
        }
        if variable.qualifiers.layout.component.is_some_and(|component| component > 0) {
            return Err("scene: outputs that share a location".to_owned());
        }
        let types = &self.shader.typed.types;
        let mut paths = Vec::new();
        elements(types, variable.ty, name.to_owned(), &mut paths);
        let each = home.len / paths.len().max(1) as u32;
        let mut leaf = variable.ty;
        while let Some(array) = types.as_array(leaf) {
            leaf = array.element;
        }
        let channel = match leaf.scalar() {
            Some(Scalar::Float) => Channel::Float,
            Some(Scalar::Int) => Channel::Int,
            Some(Scalar::Uint) => Channel::Uint,
            _ => return Err("scene: outputs of this type".to_owned()),
        };
        for (i, name) in paths.into_iter().enumerate() {
            self.outputs.push(Output { name, channel });
            self.results.push(Registers { start: Register(home.start.0 + i as u32 * each), len: each });
        }
        Ok(())
    }
}

/// Collects the names of an array's innermost elements; its own if it is not an array.
fn elements(types: &shader::types::TypeTable, ty: Type, path: String, found: &mut Vec<String>) {
    match types.as_array(ty) {
        Some(array) => {
            for i in 0..array.size.unwrap_or(1) {
                elements(types, array.element, format!("{path}[{i}]"), found);
            }
        }
        None => found.push(path),
    }
}

fn word(name: &str, channel: Channel, flat: bool) -> Word {
    let mut random = SplitMix::named(name);
    match (channel, flat) {
        (Channel::Float, false) => {
            Word::Ramp { base: random.dyadic(-1, 1), right: random.dyadic(-1, 1), up: random.dyadic(-1, 1) }
        }
        (Channel::Float, true) => Word::Flat { base: random.dyadic(-1, 1), step: random.dyadic(1, 4) / 256.0 },
        (Channel::Int, _) => Word::FlatInteger { base: random.below(8) as i32 + 1, step: random.below(3) as i32 },
        (Channel::Uint, _) => Word::FlatInteger { base: random.below(8) as i32 + 1, step: random.below(3) as i32 },
    }
}

/// Returns a ramp that stays between zero and one, where GL would otherwise clamp it.
fn unit(name: &str) -> Word {
    let mut random = SplitMix::named(name);
    Word::Ramp { base: 0.5, right: random.dyadic(-1, 1) / 4.0, up: random.dyadic(-1, 1) / 4.0 }
}
