//! The terminal that the screen is drawn on: taken over when the debugger starts, given back however it ends.

use std::io::{self, Stdout, Write};
use std::sync::Mutex;
use std::thread::ThreadId;

use anyhow::Context;
use ratatui::backend::{Backend, ClearType, CrosstermBackend, WindowSize};
use ratatui::buffer::Cell;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture};
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::crossterm::{execute, style};
use ratatui::layout::{Position, Size};

/// What the screen is drawn with.
pub type Terminal = ratatui::Terminal<Tty>;

/// What threads other than the screen's said when they panicked: written to the terminal, it would spoil the screen.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// A terminal that knows where its cursor is without asking.
///
/// `ratatui` asks the terminal before it clears the screen. The answer arrives among the keys, which another thread reads,
/// so the thread that draws would wait for it until it gives up, and take the debugger down.
pub struct Tty {
    inner: CrosstermBackend<Stdout>,
    cursor: Position,
}

/// Takes the terminal over. `colour` is what the user wants, whatever `NO_COLOR` says.
///
/// # Errors
/// When it is no terminal that can be drawn on.
pub fn take_over(colour: bool) -> anyhow::Result<Terminal> {
    style::force_color_output(colour);
    restore_on_panic(std::thread::current().id());
    let taken =
        enable_raw_mode().and_then(|()| execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste)).and_then(
            |()| ratatui::Terminal::new(Tty { inner: CrosstermBackend::new(io::stdout()), cursor: Position::ORIGIN }),
        );
    if taken.is_err() {
        give_back();
    }
    taken.context("the terminal cannot be drawn on; `--plain` needs no more than lines of text")
}

/// Has the terminal report what the mouse does. Call it after the terminal was asked what it can show.
pub fn listen_to_mouse() -> io::Result<()> {
    execute!(io::stdout(), EnableMouseCapture)
}

/// Gives the terminal back as it was. What fails here has nowhere to be shown.
pub fn give_back() {
    let _ = execute!(io::stdout(), DisableMouseCapture, DisableBracketedPaste, LeaveAlternateScreen, Show);
    let _ = disable_raw_mode();
    let _ = std::panic::take_hook();
    let mut errors = io::stderr().lock();
    for said in PANICS.lock().unwrap_or_else(std::sync::PoisonError::into_inner).drain(..) {
        let _ = writeln!(errors, "{said}");
    }
}

/// Whether this environment names a terminal whose cursor can be moved.
pub fn can_draw() -> bool {
    std::env::var_os("TERM").is_some_and(|term| !term.is_empty() && term != "dumb")
}

/// A panic of the screen gives the terminal back before it is told. One of the thread that works costs only what it
/// was doing (see `workshop`), so the screen stays, and the text waits until the debugger ends.
fn restore_on_panic(screen: ThreadId) {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if std::thread::current().id() == screen {
            let _ = execute!(io::stdout(), DisableMouseCapture, DisableBracketedPaste, LeaveAlternateScreen, Show);
            let _ = disable_raw_mode();
            before(panic);
        } else if let Ok(mut panics) = PANICS.lock() {
            panics.push(panic.to_string());
        }
    }));
}

impl Backend for Tty {
    type Error = io::Error;

    fn draw<'a, I: Iterator<Item = (u16, u16, &'a Cell)>>(&mut self, content: I) -> io::Result<()> {
        self.inner.draw(content)
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.inner.hide_cursor()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.inner.show_cursor()
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        Ok(self.cursor)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.cursor = position.into();
        self.inner.set_cursor_position(self.cursor)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.inner.clear()
    }

    fn clear_region(&mut self, clear_type: ClearType) -> io::Result<()> {
        self.inner.clear_region(clear_type)
    }

    fn size(&self) -> io::Result<Size> {
        self.inner.size()
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        self.inner.window_size()
    }

    fn flush(&mut self) -> io::Result<()> {
        Backend::flush(&mut self.inner)
    }
}
