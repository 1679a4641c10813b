//! Every fragment of a draw, with its primitive.

use device::{Changes, Isolate, Isolated, Layer, Rectangle, Tests};
use instrument::inspect::{Ask, Identity, InspectResult, Unfinished};
use instrument::{InspectError, Question, Scope, Transport};
use shader::version::Stage;

use crate::{DrawSnapshot, Inquiry, InquiryError, Measured};

/// Layers of fragments that a stencil value can count, and shares that a draw is taken apart into at most.
const MOST_LAYERS: u8 = 255;
const MOST_SHARES: u32 = 1 << 12;

/// The primitive of a fragment that was asked for alone.
pub(crate) struct KnownPrimitive {
    command: u64,
    who: Identity,
    changes: Changes,
    isolated: Isolated,
}

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

    /// Everything that goes into the fragments of a rectangle and comes out of them, whatever becomes of them. The third word
    /// of identities is the number of the primitive, -1 if it is unknown. Those of a storage block are in the order in
    /// which they began; others in the order in which they were drawn.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn ends(&mut self, work: &DrawSnapshot, rectangle: Rectangle) -> Result<Measured, InquiryError> {
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
        Err(last.unwrap_or(InquiryError::NoTransport { list: self.isolation == Isolation::List }))
    }

    /// The same by one transport. What comes out as colours is that of one primitive at a time, so those are found which
    /// cover the rectangle, and each is drawn by itself.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn ends_by(
        &mut self,
        work: &DrawSnapshot,
        rectangle: Rectangle,
        way: Transport,
    ) -> Result<Measured, InquiryError> {
        // In targets a fragment that is thrown away has something to say only where one is asked.
        let scope = if way.answers_for_every() { Scope::At } else { Scope::One };
        let ask = Ask { scope, pick: [-1; 4], transport: Some(way) };
        let by_reading = self.isolation == Isolation::BisectByReading;
        let isolate = Some(Isolate { by_reading, ..Isolate::default() });
        let changes = Changes { listing: Some(rectangle), isolate, ..Changes::default() };
        let mut all = self.measure(work, Stage::Fragment, &Question::Ends, &ask, &changes)?;
        let numbered = work.names_primitives();
        for (who, _) in &mut all.result.readings {
            who[2] = match all.isolated.get(who[2].max(0) as usize) {
                Some(isolated) => isolated.primitive.map_or(-1, u32::cast_signed),
                None if numbered => who[2],
                None => -1,
            };
        }
        all.in_order = !all.isolated.is_empty();
        Ok(all)
    }

    /// Asks a fragment of a shader that cannot name its primitive: the primitives at the pixel are found and drawn one by
    /// one, and the answer of the wanted one is kept; [`Measured::isolated`] has all. Another question about the same
    /// fragment draws only its primitive. Nothing if the device does not tell them apart. For `begun`, see
    /// [`Inquiry::measure_some`].
    ///
    /// # Errors
    /// When there is no answer.
    pub fn fragment_of_primitive(
        &mut self,
        work: &DrawSnapshot,
        question: &Question,
        who: Identity,
        changes: &Changes,
        (begun, most): (Option<Unfinished>, usize),
    ) -> Result<Option<(Measured, Option<Unfinished>)>, InquiryError> {
        if most != usize::MAX && self.known(work, who, changes).is_none() {
            // The parts of a recording belong together only if each draws the same.
            self.isolated_fragment((work, who), &Question::LiveIns, changes, (None, usize::MAX))?;
        }
        self.isolated_fragment((work, who), question, changes, (begun, most))
    }

    fn isolated_fragment(
        &mut self,
        (work, who): (&DrawSnapshot, Identity),
        question: &Question,
        changes: &Changes,
        (begun, most): (Option<Unfinished>, usize),
    ) -> Result<Option<(Measured, Option<Unfinished>)>, InquiryError> {
        let [x, y, primitive, sample] = who;
        let at = [x, y].map(|at| at.max(0).cast_unsigned());
        let by_reading = self.isolation == Isolation::BisectByReading;
        let known = self.known(work, who, changes).into_iter().collect();
        let isolate = Some(Isolate { by_reading, culls: true, known });
        let isolating = Changes { listing: Some([at[0], at[1], 1, 1]), isolate, ..changes.clone() };
        let ways = work.device.transports(Stage::Fragment, Scope::One);
        for way in ways.into_iter().filter(|way| way.window().is_some()) {
            let ask = Ask { scope: Scope::One, pick: [x, y, -1, sample], transport: Some(way) };
            let asked = (begun.clone(), most);
            let (mut measured, rest) =
                match self.measure_some((work, Stage::Fragment), question, &ask, &isolating, asked) {
                    Err(InquiryError::Rejected { .. } | InquiryError::Inspect(InspectError::Refused(_))) => continue,
                    other => other?,
                };
            let isolated = &measured.isolated;
            let number = |who: &Identity| isolated.get(who[2].max(0) as usize)?.primitive.map(u32::cast_signed);
            measured.result.readings.retain(|(who, _)| number(who) == Some(primitive));
            if let [(found, _)] = measured.result.readings.as_slice() {
                let known = isolated.get(found[2].max(0) as usize).cloned();
                self.known_primitive = known.map(|isolated| KnownPrimitive {
                    command: work.command,
                    who,
                    changes: changes.clone(),
                    isolated,
                });
            }
            measured.result.readings.iter_mut().for_each(|(who, _)| who[2] = primitive);
            // Where numbers are reliable, a primitive that is not found is not there.
            let is_reliable = !work.device.style.counted && measured.isolated.iter().all(|one| one.primitive.is_some());
            return Ok((is_reliable || !measured.result.readings.is_empty()).then_some((measured, rest)));
        }
        Ok(None)
    }

    /// How the primitive of a fragment is isolated, if it was the last that was.
    fn known(&self, work: &DrawSnapshot, who: Identity, changes: &Changes) -> Option<Isolated> {
        let known = self.known_primitive.as_ref()?;
        let same = known.command == work.command && known.who == who && known.changes == *changes;
        same.then(|| known.isolated.clone())
    }

    /// Asks every fragment of a draw that is not culled or cut off, whatever tests would say. Where there are no storage
    /// blocks, the draw is run for the first fragment of each pixel, for the second, and so on; with fewer primitives at a
    /// time where pixels have more of them than can be counted.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn every(
        &mut self,
        work: &DrawSnapshot,
        question: &Question,
        ask: &Ask,
        changes: &Changes,
    ) -> Result<Measured, InquiryError> {
        let mut first = self.measure(work, Stage::Fragment, question, ask, changes)?;
        // The shader may have tests come first, or the user changed the tests.
        let early = work.facts(Stage::Fragment)?.shader.typed.stage.early_fragment_tests;
        if first.every || early || changes.tests != Tests::Recorded {
            return Ok(first);
        }
        let [width, height] = work.target.size;
        let ask = Ask { scope: Scope::One, transport: Some(first.result.transport), ..ask.clone() };
        let mut rectangle = [0, 0, width, height];
        let (mut shares, mut runs) = (1, first.result.runs);
        loop {
            let (mut readings, mut most) = (Vec::new(), 0);
            for share in 0..shares {
                for ordinal in 0..MOST_LAYERS {
                    let layer = Some(Layer { rectangle, ordinal, share: [share, shares] });
                    let next =
                        self.measure(work, Stage::Fragment, question, &ask, &Changes { layer, ..changes.clone() });
                    let next = match next {
                        // What can be counted is better than nothing.
                        Err(InquiryError::Inspect(InspectError::Failed(why))) if shares > 1 => {
                            first.notes.push(format!("fragments beyond {MOST_LAYERS} of a pixel are left out: {why}"));
                            return Ok(first);
                        }
                        next => next?,
                    };
                    runs += next.result.runs;
                    first.seconds.1 += next.seconds.1;
                    if next.result.readings.is_empty() {
                        break;
                    }
                    if [share, shares, u32::from(ordinal)] == [0, 1, 0] {
                        // Wherever there is another, there is a first.
                        rectangle = around(&next.result);
                    }
                    readings.extend(next.result.readings);
                    most = most.max(ordinal + 1);
                }
            }
            first.result.readings = readings;
            (first.result.runs, first.every) = (runs, true);
            if most < MOST_LAYERS || shares >= MOST_SHARES {
                return Ok(first);
            }
            shares *= 4;
        }
    }
}

/// The smallest rectangle that has all pixels of an answer.
fn around(result: &InspectResult) -> Rectangle {
    let (mut least, mut most) = ([u32::MAX; 2], [0; 2]);
    for (who, _) in &result.readings {
        for (axis, at) in [who[0], who[1]].map(|place| place.max(0).cast_unsigned()).into_iter().enumerate() {
            least[axis] = least[axis].min(at);
            most[axis] = most[axis].max(at + 1);
        }
    }
    [least[0], least[1], most[0] - least[0], most[1] - least[1]]
}
