//! The part of a picture that is shown, and how the user moves it.

use session::Picture;

/// A part of a picture, in pixels from the lower left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    pub x: u32,
    pub y: u32,
    pub width: u32,
    pub height: u32,
}

/// The least side of a part: enlarging a few pixels further shows nothing more.
const LEAST: u32 = 8;

impl Window {
    pub fn contains(&self, [x, y]: [u32; 2]) -> bool {
        (self.x..self.x + self.width).contains(&x) && (self.y..self.y + self.height).contains(&y)
    }
}

/// How a picture is looked at. It outlives the picture: the next one is shown in the same way.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Lens {
    /// The picture is enlarged `2^zoom` times.
    zoom: u32,
    /// The pixel in the middle; the middle of the picture without one.
    centre: Option<[u32; 2]>,
}

impl Lens {
    /// How many times a picture is enlarged.
    pub fn factor(&self, picture: &Picture) -> u32 {
        1 << self.zoom.min(deepest(picture))
    }

    /// The part of a picture that is shown.
    pub fn window(&self, picture: &Picture) -> Window {
        let factor = self.factor(picture);
        let [x, y] = self.centre.unwrap_or([picture.width / 2, picture.height / 2]);
        let side = |size: u32, centre: u32| {
            let shown = size.max(1).div_ceil(factor);
            (centre.saturating_sub(shown / 2).min(size.max(1) - shown), shown)
        };
        let ((x, width), (y, height)) = (side(picture.width, x), side(picture.height, y));
        Window { x, y, width, height }
    }

    /// Enlarges by a step, or reduces; what is at a pixel stays where it is on the screen.
    pub fn zoom(&mut self, picture: &Picture, nearer: bool, at: [u32; 2]) {
        let before = self.window(picture);
        let zoom = self.zoom.min(deepest(picture));
        self.zoom = if nearer { (zoom + 1).min(deepest(picture)) } else { zoom.saturating_sub(1) };
        let after = self.window(picture);
        let middle = |at: u32, from: u32, before: u32, after: u32| {
            let left = u64::from(at.saturating_sub(from)) * u64::from(after) / u64::from(before);
            (at + after / 2).saturating_sub(u32::try_from(left).unwrap_or(0))
        };
        self.centre = Some([
            middle(at[0], before.x, before.width, after.width),
            middle(at[1], before.y, before.height, after.height),
        ]);
    }

    /// Moves the part that is shown by pixels, to the right and up.
    pub fn pan(&mut self, picture: &Picture, [right, up]: [i64; 2]) {
        let window = self.window(picture);
        let side = |from: u32, shown: u32, size: u32, by: i64| {
            let most = i64::from(size.max(1) - shown);
            u32::try_from((i64::from(from) + by).clamp(0, most)).unwrap_or(0) + shown / 2
        };
        self.centre = Some([
            side(window.x, window.width, picture.width, right),
            side(window.y, window.height, picture.height, up),
        ]);
    }

    /// Moves it as little as shows a pixel.
    pub fn reveal(&mut self, picture: &Picture, [x, y]: [u32; 2]) {
        let window = self.window(picture);
        let by = |at: u32, from: u32, shown: u32| {
            let (at, from, last) = (i64::from(at), i64::from(from), i64::from(from + shown - 1));
            (at - from).min(0) + (at - last).max(0)
        };
        let (right, up) = (by(x, window.x, window.width), by(y, window.y, window.height));
        if (right, up) != (0, 0) {
            self.pan(picture, [right, up]);
        }
    }
}

/// The largest zoom that leaves a part worth looking at.
fn deepest(picture: &Picture) -> u32 {
    let least = picture.width.min(picture.height);
    (0..24).take_while(|zoom| least >> zoom >= LEAST).last().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture() -> Picture {
        Picture { width: 480, height: 270, rgba: Vec::new() }
    }

    /// All of a picture.
    fn whole(picture: &Picture) -> Window {
        Window { x: 0, y: 0, width: picture.width.max(1), height: picture.height.max(1) }
    }

    #[test]
    fn zooming_keeps_the_pixel_in_its_place_and_ends_at_a_few_pixels() {
        let (picture, mut lens) = (picture(), Lens::default());
        assert_eq!(lens.window(&picture), whole(&picture));
        lens.zoom(&picture, true, [120, 200]);
        // A quarter from the left, and 200 of 270 rows up, as before.
        assert_eq!(lens.window(&picture), Window { x: 60, y: 100, width: 240, height: 135 });
        for _ in 0..20 {
            lens.zoom(&picture, true, [120, 200]);
            assert!(lens.window(&picture).contains([120, 200]));
        }
        assert_eq!((lens.factor(&picture), lens.window(&picture).height), (32, 9));
        for _ in 0..20 {
            lens.zoom(&picture, false, [120, 200]);
        }
        assert_eq!(lens.window(&picture), whole(&picture));
    }

    #[test]
    fn panning_ends_at_the_edges_and_shows_what_it_is_asked_to() {
        let (picture, mut lens) = (picture(), Lens::default());
        lens.pan(&picture, [50, 50]);
        assert_eq!(lens.window(&picture), whole(&picture));
        lens.zoom(&picture, true, [0, 0]);
        lens.zoom(&picture, true, [0, 0]);
        assert_eq!(lens.window(&picture), Window { x: 0, y: 0, width: 120, height: 68 });
        lens.pan(&picture, [-7, 9]);
        assert_eq!(lens.window(&picture), Window { x: 0, y: 9, width: 120, height: 68 });
        lens.pan(&picture, [10_000, 10_000]);
        assert_eq!(lens.window(&picture), Window { x: 360, y: 202, width: 120, height: 68 });
        lens.reveal(&picture, [479, 150]);
        assert_eq!(lens.window(&picture), Window { x: 360, y: 150, width: 120, height: 68 });
        lens.reveal(&picture, [300, 0]);
        assert_eq!(lens.window(&picture), Window { x: 300, y: 0, width: 120, height: 68 });
    }

    #[test]
    fn pictures_without_pixels_and_of_one_have_a_window() {
        for (width, height) in [(0, 0), (1, 1), (1, 4000)] {
            let picture = Picture { width, height, rgba: Vec::new() };
            let mut lens = Lens::default();
            lens.zoom(&picture, true, [0, 0]);
            lens.pan(&picture, [3, -3]);
            assert_eq!(lens.window(&picture), whole(&picture));
        }
    }
}
