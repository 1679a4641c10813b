//! Breakpoints, writes, changes and refusals on the deferred scene, whose lighting pass has calls and loops in it.

use host::{Host, OpenOptions};
use session::{
    Agreement, Branch, BreakpointSearch, Choice, DataBreak, DrawSelection, GroupStep, LineBreak, Reason, Scope,
    Session, SessionError, Source, Step,
};

use crate::traces::{demo, recorded};

/// As the demo has it.
const BROKEN_VERTEX: u32 = 7 * 25 + 18;

/// Stands at the start of a fragment of the lighting pass that is no sky.
pub fn lit() -> (Session, Source, Choice) {
    let (mut session, draws) = demo("deferred");
    let (command, source) = draw_with(&mut session, &draws, "lit_by_sun");
    for (x, y) in [(48, 12), (40, 10), (60, 20), (30, 8)] {
        let choice = Choice::fragment(command, x, y);
        session.enter(&choice).unwrap();
        let line = line_of(&source, "vec4 surface =");
        session.set_breakpoints(&source.id, &[at(line)]);
        let stop = session.step(Step::Continue).unwrap();
        session.set_breakpoints(&source.id, &[]);
        if !stop.ended {
            session.step(Step::ToStart).unwrap();
            return (session, source, choice);
        }
    }
    panic!("all of these pixels are sky");
}

/// The last draw with a fragment shader that has a text in it.
fn draw_with(session: &mut Session, draws: &[u64], text: &str) -> (u64, Source) {
    let mut found = draws.iter().rev().filter_map(|&command| {
        let sources = session.sources(command).ok()?;
        sources.into_iter().find(|source| source.text.contains(text)).map(|source| (command, source))
    });
    found.next().expect("a draw with that shader")
}

fn line_of(source: &Source, text: &str) -> u32 {
    source.text.lines().position(|line| line.contains(text)).expect("the line") as u32 + 1
}

fn at(line: u32) -> LineBreak {
    LineBreak { line, ..LineBreak::default() }
}

pub fn breakpoints() {
    let (mut session, source, _) = lit();
    let line = line_of(&source, "sum += texture(shadow");
    let status = session.set_breakpoints(&source.id, &[at(line)]);
    assert!(status[0].verified && status[0].line == Some(line), "{status:?}");
    // Nine taps, in order; and on the way back the same in reverse.
    let mut times = Vec::new();
    loop {
        let stop = session.step(Step::Continue).unwrap();
        if stop.ended {
            break;
        }
        assert_eq!((stop.location.line, &stop.reason), (line, &Reason::Breakpoint { ids: vec![status[0].id] }));
        times.push(stop.time);
    }
    assert_eq!(times.len(), 9);
    for time in times.iter().rev() {
        assert_eq!(session.step(Step::ReverseContinue).unwrap().time, *time);
    }
    assert_eq!(session.step(Step::ReverseContinue).unwrap().reason, Reason::Start);
    // With a condition, in terms of what is in scope there.
    let condition = LineBreak { condition: Some("x == 1 && y > -1".to_owned()), ..at(line) };
    assert!(session.set_breakpoints(&source.id, &[condition])[0].verified);
    for y in ["0", "1"] {
        session.step(Step::Continue).unwrap();
        assert_eq!(session.evaluate(0, "y").unwrap().value.text(), y);
        assert_eq!(session.evaluate(0, "x").unwrap().value.text(), "1");
    }
    assert!(session.step(Step::Continue).unwrap().ended);
    // What is wrong is said at once.
    let wrong = [LineBreak { condition: Some("missing > 1".to_owned()), ..at(line) }, at(100_000)];
    for status in session.set_breakpoints(&source.id, &wrong) {
        assert!(!status.verified && status.message.is_some(), "{status:?}");
    }
    let number = LineBreak { condition: Some("sum".to_owned()), ..at(line) };
    let status = session.set_breakpoints(&source.id, &[number]);
    assert!(status[0].message.as_ref().is_some_and(|text| text.contains("float")), "{status:?}");
}

