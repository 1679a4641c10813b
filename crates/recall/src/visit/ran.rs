//! Which fragments ran: those that are listed include some that never did.

use inquiry::{Inquiry, InquiryError};
use reenact::fragment_ops::Fate;
use shader::version::Stage;

use super::Visit;

/// A fragment at a pixel, which may not have run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PixelFragment {
    /// Its primitive, if that is known.
    pub primitive: Option<u32>,
    /// What became of it.
    pub fate: Fate,
    /// Whether its shader ran.
    pub ran: bool,
}

/// What there is of a draw at a pixel, in the order of drawing, whatever became of it.
///
/// # Errors
/// When there is no answer.
pub fn fragments_at(inquiry: &mut Inquiry, command: u64, [x, y]: [u32; 2]) -> Result<Vec<PixelFragment>, InquiryError> {
    let visit = Visit::new(inquiry, None, false, (command, [x, y, 1, 1]))?;
    let fragment = |(number, fate, ran): (usize, Fate, bool)| {
        let primitive = visit.fragments[number].primitive;
        PixelFragment { primitive, fate, ran }
    };
    Ok(visit.fates_at([x, y]).into_iter().map(fragment).collect())
}

impl Visit {
    /// Fragments whose shader ran, by their place in the list.
    pub fn ran(&self) -> Vec<usize> {
        let mut all: Vec<usize> = self.pixels.keys().flat_map(|at| self.ran_at(*at)).collect();
        all.sort_unstable();
        all
    }

    /// Those of a pixel, in the order in which they were drawn.
    pub fn ran_at(&self, at: [u32; 2]) -> Vec<usize> {
        self.fates_at(at).into_iter().filter(|(.., ran)| *ran).map(|(number, ..)| number).collect()
    }

    /// What became of the fragments at a pixel, and whether they ran: what lies outside of the scissor or faces away never
    /// does, and where the shader asks for early tests, neither does what fails them (GL 4.6, 14.9).
    fn fates_at(&self, at: [u32; 2]) -> Vec<(usize, Fate, bool)> {
        let early = self.work.facts(Stage::Fragment).is_ok_and(|facts| facts.shader.typed.stage.early_fragment_tests);
        let mut pixel = self.before.pixel(&self.tail, at, 0);
        let mut fate = |number: usize| {
            let mut shaded = self.fragments[number].shaded.clone();
            if early {
                shaded.discarded = false;
            }
            let fate = self.tail.apply(&mut pixel, &shaded);
            let ran = match fate {
                Fate::RasterizerOff | Fate::Culled | Fate::Scissor | Fate::Stipple => false,
                Fate::Stencil | Fate::Depth => !early,
                _ => true,
            };
            (number, fate, ran)
        };
        self.pixels.get(&at).into_iter().flatten().map(|number| fate(*number)).collect()
    }
}
