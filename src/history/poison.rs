//! The first NaN of a frame, and what it poisoned.

use std::fmt::Write as _;
use std::io::Write;
use std::time::Instant;

use anyhow::Context;
use inquiry::Inquiry;
use raster::Color;
use recall::{Birth, Origin, Poison, Recall, Spread, Wrong};
use reenact::fragment_ops::Role;
use serde_json::{Value as Json, json};

use super::{Args, json};
use crate::cli::Outcome;
use crate::progress::{Line, PATIENCE};

/// Looks for it and prints what was found.
pub fn run(args: &Args, inquiry: &mut Inquiry) -> anyhow::Result<Outcome> {
    let reader = inquiry.reader();
    let last = || reader.frame_of(reader.presents().last().copied().unwrap_or_else(|| reader.len().saturating_sub(1)));
    let frame = args.frame.unwrap_or_else(last);
    let calls = reader.frame(frame);
    let calls = calls.with_context(|| format!("the trace has {} frames, from 0", reader.frame_count()))?;
    let wrong = if args.nan { Wrong::NotANumber } else { Wrong::NotFinite };
    let mut line = Line::after(PATIENCE);
    let mut recall = Recall::new(inquiry, &mut |call| line.show(|| format!("{call} commands read")))?;
    recall.use_maps(args.maps());
    let start = Instant::now();
    let found = recall.poison(calls.start..calls.end, wrong, &mut |done, all| {
        line.show(|| format!("{done} of {all} draws looked at"));
    });
    line.clear();
    let found = found?;
    let mut out = std::io::stdout().lock();
    if args.json {
        let document = document(&found, frame, start.elapsed().as_secs_f64());
        writeln!(out, "{}", serde_json::to_string_pretty(&document)?)?;
    } else {
        let reader = recall.inquiry().reader();
        let names = |call| reader.call_at(call).map_or(String::new(), |held| held.call().name().to_owned());
        write!(out, "{}", text(&found, frame, wrong, &names))?;
    }
    Ok(if found.first.is_some() { Outcome::No } else { Outcome::Done })
}

/// What was found, for people.
pub fn text(found: &Poison, frame: usize, wrong: Wrong, names: &dyn Fn(u64) -> String) -> String {
    let mut out = String::new();
    let what = match wrong {
        Wrong::NotANumber => "NaN",
        Wrong::NotFinite => "NaN or infinity",
    };
    match &found.first {
        None => {
            let _ = writeln!(out, "frame {frame}: no {what} reaches an image in {} draws", found.draws);
        }
        Some(birth) => {
            let [x, y] = birth.at;
            let _ = writeln!(
                out,
                "frame {frame}: the first {what} is written by command {} {} at pixel {x}, {y}",
                birth.call,
                names(birth.call)
            );
            for (buffer, color) in &birth.colours {
                let _ = writeln!(out, "  gives {} to draw buffer {buffer}", numbers(*color));
            }
            let _ = writeln!(out, "  {}", origin(&birth.origin));
            let _ = writeln!(out, "\nwhat was written with one");
            for spread in &found.spread {
                let [left, bottom, width, height] = spread.bounds;
                let _ = writeln!(
                    out,
                    "{:>7} {:<26} {:<12} {:<14} {:>7} pixels within {width}x{height} at {left}, {bottom}; {} hold one after it{}",
                    spread.call,
                    names(spread.call),
                    plane(spread.role),
                    spread.image,
                    spread.pixels,
                    spread.stored,
                    match spread.inherited {
                        Some(true) => ", and it may have been read",
                        Some(false) => ", and none can have been read",
                        None => "",
                    }
                );
            }
        }
    }
    for note in &found.notes {
        let _ = writeln!(out, "note: {note}");
    }
    out
}

fn numbers(color: Color) -> String {
    match color {
        Color::Float(channels) => channels.map(|channel| channel.to_string()).join(" "),
        Color::Int(channels) => channels.map(|channel| channel.to_string()).join(" "),
        Color::Uint(channels) => channels.map(|channel| channel.to_string()).join(" "),
    }
}

