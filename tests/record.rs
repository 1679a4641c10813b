//! `afterimage record` on real programs: a failure of the program, the recorder or the disk costs at most the rest of a
//! recording.

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, fcntl};
use testing::programs::built;
use trace::Reader;

/// A folder for one test, removed when the test passes.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("afterimage-record-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // A folder that cannot be removed is left in the temporary directory.
            let _ = fs::remove_dir_all(&self.0);
        }
    }
}

/// Returns `afterimage record` with these options, in this folder, for `program` with its arguments.
fn record(folder: &Folder, options: &[&str], program: &[&str]) -> Command {
    let built = built();
    let mut command = Command::new(built.join("afterimage"));
    command.arg("record").args(options).arg("--").current_dir(&folder.0);
    let name = Path::new(program[0]);
    let own = built.join(name);
    command.arg(if own.is_file() { own.as_path() } else { name }).args(&program[1..]);
    command.stdin(Stdio::null());
    command
}

fn run(command: &mut Command) -> Output {
    command.output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Returns how often a command is in a trace, and how many of these calls returned.
fn count(trace: &Path, command: &str) -> (u64, u64) {
    let reader = Reader::open(trace, api::COMMANDS).unwrap();
    let wanted = api::find(command).unwrap();
    let (mut entered, mut returned) = (0, 0);
    let mut calls = reader.calls();
    while let Some(call) = calls.next().unwrap() {
        if call.command == Some(wanted) {
            entered += 1;
            returned += u64::from(call.outcome.is_some());
        }
    }
    (entered, returned)
}

fn counter(path: &Path) -> u64 {
    fs::read(path).ok().and_then(|bytes| bytes.first_chunk().copied()).map_or(0, u64::from_le_bytes)
}

#[track_caller]
fn await_count(path: &Path, calls: u64) {
    let begin = Instant::now();
    while counter(path) < calls {
        assert!(begin.elapsed() < Duration::from_secs(60), "the program makes no progress");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn kill(process: u32) {
    assert!(Command::new("kill").args(["-KILL", &process.to_string()]).status().unwrap().success());
}

/// Returns the process that a recorder has started.
fn program_of(recorder: &Child) -> u32 {
    let children = fs::read_to_string(format!("/proc/{0}/task/{0}/children", recorder.id())).unwrap();
    children.split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn status_and_output_are_passed_through() {
    let folder = Folder::new("status");
    let output = run(record(&folder, &[], &["sh", "-c", "echo out; echo err >&2; exit 3"]).env("DISPLAY", ":99"));
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(3), "out\n"));
    assert_eq!(stderr(&output), "err\nafterimage: nothing was recorded, because sh made no OpenGL call\n");
    let mut without_display = record(&folder, &[], &["true"]);
    let output = run(without_display.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY"));
    assert!(
        stderr(&output).contains("call; if it needs a display, which is not set, `xvfb-run -a` gives"),
        "{}",
        stderr(&output)
    );
    // A recording was asked for, and there is none.
    assert_eq!(output.status.code(), Some(2));
    let output = run(&mut record(&folder, &[], &["sh", "-c", "kill -TERM $$"]));
    assert_eq!(output.status.code(), Some(128 + 15));
    let output = run(&mut record(&folder, &[], &["there-is-no-such-program"]));
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("there-is-no-such-program cannot be started"));
}

#[test]
fn a_recording_is_not_replaced_without_permission() {
    let folder = Folder::new("names");
    for expected in ["overhead.aftr", "overhead-2.aftr"] {
        let output = run(&mut record(&folder, &["--json"], &["overhead", "uniform", "100"]));
        assert!(output.status.success(), "{}", stderr(&output));
        assert!(stdout(&output).contains(&format!("\"path\":\"{expected}\"")), "{}", stdout(&output));
        assert_eq!(count(&folder.file(expected), "glUniform4f"), (100, 100));
    }
    let output = run(&mut record(&folder, &["-o", "overhead.aftr"], &["overhead", "uniform", "7"]));
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("--force"));
    let output = run(&mut record(&folder, &["-o", "overhead.aftr", "--force"], &["overhead", "uniform", "7"]));
    assert!(output.status.success());
    assert_eq!(count(&folder.file("overhead.aftr"), "glUniform4f"), (7, 7));
}

#[test]
fn it_is_said_when_the_wanted_frames_are_recorded_and_the_program_goes_on() {
    let folder = Folder::new("frames");
    let script = format!("{} --frames 3 --size 32x32; sleep 3", built().join("deferred").display());
    let output = run(&mut record(&folder, &["-o", "t.aftr", "--frames", "0..2"], &["sh", "-c", &script]));
    assert!(output.status.success(), "{}", stderr(&output));
    let said = "afterimage: frames 0 to 1 are recorded; the program goes on until it ends, or Ctrl-C ends it\n";
    assert_eq!(stderr(&output).matches(said).count(), 1, "{}", stderr(&output));
    assert_eq!(Reader::open(&folder.file("t.aftr"), api::COMMANDS).unwrap().frame_count(), 2);
}

#[test]
fn each_process_has_a_trace() {
    let folder = Folder::new("processes");
    let overhead = built().join("overhead");
    let script = format!("true; {0} uniform 11; {0} uniform 12", overhead.display());
    let output = run(&mut record(&folder, &["-o", "t.aftr"], &["sh", "-c", &script]));
    assert!(output.status.success());
    assert_eq!(count(&folder.file("t.aftr"), "glUniform4f").0, 11);
    assert_eq!(count(&folder.file("t.2.aftr"), "glUniform4f").0, 12);
    assert!(!folder.file("t.3.aftr").exists());
}

#[test]
fn a_process_without_calls_has_no_trace() {
    let folder = Folder::new("nothing");
    let output = run(&mut record(&folder, &["-o", "n.aftr"], &["sh", "-c", "true; exit 3"]));
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 0, "{}", stderr(&output));
}

