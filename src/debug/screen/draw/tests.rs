use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::Color;
use session::{Agreement, Invocation, Location, Picture, Reason, Source, Stop};

use super::*;
use crate::debug::inline::Shown;
use crate::debug::view::{Event, Level, Row, Watch};

const TEXT: &str = "#version 330 core\nin vec2 at;\nout vec4 color;\n\nvoid main() {\n    float light = at.x;\n    color = vec4(light);\n}\n";

fn variable(name: &str, value: &str) -> Row {
    Row::Variable {
        depth: 0,
        name: name.to_owned(),
        path: name.to_owned(),
        type_name: "float".to_owned(),
        value: value.to_owned(),
        agreement: Some(Agreement::Equal),
        changed: false,
        broken: value == "NaN",
        open: None,
    }
}

/// A stop in line 7 of a small shader.
fn view() -> View {
    let invocation = Invocation {
        command: 1200,
        call: "glDrawArrays".to_owned(),
        frame: 7,
        stage: "fragment".to_owned(),
        program: 3,
        id: [30, 40, 0, 0],
        name: "fragment 30,40 of glDrawArrays (command 1200)".to_owned(),
    };
    let location = Location {
        source: "s".to_owned(),
        line: 7,
        column: 5,
        end_line: 7,
        end_column: 24,
        text: "color = vec4(light)".to_owned(),
    };
    let stop = Stop {
        reason: Reason::Step,
        invocation,
        function: "main".to_owned(),
        location,
        moment: "s1".to_owned(),
        time: 5,
        ended: false,
        discarded: false,
        depth: 0,
        pass: 0,
        log: Vec::new(),
        diverted: false,
    };
    let source =
        Source { id: "s".to_owned(), name: "program 3 fragment".to_owned(), text: TEXT.to_owned(), stand_in: None };
    let light = Shown { name: "light".to_owned(), value: "NaN".to_owned(), broken: true };
    View {
        trace: "/tmp/game.aftr".to_owned(),
        chosen: None,
        frames: 8,
        picture_of: Some(1200),
        mask: None,
        stop: Some(stop),
        source: Some(source),
        line: 7,
        columns: Some((5, 24)),
        breaks: vec![(6, false)],
        inline: [(7, vec![light])].into(),
        variables: vec![Row::Scope("Locals"), variable("light", "NaN"), variable("dark", "0.5")],
        watches: vec![Watch { number: 1, expression: "at.y".to_owned(), value: Ok("0.25".to_owned()), broken: false }],
        stack: vec![
            Level::Pass("fragment 30,40".to_owned()),
            Level::Frame { number: 0, function: "main".to_owned(), line: 7, text: "color = vec4(light)".to_owned() },
        ],
        frame: 0,
        history: vec![Event {
            id: 0,
            depth: 0,
            title: "draw 30,40 of texture 5".to_owned(),
            why: "glDrawArrays".to_owned(),
            value: Some("NaN, 0, 0, 1".to_owned()),
            weight: 1.0,
            broken: true,
            enterable: true,
            current: false,
            again: false,
        }],
        history_title: "30,40 of texture 5".to_owned(),
    }
}

fn drawn(columns: u16, rows: u16, shot: Option<&Shot>, depth: Depth, state: &mut State) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    let view = view();
    let scene = Scene { view: &view, shot, manner: GraphicsProtocol::Blocks, depth };
    terminal.draw(|frame| draw(frame, &scene, state)).unwrap();
    terminal.backend().buffer().clone()
}

