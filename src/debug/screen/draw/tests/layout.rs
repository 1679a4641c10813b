//! What has room where, and what says that there is more.

use super::*;

#[test]
fn panes_say_that_there_is_more() {
    let mut view = view();
    view.variables.extend((0..60).map(|number| variable(&format!("more{number}"), "1.0")));
    let mut state = State::new(Vec::new());
    let buffer = drawn_of(&view, 140, 40, None, Depth::True, &mut state);
    let area = state.areas.variables;
    assert_eq!(buffer[(area.right(), area.bottom() - 1)].symbol(), "▼");
    assert_ne!(buffer[(area.right(), area.y)].symbol(), "▲");
    state.focus = Pane::Variables;
    state.variable = 62;
    let buffer = drawn_of(&view, 140, 40, None, Depth::True, &mut state);
    assert_eq!(buffer[(area.right(), area.y)].symbol(), "▲");
    assert_ne!(buffer[(area.right(), area.bottom() - 1)].symbol(), "▼");
}

#[test]
fn variables_keep_rows_beside_a_long_history() {
    let mut view = view();
    let event = view.history[0].clone();
    view.history = vec![event; 40];
    let mut state = State::new(Vec::new());
    state.focus = Pane::History;
    let shot = shot();
    let buffer = drawn_of(&view, 120, 40, Some(&shot), Depth::True, &mut state);
    find(&buffer, "dark = 0.5");
    assert!(state.areas.variables.height >= 4, "{:?}", state.areas.variables);
    assert!(state.areas.picture.height >= 4, "{:?}", state.areas.picture);
}

#[test]
fn a_long_name_of_a_fragment_is_shortened_and_not_cut() {
    let mut view = view();
    let stop = view.stop.as_mut().unwrap();
    stop.ended = true;
    stop.invocation.command = 1_200_345;
    stop.invocation.name = "fragment 160,120, primitive 9114 of glDrawArrays (command 1200345)".to_owned();
    let top = rows(&drawn_of(&view, 60, 24, None, Depth::True, &mut State::new(Vec::new()))).remove(0);
    assert!(top.contains("fragment 160,120 ") && !top.contains("primitive"), "{top}");
}

#[test]
fn a_long_answer_is_shown_from_its_beginning() {
    let mut state = State::new(Vec::new());
    state.say(&(0..50).map(|number| format!("line {number} of the answer\n")).collect::<String>());
    let buffer = drawn(140, 40, None, Depth::True, &mut state);
    let (_, y) = find(&buffer, "line 0 of the answer");
    assert_eq!(y, state.areas.console.y);
    assert_eq!(buffer[(state.areas.console.right(), state.areas.console.bottom() - 2)].symbol(), "▼");
    // What is said next is at the end.
    state.say("short");
    let buffer = drawn(140, 40, None, Depth::True, &mut state);
    find(&buffer, "short");
}

#[test]
fn the_most_useful_keys_have_room_in_eighty_columns() {
    let buffer = drawn(80, 24, None, Depth::True, &mut State::new(Vec::new()));
    let bottom = rows(&buffer).pop().unwrap();
    for key in ["↓ n next ", "r into read ", "h history ", ": command ", "? help ", "q quit"] {
        assert!(bottom.contains(key), "`{key}` in {bottom}");
    }
    let start = View { frames: 2, picture_of: Some(9), shown_frame: Some(1), ..View::default() };
    let bottom = rows(&drawn_of(&start, 80, 24, None, Depth::True, &mut State::new(Vec::new()))).pop().unwrap();
    assert!(bottom.contains("< > frame ") && bottom.contains(": command ") && !bottom.contains("Tab"), "{bottom}");
}

#[test]
fn the_least_terminal_has_rows_for_each_pane_in_turn() {
    for columns in [40, 120] {
        let mut state = State::new(Vec::new());
        let buffer = drawn(columns, 12, None, Depth::True, &mut state);
        find(&buffer, "color = vec4(light)");
        assert_eq!(state.areas.source.height, 4);
        state.focus = Pane::Variables;
        find(&drawn(columns, 12, None, Depth::True, &mut state), "light = NaN  float");
        assert_eq!((state.areas.source.height, state.areas.variables.height), (0, 4));
        state.focus = Pane::History;
        find(&drawn(columns, 12, None, Depth::True, &mut state), "draw 30,40 of texture 5");
        find(&drawn(columns, 15, None, Depth::True, &mut State::new(Vec::new())), "Watches");
    }
}

#[test]
fn the_console_is_called_search_only_while_a_text_is_typed() {
    use ratatui::crossterm::event::{KeyCode, KeyEvent};
    for key in [KeyCode::Esc, KeyCode::Enter] {
        let mut state = State::new(Vec::new());
        state.prompt.begin_search();
        find(&drawn(80, 24, None, Depth::True, &mut state), " search ─");
        state.prompt.key(KeyEvent::from(key));
        let buffer = drawn(80, 24, None, Depth::True, &mut state);
        find(&buffer, " console ─");
        assert!(!rows_of(&buffer).contains(" search ─"));
    }
}

#[test]
fn without_calls_nothing_is_offered_to_take() {
    let none = View { truncated: true, ..View::default() };
    let buffer = drawn_of(&none, 80, 24, None, Depth::True, &mut State::new(Vec::new()));
    find(&buffer, "The trace is truncated, and none of its calls could be read.");
    let text = rows_of(&buffer);
    assert!(!text.contains("take the pixel") && !text.contains("/ to search"), "{text}");
    let whole = View::default();
    find(&drawn_of(&whole, 80, 24, None, Depth::True, &mut State::new(Vec::new())), "The trace has no calls.");
}
