//! The screen of `afterimage debug` on a pseudoterminal, used as a person uses it.

#[path = "shared/terminal.rs"]
mod terminal;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use terminal::Terminal;
use testing::programs;

/// Returns a trace of two frames of the demo, recorded once.
fn trace() -> &'static Path {
    static TRACE: OnceLock<PathBuf> = OnceLock::new();
    TRACE.get_or_init(|| {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("debug_screen.aftr");
        programs::recorded(&file, &["deferred", "--frames", "2"]);
        file
    })
}

/// Starts the debugger.
fn debug(words: &[&str], environment: &[(&str, &str)], columns: u16, rows: u16) -> Terminal {
    let words = [&["debug", trace().to_str().unwrap()][..], words].concat();
    start(&words, environment, columns, rows)
}

/// Starts any command.
fn start(words: &[&str], environment: &[(&str, &str)], columns: u16, rows: u16) -> Terminal {
    let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
    command.args(words);
    command.env("TERM", "xterm-256color").env_remove("NO_COLOR").env_remove("COLORTERM");
    command.env("XDG_STATE_HOME", env!("CARGO_TARGET_TMPDIR")).envs(environment.iter().copied());
    Terminal::start(&mut command, columns, rows)
}

/// What the bar at the bottom says when keys are waited for.
const IDLE: &str = "q quit";

#[track_caller]
fn quit(terminal: &mut Terminal) {
    terminal.send("q");
    let status = terminal.end();
    assert!(status.success(), "{status}");
    terminal.assert_restored();
}

#[test]
fn the_screen_survives_every_size_and_is_drawn_anew_on_request() {
    let mut terminal = debug(&["--pixel", "200,60"], &[], 120, 40);
    terminal.wait("main:8");
    terminal.wait(IDLE);
    for round in 0..4_u16 {
        for (columns, rows) in [(80, 24), (1, 1), (20, 5), (200, 60), (40, 12), (39, 11), (2, 300), (300, 2), (101, 25)]
        {
            terminal.resize(columns, rows);
            if round > 0 {
                // Slowly, so that each size is drawn; in the first round all at once.
                terminal.take(Duration::from_millis(30));
            }
        }
    }
    // At a size that shows little, keys still do something.
    terminal.resize(20, 5);
    terminal.wait("The debugger needs");
    terminal.send("\x1b[B\x0c");
    terminal.resize(100, 30);
    terminal.wait("main:9");
    terminal.wait(IDLE);
    // Ctrl-L writes the whole screen again.
    terminal.written.clear();
    terminal.send("\x0c");
    terminal.take(Duration::from_millis(300));
    let again = String::from_utf8_lossy(&terminal.written).into_owned();
    assert!(again.contains("\x1b[2J") && again.contains("calls and passes"), "{again}");
    terminal.send(":print 2.0 + 3.0\r");
    terminal.wait("2.0 + 3.0 = 5");
    quit(&mut terminal);
}

#[test]
fn without_a_pixel_the_last_frame_is_shown_and_a_click_takes_one() {
    let mut terminal = debug(&[], &[], 80, 24);
    let shown = terminal.wait("▀▀▀▀");
    assert!(shown.contains("frame 1 of 0 to 1"), "{shown}");
    terminal.wait("Enter take the pixel");
    // A frame back, and forwards again; the wheel enlarges.
    terminal.send("<");
    terminal.wait("frame 0 of 0 to 1");
    terminal.send(">");
    terminal.wait("frame 1 of 0 to 1");
    terminal.send("\x1b[<64;40;8M");
    terminal.wait("×2");
    terminal.send("-");
    terminal.wait_until("the whole picture", |shown| !shown.contains('×'));
    // A drag takes nothing; a click does, when the button is let go.
    terminal.send("\x1b[<0;40;8M\x1b[<32;42;8M\x1b[<0;42;8m");
    let shown = terminal.wait(IDLE);
    assert!(!shown.contains("void main"), "{shown}");
    terminal.send("\x1b[<0;40;8M\x1b[<0;40;8m");
    let shown = terminal.wait("void main");
    assert!(shown.contains("fragment"), "{shown}");
    terminal.wait(IDLE);
    // The picture is behind Tab, in the place of the source.
    terminal.send("p");
    terminal.wait("▀▀▀▀");
    terminal.send("\x1b");
    terminal.wait("void main");
    quit(&mut terminal);
}

