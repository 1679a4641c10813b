//! Measures how long a user waits for the debugger, for `cargo xtask bench debug`.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, bail};
use serde::Serialize;
use session::{Choice, Scope, Session, Step, Variable};

use super::place::InvocationArgs;
use crate::cli::Outcome;
use crate::replay::On;

/// How many neighbouring pixels are entered, and how many steps are made.
const PIXELS: u32 = 8;
const STEPS: usize = 40;

/// The seconds that each operation took.
#[derive(Serialize)]
struct Timings {
    rounds: Vec<Round>,
}

#[derive(Serialize)]
struct Round {
    cold: f64,
    same_draw: Vec<f64>,
    first_step: f64,
    /// From then on, while the user looks, to the first value that the device recorded, and to all of them.
    first_value: f64,
    recorded: f64,
    /// When each part of the recording was there.
    parts: Vec<f64>,
    step: Vec<f64>,
    back: Vec<f64>,
    evaluate: Vec<f64>,
}

/// How recordings are made in parts, and where their shaders are kept.
pub struct Parts<'a> {
    pub words: Option<u32>,
    pub folder: Option<&'a Path>,
}

/// Opens a trace `rounds` times; each time enters an invocation, then others of its draw, steps, goes back and evaluates
/// the visible variables. Prints the seconds that each operation took.
pub fn run(
    trace: &Path,
    place: &InvocationArgs,
    on: &On,
    (rounds, parts): (usize, &Parts<'_>),
) -> anyhow::Result<Outcome> {
    let mut all = Vec::new();
    for _ in 0..rounds {
        let start = Instant::now();
        let mut session = on.session(trace)?;
        if let Some(words) = parts.words {
            session.record_in_parts_of(words);
        }
        if let Some(folder) = parts.folder {
            session.keep_shaders(folder);
        }
        let choice = place.choice(&session)?.context("say which invocation: --pixel X,Y")?;
        let stop = session.enter(&choice)?;
        show(&mut session)?;
        let cold = start.elapsed().as_secs_f64();
        let mut others = Vec::new();
        if let [x, y, ..] = stop.invocation.id
            && stop.invocation.stage == "fragment"
        {
            for number in 1..=PIXELS {
                let at = [x.cast_unsigned() + number * 3, y.cast_unsigned() + number];
                let start = Instant::now();
                // A draw need not cover what lies beside.
                if session.enter(&Choice::fragment(stop.invocation.command, at[0], at[1])).is_ok() {
                    show(&mut session)?;
                    others.push(start.elapsed().as_secs_f64());
                }
            }
        }
        session.enter(&choice)?;
        show(&mut session)?;
        session.wait_for_device(false);
        let start = Instant::now();
        session.step(Step::Into)?;
        show(&mut session)?;
        let first_step = start.elapsed().as_secs_f64();
        let Recorded { first_value, parts } = record(&mut session)?;
        let recorded = parts.last().copied().unwrap_or(0.0);
        let (mut forwards, mut backwards, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for (step, times) in [(Step::Into, &mut forwards), (Step::BackInto, &mut backwards)] {
            for _ in 0..STEPS {
                let start = Instant::now();
                let stop = session.step(step)?;
                show(&mut session)?;
                times.push(start.elapsed().as_secs_f64());
                if stop.ended || stop.time == 0 {
                    break;
                }
            }
            for variable in session.variables(0, Scope::Uniforms)?.iter().chain(&session.variables(0, Scope::Inputs)?) {
                let start = Instant::now();
                session.evaluate(0, &variable.path).ok();
                values.push(start.elapsed().as_secs_f64());
            }
        }
        if forwards.is_empty() {
            bail!("the invocation has no steps");
        }
        all.push(Round {
            cold,
            same_draw: others,
            first_step,
            first_value,
            recorded,
            parts,
            step: forwards,
            back: backwards,
            evaluate: values,
        });
    }
    std::io::stdout().lock().write_all(crate::json::pretty(&Timings { rounds: all })?.as_bytes())?;
    Ok(Outcome::Done)
}

/// When a recording was there, in seconds.
struct Recorded {
    /// The first value of a variable.
    first_value: f64,
    /// Each part.
    parts: Vec<f64>,
}

/// Has the device record the invocation.
fn record(session: &mut Session) -> anyhow::Result<Recorded> {
    // The first statements may write nothing.
    for _ in 0..STEPS {
        if values(session)?.iter().any(|variable| variable.value.pending) || session.step(Step::Into)?.ended {
            break;
        }
    }
    let (start, mut first, mut parts) = (Instant::now(), None, Vec::new());
    loop {
        let more = session.record_ahead()?;
        let now = start.elapsed().as_secs_f64();
        parts.push(now);
        if first.is_none() && values(session)?.iter().any(|variable| variable.value.measured.is_some()) {
            first = Some(now);
        }
        if !more {
            let pass = session.passes().pop().and_then(|pass| pass.unmeasured);
            if let Some(why) = pass {
                bail!("the device records nothing: {why}");
            }
            return Ok(Recorded { first_value: first.unwrap_or(now), parts });
        }
    }
}

/// The variables that a recording says something about.
fn values(session: &mut Session) -> anyhow::Result<Vec<Variable>> {
    let mut all = Vec::new();
    for scope in [Scope::Locals, Scope::Parameters, Scope::Globals, Scope::Outputs] {
        all.extend(session.variables(0, scope)?);
    }
    Ok(all)
}

/// Requests what the user sees at a stop: values, and what the device measured of them.
fn show(session: &mut Session) -> anyhow::Result<()> {
    session.variables(0, Scope::Locals)?;
    session.variables(0, Scope::Inputs)?;
    Ok(())
}
