//! Which fragments an answer is about: a draw may have several at a pixel.

use inquiry::{Measured, Work};
use instrument::inspect::Identity;
use instrument::variant::Reading;
use shader::version::Stage;

/// Which fragments answered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Counted {
    /// All of them. The shader of a variant has side effects, so that it runs before the tests (GL 4.6, 14.9).
    Running,
    /// Those that pass the tests, since the shader asks for these to come first.
    Passing,
    /// The last that stays at each pixel: there was no storage block to be had, and tests come first.
    Staying,
}

impl Counted {
    /// Which fragments an answer is about; none for other stages, whose invocations all answer.
    pub fn of(work: &Work, stage: Stage, measured: &Measured) -> Option<Counted> {
        if stage != Stage::Fragment {
            return None;
        }
        let early = work.facts(stage).is_ok_and(|facts| facts.shader.typed.stage.early_fragment_tests);
        Some(match (measured.every, early) {
            (true, false) => Counted::Running,
            (true, true) => Counted::Passing,
            (false, _) => Counted::Staying,
        })
    }

    /// For scripts.
    pub fn word(self) -> &'static str {
        match self {
            Counted::Running => "running",
            Counted::Passing => "passing",
            Counted::Staying => "staying",
        }
    }

    /// For people.
    pub fn text(self) -> &'static str {
        match self {
            Counted::Running => {
                "counted is every fragment, also those that depth and stencil throw away or that others cover\n"
            }
            Counted::Passing => "counted is every fragment that passes the tests, which this shader has come first\n",
            Counted::Staying => "counted is the fragment that stays at each pixel, not those it replaced\n",
        }
    }
}

/// Invocations that found no room to answer, for people.
pub fn missed(count: u64) -> String {
    match count {
        0 => String::new(),
        missed => format!("{missed} more invocations ran than there is room for answers; they are not counted\n"),
    }
}

/// Answers in an order that people can follow: fragments row by row from the lower left, at each pixel in the order in
/// which they began; others as they are numbered, vertices instance by instance.
pub fn sorted(stage: Stage, measured: &Measured) -> Vec<&(Identity, Reading)> {
    let mut readings: Vec<&(Identity, Reading)> = measured.result.readings.iter().collect();
    readings.sort_by_key(|(who, _)| match stage {
        Stage::Fragment => [who[1], who[0], 0, 0],
        Stage::Vertex => [who[1], who[0], who[2], who[3]],
        _ => *who,
    });
    readings
}
