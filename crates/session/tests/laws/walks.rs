//! Random walks.

use std::path::Path;

use session::{Choice, Scope, Session, Step, Stop, Variable};
use testing::random::Random;

use crate::traces::{last_draws, open};

/// How many walks are wanted of each trace.
pub fn wanted(otherwise: usize) -> usize {
    std::env::var("SESSION_WALKS").ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Walks through invocations of a trace. At least `crossings` of the walks must go through an invocation of an earlier
/// pass: a debugger that cannot enter one breaks no other law.
pub fn check(trace: &Path, walks: usize, crossings: usize) {
    let (mut session, mut other) = (open(trace), open(trace));
    let draws = last_draws(&session);
    assert!(!draws.is_empty(), "nothing is drawn in {}", trace.display());
    let mut random = Random::new(7);
    let (mut done, mut crossed) = (0, 0);
    for attempt in 0..walks * 60 {
        if done == walks {
            break;
        }
        let command = draws[random.index(draws.len())];
        // Demos are small; other people's windows and meshes are not.
        let [width, height, vertices] = [[96, 54, 40], [800, 600, 4000]][random.index(2)];
        let choice = match attempt % 5 {
            // What was drawn over is no pixel's last writer, but a fragment all the same.
            0..3 => Choice::fragment(command, random.below(width) as u32, random.below(height) as u32),
            3 => Choice::vertex(command, random.below(vertices) as u32),
            _ => Choice::thread(command, [random.below(200) as u32, 0, 0]),
        };
        if session.enter(&choice).is_err() {
            continue;
        }
        done += 1;
        forth_and_back(&mut session, &mut random);
        calls_balance(&mut session);
        again(&mut session, &mut other, &choice, &mut random);
        crossed += crossing(&mut session, &mut random);
    }
    eprintln!("{}: {done} walks, {crossed} of them through an earlier pass; {crossings} must be", trace.display());
    assert!(done >= walks.min(1), "no invocation of {} can be walked through", trace.display());
    assert!(crossed >= crossings, "{crossed} of {done} walks through {} enter an earlier pass", trace.display());
}

/// Where a session is and in which state.
fn state(session: &Session, stop: &Stop) -> (u64, String, u64) {
    (stop.time, stop.moment.clone(), session.fingerprint().unwrap())
}

/// Forwards, then backwards by the same steps: everything is as it was. Any time can be gone to.
fn forth_and_back(session: &mut Session, random: &mut Random) {
    let stop = session.step(Step::ToStart).unwrap();
    let mut way = vec![state(session, &stop)];
    for _ in 0..40 {
        let stop = session.step(Step::Into).unwrap();
        way.push(state(session, &stop));
        if stop.ended {
            break;
        }
    }
    for passed in way.iter().rev().skip(1) {
        let stop = session.step(Step::BackInto).unwrap();
        assert_eq!(state(session, &stop), *passed);
    }
    for _ in 0..5 {
        let wanted = &way[random.index(way.len())];
        let stop = session.go_to_time(wanted.0).unwrap();
        assert_eq!(state(session, &stop), *wanted);
        let position = session.position().unwrap();
        session.step([Step::Over, Step::ToEnd, Step::ToStart][random.index(3)]).unwrap();
        let stop = session.go_to(&position).unwrap();
        assert_eq!(state(session, &stop), *wanted);
    }
}

/// Stepping into a call and out of it again leads behind the call forwards, and in front of it backwards.
fn calls_balance(session: &mut Session) {
    let mut stop = session.step(Step::ToStart).unwrap();
    for _ in 0..60 {
        if stop.ended {
            return;
        }
        let before = state(session, &stop);
        let inside = session.step(Step::Into).unwrap();
        if inside.depth > stop.depth {
            let out = session.step(Step::BackOut).unwrap();
            assert_eq!((state(session, &out), out.depth), (before, stop.depth), "the call");
            session.step(Step::Into).unwrap();
            let behind = session.step(Step::Out).unwrap();
            assert!(behind.ended || behind.depth == stop.depth, "{behind:?}");
            stop = behind;
        } else {
            // A step over what calls nothing is a step into it.
            let there = state(session, &inside);
            if inside.depth == stop.depth {
                session.go_to_time(before.0).unwrap();
                let over = session.step(Step::Over).unwrap();
                assert_eq!(state(session, &over), there);
                stop = over;
            } else {
                stop = inside;
            }
        }
    }
}

/// Everything that can be shown in a frame.
fn shown(session: &mut Session) -> Vec<Variable> {
    let mut all = Vec::new();
    for scope in Scope::ALL {
        all.extend(session.variables(0, scope).unwrap());
    }
    all
}

/// What is shown is what another session shows that came there from the start, step by step.
fn again(session: &mut Session, other: &mut Session, choice: &Choice, random: &mut Random) {
    let mut stop = session.step(Step::ToStart).unwrap();
    for _ in 0..random.below(30) {
        let steps = [Step::Into, Step::Over, Step::Out, Step::BackInto, Step::BackOver];
        let next = session.step(steps[random.index(5)]).unwrap();
        if next.ended {
            session.step(Step::BackInto).unwrap();
        }
        stop = session.here().unwrap();
    }
    let mut there = other.enter(choice).unwrap();
    while there.time < stop.time && !there.ended {
        there = other.step(Step::Into).unwrap();
    }
    assert_eq!((there.time, &there.moment), (stop.time, &stop.moment), "{choice:?}");
    let (ours, theirs) = (shown(session), shown(other));
    for (ours, theirs) in ours.iter().zip(&theirs) {
        // Numbers that are none are not equal to themselves; as text they are.
        assert_eq!(format!("{ours:?}"), format!("{theirs:?}"), "{choice:?}");
    }
    assert_eq!(ours.len(), theirs.len(), "{choice:?}");
    assert_eq!(other.fingerprint().unwrap(), session.fingerprint().unwrap(), "{choice:?}");
}

/// Into the invocation that wrote a texel and out again, either way: the same read, the same state.
fn crossing(session: &mut Session, random: &mut Random) -> usize {
    let mut stop = session.step(Step::ToStart).unwrap();
    for _ in 0..30 {
        let reads = session.reads().unwrap();
        let before = (state(session, &stop), stop.pass);
        for read in &reads {
            let texel = random.index(read.texels.len());
            let Ok(inner) = session.step_into_read(read.number, texel) else { continue };
            assert_eq!(inner.pass, before.1 + 1);
            assert_eq!(session.passes().len(), inner.pass + 1);
            session.step(Step::Over).unwrap();
            while session.here().unwrap().depth > 0 {
                session.step(Step::Out).unwrap();
            }
            let out = session.step([Step::Out, Step::BackOut][random.index(2)]).unwrap();
            assert_eq!((state(session, &out), out.pass), before);
            assert_eq!(format!("{:?}", session.reads().unwrap()), format!("{reads:?}"));
            return 1;
        }
        stop = session.step(Step::Over).unwrap();
        if stop.ended {
            break;
        }
    }
    0
}
