//! Changing engines in the middle of a run: the state is all there is to it.

use std::cell::Cell;
use std::sync::Arc;

use emulator::glsl::lower;
use emulator::host::{Host, Space};
use emulator::ir::{Instruction, LookupId, Marker, Program, SiteId};
use emulator::travel::{Arrival, Limits, Travel};
use emulator::wave::{Fault, Flow, Interest, Observer, Stop};
use emulator::{Engine, Interpreter, Wave, WaveState};
use lanes::{Mask, Numerics};
use shader::version::{Options, Stage};
use texture::Texel;

/// An engine that goes from marker to marker on a copy of the state, and puts the copy in the state's place at each: as a
/// compiled engine does that has values elsewhere in between.
#[derive(Clone, Default)]
struct Hopping {
    inner: Interpreter,
    hops: Cell<u64>,
}

impl<const W: usize> Engine<W> for Hopping {
    fn numerics(&self) -> &Numerics {
        Engine::<W>::numerics(&self.inner)
    }

    fn run(
        &self,
        wave: &mut WaveState<W>,
        host: &mut dyn Host,
        observer: &mut dyn Observer<W>,
        budget: &mut u64,
    ) -> Stop {
        loop {
            let mut copy = wave.clone();
            let mut hop = Hop { observer, wanted: false };
            let stop = self.inner.run(&mut copy, host, &mut hop, budget);
            let wanted = hop.wanted;
            *wave = copy;
            self.hops.set(self.hops.get() + 1);
            if stop != Stop::Paused || wanted {
                return stop;
            }
        }
    }
}

/// Pauses at every marker; `wanted` says whether the observer behind it wants that.
struct Hop<'o, const W: usize> {
    observer: &'o mut dyn Observer<W>,
    wanted: bool,
}

impl<const W: usize> Observer<W> for Hop<'_, W> {
    fn interest(&self) -> Interest {
        self.observer.interest().or(Interest::MARKERS)
    }

    fn marker(&mut self, wave: &WaveState<W>, marker: Marker, mask: &Mask<W>) -> Flow {
        self.wanted = self.observer.marker(wave, marker, mask) == Flow::Pause;
        Flow::Pause
    }

    fn before(&mut self, wave: &WaveState<W>, instruction: &Instruction, origin: Option<SiteId>, mask: &Mask<W>) {
        self.observer.before(wave, instruction, origin, mask);
    }

    fn after(&mut self, wave: &WaveState<W>, instruction: &Instruction, origin: Option<SiteId>, mask: &Mask<W>) {
        self.observer.after(wave, instruction, origin, mask);
    }

    fn branch(&mut self, wave: &WaveState<W>, origin: Option<SiteId>, on: &Mask<W>, off: &Mask<W>) {
        self.observer.branch(wave, origin, on, off);
    }

    fn texel(&mut self, lookup: LookupId, handle: u32, lane: usize, texel: Texel) {
        self.observer.texel(lookup, handle, lane, texel);
    }

    fn fault(&mut self, wave: &WaveState<W>, lane: usize, fault: Fault) {
        self.observer.fault(wave, lane, fault);
    }
}

/// Pauses after a number of markers.
struct After(u32);

impl<const W: usize> Observer<W> for After {
    fn marker(&mut self, _: &WaveState<W>, _: Marker, _: &Mask<W>) -> Flow {
        self.0 -= 1;
        if self.0 == 0 { Flow::Pause } else { Flow::Continue }
    }
}

/// Memory that shaders share.
#[derive(Clone, PartialEq, Debug)]
struct Memory(Vec<u8>);

impl Host for Memory {
    fn copy_bytes(&self) -> usize {
        self.0.len()
    }

    fn buffer(&mut self, _: Space, _: u32) -> &mut [u8] {
        &mut self.0
    }
}

