//! Moving forwards and backwards.

use std::sync::Arc;

use lanes::{Mask, Numerics};
use moment::{Moment, SiteId};

use super::{Arrival, Lane, Limits, Signal, Travel, Watch};
use crate::glsl::testing::Source;
use crate::host::{Host, Space};
use crate::ir::Program;
use crate::wave::{Interpreter, Wave};

fn source(main: &str) -> Source {
    Source::fragment(&format!("#version 450\nflat in int lane;\nint result;\n{main}"))
}

fn travel(program: &Arc<Program>, limits: Limits) -> Travel<4, ()> {
    let mut wave: Wave<4> = Wave::new(program, Numerics::IEEE);
    let all = Mask::from_bits(0b1111);
    wave.initialize(all).expect("an end");
    if let Some((_, home)) = program.locate("lane") {
        wave.set(home.start, [0, 1, 2, 3]);
    }
    wave.start(all);
    let (engine, wave) = wave.into_parts();
    Travel::new(engine, vec![wave], (), limits)
}

/// The text of the statement a lane is at.
fn here(source: &Source, travel: &Travel<4, ()>) -> String {
    let Some(moment) = travel.moment() else { return "start".to_owned() };
    let first = source.text(moment.site).split(['{', ';']).next().unwrap_or_default().trim();
    let ways: String =
        moment.path.iter().map(|step| format!(" {step}").split('@').next().unwrap_or("").to_owned()).collect();
    format!("{first}{ways}")
}

const CALLS: &str = "int g(int x) { x++; return x; }
int f(int x) { for (int i = 0; i < 2; i++) { if (x > 1) return g(x); x++; } return x; }
void main() { result = 1; result += f(lane); result = 3; }";

/// Does requests, one letter each, and says where each led.
#[track_caller]
fn check(main: &str, lane: usize, requests: &str, expected: &[&str]) {
    let source = source(main);
    let mut travel = travel(&source.program, Limits::default());
    travel.follow(Lane { wave: 0, lane });
    let mut found = Vec::new();
    for request in requests.chars() {
        let arrival = match request {
            'i' => travel.step_into(),
            'n' => travel.step_over(),
            'o' => travel.step_out(),
            'I' => travel.back_into(),
            'N' => travel.back_over(),
            'O' => travel.back_out(),
            'e' => travel.to_end(),
            _ => travel.to_start(),
        };
        found.push(match arrival {
            Arrival::There => here(&source, &travel),
            other => format!("{other:?}"),
        });
    }
    assert_eq!(found, expected);
}

#[test]
fn steps_go_into_calls() {
    let way = ["result = 1", "result += f(lane)", "for (int i = 0 call", "int i = 0 call", "for (int i = 0 call loop"];
    check(CALLS, 0, "iiiii", &way);
    check(CALLS, 0, "nnn", &["result = 1", "result += f(lane)", "result = 3"]);
}

#[test]
fn steps_back_undo_steps() {
    let there = ["result = 1", "result += f(lane)", "result = 3", "result += f(lane)", "result = 1", "Start"];
    check(CALLS, 0, "nnnNNN", &there);
    let inside = ["result = 1", "result += f(lane)", "result = 3", "return x call", "for (int i = 0 call loop"];
    check(CALLS, 0, "nnnII", &inside);
    check(
        CALLS,
        3,
        "nniOi",
        &["result = 1", "result += f(lane)", "for (int i = 0 call", "result += f(lane)", "for (int i = 0 call"],
    );
    check(CALLS, 3, "eIIO", &["End", "result = 3", "return x call loop call", "return g(x) call loop"]);
    check(
        CALLS,
        3,
        "nnioN",
        &["result = 1", "result += f(lane)", "for (int i = 0 call", "result = 3", "result += f(lane)"],
    );
}

#[test]
fn the_start_and_the_end_are_places_too() {
    check("void main() { result = 1; }", 0, "iiiIII", &["result = 1", "End", "End", "result = 1", "Start", "Start"]);
    check("void main() { result = 1; result = 2; }", 0, "ioON", &["result = 1", "End", "Start", "Start"]);
}

