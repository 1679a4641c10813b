//! Times our front end and glslang on the same shaders, in turns. `cargo xtask bench peer` writes the shaders to a file
//! and runs this with its path and the number of rounds.

use std::hint::black_box;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, bail};
use shader::dialect::Timeline;
use shader::source::Sources;
use shader::version::{Options, Profile, Stage, Version};

unsafe extern "C" {
    fn cpu_nanoseconds() -> u64;
    fn peer_start();
    fn peer_check(stage: i32, es: i32, text: *const u8, length: i32) -> i32;
}

/// A shader and the way it is read.
struct Sample {
    options: Options,
    text: String,
}

/// Time spent in one round.
#[derive(Default)]
struct Round {
    preprocess: Duration,
    parse: Duration,
    total: Duration,
    peer: Duration,
}

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, number, mode @ ..] = &arguments[..] else { bail!("give the file of shaders and the number of rounds") };
    let samples = read(&std::fs::read(file).with_context(|| format!("{file} cannot be read"))?)?;
    let number: usize = number.parse()?;
    // SAFETY: called once, before any other function of the library.
    unsafe { peer_start() };
    if !mode.is_empty() {
        samples[number..].iter().for_each(|s| eprintln!("{}", u8::from(peer(s))));
        return Ok(());
    }
    let theirs = verdicts(file, samples.len())?;
    let verdicts: Vec<(bool, bool)> = samples.iter().zip(theirs).map(|(s, theirs)| (ours(s), theirs)).collect();
    let both: Vec<&Sample> =
        samples.iter().zip(&verdicts).filter(|(_, v)| **v == (true, true)).map(|(s, _)| s).collect();
    let accepted = |which: fn(&(bool, bool)) -> bool| verdicts.iter().filter(|v| which(v)).count();
    println!(
        "{} shaders, {} KB: we accept {}, glslang {}, both {}",
        samples.len(),
        kb(samples.iter()) as u64,
        accepted(|v| v.0),
        accepted(|v| v.1),
        both.len()
    );
    let size = kb(both.iter().copied());
    println!("on the {} that both accept ({} KB), us/KB:", both.len(), size as u64);
    println!("  round  preprocess   parse   check   total   glslang   ratio");
    let mut best: Option<Round> = None;
    // The first round warms both and is not counted: glslang sets up its built-in names at their first use.
    measure(&both);
    for number in 1..=number {
        let round = measure(&both);
        print(&number.to_string(), &round, size);
        if best.as_ref().is_none_or(|b| round.total < b.total) {
            best = Some(round);
        }
    }
    if let Some(best) = best {
        print("best", &best, size);
    }
    let (all, _) = timed(|| samples.iter().filter(|s| ours(s)).count());
    println!("all {} shaders, accepted or not: {:.1} us/KB", samples.len(), per_kb(all, kb(samples.iter())));
    Ok(())
}

/// What glslang says about each shader. It crashes on some (those for which it cannot set up its built-in names), so
/// another process asks it, and a new one goes on after the shader that ended the last.
fn verdicts(file: &str, count: usize) -> anyhow::Result<Vec<bool>> {
    let mut verdicts = Vec::with_capacity(count);
    while verdicts.len() < count {
        let mut child = Command::new(std::env::current_exe()?)
            .args([file, &verdicts.len().to_string(), "verdicts"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let answers = child.stderr.take().context("a child has a stderr")?;
        for line in BufReader::new(answers).lines() {
            verdicts.push(line? == "1");
        }
        child.wait()?;
        if verdicts.len() < count {
            verdicts.push(false);
        }
    }
    Ok(verdicts)
}

fn print(name: &str, round: &Round, kb: f64) {
    let check = round.total.saturating_sub(round.preprocess + round.parse);
    println!(
        "  {name:>5}  {:10.1}  {:6.1}  {:6.1}  {:6.1}  {:8.1}  {:6.2}",
        per_kb(round.preprocess, kb),
        per_kb(round.parse, kb),
        per_kb(check, kb),
        per_kb(round.total, kb),
        per_kb(round.peer, kb),
        round.peer.as_secs_f64() / round.total.as_secs_f64(),
    );
}

fn per_kb(time: Duration, kb: f64) -> f64 {
    time.as_secs_f64() * 1e6 / kb
}

fn kb<'a>(samples: impl Iterator<Item = &'a Sample>) -> f64 {
    samples.map(|s| s.text.len()).sum::<usize>() as f64 / 1024.0
}

fn measure(samples: &[&Sample]) -> Round {
    let mut round = Round::default();
    for sample in samples {
        let (time, _) = timed(|| ours(sample));
        round.total += time;
        let (time, _) = timed(|| peer(sample));
        round.peer += time;
        let (time, preprocessed) = timed(|| {
            let sources = Sources::new(&[&sample.text]);
            shader::preprocess::preprocess(&sources, &sample.options)
        });
        round.preprocess += time;
        let (time, _) = timed(|| {
            let timeline = Timeline::new(&preprocessed, &sample.options);
            shader::parse::parse(&preprocessed, &timeline)
        });
        round.parse += time;
    }
    round
}

/// Runs something and gives the processor time it took: on a busy machine the clock on the wall says little.
fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    // SAFETY: reads a clock.
    let start = unsafe { cpu_nanoseconds() };
    let result = black_box(work());
    // SAFETY: reads a clock.
    let end = unsafe { cpu_nanoseconds() };
    (Duration::from_nanos(end - start), result)
}

fn ours(sample: &Sample) -> bool {
    !shader::analyze(&[&sample.text], &sample.options).has_errors()
}

fn peer(sample: &Sample) -> bool {
    let es = sample.options.default_version.is_es();
    let (text, length) = (sample.text.as_ptr(), sample.text.len() as i32);
    // SAFETY: the text outlives the call, and the library was started.
    unsafe { peer_check(sample.options.stage as i32, i32::from(es), text, length) == 1 }
}

/// Reads records of a line `STAGE ES LENGTH` and so many bytes.
fn read(mut data: &[u8]) -> anyhow::Result<Vec<Sample>> {
    let mut samples = Vec::new();
    while let Some(end) = data.iter().position(|b| *b == b'\n') {
        let line = std::str::from_utf8(&data[..end])?;
        let numbers: Vec<usize> = line.split(' ').map(str::parse).collect::<Result<_, _>>()?;
        let [stage, es, length] = numbers[..] else { bail!("a record begins with {line:?}") };
        let text = data.get(end + 1..end + 1 + length).context("the last record is cut off")?;
        let mut options = Options::new(*Stage::ALL.get(stage).context("there are six stages")?);
        if es == 1 {
            options.default_version = Version { number: 100, profile: Profile::Es };
        }
        samples.push(Sample { options, text: String::from_utf8(text.to_vec())? });
        data = &data[end + 1 + length..];
    }
    Ok(samples)
}
