//! Shaders in the place of fixed functions and assembly programs.
//!
//! Where no program is in use, or one that lacks a vertex or fragment shader, crate `fixed` writes what is missing; a
//! diversion then runs a program made of that, and everything that can be asked of shaders can be asked.

use std::sync::Arc;

use api::reflection::kind::Base;
use fixed::Neighbours;
pub use fixed::Replaced;
use shader::Shader;
use shader::qualifier::Storage;
use shader::typed::{Variable, VariableKind};
use shader::types::{Scalar, Type};
use shader::version::Stage;
use state::objects::program::{Part, Program};
use state::reach::Work;
use state::{Client, View, variable};

use super::DivertError;
use super::copy::{Copy, set_uniform};
use super::facts::{self, StageFacts};
use super::hand::Hand;

/// A program that stands in for fixed functions or assembly programs, in whole or in part.
#[derive(Debug)]
pub struct StandIn {
    /// The program: what is recorded of it, if anything, and the shaders that were written.
    pub program: Program,
    /// Values of its uniforms that were not recorded.
    uniforms: fixed::Uniforms,
    /// What is enabled or disabled while it runs.
    switches: Vec<(u32, bool)>,
}

impl StandIn {
    /// Values of its uniforms that were not recorded, as bits.
    pub fn uniforms(&self) -> &[(String, Vec<u32>)] {
        &self.uniforms
    }

    /// Gives a copy of the program, which is in use, what it needs besides the values of the recorded one.
    pub fn prepare(&self, hand: &mut Hand<'_>, copy: Copy) {
        for (name, words) in &self.uniforms {
            let place = copy.location(hand, name.as_bytes());
            let (shape, count) = match words.len() {
                1 => ((Base::Sampler, 1, 1), 1),
                components => ((Base::Float, 1, 4), components / 4),
            };
            set_uniform(hand, place, shape, count as u32, words);
        }
        for (what, on) in &self.switches {
            if *on { hand.on(*what) } else { hand.off(*what) }
        }
    }
}

/// Adds the stages that fixed functions do to those that have shaders.
///
/// # Errors
/// When there are no shaders at all, and none can be written.
pub fn complete(view: &View<'_>, work: Work, stages: &mut Vec<StageFacts>) -> Result<(), DivertError> {
    let has = |stage| stages.iter().any(|facts: &StageFacts| facts.stage == stage);
    let (vertex, fragment) = (has(Stage::Vertex), has(Stage::Fragment));
    if work == Work::Dispatch || vertex && fragment {
        return if stages.is_empty() { Err(DivertError::NoProgram) } else { Ok(()) };
    }
    if !stages.is_empty() {
        // Stages of pipelines belong to programs of their own, which built-in variables do not connect (GL 4.6, 7.4.1).
        let whole = view.context.program != 0 && view.context.facts.client == Client::Compatibility;
        // Without fragments there is nothing to be said of them.
        let needed = fragment || view.context.vars.get(variable::RASTERIZER_DISCARD) == 0.0;
        if !whole || !needed {
            return Ok(());
        }
    }
    let pair = match fixed::program(view, &neighbours(stages)) {
        Ok(pair) => pair,
        Err(why) if stages.is_empty() => return Err(DivertError::NoStandIn { why }),
        // What shaders there are can be asked about all the same.
        Err(_) => return Ok(()),
    };
    let name = view.context.program;
    let mut program = view.group.program(name).filter(|_| name != 0).cloned().unwrap_or_default();
    let mut parts = program.executable_parts.to_vec();
    let missing = [(Stage::Vertex, vertex, &pair.vertex), (Stage::Fragment, fragment, &pair.fragment)];
    for (place, (stage, _, text)) in missing.into_iter().enumerate().filter(|(_, (_, there, _))| !there) {
        let options = facts::options(&view.context.facts, view.group, stage);
        let shader = shader::analyze(&[text.as_str()], &options);
        let text: Arc<[u8]> = Arc::from(text.as_bytes());
        let (part, stand_in) = (parts.len(), Some(pair.replaced[place]));
        parts.push(Part { kind: facts::kind_of(stage), text: Some(Arc::clone(&text)) });
        stages.push(StageFacts { stage, program: name, text, shader, options, part, stand_in, whole: None });
    }
    program.executable_parts = Arc::new(parts);
    for (name, number) in pair.attributes {
        Arc::make_mut(&mut program.setup).attributes.insert(name.into_bytes(), number);
    }
    let switches = if vertex { Vec::new() } else { pair.switches };
    let whole = Arc::new(StandIn { program, uniforms: pair.uniforms, switches });
    stages.iter_mut().for_each(|facts| facts.whole = Some(Arc::clone(&whole)));
    stages.sort_by_key(|facts| facts.stage as usize);
    Ok(())
}