pub fn counts() {
    let (mut session, source, _) = lit();
    let line = line_of(&source, "sum += texture(shadow");
    let count = |text: &str| LineBreak { hit_count: Some(text.to_owned()), ..at(line) };
    for (text, hits) in [("5", 1), (">= 5", 5), ("% 2", 4), ("< 3", 2)] {
        session.step(Step::ToStart).unwrap();
        session.set_breakpoints(&source.id, &[count(text)]);
        let mut found = 0;
        while !session.step(Step::Continue).unwrap().ended {
            found += 1;
        }
        assert_eq!(found, hits, "{text}");
    }
    session.step(Step::ToStart).unwrap();
    let log = LineBreak { log: Some("tap {x}, {y} of {sum > 0.5}".to_owned()), ..at(line) };
    session.set_breakpoints(&source.id, &[log]);
    let stop = session.step(Step::Continue).unwrap();
    assert!(stop.ended);
    assert_eq!(stop.log.len(), 9);
    assert_eq!((stop.log[0].text.as_str(), stop.log[0].line), ("tap -1, -1 of false", line));
    assert!(stop.log[8].text.starts_with("tap 1, 1 of "), "{:?}", stop.log[8]);
}

pub fn writes() {
    let (mut session, source, _) = lit();
    let line = line_of(&source, "float haze =");
    session.set_breakpoints(&source.id, &[at(line)]);
    session.step(Step::Continue).unwrap();
    // The last lamp's light was added last.
    let write = session.last_write(0, "sum").unwrap().expect("a write");
    assert_eq!(write.location.as_ref().map(|place| place.line), Some(line_of(&source, "sum += lamp_colors[i]")));
    assert_eq!(write.new, session.evaluate(0, "sum").unwrap().value.emulated.unwrap());
    let stop = session.go_to_time(write.time).unwrap();
    assert_eq!(session.evaluate(0, "sum").unwrap().value.emulated.unwrap(), write.old);
    assert_eq!(session.evaluate(0, "i").unwrap().value.text(), "3");
    // Forwards, each write stops behind it.
    assert_eq!(stop.location.line, line_of(&source, "sum += lamp_colors[i]"));
    session.set_breakpoints(&source.id, &[at(line_of(&source, "vec3 sum ="))]);
    session.step(Step::ReverseContinue).unwrap();
    session.step(Step::Over).unwrap();
    session.set_breakpoints(&source.id, &[]);
    let watched = session.set_data_breakpoints(&[DataBreak { path: "sum".to_owned(), condition: None }]);
    assert!(watched[0].verified, "{watched:?}");
    let mut values = Vec::new();
    loop {
        let stop = session.step(Step::Continue).unwrap();
        if stop.ended {
            break;
        }
        let Reason::Data { id, path, old, new, ahead: false } = &stop.reason else { panic!("{stop:?}") };
        assert_eq!((*id, path.as_str()), (watched[0].id, "sum"));
        assert_ne!(old, new);
        values.push(new.clone());
    }
    // The sky's light, the sun's, and four lamps', unless one adds nothing.
    assert!((2..=6).contains(&values.len()), "{values:?}");
    // It is the same variable where its name is not visible yet, even if the breakpoint is set once more there.
    session.step(Step::ToStart).unwrap();
    assert!(session.evaluate(0, "sum").is_err(), "the shader begins with the declaration");
    let again = session.set_data_breakpoints(&[DataBreak { path: "sum".to_owned(), condition: None }]);
    assert!(again[0].verified, "{again:?}");
    let stop = session.step(Step::Continue).unwrap();
    assert!(matches!(&stop.reason, Reason::Data { id, .. } if *id == again[0].id), "{stop:?}");
    // Where a function has its own variable of that name, the breakpoint keeps the one that it has; a new one gets the
    // function's.
    session.step(Step::ToStart).unwrap();
    session.run_to_line(line_of(&source, "sum += texture(shadow")).unwrap();
    let sum = || DataBreak { path: "sum".to_owned(), condition: None };
    let both = session.set_data_breakpoints(&[sum(), sum()]);
    assert!(both.iter().all(|status| status.verified), "{both:?}");
    let mut written = Vec::new();
    while written.last() != Some(&both[0].id) {
        let stop = session.step(Step::Continue).unwrap();
        let Reason::Data { id, new, .. } = &stop.reason else { panic!("{stop:?}") };
        assert_eq!(new.contains("vec3"), *id == both[0].id, "only the caller's is a vector: {stop:?}");
        written.push(*id);
    }
    assert!(written.contains(&both[1].id), "{written:?}");
    let again = session.set_data_breakpoints(&[sum()]);
    // Running to a line stops for nothing else on the way, and forgets nothing.
    session.step(Step::ToStart).unwrap();
    let stop = session.run_to_line(line).unwrap();
    assert_eq!((stop.location.line, &stop.reason), (line, &Reason::Step));
    let back = session.step(Step::ReverseContinue).unwrap();
    let Reason::Data { id, old, ahead: true, .. } = &back.reason else { panic!("{back:?}") };
    assert_eq!((*id, session.evaluate(0, "sum").unwrap().value.emulated.as_ref()), (again[0].id, Some(old)));
    let first = session.run_to_line(line_of(&source, "vec3 sum =")).unwrap();
    assert!(first.time < back.time, "backwards, as it does not come there again");
    assert!(matches!(session.run_to_line(100_000), Err(SessionError::NoStatementAt { .. })));
    // The last statement writes what comes out, and there is no stop behind it but the end.
    let output = session.variables(0, Scope::Outputs).unwrap()[0].path.clone();
    let set = session.set_data_breakpoints(&[DataBreak { path: output.clone(), condition: None }]);
    let over = session.step(Step::Continue).unwrap();
    let Reason::Data { id, new, ahead: false, .. } = &over.reason else { panic!("{over:?}") };
    assert!(over.ended && *id == set[0].id, "{over:?}");
    assert_eq!(session.evaluate(0, &output).unwrap().value.emulated.as_ref(), Some(new));
    assert_eq!(session.step(Step::Continue).unwrap().reason, Reason::End, "it is said once");
    let back = session.step(Step::ReverseContinue).unwrap();
    assert!(matches!(&back.reason, Reason::Data { ahead: true, .. }) && !back.ended, "{back:?}");
    let ends = session.step(Step::Over).unwrap();
    assert_eq!((ends.time, &ends.reason), (over.time, &over.reason), "by a step as by a run");
}

