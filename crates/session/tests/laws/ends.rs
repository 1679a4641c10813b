//! What takes long can be ended, and costs nothing but the answer.

use session::{
    Activity, Branch, BreakpointSearch, Choice, Control, DrawSelection, GroupStep, HistoryRequest, LineBreak, Picture,
    Reason, Scope, Session, Step,
};

use crate::traces::demo;

/// The loop of the demo `trials`, its last statement inside, and the first one behind.
const INSIDE: u32 = 12;
const BEHIND: u32 = 14;

/// How often the loop goes round; llvmpipe would leave it after 65,535 times.
const ROUNDS: u32 = 60_000;

/// Stands at the start of a fragment of the loop.
fn looped() -> (Session, Choice) {
    let (mut session, draws) = demo("trials");
    let choice = Choice::fragment(draws[0], 49, 28);
    session.enter(&choice).unwrap();
    (session, choice)
}

fn value(session: &mut Session, text: &str) -> String {
    session.evaluate(0, text).unwrap().value.text()
}

pub fn walks() {
    let (mut session, choice) = looped();
    session.step(Step::Continue).unwrap();
    let end = session.fingerprint().unwrap();
    let control = session.control();
    session.enter(&choice).unwrap();
    let source = session.source(0).unwrap();
    session.set_breakpoints(&source.id, &[LineBreak { line: INSIDE, ..LineBreak::default() }]);
    session.step(Step::Continue).unwrap();
    session.set_breakpoints(&source.id, &[]);
    // Every step of a run can be interrupted, and the next one goes on from there.
    control.interrupt();
    let mut times = Vec::new();
    loop {
        let stop = session.step(if times.len() % 2 == 0 { Step::Continue } else { Step::Out }).unwrap();
        if stop.ended {
            break;
        }
        assert_eq!(stop.reason, Reason::Interrupted);
        let (i, number): (u32, u32) =
            (value(&mut session, "i").parse().unwrap(), whole(&value(&mut session, "number")));
        assert!([generated(i), generated(i + 1)].contains(&number), "{number} after {i} rounds");
        times.push(stop.time);
    }
    assert!(!times.is_empty() && times.is_sorted(), "{times:?}");
    assert_eq!(session.fingerprint().unwrap(), end);
    assert_eq!(control.progress().activity, Activity::Walking);
    // So can going back, and searching on the way.
    let never = LineBreak { line: INSIDE, condition: Some("number < 0.0".to_owned()), ..LineBreak::default() };
    session.set_breakpoints(&source.id, &[never]);
    assert_eq!(session.step(Step::ReverseContinue).unwrap().reason, Reason::Interrupted);
    assert!(session.findings().is_err_and(|error| error.is_interruption()));
    control.clear();
    assert_eq!(session.step(Step::ReverseContinue).unwrap().reason, Reason::Start);
    assert!(session.findings().unwrap().is_empty());
    // Breakpoints are not run over by a step that is interrupted.
    let set = session.set_breakpoints(&source.id, &[LineBreak { line: BEHIND, ..LineBreak::default() }]);
    let start = session.here().unwrap().time;
    control.interrupt();
    let stop = session.step(Step::Out).unwrap();
    assert_eq!((stop.reason, stop.time), (Reason::Interrupted, start));
    control.clear();
    assert_eq!(session.step(Step::Out).unwrap().reason, Reason::Breakpoint { ids: vec![set[0].id] });
    assert_eq!(whole(&value(&mut session, "number")), generated(ROUNDS));
}

pub fn questions() {
    let (mut session, draws) = demo("chain");
    let (last, pixel) = (*draws.last().unwrap(), Choice::Pixel { frame: None, x: 20, y: 20 });
    let picture = session.picture(last).unwrap();
    let request = HistoryRequest::of(&pixel).unwrap();
    // As JSON, so that NaN is equal to itself.
    let document = |session: &mut Session| serde_json::to_value(session.history(&request).unwrap()).unwrap();
    let history = document(&mut session);
    let (mut other, _) = demo("chain");
    let control: Control = other.control();
    control.interrupt();
    assert!(other.picture(last).is_err_and(|error| error.is_interruption()));
    assert!(other.history(&request).is_err_and(|error| error.is_interruption()));
    assert!(other.enter(&pixel).is_err_and(|error| error.is_interruption()));
    control.clear();
    assert_eq!(other.picture(last).unwrap(), picture);
    assert_eq!(document(&mut other), history);
    let stop = other.enter(&pixel).unwrap();
    // A recording that was interrupted is asked for another time.
    other.step(Step::ToEnd).unwrap();
    control.interrupt();
    let shown = other.variables(0, Scope::Outputs).unwrap();
    assert!(shown.iter().all(|variable| variable.value.measured.is_none()), "{shown:?}");
    let wanted = BreakpointSearch::new(stop.location.source, 1, DrawSelection::Frame(1));
    assert!(other.search_breakpoint(&wanted).is_err_and(|error| error.is_interruption()));
    control.clear();
    assert!(other.variables(0, Scope::Outputs).unwrap().iter().any(|variable| variable.value.measured.is_some()));
    assert!(other.search_breakpoint(&wanted).is_ok());
}

