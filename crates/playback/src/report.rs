//! What a session shows, as text.

use std::fmt::Write as _;
use std::hash::Hasher as _;
use std::sync::Arc;

use anyhow::Context as _;
use api::{constant as c, id};
use device::BoxedDevice;
use open_trace::OpenTrace;
use session::{Choice, Scope, Session, Step, Stop};

/// Integers of the state that the report names; a digest covers everything else.
const INTEGERS: &[(&str, u32)] = &[
    ("GL_CURRENT_PROGRAM", c::GL_CURRENT_PROGRAM),
    ("GL_DRAW_FRAMEBUFFER_BINDING", c::GL_DRAW_FRAMEBUFFER_BINDING),
    ("GL_ACTIVE_TEXTURE", c::GL_ACTIVE_TEXTURE),
    ("GL_TEXTURE_BINDING_2D", c::GL_TEXTURE_BINDING_2D),
    ("GL_VIEWPORT", c::GL_VIEWPORT),
    ("GL_DEPTH_TEST", c::GL_DEPTH_TEST),
    ("GL_BLEND", c::GL_BLEND),
];

/// Steps forwards before the session goes back.
const MOST_STEPS: usize = 24;

/// Opens a session and describes what it shows: the state at the last draw, the invocation that wrote pixel (`x`, `y`)
/// stepped through forwards with all its variables, and the same stops backwards.
///
/// # Errors
/// When the trace cannot be read, nothing was drawn at the pixel, or the device does not answer.
pub fn report(trace: &Arc<OpenTrace>, device: BoxedDevice, (x, y): (u32, u32)) -> anyhow::Result<String> {
    let mut text = String::new();
    let mut session = Session::new(Arc::clone(trace), device);
    let frames = session.frames();
    writeln!(text, "{} commands, {} frames", trace.reader().len(), frames.len())?;
    let draw = frames.iter().rev().find_map(|frame| session.draws(frame.index).ok()?.pop());
    let draw = draw.context("the trace has no draws")?;
    writeln!(text, "the last is {} {}", draw.command, draw.name)?;
    write_state(&mut text, trace, draw.command)?;
    let mut stop = session.enter(&Choice::Pixel { frame: None, x, y })?;
    let mut stops = vec![fingerprint(&session)?];
    while !stop.ended && stops.len() <= MOST_STEPS {
        write_stop(&mut text, &mut session, &stop)?;
        stop = session.step(Step::Into)?;
        stops.push(fingerprint(&session)?);
    }
    write_stop(&mut text, &mut session, &stop)?;
    for expected in stops.iter().rev().skip(1) {
        session.step(Step::BackInto)?;
        let found = fingerprint(&session)?;
        anyhow::ensure!(found == *expected, "{} steps back lead to another state", stops.len());
    }
    // Fingerprints are not part of the report: they depend on the size of a pointer.
    writeln!(text, "{} steps back lead to the same states", stops.len() - 1)?;
    Ok(text)
}

fn fingerprint(session: &Session) -> anyhow::Result<u64> {
    Ok(session.fingerprint()?)
}

/// Writes the state of the context in which a command was called, after it.
fn write_state(text: &mut String, trace: &OpenTrace, command: u64) -> anyhow::Result<()> {
    let model = trace.state_after(command)?;
    let thread = trace.reader().call_at(command)?.call().thread;
    let view = model.view(thread).context("no context is current at the last draw")?;
    for (name, number) in INTEGERS {
        let answer = view.answer(id::glGetIntegerv, &[u64::from(*number), 0]);
        writeln!(text, "    {name} {answer:?}")?;
    }
    let mut hasher = std::hash::DefaultHasher::new();
    hasher.write(format!("{model:?}").as_bytes());
    writeln!(text, "    digest of all state {:016x}", hasher.finish())?;
    Ok(())
}

/// Writes where the session stands, and all variables from both sides.
fn write_stop(text: &mut String, session: &mut Session, stop: &Stop) -> anyhow::Result<()> {
    writeln!(text, "{}", serde_json::to_string(stop)?)?;
    for scope in Scope::ALL {
        for variable in session.variables(0, scope)? {
            writeln!(text, "    {}", serde_json::to_string(&variable)?)?;
        }
    }
    Ok(())
}