#[test]
fn a_pixel_that_a_command_names_has_the_cross_and_the_keys_are_for_the_source() {
    let mut terminal = debug(&[], &[], 140, 44);
    terminal.wait("▀▀▀▀");
    terminal.wait("Enter take the pixel");
    terminal.send(":pixel 200,60\r");
    terminal.wait("main:8");
    terminal.wait_until("the pixel in the title of the picture", |shown| shown.contains(" 200,60 #"));
    terminal.wait(IDLE);
    terminal.send("\x1b[B");
    terminal.wait("main:9");
    quit(&mut terminal);
}

#[test]
fn a_command_typed_over_the_help_is_a_command() {
    let mut terminal = debug(&["--pixel", "200,60"], &[], 120, 40);
    terminal.wait("main:8");
    terminal.wait(IDLE);
    for help in ["?", ":help\r"] {
        terminal.send(help);
        terminal.wait("any other key closes");
        terminal.send(":print 2.0 + 3.0\r");
        terminal.wait("2.0 + 3.0 = 5");
        terminal.wait(IDLE);
        terminal.send(":print 1.0\r");
        terminal.wait("1.0 = 1.0");
        terminal.wait(IDLE);
    }
    terminal.send("?");
    terminal.wait("any other key closes");
    terminal.send("/light\r");
    terminal.wait("`light`: 1 of");
    quit(&mut terminal);
}

#[test]
fn a_text_is_searched_for_and_n_steps_again_after_the_search() {
    let mut terminal = debug(&["--pixel", "200,60"], &[], 80, 24);
    terminal.wait("main:8");
    terminal.wait(IDLE);
    terminal.send("/LIGHT\r");
    terminal.wait("`LIGHT` is not in this shader");
    terminal.send("/light\r");
    terminal.wait("`light`: 1 of");
    terminal.send("n");
    terminal.wait("`light`: 2 of");
    terminal.send("N");
    terminal.wait("`light`: 1 of");
    terminal.send("\x1b");
    terminal.wait("↓ n next");
    terminal.send("n");
    terminal.wait("main:9");
    quit(&mut terminal);
}

#[test]
fn a_search_before_a_pixel_is_chosen_takes_its_letters_and_is_refused_at_the_end() {
    let mut terminal = debug(&[], &[], 80, 24);
    let shown = terminal.wait("Enter take the pixel");
    assert!(shown.contains("press : to type a command") && !shown.contains("/ to search"), "{shown}");
    terminal.send("/light");
    terminal.wait("/ light");
    terminal.send("\r");
    let shown = terminal.wait("there is no shader to search in; choose a pixel first");
    assert!(!shown.contains("void main") && !shown.contains(" search ─"), "{shown}");
    quit(&mut terminal);
}

#[test]
fn a_trace_without_calls_is_called_truncated_and_offers_no_pixels() {
    let bytes = std::fs::read(trace()).unwrap();
    // Chunks have a kind, and the length of what follows; those with calls are of kind 4.
    let mut at = 0;
    while bytes[at + 8] != 4 {
        at += 56 + u32::from_le_bytes(bytes[at + 32..at + 36].try_into().unwrap()) as usize;
    }
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("debug_screen_cut.aftr");
    std::fs::write(&file, &bytes[..at]).unwrap();
    let mut terminal = start(&["debug", file.to_str().unwrap()], &[], 80, 24);
    terminal.wait("The trace is truncated, and none of its calls could be read.");
    let shown = terminal.wait("debug_screen_cut.aftr is truncated: 0 calls and no whole frame could be read");
    assert!(shown.contains("there is no pixel to choose"), "{shown}");
    assert!(!shown.contains("click on") && !shown.contains("take the pixel"), "{shown}");
    quit(&mut terminal);
}