#[test]
fn short_lived_threads_lose_no_call() {
    let folder = Folder::new("threads");
    let output = run(&mut record(&folder, &["-o", "t.aftr", "--quiet"], &["overhead", "threads", "2000"]));
    assert!(output.status.success() && stderr(&output).is_empty(), "{}", stderr(&output));
    assert_eq!(count(&folder.file("t.aftr"), "glClearColor"), (2000, 2000));
    assert_eq!(count(&folder.file("t.aftr"), "afiProblem").0, 0);
}

#[test]
fn hundreds_of_threads_are_recorded_at_a_time() {
    let folder = Folder::new("crowd");
    let program = ["overhead", "threads", "600", "--at-once", "300"];
    let output = run(&mut record(&folder, &["-o", "t.aftr", "--quiet"], &program));
    assert!(output.status.success() && stderr(&output).is_empty(), "{}", stderr(&output));
    assert_eq!(count(&folder.file("t.aftr"), "glClearColor"), (600, 600));
    assert_eq!(count(&folder.file("t.aftr"), "afiProblem").0, 0);
}

#[test]
fn a_child_that_is_forked_before_the_first_call_has_a_trace() {
    let folder = Folder::new("fork");
    let output = run(&mut record(&folder, &["-o", "t.aftr", "--quiet"], &["overhead", "uniform", "70", "--fork"]));
    assert!(output.status.success() && stderr(&output).is_empty(), "{}", stderr(&output));
    for trace in ["t.aftr", "t.2.aftr"] {
        assert_eq!(count(&folder.file(trace), "glUniform4f"), (70, 70));
    }
    assert!(!folder.file("t.3.aftr").exists());
}

#[test]
fn a_child_that_is_forked_after_the_first_call_is_named() {
    let folder = Folder::new("fork-late");
    let output = run(&mut record(&folder, &["-o", "t.aftr"], &["overhead", "uniform", "70", "--fork-late"]));
    assert!(output.status.success(), "{}", stderr(&output));
    let said = stderr(&output);
    assert_eq!(said.matches("uses OpenGL and is not recorded").count(), 1, "{said}");
    assert_eq!(count(&folder.file("t.aftr"), "glUniform4f"), (70, 70));
    assert!(!folder.file("t.2.aftr").exists());
}