pub fn exceptions() {
    let (mut session, draws) = demo("deferred");
    let kinds: Vec<String> = Session::exception_kinds().iter().map(|kind| kind.code.to_owned()).collect();
    assert!(kinds.contains(&"not-finite".to_owned()));
    session.set_exception_breakpoints(&kinds).unwrap();
    // One vertex of a mesh has no normal, and the vertex shader makes no numbers of it.
    let mut surfaces = draws.clone();
    surfaces.retain(|&command| {
        let sources = session.sources(command).unwrap_or_default();
        sources.iter().any(|source| source.text.contains("normalize(world_normal)"))
    });
    let mut found = None;
    for command in surfaces {
        if session.enter(&Choice::vertex(command, BROKEN_VERTEX)).is_err() {
            continue;
        }
        let stop = session.step(Step::Continue).unwrap();
        if let Reason::Exception { kind, message } = &stop.reason {
            // It is what is about to happen; when it has, there are no numbers.
            assert!(!session.findings().unwrap().is_empty());
            found = Some((stop.location.text.clone(), kind.clone(), message.clone()));
            let behind = session.step(Step::Over).unwrap();
            assert_eq!(session.step(Step::ReverseContinue).unwrap().time, stop.time, "{behind:?}");
            break;
        }
    }
    let all = session.set_exception_breakpoints(&["nonsense".to_owned()]);
    assert!(matches!(all, Err(SessionError::UnknownException { name, .. }) if name == "nonsense"));
    let (text, kind, message) = found.expect("something undefined");
    assert!(text.contains("normalize") && ["domain", "not-finite"].contains(&kind.as_str()), "{text} {kind} {message}");
}

