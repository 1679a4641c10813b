//! Where a number comes from that is none.

use std::collections::BTreeMap;

use device::Changes;
use emulator::sanitize::{Finding, FindingKind, Subject};
use inquiry::{DrawSnapshot, Inputs};
use instrument::inspect::Ask;
use instrument::variant::What;
use instrument::{Question, Scope};
use open_trace::StageShader;
use raster::Color;
use reenact::Scene;
use shader::types::{Scalar, Type};
use shader::version::Stage;

use super::Wrong;
use crate::emulate;
use crate::glimpse;
use crate::visit::Visit;
use crate::walk::Recall;
use crate::{RecallError, TexelAspect, TexelRef, Value};

/// A fragment that was written with a number that is none.
#[derive(Clone, Debug)]
pub struct Birth {
    /// The draw.
    pub call: u64,
    /// The pixel.
    pub at: [u32; 2],
    /// The primitive, where the shader's language can tell.
    pub primitive: Option<u32>,
    /// What the shader gave out, by draw buffer.
    pub colours: Vec<(usize, Color)>,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where a number comes from that is none.
#[derive(Clone, PartialEq, Debug)]
pub enum Origin {
    /// An operation made it of numbers that are some.
    Computed {
        /// Its line in the shader.
        line: u32,
        /// The expression, as the shader has it.
        text: String,
        /// What happened, as a sentence.
        message: String,
        /// The operands' values.
        operands: Vec<Vec<f64>>,
        /// The value that came of it, where it is known.
        result: Option<Vec<f64>>,
    },
    /// The stage before gave it.
    Input {
        /// The input.
        name: String,
        /// What it holds.
        values: Vec<f32>,
    },
    /// It was in a texture that the shader read.
    Texel {
        /// The texture.
        image: String,
        /// The texel.
        at: [u32; 2],
        /// What it holds.
        value: Value,
        /// The line of the look-up, where it is known.
        line: Option<u32>,
    },
    /// A vertex gave it out.
    Vertex {
        /// The vertex and its instance.
        vertex: [u32; 2],
        /// The output.
        output: String,
        /// What it holds.
        values: Vec<f32>,
        /// Where the vertex has it from; an input of it is an attribute.
        from: Box<Origin>,
    },
    /// It cannot be found out, for this reason.
    Unknown(String),
}

impl Recall<'_> {
    /// Describes a fragment of a draw.
    pub(super) fn birth(&mut self, visit: &Visit, number: usize, wrong: Wrong) -> Result<Birth, RecallError> {
        let seen = &visit.fragments[number];
        let colours = seen.shaded.colours.iter().enumerate();
        let planes = visit.tail.planes();
        let used = |buffer: usize| planes.iter().any(|plane| plane.role == reenact::fragment_ops::Role::Colour(buffer));
        Ok(Birth {
            call: visit.work.command,
            at: seen.shaded.at,
            primitive: seen.primitive,
            colours: colours
                .filter_map(|(buffer, color)| Some((buffer, (*color)?)))
                .filter(|(b, _)| used(*b))
                .collect(),
            origin: self.origin(visit, number, wrong)?,
        })
    }

    fn origin(&mut self, visit: &Visit, number: usize, wrong: Wrong) -> Result<Origin, RecallError> {
        let seen = &visit.fragments[number];
        if let Some(Origin::Input { name, values }) = given(&seen.inputs, wrong) {
            let between = |facts: &StageShader| !matches!(facts.stage, Stage::Vertex | Stage::Fragment);
            if visit.work.stages.iter().any(between) {
                return Ok(Origin::Input { name, values });
            }
            let vertex = self.vertex(&visit.work, &name, wrong);
            return Ok(vertex.ok().flatten().unwrap_or(Origin::Input { name, values }));
        }
        let Some(scene) = &visit.scene else { return Ok(Origin::Unknown("the draw cannot be emulated".to_owned())) };
        let emulated = match emulate::fragments(scene, &visit.outputs, &[&seen.inputs]) {
            Ok(emulated) => emulated,
            Err(why) => return Ok(Origin::Unknown(why)),
        };
        for one in emulated.iter().flat_map(|one| &one.reads) {
            let view = visit.work.view()?;
            // A colour is what can be such a number.
            let place =
                TexelRef::sampled(&view, one.handle, &one.texel).filter(|place| place.aspect == TexelAspect::Colour);
            let Some(place) = place else { continue };
            let at = place.at;
            let wanted = BTreeMap::from([((place.cell, place.aspect), [at[0], at[1], 1, 1])]);
            let start = *visit.work.calls.range.start();
            let seen = glimpse::look(self.inquiry, &visit.work.model, start, &wanted, &mut Vec::new())?;
            if let Some(value @ Value::Colour(color)) = glimpse::value_at(&seen, &place)
                && wrong.any(Some(color))
            {
                let line = one.site.and_then(|site| crate::walk::line(visit, site));
                return Ok(Origin::Texel { image: place.name(&visit.work.model), at, value, line });
            }
        }
        Ok(match emulate::findings(scene, Stage::Fragment, &seen.inputs) {
            Ok(findings) => computed(&visit.work, scene, Stage::Fragment, &findings, wrong),
            Err(why) => Origin::Unknown(why),
        })
    }

