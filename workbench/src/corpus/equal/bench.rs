//! One shader of a program, ready to be inspected: the program's environment, and the invocation to inspect.

use driver::{Api, Assembly, Attribute, Channel, Operation, Shape};
use lab::surround::CORNER;
use lab::{Scenario, quad};
use serde_json::{Value, json};
use shader::Shader;
use shader::qualifier::Storage;
use shader::typed::{Primitive, VariableKind};
use shader::types::{OpaqueKind, Scalar, Type};
use shader::version::Stage;
use testing::random::SplitMix;

use super::super::differ::{self, Leaf, Range, Scene};
use super::subject::{Subject, stage_of};

/// A shader that can be inspected.
pub struct Bench {
    pub scenario: Scenario,
    pub stage: Stage,
    pub shader: Shader,
    /// The invocation to inspect; -1 stands for any.
    pub pick: [i32; 4],
    /// The scene of a fragment shader and the pixel in it.
    scene: Option<(Scene, (u32, u32))>,
}

/// Number of vertices of a draw without patches.
const VERTICES: u16 = 12;

impl Bench {
    /// Prepares a shader; or returns why it cannot be run, as a reason that can be counted.
    pub fn new(subject: &Subject, random: &mut SplitMix) -> Result<Bench, String> {
        if subject.asked == Stage::Fragment { Bench::fragment(subject, random) } else { Bench::other(subject, random) }
    }

    /// Returns whether something undefined is known to be computed.
    pub fn is_undefined(&self) -> bool {
        self.scene.as_ref().is_some_and(|(scene, pixel)| differ::undefined_at(scene, *pixel))
    }

    fn fragment(subject: &Subject, random: &mut SplitMix) -> Result<Bench, String> {
        let strings = subject.text(Stage::Fragment).unwrap_or_default().to_vec();
        let (name, group) = (subject.name.clone(), subject.group.clone());
        let scene = Scene::new(&differ::Subject { name, group, api: subject.api, strings })?;
        let side = u32::from(differ::SIDE);
        let (x, y) = (random.below(side), random.below(side));
        let (corner, work) = quad(CORNER);
        let tile = differ::tile_at(x, y);
        let scenario = Scenario {
            api: scene.api,
            shaders: vec![(Stage::Vertex, vec![scene.vertex.clone()]), (Stage::Fragment, scene.fragment.clone())],
            uniforms: scene.leaves.iter().map(|leaf| leaf.uniform(tile)).collect(),
            images: scene.images.clone(),
            attributes: vec![corner],
            work,
            size: [differ::SIDE; 2],
            outputs: scene.outputs.clone(),
            buffer_words: 16,
        };
        let pick = [x.cast_signed(), y.cast_signed(), -1, -1];
        let shader = shader::analyze(&scene.fragment, &scenario.options(Stage::Fragment));
        Ok(Bench { scenario, stage: Stage::Fragment, shader, pick, scene: Some((scene, (x, y))) })
    }

    fn other(subject: &Subject, random: &mut SplitMix) -> Result<Bench, String> {
        let mut scenario = Scenario {
            api: subject.api,
            shaders: subject.shaders.clone(),
            uniforms: Vec::new(),
            images: Vec::new(),
            attributes: Vec::new(),
            work: Operation::Dispatch([2, 1, 1]),
            size: [16; 2],
            outputs: Vec::new(),
            buffer_words: 16,
        };
        let mut shaders = Vec::new();
        for (stage, strings) in &subject.shaders {
            let shader = shader::analyze(strings, &scenario.options(*stage));
            if shader.has_errors() {
                return Err("errors".to_owned());
            }
            shaders.push(shader);
        }
        let tile = random.below(256);
        for shader in &shaders {
            interface(shader, subject, tile, &mut scenario)?;
        }
        let pick = if subject.asked == Stage::Compute {
            [random.below(2).cast_signed(), -1, -1, -1]
        } else {
            let (assembly, primitive) = assembly(&shaders);
            let vertices = VERTICES / primitive * primitive;
            scenario.work = Operation::Draw { assembly, vertices, instances: 1 };
            let count = if subject.asked == Stage::Vertex { vertices } else { vertices / primitive };
            [random.below(count.into()).cast_signed(), -1, -1, -1]
        };
        let asked =
            shaders.into_iter().find(|shader| shader.stage == subject.asked).ok_or("no shader of that stage")?;
        Ok(Bench { scenario, stage: subject.asked, shader: asked, pick, scene: None })
    }
}

/// Returns the primitive type that gives every stage work, and its number of vertices.
fn assembly(shaders: &[Shader]) -> (Assembly, u16) {
    let of = |stage: Stage| shaders.iter().find(|shader| shader.stage == stage);
    if of(Stage::TessEvaluation).is_some() || of(Stage::TessControl).is_some() {
        return (Assembly::Patches(3), 3);
    }
    match of(Stage::Geometry).and_then(|shader| shader.typed.stage.input_primitive) {
        Some(Primitive::Points) => (Assembly::Points, 1),
        Some(Primitive::Lines) => (Assembly::Lines, 2),
        Some(Primitive::LinesAdjacency) => (Assembly::LinesAdjacency, 4),
        Some(Primitive::TrianglesAdjacency) => (Assembly::TrianglesAdjacency, 6),
        _ => (Assembly::Triangles, 3),
    }
}