pub fn changes() {
    let (mut session, source, choice) = lit();
    let line = line_of(&source, "float haze =");
    session.set_breakpoints(&source.id, &[at(line)]);
    session.step(Step::Continue).unwrap();
    let truth = session.fingerprint().unwrap();
    // A variable, from here on.
    let set = session.set_variable(0, "sum", "vec3(1, 2, 3)").unwrap();
    assert_eq!(set.value.emulated.as_deref(), Some("vec3(1.0, 2.0, 3.0)"));
    assert_eq!(set.value.measured, None, "the device knows nothing of it");
    assert_eq!(session.set_variable(0, "sum.y", "7").unwrap().value.text(), "7.0");
    let stop = session.step(Step::Over).unwrap();
    assert!(stop.diverted);
    let end = session.step(Step::ToEnd).unwrap();
    assert!(end.diverted);
    let green = session.evaluate(0, "radiance.y").unwrap().value.numbers[0];
    assert!(green > 2.0, "{green}");
    // Before what was set there is nothing in the diversion; without it everything is as it was.
    let start = session.step(Step::ToStart).unwrap();
    assert_eq!((start.location.line, &start.reason), (line, &Reason::Start));
    let back = session.undo_changes().unwrap();
    assert!(!back.diverted);
    assert_eq!(session.fingerprint().unwrap(), truth);
    // A uniform, for the whole invocation: the same moment, another past.
    let stop = session.set_uniform("sun_direction", &[0.0, 1.0, 0.0]).unwrap();
    assert!(stop.diverted && stop.location.line == line, "{stop:?}");
    assert_ne!(session.fingerprint().unwrap(), truth);
    let sums = session.evaluate(0, "sum").unwrap().value;
    assert_eq!(sums.measured.is_some(), sums.agreement.is_some());
    assert!(!matches!(sums.agreement, Some(Agreement::Divergent { .. })), "the device was told, too: {sums:?}");
    assert_eq!(session.passes()[0].changes, ["uniform sun_direction = 0, 1, 0"]);
    session.undo_changes().unwrap();
    assert_eq!(session.fingerprint().unwrap(), truth);
    assert!(session.set_uniform("missing", &[1.0]).is_err());
    assert!(session.set_variable(0, "missing", "1").is_err());
    assert_eq!(session.enter(&choice).unwrap().reason, Reason::Entry);
}

pub fn workgroups() {
    let (mut session, draws) = demo("particles");
    let (command, source) = draw_with(&mut session, &draws, "local_size_x");
    session.enter(&Choice::thread(command, [70, 0, 0])).unwrap();
    let lanes = session.lanes().unwrap();
    assert_eq!((lanes.len(), lanes[6].name.as_str(), lanes[6].followed), (64, "70,0,0", true));
    session.set_breakpoints(&source.id, &[at(line_of(&source, "int base ="))]);
    session.step(Step::Continue).unwrap();
    assert_eq!(session.evaluate(0, "index").unwrap().value.text(), "70");
    let position = session.position().unwrap();
    // Another lane at the same moment.
    session.follow(7).unwrap();
    assert_eq!(session.evaluate(0, "index").unwrap().value.text(), "71");
    session.go_to(&position).unwrap();
    assert_eq!(session.evaluate(0, "index").unwrap().value.text(), "70");
    assert_eq!(session.lanes().unwrap().iter().filter(|lane| lane.together).count(), 16, "a wave");
    let member = session.evaluate(0, "before[index * 6]").unwrap();
    session.step(Step::Over).unwrap();
    session.step(Step::Over).unwrap();
    assert_eq!(session.evaluate(0, "place.x").unwrap().value.text(), member.value.text());
}