fn list(values: &[f64]) -> String {
    values.iter().map(|value| (*value as f32).to_string()).collect::<Vec<_>>().join(" ")
}

fn origin(origin: &Origin) -> String {
    match origin {
        Origin::Computed { line, text, message, operands, result } => {
            let operands: Vec<String> = operands.iter().map(|values| format!("({})", list(values))).collect();
            let result = result.as_ref().map_or(String::new(), |values| format!(" gives ({})", list(values)));
            format!("line {line}: `{text}`: {message}; operands {}{result}", operands.join(", "))
        }
        Origin::Input { name, values } => {
            let values = values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
            format!("it comes in as {name}: {values}")
        }
        Origin::Texel { image, at: [x, y], value, line } => {
            let value = if let recall::Value::Colour(color) = value { numbers(*color) } else { String::new() };
            let line = line.map_or(String::new(), |line| format!("line {line}: "));
            format!("{line}it was read at {x}, {y} of {image}: {value}")
        }
        Origin::Vertex { vertex: [vertex, instance], output, values, from } => {
            let values = values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
            let from = self::origin(from);
            format!("vertex {vertex} of instance {instance} gives it out in {output} ({values}): {from}")
        }
        Origin::Unknown(why) => format!("where it comes from is not known: {why}"),
    }
}

fn plane(role: Role) -> String {
    match role {
        Role::Colour(buffer) => format!("colour:{buffer}"),
        Role::Depth => "depth".to_owned(),
        Role::Stencil => "stencil".to_owned(),
    }
}

fn document(found: &Poison, frame: usize, seconds: f64) -> Json {
    json!({
        "frame": frame,
        "draws": found.draws,
        "first": found.first.as_ref().map(birth),
        "spread": found.spread.iter().map(spread).collect::<Vec<_>>(),
        "notes": found.notes,
        "seconds": seconds,
    })
}

fn birth(birth: &Birth) -> Json {
    let colours = birth.colours.iter();
    json!({
        "command": birth.call,
        "pixel": birth.at,
        "primitive": birth.primitive,
        "outputs": colours.map(|(buffer, color)| json!({ "draw_buffer": buffer, "value": json::colour(*color) })).collect::<Vec<_>>(),
        "origin": origin_document(&birth.origin),
    })
}

fn origin_document(origin: &Origin) -> Json {
    let floats = |values: &[f64]| values.iter().map(|value| json::number(*value as f32)).collect::<Vec<_>>();
    match origin {
        Origin::Computed { line, text, message, operands, result } => json!({
            "kind": "computed",
            "line": line,
            "text": text,
            "message": message,
            "operands": operands.iter().map(|values| floats(values)).collect::<Vec<_>>(),
            "result": result.as_ref().map(|values| floats(values)),
        }),
        Origin::Input { name, values } => json!({
            "kind": "input",
            "name": name,
            "values": values.iter().map(|value| json::number(*value)).collect::<Vec<_>>(),
        }),
        Origin::Texel { image, at, value, line } => {
            json!({ "kind": "texel", "image": image, "at": at, "value": json::value(value), "line": line })
        }
        Origin::Vertex { vertex: [vertex, instance], output, values, from } => json!({
            "kind": "vertex",
            "vertex": vertex,
            "instance": instance,
            "output": output,
            "values": values.iter().map(|value| json::number(*value)).collect::<Vec<_>>(),
            "from": origin_document(from),
        }),
        Origin::Unknown(why) => json!({ "kind": "unknown", "why": why }),
    }
}

fn spread(spread: &Spread) -> Json {
    json!({
        "command": spread.call,
        "plane": plane(spread.role),
        "image": spread.image,
        "pixels": spread.pixels,
        "bounds": spread.bounds,
        "stored": spread.stored,
        "inherited": spread.inherited,
    })
}