    /// The first vertex of a draw that gives out such a number, best in an output of that name.
    fn vertex(&mut self, work: &DrawSnapshot, name: &str, wrong: Wrong) -> Result<Option<Origin>, RecallError> {
        let ask = Ask { scope: Scope::All, pick: [-1; 4], transport: None };
        let (stage, changes) = (Stage::Vertex, Changes::default());
        let measured = self.inquiry.measure(work, stage, &Question::Outputs, &ask, &changes)?;
        let mut found: Option<([i32; 4], String, Vec<f32>)> = None;
        for (who, reading) in &measured.result.readings {
            for record in &reading.records {
                let (What::Output(output), Some(value)) = (&record.what, &record.value) else { continue };
                let better = found.as_ref().is_none_or(|(_, known, _)| known != name && output == name);
                if let Some(values) =
                    floats(value.ty, &value.scalars).filter(|values| values.iter().any(|value| wrong.is(*value)))
                    && better
                {
                    found = Some((*who, output.clone(), values));
                }
            }
        }
        let Some((who, output, values)) = found else { return Ok(None) };
        let inputs = self.inquiry.inputs(work, stage, who, &changes)?;
        let from = match given(&inputs, wrong) {
            Some(attribute) => attribute,
            None => {
                let program = self.inquiry.program(work, stage)?;
                let mut contents = self.inquiry.contents(work);
                let scene = work.scene(stage, program, &mut contents)?;
                match emulate::findings(&scene, stage, &inputs) {
                    Ok(findings) => computed(work, &scene, stage, &findings, wrong),
                    Err(why) => Origin::Unknown(why),
                }
            }
        };
        let vertex = [who[0], who[1]].map(|part| part.max(0).cast_unsigned());
        Ok(Some(Origin::Vertex { vertex, output, values, from: Box::new(from) }))
    }
}

/// The first input of an invocation that has such a number.
fn given(inputs: &Inputs, wrong: Wrong) -> Option<Origin> {
    inputs.named().find_map(|(name, value)| {
        let values = floats(value.ty, &value.scalars).filter(|values| values.iter().any(|value| wrong.is(*value)))?;
        Some(Origin::Input { name: name.to_owned(), values })
    })
}

/// The numbers of a value of floats.
fn floats(ty: Type, scalars: &[u64]) -> Option<Vec<f32>> {
    let float = ty.scalar() == Some(Scalar::Float);
    float.then(|| scalars.iter().map(|bits| f32::from_bits(*bits as u32)).collect())
}

/// The first operation that made such a number.
fn computed(work: &DrawSnapshot, scene: &Scene, stage: Stage, findings: &[Finding], wrong: Wrong) -> Origin {
    let numbers = |value: &emulator::Value| {
        scene.program.lowered(stage).map_or(Vec::new(), |lowered| value.numbers(&lowered.types))
    };
    let made = |finding: &&Finding| {
        let result = finding.result.as_ref().map(numbers);
        let shows = result.is_some_and(|numbers| numbers.iter().any(|number| wrong.is(*number as f32)));
        finding.kind == FindingKind::NotFinite && (shows || finding.result.is_none())
    };
    let odd = |finding: &&Finding| {
        matches!(finding.kind, FindingKind::NotFinite | FindingKind::DivisionByZero | FindingKind::Domain)
    };
    let Some(found) = findings.iter().find(made).or_else(|| findings.iter().find(odd)) else {
        return Origin::Unknown("on the emulator all numbers of this invocation are finite".to_owned());
    };
    let (Subject::Site(site), Ok(facts)) = (found.subject, work.facts(stage)) else {
        return Origin::Unknown(found.message.clone());
    };
    let span = facts.shader.written(site.into());
    Origin::Computed {
        line: facts.shader.sources.locate(span.start).line,
        text: facts.shader.sources.slice(span).split_whitespace().collect::<Vec<_>>().join(" "),
        message: found.message.clone(),
        operands: found.operands.iter().map(numbers).collect(),
        result: found.result.as_ref().map(numbers),
    }
}
