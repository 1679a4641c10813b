//! `cargo bench -p emulator --bench travel`: what a step back costs in a run of ten million steps, and in what memory.
//!
//! Two shaders: one of ordinary size, and one with arrays so large that few checkpoints fit.
#![allow(clippy::print_stdout, reason = "the numbers are what this is for")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use emulator::Wave;
use emulator::glsl::{Evaluator, lower};
use emulator::travel::{Arrival, Lane, Limits, Travel, Watch};
use emulator::wave::Stop;
use lanes::{Mask, Numerics};
use shader::version::{Options, Stage};

const SMALL: &str = "#version 450
flat in int lane; out vec4 colour;
float noise(vec2 p) { float s = fract(sin(dot(p, vec2(12.9898, 78.233))) * 43758.5453); return s; }
vec3 shade(vec2 p) { vec3 sum = vec3(0.0); for (int i = 0; i < 8; i++) { float n = noise(p + float(i)); sum += n * 0.1; } return sum; }
void main() {
    vec3 total = vec3(0.0);
    for (int y = 0; y < 600; y++) {
        for (int x = 0; x < 600; x++) {
            if ((x + lane) % 3 == 0) continue;
            total += shade(vec2(x, y));
        }
    }
    colour = vec4(total, 1.0);
}";

const LARGE: &str = "#version 450
flat in int lane; out vec4 colour;
float table[60000];
void main() {
    for (int i = 0; i < 3400000; i++) {
        int at = (i * 7 + lane) % 60000;
        table[at] += float(i);
    }
    colour = vec4(table[lane]);
}";

fn main() {
    measure("small", SMALL);
    measure("large", LARGE);
}

fn measure(name: &str, text: &str) {
    let options = Options::new(Stage::Fragment);
    let shader = Arc::new(shader::analyze(&[text], &options));
    assert!(!shader.has_errors(), "{:?}", shader.diagnostics);
    let program = lower(&shader).expect("nothing unsupported");
    let mut wave: Wave<4> = Wave::new(&program, Numerics::IEEE);
    wave.initialize(Mask::ALL).expect("an end");
    let (_, home) = program.locate("lane").expect("an input");
    wave.set(home.start, [0, 1, 2, 3]);
    wave.start(Mask::ALL);
    let mut plain = wave.clone();
    let begin = Instant::now();
    assert_eq!(plain.run(&mut (), &mut (), &mut u64::MAX.clone()), Stop::Done);
    let unwatched = begin.elapsed();
    let (engine, wave) = wave.into_parts();
    let mut travel = Travel::new(engine, vec![wave], (), Limits::default());
    travel.follow(Lane { wave: 0, lane: 1 });
    let begin = Instant::now();
    assert_eq!(travel.to_end(), Arrival::End);
    let (end, took) = (travel.time(), begin.elapsed());
    let (bytes, count) = travel.kept();
    println!(
        "{name}: {end} stops forwards in {took:.2?} ({:.0} ns each, {:.2} times an unobserved run), \
         {count} checkpoints in {:.1} MB, peak of the process {:.1} MB",
        took.as_secs_f64() * 1e9 / end as f64,
        took.as_secs_f64() / unwatched.as_secs_f64(),
        bytes as f64 / 1e6,
        peak() as f64 / 1e6,
    );
    type Request = fn(&mut Travel<4, ()>) -> Arrival;
    let requests: [(&str, Request); 3] =
        [("back into", |t| t.back_into()), ("back over", |t| t.back_over()), ("back out", |t| t.back_out())];
    for (what, request) in requests {
        let mut times = Vec::new();
        for part in 0..20 {
            travel.go_to(end - end * part / 20 - 1);
            for _ in 0..10 {
                let begin = Instant::now();
                request(&mut travel);
                times.push(begin.elapsed());
            }
        }
        print(name, what, &mut times);
    }
    travel.to_end();
    let mut times = Vec::new();
    let (_, home) = program.locate("colour").expect("an output");
    for _ in 0..5 {
        let begin = Instant::now();
        assert!(travel.last_write(Watch::Registers(travel.lane(), home)).is_some());
        times.push(begin.elapsed());
    }
    print(name, "last write", &mut times);
    let (mut early, mut never) = (Vec::new(), Vec::new());
    let (_, input) = program.locate("lane").expect("an input");
    travel.go_to(3);
    let moment = travel.moment().expect("a moment");
    for _ in 0..5 {
        travel.to_end();
        let begin = Instant::now();
        assert_eq!(travel.last_write(Watch::Registers(travel.lane(), input)), None);
        never.push(begin.elapsed());
        let begin = Instant::now();
        assert_eq!(travel.run_to(&moment), Arrival::There);
        early.push(begin.elapsed());
    }
    print(name, "no write in the whole run", &mut never);
    print(name, "back to an early moment", &mut early);
    conditions(name, &mut Evaluator::new(&shader, &options, &program), &mut travel);
}

/// A condition that never holds, at a place that is passed often.
fn conditions(name: &str, evaluator: &mut Evaluator, travel: &mut Travel<4, ()>) {
    travel.to_start();
    (0..12).for_each(|_| assert_eq!(travel.step_into(), Arrival::There));
    let moment = travel.moment().expect("a moment");
    let begin = Instant::now();
    let expression = evaluator.expression(&moment, "lane * 7 == 1000").expect("a condition");
    let made = begin.elapsed();
    let mut count = 0u32;
    let begin = Instant::now();
    let holds = |travel: &Travel<4, ()>| {
        count += 1;
        let answer = expression.run(travel).expect("an end");
        count >= 20_000 || answer.truth(travel.lane().lane) == Some(true)
    };
    travel.run_to_break(&[moment.site], holds);
    let each = begin.elapsed() / count;
    println!("{name}: condition made in {made:.2?}, {count} times asked in {each:.2?} each, the way between included");
}

fn print(name: &str, what: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let mean = times.iter().sum::<Duration>() / times.len() as u32;
    println!("{name}: {what}: mean {mean:.2?}, worst of {} {:.2?}", times.len(), times[times.len() - 1]);
}

/// The most memory the process had, as Linux counts it; zero elsewhere.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}
