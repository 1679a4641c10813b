//! The driver's picture of a scene, made in a worker process.

use anyhow::Context as _;
use driver::{Channel, Context, DriverError, Output, Render, Shape, Stage};
use serde_json::{Value, json};

use super::scene::{CORNER, Scene};
use super::values::{Leaf, Range, SIDE, tiles};

const CHANNELS: [Channel; 3] = [Channel::Float, Channel::Int, Channel::Uint];
const RANGES: [Range; 8] =
    [Range::Usual, Range::Wide, Range::Positive, Range::Unit, Range::Shift, Range::Divisor, Range::Tile, Range::Bool];

/// A scene as a job for a worker.
pub fn job(scene: &Scene) -> Value {
    let channel = |c: Channel| CHANNELS.iter().position(|other| *other == c);
    let outputs: Vec<Value> = scene.outputs.iter().map(|o| json!([o.name, channel(o.channel)])).collect();
    let leaf = |l: &Leaf| {
        let range = RANGES.iter().position(|other| *other == l.range);
        json!([l.name, channel(l.channel), l.shape.columns, l.shape.rows, range])
    };
    let leaves: Vec<Value> = scene.leaves.iter().map(leaf).collect();
    json!({
        "api": scene.api.name(),
        "render": { "vertex": scene.vertex, "fragment": scene.fragment, "outputs": outputs, "leaves": leaves },
    })
}

/// Answers a job: hexadecimal words for each output, null for one that is not active; or why there is no picture.
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
    let vertex = text(&job["vertex"]);
    let fragment: Vec<String> = list(&job["fragment"]).iter().map(text).collect();
    let fragment: Vec<&str> = fragment.iter().map(String::as_str).collect();
    let render = Render {
        shaders: &[(Stage::Vertex, &[&vertex]), (Stage::Fragment, &fragment)],
        corner: CORNER,
        size: [SIDE; 2],
        outputs: &outputs,
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

/// The pictures in a reply, or why there are none.
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
