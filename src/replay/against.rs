//! Pictures of two devices compared: how many values differ, and by how much.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use anyhow::{Context, bail, ensure};

use crate::json::replay::{Against, Bin, Worst};

/// The largest difference that each row of the histogram counts.
const ROWS: [u8; 9] = [0, 1, 2, 4, 8, 16, 32, 64, 255];

/// How the pictures of a folder differ from those of another.
#[derive(Default)]
pub struct Comparison {
    pictures: u64,
    equal: u64,
    /// Values (three a pixel) in each row of [`ROWS`].
    histogram: [u64; ROWS.len()],
    /// The largest difference, and the picture that has it.
    worst: Option<(u8, String)>,
}

impl Comparison {
    /// Compares each picture that replay wrote into a folder with the one of the same name in another.
    ///
    /// # Errors
    /// When a picture cannot be read or has no counterpart of its size.
    pub fn of(written: &Path, other: &Path) -> anyhow::Result<Comparison> {
        let entries = std::fs::read_dir(written).with_context(|| format!("cannot list {}", written.display()))?;
        let mut names: Vec<String> = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| name.ends_with(".png"))
            .collect();
        names.sort();
        let mut comparison = Comparison::default();
        for name in names {
            comparison.add(&name, &pixels(&written.join(&name))?, &pixels(&other.join(&name))?)?;
        }
        if comparison.pictures == 0 {
            bail!("replay wrote no pictures to compare with those of {}", other.display());
        }
        Ok(comparison)
    }

    fn add(&mut self, name: &str, ours: &[u8], theirs: &[u8]) -> anyhow::Result<()> {
        ensure!(ours.len() == theirs.len(), "the two pictures {name} have different sizes");
        let mut most = 0;
        for (one, two) in ours.iter().zip(theirs) {
            let difference = one.abs_diff(*two);
            most = most.max(difference);
            self.histogram[ROWS.partition_point(|row| *row < difference)] += 1;
        }
        self.pictures += 1;
        self.equal += u64::from(most == 0);
        if most > self.worst.as_ref().map_or(0, |(worst, _)| *worst) {
            self.worst = Some((most, name.to_owned()));
        }
        Ok(())
    }

    /// Whether no value differs by more than this.
    pub fn within(&self, tolerance: u8) -> bool {
        self.worst.as_ref().is_none_or(|(worst, _)| *worst <= tolerance)
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut text = format!("pictures: {} of {} equal\n", self.equal, self.pictures);
        let all = self.histogram.iter().sum::<u64>().max(1) as f64;
        for ((low, high), count) in rows().zip(self.histogram).filter(|(_, count)| *count > 0) {
            let range = if low == high { low.to_string() } else { format!("{low} to {high}") };
            text += &format!("  values that differ by {range}: {count} ({:.4} %)\n", count as f64 * 100.0 / all);
        }
        if let Some((worst, name)) = &self.worst {
            text += &format!("  the largest difference, {worst}, is in {name}\n");
        }
        text
    }

    /// For programs.
    pub fn document(&self) -> Against {
        let worst = |(difference, picture): &(u8, String)| Worst { difference: *difference, picture: picture.clone() };
        Against {
            pictures: self.pictures,
            equal: self.equal,
            worst: self.worst.as_ref().map(worst),
            histogram: rows().zip(self.histogram).map(|((from, to), values)| Bin { from, to, values }).collect(),
        }
    }
}

/// First and last difference of each row.
fn rows() -> impl Iterator<Item = (u8, u8)> {
    let lows = std::iter::once(0).chain(ROWS.iter().map(|row| row.saturating_add(1)));
    lows.zip(ROWS)
}

/// The bytes of a picture that replay wrote.
fn pixels(path: &Path) -> anyhow::Result<Vec<u8>> {
    let read = || -> anyhow::Result<Vec<u8>> {
        let mut reader = png::Decoder::new(BufReader::new(File::open(path)?)).read_info()?;
        let size = reader.output_buffer_size().context("it is too large")?;
        let mut bytes = vec![0; size];
        let frame = reader.next_frame(&mut bytes)?;
        ensure!(
            (frame.color_type, frame.bit_depth) == (png::ColorType::Rgb, png::BitDepth::Eight),
            "it is not one that `afterimage replay --images` wrote"
        );
        Ok(bytes)
    };
    read().with_context(|| format!("cannot read the picture {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pairs: &[(u8, u8)], want: &str) {
        let (ours, theirs): (Vec<u8>, Vec<u8>) = pairs.iter().copied().unzip();
        let mut comparison = Comparison::default();
        comparison.add("a.png", &ours, &theirs).unwrap();
        assert_eq!(comparison.text(), want);
    }

    #[test]
    fn equal_pictures() {
        check(&[(3, 3), (255, 255)], "pictures: 1 of 1 equal\n  values that differ by 0: 2 (100.0000 %)\n");
    }

    #[test]
    fn differences_are_counted_by_size() {
        check(
            &[(0, 1), (5, 1), (0, 255), (9, 9)],
            "pictures: 0 of 1 equal\n  values that differ by 0: 1 (25.0000 %)\n  values that differ by 1: 1 (25.0000 %)\n  \
             values that differ by 3 to 4: 1 (25.0000 %)\n  values that differ by 65 to 255: 1 (25.0000 %)\n  \
             the largest difference, 255, is in a.png\n",
        );
    }
}
