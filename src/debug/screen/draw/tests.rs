mod layout;

use std::sync::Arc;

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
        pending: false,
        apart: String::new(),
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
        frame: Some(7),
        stage: "fragment".to_owned(),
        program: 3,
        id: [30, 40, 0, 0],
        name: "fragment 30,40 of glDrawArrays (command 1200)".to_owned(),
        groups: Vec::new(),
        others: 0,
        changed_nothing: false,
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
        truncated: false,
        shown_frame: Some(7),
        picture_of: Some(1200),
        group: None,
        mask: None,
        function: "main".to_owned(),
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
            share: String::new(),
            broken: true,
            enterable: true,
            current: false,
            again: false,
        }],
        history_title: "30,40 of texture 5".to_owned(),
    }
}

fn drawn(columns: u16, rows: u16, shot: Option<&Shot>, depth: Depth, state: &mut State) -> Buffer {
    drawn_of(&view(), columns, rows, shot, depth, state)
}

fn drawn_of(view: &View, columns: u16, rows: u16, shot: Option<&Shot>, depth: Depth, state: &mut State) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    let scene = Scene { view, shot, manner: GraphicsProtocol::Blocks, depth };
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

/// A green picture of 64 x 32 pixels, with one marked.
fn shot() -> Shot {
    let picture = Picture { width: 64, height: 32, rgba: [0, 200, 0, 255].repeat(64 * 32) };
    let window = image::Lens::default().window(&picture);
    Shot { window, picture: Arc::new(picture), pixel: Some([30, 10]), title: "frame 7 · 30,10".to_owned() }
}

