//! The driver's image of a scene, drawn in a worker process.

use std::time::Instant;

use anyhow::Context as _;
use driver::{Channel, Context, DriverError, Image, ImageFormat, ImageTarget, Output, Render, Shape, Tile};
use serde_json::{Value, json};
use shader::version::Stage;

use lab::surround::CORNER;

use super::scene::Scene;
use super::values::{Leaf, Range, SIDE, tiles};

/// Side in pixels of an image that is drawn only to be timed.
pub const LARGE: u16 = 512;

const CHANNELS: [Channel; 3] = [Channel::Float, Channel::Int, Channel::Uint];
const RANGES: [Range; 8] =
    [Range::Usual, Range::Wide, Range::Positive, Range::Unit, Range::Shift, Range::Divisor, Range::Tile, Range::Bool];

const TARGETS: [ImageTarget; 8] = [
    ImageTarget::D1,
    ImageTarget::D2,
    ImageTarget::D3,
    ImageTarget::Cube,
    ImageTarget::D1Array,
    ImageTarget::D2Array,
    ImageTarget::CubeArray,
    ImageTarget::Rectangle,
];
const FORMATS: [ImageFormat; 5] =
    [ImageFormat::Rgba8, ImageFormat::Rgba32F, ImageFormat::Rgba32I, ImageFormat::Rgba32Ui, ImageFormat::Depth32F];

/// Returns a scene as a job for a worker.
pub fn job(scene: &Scene) -> Value {
    let channel = |c: Channel| CHANNELS.iter().position(|other| *other == c);
    let outputs: Vec<Value> = scene.outputs.iter().map(|o| json!([o.name, channel(o.channel)])).collect();
    let leaf = |l: &Leaf| {
        let range = RANGES.iter().position(|other| *other == l.range);
        json!([l.name, channel(l.channel), l.shape.columns, l.shape.rows, range])
    };
    let leaves: Vec<Value> = scene.leaves.iter().map(leaf).collect();
    let image = |i: &Image| {
        let target = TARGETS.iter().position(|other| *other == i.target);
        let format = FORMATS.iter().position(|other| *other == i.format);
        json!([i.name, target, format, i.size, i.linear, i.compare, i.data])
    };
    let images: Vec<Value> = scene.images.iter().map(image).collect();
    json!({
        "api": scene.api.name(),
        "render": {
            "vertex": scene.vertex,
            "fragment": scene.fragment,
            "outputs": outputs,
            "leaves": leaves,
            "images": images,
        },
    })
}

/// Replies to a job: hexadecimal words for each output, null for an inactive one; or why there is no image.
pub fn reply(context: &Context, job: &Value) -> anyhow::Result<Value> {
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    let number = |v: &Value| v.as_u64().and_then(|n| usize::try_from(n).ok()).context("a job lacks a number");
    let list = |v: &Value| v.as_array().cloned().unwrap_or_default();
    let mut outputs = Vec::new();
    for output in list(&job["outputs"]) {
        outputs.push(Output { name: text(&output[0]), channel: CHANNELS[number(&output[1])? % 3] });
    }
    let mut leaves = Vec::new();
    for leaf in list(&job["leaves"]) {
        leaves.push(Leaf {
            name: text(&leaf[0]),
            channel: CHANNELS[number(&leaf[1])? % 3],
            shape: Shape { columns: number(&leaf[2])? as u8, rows: number(&leaf[3])? as u8 },
            range: RANGES[number(&leaf[4])? % RANGES.len()],
        });
    }
    let mut images = Vec::new();
    for image in list(&job["images"]) {
        let mut size = [1; 3];
        for (edge, value) in size.iter_mut().zip(list(&image[3])) {
            *edge = number(&value)? as u16;
        }
        images.push(Image {
            name: text(&image[0]),
            target: TARGETS[number(&image[1])? % TARGETS.len()],
            format: FORMATS[number(&image[2])? % FORMATS.len()],
            size,
            linear: image[4] == true,
            compare: image[5] == true,
            sampling: driver::ImageSampling::default(),
            data: list(&image[6]).iter().map(|byte| byte.as_u64().unwrap_or(0) as u8).collect(),
        });
    }
    let vertex = text(&job["vertex"]);
    let fragment: Vec<String> = list(&job["fragment"]).iter().map(text).collect();
    let fragment: Vec<&str> = fragment.iter().map(String::as_str).collect();
    if let Some(draws) = job["draws"].as_u64() {
        let whole =
            Tile { rectangle: [0, 0, LARGE, LARGE], uniforms: leaves.iter().map(|leaf| leaf.uniform(0)).collect() };
        let shaders: &[(Stage, &[&str])] = &[(Stage::Vertex, &[&vertex]), (Stage::Fragment, &fragment)];
        let tiles = vec![whole; usize::try_from(draws)?];
        let (outputs, images) = (&outputs, &images);
        let render = Render { shaders, corner: CORNER, size: [LARGE; 2], outputs, images, tiles: &tiles };
        let start = Instant::now();
        context.render(&render)?;
        return Ok(json!({ "seconds": start.elapsed().as_secs_f64() }));
    }
    let render = Render {
        shaders: &[(Stage::Vertex, &[&vertex]), (Stage::Fragment, &fragment)],
        corner: CORNER,
        size: [SIDE; 2],
        outputs: &outputs,
        images: &images,
        tiles: &tiles(&leaves),
    };
    match context.render(&render) {
        Ok(pictures) => {
            let hexadecimal = |words: Vec<u32>| words.iter().map(|w| format!("{w:08x}")).collect::<String>();
            Ok(json!({ "pictures": pictures.into_iter().map(|p| p.map(hexadecimal)).collect::<Vec<_>>() }))
        }
        Err(DriverError::NotLinked { log }) => Ok(json!({ "refused": log.lines().next().unwrap_or_default() })),
        Err(error @ DriverError::Gl { .. }) => Ok(json!({ "refused": error.to_string() })),
        Err(error) => Err(error.into()),
    }
}

/// Returns the images in a reply, or why there are none.
pub fn pictures(reply: &Value) -> Result<Vec<Option<Vec<[u32; 4]>>>, String> {
    if let Some(why) = reply["refused"].as_str() {
        return Err(why.to_owned());
    }
    let read = |picture: &Value| {
        let text = picture.as_str()?;
        let word = |at: usize| u32::from_str_radix(text.get(at..at + 8)?, 16).ok();
        (0..text.len() / 32)
            .map(|pixel| {
                Some([word(pixel * 32)?, word(pixel * 32 + 8)?, word(pixel * 32 + 16)?, word(pixel * 32 + 24)?])
            })
            .collect()
    };
    reply["pictures"].as_array().map(|list| list.iter().map(read).collect()).ok_or_else(|| "nonsense".to_owned())
}