/// What shaders of the application hand on, and want.
fn neighbours(stages: &[StageFacts]) -> Neighbours {
    let shader = |stage| stages.iter().find(|facts| facts.stage == stage).map(|facts| &facts.shader);
    let mut found = Neighbours::default();
    // What a vertex shader writes goes to fragments only where no other stage comes between.
    let last = [Stage::Geometry, Stage::TessEvaluation, Stage::Vertex].into_iter().find_map(shader);
    for (shader, variable) in last.into_iter().flat_map(|shader| variables(shader, Storage::Out)) {
        let name = shader.preprocessed.symbols.name(variable.name);
        match shader.typed.types.as_array(variable.ty) {
            _ if !variable.written => {}
            Some(array) => found.written.extend((0..array.size.unwrap_or(0)).map(|at| format!("{name}[{at}]"))),
            None => {
                found.written.insert(name.to_owned());
            }
        }
    }
    for (shader, variable) in shader(Stage::Fragment).into_iter().flat_map(|shader| variables(shader, Storage::In)) {
        let name = shader.preprocessed.symbols.name(variable.name);
        if variable.read && !name.starts_with("gl_") {
            found.read.extend(type_name(variable.ty).map(|kind| (kind, name.to_owned())));
        }
    }
    found
}

/// Inputs or outputs of a shader that are no blocks.
fn variables(shader: &Shader, storage: Storage) -> impl Iterator<Item = (&Shader, &Variable)> {
    let global = |variable: &&Variable| matches!(variable.kind, VariableKind::Global | VariableKind::Builtin);
    let all = shader.typed.variables.iter().filter(global);
    all.filter(move |variable| variable.qualifiers.storage == storage).map(move |variable| (shader, variable))
}

/// A type of floats in the words of GLSL 1.20.
fn type_name(ty: Type) -> Option<String> {
    match ty {
        Type::Scalar(Scalar::Float) => Some("float".to_owned()),
        Type::Vector(Scalar::Float, size) => Some(format!("vec{size}")),
        Type::Matrix(Scalar::Float, columns, rows) => Some(format!("mat{columns}x{rows}")),
        _ => None,
    }
}

/// What users are told of stand-ins.
pub fn notes(stages: &[StageFacts]) -> Vec<&'static str> {
    let mut notes: Vec<&str> = stages.iter().filter_map(|facts| facts.stand_in).map(note).collect();
    notes.dedup();
    notes
}

fn note(replaced: Replaced) -> &'static str {
    match replaced {
        Replaced::FixedFunctions => "fixed functions: a shader that does the same stands in",
        Replaced::Assembly => "an assembly program: its translation to GLSL stands in",
    }
}

/// Why the calls of a draw cannot be made with a stand-in: uniforms, which materials are in shaders, stay the same from
/// `glBegin` to `glEnd`.
pub fn refusal(view: &View<'_>, stages: &[StageFacts], materials_in_primitives: bool) -> Option<String> {
    let lit = view.context.vars.get(variable::LIGHTING) != 0.0;
    let stands_in =
        stages.iter().any(|facts| facts.stand_in == Some(Replaced::FixedFunctions) && facts.stage == Stage::Vertex);
    (stands_in && lit && materials_in_primitives).then(|| {
        "glMaterial is called between glBegin and glEnd, which a shader that stands in for fixed functions cannot follow"
            .to_owned()
    })
}