#[test]
fn the_picture_is_there_and_clicks_find_its_pixels() {
    let shot = shot();
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
    let [column, row] = image::pixel_at(shot.window, area, *x, *y).unwrap();
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
    state.help = Some(0);
    let buffer = drawn(120, 40, None, Depth::True, &mut state);
    find(&buffer, "Backwards");
    find(&buffer, "into a texture read");
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

#[test]
fn help_is_scrolled_where_it_does_not_fit() {
    let mut state = State::new(Vec::new());
    state.help = Some(0);
    find(&drawn(80, 24, None, Depth::True, &mut state), "commands 1-22 of ");
    state.help = Some(usize::MAX - 1);
    find(&drawn(80, 24, None, Depth::True, &mut state), "Leave.");
    state.help = Some(help::COMMANDS);
    find(&drawn(80, 24, None, Depth::True, &mut state), ":next [N]");
}

#[test]
fn every_size_of_a_terminal_can_be_drawn_on_in_every_state() {
    let long = "vec3 x = ".to_owned() + &"lamp + ".repeat(60);
    let mut one = view();
    one.source.as_mut().unwrap().text.push_str(&format!("{long}\n\t光光 // é\n"));
    one.variables.push(variable("matrix", &"0.125, ".repeat(90)));
    let start = View { frames: 2, picture_of: Some(9), shown_frame: Some(1), ..View::default() };
    let shot = shot();
    let sizes = [0, 1, 2, 20, 39, 40, 41, 80, 99, 100, 101, 168];
    for columns in sizes {
        for rows in (0..26).chain([40]) {
            for (view, shot) in [(&one, Some(&shot)), (&one, None), (&start, Some(&shot)), (&start, None)] {
                for focus in [Pane::Source, Pane::Variables, Pane::Stack, Pane::History, Pane::Picture] {
                    let mut state = State::new(Vec::new());
                    state.focus = focus;
                    state.variable = 3;
                    state.large = rows % 2 == 1;
                    state.help = (rows % 7 == 3).then_some(5);
                    state.say("it has been said that lines may be long, and then they go on in another row");
                    state.prompt.begin(if rows % 5 == 2 { "print a + b + c + d + e + f + g + h + i + j" } else { "" });
                    drawn_of(view, columns, rows, shot, Depth::Plain, &mut state);
                    for area in [state.areas.picture, state.areas.source, state.areas.console, state.areas.history] {
                        assert!(area.right() <= columns && area.bottom() <= rows, "{area:?} in {columns}x{rows}");
                    }
                }
            }
        }
    }
}

#[test]
fn before_an_invocation_is_chosen_the_picture_has_the_screen() {
    let start = View { frames: 2, picture_of: Some(9), shown_frame: Some(1), ..View::default() };
    for (columns, rows) in [(80, 24), (168, 48)] {
        let mut state = State::new(Vec::new());
        state.focus = Pane::Picture;
        let buffer = drawn_of(&start, columns, rows, Some(&shot()), Depth::True, &mut state);
        let area = state.areas.picture;
        assert!(area.height * 2 > rows && area.width > columns / 3, "{area:?} in {columns}x{rows}");
        find(&buffer, "Enter take the pixel");
        find(&buffer, "frame 7");
        find(&buffer, "q quit");
        let none = drawn_of(&start, columns, rows, None, Depth::True, &mut State::new(Vec::new()));
        find(&none, "no picture of this yet");
    }
}

#[test]
fn long_lines_go_on_in_another_row() {
    let mut long = view();
    let text = &mut long.source.as_mut().unwrap().text;
    *text = text.replace(
        "    color",
        "\tcolor = vec4(light) + vec4(another_name_that_is_long, and, more, of_them) * 0.5 + far_end;\n    color",
    );
    long.line = 7;
    long.columns = Some((2, 7));
    long.variables = vec![variable("matrix", &format!("{}the end", "0.125, ".repeat(8)))];
    let mut state = State::new(Vec::new());
    let buffer = drawn_of(&long, 80, 24, None, Depth::True, &mut state);
    let (x, y) = find(&buffer, "color = vec4(light) + ");
    assert_eq!(buffer[(x, y)].bg, theme::HERE_EXACT, "after a tab");
    assert_eq!(find(&buffer, "far_end").1, y + 1);
    assert_eq!(find(&buffer, "↪").1, y + 1);
    find(&buffer, "the end");
    let lines = [y, y + 1, y + 2].map(|row| source::line_at(&state, row));
    assert_eq!(lines, [Some(7), Some(7), Some(8)]);
}

#[test]
fn what_is_looked_for_is_marked_and_counted() {
    let mut state = State::new(Vec::new());
    let view = view();
    state.search = Some(crate::debug::screen::search::Search::new("light", view.source.as_ref().unwrap(), 1));
    let buffer = drawn_of(&view, 80, 24, None, Depth::True, &mut state);
    let (x, y) = find(&buffer, "light = at.x");
    assert_eq!(buffer[(x, y)].bg, theme::MARK);
    let (x, y) = find(&buffer, "light);");
    assert_eq!(buffer[(x, y)].bg, theme::FOUND);
    find(&buffer, "`light`: 1 of 2");
    find(&buffer, "Esc end the search");
}

#[test]
fn a_group_says_so_everywhere() {
    let one = view();
    let mut group = view();
    group.group = Some(session::GroupStop {
        command: 1200,
        call: "glDrawArrays".to_owned(),
        function: "shade".to_owned(),
        location: Location { line: 6, ..one.stop.as_ref().unwrap().location.clone() },
        moment: "s0".to_owned(),
        active: 30,
        all: 90,
        ways: Vec::new(),
        ended: false,
    });
    group.function = "shade".to_owned();
    for (columns, rows) in [(80, 24), (140, 40)] {
        let buffer = drawn_of(&group, columns, rows, None, Depth::True, &mut State::new(Vec::new()));
        find(&buffer, "all fragments of glDrawArrays");
        find(&buffer, "30 of 90 here · line 6");
        find(&buffer, "program 3 fragment · shade");
        find(&buffer, "1 2 take a branch");
        let text = rows_of(&buffer);
        assert!(!text.contains("time 5") && !text.contains("fragment 30,40 of"), "{text}");
    }
}

fn rows_of(buffer: &Buffer) -> String {
    rows(buffer).join("\n")
}

#[test]
fn values_without_room_beside_the_current_line_are_below_it() {
    let mut view = view();
    let long =
        Shown { name: "light".to_owned(), value: "0.12345, 0.23456, 0.34567, 0.45678".to_owned(), broken: false };
    view.inline = [(7, vec![long])].into();
    let buffer = drawn_of(&view, 60, 30, None, Depth::True, &mut State::new(Vec::new()));
    let (_, line) = find(&buffer, "color = vec4(light);");
    let (_, value) = find(&buffer, "light = 0.12345, 0.23456, 0.34567, 0.45678");
    assert_eq!(value, line + 1);
    assert_eq!(find(&buffer, "   8   }").1, value + 1, "the next line follows");
}

#[test]
fn no_statement_is_next_at_the_end() {
    let mut view = view();
    view.stop.as_mut().unwrap().ended = true;
    let buffer = drawn_of(&view, 140, 40, None, Depth::True, &mut State::new(Vec::new()));
    find(&buffer, "7 ■ ");
}

#[test]
fn the_title_has_the_number_of_the_draw_at_every_width() {
    for columns in [60, 80, 100, 160] {
        let buffer = drawn(columns, 24, None, Depth::Plain, &mut State::new(Vec::new()));
        let title: String = (0..columns).map(|x| buffer[(x, 0)].symbol().to_owned()).collect();
        assert!(title.contains("command 1200") && title.contains("fragment 30,40"), "{columns}: {title}");
        assert!(title.contains("line 7"), "{columns}: {title}");
    }
}
