//! Checks that everything is unchanged after histories: the state of the driver, and the rest of the trace.

use std::path::Path;

use device::Checked;
use inquiry::Inquiry;
use recall::{Bounds, Recall, TexelRef};
use reenact::fragment_ops::Role;
use testing::random::Random;

use super::open;

/// Number of histories in the middle of a trace.
const HISTORIES: usize = 3;

/// The result.
#[derive(Default)]
pub struct LawCheck {
    /// The report of the worker that computed histories.
    pub after: Checked,
    /// Whether a worker without queries reports the same. `None` if two such workers do not agree.
    pub same: Option<bool>,
    /// The difference.
    pub why: String,
}

/// Computes histories of pixels after a draw in the middle of a trace, and continues with the same worker from there.
pub fn check(afterimage: &Path, trace: &Path, draws: &[u64], random: &mut Random) -> anyhow::Result<Option<LawCheck>> {
    let Some(&draw) = draws.get(draws.len() / 2) else { return Ok(None) };
    let mut inquiry = open(afterimage, trace)?;
    let last = inquiry.trace().draw_calls(draw).map_or(draw, |calls| *calls.range.end());
    histories(&mut inquiry, last, random)?;
    let after = inquiry.check(last)?;
    let plain = || anyhow::Ok(open(afterimage, trace)?.check(last)?);
    let expected = plain()?;
    let (same, why) = match after == expected {
        true => (Some(true), String::new()),
        // Some programs show undefined contents, which depend on previous memory contents.
        false if plain()? != expected => (None, String::new()),
        false => (Some(false), difference(&after, &expected)),
    };
    Ok(Some(LawCheck { after, same, why }))
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
        if let Ok(place) = TexelRef::drawn(&view, Role::Colour(0), at, 0) {
            recall.history(place, last + 1, bounds, &mut |_, _| ())?;
        }
    }
    Ok(())
}

fn difference(after: &Checked, expected: &Checked) -> String {
    let new = after.differences.iter().find(|difference| !expected.differences.contains(difference));
    format!(
        "{} queries instead of {}, {}/{} comparisons equal instead of {}/{}; {}",
        after.asked,
        expected.asked,
        after.equal,
        after.compared,
        expected.equal,
        expected.compared,
        new.map_or("no new difference", String::as_str)
    )
}
