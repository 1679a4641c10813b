//! Which calls wrote the texels of an image.

use super::node::Node;
use super::value::Value;
use state::observer::ContentsRef;
use state::records::{Aspect, ClearValue, ImageRecords, Job, Pixels, RecordedWrite, Region, Texels};
use state::share::ShareGroup;

/// Returns the records of an image of a share group, by the group's index in the model; `None` when they are not known.
pub type Records<'r> = &'r dyn Fn(usize, ContentsRef) -> Option<&'r ImageRecords>;

/// The records of the images of one group, and the names of its objects.
pub struct Writers<'g, 'r> {
    /// The index of the group in the model.
    pub place: usize,
    /// The group; `None` for surfaces, which belong to no group.
    pub group: Option<&'g ShareGroup>,
    /// The records.
    pub records: Records<'r>,
}

impl Writers<'_, '_> {
    /// Adds the writes of an image, or of several layers: those that were written in the same way are shown together.
    pub fn put(&self, node: &mut Node, layers: &[ContentsRef]) {
        let mut told: Vec<(usize, usize, Vec<Node>)> = Vec::new();
        for (layer, thing) in layers.iter().enumerate() {
            let Some(records) = (self.records)(self.place, *thing) else { continue };
            let all = Region::whole(records.size().unwrap_or([u32::MAX; 2]));
            // Layers that were written together are copies of layers in the same order; the first one represents all.
            let entry = |(number, recorded)| self.entry(number, recorded, &all, layer as u32);
            let entries: Vec<Node> = records.writes().enumerate().map(entry).collect();
            match told.last_mut() {
                Some((_, end, before)) if *end == layer && *before == entries => *end += 1,
                _ => told.push((layer, layer + 1, entries)),
            }
        }
        match told.as_mut_slice() {
            [(_, _, entries)] => node.list("written", entries.drain(..)),
            several => {
                let branch = |(first, end, entries): &mut (usize, usize, Vec<Node>)| {
                    let mut branch = Node::branch(format!("{first}..{end}"));
                    entries.drain(..).for_each(|entry| branch.push(entry));
                    branch
                };
                node.list("written_layers", several.iter_mut().map(branch));
            }
        }
    }

    fn entry(&self, number: usize, recorded: &RecordedWrite, all: &Region, layer: u32) -> Node {
        let mut node = Node::leaf(number.to_string(), Value::Call(recorded.call));
        node.put("last", Value::Call(recorded.last), Value::Call(recorded.call));
        let region = &recorded.write.region;
        let part = if region == all {
            Value::text("all")
        } else {
            let ([x, y], [width, height]) = (region.at, region.size());
            Value::Text(format!("{width} x {height} at {x}, {y}"))
        };
        node.put("region", part, Value::text("all"));
        let aspect = match recorded.write.aspect {
            Aspect::All => "all",
            Aspect::Depth => "depth",
            Aspect::Stencil => "stencil",
        };
        node.put("aspect", Value::text(aspect), Value::text("all"));
        node.fact("from", Value::Text(self.origin(&recorded.write.texels, layer)));
        if let Texels::Memory { pixels, .. } | Texels::Buffer { pixels, .. } = &recorded.write.texels {
            layout(&mut node, pixels, layer);
        }
        node
    }

    fn origin(&self, texels: &Texels, layer: u32) -> String {
        match texels {
            Texels::Memory { .. } => super::buffer::MEMORY.to_owned(),
            Texels::Buffer { object, from, .. } => format!("{}, from byte {from}", self.buffer(*object)),
            Texels::Image { of, from: [x, y], exact } => {
                let changed = if *exact { "" } else { ", changed on the way" };
                format!("{}, from {x}, {y}{changed}", self.image(of, layer))
            }
            Texels::Clear(value) => format!("a clear with {}", clear(value)),
            Texels::Gpu(job) => match job {
                Job::Draw => "drawing",
                Job::Dispatch => "a compute shader",
                Job::Mipmap => "mipmap generation",
                Job::Clear => "a clear with a mask or conditional rendering",
                Job::Transfer => "pixels that GL converted",
                Job::Several => "many writes",
            }
            .to_owned(),
            Texels::Undefined => "undefined".to_owned(),
        }
    }

    fn buffer(&self, object: u64) -> String {
        let buffers = self.group.into_iter().flat_map(|group| group.buffers.iter());
        let mut name = buffers.filter(|(_, found)| found.object == object).map(|(name, _)| name);
        name.next().map_or_else(|| "a buffer".to_owned(), |name| format!("buffer/{name}"))
    }

    /// Returns the name of an image; `layer` is its distance from the first of the layers that are shown together.
    fn image(&self, thing: &ContentsRef, layer: u32) -> String {
        match *thing {
            ContentsRef::Image { object, level, layer: own } => {
                let textures = self.group.into_iter().flat_map(|group| group.textures.iter());
                let name = textures.filter(|(_, found)| found.object == object).map(|(name, _)| name).next();
                let name = name.map_or_else(|| "a texture".to_owned(), |name| format!("texture/{name}"));
                let first = own.saturating_sub(layer);
                let layer = if first == 0 { String::new() } else { format!(", layer {first}") };
                format!("{name}, level {level}{layer}")
            }
            ContentsRef::Renderbuffer { object } => {
                let all = self.group.into_iter().flat_map(|group| group.renderbuffers.iter());
                let name = all.filter(|(_, found)| found.object == object).map(|(name, _)| name).next();
                name.map_or_else(|| "a renderbuffer".to_owned(), |name| format!("renderbuffer/{name}"))
            }
            ContentsRef::Surface { surface, plane } => {
                let plane = api::enums::any_name(api::Library::Gl, plane.into()).unwrap_or("another plane");
                format!("surface/{surface}, {plane}")
            }
            _ => "something else".to_owned(),
        }
    }
}

/// Adds the memory layout of pixels, for the first of the layers that are shown together.
fn layout(node: &mut Node, pixels: &Pixels, layer: u32) {
    let name = |value| match Value::gl(value) {
        Value::Enum(name) => name.to_owned(),
        _ => format!("{value:#x}"),
    };
    let what = if pixels.format == 0 { String::new() } else { format!("{} ", name(pixels.format)) };
    node.detail("pixels", Value::Text(format!("{what}{}", name(pixels.kind))));
    node.detail("row", Value::Bytes(pixels.row));
    node.detail("skipped", Value::Bytes(pixels.first.saturating_sub(pixels.image * u64::from(layer))));
    if pixels.swapped {
        node.detail("swapped", Value::Truth(true));
    }
}

fn clear(value: &ClearValue) -> String {
    let list = |numbers: Vec<String>| format!("({})", numbers.join(", "));
    match value {
        ClearValue::Floats(four) => list(four.iter().map(f32::to_string).collect()),
        ClearValue::Integers(four) => list(four.iter().map(i32::to_string).collect()),
        ClearValue::Unsigned(four) => list(four.iter().map(u32::to_string).collect()),
        ClearValue::Depth(depth) => depth.to_string(),
        ClearValue::Stencil(stencil) => stencil.to_string(),
        ClearValue::Pixel { .. } => "a pixel from the program's memory".to_owned(),
        ClearValue::Zero => "zeros".to_owned(),
    }
}