fn rows(buffer: &Buffer) -> Vec<String> {
    let line = |y| (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect();
    (0..buffer.area.height).map(line).collect()
}

/// Where a text begins on the screen.
#[track_caller]
fn find(buffer: &Buffer, text: &str) -> (u16, u16) {
    for (y, row) in (0..).zip(rows(buffer)) {
        if let Some(at) = row.find(text) {
            return (u16::try_from(row[..at].chars().count()).unwrap(), y);
        }
    }
    panic!("`{text}` is not on the screen:\n{}", rows(buffer).join("\n"));
}

#[test]
fn the_current_line_is_marked_and_has_its_values_beside_it() {
    let buffer = drawn(140, 40, None, Depth::True, &mut State::new(Vec::new()));
    let (x, y) = find(&buffer, "7 ▶ ");
    assert_eq!(buffer[(x, y)].fg, theme::MARK);
    let (text, row) = find(&buffer, "color = vec4(light);");
    assert_eq!(row, y);
    assert_eq!(buffer[(text, row)].bg, theme::HERE_EXACT, "what is about to run");
    let (value, row) = find(&buffer, "light = NaN");
    assert_eq!((row, buffer[(value + 8, row)].fg), (y, theme::BAD));
    let (dot, row) = find(&buffer, "●");
    assert_eq!((row, buffer[(dot, row)].fg), (y - 1, theme::BAD));
    let (keyword, row) = find(&buffer, "void main");
    assert_eq!(buffer[(keyword, row)].fg, theme::of(crate::debug::highlight::Sort::Type).fg.unwrap());
}

#[test]
fn lists_show_what_there_is() {
    let buffer = drawn(140, 40, None, Depth::True, &mut State::new(Vec::new()));
    for text in [
        "game.aftr",
        "fragment 30,40 of glDrawArrays",
        "line 7 · time 5",
        "Locals",
        "✓ dark = 0.5",
        "at.y = 0.25",
        "▶ main:7",
    ] {
        find(&buffer, text);
    }
    let (x, y) = find(&buffer, "draw 30,40 of texture 5");
    assert_eq!(buffer[(x, y)].fg, theme::BAD, "a node without numbers");
}

#[test]
fn the_picture_is_there_and_clicks_find_its_pixels() {
    let picture = Picture { width: 64, height: 32, rgba: [0, 200, 0, 255].repeat(64 * 32) };
    let shot = Shot { picture, pixel: Some([30, 10]), title: "frame 7 · 30,10".to_owned() };
    let mut state = State::new(Vec::new());
    let buffer = drawn(140, 40, Some(&shot), Depth::True, &mut state);
    let area = state.areas.picture;
    assert!(area.width > 10 && area.height > 5, "{area:?}");
    assert_eq!(buffer[(area.x, area.y)].fg, Color::Rgb(0, 200, 0));
    let marked = |x: u16, y: u16| {
        let bright = |color| matches!(color, Color::Rgb(255, 214, 92));
        bright(buffer[(x, y)].fg) || bright(buffer[(x, y)].bg)
    };
    let all: Vec<(u16, u16)> = area.positions().map(|at| (at.x, at.y)).filter(|(x, y)| marked(*x, *y)).collect();
    let [(x, y)] = all.as_slice() else { panic!("one cell is the pixel: {all:?}") };
    let [column, row] = image::pixel_at(&shot.picture, area, *x, *y).unwrap();
    assert!(column.abs_diff(30) <= 1 && row.abs_diff(10) <= 1, "{column},{row}");
}

#[test]
fn terminals_with_fewer_colours_get_those_they_have() {
    let indexed = drawn(140, 40, None, Depth::Indexed, &mut State::new(Vec::new()));
    assert!(
        indexed.content.iter().all(|cell| !matches!(cell.fg, Color::Rgb(..)) && !matches!(cell.bg, Color::Rgb(..)))
    );
    let plain = drawn(140, 40, None, Depth::Plain, &mut State::new(Vec::new()));
    assert!(plain.content.iter().all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset));
    let (x, y) = find(&plain, "color = vec4(light);");
    assert!(plain[(x, y)].modifier.contains(Modifier::REVERSED));
}

#[test]
fn small_terminals_show_the_source_first_and_tiny_ones_a_sentence() {
    let buffer = drawn(80, 24, None, Depth::True, &mut State::new(Vec::new()));
    find(&buffer, "color = vec4(light);");
    find(&buffer, "Locals");
    find(&drawn(39, 11, None, Depth::True, &mut State::new(Vec::new())), "least 40");
}

#[test]
fn help_lies_over_everything() {
    let mut state = State::new(Vec::new());
    state.help = true;
    let buffer = drawn(120, 40, None, Depth::True, &mut state);
    find(&buffer, "Backwards");
    find(&buffer, "into the first texture read");
}

#[test]
fn the_prompt_shows_what_is_typed_and_what_it_may_become() {
    let mut state = State::new(Vec::new());
    state.prompt.begin("rev");
    state.prompt.offer(0, vec!["reverse-next".to_owned(), "reverse-step".to_owned()]);
    state.complain("there is no such thing");
    let buffer = drawn(120, 40, None, Depth::True, &mut state);
    find(&buffer, "❯ reverse-");
    let (x, y) = find(&buffer, "reverse-next  reverse-step");
    assert_eq!(buffer[(x, y)].bg, theme::BAR);
}