#[test]
fn a_killed_program_loses_no_completed_call() {
    for round in 0..3 {
        let folder = Folder::new(&format!("killed-{round}"));
        let counter_file = folder.file("count");
        let program = ["overhead", "uniform", "1000000000", "--present-every", "5000", "--count"];
        let program = [&program[..], &[counter_file.to_str().unwrap()]].concat();
        let mut command = record(&folder, &["-o", "t.aftr", "--quiet"], &program);
        let mut recorder = command.stderr(Stdio::null()).spawn().unwrap();
        await_count(&counter_file, 1 + 77_777 * round);
        kill(program_of(&recorder));
        assert_eq!(recorder.wait().unwrap().code(), Some(128 + 9));
        let completed = counter(&counter_file);
        let (entered, returned) = count(&folder.file("t.aftr"), "glUniform4f");
        assert!(returned == completed || returned == completed + 1, "{returned} returned of {completed}");
        assert!(entered == returned || entered == returned + 1);
    }
}

#[test]
fn a_call_that_passes_invalid_memory_is_recorded() {
    // Large memory is checked before it is copied, so that the driver finds the fault; small memory is not.
    for size in ["20000", "4000000"] {
        let folder = Folder::new(&format!("unreadable-{size}"));
        let output = run(&mut record(&folder, &["-o", "t.aftr"], &["overhead", "unreadable", size]));
        assert_eq!(output.status.code(), Some(128 + 11), "{}", stderr(&output));
        assert_eq!(count(&folder.file("t.aftr"), "glBufferData"), (1, 0));
        let small = size == "20000";
        assert_eq!(count(&folder.file("t.aftr"), "afiProblem").0, u64::from(small));
        let printed = Command::new(built().join("afterimage")).args(["info", "t.aftr"]).current_dir(&folder.0).output();
        let printed = stdout(&printed.unwrap());
        assert_eq!(printed.contains("while the memory of glBufferData, its last call, was read"), small, "{printed}");
    }
}

#[test]
fn a_killed_recorder_does_not_affect_the_program() {
    let folder = Folder::new("orphan");
    let counter_file = folder.file("count");
    let program = ["overhead", "uniform", "3000000", "--count", counter_file.to_str().unwrap()];
    let mut command = record(&folder, &["-o", "t.aftr"], &program);
    let said = fs::File::create(folder.file("said")).unwrap();
    let mut recorder = command.stdout(said).stderr(Stdio::null()).spawn().unwrap();
    await_count(&counter_file, 200_000);
    let at_least = counter(&counter_file).saturating_sub(100_000);
    kill(recorder.id());
    recorder.wait().unwrap();
    await_count(&counter_file, 3_000_000);
    let begin = Instant::now();
    while !fs::read_to_string(folder.file("said")).unwrap().contains("3000000 calls") {
        assert!(begin.elapsed() < Duration::from_secs(60), "the program did not end within 60 seconds");
        std::thread::sleep(Duration::from_millis(10));
    }
    // What the recorder had flushed is there; flushes are a quarter of a second apart, rings contain the rest.
    let (entered, _) = count(&folder.file("t.aftr"), "glUniform4f");
    assert!(entered > 0 || at_least == 0, "none of {at_least} calls is in the file");
}

/// Checks that a recording to this file is refused with such a sentence before the program is started.
#[track_caller]
fn refused(folder: &Folder, options: &[&str], sentence: &str) {
    let output = run(&mut record(folder, options, &["sh", "-c", "echo started"]));
    let said = stderr(&output);
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(2), ""), "{said}");
    assert!(said.contains(sentence) && said.lines().count() == 1, "{said}");
}