pub fn groups() {
    let (mut session, _) = looped();
    let command = session.here().unwrap().invocation.command;
    let first = session.enter_group(command).unwrap();
    assert_eq!((first.active, first.all), (16, 16));
    // Into the loop, through an iteration, and to behind all the others.
    let mut stop = first.clone();
    while stop.ways.is_empty() {
        stop = session.step_group(GroupStep::Over).unwrap();
    }
    let stop = session.step_group(GroupStep::Choose(Branch::True)).unwrap();
    assert_eq!((stop.location.line, stop.active), (INSIDE, 16), "{stop:?}");
    let back = session.step_group(GroupStep::BackOver).unwrap();
    assert_eq!((back.location.line, back.ways.len()), (INSIDE - 1, 2), "{back:?}");
    let stop = session.step_group(GroupStep::Leave).unwrap();
    assert_eq!((stop.location.line, stop.active), (BEHIND, 16), "{stop:?}");
    let values = session.group_values("number").unwrap();
    let here = values.numbers.iter().zip(&values.present).filter(|(_, present)| **present);
    assert!(here.clone().count() == 16 && here.clone().all(|(n, _)| *n == f64::from(generated(ROUNDS))), "{values:?}");
    let outside = session.step_group(GroupStep::Leave).unwrap_err().to_string();
    assert!(outside.contains("no loop"), "{outside}");
    session.leave_group();
    assert!(session.group_mask().is_err());
}

/// A sampler reads a picture of one colour: what the shader makes of it follows, on the device as well.
pub fn textures() {
    let (mut session, draws) = demo("chain");
    let choice = Choice::fragment(draws[0], 20, 20);
    session.enter(&choice).unwrap();
    let picture = Picture { width: 1, height: 1, rgba: vec![255, 0, 51, 255] };
    let stop = session.set_texture("before", &picture).unwrap();
    assert!(stop.diverted);
    session.step(Step::ToEnd).unwrap();
    let outputs = session.variables(0, Scope::Outputs).unwrap();
    // The nine weights of the filter have a sum of one.
    let colour = &outputs[0].value;
    let near = |at: usize, wanted: f64| (colour.numbers[at] - wanted).abs() < 1e-5;
    assert!(near(0, 1.0) && near(1, 0.0) && near(2, 0.2), "{outputs:?}");
    assert!(colour.measured.is_some(), "{outputs:?}");
    let wrong = session.set_texture("missing", &picture).unwrap_err().to_string();
    assert!(wrong.contains("no sampler missing"), "{wrong}");
    let weights = session.set_texture("weights", &picture).unwrap_err().to_string();
    assert!(weights.contains("no sampler weights"), "{weights}");
    session.undo_changes().unwrap();
    assert!(!session.here().unwrap().diverted);
}

/// A version of the language without `isnan` has it in conditions all the same.
pub fn old_languages() {
    let (mut session, _) = looped();
    let source = session.source(0).unwrap();
    let line =
        |condition: &str| LineBreak { line: BEHIND, condition: Some(condition.to_owned()), ..LineBreak::default() };
    let set = session.set_breakpoints(&source.id, &[line("isnan(number)"), line("!isinf(number)")]);
    assert!(set.iter().all(|status| status.verified), "{set:?}");
    assert_eq!(session.step(Step::Continue).unwrap().reason, Reason::Breakpoint { ids: vec![set[1].id] });
    let wanted = |condition: &str| BreakpointSearch {
        condition: Some(condition.to_owned()),
        most: 3,
        ..BreakpointSearch::new(source.id.clone(), BEHIND, DrawSelection::Frame(0))
    };
    assert!(session.search_breakpoint(&wanted("isnan(number)")).unwrap().draws.is_empty());
    let all = session.search_breakpoint(&wanted("!isnan(number)")).unwrap();
    assert_eq!((all.draws[0].invocations, all.first.len(), all.missed), (16, 3, 0), "{all:?}");
}

fn whole(text: &str) -> u32 {
    text.parse::<f64>().unwrap() as u32
}

/// Returns what the shader's generator computes in a number of rounds.
fn generated(rounds: u32) -> u32 {
    (0..rounds).fold(1, |number, _| (number * 5 + 3) % 4096)
}