#[test]
fn an_endless_shader_is_left_where_it_was() {
    let source = source("void main() { result = 1; while (true) result++; }");
    let mut travel = travel(&source.program, Limits { blocks: 1000, ..Limits::default() });
    assert_eq!(travel.step_into(), Arrival::There);
    assert_eq!(travel.to_end(), Arrival::Endless);
    assert_eq!(travel.time(), 1);
    assert_eq!(travel.run_to_condition(|_| false), Arrival::Endless);
}

/// Every point of a run, reached forwards and then backwards, with room for next to no checkpoints and with plenty.
#[track_caller]
fn check_law(main: &str) {
    let source = source(main);
    for bytes in [0, 20_000, 1 << 20] {
        let mut forwards = travel(&source.program, Limits { bytes, ..Limits::default() });
        let mut backwards = travel(&source.program, Limits { bytes, ..Limits::default() });
        assert_eq!(backwards.to_end(), Arrival::End);
        assert!(backwards.kept().0 <= bytes.max(10_000), "{:?}", backwards.kept());
        let end = backwards.time();
        for time in (0..end).rev().step_by(end as usize / 50 + 1) {
            assert_eq!(backwards.go_to(time), Arrival::There);
            assert_eq!(forwards.to_start(), Arrival::Start);
            while forwards.time() < time {
                assert_eq!(forwards.go_to(forwards.time() + 1), Arrival::There);
            }
            assert!(forwards.same_state(&backwards), "time {time} of {end}");
        }
    }
}

#[test]
fn forwards_and_backwards_lead_to_the_same() {
    check_law(CALLS);
    check_law(
        "void main() { for (int i = 0; i < 50 * (lane + 1); i++) { if (i % 3 == lane) continue; result += i; } }",
    );
    check_law("void main() { for (int i = 0; i < 99; i++) { if (i == lane * 20) discard; result += i; } }");
}

#[test]
fn moments_are_found_again_from_anywhere() {
    let source = source(CALLS);
    let mut travel = travel(&source.program, Limits::default());
    for lane in 0..4 {
        travel.to_start();
        travel.follow(Lane { wave: 0, lane });
        let mut seen = Vec::new();
        while travel.step_into() == Arrival::There {
            seen.push((travel.time(), travel.moment().expect("a moment")));
        }
        for (time, moment) in seen.iter().chain(seen.iter().rev()) {
            assert_eq!(travel.run_to(moment), Arrival::There);
            assert_eq!(travel.time(), *time, "{moment}");
        }
        let now = travel.time();
        let missing = Moment { site: SiteId::statement(9999), path: Vec::new() };
        assert_eq!((travel.run_to(&missing), travel.time()), (Arrival::Never, now));
    }
}

#[test]
fn conditions_stop_in_both_directions() {
    let source = source("void main() { for (int i = 0; i < 2000; i++) result += i; }");
    let mut travel = travel(&source.program, Limits::default());
    let (_, home) = source.program.locate("result").expect("a result");
    let passed = |travel: &Travel<4, ()>, least: u32| travel.wave().register(home.start)[0] >= least;
    assert_eq!(travel.run_to_condition(|t| passed(t, 1_000_000)), Arrival::There);
    let first = travel.time();
    assert_eq!(travel.to_end(), Arrival::End);
    assert_eq!(travel.back_to_condition(|t| !passed(t, 1_000_000)), Arrival::There);
    assert_eq!(travel.time() + 1, first);
    assert_eq!(travel.back_to_condition(|t| passed(t, 1_000_000)), Arrival::Start);
}

