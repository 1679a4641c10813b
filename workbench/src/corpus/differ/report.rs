//! Prints the results.

use std::collections::BTreeMap;

use super::super::ratchet::Share;
use super::super::report::percent;
use super::compare::{Comparison, Histogram, Reason, row_name};
use super::emulate::Picture;
use super::scene::Scene;
use super::subject::Subject;
use super::values::SIDE;

/// The result of a shader.
pub enum Outcome {
    /// It could not be run, with the reason.
    NotRun(String),
    /// Too few distinct pixels to be meaningful.
    Constant,
    /// Two images were compared.
    Compared(Box<Comparison>),
}

/// A shader with its result.
pub struct Judged {
    /// Its origin.
    pub name: String,
    /// The row of the table.
    pub group: String,
    /// Its result.
    pub outcome: Outcome,
}

/// The results of a run.
pub struct Report {
    /// All shaders, in order.
    pub judged: Vec<Judged>,
}

impl Report {
    /// Prints the tables.
    pub fn print(&self, list: bool) {
        let mut missing: BTreeMap<&str, usize> = BTreeMap::new();
        for judged in &self.judged {
            match &judged.outcome {
                Outcome::NotRun(why) => {
                    *missing.entry(why).or_default() += 1;
                    if list {
                        println!("not run: {}: {why}", judged.name);
                    }
                }
                Outcome::Compared(c) if c.within * 100 < c.pixels * 99 => {
                    let reasons = Reason::ALL.iter().zip(c.reasons).filter(|(_, count)| *count > 0);
                    let reasons: Vec<String> =
                        reasons.map(|(reason, count)| format!("{} {count}", reason.name())).collect();
                    let share = 100.0 * c.within as f64 / c.pixels as f64;
                    println!("{share:6.2} % {}: {}", judged.name, reasons.join(", "));
                }
                Outcome::Constant | Outcome::Compared(_) => {}
            }
        }
        let mut missing: Vec<(&str, usize)> = missing.into_iter().collect();
        missing.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        for (why, count) in missing.iter().take(30) {
            println!("{count:8} not run: {why}");
        }
        let constant = self.judged.iter().filter(|j| matches!(j.outcome, Outcome::Constant)).count();
        println!("{constant:8} with fewer than {} distinct pixels", super::DISTINCT);
        self.print_groups();
        self.print_functions();
    }

    /// Prints how exact the driver's operators and built-in functions are, by piglit's tests of them.
    fn print_functions(&self) {
        let mut functions: BTreeMap<String, Comparison> = BTreeMap::new();
        for (judged, comparison) in self.compared().filter(|(judged, _)| judged.group == "piglit built-in values") {
            let test = judged.name.rsplit('/').next().unwrap_or_default().trim_start_matches("fs-");
            let mut words = test.split(['-', '.']);
            let first = words.next().unwrap_or_default();
            let is_operator = first == "op";
            let rest = words.next().filter(|_| is_operator).unwrap_or_default();
            let row = functions.entry(format!("{first} {rest}").trim().to_owned()).or_default();
            row.pixels += comparison.pixels;
            row.exact += comparison.exact;
            row.one_ulp += comparison.one_ulp;
            row.within += comparison.within;
            row.worst = row.worst.max(comparison.worst);
        }
        functions.retain(|_, row| row.exact < row.pixels);
        println!("{:24} {:>9} {:>9} {:>9} {:>10}", "not always exact", "exact", "<= 1 ulp", "equal", "worst ulp");
        for (name, row) in &functions {
            let share = |n: u64| format!("{:.2} %", 100.0 * n as f64 / row.pixels.max(1) as f64);
            let (exact, one, within) = (share(row.exact), share(row.one_ulp), share(row.within));
            println!("{name:24} {exact:>9} {one:>9} {within:>9} {:>10}", row.worst);
        }
    }