#[test]
fn a_trace_that_cannot_be_written_is_refused_before_the_program_starts() {
    let folder = Folder::new("refused");
    refused(&folder, &["-o", "/dev/full"], "cannot write the trace: No space left on device (os error 28) (/dev/full)");
    // Some users are not subject to permissions, but no user can create files there.
    refused(&folder, &["-o", "/sys/kernel/t.aftr"], "cannot create the trace /sys/kernel/t.aftr: ");
    refused(&folder, &["-o", "there/is/no/such/folder.aftr"], "there is no directory there/is/no/such");
    fs::create_dir(folder.file("folder.aftr")).unwrap();
    refused(&folder, &["-o", "folder.aftr", "--force"], "cannot create the trace folder.aftr: ");
    refused(&folder, &["-o", "/dev/null", "--frames", "0..1"], "--frames trims a file, and /dev/null is not one");
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1);
    let afterimage = built().join("afterimage");
    let line = format!("ulimit -f 1000; exec {} record -o t.aftr -- echo started", afterimage.display());
    let output = run(Command::new("sh").args(["-c", &line]).current_dir(&folder.0));
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(2), ""), "{output:?}");
    assert!(stderr(&output).contains("`ulimit -f` must allow files of "), "{}", stderr(&output));
}

#[test]
fn only_the_user_can_read_a_recording() {
    let folder = Folder::new("private");
    let output = run(&mut record(&folder, &["-o", "t.aftr"], &["overhead", "uniform", "3"]));
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(fs::metadata(folder.file("t.aftr")).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_redacted_recording_has_no_contents_and_can_be_replayed() {
    let folder = Folder::new("redacted");
    let program = ["overhead", "upload", "3", "--present-every", "1"];
    let output = run(&mut record(&folder, &["-o", "t.aftr", "--redact"], &program));
    assert!(output.status.success(), "{}", stderr(&output));
    let reader = Reader::open(&folder.file("t.aftr"), api::COMMANDS).unwrap();
    let (mut uploads, mut calls) = (0, reader.calls());
    while let Some(call) = calls.next().unwrap() {
        let bytes = |param| call.input(param).and_then(|data| reader.bytes(data).unwrap()).map(|bytes| bytes.to_vec());
        match call.command {
            Some(api::id::afiProcess) => {
                assert_eq!([1, 2, 3].map(bytes), [Some(b"overhead".to_vec()), Some(Vec::new()), Some(Vec::new())]);
            }
            Some(api::id::glTexSubImage2D) => {
                assert!(bytes(8).is_some_and(|pixels| pixels == [0; 256 << 10]));
                uploads += 1;
            }
            _ => {}
        }
    }
    assert_eq!(uploads, 3);
    let afterimage = |arguments: &[&str]| {
        run(Command::new(built().join("afterimage")).args(arguments).arg("t.aftr").current_dir(&folder.0))
    };
    assert!(stdout(&afterimage(&["info"])).contains("Recorded with --redact"));
    let replayed = afterimage(&["replay"]);
    assert!(replayed.status.success() && stderr(&replayed).is_empty(), "{replayed:?}");
}

#[test]
fn a_recording_is_replaced_only_by_another() {
    let folder = Folder::new("replaced");
    fs::write(folder.file("t.aftr"), "precious").unwrap();
    let output = run(&mut record(&folder, &["-o", "t.aftr", "--force"], &["true"]));
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read(folder.file("t.aftr")).unwrap(), b"precious");
    let lock = fs::File::open(folder.file("t.aftr")).unwrap();
    lock.try_lock().unwrap();
    refused(&folder, &["-o", "t.aftr", "--force"], "another recorder is writing the trace t.aftr");
}

#[test]
fn a_disk_that_fills_costs_the_rest_of_the_recording() {
    let folder = Folder::new("limit");
    let counter_file = folder.file("count");
    let program = ["overhead", "uniform", "3000000", "--present-every", "1000", "--count"];
    let program = [&program[..], &[counter_file.to_str().unwrap()]].concat();
    let mut command = record(&folder, &["-o", "t.aftr", "--json"], &program);
    let recorder = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    await_count(&counter_file, 200_000);
    // From now on the file cannot grow, as on a full disk.
    let size = fs::metadata(folder.file("t.aftr")).unwrap().len();
    let limit = ["--pid", &recorder.id().to_string(), &format!("--fsize={size}")];
    assert!(Command::new("prlimit").args(limit).status().unwrap().success());
    let output = recorder.wait_with_output().unwrap();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(stdout(&output).contains("3000000 calls"), "{}", stdout(&output));
    assert!(said.contains("File too large") && said.contains("the program keeps running"), "{said}");
    assert!(said.contains("t.aftr is not complete"), "{said}");
    // The numbers are those of what can be read.
    let reader = Reader::open(&folder.file("t.aftr"), api::COMMANDS).unwrap();
    let (mut calls, mut list) = (0, reader.calls());
    while list.next().unwrap().is_some() {
        calls += 1;
    }
    assert!(!reader.is_complete() && calls > 0 && calls < 3_000_000, "{calls} calls");
    let document = stdout(&output);
    let document: serde_json::Value = serde_json::from_str(document.lines().last().unwrap()).unwrap();
    assert_eq!(document["traces"][0]["calls"], calls);
    assert_eq!(document["traces"][0]["frames"], count(&folder.file("t.aftr"), "eglSwapBuffers").0);
}

/// Makes a pipe, and starts to record to it.
fn record_to_pipe(folder: &Folder, program: &[&str]) -> Child {
    assert!(Command::new("mkfifo").arg(folder.file("pipe")).status().unwrap().success());
    let mut command = record(folder, &["-o", "pipe"], program);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Sends a signal, and returns what the recorder leaves with, soon.
#[track_caller]
fn end(mut recorder: Child, signal: &str) -> Output {
    assert!(Command::new("kill").args([signal, &recorder.id().to_string()]).status().unwrap().success());
    let begin = Instant::now();
    while recorder.try_wait().unwrap().is_none() {
        if begin.elapsed() > Duration::from_secs(20) {
            recorder.kill().unwrap();
            panic!("the recorder ignores {signal}");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    recorder.wait_with_output().unwrap()
}

#[test]
fn signals_end_the_wait_for_the_reader_of_a_pipe() {
    for signal in ["-TERM", "-INT"] {
        let folder = Folder::new(&format!("no-reader{signal}"));
        let mut recorder = record_to_pipe(&folder, &["sh", "-c", "echo started"]);
        let mut said = [0; 28];
        recorder.stderr.as_mut().unwrap().read_exact(&mut said).unwrap();
        assert_eq!(&said, b"afterimage: waiting for a pr");
        let output = end(recorder, signal);
        assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(2), ""), "{}", stderr(&output));
        assert!(stderr(&output).contains("no program reads the pipe pipe"), "{}", stderr(&output));
    }
}

#[test]
fn signals_end_the_wait_for_a_reader_that_does_not_read() {
    let folder = Folder::new("idle-reader");
    let counter_file = folder.file("count");
    let program = ["overhead", "upload", "1000000000", "--present-every", "7", "--count"];
    let program = [&program[..], &[counter_file.to_str().unwrap()]].concat();
    let recorder = record_to_pipe(&folder, &program);
    let reader = fs::File::open(folder.file("pipe")).unwrap();
    await_count(&counter_file, 1);
    // The program waits when its ring is full.
    let mut before = 0;
    while std::mem::replace(&mut before, counter(&counter_file)) != counter(&counter_file) {
        std::thread::sleep(Duration::from_millis(500));
    }
    let output = end(recorder, "-TERM");
    assert_eq!(output.status.code(), Some(128 + 15), "{}", stderr(&output));
    assert!(stderr(&output).contains("the reader of the pipe does not read"), "{}", stderr(&output));
    drop(reader);
}

#[test]
fn nothing_is_written_between_the_output_of_a_program() {
    let folder = Folder::new("terminal");
    let overhead = built().join("overhead");
    let afterimage = built().join("afterimage");
    // `script` gives its command a terminal.
    let line = format!(
        "{} record -o t.aftr -- sh -c 'echo one; {} uniform 3000000 --present-every 100 >/dev/null; printf two'",
        afterimage.display(),
        overhead.display()
    );
    let output = Command::new("script").args(["-qec", &line, "/dev/null"]).current_dir(&folder.0).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let seen = stdout(&output);
    assert!(seen.starts_with("one\r\ntwoafterimage: t.aftr has 30,001 frames"), "{seen:?}");
}

#[test]
fn data_written_before_a_disk_failure_can_be_read() {
    let folder = Folder::new("fails");
    let pipe = folder.file("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let from = pipe.clone();
    // A disk that accepts the only texture, the calls that are written next, and then nothing more. The number of bytes
    // depends on the speed of the machine, so chunks are counted (docs/trace-format.md).
    let disk = std::thread::spawn(move || {
        const HEAD: usize = 56;
        const BLOBS: u8 = 3;
        const CALLS: u8 = 4;
        let mut file = fs::File::open(from).unwrap();
        // Data in a pipe counts as written, so the pipe is made as small as possible.
        fcntl(&file, FcntlArg::F_SETPIPE_SZ(4096)).unwrap();
        let mut bytes = Vec::new();
        let mut texture = false;
        loop {
            let begin = bytes.len();
            bytes.resize(begin + HEAD, 0);
            file.read_exact(&mut bytes[begin..]).unwrap();
            let kind = bytes[begin + 8];
            let stored = u32::from_le_bytes(bytes[begin + 32..begin + 36].try_into().unwrap()) as usize;
            bytes.resize(begin + HEAD + stored, 0);
            file.read_exact(&mut bytes[begin + HEAD..]).unwrap();
            // There are smaller blobs, such as the driver's limits.
            texture |= kind == BLOBS && stored > 100_000;
            if texture && kind == CALLS {
                return bytes;
            }
        }
    });
    let program = ["overhead", "upload", "60000", "--present-every", "7"];
    let output = run(&mut record(&folder, &["-o", "pipe"], &program));
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stdout(&output).contains("60000 calls"), "{}", stderr(&output));
    let said = stderr(&output);
    assert!(said.contains("Broken pipe") && said.contains("the program keeps running"), "{said}");
    assert!(said.contains("pipe is not complete"), "{said}");
    fs::write(folder.file("t.aftr"), disk.join().unwrap()).unwrap();
    let (entered, returned) = count(&folder.file("t.aftr"), "glTexSubImage2D");
    assert!(entered > 0 && entered < 60_000 && returned + 1 >= entered, "{entered} entered, {returned} returned");
}

#[test]
fn a_program_may_close_descriptors_and_handle_faults() {
    let folder = Folder::new("hostile");
    let program = ["overhead", "uniform", "50000", "--close-descriptors", "--fault"];
    let output = run(&mut record(&folder, &["-o", "t.aftr"], &program));
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).starts_with("50 faults\n"), "{}", stdout(&output));
    assert_eq!(count(&folder.file("t.aftr"), "glUniform4f"), (50_000, 50_000));
}

#[test]
fn a_preloaded_library_starts_the_recorder_itself() {
    let folder = Folder::new("preloaded");
    let mut command = Command::new(built().join("overhead"));
    command.args(["uniform", "500"]).current_dir(&folder.0);
    command.env("LD_PRELOAD", built().join("libafterimage_capture.so")).env("AFTERIMAGE_OUT", "t.aftr");
    let output = run(&mut command);
    assert!(output.status.success() && stderr(&output).is_empty(), "{}", stderr(&output));
    let begin = Instant::now();
    loop {
        let whole = Reader::open(&folder.file("t.aftr"), api::COMMANDS).is_ok_and(|reader| reader.is_complete());
        if whole {
            break;
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "the trace was not finished within 60 seconds");
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(count(&folder.file("t.aftr"), "glUniform4f"), (500, 500));
}