#[test]
fn the_last_write_is_found() {
    let source = source(
        "void f(int i) { if (i == 100 + lane) result = i; }
         void main() { for (int i = 0; i < 2000; i++) f(i); lane; }",
    );
    let mut travel = travel(&source.program, Limits::default());
    let (_, home) = source.program.locate("result").expect("a result");
    travel.to_end();
    let end = travel.time();
    for lane in 0..4 {
        let lane = Lane { wave: 0, lane };
        let write = travel.last_write(Watch::Registers(lane, home)).expect("a write");
        assert_eq!((write.lane, write.old[0], write.new[0]), (lane, 0, 100 + lane.lane as u32));
        assert_eq!(travel.time(), end);
        let moment = write.moment.expect("a moment");
        assert_eq!(source.text(moment.site), "result = i;");
        assert_eq!(moment.path.len(), 2);
        travel.follow(lane);
        assert_eq!(travel.go_to(write.time), Arrival::There);
        assert_eq!(travel.moment(), Some(moment));
        assert_eq!(travel.last_write(Watch::Registers(lane, home)), None);
        travel.go_to(end);
    }
}

/// Memory of a workgroup.
#[derive(Clone, PartialEq, Debug)]
struct Shared(Vec<u8>);

impl Host for Shared {
    fn copy_bytes(&self) -> usize {
        self.0.len()
    }

    fn buffer(&mut self, space: Space, _: u32) -> &mut [u8] {
        if space == Space::Workgroup { &mut self.0 } else { &mut [] }
    }
}

/// Two waves of four that exchange numbers.
const GROUP: &str = "#version 450
layout(local_size_x = 8) in;
shared uint box[8];
uint sum;
void main() {
    uint me = gl_LocalInvocationIndex;
    for (uint i = 0u; i < 3u; i++) {
        box[me] = me * 10u + i;
        barrier();
        sum += box[7u - me];
        barrier();
    }
}";

fn group(program: &Arc<Program>, limits: Limits) -> Travel<4, Shared> {
    let waves = [0, 4].map(|first| {
        let mut wave: Wave<4> = Wave::new(program, Numerics::IEEE);
        wave.initialize(Mask::ALL).expect("an end");
        let (_, home) = program.locate("gl_LocalInvocationIndex").expect("an index");
        wave.set(home.start, std::array::from_fn(|lane| first + lane as u32));
        wave.start(Mask::ALL);
        wave.into_parts().1
    });
    let host = Shared(vec![0; program.workgroup_bytes as usize]);
    Travel::new(Interpreter::new(Numerics::IEEE), waves.to_vec(), host, limits)
}

#[test]
fn waves_wait_for_each_other_in_both_directions() {
    let program = Source::compute(GROUP).program;
    let mut backwards = group(&program, Limits::default());
    assert_eq!(backwards.to_end(), Arrival::End);
    let (_, home) = program.locate("sum").expect("a sum");
    let sums: Vec<u32> = backwards.waves().iter().flat_map(|wave| *wave.register(home.start)).collect();
    assert_eq!(sums, [213, 183, 153, 123, 93, 63, 33, 3]);
    // Lane 1 of the second wave is invocation 5, whose box invocation 2 reads.
    backwards.follow(Lane { wave: 1, lane: 1 });
    let watch = Watch::Memory { space: Space::Workgroup, slot: 0, offset: 20, words: 1 };
    let write = backwards.last_write(watch).expect("a write");
    assert_eq!((write.lane, &write.old[..], &write.new[..]), (backwards.lane(), &[51][..], &[52][..]));
    assert_eq!(backwards.go_to(write.time), Arrival::There);
    assert_eq!(backwards.moment(), write.moment);
    for time in (0..backwards.time()).rev() {
        let mut forwards = group(&program, Limits::default());
        assert_eq!(backwards.go_to(time), Arrival::There);
        forwards.go_to(time);
        assert!(forwards.same_state(&backwards) && forwards.host() == backwards.host(), "time {time}");
    }
}

/// Writes that are rare, in calls, in parts of expressions, by some lanes only, and after long loops.
const RARE: &str = "int other;
bool set(int x) { result = x; return x % 2 == 0; }
int slow(int n) { int sum = 0; for (int k = 0; k < n; k++) { if (k % 7 == lane) sum += k; } return sum; }
int early(int n) { for (int k = 0; ; k++) { if (k > n + lane) { other++; return k; } } }
void main() {
    for (int i = 0; i < 40; i++) {
        bool b = i % 9 == lane && set(i);
        int x = i % 11 == 3 + lane ? (result += slow(30)) : slow(20);
        if (i == 20) result = early(x / 10);
        other = early(2) + (b ? 1 : 0);
    }
}";

