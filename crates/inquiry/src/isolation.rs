//! Every fragment of a draw, with its primitive.

use instrument::inspect::Ask;
use instrument::{InspectError, Question, Scope, Transport};
use replay::Rectangle;
use replay::inspect::{Changes, Isolate};
use shader::version::Stage;

use crate::{Inquiry, InquiryError, Measured, Work};

/// How the fragments of a draw are told apart, and their primitives found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Isolation {
    /// As the device can do it best.
    #[default]
    Auto,
    /// All fragments list themselves in a storage block.
    List,
    /// The draw is halved until one primitive is left, with occlusion queries.
    Bisect,
    /// The same, without queries: by what is found in the pixels.
    BisectByReading,
}

impl Inquiry {
    /// Has the fragments of all draws told apart in a way.
    pub fn isolate_by(&mut self, isolation: Isolation) {
        self.isolation = isolation;
    }

    /// Everything that goes into the fragments of a rectangle and comes out of them, whatever becomes of them. Those of a
    /// storage block are in the order in which they began; others in the order in which they were drawn.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn ends(&mut self, work: &Work, rectangle: Rectangle) -> Result<Measured, InquiryError> {
        let lists = |way: &Transport| way.answers_for_every();
        let mut ways = work.device.transports(Stage::Fragment, Scope::At);
        match self.isolation {
            Isolation::Auto => {}
            Isolation::List => ways.retain(lists),
            Isolation::Bisect | Isolation::BisectByReading => ways.retain(|way| !lists(way)),
        }
        let mut last = None;
        for way in ways {
            match self.ends_by(work, rectangle, way) {
                Err(error @ (InquiryError::Rejected { .. } | InquiryError::Inspect(InspectError::Refused(_)))) => {
                    // What a driver said is worth more than what was not tried.
                    let said = matches!(last, Some(InquiryError::Rejected { .. }));
                    last = if said { last } else { Some(error) };
                }
                other => return other,
            }
        }
        let none = match self.isolation {
            Isolation::List => "the device has no storage block for fragments to list themselves in",
            _ => "the device offers no way out of a fragment shader",
        };
        Err(last.unwrap_or_else(|| InspectError::Failed(none.to_owned()).into()))
    }

    /// The same by one transport. What comes out as colours is that of one primitive at a time, so those are found which
    /// cover the rectangle, and each is drawn by itself.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn ends_by(
        &mut self,
        work: &Work,
        rectangle: Rectangle,
        way: Transport,
    ) -> Result<Measured, InquiryError> {
        // In targets a fragment that is thrown away has something to say only where one is asked.
        let scope = if way.answers_for_every() { Scope::At } else { Scope::One };
        let ask = Ask { scope, pick: [-1; 4], transport: Some(way) };
        let by_reading = self.isolation == Isolation::BisectByReading;
        let isolate = Some(Isolate { by_reading, known: Vec::new() });
        let changes = Changes { listing: Some(rectangle), isolate, ..Changes::default() };
        let mut all = self.measure(work, Stage::Fragment, &Question::Ends, &ask, &changes)?;
        for (who, _) in &mut all.result.readings {
            if let Some(isolated) = all.isolated.get(who[2].max(0) as usize) {
                who[2] = isolated.primitive().map_or(-1, u32::cast_signed);
            }
        }
        Ok(all)
    }
}
