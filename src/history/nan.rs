//! The first NaN of a frame, and what was written with one.

use std::fmt::Write as _;
use std::time::Instant;

use session::{NanOrigin, NanRequest, NanSearch, Nonfinite, Number, Session, TexelValue};

use super::Args;
use crate::amount::count;
use crate::amount::plural;
use crate::cli::{Outcome, complain};
use crate::json;
use crate::json::history::NanDocument;
use crate::out;
use crate::progress::asked;

/// Searches for it and prints what was found.
pub fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let numbers = if args.nan { Nonfinite::Nan } else { Nonfinite::NanOrInfinite };
    asked(session, Session::index_writes)?;
    let start = Instant::now();
    let request = NanRequest { frame: args.frame, numbers, maps: args.maps() };
    let found = asked(session, |session| session.find_nan(&request))?;
    let seconds = start.elapsed().as_secs_f64();
    if args.json {
        json::print(&NanDocument { search: &found, seconds })?;
    } else {
        out::print(&text(&found, numbers, &|command| session.call_title(command)))?;
    }
    if found.first.is_some() {
        return Ok(Outcome::No);
    }
    // Where some draws could not be searched, "none was found" is not "there is none".
    let missing = found.notes.len();
    if missing > 0 {
        let draws = count(found.draws as u64, "draw");
        let reason = found.notes.first().map_or(String::new(), |note| format!(" ({note})"));
        complain(&format!(
            "{missing} of {draws} could not be searched, so it is not known whether there is one{reason}"
        ));
        return Ok(Outcome::Unserved);
    }
    Ok(Outcome::Done)
}

/// What was found, for people.
pub fn text(found: &NanSearch, numbers: Nonfinite, names: &dyn Fn(u64) -> String) -> String {
    let (mut out, frame) = (String::new(), found.frame);
    let what = match numbers {
        Nonfinite::Nan => "NaN",
        Nonfinite::NanOrInfinite => "NaN or infinity",
    };
    match &found.first {
        None => {
            let searched = found.draws.saturating_sub(found.notes.len()) as u64;
            let draws = match found.notes.len() {
                0 => plural(searched, "draw"),
                _ => format!("the {} that could be searched", count(searched, "draw")),
            };
            let _ = writeln!(out, "frame {frame}: no {what} reaches an image in {draws}");
        }
        Some(birth) => {
            let [x, y] = birth.pixel;
            let among = if found.notes.is_empty() { "" } else { " of the draws that could be searched" };
            let _ = writeln!(
                out,
                "frame {frame}: the first {what}{among} is written by command {} {} at pixel {x}, {y}",
                birth.command,
                names(birth.command)
            );
            for output in &birth.outputs {
                let _ = writeln!(out, "  gives {} to draw buffer {}", channels(&output.value), output.draw_buffer);
            }
            let _ = writeln!(out, "  {}", origin(&birth.origin));
            let _ = writeln!(out, "\nwhat was written with one");
            for spread in &found.spread {
                let [left, bottom, width, height] = spread.bounds;
                let _ = writeln!(
                    out,
                    "{:>7} {:<26} {:<12} {:<14} {:>7} pixels within {width}x{height} at {left}, {bottom}; {} hold one after it{}",
                    spread.command,
                    names(spread.command),
                    spread.plane.to_string(),
                    spread.image,
                    spread.pixels,
                    spread.stored,
                    match spread.inherited {
                        Some(true) => "; it reads images that hold one",
                        Some(false) => "; nothing that it reads holds one",
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

fn channels(value: &TexelValue) -> String {
    match value {
        TexelValue::Float(channels) => channels.map(|channel| channel.to_string()).join(" "),
        TexelValue::Int(channels) => channels.map(|channel| channel.to_string()).join(" "),
        TexelValue::Uint(channels) => channels.map(|channel| channel.to_string()).join(" "),
        TexelValue::Depth(depth) => depth.to_string(),
        TexelValue::Stencil(value) => value.to_string(),
    }
}

fn list(values: &[f64]) -> String {
    values.iter().map(|value| (*value as f32).to_string()).collect::<Vec<_>>().join(" ")
}

fn origin(origin: &NanOrigin) -> String {
    let joined = |values: &[Number]| values.iter().map(|Number(value)| value.to_string()).collect::<Vec<_>>().join(" ");
    match origin {
        NanOrigin::Computed { line, text, message, operands, result } => {
            let operands: Vec<String> = operands.iter().map(|values| format!("({})", list(values))).collect();
            let result = result.as_ref().map_or(String::new(), |values| format!(" gives ({})", list(&values.0)));
            format!("line {line}: `{text}`: {message}; operands {}{result}", operands.join(", "))
        }
        NanOrigin::Input { name, values } => format!("it comes in as {name}: {}", joined(values)),
        NanOrigin::Texel { image, at: [x, y], value, line } => {
            let line = line.map_or(String::new(), |line| format!("line {line}: "));
            format!("{line}it was read at {x}, {y} of {image}: {}", channels(value))
        }
        NanOrigin::Vertex { vertex, instance, output, values, from } => {
            let (values, from) = (joined(values), self::origin(from));
            format!("vertex {vertex} of instance {instance} gives it out in {output} ({values}): {from}")
        }
        NanOrigin::Unknown { why } => format!("where it comes from is not known: {why}"),
    }
}
