//! In which direction the rows of pixels are counted.
//!
//! Framebuffers count them from below, and so do all questions and answers of this crate. A shader that gives
//! `gl_FragCoord` the layout `origin_upper_left` counts them from above (GLSL 4.60, 4.4.1.3), and a variant of it says by
//! `gl_FragCoord` which fragment it is. So the rows of identities are turned round on the way to the device and back.

use instrument::inspect::Identity;
use shader::version::Stage;

use crate::DrawSnapshot;

/// How a shader counts rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RowOrder {
    /// From below, as framebuffers do; stages that have no pixels count so, too.
    #[default]
    FromBelow,
    /// From above, in a framebuffer of this height.
    FromAbove(u32),
}

impl RowOrder {
    /// Returns how a stage of a draw counts rows.
    pub(crate) fn of(work: &DrawSnapshot, stage: Stage) -> RowOrder {
        let upper = work.facts(stage).is_ok_and(|facts| facts.shader.typed.stage.origin_upper_left);
        if stage == Stage::Fragment && upper { RowOrder::FromAbove(work.target.size[1]) } else { RowOrder::FromBelow }
    }

    /// Turns the row of a fragment from below into the shader's, or back. Rows that are not there, and those that are not
    /// asked for (-1), stay what they are.
    pub(crate) fn turned(self, [x, y, primitive, sample]: Identity) -> Identity {
        let row = match (self, u32::try_from(y)) {
            (RowOrder::FromAbove(height), Ok(row)) if row < height => (height - 1 - row).cast_signed(),
            _ => y,
        };
        [x, row, primitive, sample]
    }

    /// Returns by how much `gl_FragCoord.y` changes from a row to the one above.
    pub(crate) fn upwards(self) -> f32 {
        match self {
            RowOrder::FromBelow => 1.0,
            RowOrder::FromAbove(_) => -1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_from_above_are_turned_round() {
        let rows = RowOrder::FromAbove(10);
        assert_eq!(rows.turned([3, 0, 1, 2]), [3, 9, 1, 2]);
        assert_eq!(rows.turned(rows.turned([3, 4, 1, 2])), [3, 4, 1, 2]);
        assert_eq!(rows.turned([-1; 4]), [-1; 4], "every fragment is asked");
        assert_eq!(rows.turned([3, 10, 0, 0]), [3, 10, 0, 0], "the device says that it lies outside");
        assert_eq!(RowOrder::FromBelow.turned([3, 0, 1, 2]), [3, 0, 1, 2]);
    }
}
