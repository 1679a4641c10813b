//! A program on a pseudoterminal, and what its screen shows.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Termios, Winsize, tcgetattr, tcsetwinsize};

/// How long a screen may take to show what is waited for. Drivers compile shaders in this time.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Terminal {
    master: File,
    /// Kept open, so that its settings can be looked at after the program has ended.
    line: File,
    child: Child,
    output: Receiver<Vec<u8>>,
    /// Everything that the program wrote.
    pub written: Vec<u8>,
    screen: Screen,
    before: Termios,
}

impl Terminal {
    /// Starts a program on a new terminal, as the leader of a session of its own.
    pub fn start(program: &mut Command, columns: u16, rows: u16) -> Terminal {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let path = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let line = File::options().read(true).write(true).open(&path).unwrap();
        let before = tcgetattr(&line).unwrap();
        tcsetwinsize(&master, size(columns, rows)).unwrap();
        // `setsid --ctty` makes its standard input the terminal that signals come from.
        let mut command = Command::new("setsid");
        command.args(["--ctty", "--wait"]).arg(program.get_program()).args(program.get_args());
        for (name, value) in program.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let end = || line.try_clone().unwrap();
        let child = command.stdin(end()).stdout(end()).stderr(end()).spawn().unwrap();
        let master = File::from(master);
        let mut reader = master.try_clone().unwrap();
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 65536];
            while let Ok(count) = reader.read(&mut buffer) {
                if count == 0 || sender.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        let screen = Screen::new(columns, rows);
        Terminal { master, line, child, output, written: Vec::new(), screen, before }
    }

    /// Types.
    pub fn send(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).unwrap();
    }

    /// Gives the terminal another size, of which the kernel tells the program.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        self.take(Duration::from_millis(1));
        tcsetwinsize(&self.master, size(columns, rows)).unwrap();
        self.screen.resize(columns, rows);
    }

    /// Takes in what the program writes until it is silent for a time; false if it wrote nothing.
    pub fn take(&mut self, silence: Duration) -> bool {
        let mut any = false;
        while let Ok(bytes) = self.output.recv_timeout(silence) {
            any = true;
            // A real terminal answers when it is asked for its attributes.
            if bytes.windows(3).any(|window| window == b"\x1b[c") {
                self.send("\x1b[?62;22c");
            }
            self.screen.feed(&bytes);
            self.written.extend(bytes);
        }
        any
    }

    /// Waits until the screen shows a text.
    #[track_caller]
    pub fn wait(&mut self, text: &str) -> String {
        self.wait_until(text, |screen| screen.contains(text))
    }

    /// Waits until the screen is as it should be.
    #[track_caller]
    pub fn wait_until(&mut self, what: &str, is: impl Fn(&str) -> bool) -> String {
        let end = Instant::now() + PATIENCE;
        loop {
            self.take(Duration::from_millis(40));
            let shown = self.screen.text();
            if is(&shown) {
                return shown;
            }
            assert!(Instant::now() < end, "never shown: {what}\n{shown}");
            if let Some(status) = self.child.try_wait().unwrap() {
                panic!("the program ended ({status}) before it showed: {what}\n{shown}");
            }
        }
    }

    /// Waits for the end of the program, and says whether the terminal is as it was.
    #[track_caller]
    pub fn end(&mut self) -> ExitStatus {
        let end = Instant::now() + PATIENCE;
        let status = loop {
            self.take(Duration::from_millis(20));
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < end, "the program does not end:\n{}", self.screen.text());
        };
        self.take(Duration::from_millis(50));
        status
    }

    /// Checks that the settings of the line, the screen, the cursor and the mouse are as before the program.
    #[track_caller]
    pub fn assert_restored(&self) {
        let after = tcgetattr(&self.line).unwrap();
        assert_eq!(after.local_modes, self.before.local_modes, "echo and lines");
        assert_eq!(after.input_modes, self.before.input_modes);
        assert_eq!(after.output_modes, self.before.output_modes);
        let text = String::from_utf8_lossy(&self.written);
        // Alternate screen, mouse, bracketed paste: what was turned on last was turned off.
        for mode in ["1049", "1000", "1002", "1003", "1006", "2004"] {
            let last = |letter: char| text.rfind(&format!("\x1b[?{mode}{letter}"));
            assert!(last('l') >= last('h'), "mode {mode} is left on");
        }
        assert!(text.rfind("\x1b[?25h") > text.rfind("\x1b[?25l"), "the cursor is left invisible");
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // A test that failed leaves nothing running.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn size(columns: u16, rows: u16) -> Winsize {
    Winsize { ws_col: columns, ws_row: rows, ws_xpixel: 0, ws_ypixel: 0 }
}

