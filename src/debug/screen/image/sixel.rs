//! Pictures as DEC's sixels, in as many colours as the terminal has registers for.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Bits of a channel by which colours are told apart when a palette is made.
const BITS: u32 = 5;

/// The picture as sixels, in at most so many colours of its own.
pub fn sixel(pixels: &[[u8; 3]], wide: u32, high: u32, colours: usize) -> String {
    let palette = Palette::new(pixels, colours.max(2));
    let mut out = format!("\x1bP0;1;0q\"1;1;{wide};{high}");
    for (number, color) in palette.colours.iter().enumerate() {
        // Channels are given in hundredths.
        let [r, g, b] = color.map(|channel| (u32::from(channel) * 100 + 127) / 255);
        let _ = write!(out, "#{number};2;{r};{g};{b}");
    }
    for band in (0..high).step_by(6) {
        // For each colour in the band, six rows of it in one character a column.
        let mut lines: Vec<Option<Vec<u8>>> = vec![None; palette.colours.len()];
        for row in band..(band + 6).min(high) {
            for column in 0..wide {
                let color = palette.number(pixels[(row * wide + column) as usize]);
                let line = lines[color].get_or_insert_with(|| vec![0; wide as usize]);
                line[column as usize] |= 1 << (row - band);
            }
        }
        for (color, line) in
            lines.iter().enumerate().filter_map(|(color, line)| line.as_ref().map(|line| (color, line)))
        {
            let _ = write!(out, "#{color}");
            for run in line.chunk_by(|a, b| a == b) {
                let letter = char::from(63 + run[0]);
                if run.len() > 3 {
                    let _ = write!(out, "!{}{letter}", run.len());
                } else {
                    out.extend(std::iter::repeat_n(letter, run.len()));
                }
            }
            out.push('$');
        }
        out.push('-');
    }
    out.push_str("\x1b\\");
    out
}

/// Colours that stand for all of a picture: the median cut of Heckbert.
struct Palette {
    colours: Vec<[u8; 3]>,
    /// The number of the colour for each that occurs.
    numbers: BTreeMap<u16, usize>,
}

/// Colours that occur: each with its sums and how many pixels have it.
type Bin = (u16, [u64; 3], u64);

impl Palette {
    fn new(pixels: &[[u8; 3]], most: usize) -> Palette {
        let mut bins: BTreeMap<u16, ([u64; 3], u64)> = BTreeMap::new();
        for pixel in pixels {
            let (sums, count) = bins.entry(key(*pixel)).or_default();
            sums.iter_mut().zip(pixel).for_each(|(sum, channel)| *sum += u64::from(*channel));
            *count += 1;
        }
        let mut boxes: Vec<Vec<Bin>> = vec![bins.into_iter().map(|(key, (sums, count))| (key, sums, count)).collect()];
        while boxes.len() < most {
            // The box that varies most, weighed by its pixels, is cut in two along its longest side.
            let weigh = |one: &Vec<Bin>| {
                let (_, length) = longest(one);
                length * one.iter().map(|(.., count)| count).sum::<u64>()
            };
            let Some((place, _)) = boxes.iter().enumerate().map(|(at, one)| (at, weigh(one))).max_by_key(|(_, w)| *w)
            else {
                break;
            };
            let (channel, length) = longest(&boxes[place]);
            if length == 0 {
                break;
            }
            let mut one = std::mem::take(&mut boxes[place]);
            one.sort_by_key(|(key, ..)| part(*key, channel));
            let half = one.iter().map(|(.., count)| count).sum::<u64>() / 2;
            let mut before = 0;
            let cut = one.iter().position(|(.., count)| {
                before += count;
                before > half
            });
            let cut = cut.unwrap_or(1).clamp(1, one.len() - 1);
            let other = one.split_off(cut);
            boxes[place] = one;
            boxes.push(other);
        }
        let mut palette = Palette { colours: Vec::new(), numbers: BTreeMap::new() };
        for one in boxes.iter().filter(|one| !one.is_empty()) {
            let count: u64 = one.iter().map(|(.., count)| count).sum();
            let mean = |channel: usize| one.iter().map(|(_, sums, _)| sums[channel]).sum::<u64>() / count.max(1);
            palette.numbers.extend(one.iter().map(|(key, ..)| (*key, palette.colours.len())));
            palette.colours.push([0, 1, 2].map(|channel| u8::try_from(mean(channel)).unwrap_or(u8::MAX)));
        }
        palette
    }

    fn number(&self, pixel: [u8; 3]) -> usize {
        self.numbers.get(&key(pixel)).copied().unwrap_or(0)
    }
}

fn key([r, g, b]: [u8; 3]) -> u16 {
    let short = |channel: u8| u16::from(channel) >> (8 - BITS);
    short(r) << (2 * BITS) | short(g) << BITS | short(b)
}

fn part(key: u16, channel: usize) -> u16 {
    key >> (BITS as usize * (2 - channel)) & ((1 << BITS) - 1)
}

/// The channel in which colours differ most, and by how much.
fn longest(bins: &[Bin]) -> (usize, u64) {
    let length = |channel: usize| {
        let all = bins.iter().map(|(key, ..)| part(*key, channel));
        let (least, most) = all.fold((u16::MAX, 0), |(least, most), one| (least.min(one), most.max(one)));
        u64::from(most.saturating_sub(least))
    };
    (0..3).map(|channel| (channel, length(channel))).max_by_key(|(_, length)| *length).unwrap_or((0, 0))
}
