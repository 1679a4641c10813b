//! The raster position, fog, feedback and selection.

use api::{COMMANDS, Command, CommandId, Count, Memory, Operation, Param, Scalar, Trait, constant as c, id};

use super::{Number, argument, first, input, input_integers, normalized, wide};
use crate::answer::{Answer, View};
use crate::context::Client;
use crate::fault::Fault;
use crate::handlers::Table;
use crate::handlers::draw::{check, touch};
use crate::handlers::framebuffer::{Plane, read_things};
use crate::handlers::list::NOTHING_FETCHED;
use crate::handlers::plain::most;
use crate::observer::{ContentsRef, Source};
use crate::records::{Aspect, ImageWrite, Job, Texels};
use crate::step::{Done, Step, not_negative, one_of};
use crate::variable::{self as var, NumberType};

pub fn register(table: &mut Table) {
    fog(table);
    selection(table);
    pixels(table);
    for (at, command) in COMMANDS.iter().enumerate() {
        let id = CommandId(at as u16);
        match command.operation {
            // Fixed-point numbers are not modelled.
            _ if command.has(Trait::FixedPoint) => {}
            // MESA_window_pos has positions with four coordinates, which are not modelled.
            Operation::RasterPosition { window: true } if coordinates(command) < 4 => {
                table.on(&[id], window_position);
            }
            Operation::RasterPosition { window: false } => table.on(&[id], raster_position),
            _ => {}
        }
    }
}

/// Returns the number of coordinates that a command takes.
fn coordinates(command: &Command) -> usize {
    match command.params {
        [Param { memory: Some(Memory { count: Count::Fixed(count), .. }), .. }] => *count as usize,
        params => params.len(),
    }
}

/// Commands that draw at the raster position, or rectangles: they write what draw calls write.
fn pixels(table: &mut Table) {
    const NEGATIVE: &str = "the width or height is negative";
    let rectangles =
        [id::glRectd, id::glRectdv, id::glRectf, id::glRectfv, id::glRecti, id::glRectiv, id::glRects, id::glRectsv];
    table.on(&rectangles, |step| {
        check::mode(step, c::GL_QUADS)?;
        touch::draw(step, &NOTHING_FETCHED);
        Ok(())
    });
    table.on(&[id::glBitmap], |step| {
        not_negative(step.int(0), NEGATIVE)?;
        not_negative(step.int(1), NEGATIVE)?;
        if step.context.vars.get(var::CURRENT_RASTER_POSITION_VALID) == 0.0 {
            return Ok(());
        }
        check::framebuffer(step)?;
        touch::draw(step, &NOTHING_FETCHED);
        let moved = [step.float(4), step.float(5)];
        for (at, by) in moved.into_iter().enumerate() {
            let position = step.context.vars.value(var::CURRENT_RASTER_POSITION, 0)[at] as f32 + by;
            step.context.vars.set_number(var::CURRENT_RASTER_POSITION, at, position.into());
        }
        Ok(())
    });
    table.on(&[id::glDrawPixels, id::glCopyPixels], |step| {
        // Both have width and height, one of them after a position.
        let at = if step.call.command == id::glDrawPixels { 0 } else { 2 };
        not_negative(step.int(at), NEGATIVE)?;
        not_negative(step.int(at + 1), NEGATIVE)?;
        check::framebuffer(step)?;
        if step.call.command == id::glCopyPixels {
            for plane in [Plane::Colours, Plane::Depth, Plane::Stencil] {
                for thing in read_things(step, plane) {
                    step.reads(thing);
                }
            }
        }
        touch::draw(step, &NOTHING_FETCHED);
        Ok(())
    });
    table.on(&[id::glAccum], |step| {
        let operations = &[c::GL_ADD, c::GL_MULT, c::GL_ACCUM, c::GL_LOAD, c::GL_RETURN];
        one_of(step.name(0), operations, "invalid accumulation operation")?;
        check::framebuffer(step)?;
        for thing in read_things(step, Plane::Colours) {
            step.reads(thing);
        }
        // The accumulation buffer belongs to the surface.
        let plane = ContentsRef::Surface { surface: step.seat.draw, plane: c::GL_ACCUM };
        step.reads(plane);
        step.writes_image(plane, Source::Gpu, ImageWrite::whole(Aspect::All, Texels::Gpu(Job::Draw)));
        touch::draw(step, &NOTHING_FETCHED);
        Ok(())
    });
}