#[test]
fn what_is_skipped_does_not_matter() {
    let source = source(RARE);
    // Without room for checkpoints nothing is skipped.
    let mut whole = travel(&source.program, Limits { bytes: 0, ..Limits::default() });
    let mut skipping = travel(&source.program, Limits::default());
    assert_eq!((whole.to_end(), skipping.to_end()), (Arrival::End, Arrival::End));
    assert!(skipping.kept().1 > 10 && whole.kept().1 == 1, "{:?}", skipping.kept());
    let homes = ["result", "other"].map(|name| source.program.locate(name).expect("a variable").1);
    let sites = source.statements();
    for time in (1..=skipping.time()).step_by(331) {
        for lane in (0..4).map(|lane| Lane { wave: 0, lane }) {
            whole.follow(lane);
            skipping.follow(lane);
            for home in homes {
                assert_eq!((whole.go_to(time), skipping.go_to(time)), (Arrival::There, Arrival::There));
                let watch = Watch::Registers(lane, home);
                assert_eq!(whole.last_write(watch), skipping.last_write(watch), "{lane:?} before {time}");
            }
            let site = sites[time as usize % sites.len()];
            let at = |t: &Travel<4, ()>| t.moment().is_some_and(|moment| moment.site == site);
            assert_eq!(whole.back_to_condition(at), skipping.back_to_break(&[site], |_| true));
            assert_eq!(whole.time(), skipping.time(), "{site:?} before {time}");
            assert_eq!(whole.run_to_condition(at), skipping.run_to_break(&[site], |_| true));
            assert_eq!(whole.time(), skipping.time(), "{site:?} after {time}");
            if let Some(moment) = skipping.moment() {
                skipping.go_to(time);
                assert_eq!(skipping.run_to(&moment), Arrival::There);
                assert_eq!(skipping.moment(), Some(moment));
            }
        }
    }
}

#[test]
fn a_signal_ends_every_search_and_nothing_is_lost_by_it() {
    // Lanes leave the loop at different times, so that the first waits for the others for long.
    let source = source(
        "void main() {
            int last = lane == 0 ? 100000 : 300000;
            for (int i = 0; i < last; i++) { result = result * 3 + i; }
            result++;
        }",
    );
    let mut straight = travel(&source.program, Limits::default());
    assert_eq!(straight.to_end(), Arrival::End);
    for lane in [0, 3] {
        let signal = Arc::new(Signal::default());
        let mut travel = travel(&source.program, Limits::default());
        travel.use_signal(Arc::clone(&signal));
        travel.follow(Lane { wave: 0, lane });
        signal.set_stop(true);
        let mut rests = 0;
        loop {
            let before = travel.time();
            match travel.to_end() {
                Arrival::Interrupted => rests += 1,
                arrival => {
                    assert_eq!(arrival, Arrival::End);
                    break;
                }
            }
            assert!(travel.is_stop(), "at {}", travel.time());
            assert_eq!(signal.time().max(before), signal.time());
            if travel.time() == before {
                // The lane waits for others, so it has to be let run.
                signal.set_stop(false);
            }
        }
        assert!(rests > 2, "{rests}");
        assert!(travel.same_state(&straight));
        signal.set_stop(true);
        let end = travel.time();
        assert_eq!(travel.back_to_condition(|_| false), Arrival::Interrupted);
        assert_eq!(travel.run_to_condition(|_| false), Arrival::End);
        assert!(travel.same_state(&straight));
        let (_, home) = source.program.locate("result").expect("it is there");
        let watch = Watch::Registers(Lane { wave: 0, lane }, home);
        assert_eq!(travel.last_write(watch), None);
        signal.set_stop(false);
        assert!(travel.last_write(watch).is_some());
        assert_eq!((travel.time(), travel.to_start()), (end, Arrival::Start));
        signal.set_stop(true);
        assert_eq!(travel.run_to_condition(|_| false), Arrival::Interrupted);
    }
}
