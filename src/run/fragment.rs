//! Fragment shaders: one pixel, or all of an image.

use anyhow::bail;
use emulator::ir::{Register, Scalar, Type};
use emulator::{Value, Wave, WaveState};
use lanes::Mask;

use super::picture;
use super::report::{Invocation, Report};
use super::single::Job;
use super::watchers::Watchers;
use super::world::World;

/// A wave with everything but the position.
fn prepared(job: &Job<'_>, world: &World) -> anyhow::Result<Wave<4>> {
    let mut wave = Wave::new(job.program, job.args.numerics.numerics());
    wave.initialize(Mask::ALL)?;
    if let Some((_, home)) = job.program.locate("gl_FrontFacing") {
        wave.set(home.start, [1; 4]);
    }
    for (number, unit) in world.units.iter().enumerate() {
        wave.set(unit.register, [number as u32; 4]);
    }
    Ok(wave)
}

/// Gives the four lanes of a quad their pixels: left and right, then the row above.
fn place(wave: &mut WaveState<4>, job: &Job<'_>, x: u32, y: u32) {
    if let Some((_, home)) = job.program.locate("gl_FragCoord") {
        let centre = |n: u32, step: u32| ((n + step) as f32 + 0.5).to_bits();
        wave.set(home.at(0), [0, 1, 0, 1].map(|step| centre(x, step)));
        wave.set(home.at(1), [0, 0, 1, 1].map(|step| centre(y, step)));
        wave.set(home.at(3), [1f32.to_bits(); 4]);
    }
    job.values.iter().for_each(|value| value.apply(wave));
}

/// The pixel of `--at`, with its neighbours in the quad.
pub fn one<'a>(job: &Job<'a>, world: &mut World, watchers: &mut Watchers<'a>) -> anyhow::Result<Report> {
    let at = &job.args.at;
    let numbers: Vec<u32> = at.split(',').map_while(|n| n.trim().parse().ok()).collect();
    let [x, y] = numbers[..] else { bail!("--at takes a pixel such as 320,200, not {at:?}") };
    let lane = (x & 1 | (y & 1) << 1) as usize;
    watchers.start(job, 1 << lane, lane)?;
    let mut wave = prepared(job, world)?;
    place(&mut wave, job, x & !1, y & !1);
    let trap = watchers.main(&mut wave, Mask::ALL, world).err();
    let mut report = Report::new(Invocation::Pixel(x, y));
    report.outputs = report_outputs(&wave, lane);
    report.discarded = wave.alive().bits() >> lane & 1 == 0;
    report.trap = trap;
    Ok(report)
}

/// All pixels of `--size`, into a file.
pub fn image<'a>(job: &Job<'a>, world: &mut World, watchers: &mut Watchers<'a>, file: &str) -> anyhow::Result<Report> {
    let Some((width, height)) = picture::size(&job.args.size) else {
        bail!("--size takes a size such as 320x200, not {:?}", job.args.size);
    };
    if job.args.trace || job.args.watch.is_some() {
        bail!("--trace and --watch are for one pixel; use --at in the place of --image");
    }
    let Some(colour) = colour(job) else { bail!("the shader writes no colour: no output of floats") };
    watchers.start(job, 0b1111, 0)?;
    let template = prepared(job, world)?;
    let mut report = Report::new(Invocation::Image(width, height));
    let mut pixels = vec![0; width as usize * height as usize * 4];
    'all: for y in (0..height).step_by(2) {
        for x in (0..width).step_by(2) {
            let mut wave = template.clone();
            place(&mut wave, job, x, y);
            let inside = |lane: u32| x + (lane & 1) < width && y + (lane >> 1) < height;
            let outside = (0..4).filter(|&lane| !inside(lane)).fold(0, |all, lane| all | 1 << lane);
            wave.set_helpers(Mask::from_bits(outside));
            watchers.restart(u64::from(y) << 32 | u64::from(x));
            if let Err(trap) = watchers.main(&mut wave, Mask::ALL, world) {
                report.trap = Some(trap);
                break 'all;
            }
            let shown = wave.alive().without(wave.helpers()).bits();
            for lane in (0..4u32).filter(|&lane| inside(lane) && shown >> lane & 1 != 0) {
                let at = ((y + (lane >> 1)) as usize * width as usize + (x + (lane & 1)) as usize) * 4;
                for component in 0..4 {
                    let value = match colour.get(component) {
                        Some(&register) => f32::from_bits(wave.register(register)[lane as usize]),
                        None => f32::from(u8::from(component == 3)),
                    };
                    pixels[at + component] = (value.clamp(0.0, 1.0) * 255.0).round() as u8;
                }
            }
        }
    }
    picture::write(file, width, height, &pixels)?;
    Ok(report)
}

/// The registers of the colour that is shown: the output at location 0, else the first of floats.
fn colour(job: &Job<'_>) -> Option<Vec<Register>> {
    let types = &job.program.types;
    let mut floats = job.program.outputs().filter_map(|(variable, home)| {
        let element = match *types.get(variable.ty) {
            Type::Array { element, .. } => element,
            _ => variable.ty,
        };
        let float = types.scalar(element) == Some(Scalar::F32) && variable.name != "gl_FragDepth";
        let words = types.words(element).unwrap_or(0) as usize;
        float.then(|| (&variable.name, home.iter().take(words).collect::<Vec<_>>()))
    });
    let first = floats.next()?;
    let at_zero = floats.find(|(name, _)| {
        let row =
            job.shader.typed.variables.iter().find(|v| job.shader.preprocessed.symbols.name(v.name) == name.as_str());
        row.is_some_and(|row| row.qualifiers.layout.location == Some(0))
    });
    Some(at_zero.unwrap_or(first).1)
}

/// Output variables of a lane.
pub fn report_outputs<const W: usize>(wave: &WaveState<W>, lane: usize) -> Vec<(String, Value)> {
    let outputs = wave.program().outputs();
    outputs.map(|(row, home)| (row.name.clone(), Value::of_registers(wave, row.ty, home, lane))).collect()
}