/// Returns the coordinates of a position, whatever their type.
fn position(step: &Step<'_>) -> [f32; 4] {
    let command = api::command(step.call.command);
    let count = coordinates(command).min(4);
    let memory = command.params.first().and_then(|param| param.memory);
    let scalar = command.params.first().map(|param| memory.map_or(param.value.scalar, |memory| memory.element.scalar));
    let mut result = [0.0, 0.0, 0.0, 1.0];
    let number = match scalar {
        Some(Scalar::F64) => Number::Double,
        Some(Scalar::F32) => Number::Float,
        _ => Number::Integer,
    };
    let short = |word: [u8; 2]| f32::from(i16::from_le_bytes(word));
    let numbers: Vec<f32> = match (scalar, memory) {
        (Some(Scalar::I16), Some(_)) => {
            let bytes = step.input(0).unwrap_or_default();
            bytes.as_chunks::<2>().0.iter().copied().map(short).collect()
        }
        (_, Some(_)) => input(step, 0, number),
        (Some(Scalar::I16), None) => (0..count).map(|at| short((step.name(at) as u16).to_le_bytes())).collect(),
        (_, None) => (0..count).map(|at| argument(step, at, number)).collect(),
    };
    for (at, number) in numbers.iter().take(count).enumerate() {
        result[at] = *number;
    }
    result
}

fn window_position(step: &mut Step<'_>) -> Done {
    let [x, y, z, _] = position(step);
    let range = step.context.vars.value(var::DEPTH_RANGE, 0).to_vec();
    let depth = z.clamp(0.0, 1.0) * (range[1] as f32 - range[0] as f32) + range[0] as f32;
    let fog = step.context.vars.name(var::FOG_COORD_SRC) == c::GL_FOG_COORD;
    let distance = if fog { step.context.current.fog } else { 0.0 };
    keep_colours(step, distance);
    step.context.vars.set_value(var::CURRENT_RASTER_POSITION, 0, &wide([x, y, depth, 1.0]));
    step.context.vars.set(var::CURRENT_RASTER_POSITION_VALID, 1.0);
    Ok(())
}

/// Copies current colours and texture coordinates to the raster position.
fn keep_colours(step: &mut Step<'_>, distance: f32) {
    let current = step.context.current.clone();
    let colour = |colour: [f32; 4]| wide(colour.map(|part| part.clamp(0.0, 1.0)));
    step.context.vars.set(var::CURRENT_RASTER_DISTANCE, distance.into());
    step.context.vars.set_value(var::CURRENT_RASTER_COLOR, 0, &colour(current.colour));
    step.context.vars.set_value(var::CURRENT_RASTER_SECONDARY_COLOR, 0, &colour(current.secondary));
    step.context.fixed_mut().raster_texture_coords = current.texture;
}

/// Transforms a raster position like a vertex. The model does so without lights, programs and generated coordinates;
/// with these, only the driver knows the result.
fn raster_position(step: &mut Step<'_>) -> Done {
    let object = position(step);
    let matrices = &step.context.fixed.matrices;
    let eye = matrices.modelview.top().point(object);
    let clip = matrices.projection.top().point(eye);
    let (x, y, z, w) = (clip[0], clip[1], clip[2], clip[3]);
    let unclipped = step.context.vars.get(var::RASTER_POSITION_UNCLIPPED_IBM) != 0.0;
    let inside = |part: f32| part.abs() <= w;
    let planes = (0..8u16).all(|at| {
        let enabled = step.context.vars.get(crate::variable::Var(var::CLIP_DISTANCE0.0 + at)) != 0.0;
        let plane = step.context.fixed.clip_planes[usize::from(at)];
        !enabled || (0..4).map(|part| plane[part] * eye[part]).sum::<f32>() >= 0.0
    });
    if !(unclipped || inside(x) && inside(y) && inside(z)) || !planes || w == 0.0 {
        step.context.vars.set(var::CURRENT_RASTER_POSITION_VALID, 0.0);
        return Ok(());
    }
    let view = step.context.vars.value(var::VIEWPORT, 0);
    let depth = step.context.vars.value(var::DEPTH_RANGE, 0);
    let device = [x / w, y / w, z / w];
    let half = |size: f64| size as f32 * 0.5;
    let window = [
        device[0] * half(view[2]) + (half(view[2]) + view[0] as f32),
        device[1] * half(view[3]) + (half(view[3]) + view[1] as f32),
        device[2] * half(depth[1] - depth[0]) + half(depth[1] + depth[0]),
        w,
    ];
    let fog = step.context.vars.name(var::FOG_COORD_SRC) == c::GL_FOG_COORD;
    let distance =
        if fog { step.context.current.fog } else { (eye[0] * eye[0] + eye[1] * eye[1] + eye[2] * eye[2]).sqrt() };
    keep_colours(step, distance);
    step.context.vars.set_value(var::CURRENT_RASTER_POSITION, 0, &wide(window));
    step.context.vars.set(var::CURRENT_RASTER_POSITION_VALID, 1.0);
    Ok(())
}