pub fn measured() {
    let (mut session, source, _) = lit();
    let line = line_of(&source, "float haze =");
    session.set_breakpoints(&source.id, &[at(line)]);
    session.step(Step::Continue).unwrap();
    let (mut recorded, mut divergent) = (0, 0);
    for scope in [Scope::Locals, Scope::Inputs] {
        for variable in session.variables(0, scope).unwrap() {
            let Some(measured) = &variable.value.measured else { continue };
            // Asked by itself, the device says the same as in its recording.
            let asked = session.measure(0, &variable.path).unwrap();
            assert_eq!(asked.value.measured.as_ref(), Some(measured), "{}", variable.name);
            assert_eq!(asked.value.agreement, variable.value.agreement);
            divergent += usize::from(matches!(asked.value.agreement, Some(Agreement::Divergent { .. })));
            recorded += 1;
        }
    }
    // A number close to zero that others cancel out in is the one thing that may differ by more than rounding.
    assert!(recorded >= 8 && divergent <= 1, "{divergent} of {recorded}");
    // Parts have both sides, too.
    let parts = session.children(0, "position").unwrap();
    assert_eq!(parts.len(), 3);
    assert!(parts.iter().all(|part| part.value.measured.is_some() && part.path.starts_with("position.")), "{parts:?}");
    let any = session.measure(0, "dot(eye - position, normal) * 2.0").unwrap();
    assert!(any.value.measured.is_some());
}

/// What is not waited for is shown as emulated, and each of the device's values appears, once, as it is in the whole recording.
pub fn awaited() {
    let (mut session, source, choice) = lit();
    let line = line_of(&source, "float haze =");
    session.set_breakpoints(&source.id, &[at(line)]);
    session.step(Step::Continue).unwrap();
    let whole = session.variables(0, Scope::Locals).unwrap();
    session.wait_for_device(false);
    session.record_in_parts_of(40);
    session.enter(&choice).unwrap();
    session.step(Step::Continue).unwrap();
    let begun = session.variables(0, Scope::Locals).unwrap();
    assert_eq!(begun.len(), whole.len());
    let (mut parts, mut known) = (0, 0);
    let mut shown = begun;
    loop {
        for (now, last) in shown.iter().zip(&whole) {
            assert_eq!((&now.name, &now.value.emulated), (&last.name, &last.value.emulated));
            assert!(now.value.measured.is_none() || now.value.measured == last.value.measured, "{now:?} {last:?}");
            assert!(!now.value.pending || now.value.measured.is_none(), "{now:?}");
        }
        let measured = shown.iter().filter(|variable| variable.value.measured.is_some()).count();
        assert!(measured >= known, "{measured} of {known}");
        known = measured;
        let Some(pending) = shown.iter().find(|variable| variable.value.pending) else { break };
        assert_eq!(session.evaluate(0, &pending.path).unwrap().value, pending.value);
        parts += 1;
        let more = session.record_ahead().unwrap();
        assert_eq!(more, session.recorded_parts().is_some());
        shown = session.variables(0, Scope::Locals).unwrap();
    }
    assert!(parts > 1, "the recording came as one");
    assert!(known >= 8, "{known} values");
}

