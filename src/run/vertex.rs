//! Vertex shaders, one invocation a vertex; and single invocations of the stages behind them.

use anyhow::{Context, bail};
use emulator::ir::Registers;
use emulator::{Value, Wave};
use lanes::Mask;

use super::fragment::report_outputs;
use super::report::{Invocation, Report};
use super::setting::{Assignment, scalar};
use super::single::Job;
use super::watchers::Watchers;
use super::world::World;
use crate::check::input;

/// Vertices of a file.
struct Table {
    attributes: Vec<Registers>,
    /// The words of each vertex, attribute after attribute.
    rows: Vec<Vec<u32>>,
}

fn prepared(job: &Job<'_>, world: &World) -> anyhow::Result<Wave<4>> {
    let mut wave = Wave::new(job.program, job.args.numerics.numerics());
    wave.initialize(Mask::ALL)?;
    for (number, unit) in world.units.iter().enumerate() {
        wave.set(unit.register, [number as u32; 4]);
    }
    job.values.iter().for_each(|value: &Assignment| value.apply(&mut wave));
    Ok(wave)
}

/// All vertices of `--vertex-data`, or one.
pub fn all<'a>(job: &Job<'a>, world: &mut World, watchers: &mut Watchers<'a>) -> anyhow::Result<Report> {
    let Some(file) = &job.args.vertex_data else { return single(job, world, watchers) };
    let table = read(job, file)?;
    let mut report = Report::new(Invocation::Vertices);
    if table.rows.is_empty() {
        bail!("{file} has no vertices");
    }
    watchers.start(job, 0b1111, 0)?;
    let template = prepared(job, world)?;
    for (batch, rows) in table.rows.chunks(4).enumerate() {
        let mut wave = template.clone();
        let first = batch as u32 * 4;
        if let Some((_, home)) = job.program.locate("gl_VertexID") {
            wave.set(home.start, [0, 1, 2, 3].map(|lane| first + lane));
        }
        for (word, register) in table.attributes.iter().flat_map(|home| home.iter()).enumerate() {
            wave.set(register, std::array::from_fn(|lane| rows.get(lane).map_or(0, |row| row[word])));
        }
        watchers.restart(u64::from(first));
        let lanes = Mask::from_bits((1 << rows.len()) - 1);
        report.trap = watchers.main(&mut wave, lanes, world).err();
        report.vertices.extend((0..rows.len()).map(|lane| report_outputs(&wave, lane)));
        if report.trap.is_some() {
            break;
        }
    }
    Ok(report)
}

/// One invocation, and the vertices it emits.
pub fn single<'a>(job: &Job<'a>, world: &mut World, watchers: &mut Watchers<'a>) -> anyhow::Result<Report> {
    watchers.start(job, 1, 0)?;
    world.outputs = job.program.outputs().flat_map(|(_, home)| home.iter()).collect();
    let mut wave = prepared(job, world)?;
    let trap = watchers.main(&mut wave, Mask::from_bits(1), world).err();
    let mut report = Report::new(Invocation::Single);
    for (_, _, words) in &world.emitted {
        let mut words = words.iter().copied();
        let values = job.program.outputs().map(|(row, home)| {
            let part: Vec<u32> = words.by_ref().take(home.len as usize).collect();
            (row.name.clone(), Value::of_words(&job.program.types, row.ty, part))
        });
        report.vertices.push(values.collect());
    }
    if world.emitted.is_empty() {
        report.outputs = report_outputs(&wave, 0);
    }
    report.trap = trap;
    Ok(report)
}

fn read(job: &Job<'_>, file: &str) -> anyhow::Result<Table> {
    let text = input::text(file)?;
    let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
    let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let words = |line: &str| -> Vec<String> {
        line.split(|c: char| c == ',' || c.is_whitespace()).filter(|w| !w.is_empty()).map(str::to_owned).collect()
    };
    let (_, header) = lines.next().with_context(|| format!("{file} is empty; its first line names attributes"))?;
    let mut attributes = Vec::new();
    let mut kinds = Vec::new();
    for name in words(header) {
        let Some((ty, home)) = job.program.locate(&name) else {
            bail!("{file}: the shader has no attribute {name}, or never uses it");
        };
        attributes.push(home);
        kinds.extend(job.program.types.scalars(ty));
    }
    let mut rows = Vec::new();
    for (number, line) in lines {
        let given = words(line);
        if given.len() != kinds.len() {
            bail!("{file}:{number}: {} columns are expected, there are {}", kinds.len(), given.len());
        }
        let mut row = Vec::new();
        for (word, &kind) in given.iter().zip(&kinds) {
            let bits = scalar(word, kind, "this attribute").with_context(|| format!("{file}:{number}"))?;
            row.push(bits as u32);
            if kind.is_wide() {
                row.push((bits >> 32) as u32);
            }
        }
        rows.push(row);
    }
    Ok(Table { attributes, rows })
}