    fn print_groups(&self) {
        let mut groups: BTreeMap<&str, (Comparison, usize, usize)> = BTreeMap::new();
        for (judged, comparison) in self.compared() {
            for name in [judged.group.as_str(), "together"] {
                let (sum, shaders, good) = groups.entry(name).or_default();
                sum.pixels += comparison.pixels;
                sum.exact += comparison.exact;
                sum.one_ulp += comparison.one_ulp;
                sum.within += comparison.within;
                sum.unwritten += comparison.unwritten;
                add(&mut sum.histogram, &comparison.histogram);
                add(&mut sum.reasons, &comparison.reasons);
                *shaders += 1;
                *good += usize::from(comparison.within * 100 >= comparison.pixels * 99);
            }
        }
        println!(
            "{:24} {:>8} {:>10} {:>9} {:>9} {:>9} {:>9}",
            "", "shaders", "99 % equal", "exact", "<= 1 ulp", "equal", "explained"
        );
        for (name, (sum, shaders, good)) in &groups {
            let share = |n: u64| format!("{:.3} %", 100.0 * n as f64 / sum.pixels.max(1) as f64);
            println!(
                "{name:24} {shaders:8} {good:10} {:>9} {:>9} {:>9} {:>9}",
                share(sum.exact),
                share(sum.one_ulp),
                share(sum.within),
                share(sum.pixels - sum.reasons[4])
            );
        }
        for (i, reason) in Reason::ALL.iter().enumerate() {
            print!("{:30}", reason.name());
            groups.iter().for_each(|(name, (sum, ..))| print!("  {name} {}", sum.reasons[i]));
            println!();
        }
        print!("{:>12}", "ulp");
        groups.keys().for_each(|name| print!(" {name:>22}"));
        println!();
        for row in 0..Histogram::default().len() {
            print!("{:>12}", row_name(row));
            groups.values().for_each(|(sum, ..)| print!(" {:>22}", sum.histogram[row]));
            println!();
        }
    }

    /// Returns the numbers for the ratchet.
    pub fn numbers(&self) -> Vec<(&'static str, Share)> {
        let (mut pixels, mut shaders, mut explained) = (Share::default(), Share::default(), Share::default());
        for (_, c) in self.compared() {
            pixels.right += c.within as usize;
            pixels.total += c.pixels as usize;
            explained.right += (c.pixels - c.reasons[4]) as usize;
            explained.total += c.pixels as usize;
            shaders.add(c.within * 100 >= c.pixels * 99);
        }
        println!("pixels equal             {}", percent(pixels));
        println!("shaders 99 % equal       {}", percent(shaders));
        println!("pixels equal or explained {}", percent(explained));
        vec![("explained", explained), ("pixels", pixels), ("shaders", shaders)]
    }

    /// Iterates over shaders with two images.
    pub fn compared(&self) -> impl Iterator<Item = (&Judged, &Comparison)> {
        self.judged.iter().filter_map(|judged| match &judged.outcome {
            Outcome::Compared(comparison) => Some((judged, &**comparison)),
            Outcome::NotRun(_) | Outcome::Constant => None,
        })
    }
}

fn add(sum: &mut [u64], other: &[u64]) {
    sum.iter_mut().zip(other).for_each(|(a, b)| *a += b);
}

/// Prints a shader and the first pixels that differ.
pub fn show(subject: &Subject, scene: &Scene, ours: &Picture, theirs: &[Option<Vec<[u32; 4]>>], c: &Comparison) {
    println!(
        "== {} ({})\n-- vertex\n{}-- fragment\n{}",
        subject.name,
        subject.api.name(),
        scene.vertex,
        subject.strings.concat()
    );
    println!("{} of {} pixels equal", c.within, c.pixels);
    for at in c.outside.iter().take(8) {
        let (x, y) = (at % usize::from(SIDE), at / usize::from(SIDE));
        for (index, output) in scene.outputs.iter().enumerate() {
            let Some(Some(picture)) = theirs.get(index) else { continue };
            let text = |words: [u32; 4]| match output.channel {
                driver::Channel::Float => format!("{:?}", words.map(f32::from_bits)),
                _ => format!("{:?}", words.map(|w| w as i32)),
            };
            let fate = if ours.discarded[*at] { "discarded, " } else { "" };
            let pixel = ours.outputs[index][*at];
            println!("{x},{y} {}: {fate}ours {}, theirs {}", output.name, text(pixel.words), text(picture[*at]));
        }
        for (leaf, _) in scene.leaves.iter().zip(&scene.homes) {
            let words = leaf.words(super::values::tile_at(x as u32, y as u32));
            let floats: Vec<f32> = words.iter().map(|w| f32::from_bits(*w)).collect();
            match leaf.channel {
                driver::Channel::Float => println!("    {} = {floats:?}", leaf.name),
                _ => println!("    {} = {:?}", leaf.name, words.iter().map(|w| *w as i32).collect::<Vec<_>>()),
            }
        }
    }
}
