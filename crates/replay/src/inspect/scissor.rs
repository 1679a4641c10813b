//! Which pixels are drawn to.

use api::{constant as c, id};

use super::hand::{Hand, word};

/// The scissor tests of a context: whether they are on, and their rectangles.
pub struct Scissor {
    tests: Vec<(bool, [i32; 4])>,
    /// Whether there are several.
    several: bool,
}

impl Scissor {
    /// What the context has, which is set again when all is undone.
    pub fn keep(hand: &mut Hand<'_>) -> Scissor {
        let several = hand.can.has(41, 0, &["GL_ARB_viewport_array", "GL_OES_viewport_array", "GL_NV_viewport_array"]);
        let test = u64::from(c::GL_SCISSOR_TEST);
        let mut tests = Vec::new();
        if several {
            for at in 0..hand.integer(c::GL_MAX_VIEWPORTS).clamp(1, 64).cast_unsigned() {
                let on = hand.call(id::glIsEnabledi, &[test, u64::from(at)]) & 0xFF != 0;
                let mut rectangle = [0i32; 16];
                let words = [u64::from(c::GL_SCISSOR_BOX), u64::from(at), rectangle.as_mut_ptr() as u64];
                hand.call(id::glGetIntegeri_v, &words);
                tests.push((on, [rectangle[0], rectangle[1], rectangle[2], rectangle[3]]));
            }
        } else {
            tests.push((hand.enabled(c::GL_SCISSOR_TEST), hand.integers::<4>(c::GL_SCISSOR_BOX)));
        }
        for (at, (on, [x, y, width, height])) in tests.iter().enumerate() {
            let at = at as u64;
            let rectangle = [*x, *y, *width, *height].map(word);
            let [x, y, width, height] = rectangle;
            if several {
                hand.later_call(if *on { id::glEnablei } else { id::glDisablei }, &[test, at]);
                hand.later_call(id::glScissorIndexed, &[at, x, y, width, height]);
            } else {
                hand.later_call(if *on { id::glEnable } else { id::glDisable }, &[test]);
                hand.later_call(id::glScissor, &rectangle);
            }
        }
        Scissor { tests, several }
    }

    /// Lets everything through, or everything in a rectangle.
    pub fn open(&self, hand: &mut Hand<'_>, only: Option<[i32; 4]>) {
        let test = u64::from(c::GL_SCISSOR_TEST);
        match only {
            None => {
                hand.call(id::glDisable, &[test]);
            }
            // Without a number they are all meant (GL 4.6, 14.9.2).
            Some(rectangle) => {
                hand.call(id::glEnable, &[test]);
                hand.call(id::glScissor, &rectangle.map(word));
            }
        }
    }

    /// Lets through what is in a rectangle, whatever the context does.
    pub fn only(&self, hand: &mut Hand<'_>, rectangle: [i32; 4]) {
        let all = Scissor { tests: self.tests.iter().map(|_| (true, rectangle)).collect(), several: self.several };
        all.close(hand, None);
    }

    /// Lets through what the context does, and of that only what is in a rectangle: left, bottom, width and height.
    pub fn close(&self, hand: &mut Hand<'_>, only: Option<[i32; 4]>) {
        let test = u64::from(c::GL_SCISSOR_TEST);
        for (at, (on, rectangle)) in self.tests.iter().enumerate() {
            let rectangle = match (on, only) {
                (false, None) => continue,
                (true, None) => *rectangle,
                (false, Some(only)) => only,
                (true, Some(only)) => common(*rectangle, only),
            };
            let [x, y, width, height] = rectangle.map(word);
            if self.several {
                hand.call(id::glEnablei, &[test, at as u64]);
                hand.call(id::glScissorIndexed, &[at as u64, x, y, width, height]);
            } else {
                hand.call(id::glEnable, &[test]);
                hand.call(id::glScissor, &[x, y, width, height]);
            }
        }
    }
}

/// What two rectangles have in common.
fn common(one: [i32; 4], other: [i32; 4]) -> [i32; 4] {
    let side = |at: usize| {
        let from = one[at].max(other[at]);
        let to = (one[at].saturating_add(one[at + 2])).min(other[at].saturating_add(other[at + 2]));
        (from, (to - from).max(0))
    };
    let ((x, width), (y, height)) = (side(0), side(1));
    [x, y, width, height]
}

#[cfg(test)]
mod tests {
    use super::common;

    #[test]
    fn rectangles_are_cut() {
        assert_eq!(common([0, 0, 10, 10], [4, 8, 2, 8]), [4, 8, 2, 2]);
        assert_eq!(common([0, 0, 3, 3], [4, 4, 2, 2])[2..], [0, 0]);
    }
}
