//! A history as a JSON document.

use open_trace::Replaced;
use raster::Color;
use recall::{Edge, Fragment, History, Node, Subject, Value, Verdict, Why};
use reenact::fragment_ops::Fate;
use serde_json::{Value as Json, json};
use state::Model;

use super::Seconds;

/// The document.
pub fn document(history: &History, model: &Model, seconds: &Seconds) -> Json {
    let place = &history.place;
    let mut document = json!({
        "target": place.name(model),
        "pixel": place.at,
        "before_command": history.until,
        "value": history.value.as_ref().map(value),
        "left_out": { "light": history.cut.light, "deep": history.cut.deep, "many": history.cut.many },
        "notes": history.notes,
        "seconds": { "open": seconds.open, "history": seconds.history, "again": seconds.again },
    });
    // Long lists are moved: the macro would copy them.
    document["rows"] = history.rows.iter().map(|row| node(row, model)).collect();
    document["nodes"] = history.nodes.iter().map(|one| node(one, model)).collect();
    document["edges"] = history.edges.iter().map(edge).collect();
    document
}

fn node(node: &Node, model: &Model) -> Json {
    let (verdict, detail) = verdict(&node.verdict);
    json!({
        "id": node.id.0,
        "kind": node.kind.word(),
        "command": node.call,
        "frame": node.frame,
        "image": node.place.name(model),
        "at": node.place.at,
        "sample": node.place.sample,
        "passes": node.depth,
        "subject": subject(&node.subject, model),
        "fragment": node.fragment.as_ref().map(fragment),
        "before": node.before.as_ref().map(value),
        "after": node.after.as_ref().map(value),
        "emulated": node.emulated.as_ref().map(value),
        "verdict": verdict,
        "detail": detail,
        "weight": node.weight,
        "texels": node.texels,
    })
}

/// What a node is about, where that is not a texel.
fn subject(subject: &Subject, model: &Model) -> Json {
    let values = |list: &[(String, Vec<f64>)]| {
        let one = |(name, numbers): &(String, Vec<f64>)| {
            (name.clone(), Json::Array(numbers.iter().map(|value| number(*value as f32)).collect()))
        };
        Json::Object(list.iter().map(one).collect())
    };
    match subject {
        Subject::Texel => Json::Null,
        Subject::Vertex(vertex) => json!({
            "vertex": vertex.number,
            "instance": vertex.instance,
            "part": vertex.part,
            "inputs": values(&vertex.inputs),
            "outputs": values(&vertex.outputs),
        }),
        Subject::Run(run) => json!({
            "stage": run.stage.name(),
            "primitive": run.primitive,
            "invocation": run.invocation,
            "coords": run.coords.map(|coords| coords.map(number)),
            "inputs": values(&run.inputs),
            "outputs": values(&run.outputs),
        }),
        Subject::Bytes(range) => json!({
            "buffer": super::image(range.cell, model),
            "from": range.from,
            "to": range.to,
        }),
        Subject::Uniform { program, name } => json!({ "program": program, "uniform": &**name }),
        Subject::Attribute { name } => json!({ "attribute": &**name }),
        Subject::Invocation(id) => json!({ "invocation": id }),
    }
}

fn fragment(fragment: &Fragment) -> Json {
    json!({
        "order": fragment.order,
        "primitive": fragment.primitive,
        "depth": number(fragment.depth),
        "front": fragment.front,
        "fate": fate(fragment.fate),
        "measured": fragment.measured.map(colour),
        "emulated": fragment.emulated.map(colour),
        "fixed": fragment.stand_in == Some(Replaced::FixedFunctions),
        "assembly": fragment.stand_in == Some(Replaced::Assembly),
    })
}

/// A word for what became of a fragment.
pub fn fate(fate: Fate) -> &'static str {
    match fate {
        Fate::RasterizerOff => "not rasterised",
        Fate::Culled => "culled",
        Fate::Scissor => "scissored",
        Fate::Stipple => "stippled",
        Fate::Discarded => "discarded",
        Fate::SampleMask => "sample masked",
        Fate::Alpha => "failed alpha",
        Fate::Stencil => "failed stencil",
        Fate::Depth => "failed depth",
        Fate::Masked => "masked",
        Fate::Written { .. } => "written",
    }
}

/// A word for a verdict, and what more there is to say.
pub fn verdict(verdict: &Verdict) -> (&'static str, Json) {
    match verdict {
        Verdict::Equal => ("equal", Json::Null),
        Verdict::Within(units) => ("within", json!(units)),
        Verdict::Differs(units) => ("differs", json!(units)),
        Verdict::Unchecked(why) => ("unchecked", json!(why)),
    }
}

fn edge(edge: &Edge) -> Json {
    let mut one =
        json!({ "from": edge.from.0, "to": edge.to.0, "at": edge.at, "sample": edge.sample, "weight": edge.weight });
    let (why, more) = match &edge.why {
        Why::Texel { sampler, line } => ("texel", json!({ "sampler": &**sampler, "line": line })),
        Why::Blended => ("blended", Json::Null),
        Why::Copied => ("copied", Json::Null),
        Why::Filtered => ("filtered", Json::Null),
        Why::Interpolated { vertex } => ("interpolated", json!({ "vertex": vertex })),
        Why::Assembled { vertex } => ("assembled", json!({ "vertex": vertex })),
        Why::Attribute { name } => ("attribute", json!({ "name": &**name })),
        Why::Uniform { name } => ("uniform", json!({ "name": &**name })),
        Why::Bytes { block } => ("bytes", json!({ "block": &**block })),
    };
    one["why"] = json!(why);
    if let Json::Object(more) = more {
        for (key, value) in more {
            one[key] = value;
        }
    }
    one
}

/// What a texel holds.
pub fn value(value: &Value) -> Json {
    match value {
        Value::Colour(color) => colour(*color),
        Value::Depth(depth) => number(*depth),
        Value::Stencil(stencil) => json!(stencil),
    }
}

/// The channels of a colour.
pub fn colour(color: Color) -> Json {
    match color {
        Color::Float(channels) => Json::Array(channels.map(number).to_vec()),
        Color::Int(channels) => json!(channels),
        Color::Uint(channels) => json!(channels),
    }
}

/// A number; JSON has none that are none.
pub fn number(value: f32) -> Json {
    if value.is_nan() {
        return json!("NaN");
    }
    match value {
        f32::INFINITY => json!("Infinity"),
        f32::NEG_INFINITY => json!("-Infinity"),
        // The shortest decimal that is this float, and not the digits of a wider one.
        value => value.to_string().parse().map_or(Json::Null, |wide: f64| json!(wide)),
    }
}
