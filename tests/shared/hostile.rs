//! Runs commands over hostile traces, and checks what they cost in the main process.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use trace::PrivateFolder;

/// Limits of the main process, which reads the trace: processor time, because tests share the machine, and memory.
const SECONDS: f64 = 10.0;
const MEGABYTES: f64 = 1000.0;

/// A process that takes longer than this has hung, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(300);

/// What a command answered.
pub struct Answer {
    pub status: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

/// Runs a command over a trace and checks what it costs.
#[track_caller]
pub fn run(command: &[&str], trace: &Path) -> Answer {
    let folder = PrivateFolder::new().unwrap();
    let (out, err) = (folder.path().join("out"), folder.path().join("err"));
    let (name, options) = command.split_first().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_afterimage"))
        .arg(name)
        .arg(trace)
        .args(options)
        .stdin(Stdio::null())
        .stdout(File::create(&out).unwrap())
        .stderr(File::create(&err).unwrap())
        .spawn()
        .unwrap();
    let (started, mut cost) = (Instant::now(), Cost::default());
    let status = loop {
        // A process that has ended stays readable until it is waited for.
        cost.look(child.id());
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        let over = cost.seconds > SECONDS || cost.megabytes > MEGABYTES || started.elapsed() > PATIENCE;
        if over {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{command:?} of {} took {cost:?} and was stopped", trace.display());
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let text = |path: &Path| String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
    // Only the start is looked at: some commands print a line for each of a million calls.
    let mut stdout = Vec::new();
    File::open(&out).unwrap().take(1 << 25).read_to_end(&mut stdout).unwrap();
    let answer = Answer { status: status.code(), stdout, stderr: text(&err) };
    assert!(answer.status.is_some_and(|code| (0..=2).contains(&code)), "{command:?}: {status} {}", answer.stderr);
    answer
}

#[derive(Default, Debug)]
struct Cost {
    seconds: f64,
    megabytes: f64,
}

impl Cost {
    fn look(&mut self, process: u32) {
        let read = |name: &str| std::fs::read_to_string(format!("/proc/{process}/{name}")).unwrap_or_default();
        let status = read("status");
        let peak =
            status.lines().find_map(|line| line.strip_prefix("VmHWM:")).and_then(|rest| rest.split_whitespace().next());
        let peak = peak.and_then(|kilobytes| kilobytes.parse::<f64>().ok()).unwrap_or(0.0) / 1000.0;
        self.megabytes = self.megabytes.max(peak);
        // After the name, which may have spaces: user and system time are the 12th and 13th, in hundredths of a second.
        let stat = read("stat");
        let after_name = stat.rsplit(')').next().unwrap_or_default();
        let ticks: f64 =
            after_name.split_whitespace().skip(11).take(2).filter_map(|word| word.parse::<f64>().ok()).sum();
        self.seconds = self.seconds.max(ticks / 100.0);
    }
}
