//! What the pixel picker asks for, and what else the protocol has no word for.

use serde_json::{Value, json};

use super::{Adapter, After};
use crate::base64;
use crate::protocol::Request;
use crate::protocol::arguments::{Follow, Picture};
use crate::refusal::Refusal;

impl Adapter {
    /// `afterimage/picture`: what a frame shows at its end, or what is drawn to after a command.
    pub(super) fn picture(&mut self, request: &Request) -> Result<Value, Refusal> {
        let wanted: Picture = request.arguments()?;
        let session = self.session()?;
        let frames = session.frames();
        let inside =
            |command: u64| frames.iter().find(|frame| frame.first_command <= command && command <= frame.last_command);
        // A frame in which nothing is drawn shows nothing: then the one before it is better than none.
        let candidates: Vec<(u64, Option<usize>)> = match (wanted.command, wanted.frame) {
            (Some(command), _) => vec![(command, inside(command).map(|frame| frame.index))],
            (None, Some(index)) => {
                session.frame_shown(index).map(|command| (command, Some(index))).into_iter().collect()
            }
            (None, None) => {
                let shown = |index: usize| Some((session.frame_shown(index)?, Some(index)));
                (0..frames.len()).rev().filter_map(shown).collect()
            }
        };
        let mut found = None;
        for (command, frame) in candidates {
            if let Some(picture) = session.picture(command)? {
                found = Some((picture, command, frame));
                break;
            }
        }
        let (picture, command, frame) = found.ok_or_else(|| {
            let count = frames.len();
            Refusal::NotThere(format!("there is nothing to see there; the trace has {count} frames, counted from 0"))
        })?;
        let data = base64::encode(&png(&picture)?);
        Ok(json!({
            "width": picture.width,
            "height": picture.height,
            "png": data,
            "command": command,
            "frame": frame,
            "frames": frames.len(),
        }))
    }

    /// `afterimage/frames`: the frames of the trace and their draws, and the commands after the last frame.
    pub(super) fn frames(&mut self) -> Result<Value, Refusal> {
        let session = self.session()?;
        let mut all = Vec::new();
        for frame in session.frames() {
            let draws = session.draws(frame.index)?;
            let draws: Vec<Value> = draws
                .iter()
                .map(|draw| json!({"command": draw.command, "name": draw.name, "groups": draw.groups}))
                .collect();
            all.push(json!({
                "index": frame.index,
                "firstCommand": frame.first_command,
                "lastCommand": frame.last_command,
                "draws": draws,
            }));
        }
        let after = session.after_last_frame();
        let after = after.clone().last().map(|last| json!({"firstCommand": after.start, "lastCommand": last}));
        Ok(json!({"frames": all, "afterLastFrame": after}))
    }

    /// `afterimage/lanes`: the invocations beside this one.
    pub(super) fn lanes(&mut self) -> Result<Value, Refusal> {
        self.focus(None)?;
        let lanes = self.session()?.lanes()?;
        Ok(json!({"lanes": lanes}))
    }

    /// `afterimage/follow`: another of them.
    pub(super) fn follow(&mut self, request: &Request) -> Result<Value, Refusal> {
        let wanted: Follow = request.arguments()?;
        self.focus(None)?;
        self.follow_lane(wanted.lane)?;
        Ok(Value::Null)
    }

    pub(super) fn follow_lane(&mut self, lane: usize) -> Result<(), Refusal> {
        self.session()?.follow(lane)?;
        self.handles.clear();
        self.goes_on();
        let body = self.entry_body_as("pause", "another lane, at the same time");
        self.after.push(After::Event("stopped", body));
        Ok(())
    }

    /// A stop where nothing ran.
    pub(super) fn entry_body_as(&self, reason: &str, description: &str) -> Value {
        let mut body = self.entry_body();
        body["reason"] = reason.into();
        body["description"] = description.into();
        body
    }
}

/// A picture as PNG, whose rows go from above.
fn png(picture: &session::Picture) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    let row = picture.width as usize * 4;
    let rows = picture.rgba.chunks(row.max(1)).rev();
    // What is not opaque in a window is shown as if it were.
    let rgb: Vec<u8> = rows.flat_map(|row| row.chunks(4).flat_map(|pixel| pixel.iter().take(3).copied())).collect();
    writer.write_image_data(&rgb)?;
    drop(writer);
    Ok(bytes)
}