/// As much of a terminal as shows what a full-screen program writes.
struct Screen {
    columns: usize,
    rows: usize,
    cells: Vec<char>,
    at: (usize, usize),
    /// What is not yet a whole sequence or letter.
    rest: Vec<u8>,
}

impl Screen {
    fn new(columns: u16, rows: u16) -> Screen {
        let (columns, rows) = (usize::from(columns), usize::from(rows));
        Screen { columns, rows, cells: vec![' '; columns * rows], at: (0, 0), rest: Vec::new() }
    }

    fn resize(&mut self, columns: u16, rows: u16) {
        let rest = std::mem::take(&mut self.rest);
        *self = Screen { rest, ..Screen::new(columns, rows) };
    }

    fn text(&self) -> String {
        let lines = self.cells.chunks(self.columns.max(1)).map(|row| row.iter().collect::<String>());
        lines.map(|line| line.trim_end().to_owned() + "\n").collect()
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
        let all = std::mem::take(&mut self.rest);
        let mut rest = &all[..];
        while let Some(length) = self.one(rest) {
            rest = &rest[length..];
        }
        self.rest = rest.to_vec();
    }

    /// Takes in one letter or sequence, and says how long it is; nothing if it is not whole.
    fn one(&mut self, bytes: &[u8]) -> Option<usize> {
        match bytes.first()? {
            0x1b => match bytes.get(1)? {
                b'[' => {
                    let end = 2 + bytes[2..].iter().position(|byte| (0x40..=0x7e).contains(byte))?;
                    self.control(&String::from_utf8_lossy(&bytes[2..end]), bytes[end]);
                    Some(end + 1)
                }
                b'_' | b'P' | b']' => {
                    let end = bytes.windows(2).position(|window| window == b"\x1b\\")?;
                    Some(end + 2)
                }
                _ => Some(2),
            },
            b'\r' => {
                self.at.0 = 0;
                Some(1)
            }
            b'\n' => {
                self.at.1 += 1;
                Some(1)
            }
            byte if *byte < 0x20 => Some(1),
            byte => {
                let length = match byte {
                    0..=0x7f => 1,
                    0xc0..=0xdf => 2,
                    0xe0..=0xef => 3,
                    _ => 4,
                };
                let letter = String::from_utf8_lossy(bytes.get(..length)?).chars().next()?;
                let place = self.at.1 * self.columns + self.at.0;
                if self.at.0 < self.columns
                    && let Some(cell) = self.cells.get_mut(place)
                {
                    *cell = letter;
                }
                self.at.0 += 1;
                Some(length)
            }
        }
    }

    fn control(&mut self, words: &str, letter: u8) {
        let numbers: Vec<usize> = words.split(';').map(|word| word.parse().unwrap_or(0)).collect();
        match letter {
            b'H' => {
                let number = |at: usize| numbers.get(at).copied().unwrap_or(1).max(1) - 1;
                self.at = (number(1), number(0));
            }
            b'J' => self.cells = vec![' '; self.columns * self.rows],
            _ => {}
        }
    }
}
