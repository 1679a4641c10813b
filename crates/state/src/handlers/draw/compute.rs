//! Compute shaders.

use api::{constant as c, id};

use super::super::{Table, buffer};
use super::program::{COMPUTE, linked, stages};
use super::touch::dispatch;
use crate::fault::Fault;
use crate::objects::buffer::Point;
use crate::step::{Done, Step};

pub fn register(table: &mut Table) {
    table.on(&[id::glDispatchCompute], |step| direct(step, false));
    table.on(&[id::glDispatchComputeGroupSizeARB], |step| direct(step, true));
    table.on(&[id::glDispatchComputeIndirect], indirect);
    // Commands are already executed in order.
    table.on(&[id::glMemoryBarrier, id::glMemoryBarrierEXT], |_| Ok(()));
    table.on(&[id::glMemoryBarrierByRegion], |step| {
        const KNOWN: u32 = c::GL_ATOMIC_COUNTER_BARRIER_BIT
            | c::GL_FRAMEBUFFER_BARRIER_BIT
            | c::GL_SHADER_IMAGE_ACCESS_BARRIER_BIT
            | c::GL_SHADER_STORAGE_BARRIER_BIT
            | c::GL_TEXTURE_FETCH_BARRIER_BIT
            | c::GL_UNIFORM_BARRIER_BIT;
        match step.name(0) {
            c::GL_ALL_BARRIER_BITS => Ok(()),
            bits if bits & !KNOWN == 0 => Ok(()),
            _ => Err(Fault::invalid_value("the bit mask has invalid bits")),
        }
    });
    table.on(&[id::glTextureBarrier, id::glTextureBarrierNV], |_| Ok(()));
}

fn has_program(step: &Step<'_>) -> Done {
    if stages(step.context, step.group)[COMPUTE] == 0 {
        return Err(Fault::invalid_operation("the current program has no compute shader"));
    }
    Ok(())
}

fn limit(step: &Step<'_>, name: u32, axis: u32, otherwise: f64) -> f64 {
    use crate::answer::Values;
    match step.facts().limits.get(name, axis) {
        Some(Values::Numbers(numbers)) => numbers.first().copied().unwrap_or(otherwise),
        Some(Values::Long(numbers)) => numbers.first().map_or(otherwise, |number| *number as f64),
        _ => otherwise,
    }
}

fn direct(step: &mut Step<'_>, sized: bool) -> Done {
    has_program(step)?;
    let groups = [0, 1, 2].map(|axis| step.name(axis));
    for (axis, count) in groups.iter().enumerate() {
        let most = limit(step, c::GL_MAX_COMPUTE_WORK_GROUP_COUNT, axis as u32, 65535.0);
        if f64::from(*count) > most {
            return Err(Fault::invalid_value("there are too many work groups"));
        }
    }
    let fixed = linked(step.context, step.group, COMPUTE).and_then(|linked| {
        let sizes = linked.reflection.parameters.iter().find(|found| found.0 == c::GL_COMPUTE_WORK_GROUP_SIZE)?;
        Some(sizes.1.iter().all(|size| *size > 0))
    });
    if fixed == Some(sized) {
        return Err(Fault::invalid_operation(
            "the command does not match how the compute shader specifies its work group size",
        ));
    }
    if sized {
        for axis in 0..3 {
            let size = f64::from(step.name(3 + axis));
            let most = limit(step, c::GL_MAX_COMPUTE_VARIABLE_GROUP_SIZE_ARB, axis as u32, 1024.0);
            if size == 0.0 || size > most {
                return Err(Fault::invalid_value("work groups are too large or empty"));
            }
        }
    }
    if groups.iter().all(|count| *count > 0) {
        dispatch(step);
    }
    Ok(())
}

fn indirect(step: &mut Step<'_>) -> Done {
    has_program(step)?;
    let from = step.word(0);
    if !from.is_multiple_of(4) || from.cast_signed() < 0 {
        return Err(Fault::invalid_value("the offset is negative or not a multiple of four"));
    }
    let bound = step.context.buffers.get(Point::DispatchIndirect);
    let found = step.group.buffer(bound).ok_or(Fault::invalid_operation("no dispatch indirect buffer is bound"))?;
    if found.blocked() {
        return Err(Fault::invalid_operation("the dispatch indirect buffer is mapped"));
    }
    if from + 12 > found.size {
        return Err(Fault::invalid_operation("the work group counts extend past the end of the buffer"));
    }
    buffer::read(step, bound, from, from + 12);
    dispatch(step);
    Ok(())
}