fn fog(table: &mut Table) {
    table.on(&[id::glFogf], |step| set_fog(step, &[step.float(1), 0.0, 0.0, 0.0]));
    table.on(&[id::glFogi], |step| {
        let number = step.int(1) as f32;
        set_fog(step, &[number, 0.0, 0.0, 0.0])
    });
    table.on(&[id::glFogx, id::glFogxOES], |step| {
        let plain = step.name(0) == c::GL_FOG_MODE;
        let number = if plain { step.int(1) as f32 } else { step.fixed(1) };
        set_fog(step, &[number, 0.0, 0.0, 0.0])
    });
    table.on(&[id::glFogfv], |step| {
        let numbers = input(step, 1, Number::Float);
        set_fog(step, &numbers)
    });
    table.on(&[id::glFogiv], |step| {
        let numbers = fog_integers(step.name(0), &input_integers(step, 1));
        set_fog(step, &numbers)
    });
    table.on(&[id::glFogxv, id::glFogxvOES], |step| {
        let number = if step.name(0) == c::GL_FOG_MODE { Number::Integer } else { Number::Fixed };
        let numbers = input(step, 1, number);
        set_fog(step, &numbers)
    });
}

fn fog_integers(name: u32, numbers: &[i32]) -> Vec<f32> {
    let colour = name == c::GL_FOG_COLOR;
    numbers.iter().map(|number| if colour { normalized(*number) } else { *number as f32 }).collect()
}

fn set_fog(step: &mut Step<'_>, numbers: &[f32]) -> Done {
    const NO_VALUE: Fault = Fault::invalid_enum("invalid value of a fog parameter");
    let number = numbers.first().copied().unwrap_or(0.0);
    let value = number as i32 as u32;
    let desktop = step.facts().client == Client::Compatibility;
    let distances = step.facts().has("GL_NV_fog_distance");
    let vars = &mut step.context.vars;
    match step.call.args.first().copied().unwrap_or(0) as u32 {
        c::GL_FOG_MODE => {
            one_of(value, &[c::GL_LINEAR, c::GL_EXP, c::GL_EXP2], NO_VALUE.why)?;
            vars.set(var::FOG_MODE, f64::from(value));
        }
        c::GL_FOG_DENSITY => {
            if number < 0.0 {
                return Err(Fault::invalid_value("the fog density is negative"));
            }
            vars.set(var::FOG_DENSITY, number.into());
        }
        c::GL_FOG_START => vars.set(var::FOG_START, number.into()),
        c::GL_FOG_END => vars.set(var::FOG_END, number.into()),
        c::GL_FOG_INDEX if desktop => vars.set(var::FOG_INDEX, number.into()),
        c::GL_FOG_COLOR => vars.set_value(var::FOG_COLOR, 0, &wide(first::<4>(numbers))),
        c::GL_FOG_COORD_SRC if desktop => {
            one_of(value, &[c::GL_FOG_COORD, c::GL_FRAGMENT_DEPTH], NO_VALUE.why)?;
            vars.set(var::FOG_COORD_SRC, f64::from(value));
        }
        c::GL_FOG_DISTANCE_MODE_NV if desktop && distances => {
            let modes = &[c::GL_EYE_RADIAL_NV, c::GL_EYE_PLANE, c::GL_EYE_PLANE_ABSOLUTE_NV];
            one_of(value, modes, NO_VALUE.why)?;
            vars.set(var::FOG_DISTANCE_MODE_NV, f64::from(value));
        }
        _ => return Err(Fault::invalid_enum("invalid fog parameter")),
    }
    Ok(())
}