pub fn refusals() {
    let (mut session, draws) = demo("deferred");
    assert!(matches!(session.step(Step::Over), Err(SessionError::NoInvocation)));
    assert!(matches!(session.variables(0, Scope::Locals), Err(SessionError::NoInvocation)));
    let last = *draws.last().unwrap();
    let sentence = |result: Result<session::Stop, SessionError>| result.unwrap_err().to_string();
    let outside = session.enter(&Choice::fragment(last, 5000, 1));
    assert!(
        matches!(outside, Err(SessionError::OutsideOfTarget { pixel: [5000, 1], size: [96, 54], .. })),
        "{outside:?}"
    );
    assert!(sentence(outside).contains("outside the framebuffer"));
    assert!(sentence(session.enter(&Choice::fragment(0, 1, 1))).contains("neither draws nor dispatches"));
    let missing = session.enter(&Choice::thread(last, [0, 0, 0]));
    assert!(matches!(missing, Err(SessionError::NoStage { stage: "compute", .. })), "{missing:?}");
    let beyond = session.enter(&Choice::fragment(1 << 40, 1, 1));
    assert!(matches!(beyond, Err(SessionError::NoSuchCommand { command, .. }) if command == 1 << 40), "{beyond:?}");
    let later = session.enter(&Choice::Pixel { frame: Some(99), x: 1, y: 1 });
    assert!(matches!(later, Err(SessionError::NoSuchFrame { frame: 99, .. })), "{later:?}");
    let stage =
        session.enter(&Choice::Primitive { command: last, stage: "pixel".into(), primitive: 0, invocation: None });
    assert!(matches!(stage, Err(SessionError::UnknownStage(_))), "{stage:?}");
    session.enter(&Choice::fragment(last, 10, 10)).unwrap();
    let wrong = session.evaluate(0, "missing + 1").unwrap_err().to_string();
    assert!(wrong.contains("missing"), "{wrong}");
    let frame = session.variables(99, Scope::Locals);
    assert!(matches!(frame, Err(SessionError::NoSuchStackFrame { frame: 99, .. })), "{frame:?}");
    let read = session.step_into_read(99, 0);
    assert!(matches!(read, Err(SessionError::NoSuchRead { read: 99, texel: 0 })), "{read:?}");
    assert!(matches!(session.follow(99), Err(SessionError::NoSuchLane { lane: 99 })));
    let nothing = OpenOptions::new(recorded("deferred").with_extension("nothing"));
    assert!(Host::new().session(&nothing).is_err());
}

pub fn groups() {
    let (mut session, draws) = demo("deferred");
    let (command, source) = draw_with(&mut session, &draws, "lit_by_sun");
    let stop = session.enter_group(command).unwrap();
    assert_eq!((stop.active, stop.all), (96 * 54, 96 * 54), "a triangle covers everything");
    let line = line_of(&source, "if (z == 1.0)");
    let mut stop = stop;
    while stop.location.line != line {
        stop = session.step_group(GroupStep::Over).unwrap();
    }
    let [sky, rest] = &stop.ways[..] else { panic!("{stop:?}") };
    assert_eq!(sky.count + rest.count, stop.active);
    assert!(sky.count > 0 && rest.count > 0 && (sky.share + rest.share - 1.0).abs() < 1e-9, "{stop:?}");
    // The mask is what the values of the condition are.
    let (mask, values) = (session.group_mask().unwrap(), session.group_values("z == 1.0").unwrap());
    let same = mask.pixels.iter().zip(&values.numbers).all(|(pixel, value)| (*pixel == 3) == (*value == 1.0));
    assert!(same && values.components == 1 && values.present.iter().all(|present| *present));
    let (skies, others) = (sky.count, rest.count);
    let stop = session.step_group(GroupStep::Choose(Branch::True)).unwrap();
    assert_eq!((stop.location.line, stop.active), (line + 1, skies));
    // The other way, from the start.
    session.enter_group(command).unwrap();
    let mut stop = session.step_group(GroupStep::Over).unwrap();
    while stop.location.line != line {
        stop = session.step_group(GroupStep::Over).unwrap();
    }
    let mut stop = session.step_group(GroupStep::Choose(Branch::False)).unwrap();
    assert_eq!((stop.location.line, stop.active), (line_of(&source, "vec4 surface ="), others));
    assert!(session.step_group(GroupStep::Choose(Branch::True)).is_err(), "ways do not part there");
    // Four lamps for all fragments: they enter the loop together, and leave it together.
    let looped = line_of(&source, "for (int i = 0; i < 4");
    let mut iterations = 0;
    while !stop.ended {
        if stop.location.line == looped && !stop.ways.is_empty() {
            let all = if iterations < 4 { 0 } else { 1 };
            assert_eq!((stop.ways[all].count, stop.ways[1 - all].count), (others, 0), "{stop:?}");
            iterations += 1;
        }
        stop = session.step_group(GroupStep::Over).unwrap();
    }
    assert_eq!(iterations, 5);
}

