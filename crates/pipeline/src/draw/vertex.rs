//! Vertex fetch and vertex shaders.

use lanes::Mask;
use raster::Topology;

use super::{DrawCall, DrawError, Stream, Vertices, trapped};
use crate::host::{Resources, World};
use crate::program::{Program, StageProgram};
use crate::run::{Records, Runner};
use crate::state::{Attribute, State};

/// The number of lanes per wave.
const W: usize = crate::GROUP as usize;

/// Shades all vertices of an instance, each once.
pub(super) fn run(
    state: &State,
    resources: &mut Resources,
    program: &Program,
    stage: &StageProgram,
    call: &DrawCall<'_>,
    instance: u32,
) -> Result<Stream, DrawError> {
    let (ids, indices, base) = vertices(state, call);
    let mut records = Records::new(stage.record);
    records.words.reserve(ids.len() * records.stride);
    let mut runner: Runner<'_, W> = Runner::new(program, stage, state);
    let failed = trapped(stage);
    for chunk in ids.chunks(W) {
        let mask = Mask::from_bits(u64::MAX >> (64 - chunk.len()));
        runner.begin(mask).map_err(&failed)?;
        fetch(&mut runner, state, &resources.buffers, program, chunk, (instance, call.base_instance));
        numbers(&mut runner, chunk, base, instance, call.base_instance);
        let slots = std::mem::take(&mut runner.slots);
        let mut world = World { resources, slots: &slots, memory: &mut [], quad: None, emitted: None };
        runner.main(mask, &mut world).map_err(&failed)?;
        runner.slots = slots;
        (0..chunk.len()).for_each(|lane| records.push(runner.outputs(lane)));
    }
    let restart = indices.as_ref().and(Some(u32::MAX));
    Ok(Stream { records, topology: Topology::Points, indices, restart, patches: Vec::new() })
}

/// The vertices to shade, the indices into them if any, and `gl_BaseVertex`.
fn vertices(state: &State, call: &DrawCall<'_>) -> (Vec<u32>, Option<Vec<u32>>, u32) {
    match call.vertices {
        Vertices::Range { first, count } => ((first..first.saturating_add(count)).collect(), None, first),
        Vertices::Indices { indices, base } => {
            let restarts = |index: u32| state.raster.restart == Some(index);
            let vertex = |index: u32| index.wrapping_add_signed(base);
            let mut ids: Vec<u32> = indices.iter().filter(|i| !restarts(**i)).map(|i| vertex(*i)).collect();
            ids.sort_unstable();
            ids.dedup();
            let place = |index: &u32| match restarts(*index) {
                true => u32::MAX,
                false => ids.binary_search(&vertex(*index)).map_or(u32::MAX, |at| at as u32),
            };
            let order = indices.iter().map(place).collect();
            (ids, Some(order), base.cast_unsigned())
        }
    }
}

fn fetch(
    runner: &mut Runner<'_, W>,
    state: &State,
    buffers: &[Vec<u8>],
    program: &Program,
    ids: &[u32],
    instance: (u32, u32),
) {
    for attribute in &program.attributes {
        for (column, registers) in attribute.columns.iter().enumerate() {
            let from = match attribute.location {
                Some(location) => Attribute::Generic(location.saturating_add(column as u32)),
                None => match conventional(&attribute.name) {
                    Some(attribute) => attribute,
                    None => continue,
                },
            };
            let mut words = [[0; W]; 8];
            for (lane, &id) in ids.iter().enumerate() {
                let value = state.arrays.fetch(buffers, from, id, instance, attribute.scalar);
                (0..8).for_each(|i| words[i][lane] = value[i]);
            }
            // The layout counts words for 64-bit components too.
            let words = words.iter().skip(attribute.component as usize);
            registers.iter().zip(words).for_each(|(register, values)| runner.wave.set(register, *values));
        }
    }
}

fn conventional(name: &str) -> Option<Attribute> {
    Some(match name {
        "gl_Vertex" => Attribute::Vertex,
        "gl_Normal" => Attribute::Normal,
        "gl_Color" => Attribute::Color,
        "gl_SecondaryColor" => Attribute::SecondaryColor,
        "gl_FogCoord" => Attribute::FogCoord,
        _ => Attribute::TexCoord(name.strip_prefix("gl_MultiTexCoord")?.parse().ok()?),
    })
}

/// Sets `gl_VertexID` and similar inputs.
fn numbers(runner: &mut Runner<'_, W>, ids: &[u32], base: u32, instance: u32, base_instance: u32) {
    let stage = runner.stage;
    for slot in stage.inputs.iter().filter(|slot| slot.builtin) {
        let Some(&register) = slot.words.first() else { continue };
        let values = match slot.name.as_str() {
            "gl_VertexID" => std::array::from_fn(|lane| ids.get(lane).copied().unwrap_or(0)),
            "gl_InstanceID" | "gl_InstanceIDARB" | "gl_InstanceIDEXT" => [instance; W],
            "gl_BaseVertex" | "gl_BaseVertexARB" => [base; W],
            "gl_BaseInstance" | "gl_BaseInstanceARB" => [base_instance; W],
            _ => continue,
        };
        runner.set(register, values);
    }
}