fn selection(table: &mut Table) {
    table.on(&[id::glFeedbackBuffer], |step| {
        if step.context.vars.name(var::RENDER_MODE) == c::GL_FEEDBACK {
            return Err(Fault::invalid_operation("render mode is already GL_FEEDBACK"));
        }
        let size = not_negative(step.int(0), "the size of the buffer is negative")?;
        if step.word(2) == 0 && size > 0 {
            step.context.vars.set(var::FEEDBACK_BUFFER_SIZE, 0.0);
            return Err(Fault::invalid_value("the feedback buffer is null"));
        }
        let kinds = &[c::GL_2D, c::GL_3D, c::GL_3D_COLOR, c::GL_3D_COLOR_TEXTURE, c::GL_4D_COLOR_TEXTURE];
        let kind = one_of(step.name(1), kinds, "invalid feedback type")?;
        let pointer = step.word(2);
        step.context.vars.set(var::FEEDBACK_BUFFER_SIZE, f64::from(size));
        step.context.vars.set(var::FEEDBACK_BUFFER_TYPE, f64::from(kind));
        step.context.fixed_mut().feedback_buffer = pointer;
        Ok(())
    });
    table.on(&[id::glSelectBuffer], |step| {
        let size = not_negative(step.int(0), "the size of the buffer is negative")?;
        if step.context.vars.name(var::RENDER_MODE) == c::GL_SELECT {
            return Err(Fault::invalid_operation("render mode is already GL_SELECT"));
        }
        let pointer = step.word(1);
        step.context.vars.set(var::SELECTION_BUFFER_SIZE, f64::from(size));
        step.context.fixed_mut().selection_buffer = pointer;
        Ok(())
    });
    table.on(&[id::glRenderMode], |step| {
        let mode = one_of(step.name(0), &[c::GL_RENDER, c::GL_SELECT, c::GL_FEEDBACK], "invalid render mode")?;
        let empty = |var| step.context.vars.get(var) == 0.0;
        if mode == c::GL_SELECT && empty(var::SELECTION_BUFFER_SIZE)
            || mode == c::GL_FEEDBACK && empty(var::FEEDBACK_BUFFER_SIZE)
        {
            return Err(Fault::invalid_operation("no output buffer is set"));
        }
        if step.context.vars.name(var::RENDER_MODE) == c::GL_SELECT {
            step.context.fixed_mut().names.clear();
        }
        step.context.vars.set(var::RENDER_MODE, f64::from(mode));
        Ok(())
    });
    table.on(&[id::glInitNames], |step| {
        if !step.context.fixed.names.is_empty() {
            step.context.fixed_mut().names.clear();
        }
        Ok(())
    });
    table.on(&[id::glLoadName], |step| {
        let name = step.name(0);
        if step.context.vars.name(var::RENDER_MODE) != c::GL_SELECT {
            return Ok(());
        }
        match step.context.fixed_mut().names.last_mut() {
            Some(last) => {
                *last = name;
                Ok(())
            }
            None => Err(Fault::invalid_operation("the name stack is empty")),
        }
    });
    table.on(&[id::glPushName], |step| {
        let name = step.name(0);
        if step.context.vars.name(var::RENDER_MODE) != c::GL_SELECT {
            return Ok(());
        }
        if step.context.fixed.names.len() >= most(step.facts(), c::GL_MAX_NAME_STACK_DEPTH, 64) as usize {
            return Err(Fault::stack_overflow("the name stack is full"));
        }
        step.context.fixed_mut().names.push(name);
        Ok(())
    });
    table.on(&[id::glPopName], |step| {
        if step.context.vars.name(var::RENDER_MODE) != c::GL_SELECT {
            return Ok(());
        }
        match step.context.fixed_mut().names.pop() {
            Some(_) => Ok(()),
            None => Err(Fault::stack_underflow("the name stack is empty")),
        }
    });
    table.on(&[id::glPassThrough], |_| Ok(()));
    table.plain_getter(names);
}

fn names(view: &View<'_>, name: u32) -> Option<Result<Answer, Fault>> {
    if name != c::GL_NAME_STACK_DEPTH || !view.context.facts.desktop(1, 0) {
        return None;
    }
    Some(Ok(Answer::one(NumberType::Integer, view.context.fixed.names.len() as f64)))
}
