//! Assembly programs in place of fixed functions.

use api::constant as c;
use assembly::{Form, Limits, Source, Target, Translation};
use state::View;
use state::fixed::Matrix;
use state::objects::assembly::Parameters;

use crate::{Refusal, Uniforms};

/// The enabled program as a shader, and the values of its uniforms.
pub fn shader(view: &View<'_>, target: Target) -> Result<(Translation, Uniforms), Refusal> {
    let (place, stage) = match target {
        Target::Vertex => (0, "vertex"),
        Target::Fragment => (1, "fragment"),
    };
    let program = view.context.assembly.program(view.group, place);
    let text = String::from_utf8_lossy(&program.text);
    let translated = assembly::translate(&text, target, limits(view));
    let translation = translated.map_err(|fault| Refusal::Assembly { stage, fault })?;
    let mut uniforms: Uniforms = translation.samplers.iter().map(|(name, unit)| (name.clone(), vec![*unit])).collect();
    for parameter in &translation.parameters {
        let given = |parameters: &Parameters| -> Vec<[f32; 4]> {
            (0..parameter.count).map(|index| parameters.get(&index).copied().unwrap_or_default()).collect()
        };
        let vectors = match parameter.source {
            Source::Environment => given(&view.context.assembly.environment[place]),
            Source::Local => given(&program.locals),
            Source::Matrix { number, form } => rows(view, number, form),
        };
        uniforms.push((parameter.name.clone(), vectors.into_iter().flatten().map(f32::to_bits).collect()));
    }
    Ok((translation, uniforms))
}

fn limits(view: &View<'_>) -> Limits {
    let limit = |name, least: u32| {
        let told = view.context.facts.limits.integer(name, i64::from(least));
        u32::try_from(told).unwrap_or(least).max(least)
    };
    let least = Limits::default();
    Limits {
        attributes: limit(c::GL_MAX_VERTEX_ATTRIBS, least.attributes),
        units: limit(c::GL_MAX_TEXTURE_IMAGE_UNITS, least.units),
        lights: limit(c::GL_MAX_LIGHTS, least.lights),
        ..least
    }
}

/// The rows of a program matrix.
fn rows(view: &View<'_>, number: u32, form: Form) -> Vec<[f32; 4]> {
    let matrix =
        view.context.fixed.matrices.programs.get(number as usize).map_or(&Matrix::IDENTITY, |stack| stack.top());
    let columns = match form {
        Form::Plain | Form::Transpose => matrix.m,
        Form::Inverse | Form::InverseTranspose => matrix.inverse().unwrap_or(Matrix::IDENTITY.m),
    };
    let rows = match form {
        Form::Plain | Form::Inverse => Matrix::transposed(columns),
        Form::Transpose | Form::InverseTranspose => columns,
    };
    (0..4).map(|row| std::array::from_fn(|column| rows[4 * row + column])).collect()
}