/// Sets uniforms, samplers and attributes of a shader.
fn interface(shader: &Shader, subject: &Subject, tile: u32, scenario: &mut Scenario) -> Result<(), String> {
    let named = differ::Subject {
        name: subject.name.clone(),
        group: subject.group.clone(),
        api: subject.api,
        strings: Vec::new(),
    };
    for variable in &shader.typed.variables {
        let name = shader.preprocessed.symbols.name(variable.name);
        match (variable.qualifiers.storage, variable.kind) {
            (Storage::Uniform, VariableKind::Member(..) | VariableKind::Instance(_)) => {
                return Err("bench: uniform blocks".to_owned());
            }
            (Storage::Uniform, VariableKind::Global) => {
                let mut uniforms = Uniforms { shader, subject: &named, tile, scenario };
                uniforms.add(variable.ty, name)?;
            }
            (Storage::In, VariableKind::Global) if shader.stage == Stage::Vertex => {
                if !matches!(variable.ty, Type::Scalar(Scalar::Float) | Type::Vector(Scalar::Float, _)) {
                    return Err("bench: attributes that are not float vectors".to_owned());
                }
                attribute(name, scenario);
            }
            (Storage::In, VariableKind::Builtin) if name == "gl_Vertex" && variable.read => attribute(name, scenario),
            _ => {}
        }
    }
    Ok(())
}

fn attribute(name: &str, scenario: &mut Scenario) {
    let mut random = SplitMix::named(name);
    let values = (0..VERTICES).map(|_| [0; 4].map(|_| random.dyadic(-1, 1))).collect();
    let attribute = Attribute { name: name.to_owned(), values };
    // The position of compatibility contexts is attribute 0 (GL 4.6 compatibility, 10.2.1).
    if name == "gl_Vertex" { scenario.attributes.insert(0, attribute) } else { scenario.attributes.push(attribute) }
}

struct Uniforms<'a> {
    shader: &'a Shader,
    subject: &'a differ::Subject,
    tile: u32,
    scenario: &'a mut Scenario,
}

impl Uniforms<'_> {
    fn add(&mut self, ty: Type, name: &str) -> Result<(), String> {
        let types = &self.shader.typed.types;
        if let Some(array) = types.as_array(ty) {
            return (0..array.size.unwrap_or(1)).try_for_each(|i| self.add(array.element, &format!("{name}[{i}]")));
        }
        if let Some(structure) = types.as_struct(ty) {
            let symbols = &self.shader.preprocessed.symbols;
            return structure
                .fields
                .iter()
                .try_for_each(|field| self.add(field.ty, &format!("{name}.{}", symbols.name(field.name))));
        }
        let shape = match ty {
            Type::Scalar(_) => Shape { columns: 1, rows: 1 },
            Type::Vector(_, rows) => Shape { columns: 1, rows },
            Type::Matrix(_, columns, rows) => Shape { columns, rows },
            // An image unit without an image ignores stores and returns zeros (GL 4.6, 8.26).
            Type::Opaque(opaque) if opaque.kind == OpaqueKind::Image => return Ok(()),
            Type::Opaque(opaque) => {
                if !self.scenario.images.iter().any(|image| image.name == name) {
                    self.scenario.images.push(differ::image(name, opaque, self.scenario.api)?);
                }
                return Ok(());
            }
            _ => return Err("bench: subroutine uniforms".to_owned()),
        };
        let (channel, range) = match ty.scalar() {
            Some(Scalar::Float) => (Channel::Float, self.subject.range(name)),
            Some(Scalar::Int) => (Channel::Int, self.subject.range(name)),
            Some(Scalar::Uint) => (Channel::Uint, self.subject.range(name)),
            Some(Scalar::Bool) => (Channel::Int, Range::Bool),
            _ => return Err("bench: uniforms of 64 bits".to_owned()),
        };
        // Stages share uniforms of the same name.
        if !self.scenario.uniforms.iter().any(|uniform| uniform.name == name) {
            let leaf = Leaf { name: name.to_owned(), channel, shape, range };
            self.scenario.uniforms.push(leaf.uniform(self.tile));
        }
        Ok(())
    }
}

/// Returns a subject as part of a job.
pub fn to_json(subject: &Subject) -> Value {
    let shaders: Vec<Value> = subject
        .shaders
        .iter()
        .map(|(stage, strings)| json!({ "stage": *stage as usize, "strings": strings }))
        .collect();
    json!({
        "name": subject.name,
        "group": subject.group,
        "asked": subject.asked as usize,
        "shaders": shaders,
    })
}

/// Returns the subject of a job.
pub fn read(api: Api, job: &Value) -> Option<Subject> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let shader = |value: &Value| {
        let strings = value["strings"].as_array()?.iter().map(text).collect();
        Some((stage_of(&value["stage"])?, strings))
    };
    Some(Subject {
        name: text(&job["name"]),
        group: text(&job["group"]),
        api,
        asked: stage_of(&job["asked"])?,
        shaders: job["shaders"].as_array()?.iter().map(shader).collect::<Option<_>>()?,
    })
}
