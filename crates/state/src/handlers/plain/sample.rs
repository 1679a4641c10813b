//! Multisampling.

use api::{constant as c, id};

use super::set_enum;
use crate::fault::Fault;
use crate::handlers::Table;
use crate::step::{Done, Step};
use crate::variable as var;

pub fn register(table: &mut Table) {
    table.on(&[id::glSampleCoverage, id::glSampleCoverageARB], |step| coverage(step, step.float(0)));
    table.on(&[id::glSampleCoveragex, id::glSampleCoveragexOES], |step| coverage(step, step.fixed(0)));
    table.on(&[id::glSampleMaski], |step| {
        if i64::from(step.name(0)) >= step.facts().limits.integer(c::GL_MAX_SAMPLE_MASK_WORDS, 1) {
            return Err(Fault::invalid_value("the sample mask index is too large"));
        }
        let mask = f64::from(step.int(1));
        step.context.vars.set(var::SAMPLE_MASK_VALUE, mask);
        Ok(())
    });
    table.on(&[id::glMinSampleShading, id::glMinSampleShadingARB, id::glMinSampleShadingOES], |step| {
        let value = f64::from(step.float(0)).clamp(0.0, 1.0);
        step.context.vars.set(var::MIN_SAMPLE_SHADING_VALUE, value);
        Ok(())
    });
    table.on(&[id::glAlphaToCoverageDitherControlNV], |step| {
        let modes = &[
            c::GL_ALPHA_TO_COVERAGE_DITHER_DEFAULT_NV,
            c::GL_ALPHA_TO_COVERAGE_DITHER_ENABLE_NV,
            c::GL_ALPHA_TO_COVERAGE_DITHER_DISABLE_NV,
        ];
        set_enum(step, 0, modes, var::ALPHA_TO_COVERAGE_DITHER_MODE_NV, "invalid dither mode")
    });
}

fn coverage(step: &mut Step<'_>, value: f32) -> Done {
    let invert = f64::from(u8::from(step.truth(1)));
    step.context.vars.set(var::SAMPLE_COVERAGE_VALUE, f64::from(value.clamp(0.0, 1.0)));
    step.context.vars.set(var::SAMPLE_COVERAGE_INVERT, invert);
    Ok(())
}
