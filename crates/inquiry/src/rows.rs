//! In which direction the rows of pixels are counted.
//!
//! Framebuffers count them from below, and so do all questions and answers of this crate. A shader that gives
//! `gl_FragCoord` the layout `origin_upper_left` counts them from above (GLSL 4.60, 4.4.1.3), and a variant of it says by
//! `gl_FragCoord` which fragment it is. So the rows of identities are turned round on the way to the device and back.

use instrument::inspect::Identity;
use shader::version::Stage;

use crate::DrawSnapshot;

/// How a shader counts rows, and how the device puts them into quads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Rows {
    /// The height of the framebuffer if the shader counts from above. Stages that have no pixels count from below, too.
    pub from_above: Option<u32>,
    /// Whether a quad begins with an odd row, counted from below.
    pub quads_begin_odd: bool,
}

impl Rows {
    /// Returns how a stage of a draw counts rows.
    pub(crate) fn of(work: &DrawSnapshot, stage: Stage) -> Rows {
        if stage != Stage::Fragment {
            return Rows::default();
        }
        let height = work.target.size[1];
        let upper = work.facts(stage).is_ok_and(|facts| facts.shader.typed.stage.origin_upper_left);
        let quads_begin_odd = work.manner.quads_from_above && height % 2 == 1;
        Rows { from_above: upper.then_some(height), quads_begin_odd }
    }

    /// Turns the row of a fragment from below into the shader's, or back. Rows that are not there, and those that are not
    /// asked for (-1), stay what they are.
    pub(crate) fn turned(self, [x, y, primitive, sample]: Identity) -> Identity {
        let row = match (self.from_above, u32::try_from(y)) {
            (Some(height), Ok(row)) if row < height => (height - 1 - row).cast_signed(),
            _ => y,
        };
        [x, row, primitive, sample]
    }

    /// Returns by how much `gl_FragCoord.y` changes from a row to the one above.
    pub(crate) fn upwards(self) -> f32 {
        if self.from_above.is_some() { -1.0 } else { 1.0 }
    }

    /// Returns the row of quads that a row from below belongs to, and whether it is the upper one of its two.
    pub(crate) fn in_quads(self, row: i32) -> (i32, bool) {
        let counted = row + i32::from(self.quads_begin_odd);
        (counted >> 1, counted & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_from_above_are_turned_round() {
        let rows = Rows { from_above: Some(10), ..Rows::default() };
        assert_eq!(rows.turned([3, 0, 1, 2]), [3, 9, 1, 2]);
        assert_eq!(rows.turned(rows.turned([3, 4, 1, 2])), [3, 4, 1, 2]);
        assert_eq!(rows.turned([-1; 4]), [-1; 4], "every fragment is asked");
        assert_eq!(rows.turned([3, 10, 0, 0]), [3, 10, 0, 0], "the device says that it lies outside");
        assert_eq!(Rows::default().turned([3, 0, 1, 2]), [3, 0, 1, 2]);
    }
}
