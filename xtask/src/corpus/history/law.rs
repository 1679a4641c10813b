//! After any history everything else is as it was: the state of the driver, and the rest of the trace.

use std::path::Path;

use device::Checked;
use inquiry::Inquiry;
use recall::{Bounds, Place, Recall};
use reenact::tail::Role;
use testing::random::Random;

use super::open;

/// How many histories are asked for in the middle of a trace.
const HISTORIES: usize = 3;

/// What came of it.
#[derive(Default)]
pub struct Kept {
    /// What the worker that was asked for histories has to say.
    pub after: Checked,
    /// Whether another worker, of which nothing was asked, says the same. Nothing if two such workers do not agree.
    pub same: Option<bool>,
    /// What they differ in.
    pub why: String,
}

/// Asks for histories of pixels after a draw in the middle of a trace, and lets the same worker go on from there.
pub fn check(afterimage: &Path, trace: &Path, draws: &[u64], random: &mut Random) -> anyhow::Result<Option<Kept>> {
    let Some(&draw) = draws.get(draws.len() / 2) else { return Ok(None) };
    let mut inquiry = open(afterimage, trace)?;
    let last = inquiry.trace().draw_calls(draw).map_or(draw, |calls| *calls.range.end());
    histories(&mut inquiry, last, random)?;
    let after = inquiry.check(last)?;
    let plain = || anyhow::Ok(open(afterimage, trace)?.check(last)?);
    let expected = plain()?;
    let (same, why) = match after == expected {
        true => (Some(true), String::new()),
        // Some programs show what nobody wrote, which is what was in memory before.
        false if plain()? != expected => (None, String::new()),
        false => (Some(false), difference(&after, &expected)),
    };
    Ok(Some(Kept { after, same, why }))
}

fn histories(inquiry: &mut Inquiry, last: u64, random: &mut Random) -> anyhow::Result<()> {
    let model = inquiry.state_after(last)?;
    let thread = inquiry.reader().call_at(last)?.call().thread;
    let Some(picture) = inquiry.picture(last)? else { return Ok(()) };
    let Some(view) = model.view(thread) else { return Ok(()) };
    let mut recall = Recall::new(inquiry, &mut |_| ())?;
    let bounds = Bounds { depth: 2, max_nodes: 64, ..Bounds::default() };
    for _ in 0..HISTORIES {
        let at = [picture.width, picture.height].map(|size| (random.number() % u64::from(size).max(1)) as u32);
        if let Ok(place) = Place::drawn(&view, Role::Colour(0), at, 0) {
            recall.history(place, last + 1, bounds, &mut |_, _| ())?;
        }
    }
    Ok(())
}

fn difference(after: &Checked, expected: &Checked) -> String {
    let new = after.differences.iter().find(|difference| !expected.differences.contains(difference));
    format!(
        "{} questions instead of {}, {}/{} comparisons equal instead of {}/{}; {}",
        after.asked,
        expected.asked,
        after.equal,
        after.compared,
        expected.equal,
        expected.compared,
        new.map_or("nothing new differs", String::as_str)
    )
}