pub fn everywhere() {
    let (mut session, source, choice) = lit();
    let Choice::Fragment { command, .. } = choice else { panic!("{choice:?}") };
    let line = line_of(&source, "vec4 surface =");
    let frame = session.frames().iter().position(|frame| (frame.first_command..=frame.last_command).contains(&command));
    let draws = DrawSelection::Frame(frame.expect("the frame of the draw"));
    let wanted = BreakpointSearch { most: 5, ..BreakpointSearch::new(source.id.clone(), line, draws) };
    let hits = session.search_breakpoint(&wanted).unwrap();
    assert_eq!((hits.asked, hits.draws.len(), hits.draws[0].command, hits.first.len()), (1, 1, command, 5));
    let all = hits.draws[0].invocations;
    // Those that are found are hit when they are walked through.
    let condition = Some("z < 1.0 && at.x > 0.5".to_owned());
    let some = session.search_breakpoint(&BreakpointSearch { condition, ..wanted.clone() }).unwrap();
    assert!((1..all).contains(&some.draws[0].invocations), "{some:?}");
    for hit in &some.first {
        session.enter(&hit.choice).unwrap();
        session.set_breakpoints(&source.id, &[at(line)]);
        assert_eq!(session.step(Step::Continue).unwrap().location.line, line);
        assert_eq!(session.evaluate(0, "z < 1.0 && at.x > 0.5").unwrap().value.text(), "true");
    }
    let wrong = BreakpointSearch { condition: Some("missing".to_owned()), ..wanted.clone() };
    assert!(session.search_breakpoint(&wrong).is_err());
    let other = BreakpointSearch::new("no such text".to_owned(), 1, DrawSelection::Frame(0));
    let none = session.search_breakpoint(&other);
    assert!(matches!(none, Err(SessionError::NoDrawRunsShader { .. })), "{none:?}");
}

pub fn past() {
    let (mut session, source, _) = lit();
    let (outer, inner) = (line_of(&source, "sum += lit_by_sun"), line_of(&source, "return sum / 9.0"));
    session.set_breakpoints(&source.id, &[at(outer)]);
    let before = session.step(Step::Continue).unwrap();
    // Without one inside, the call is stepped over; with one, it is not, either way.
    let behind = session.step(Step::Over).unwrap();
    assert_eq!((behind.depth, &behind.reason), (0, &Reason::Step));
    session.go_to_time(before.time).unwrap();
    let set = session.set_breakpoints(&source.id, &[at(inner)]);
    let inside = session.step(Step::Over).unwrap();
    assert_eq!((inside.location.line, inside.reason), (inner, Reason::Breakpoint { ids: vec![set[0].id] }));
    let out = session.step(Step::Out).unwrap();
    assert_eq!((out.time, out.depth), (behind.time, 0));
    assert_eq!(session.step(Step::BackOver).unwrap().time, inside.time);
    // What a sampler looks at, and what was just read through it.
    session.set_breakpoints(&source.id, &[at(line_of(&source, "vec3 normal ="))]);
    session.step(Step::ReverseContinue).unwrap();
    let samplers = session.variables(0, Scope::Samplers).unwrap();
    let material = samplers.iter().find(|variable| variable.name == "material").expect("a sampler");
    assert!(material.value.text().starts_with("texture "), "{material:?}");
    assert!(material.note.as_ref().is_some_and(|note| note.starts_with("just read ")), "{material:?}");
}