#[test]
fn a_frame_that_is_not_there_is_refused() {
    let mut terminal = debug(&["--frame", "9"], &[], 80, 24);
    terminal.wait("the trace has no frame 9: they are numbered from 0 to 1");
    assert_eq!(terminal.end().code(), Some(2));
    let mut terminal = debug(&["--frame", "0"], &[], 80, 24);
    terminal.wait("frame 0 of 0 to 1");
    quit(&mut terminal);
}

#[test]
fn the_history_has_the_keys_when_it_was_asked_for() {
    for (columns, rows) in [(80, 24), (160, 45)] {
        let mut terminal = debug(&["--pixel", "200,60"], &[], columns, rows);
        terminal.wait("main:8");
        terminal.wait(IDLE);
        terminal.send("h");
        terminal.wait("events behind this pixel, one pass back");
        terminal.wait("h go further back");
        // What the history leaves out is said.
        terminal.wait("texels were not followed: too many passes back");
        terminal.send("\x1b");
        terminal.wait("h history");
        quit(&mut terminal);
    }
}

#[test]
fn the_demo_can_be_read_before_the_debugger_covers_it() {
    let _ = programs::built();
    let mut terminal = start(&["demo"], &[], 120, 40);
    let shown = terminal.wait("Press Enter to open the debugger");
    assert!(shown.contains("Recording 8 frames") && shown.contains("The first NaN of the frame"), "{shown}");
    terminal.send("\r");
    let shown = terminal.wait("world_normal = normalize");
    assert!(!shown.contains("Recording"), "{shown}");
    terminal.wait(IDLE);
    quit(&mut terminal);
}

#[test]
fn no_colour_means_none_and_pictures_are_letters() {
    let mut terminal = debug(&[], &[("NO_COLOR", "1")], 80, 24);
    terminal.wait("Enter take the pixel");
    terminal.wait_until("a picture of letters", |shown| {
        shown.contains("##") || shown.contains("==") || shown.contains("::")
    });
    terminal.send("\r");
    terminal.wait("void main");
    terminal.wait(IDLE);
    let written = String::from_utf8_lossy(&terminal.written).into_owned();
    for part in written.split("\x1b[").skip(1) {
        let end = part.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(0);
        if part[end..].starts_with('m') {
            let colour = |word: &str| matches!(word.parse::<u32>(), Ok(30..=38 | 40..=48 | 90..=107));
            assert!(!part[..end].split(';').any(colour), "{:?}", &part[..end]);
        }
    }
    // The line that is about to run is turned round.
    assert!(written.contains("\x1b[7m"));
    quit(&mut terminal);
}

#[test]
fn a_terminal_that_cannot_be_drawn_on_gets_lines() {
    for (environment, words) in [(("TERM", "dumb"), &[][..]), (("TERM", "xterm"), &["--plain"][..])] {
        let mut terminal = debug(words, &[environment], 80, 24);
        terminal.wait("Choose a pixel with `pixel X,Y`");
        terminal.send("pixel 200,60\n");
        terminal.wait("main:8");
        terminal.send("nonsense\nnext\n");
        terminal.wait("there is no command `nonsense`");
        terminal.wait("main:9");
        terminal.send("quit\n");
        assert!(terminal.end().success());
        assert!(!terminal.written.contains(&0x1b), "{:?}", String::from_utf8_lossy(&terminal.written));
    }
}

#[test]
fn a_group_agrees_with_itself_and_ends_where_it_began() {
    let mut terminal = debug(&["--pixel", "200,60"], &[], 120, 40);
    terminal.wait("main:8");
    terminal.wait(IDLE);
    terminal.send("g");
    let shown = terminal.wait("All fragments together");
    assert!(shown.contains("all fragments of glDraw") && !shown.contains("time "), "{shown}");
    terminal.wait("g end the group");
    terminal.send(":print 1.0\r");
    terminal.wait("is about one invocation");
    terminal.send(":list\r");
    terminal.wait("fragments are here");
    terminal.send("g");
    let shown = terminal.wait("time 1");
    assert!(!shown.contains("All fragments together"), "{shown}");
    quit(&mut terminal);
}
