//! Shaders in the place of fixed functions.
//!
//! Where no program is in use, or one that lacks a vertex or fragment shader, crate `fixed` writes what is missing; a
//! diversion then runs a program made of that, and everything that can be asked of shaders can be asked.

use std::sync::Arc;

use api::id;
use shader::version::Stage;
use state::objects::program::{Part, Program};
use state::reach::Work;
use state::{Client, View, variable};

use super::DivertError;
use super::copy::Copy;
use super::facts::{self, StageFacts};
use super::hand::{Hand, word};

/// What users are told of it.
pub const NOTE: &str = "fixed functions: a shader that does the same stands in";

/// A program that stands in for fixed functions, in whole or in part.
#[derive(Debug)]
pub struct StandIn {
    /// The program: what is recorded of it, if anything, and the shaders that were written.
    pub program: Program,
    /// Its samplers and their texture units.
    samplers: Vec<(String, u32)>,
    /// What is enabled or disabled while it runs.
    switches: Vec<(u32, bool)>,
}

impl StandIn {
    /// Its samplers and their texture units.
    pub fn samplers(&self) -> &[(String, u32)] {
        &self.samplers
    }

    /// Gives a copy of the program, which is in use, what it needs besides the values of the recorded one.
    pub fn prepare(&self, hand: &mut Hand<'_>, copy: Copy) {
        for (name, unit) in &self.samplers {
            let place = copy.location(hand, name.as_bytes());
            if place >= 0 {
                hand.call(id::glUniform1i, &[word(place), u64::from(*unit)]);
            }
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
    let pair = match fixed::program(view) {
        Ok(pair) => pair,
        Err(why) if stages.is_empty() => return Err(DivertError::NoStandIn { why }),
        // What shaders there are can be asked about all the same.
        Err(_) => return Ok(()),
    };
    let name = view.context.program;
    let mut program = view.group.program(name).filter(|_| name != 0).cloned().unwrap_or_default();
    let mut parts = program.executable_parts.to_vec();
    let missing = [(Stage::Vertex, vertex, &pair.vertex), (Stage::Fragment, fragment, &pair.fragment)];
    for (stage, _, text) in missing.into_iter().filter(|(_, there, _)| !there) {
        let options = facts::options(&view.context.facts, view.group, stage);
        let shader = shader::analyze(&[text.as_str()], &options);
        let text: Arc<[u8]> = Arc::from(text.as_bytes());
        let part = parts.len();
        parts.push(Part { kind: facts::kind_of(stage), text: Some(Arc::clone(&text)) });
        stages.push(StageFacts { stage, program: name, text, shader, options, part, stand_in: true, whole: None });
    }
    program.executable_parts = Arc::new(parts);
    let switches = if vertex { Vec::new() } else { pair.switches };
    let samplers = if fragment { Vec::new() } else { pair.samplers };
    let whole = Arc::new(StandIn { program, samplers, switches });
    stages.iter_mut().for_each(|facts| facts.whole = Some(Arc::clone(&whole)));
    stages.sort_by_key(|facts| facts.stage as usize);
    Ok(())
}

/// Why the calls of a draw cannot be made with a stand-in: uniforms, which materials are in shaders, stay the same from
/// `glBegin` to `glEnd`.
pub fn refusal(view: &View<'_>, stages: &[StageFacts], materials_in_primitives: bool) -> Option<String> {
    let lit = view.context.vars.get(variable::LIGHTING) != 0.0;
    let stands_in = stages.iter().any(|facts| facts.stand_in && facts.stage == Stage::Vertex);
    (stands_in && lit && materials_in_primitives).then(|| {
        "glMaterial is called between glBegin and glEnd, which a shader that stands in for fixed functions cannot follow"
            .to_owned()
    })
}
