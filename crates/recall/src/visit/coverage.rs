//! Which samples of their pixels fragments cover.

use reenact::fragment_ops::{Pixel, ShadedFragment};

use super::Visit;

/// Of more fragments at one pixel than this, all count as covering all samples.
const MOST: usize = 10;

/// Notes which fragments do not cover which samples. Where the shader's language has `gl_SampleMaskIn` it was measured;
/// else it is concluded from what the samples hold: the most fragments that explain it are taken.
pub fn find(visit: &mut Visit) {
    let samples = visit.tail.samples();
    let (mut uncovered, mut concluded) = (Vec::new(), false);
    for (at, list) in &visit.pixels {
        for sample in 0..samples {
            let known = |number: &usize| visit.fragments[*number].coverage;
            uncovered.extend(
                list.iter()
                    .filter(|number| known(number).is_some_and(|bits| bits >> sample & 1 == 0))
                    .map(|n| (*n, sample)),
            );
            let open: Vec<usize> = list.iter().copied().filter(|number| known(number).is_none()).collect();
            if open.is_empty() || open.len() > MOST {
                continue;
            }
            concluded = true;
            let before = visit.before.pixel(&visit.tail, *at, sample);
            let real = plain(visit.pixel_after(*at, sample));
            let explains = |chosen: u32| {
                let mut pixel = before.clone();
                for (place, number) in open.iter().enumerate() {
                    if chosen >> place & 1 == 1 {
                        let shaded = ShadedFragment { sample, ..visit.fragments[*number].shaded.clone() };
                        visit.tail.apply(&mut pixel, &shaded);
                    }
                }
                visit.tail.differs(&plain(pixel), &real, 1).is_none()
            };
            let mut sets: Vec<u32> = (0..1 << open.len()).collect();
            sets.sort_by_key(|set| std::cmp::Reverse(set.count_ones()));
            if let Some(chosen) = sets.into_iter().find(|set| explains(*set)) {
                let left = open.iter().enumerate().filter(|(place, _)| chosen >> place & 1 == 0);
                uncovered.extend(left.map(|(_, number)| (*number, sample)));
            }
        }
    }
    if concluded {
        let note = "which samples fragments cover was concluded from what the samples hold, because the shader's \
                    language has no gl_SampleMaskIn";
        visit.notes.push(note.to_owned());
    }
    visit.uncovered.extend(uncovered);
}

/// Without depth, which each sample has of its own place in the pixel.
fn plain(pixel: Pixel) -> Pixel {
    Pixel { depth: None, ..pixel }
}