/// Divergent loops and calls, early returns, discarded lanes, arrays, memory and barriers.
const SHADERS: [(Stage, &str); 3] = [
    (
        Stage::Fragment,
        "#version 450
        flat in int lane; out vec4 colour;
        int f(int x) { for (int i = 0; i < x; i++) { if (i == 3) return x * i; } return x; }
        void main() {
            int sum = 0;
            for (int i = 0; i < 3 * lane + 2; i++) { if (i % 3 == lane) continue; sum += f(i); }
            if (lane == 2) discard;
            int table[8]; for (int i = 0; i < 8; i++) table[i] = i * sum;
            colour = vec4(table[sum & 7], f(lane), dFdx(float(sum)), 1.0);
        }",
    ),
    (
        Stage::Compute,
        "#version 450
        layout(local_size_x = 4) in;
        layout(std430) buffer B { uint count; uint order[16]; };
        shared uint boxes[4];
        void main() {
            uint me = gl_LocalInvocationIndex;
            for (uint i = 0u; i < me + 1u; i++) { order[atomicAdd(count, 1u) & 15u] = me * 16u + i; boxes[me] += i; }
            barrier();
            for (uint i = boxes[3u - me]; i > 0u; i--) order[i & 15u] ^= boxes[me];
        }",
    ),
    (
        Stage::Fragment,
        "#version 450
        flat in int lane; out vec4 colour;
        double g(double x) { switch (lane) { case 1: x += 1.0LF; case 2: x *= 2.0LF; break; default: x -= 4.0LF; } return x; }
        void main() { double d = lane; do { d = g(d); } while (d > 0.0LF && d < 100.0LF); colour = vec4(d); }",
    ),
];

fn lowered((stage, text): (Stage, &str)) -> Arc<Program> {
    let shader = shader::analyze(&[text], &Options::new(stage));
    assert!(!shader.has_errors(), "{:?}", shader.diagnostics);
    lower(&shader).expect("nothing unsupported")
}

fn begun(program: &Arc<Program>) -> WaveState<4> {
    let mut wave: Wave<4> = Wave::new(program, Numerics::IEEE);
    wave.initialize(Mask::ALL).expect("an end");
    for name in ["lane", "gl_LocalInvocationIndex"] {
        if let Some((_, home)) = program.locate(name) {
            wave.set(home.start, [0, 1, 2, 3]);
        }
    }
    wave.start(Mask::ALL);
    wave.into_parts().1
}

/// A fixed sequence of numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as u32) % end
    }
}

#[test]
fn engines_take_over_from_each_other_at_any_marker() {
    let mut numbers = Numbers(1);
    let mut switches = 0;
    for shader in SHADERS {
        let program = lowered(shader);
        let (mut straight, mut memory) = (begun(&program), Memory(vec![0; 256]));
        let interpreter = Interpreter::default();
        while interpreter.run(&mut straight, &mut memory, &mut (), &mut u64::MAX.clone()) != Stop::Done {}
        for _ in 0..200 {
            let (mut wave, mut host) = (begun(&program), Memory(vec![0; 256]));
            loop {
                let mut pause = After(1 + numbers.below(30));
                let stop = match numbers.below(2) {
                    0 => Interpreter::default().run(&mut wave, &mut host, &mut pause, &mut u64::MAX.clone()),
                    _ => Hopping::default().run(&mut wave, &mut host, &mut pause, &mut u64::MAX.clone()),
                };
                if stop == Stop::Done {
                    break;
                }
                // The next engine is given a copy: nothing else is handed over.
                (wave, switches) = (wave.clone(), switches + 1);
            }
            assert!(wave.same_state(&straight) && host == memory);
        }
    }
    assert!(switches > 1000, "{switches}");
}

#[test]
fn travelling_is_the_same_with_any_engine() {
    for shader in SHADERS {
        let program = lowered(shader);
        let limits = Limits { bytes: 30_000, ..Limits::default() };
        let memory = Memory(vec![0; 256]);
        let mut plain = Travel::new(Interpreter::default(), vec![begun(&program)], memory.clone(), limits);
        let mut hopping = Travel::new(Hopping::default(), vec![begun(&program)], memory, limits);
        assert_eq!((plain.to_end(), hopping.to_end()), (Arrival::End, Arrival::End));
        assert!(hopping.engine().hops.get() > plain.time());
        for time in (0..=plain.time()).rev() {
            plain.go_to(time);
            hopping.go_to(time);
            let same = plain.waves()[0].same_state(&hopping.waves()[0]) && plain.host() == hopping.host();
            assert!(same && plain.moment() == hopping.moment(), "time {time}");
        }
    }
}

/// A run is a value of its own: it can be kept anywhere, and go to another thread and back.
#[test]
fn runs_are_owned() {
    fn owned<T: Send + 'static>(value: T) -> T {
        value
    }
    let program = lowered(SHADERS[0]);
    let mut travel =
        owned(Travel::new(Interpreter::default(), vec![begun(&program)], Memory(Vec::new()), Limits::default()));
    drop(program);
    for _ in 0..10 {
        travel.step_into();
    }
    let here = travel.time();
    let mut travel = std::thread::spawn(move || {
        travel.to_end();
        travel
    })
    .join()
    .expect("no panic");
    assert!(travel.is_at_end());
    assert_eq!((travel.go_to(here), travel.time()), (Arrival::There, here));
}
